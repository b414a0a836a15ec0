//! `subcortex tick`: one pass now.

use serde_json::json;
use subcortex_cadence::settle::Outcome;
use subcortex_daemon::control::{Answer, Request};
use subcortex_runs::{Ended, RunRecord};

use super::World;
use super::runs::line;
use crate::args::Tick;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print, print_json};

pub(crate) fn run(world: &World<'_>, args: Tick) -> Result<ExitCode, Failure> {
    if let Some(name) = &args.partition {
        world.expect_partition(name)?;
    }
    let answer = world.ask(Request::Tick { partition: args.partition })?;
    let (ids, refused) = match answer {
        Answer::Ran { runs } => (runs, None),
        Answer::Refused { why } => (Vec::new(), Some(why)),
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
        print(&records.iter().map(line).collect::<String>())?;
    }
    if let Some(why) = refused {
        note(&format!("nothing ran: {why}"));
        return Ok(if why.ends_with("paused") { ExitCode::Paused } else { ExitCode::NotTerminal });
    }
    if records.is_empty() {
        let paused = world.disk.stat(&world.home.kill_switch()).is_ok();
        note(if paused { "nothing ran: paused" } else { "nothing to do" });
        return Ok(if paused { ExitCode::Paused } else { ExitCode::Done });
    }
    Ok(code_of(&records))
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
