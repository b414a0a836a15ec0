//! What is said about a path that holds the wrong kind of thing.

use std::io;
use std::path::{Path, PathBuf};

use crate::shown::Shown;

/// A path holds something else than what the program needs there. It travels inside an [`io::Error`];
/// [`Refusal::within`] finds it again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is {is}, and {needed} is needed there; it was left alone: move it away, or remove it, and try again", Shown(.path))]
pub struct Refusal {
    /// Which path.
    pub path: PathBuf,
    /// What it is, with its article: `a FIFO`.
    pub is: String,
    /// What it should be, with its article: `a regular file`.
    pub needed: &'static str,
}

impl Refusal {
    pub(crate) fn not_a_file(path: &Path, is: &str) -> Refusal {
        Refusal { path: path.to_owned(), is: is.to_owned(), needed: "a regular file" }
    }

    pub(crate) fn not_a_directory(path: &Path, is: &str) -> Refusal {
        Refusal { path: path.to_owned(), is: is.to_owned(), needed: "a directory" }
    }

    /// The refusal inside an error, if that is what the error is.
    #[must_use]
    pub fn within(error: &io::Error) -> Option<&Refusal> {
        error.get_ref()?.downcast_ref()
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> io::Error {
        let kind = match refusal.needed {
            "a directory" => io::ErrorKind::NotADirectory,
            _ => io::ErrorKind::InvalidInput,
        };
        io::Error::new(kind, refusal)
    }
}
