//! What an agent is told to do.

use std::path::PathBuf;

use serde_json::Value;

use super::PermissionMode;

/// One piece of work for an agent.
#[derive(Debug, Clone)]
pub struct Order {
    /// The run it belongs to.
    pub run_id: String,
    /// Its own working directory: absolute, and the only place that its file tools may change.
    pub cwd: PathBuf,
    /// What it is asked. Taken as it is: no command of the agent's, no mention of a file is carried out.
    pub prompt: String,
    /// The model; `None` leaves the choice to the CLI.
    pub model: Option<String>,
    /// The tools it may use, as Claude Code names them (`Read`, `Write`, `Bash(git log:*)`). None means no tools at all.
    pub tools: Vec<String>,
    /// How many turns it may take.
    pub max_turns: u32,
    /// How much it may cost, in US dollars.
    pub max_usd: Option<f64>,
    /// How many tokens it may write in all. A program that keeps no such limit tells while it works what it has written.
    pub max_output_tokens: Option<u64>,
    /// A line for `sh` that is asked before each command that the agent gives to a shell, where its program knows how: the
    /// call as JSON on standard input, and any exit code but 0 denies it.
    pub gatekeeper: Option<String>,
    /// The JSON schema of its answer.
    pub schema: Option<Value>,
    /// A folder with definitions of subagents (`*.md`: name, description, tools, model, and what it is told). A folder that
    /// is not there holds none.
    pub subagents: Option<PathBuf>,
    /// Further directories that it may read.
    pub readable: Vec<PathBuf>,
    /// Further directories that its file tools may change; absolute.
    pub changeable: Vec<PathBuf>,
    /// What it may do without asking.
    pub mode: PermissionMode,
    /// The folders below which it and its programs may change files, kept by the kernel; `None`: wherever its user may.
    pub writable: Option<Vec<PathBuf>>,
    /// How long it may take, in milliseconds.
    pub max_duration_ms: u64,
}
