//! Why nothing could be recalled.

use subcortex_memory::Trouble;
use subcortex_store::durable::{ReadError, WriteError};

/// Why nothing could be recalled.
#[derive(Debug, thiserror::Error)]
pub enum RecallError {
    /// A file of the memory.
    #[error(transparent)]
    Memory(#[from] Trouble),
    /// The spine.
    #[error(transparent)]
    Spine(#[from] subcortex_spine::ReadError),
    /// The index could not be written.
    #[error("the index cannot be kept: {0}")]
    Write(#[from] WriteError),
    /// The index could not be read.
    #[error("the index cannot be read: {0}")]
    Read(#[from] ReadError),
    /// The index could not be locked or listed.
    #[error("the index in {} cannot be used ({source}): check its permissions", path.display())]
    Io {
        /// Which path.
        path: std::path::PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The index is not what was written, and was so again when it had been made anew.
    #[error(
        "the index in {} is damaged ({why}) and was so again after it had been made anew: look at the disk",
        path.display()
    )]
    Damaged {
        /// Which folder.
        path: std::path::PathBuf,
        /// In what way.
        why: &'static str,
    },
    /// There is no word to look for.
    #[error("there is nothing to look for: `{0}` holds no word that says what it is about")]
    NoWords(String),
}
