//! `subcortex runs`: what ran, and what came of it.

use std::fmt::Write as _;

use subcortex_guard::escape_for_display;
use subcortex_runs::RunRecord;

use super::World;
use super::trouble::lines_of;
use crate::args::{Runs, RunsCommand};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::names::RUN;
use crate::output::{print, print_json};
use crate::words::{self, Clock, count};

/// Among how many runs a name is looked for when it is not enough, the newest.
const MAX_SEARCHED: usize = 10_000;

pub(crate) fn run(world: &World<'_>, args: &Runs) -> Result<ExitCode, Failure> {
    match &args.command {
        Some(RunsCommand::Show { id, json }) => show(world, id, *json || args.json),
        None => list(world, args.lines, args.json),
    }
}

fn list(world: &World<'_>, lines: usize, json: bool) -> Result<ExitCode, Failure> {
    let records = subcortex_runs::list(&*world.disk, &world.home.runs(), lines)?;
    if json {
        print_json(&records.iter().map(RunRecord::summary).collect::<Vec<_>>())?;
    } else if records.is_empty() {
        print("nothing has run yet; `subcortex tick` runs every worker that has work\n")?;
    } else {
        world.looks().print(&lines_of_runs(&records, &Clock::here()))?;
    }
    Ok(ExitCode::Done)
}

/// One run a line.
pub(crate) fn lines_of_runs(records: &[RunRecord], clock: &Clock) -> String {
    let rows: Vec<[String; 6]> = records.iter().map(|record| row(record, clock)).collect();
    words::table(&rows)
}

fn row(record: &RunRecord, clock: &Clock) -> [String; 6] {
    let said = record.result.as_deref().or(record.reason.as_deref()).unwrap_or("-");
    let said = said.lines().next().unwrap_or_default();
    let when = record.ended_at.or(record.started_at).map_or("?".into(), |at| clock.time(at));
    [
        record.run_id.clone(),
        record.partition.clone(),
        when,
        words::outcome(&record.outcome).to_owned(),
        tasks(record),
        escape_for_display(said).into_owned(),
    ]
}

/// What became of its tasks.
fn tasks(record: &RunRecord) -> String {
    match (record.acked.len(), record.pending.len()) {
        (0, 0) => "no task".into(),
        (done, 0) => format!("{} done", count(done, "task")),
        (0, kept) => format!("{} kept", count(kept, "task")),
        (done, kept) => format!("{} done, {kept} kept", count(done, "task")),
    }
}

/// Where a file of a cycle is, or what became of it.
fn place(world: &World<'_>, below: Option<&String>) -> String {
    let Some(below) = below else { return "none".into() };
    let path = world.home.root().join(below);
    let gone = if path.exists() { "" } else { " (gone: only the newest cycles are kept)" };
    format!("{}{gone}", escape_for_display(&path.to_string_lossy()))
}

/// Says which runs may be meant, or that there is none.
fn not_one_run(world: &World<'_>, id: &str) -> Result<Failure, Failure> {
    let records = subcortex_runs::list(&*world.disk, &world.home.runs(), MAX_SEARCHED)?;
    let names = records.iter().map(|record| &*record.run_id);
    Ok(match RUN.resolve(id, names) {
        Err(failure) => failure,
        Ok(only) => Failure::refused(format!("there is no run `{id}` any more; did you mean {only}?")),
    })
}

/// Why it is not done, where the line above has no room for all of it.
fn show_reason(text: &mut String, record: &RunRecord) {
    if let Some(took_ms) = record.duration_ms() {
        // Writing to a String cannot fail.
        let _ok = writeln!(text, "  took {}", words::duration(took_ms));
    }
    let reason = record.reason.as_deref().unwrap_or_default();
    let is_told = record.result.is_none() && reason.lines().count() < 2;
    if !is_told && record.tasks.is_empty() {
        lines_of(reason).iter().for_each(|line| text.extend(["  ", line, "\n"]));
    }
}

fn show(world: &World<'_>, id: &str, json: bool) -> Result<ExitCode, Failure> {
    let record = subcortex_runs::find(&*world.disk, &world.home.runs(), id)?;
    let record = match record {
        Some(record) => record,
        None => return Err(not_one_run(world, id)?),
    };
    if json {
        print_json(&record)?;
        return Ok(ExitCode::Done);
    }
    let clock = Clock::here();
    let mut text = lines_of_runs(std::slice::from_ref(&record), &clock);
    show_reason(&mut text, &record);
    // Writing to a String cannot fail.
    for task in &record.tasks {
        let said = lines_of(task.result.as_deref().or(task.reason.as_deref()).unwrap_or("-"));
        let state = if task.acked { "done" } else { "kept" };
        let _ok = writeln!(text, "  {state} {}: {}", escape_for_display(&task.name), said.join("\n      "));
    }
    for path in &record.changed {
        let _ok = writeln!(text, "  changed {}", escape_for_display(path));
    }
    for tool in &record.denied {
        let _ok = writeln!(text, "  denied {}", escape_for_display(tool));
    }
    for exit in &record.exits {
        let whose =
            if exit.task.is_empty() { String::new() } else { format!(" {}", escape_for_display(&exit.task)) };
        let more = exit.why.as_deref().or(exit.saved.as_deref());
        let more = more.map_or(String::new(), |more| format!(": {}", escape_for_display(more)));
        let step = if exit.scratchpad.is_empty() { "scratchpad unchanged" } else { &exit.scratchpad };
        let steps = count(exit.steps as usize, "step");
        let _ok = writeln!(text, "  left{whose} after {steps}, {}; {step}{more}", exit.outcome);
    }
    if let Some(cycle) = &record.cycle {
        let paths =
            [("before", Some(&cycle.before)), ("after", Some(&cycle.after)), ("trace", cycle.trace.as_ref())];
        for (name, path) in paths {
            let _ok = writeln!(text, "  {name:<6} {}", place(world, path));
        }
    }
    if let Some(tokens) = record.tokens {
        let cost = record.cost_usd.map_or(String::new(), |usd| format!(", {usd:.4} USD"));
        let _ok = writeln!(text, "  spent {tokens} tokens{cost}");
    }
    for (title, said) in [("output", &record.output), ("standard error, its end", &record.errors)] {
        if !said.is_empty() {
            let _ok = writeln!(text, "\n{title}:");
            lines_of(said).iter().for_each(|line| text.extend(["  ", line, "\n"]));
        }
    }
    print(&text)?;
    Ok(ExitCode::Done)
}
