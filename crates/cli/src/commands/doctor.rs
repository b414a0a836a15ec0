//! `subcortex doctor`: what is wrong, and what to do.

use std::fmt::Write as _;

use jiff::Timestamp;
use subcortex_daemon::{EngineState, InboxTask, engines, peek, shared_inbox};
use subcortex_guard::escape_for_display;
use subcortex_home::doctor::{Finding, Severity, examine};
use subcortex_known_agents::AGENTS;

use super::World;
use super::connect::find_link;
use crate::args::Json;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{print, print_json};

pub(crate) fn run(world: &World<'_>, args: &Json) -> Result<ExitCode, Failure> {
    let now = Timestamp::now();
    let mut findings = examine(&*world.disk, &world.home, now);
    if world.home.root().is_dir() {
        let links = AGENTS.iter().filter_map(|agent| find_link(world, agent));
        findings.extend(links.flat_map(|link| subcortex_connect::findings(&*world.disk, &link, now)));
    }
    // Settings that cannot be read are a finding already, and then there is no more to say here.
    if let Ok((schedule, _)) = peek(&world.setup()) {
        findings.extend(schedule.partitions.into_iter().filter_map(|partition| {
            let found = format!("{} cannot be used", partition.name);
            Some(Finding::problem("partition", found, partition.problem?))
        }));
    }
    findings.extend(shared_inbox(&world.setup()).into_iter().filter(InboxTask::is_stuck).map(stays));
    findings.extend(engines(&world.setup()).unwrap_or_default().into_iter().map(engine));
    if args.json {
        print_json(&findings)?;
    } else {
        print(&shown(&findings))?;
    }
    let worst = findings.iter().map(|finding| finding.severity).max();
    Ok(if worst == Some(Severity::Problem) { ExitCode::Failed } else { ExitCode::Done })
}

/// A partition whose engine has a model.
fn engine(state: EngineState) -> Finding {
    let EngineState { partition, engine, usable, .. } = state;
    match usable {
        Ok(uses) => Finding::ok("engine", format!("{partition} runs on {engine}: {uses}")),
        Err(why) => Finding::problem("engine", format!("{partition} cannot run on {engine}"), why),
    }
}

/// A task that nobody takes from the shared inbox.
fn stays(task: InboxTask) -> Finding {
    let found = format!("subconscious/inbox/{} stays", escape_for_display(&task.name));
    Finding::warning("inbox", found, escape_for_display(&task.reason.unwrap_or_default()))
}

pub(super) fn shown(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let mark = match finding.severity {
            Severity::Ok => "ok     ",
            Severity::Warning => "warning",
            Severity::Problem => "PROBLEM",
        };
        let mut lines = finding.found.lines();
        // Writing to a String cannot fail.
        let _ok = writeln!(text, "{mark}  {:<12} {}", finding.about, lines.next().unwrap_or_default());
        for line in lines.chain(finding.advice.as_deref().map(|_| "")).filter(|line| !line.is_empty()) {
            let _ok = writeln!(text, "{:23}{line}", "");
        }
        if let Some(advice) = &finding.advice {
            let _ok = writeln!(text, "{:21}→ {advice}", "");
        }
    }
    let problems = findings.iter().filter(|finding| finding.severity == Severity::Problem).count();
    let warnings = findings.iter().filter(|finding| finding.severity == Severity::Warning).count();
    let _ok = match (problems, warnings) {
        (0, 0) => writeln!(text, "\nAll is well."),
        (0, _) => writeln!(text, "\nIt works; {warnings} to know about."),
        (_, _) => writeln!(text, "\n{problems} to mend."),
    };
    text
}
