//! How a type's own check refuses a value, so that the message gets its position and its key.

use std::fmt;

/// The reason that a `Deserialize` or `TryFrom` gives for refusing a value.
///
/// The reader puts it behind the key, the value and the position: a refusal of `it must be at least 1000`
/// becomes `cadence.interval_ms is 10 at FILE:3:16, but it must be at least 1000 (milliseconds)`. The unit
/// comes from the key's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    why: String,
    example: Option<String>,
}

/// Between reason and example in the one string that serde carries. Reasons are our own words, so the
/// character cannot be in one.
const EXAMPLE_FOLLOWS: char = '\u{1f}';

impl Refusal {
    /// Refuses a value; `why` is a sentence about it: `it must be at least 1000`.
    pub fn new(why: impl Into<String>) -> Refusal {
        Refusal { why: why.into(), example: None }
    }

    /// Adds a value that would have been taken; the hint shows it behind the key.
    pub fn example(mut self, value: impl fmt::Display) -> Refusal {
        self.example = Some(value.to_string());
        self
    }

    /// The reason and the example, from the text that came through serde.
    pub(crate) fn parts(carried: &str) -> (&str, Option<&str>) {
        match carried.split_once(EXAMPLE_FOLLOWS) {
            Some((why, example)) => (why, Some(example)),
            None => (carried, None),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.why)?;
        match &self.example {
            Some(example) => write!(out, "{EXAMPLE_FOLLOWS}{example}"),
            None => Ok(()),
        }
    }
}
