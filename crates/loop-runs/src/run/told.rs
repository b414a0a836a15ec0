//! What is gathered while a run goes on, for whoever wants to know about it later.

use subcortex_loops::report::EngineReport;
use subcortex_loops::state::{Item, LoopState};
use subcortex_usage::Sum;

/// Everything that a run leaves, but how it ended.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The state as it was read: its bytes, and what they say.
    pub(crate) read: Option<(Vec<u8>, LoopState)>,
    /// The item that was worked on.
    pub(crate) item: Option<Item>,
    /// What the engine reported.
    pub(crate) report: Option<EngineReport>,
    /// All that it said.
    pub(crate) output: String,
    /// What it said on standard error.
    pub(crate) errors: String,
    /// Output tokens.
    pub(crate) tokens: u64,
    /// What it spent, by the account.
    pub(crate) spent: Option<Sum>,
    /// Tools that it wanted and did not get.
    pub(crate) denied: Vec<String>,
    /// Processes that it left behind.
    pub(crate) survivors_killed: u32,
    /// The files that it changed.
    pub(crate) changed: Vec<String>,
    /// Which gates it passed.
    pub(crate) gates: Vec<bool>,
    /// What a person should know although it went well.
    pub(crate) note: Option<String>,
}
