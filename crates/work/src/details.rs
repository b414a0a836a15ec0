//! What a run tells.

use subcortex_cadence::TaskKey;
use subcortex_runs::{CycleRecord, Evidence, ExitRecord};
use subcortex_usage::Sum;
use tokio::sync::oneshot;

/// What a run tells the scheduler's edge.
#[derive(Debug)]
pub struct Report {
    /// What happened.
    pub what: subcortex_edge::Report<Details>,
    /// Dropped when the task is settled: whoever holds the other end goes on after the ack.
    pub settled: Option<oneshot::Sender<()>>,
}

/// What people want to know of a piece of work besides how it ended.
#[derive(Debug, Default, Clone)]
pub struct Details {
    /// The task and its body, redacted.
    pub task: Option<(TaskKey, String)>,
    /// The output, redacted and bounded.
    pub output: String,
    /// What it said on standard error, redacted and bounded.
    pub stderr: String,
    /// Files below `memory/` that really changed.
    pub changed: Vec<String>,
    /// Processes that had to be killed because the engine left them behind.
    pub survivors_killed: u32,
    /// The subagents that were sent out.
    pub subagents: Vec<String>,
    /// The evidence by line of the broadcast.
    pub evidence: Vec<Evidence>,
    /// What a scan of the spine says of itself.
    pub scan: Option<serde_json::Value>,
    /// The edits of the broadcast that were made.
    pub edits: Vec<EditMade>,
    /// Tools that a model wanted and did not get.
    pub denied: Vec<String>,
    /// How workers with a model left, and what became of their scratchpads.
    pub exits: Vec<ExitRecord>,
    /// Where the snapshots and the trace of the run's cycle are.
    pub cycle: Option<CycleRecord>,
    /// What was spent on a model; nothing where there is none.
    pub spent: Option<Sum>,
}

/// An edit of the broadcast, for the log and the spine: no words of the memory.
#[derive(Debug, Clone)]
pub struct EditMade {
    /// Its name.
    pub id: String,
    /// How many changes it holds.
    pub changes: usize,
}
