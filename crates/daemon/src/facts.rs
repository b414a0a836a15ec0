//! The scheduler's facts as lines of the log, and a few of them as events.

use serde_json::{Value, json};
use subcortex_cadence::settle::Outcome;
use subcortex_cadence::{Cause, EndReason, Fact, Readiness};
use tracing::{debug, info, warn};

use crate::edge::timestamp;

/// Writes one line. `INFO` is the story of a tick, `WARN` that something was kept for later.
pub(crate) fn log(fact: &Fact) {
    match fact {
        Fact::TickStarted { tick, missed_ticks, late_ms, counts } => info!(
            tick = tick.0,
            missed = missed_ticks,
            late_ms,
            running = counts.running,
            waiting = counts.waiting,
            resting = counts.resting,
            idle = counts.idle,
            paused = counts.paused,
            disabled = counts.disabled,
            "tick"
        ),
        Fact::TickAskedFor { tick } => info!(tick = tick.0, "tick asked for"),
        Fact::PartitionSkipped { partition, reason: reason @ Readiness::Cooling { ready_at_tick } } => {
            info!(%partition, reason = reason.word(), ready_at_tick = ready_at_tick.0, "partition skipped");
        }
        Fact::PartitionSkipped { partition, reason: reason @ Readiness::NothingToDo } => {
            debug!(%partition, reason = reason.word(), "partition skipped");
        }
        Fact::PartitionSkipped { partition, reason } => {
            info!(%partition, reason = reason.word(), "partition skipped");
        }
        Fact::RunStarted { run, partition, tick, cause, tasks, max_duration_ms } => {
            info!(tick = tick.0, %run, %partition, cause = cause_word(*cause), tasks, max_duration_ms, "run started");
        }
        Fact::RunEnding { run, partition, reason } => {
            warn!(%run, %partition, reason = ending_word(*reason), "run ending");
        }
        Fact::RunOverdue { run, partition, waiting_ms } => warn!(%run, %partition, waiting_ms, "run overdue"),
        Fact::RunEnded { run, partition, outcome, reason, acked, kept, took_ms } => {
            let reason = reason.as_deref().unwrap_or("-");
            let took_ms = took_ms.unwrap_or(0);
            if *outcome == Outcome::Terminal {
                info!(%run, %partition, outcome = outcome.as_str(), acked, kept, took_ms, "run ended");
            } else {
                warn!(%run, %partition, outcome = outcome.as_str(), acked, kept, took_ms, reason, "run ended");
            }
        }
        Fact::RunNotStarted { run, partition, reason } => warn!(%run, %partition, %reason, "run not started"),
        Fact::RunLost { run, partition } => warn!(%run, %partition, "run lost"),
        Fact::LateResultDropped { run, partition, task } => {
            warn!(%run, %partition, task = %task.name, "late result dropped");
        }
        Fact::TaskKept { partition, task, attempts, reason } => {
            warn!(%partition, task = %task.name, attempts, reason = reason.as_deref().unwrap_or("-"), "task kept");
        }
        Fact::TaskHeld { partition, task, attempts, reason } => {
            warn!(%partition, task = %task.name, attempts, reason = reason.as_deref().unwrap_or("-"), "task held");
        }
        Fact::BackedOff { partition, until } => {
            warn!(%partition, until = %format_args!("{:.3}", timestamp(*until)), "backing off");
        }
        Fact::ClockJumped { by_ms } => warn!(by_ms, "clock jumped"),
        Fact::KillSwitchTurned { partition, set } => {
            let whose = partition.as_ref().map_or("all", |partition| partition.as_str());
            warn!(partition = whose, set, "kill switch turned");
        }
        Fact::Ignored { what, partition } => warn!(what, %partition, "ignored"),
    }
}

/// The facts that are events too: others may want to know of them later.
pub(crate) fn event(fact: &Fact) -> Option<(&'static str, Value)> {
    match fact {
        Fact::KillSwitchTurned { partition, set } => {
            let what = if *set { "kill_switch.set" } else { "kill_switch.lifted" };
            Some((what, json!({ "partition": partition })))
        }
        Fact::TaskHeld { partition, task, attempts, reason } => Some((
            "task.held",
            json!({ "partition": partition, "task": task.name, "attempts": attempts, "reason": reason }),
        )),
        Fact::RunLost { run, partition } => {
            Some(("run.lost", json!({ "run_id": run, "partition": partition })))
        }
        Fact::TickStarted { .. }
        | Fact::TickAskedFor { .. }
        | Fact::PartitionSkipped { .. }
        | Fact::RunStarted { .. }
        | Fact::RunEnding { .. }
        | Fact::RunOverdue { .. }
        | Fact::RunEnded { .. }
        | Fact::RunNotStarted { .. }
        | Fact::LateResultDropped { .. }
        | Fact::TaskKept { .. }
        | Fact::BackedOff { .. }
        | Fact::ClockJumped { .. }
        | Fact::Ignored { .. } => None,
    }
}

fn cause_word(cause: Cause) -> &'static str {
    match cause {
        Cause::Asked => "asked",
        Cause::Tasks => "tasks",
        Cause::Events => "events",
        Cause::Files => "files",
        Cause::MoreToDo => "more to do",
        Cause::Waited => "waited",
        Cause::Tick => "tick",
    }
}

fn ending_word(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Deadline => "deadline",
        EndReason::Paused => "paused",
        EndReason::Stopping => "stopping",
        EndReason::PartitionGone => "partition gone",
    }
}
