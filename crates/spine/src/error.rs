//! What can go wrong with the spine, in words for whoever has to do something about it.

use std::io;
use std::path::{Path, PathBuf};

use subcortex_guard::shown_path;
use subcortex_store::durable;

/// Why an append did not happen. Nothing of the batch is on the spine.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The type or the source kind cannot be used.
    #[error("the event's {what} cannot be used: {problem}")]
    BadWord {
        /// Which of the two.
        what: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// One record would be longer than any reader accepts.
    #[error("the event is {len} bytes long, and the limit is {max}; cut its payload before handing it over")]
    TooLarge {
        /// Its length in bytes.
        len: usize,
        /// The limit in bytes.
        max: usize,
    },
    /// The payload cannot be written as JSON.
    #[error("the event cannot be written as JSON: {source}")]
    Encode {
        /// What the encoder said.
        source: serde_json::Error,
    },
    /// Another process holds the lock and does not let go.
    #[error(
        "the spine is busy: another process has held `{}` for {waited_ms} ms; is it stopped or stuck?",
        shown_path(path)
    )]
    Busy {
        /// The lock file.
        path: PathBuf,
        /// How long this process waited.
        waited_ms: u64,
    },
    /// The write failed, and what it left was taken back or will be repaired.
    #[error(transparent)]
    Write(#[from] durable::AppendError),
    /// A file could not be replaced; it is as it was.
    #[error(transparent)]
    Replace(#[from] durable::WriteError),
    /// A sync failed, now or before, so nobody knows what is on the disk.
    #[error(transparent)]
    Sync(#[from] durable::SyncError),
    /// The file system refused.
    #[error("cannot {action} `{}`: {source}; {}", shown_path(path), advice(source))]
    Io {
        /// What was tried.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl AppendError {
    /// Whether storage failed, rather than the event being refused.
    pub fn is_storage(&self) -> bool {
        matches!(
            self,
            Self::Io { .. } | Self::Write(_) | Self::Replace(_) | Self::Sync(_) | Self::Busy { .. }
        )
    }

    /// Whether a sync failed: the process must stop, because a later success would prove nothing.
    pub fn is_poisoned(&self) -> bool {
        matches!(self, Self::Sync(durable::SyncError::Failed { .. } | durable::SyncError::Poisoned { .. }))
    }

    /// The path is copied only when there is an error: this stands in loops over very many lines.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }
}

impl From<ReadError> for AppendError {
    fn from(error: ReadError) -> Self {
        let ReadError::Io { action, path, source } = error;
        Self::Io { action, path, source }
    }
}

/// Why the spine could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file system refused.
    #[error("cannot {action} `{}`: {source}; {}", shown_path(path), advice(source))]
    Io {
        /// What was tried.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl ReadError {
    /// The path is copied only when there is an error: this stands in loops over very many lines.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }
}

#[allow(clippy::wildcard_enum_match_arm)] // the system knows many more
/// What a person can do about an error of the file system: the spine lies in a home, and a home has its own ways out.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "does the home belong to the user who runs this?",
        io::ErrorKind::NotFound => "`subcortex init` makes what is missing",
        _ => subcortex_store::advice(error),
    }
}
