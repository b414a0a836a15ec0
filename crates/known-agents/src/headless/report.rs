//! What an agent's program reported.

use serde_json::Value;
use subcortex_mind::{FailureKind, Usage};

/// What an agent reported. All text in it is from outside.
#[derive(Debug, Default)]
pub struct Report {
    /// Why it did not go well; `None` if every field says that it did.
    pub failure: Option<(FailureKind, String)>,
    /// The last thing that the agent said.
    pub text: String,
    /// The answer that a schema asked for.
    pub structured: Option<Value>,
    /// What it took.
    pub usage: Usage,
    /// The model that says it answered.
    pub model: Option<String>,
    /// What it cost, in US dollars.
    pub cost_usd: Option<f64>,
    /// How many turns it took.
    pub turns: u32,
    /// The tools that it called and was denied, each once.
    pub denied: Vec<String>,
    /// The subagents that really ran, each once.
    pub subagents: Vec<String>,
    /// The commands that it gave to a shell, as it wrote them.
    pub commands: Vec<String>,
}
