//! Whether a run had tasks, as a record says it.

use serde::{Deserialize, Serialize};
use subcortex_cadence::settle::Mode;

/// Whether a run had tasks. One word in a record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum RunMode {
    /// The record does not say.
    #[default]
    Unsaid,
    /// This way.
    As(Mode),
    /// A word of a later version: it is shown as it is.
    Unknown(String),
}

impl RunMode {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Unsaid => "",
            Self::As(mode) => mode.as_str(),
            Self::Unknown(word) => word,
        }
    }
}

impl From<String> for RunMode {
    fn from(word: String) -> Self {
        match Mode::ALL.into_iter().find(|mode| mode.as_str() == word) {
            Some(mode) => Self::As(mode),
            None if word.is_empty() => Self::Unsaid,
            None => Self::Unknown(word),
        }
    }
}

impl From<RunMode> for String {
    fn from(mode: RunMode) -> Self {
        mode.as_str().to_owned()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_written_as_it_was_read() {
        for word in ["", "directed", "reflective", "of a later version"] {
            let json = serde_json::Value::from(word);
            let read: RunMode = serde_json::from_value(json.clone()).unwrap();
            assert_eq!(serde_json::to_value(read).unwrap(), json);
        }
        assert_eq!(RunMode::from("directed".to_owned()), RunMode::As(Mode::Directed));
    }
}
