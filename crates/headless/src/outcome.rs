//! What came of an order.

use serde_json::Value;
use subcortex_mind::{FailureKind, Usage};

/// The end of an agent's run. All text in it is from outside, to be checked; `why` and names are safe to show.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentOutcome {
    /// Whether it went well.
    pub ending: AgentEnding,
    /// The last thing that the agent said.
    pub text: String,
    /// The answer that a schema asked for.
    pub structured: Option<Value>,
    /// What it took. Of a run that was ended early, what it had told until then.
    pub usage: Usage,
    /// The model that says it answered.
    pub model: Option<String>,
    /// What it cost, in US dollars, where the CLI says so.
    pub cost_usd: Option<f64>,
    /// How many turns it took.
    pub turns: u32,
    /// The tools that it called and was denied, each once. A run can go well all the same.
    pub denied: Vec<String>,
    /// The subagents that really ran, each once.
    pub subagents: Vec<String>,
    /// The commands that it gave to a shell, as it wrote them.
    pub commands: Vec<String>,
    /// The end of what it wrote to standard error, without secrets.
    pub stderr: String,
    /// Processes of its own that had to be killed at the end.
    pub survivors_killed: u32,
    /// Whether it ended with an error and without a word: it did not accept how it was called, and has done nothing.
    pub is_unheard: bool,
}

impl AgentOutcome {
    /// An order that was refused before anything was started.
    pub(crate) fn refused(why: String) -> Self {
        Self {
            ending: AgentEnding::Failed { kind: FailureKind::Refused, why },
            text: String::new(),
            structured: None,
            usage: Usage::default(),
            model: None,
            cost_usd: None,
            turns: 0,
            denied: Vec::new(),
            subagents: Vec::new(),
            commands: Vec::new(),
            stderr: String::new(),
            survivors_killed: 0,
            is_unheard: false,
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEnding {
    /// The agent finished, and says so in every field.
    Well,
    /// It did not.
    Failed {
        /// In which way.
        kind: FailureKind,
        /// What happened, why, and what to do; safe to show.
        why: String,
    },
    /// The process was ended from outside: by its deadline, a cancellation, or a signal. Never `Exited`.
    Process(subcortex_engine::ProcessEnding),
}
