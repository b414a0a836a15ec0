//! What a run came to, as a record says it.

use std::fmt;

use serde::{Deserialize, Serialize};
use subcortex_cadence::settle::Outcome;

/// What a run came to. One word in a record; none while it runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Ended {
    /// It has not ended.
    #[default]
    NotYet,
    /// It came to this.
    As(Outcome),
    /// Its record cannot be read.
    Unreadable,
    /// A word of a later version: it is shown as it is.
    Unknown(String),
}

impl Ended {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::NotYet => "",
            Self::As(outcome) => outcome.as_str(),
            Self::Unreadable => UNREADABLE,
            Self::Unknown(word) => word,
        }
    }
}

/// The word for a record that cannot be read.
const UNREADABLE: &str = "unreadable";

impl From<String> for Ended {
    fn from(word: String) -> Self {
        let is = |outcome: &Outcome| outcome.as_str() == word;
        match Outcome::ALL.into_iter().find(is) {
            Some(outcome) => Self::As(outcome),
            None if word.is_empty() => Self::NotYet,
            None if word == UNREADABLE => Self::Unreadable,
            None => Self::Unknown(word),
        }
    }
}

impl From<Ended> for String {
    fn from(ended: Ended) -> Self {
        ended.as_str().to_owned()
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.as_str())
    }
}
