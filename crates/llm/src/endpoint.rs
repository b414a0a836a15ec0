//! Where a model is, as a person wrote it down.

use std::fmt;

/// The longest key, in bytes. A file that was taken for a key by mistake is longer.
pub(crate) const MAX_KEY_BYTES: usize = 1024;

/// Which interface an endpoint speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic's `/v1/messages`.
    Anthropic,
    /// OpenAI's `/v1/chat/completions`, which most local servers speak.
    OpenAiChat,
    /// OpenAI's `/v1/responses`.
    OpenAiResponses,
}

/// A key. It is sent in a header and shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key of visible ASCII characters: what a header can carry.
    ///
    /// # Errors
    /// Why the text can be no key. The error does not hold it.
    pub fn new(text: String) -> Result<Self, KeyProblem> {
        if text.is_empty() {
            return Err(KeyProblem::Empty);
        }
        if text.len() > MAX_KEY_BYTES {
            return Err(KeyProblem::TooLong);
        }
        match text.bytes().position(|byte| !byte.is_ascii_graphic()) {
            Some(at) => Err(KeyProblem::Unfit { at }),
            None => Ok(Self(text)),
        }
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(not shown)")
    }
}

/// Why a text can be no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyProblem {
    /// There is nothing.
    #[error("the key is empty: put the key alone into what `api.key_env` or `api.key_file` names")]
    Empty,
    /// It is a file, perhaps, but no key.
    #[error(
        "the key is longer than {MAX_KEY_BYTES} bytes: what `api.key_env` or `api.key_file` names must hold the key alone"
    )]
    TooLong,
    /// A blank, a line end, a control character or one outside of ASCII.
    #[error(
        "the key holds a blank, a line end or another character that no key has (byte {at}): what `api.key_env` or `api.key_file` names must hold the key alone, on one line"
    )]
    Unfit {
        /// Where, counted in bytes from 0.
        at: usize,
    },
}

/// Where a model is, and how patient to be with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Which interface it speaks.
    pub wire: Wire,
    /// The address, as people write it: `https://api.anthropic.com`, `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// The model's name.
    pub model: String,
    /// The key, if it wants one.
    pub key: Option<Key>,
    /// How often a question is asked again when the failure may pass.
    pub max_retries: u32,
    /// The longest time without a byte from the other side, in milliseconds. How long a question may take in all is for
    /// its asker to say, who drops it then.
    pub silence_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_visible_ascii_and_is_never_shown() {
        let key = Key::new("sk-secret".to_owned()).unwrap();
        assert_eq!(key.reveal(), "sk-secret");
        assert_eq!(format!("{key:?}"), "Key(not shown)");
        for (text, expect) in [
            ("", KeyProblem::Empty),
            ("sk-a\n", KeyProblem::Unfit { at: 4 }),
            ("sk-a\r\nx-evil: 1", KeyProblem::Unfit { at: 4 }),
            ("sk a", KeyProblem::Unfit { at: 2 }),
            ("\u{1b}[2J", KeyProblem::Unfit { at: 0 }),
            ("schlüssel", KeyProblem::Unfit { at: 4 }),
        ] {
            assert_eq!(Key::new(text.to_owned()), Err(expect), "{text:?}");
        }
        let problem = Key::new("k".repeat(MAX_KEY_BYTES + 1)).unwrap_err();
        assert_eq!(problem, KeyProblem::TooLong);
        assert!(!problem.to_string().contains("kk"));
    }
}
