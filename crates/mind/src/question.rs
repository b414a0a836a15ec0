//! Questions, replies, and the interface between them.

use std::fmt::{self, Debug};
use std::pin::Pin;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who said something in a conversation with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// We, on behalf of a worker.
    Us,
    /// The model.
    Model,
}

/// One piece of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Who.
    pub by: Speaker,
    /// What.
    pub text: String,
}

/// One question to a model. It holds everything that the model knows of the matter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Question {
    /// What the question is for, for the account: `step`, `scratchpad`, `compile`, `judge`, `word`.
    pub purpose: &'static str,
    /// Rules that stand above the conversation.
    pub rules: String,
    /// The conversation; its last piece is ours.
    pub said: Vec<Said>,
    /// The longest answer, in tokens.
    pub max_output_tokens: u32,
    /// The JSON schema of the answer. Where the endpoint can enforce it, it does; whoever asks checks all the same.
    pub schema: Option<Value>,
}

impl Question {
    /// A question that is a single piece of text.
    pub fn new(purpose: &'static str, rules: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            purpose,
            rules: rules.into(),
            said: vec![Said { by: Speaker::Us, text: text.into() }],
            ..Self::default()
        }
    }

    /// How long the question is, in bytes.
    pub fn len_bytes(&self) -> usize {
        self.rules.len() + self.said.iter().map(|said| said.text.len()).sum::<usize>()
    }
}

/// What a question and its answer took, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Read afresh.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Read from the provider's cache.
    pub cache_read: u64,
    /// Put into the provider's cache.
    pub cache_write: u64,
}

impl Usage {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.input
            .saturating_add(self.output)
            .saturating_add(self.cache_read)
            .saturating_add(self.cache_write)
    }

    /// Adds what another question took.
    pub fn add(&mut self, other: &Usage) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
    }
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// The text: from outside, to be checked.
    pub text: String,
    /// The model that says it answered.
    pub model: String,
    /// What it took.
    pub usage: Usage,
    /// What it cost, in US dollars, where the other side says so itself.
    pub cost_usd: Option<f64>,
    /// Whether the answer ended because it got too long.
    pub is_cut: bool,
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The key is missing, wrong or may not do this: a person must act.
    Unauthorized,
    /// The request itself was refused (an unknown model, a wrong address): a person must act.
    Refused,
    /// The other side has too much to do, also after all retries.
    Busy,
    /// Nobody answers there, or the answer breaks off, also after all retries.
    Unreachable,
    /// It took longer than it may.
    TimedOut,
    /// It was answered with something that is no answer, or one that is too long.
    Garbage,
    /// The budget is used up: nothing was asked.
    OverBudget,
    /// The run was ended.
    Cancelled,
}

/// No answer. What was used before it failed is counted all the same.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// What happened, why, and what to do.
    pub message: String,
    /// What was used in vain.
    pub usage: Usage,
}

impl Failure {
    /// A failure that cost nothing.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), usage: Usage::default() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// A question that is being answered.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Result<Reply, Failure>> + Send + 'a>>;

/// Whoever answers questions.
pub trait Mind: Debug + Send + Sync {
    /// The model that will be asked.
    fn model(&self) -> &str;

    /// Whether its replies tell what they cost. Then no price has to be known before it is asked.
    fn tells_cost(&self) -> bool {
        false
    }

    /// Asks. Dropping the future takes the question back: the connection is closed, or the process ended.
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a>;
}

/// The same for code that waits: whoever has a thread of its own.
pub trait AskNow: Debug + Send + Sync {
    /// The model that will be asked.
    fn model(&self) -> &str;

    /// Asks, and waits for the answer.
    fn ask_now(&self, question: &Question) -> Result<Reply, Failure>;
}
