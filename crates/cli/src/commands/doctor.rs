//! `subcortex doctor`: what is wrong, and what to do.

use std::fmt::Write as _;

use jiff::Timestamp;
use subcortex_audit::Ink;
use subcortex_daemon::{EngineState, engines};
use subcortex_home::doctor::{Finding, Severity, examine};
use subcortex_known_agents::AGENTS;
use subcortex_memory::fragments::{self, Rejected};
use subcortex_memory::{Journal, MemoryFolder};
use subcortex_weaver::CompiledBroadcast;

use super::connect::find_link;
use super::trouble::{Trouble, lines_of, troubles};
use super::{World, status};
use crate::args::Json;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::looks::Looks;
use crate::output::print_json;
use crate::words::{Clock, count};

pub(crate) fn run(world: &World<'_>, args: &Json) -> Result<ExitCode, Failure> {
    let now = Timestamp::now();
    let mut findings = examine(&*world.disk, &world.home, now);
    if world.home.root().is_dir() {
        let links = AGENTS.iter().filter_map(|agent| find_link(world, agent));
        findings.extend(links.flat_map(|link| subcortex_connect::findings(&*world.disk, &link, now)));
    }
    if world.home.is_there() {
        // Settings that cannot be read are a finding already, and then there is no more to say here.
        if let Ok(stand) = status::stand(world) {
            findings.extend(troubles(world, &stand.schedule, &Clock::here()).into_iter().map(finding));
        }
        findings.extend(unused_checks(world));
        findings.extend(damaged_memory(world));
        findings.extend(engines(&world.setup()).unwrap_or_default().into_iter().filter_map(engine));
    }
    if args.json {
        print_json(&findings)?;
    } else {
        let looks = Looks::of(world.surroundings);
        looks.show(&shown(&findings, &looks))?;
    }
    let worst = findings.iter().map(|finding| finding.severity).max();
    Ok(if worst == Some(Severity::Problem) { ExitCode::Failed } else { ExitCode::Done })
}

/// The checks that somebody corrected and that cannot be read. A memory that cannot be read is a finding already.
fn unused_checks(world: &World<'_>) -> Vec<Finding> {
    let read = CompiledBroadcast::read(&*world.disk, &MemoryFolder::at(world.home.memory()));
    let problems = read.map(|(_, taken_over)| taken_over.problems).unwrap_or_default();
    let finding = |(path, why): (String, String)| {
        let found = format!("{path} is not used: {why}");
        let advice =
            "put it right, or remove it: the line is understood as `subcortex check` shows it meanwhile";
        Finding::warning("check", lines_of(&found).join("\n"), advice)
    };
    problems.into_iter().map(finding).collect()
}

/// Edits and pieces of evidence that cannot be read. They are passed over, so nothing else would tell.
fn damaged_memory(world: &World<'_>) -> Option<Finding> {
    let folder = MemoryFolder::at(world.home.memory());
    let journal = Journal::read(&*world.disk, &folder).ok()?;
    let evidence = fragments::read_all(&*world.disk, &folder).ok()?.rejected;
    let all: Vec<String> = journal.damage().chain(evidence.iter().map(Rejected::to_string)).collect();
    let first = lines_of(all.first()?).join(" ");
    let found = match all.len() {
        1 => format!("{first}; it is passed over"),
        more => format!("{first}, and {} more; they are passed over", more - 1),
    };
    let advice = "put it right from a backup (`git -C memory log`), or remove the line or file; `forget` cannot follow what it cannot read";
    Some(Finding::warning("memory", found, advice))
}

/// A worker whose engine has all that it needs; what is missing is among the troubles.
fn engine(state: EngineState) -> Option<Finding> {
    let EngineState { partition, engine, usable, .. } = state;
    Some(Finding::ok("engine", format!("{partition} runs on {engine}: {}", usable.ok()?)))
}

/// Something that is stuck or fails.
fn finding(trouble: Trouble) -> Finding {
    let Trouble { worker, what, help, is_grave } = trouble;
    let (found, advice) = (format!("{worker}: {}", what.join("\n")), help.join("\n"));
    if is_grave {
        Finding::problem("worker", found, advice)
    } else {
        Finding::warning("worker", found, advice)
    }
}

pub(super) fn shown(findings: &[Finding], looks: &Looks) -> String {
    let mut text = String::new();
    for finding in findings {
        let mark = match finding.severity {
            Severity::Ok => looks.ink(Ink::Green, "ok     "),
            Severity::Warning => looks.ink(Ink::Yellow, "warning"),
            Severity::Problem => looks.ink(Ink::Red, "PROBLEM"),
        };
        let mut lines = finding.found.lines();
        // Writing to a String cannot fail.
        let about = match finding.about {
            "spine" => "event log",
            "broadcast" => "memory",
            other => other,
        };
        let _ok = writeln!(text, "{mark}  {about:<12} {}", lines.next().unwrap_or_default());
        for line in lines.chain(finding.advice.as_deref().map(|_| "")).filter(|line| !line.is_empty()) {
            let _ok = writeln!(text, "{:23}{line}", "");
        }
        for advice in finding.advice.iter().flat_map(|advice| advice.lines()) {
            let _ok = writeln!(text, "{:21}→ {}", "", looks.command(advice));
        }
    }
    let problems = findings.iter().filter(|finding| finding.severity == Severity::Problem).count();
    let warnings = findings.iter().filter(|finding| finding.severity == Severity::Warning).count();
    let _ok = match (problems, warnings) {
        (0, 0) => writeln!(text, "\nAll is well."),
        (0, _) => writeln!(text, "\nIt works, with {}.", count(warnings, "warning")),
        (_, _) => writeln!(text, "\n{} to fix.", count(problems, "problem")),
    };
    text
}
