//! What can go wrong with an inbox.

use std::io;
use std::path::PathBuf;

use subcortex_guard::{NameProblem, shown_path};
use subcortex_store::durable::{ReadError, WriteError};

use crate::MAX_TASK_BYTES;

/// Why something was not done to an inbox.
#[derive(Debug, thiserror::Error)]
pub enum InboxError {
    /// The name cannot be that of a file in a directory.
    #[error(transparent)]
    Name(#[from] NameProblem),
    /// The name is one that nobody would ever take for a task.
    #[error(
        "the name `{shown}` begins with a dot or ends in `.tmp`, and such files are ignored in an inbox; use another name"
    )]
    Ignored {
        /// The name, safe to show.
        shown: String,
    },
    /// The body is longer than a task may be.
    #[error(
        "the task has {len_bytes} bytes, and at most {MAX_TASK_BYTES} are taken: put the text into a file and name its path in the task"
    )]
    TooLarge {
        /// How long it is.
        len_bytes: u64,
    },
    /// The file changes again and again while it is read.
    #[error("`{shown}` is being written to right now; try again when its writer is done")]
    Changing {
        /// The name, safe to show.
        shown: String,
    },
    /// It could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It could not be written, moved or removed.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The directory or one of its entries could not be looked at.
    #[error(
        "the inbox `{}` could not be looked at ({source}): check that it is a directory you may read",
        shown_path(path)
    )]
    Look {
        /// Which path.
        path: PathBuf,
        /// How it failed.
        source: io::Error,
    },
    /// A task that is finished could not be removed.
    #[error(
        "the finished task `{}` could not be removed ({source}): check that you may change its directory; its result is on record, and it will not be worked on again",
        shown_path(path)
    )]
    Remove {
        /// Which file.
        path: PathBuf,
        /// How it failed.
        source: io::Error,
    },
    /// A removal happened, or had happened, but a power cut could still undo it.
    #[error(
        "the inbox `{}` could not be synced ({source}): the removal of a task may come undone by a power cut; repeat it",
        shown_path(path)
    )]
    Sync {
        /// Which directory.
        path: PathBuf,
        /// How it failed.
        source: io::Error,
    },
}

impl InboxError {
    /// Whether the reason is a name that is taken already.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        matches!(self, InboxError::Write(WriteError::Exists { .. }))
    }

    /// Whether what was given is at fault, and not the disk: for the choice of an exit code.
    #[must_use]
    pub fn is_refused_input(&self) -> bool {
        match self {
            InboxError::Name(_) | InboxError::Ignored { .. } | InboxError::TooLarge { .. } => true,
            InboxError::Write(error) => matches!(error, WriteError::Exists { .. }),
            InboxError::Changing { .. }
            | InboxError::Read(_)
            | InboxError::Look { .. }
            | InboxError::Remove { .. }
            | InboxError::Sync { .. } => false,
        }
    }
}
