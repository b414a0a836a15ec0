//! Fake secrets in real formats, and the places in which secrets are met.
//!
//! No secret stands here: kinds are templates, and bodies are drawn from a seed when a test runs.

// Each test file uses its own part of this, and what fails here fails the test.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub(crate) mod draw;
pub(crate) mod formed;
pub(crate) mod key_formats;
pub(crate) mod named;
pub(crate) mod placed;
pub(crate) mod shown;

use draw::Draw;

/// One secret in one place.
pub(crate) struct Case {
    /// What sort of secret.
    pub(crate) kind: &'static str,
    /// Where it stands.
    pub(crate) place: &'static str,
    /// The text as it would arrive.
    pub(crate) text: String,
    /// What must not be left of it.
    pub(crate) secrets: Vec<String>,
}

/// How much of a secret may be left in one piece, in bytes, before it counts as leaked.
const LEAK_MIN_BYTES: usize = 10;

impl Case {
    /// Whether a part of the secret is still in the text.
    pub(crate) fn is_leaked_by(&self, clean: &str) -> bool {
        self.is_leaked_as(clean, str::to_owned)
    }

    /// The same, for a text that shows each part of the secret in another way.
    pub(crate) fn is_leaked_as(&self, clean: &str, shown: fn(&str) -> String) -> bool {
        self.secrets.iter().any(|secret| {
            let pieces = secret.as_bytes().windows(secret.len().min(LEAK_MIN_BYTES));
            pieces
                .filter_map(|piece| std::str::from_utf8(piece).ok())
                .any(|piece| clean.contains(&shown(piece)))
        })
    }
}

/// All cases that a seed gives.
pub(crate) fn cases(seed: u64) -> Vec<Case> {
    let mut draw = Draw::seeded(seed);
    let mut cases = formed::cases(&mut draw);
    cases.extend(named::cases(&mut draw));
    cases.extend(placed::cases(&mut draw));
    cases
}

/// A text as it stands inside a JSON string.
pub(crate) fn escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted[1..quoted.len() - 1].to_owned()
}

/// A text as it stands in the query of an address.
pub(crate) fn percent_encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}
