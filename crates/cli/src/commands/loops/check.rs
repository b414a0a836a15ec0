//! `subcortex loop check`: is this config fit to run?

use std::fmt::Write as _;

use jiff::tz::TimeZone;
use serde::Serialize;
use subcortex_guard::escape_for_display;
use subcortex_loops::check::{Bar, Finding, Report, Severity, Subject, check};
use subcortex_loops::config::{self, Tier};
use subcortex_store::RealDisk;

use super::read;
use crate::args::LoopCheck;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::looks::Looks;
use crate::output::print_json;
use crate::surroundings::Surroundings;

/// The answer for programs.
#[derive(Serialize)]
struct Answer<'a> {
    name: &'a str,
    tier: Option<Tier>,
    ready: bool,
    score: u32,
    passed: usize,
    total: usize,
    errors: Vec<&'a Finding>,
    warnings: Vec<&'a Finding>,
}

pub(super) fn run(surroundings: &Surroundings, args: &LoopCheck) -> Result<ExitCode, Failure> {
    let (place, config) = read(surroundings, &args.target)?;
    let name = place.name();
    let report = check(&Subject {
        config: &config,
        dir_name: &name,
        root: &place.root,
        disk: &RealDisk,
        zone: &TimeZone::system(),
    });
    let bar = Bar { min_score: args.min, strict: args.strict };
    let is_ready = report.is_ready(bar);
    if args.json {
        print_json(&Answer {
            name: &name,
            tier: report.tier,
            ready: is_ready,
            score: report.score(),
            passed: report.passed,
            total: report.total,
            errors: report.of(Severity::Error).collect(),
            warnings: report.of(Severity::Warning).collect(),
        })?;
    } else {
        Looks::of(surroundings).print(&in_words(&name, &report, bar))?;
    }
    Ok(if is_ready { ExitCode::Done } else { ExitCode::NotReady })
}

fn in_words(name: &str, report: &Report, bar: Bar) -> String {
    let mut words = String::new();
    for (severity, label) in [(Severity::Error, "error"), (Severity::Warning, "warning")] {
        for finding in report.of(severity) {
            let place = finding.line.map(|line| format!(" ({}:{line})", config::FILE)).unwrap_or_default();
            // Writing to a String cannot fail.
            let _ok = writeln!(words, "{label}: {}{place}", escape_for_display(&finding.what));
            let _ok = writeln!(words, "  hint: {}", escape_for_display(&finding.hint));
        }
    }
    let verdict = if report.is_ready(bar) { "ready" } else { "not ready" };
    let tier = report.tier.map(|tier| format!(" for {tier:?}")).unwrap_or_default();
    let (score, passed, total) = (report.score(), report.passed, report.total);
    let why = match (report.is_ready(bar), score < bar.min_score) {
        (false, true) => format!("; at least {} is asked for", bar.min_score),
        (true, _) | (false, false) => String::new(),
    };
    let name = escape_for_display(name);
    let _ok =
        writeln!(words, "{name} is {verdict}{tier}: {score}/100 ({passed} of {total} checks passed{why})");
    words
}
