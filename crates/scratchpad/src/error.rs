//! What can go wrong with a scratchpad.

use std::io;
use std::path::PathBuf;

use subcortex_guard::shown_path;
use subcortex_store::durable::{ReadError, WriteError};

use crate::MAX_ACTIVE_BYTES;

/// Why a scratchpad was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum ScratchpadError {
    /// The state is more than is kept.
    #[error(
        "the state has {len_bytes} bytes as YAML, and at most {MAX_ACTIVE_BYTES} are kept: remove goals, tasks or keys"
    )]
    TooLarge {
        /// How long it is.
        len_bytes: usize,
    },
    /// The state could not be read back from what would be written.
    #[error(
        "the state cannot be written as YAML that could be read back: it holds too many values, or nests too deeply"
    )]
    Unwritable,
    /// Every name for a cycle of this second is taken.
    #[error(
        "no name is free for a cycle that starts in this second (the last that was tried is `{last}`): wait a second"
    )]
    NoName {
        /// The last name that was tried.
        last: String,
    },
    /// The folder could not be looked at.
    #[error(
        "the folder `{}` could not be looked at ({source}): check that it is a directory you may read",
        shown_path(path)
    )]
    Look {
        /// Which folder.
        path: PathBuf,
        /// How it failed.
        source: io::Error,
    },
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file could not be written, moved or removed.
    #[error(transparent)]
    Write(#[from] WriteError),
}
