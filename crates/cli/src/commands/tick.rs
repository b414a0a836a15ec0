//! `subcortex tick`: one pass now.

use serde_json::json;
use subcortex_cadence::settle::Outcome;
use subcortex_daemon::control::{Answer, Request};
use subcortex_runs::{Ended, RunRecord};

use super::World;
use super::runs::lines_of_runs;
use super::trouble::{about_results, lines_of, stderr_of};
use crate::args::Tick;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print, print_json};
use crate::words::Clock;

pub(crate) fn run(world: &World<'_>, args: &Tick) -> Result<ExitCode, Failure> {
    if let Some(name) = &args.partition {
        world.expect_partition(name)?;
    }
    let answer = world.ask(Request::Tick { partition: args.partition.clone() })?;
    let (ids, refused) = match answer {
        Answer::Ran { runs } => (runs, None),
        Answer::Refused { why } | Answer::NotKept { why } => (Vec::new(), Some(why)),
        Answer::Done
        | Answer::Schedule(_)
        | Answer::Reset { .. }
        | Answer::Decided { .. }
        | Answer::LoopRan(_) => (Vec::new(), None),
    };
    let mut records = Vec::new();
    for id in &ids {
        records.extend(subcortex_runs::find(&*world.disk, &world.home.runs(), id)?);
    }
    if args.json {
        print_json(&json!({ "runs": records.iter().map(RunRecord::summary).collect::<Vec<_>>() }))?;
    } else {
        print(&lines_of_runs(&records, &Clock::here()))?;
        records.iter().for_each(explain);
    }
    if !records.is_empty() {
        return Ok(code_of(&records));
    }
    let paused = world.paused(args.partition.as_deref());
    match (&refused, &paused) {
        (_, Some(paused)) => note(&format!("nothing ran: {paused}; continue with `subcortex resume`")),
        (Some(why), None) => note(&format!("nothing ran: {}", lines_of(why).join("\n  "))),
        (None, None) => note("nothing to do: no worker has a task, and nothing new happened"),
    }
    Ok(match (refused, paused) {
        (_, Some(_)) => ExitCode::Paused,
        (Some(_), None) => ExitCode::NotTerminal,
        (None, None) => ExitCode::Done,
    })
}

/// Why a run is not done, and what helps.
fn explain(record: &RunRecord) {
    if matches!(record.outcome, Ended::As(Outcome::Terminal | Outcome::Paused)) {
        return;
    }
    // The first line stands beside the run already.
    let more = record.reason.as_deref().unwrap_or_default().lines().skip(1).collect::<Vec<_>>().join("\n");
    let about_results = about_results(record).map(str::to_owned);
    for line in lines_of(&more).into_iter().chain(stderr_of(record)).chain(about_results) {
        note(&format!("  {line}"));
    }
    note(&format!("  `subcortex runs show {}` shows all of it", record.run_id));
}

/// The worst run decides.
fn code_of(records: &[RunRecord]) -> ExitCode {
    let codes = records.iter().map(|record| match &record.outcome {
        Ended::As(Outcome::Terminal) => ExitCode::Done,
        Ended::As(Outcome::Partial | Outcome::InvalidOutput) => ExitCode::NotTerminal,
        Ended::As(Outcome::Paused) => ExitCode::Paused,
        Ended::As(Outcome::Refused) => ExitCode::Refused,
        Ended::As(Outcome::Error | Outcome::Timeout)
        | Ended::NotYet
        | Ended::Unreadable
        | Ended::Unknown(_) => ExitCode::Failed,
    });
    codes.max_by_key(|code| u8::from(*code)).unwrap_or(ExitCode::Done)
}
