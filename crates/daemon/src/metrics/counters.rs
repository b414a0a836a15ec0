//! What a daemon counts while it lives.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use subcortex_cadence::Fact;

/// Counted since the daemon started: a new one begins at zero, as everybody expects who reads counters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Ticks that began.
    pub ticks: u64,
    /// Ticks that passed while nobody looked: suspend, or a machine that was too busy.
    pub missed_ticks: u64,
    /// By how much the last tick was late.
    pub last_late_ms: u64,
    /// By how much all ticks together were late.
    pub late_ms: u64,
    /// Runs, by partition.
    pub runs: BTreeMap<String, RunCounters>,
}

/// The runs of one partition.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunCounters {
    /// How many came to what.
    pub outcomes: BTreeMap<String, u64>,
    /// How long all of them took.
    pub took_ms: u64,
}

impl Counters {
    /// Takes in what the scheduler says happened.
    pub(crate) fn note(&mut self, fact: &Fact) {
        match fact {
            Fact::TickStarted { missed_ticks, late_ms, .. } => {
                self.ticks += 1;
                self.missed_ticks += missed_ticks;
                self.last_late_ms = *late_ms;
                self.late_ms += late_ms;
            }
            Fact::RunEnded { partition, outcome, took_ms, .. } => {
                let runs = self.runs.entry(partition.to_string()).or_default();
                *runs.outcomes.entry(outcome.as_str().to_owned()).or_default() += 1;
                runs.took_ms += took_ms.unwrap_or(0);
            }
            Fact::TickAskedFor { .. }
            | Fact::PartitionSkipped { .. }
            | Fact::RunStarted { .. }
            | Fact::RunEnding { .. }
            | Fact::RunOverdue { .. }
            | Fact::RunNotStarted { .. }
            | Fact::RunLost { .. }
            | Fact::LateResultDropped { .. }
            | Fact::TaskKept { .. }
            | Fact::TaskHeld { .. }
            | Fact::BackedOff { .. }
            | Fact::ClockJumped { .. }
            | Fact::KillSwitchTurned { .. }
            | Fact::Ignored { .. } => {}
        }
    }
}
