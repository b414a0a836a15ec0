//! Answers that refused or failed something.

use serde::{Deserialize, Serialize};

use crate::judge::{Field, Need};
use crate::text;

use super::matcher::{Expression, Shared};
use super::sight::{Hit, QUOTE_CHARS, Scene, Sight, position};

/// A tool's answer refused or failed with this text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// Expression on the answer.
    pub text: Expression,
}

impl Sight for Refused {
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit> {
        let failures = scene.facts.failures.iter();
        failures
            .filter_map(|(event, answer)| {
                let found = self.text.find(answer)?;
                let quote = text::window(answer, found.start(), found.end(), QUOTE_CHARS / 2).to_owned();
                Some(Hit { event: *event, at: position(scene.facts, *event), quote })
            })
            .collect()
    }

    fn need(&self) -> Need {
        Need::expression(Field::Failure, Some(&self.text))
    }

    fn in_words(&self) -> String {
        "a refusal".into()
    }

    fn problem(&self) -> Option<String> {
        None
    }

    fn share(&self, shared: &mut Shared) {
        self.text.share(shared);
    }
}
