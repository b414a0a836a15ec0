//! Names of threads, which become names of files and of keys on a server.

use std::fmt;

use subcortex_guard::Redactor;

use crate::limits::{Malformed, shown};

/// The longest id, in bytes.
const MAX_THREAD_BYTES: usize = 128;

/// The name of one thread: letters, digits, `-`, `_` and single dots between them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(String);

impl ThreadId {
    /// Takes a name that is safe as a file name and as a key.
    pub fn new(text: &str) -> Result<Self, Malformed> {
        let is_fine = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let is_safe = !text.is_empty() && text.len() <= MAX_THREAD_BYTES && text.chars().all(is_fine);
        if !is_safe || text.starts_with(['.', '-']) || text.ends_with('.') || text.contains("..") {
            return Err(Malformed::ThreadId { shown: shown(text), max_bytes: MAX_THREAD_BYTES });
        }
        // It becomes the name of a file, which is never redacted.
        if *Redactor::new().text(text) != *text {
            return Err(Malformed::SecretName);
        }
        Ok(Self(text.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_no_name_for_a_thread() {
        let error = ThreadId::new("ghp_0123456789abcdefghijABCDEFGHIJ456789").unwrap_err();
        assert!(!error.to_string().contains("ghp_"), "{error}");
    }

    #[test]
    fn an_id_can_neither_leave_its_folder_nor_its_key() {
        for good in ["t", "research-1", "2026.11_a"] {
            assert_eq!(ThreadId::new(good).unwrap().as_str(), good);
        }
        let long = "x".repeat(129);
        for bad in [
            "", ".", "..", "a/b", "../x", "a..b", ".a", "a.", "-a", "a b", "a\n", "a\0", "ä", "a}b", "a:b",
            &long,
        ] {
            assert!(ThreadId::new(bad).is_err(), "{bad}");
        }
    }
}
