//! A fragment: one piece of evidence, about one line or about none.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_checks::{Activation, RootCause};
use subcortex_model::EventId;

use crate::LineHash;

/// How many hexadecimal digits of the identity stand in the file name.
const NAME_DIGITS: usize = 16;

/// What a piece of evidence says about its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Trajectory {
    /// Its occasion arose, and it was followed.
    Strengthening,
    /// It was not followed, or had to be corrected.
    Weakening,
    /// Touched, but nobody can tell.
    Neutral,
    /// Something durable that no line says.
    NewSignal,
}

impl Trajectory {
    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Strengthening => "STRENGTHENING",
            Self::Weakening => "WEAKENING",
            Self::Neutral => "NEUTRAL",
            Self::NewSignal => "NEW_SIGNAL",
        }
    }

    /// Whether the line took effect, where nothing else was seen.
    pub fn usual_activation(self) -> Activation {
        match self {
            Self::Strengthening => Activation::Activated,
            Self::Weakening => Activation::Missed,
            Self::Neutral | Self::NewSignal => Activation::Waiting,
        }
    }

    /// Whether evidence of this kind can say so. A line that was followed and misled is activated and weakened.
    pub fn allows(self, activation: Activation) -> bool {
        activation == self.usual_activation()
            || (self == Self::Weakening && activation == Activation::Activated)
    }
}

/// Why a piece of evidence is worth keeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignalKind {
    /// A person says that something was wrong.
    Correction,
    /// How a person likes something to be.
    Preference,
    /// An order that is to last.
    StandingInstruction,
    /// Something with a name that comes up again.
    Entity,
    /// A subject that comes up again.
    Topic,
    /// A way of doing something that comes up again.
    Workflow,
    /// A file or a product that comes up again.
    Artifact,
    /// A line did its work.
    LineHelped,
    /// A line did not.
    LineFailed,
    /// A line was asked about, and there was nothing to see.
    Coverage,
}

impl SignalKind {
    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Correction => "correction",
            Self::Preference => "preference",
            Self::StandingInstruction => "standing_instruction",
            Self::Entity => "entity",
            Self::Topic => "topic",
            Self::Workflow => "workflow",
            Self::Artifact => "artifact",
            Self::LineHelped => "line_helped",
            Self::LineFailed => "line_failed",
            Self::Coverage => "coverage",
        }
    }

    /// Whether it is a person's own wish.
    pub fn is_a_wish(self) -> bool {
        matches!(self, Self::Correction | Self::Preference | Self::StandingInstruction)
    }
}

/// Whose words or deeds the evidence is. Only a person's own words can bring a line into the broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A person said it.
    Person,
    /// A person said it, as far as a text tells that somebody else could have written.
    Hearsay,
    /// An agent said or did it.
    Agent,
    /// A tool answered it: output, a fetched page, the content of a file.
    Tool,
}

impl Origin {
    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Hearsay => "hearsay",
            Self::Agent => "agent",
            Self::Tool => "tool",
        }
    }
}

/// Who decided what a piece of evidence says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JudgedBy {
    /// The check of the line.
    #[default]
    Check,
    /// A model, because the check left it open, or because it heard a wish.
    Model,
    /// A person's words about the line.
    Person,
}

/// The line that a piece of evidence is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineRef {
    /// Its number when the evidence was found.
    pub number: usize,
    /// Its identity.
    pub hash: LineHash,
}

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// The event that it quotes.
    pub source_event_id: EventId,
    /// When that happened.
    pub source_ts: Timestamp,
    /// Who handed that event over.
    pub source_kind: String,
    /// The conversation.
    pub session_key: Option<String>,
    /// The type of the event.
    pub event_type: String,
    /// The project directory it happened in.
    pub project: Option<String>,
    /// Why it is kept.
    pub signal: SignalKind,
    /// The line that it is about; none for a new signal.
    pub line: Option<LineRef>,
    /// What it says about the line.
    pub trajectory: Trajectory,
    /// Whether the line took effect.
    pub activation: Activation,
    /// Why the line failed, where the turn shows it.
    pub root_cause: Option<RootCause>,
    /// Whose words or deeds it is.
    pub origin: Origin,
    /// Who decided what it says.
    pub judged_by: JudgedBy,
    /// The rule that a model made of a person's wish. It rests on the quote, or it is not used.
    pub rule: Option<String>,
    /// Verbatim from the event.
    pub quote: String,
    /// How it was understood, in a sentence.
    pub note: String,
    /// Dossiers that it concerns.
    pub pointers: Vec<String>,
}

