//! What can go wrong with a file of the memory.

use std::path::PathBuf;

use subcortex_store::durable::{ReadError, SweepError, WriteError};

/// Why a file of the memory could not be used.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// It could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// What a crash left could not be put right.
    #[error(transparent)]
    Leftover(#[from] SweepError),
    /// A folder could not be listed.
    #[error("cannot list {}: {source}; check its permissions", path.display())]
    List {
        /// Which folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The list of what was forgotten is damaged, and nothing can make it anew.
    #[error(
        "{} cannot be understood: {why}; put it right, or bring it back from a backup: without it, what was forgotten is learned again when the log is read anew",
        path.display()
    )]
    Forgotten {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// An edit could not be entered into the journal. It may have been made by then.
    #[error(
        "the edit could not be entered into {}: {why}; make room, or look at its permissions: if the edit stands in memory/CLAUDE.md, the next command enters it",
        path.display()
    )]
    NotEntered {
        /// The journal.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Its content is not what it should be.
    #[error("{} cannot be understood: {why}; put it right, or move it away and it is made anew", path.display())]
    Content {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}

impl Trouble {
    /// Whether a person's edit came in between: nothing was written, and the next run decides anew.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Trouble::Write(WriteError::Conflict { .. }))
    }

    /// Whether the file is one that is not to be written, for a reason that a person can change.
    pub fn is_left_alone(&self) -> bool {
        matches!(self, Trouble::Write(WriteError::LeftAlone { .. }))
    }

    /// Whether somebody is writing the file at this moment: nothing was changed, and the next attempt may find it quiet.
    pub fn is_busy(&self) -> bool {
        matches!(self, Trouble::Write(WriteError::Busy { .. }))
    }
}