/// In what way a fragment breaks the contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// Not a fragment at all.
    #[error("{0}")]
    Unreadable(String),
    /// A field is missing.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A field has a value that it cannot have.
    #[error("`{field}` is `{value}`, which is none of its values")]
    Value {
        /// Which field.
        field: &'static str,
        /// What it says.
        value: String,
    },
    /// Two fields contradict each other.
    #[error("{0}")]
    Contradiction(&'static str),
}

impl Fragment {
    /// Whether the check of its line alone decided: then it counts only as long as that check is trusted.
    pub fn is_by_check(&self) -> bool {
        // Older fragments do not say that a person's words decided.
        let is_said = self.origin == Origin::Person && self.signal.is_a_wish();
        self.judged_by == JudgedBy::Check && !is_said
    }

    /// The day folder and the file that it belongs in, below `fragments/`. The same event, signal, line and trajectory
    /// always have the same name, and each wish that a model hears has its own.
    pub fn file(&self) -> String {
        let line = self.line.as_ref().map_or("none", |line| line.hash.as_str());
        let identity = [self.source_event_id.as_str(), self.signal.as_str(), line, self.trajectory.as_str()];
        // A model may hear several wishes in one message.
        let is_heard = self.judged_by == JudgedBy::Model && self.trajectory == Trajectory::NewSignal;
        let wish = is_heard.then_some(self.quote.as_str());
        let mut hasher = blake3::Hasher::new();
        for part in identity.into_iter().chain(wish) {
            hasher.update(part.as_bytes());
            hasher.update(&[0]);
        }
        let digits = hasher.finalize().to_hex();
        let time = self.source_ts.strftime("%Y-%m-%d/%H%M%S");
        let word = self.trajectory.as_str().to_lowercase().replace('_', "-");
        format!("{time}-{word}-{}.md", digits.get(..NAME_DIGITS).unwrap_or_default())
    }

    /// Holds the fragment against the contract.
    pub fn validate(&self) -> Result<(), Broken> {
        let contradiction = |what| Err(Broken::Contradiction(what));
        match (self.trajectory, &self.line) {
            (Trajectory::NewSignal, Some(_)) => {
                return contradiction("a NEW_SIGNAL has `claude_md_ref: none` and no `source_line`");
            }
            (Trajectory::Strengthening | Trajectory::Weakening | Trajectory::Neutral, None) => {
                return contradiction(
                    "evidence about a line needs `claude_md_ref`, `source_line` and `source_line_hash`",
                );
            }
            (_, Some(line)) if line.number == 0 => return contradiction("lines are counted from 1"),
            _ => {}
        }
        if !self.trajectory.allows(self.activation) {
            return contradiction("`activation` does not fit `trajectory`");
        }
        if self.root_cause.is_some() && self.trajectory != Trajectory::Weakening {
            return contradiction("`root_cause` belongs to WEAKENING only");
        }
        if self.rule.is_some() && !self.signal.is_a_wish() {
            return contradiction("`rule` belongs to a person's wish only");
        }
        if self.source_event_id.as_str().is_empty() {
            return Err(Broken::Missing("source_event_id"));
        }
        if self.quote.trim().is_empty() {
            return Err(Broken::Missing("Evidence:"));
        }
        if self.note.trim().is_empty() {
            return Err(Broken::Missing("Effectiveness note:"));
        }
        Ok(())
    }
}
