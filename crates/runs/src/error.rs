//! What can go wrong with run records.

use std::io;
use std::path::{Path, PathBuf};

use subcortex_guard::{NameProblem, shown_path};
use subcortex_store::durable::{AppendError, ReadError, WriteError};

/// Why a record or the log was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum RunsError {
    /// A run's name cannot be that of a file.
    #[error("a run record was not written: {0}")]
    Name(#[from] NameProblem),
    /// Nothing says in which day's folder a record belongs.
    #[error(
        "the record of run `{run_id}` was not written: neither its name nor `started_at` says on which day it started"
    )]
    NoDay {
        /// Which run.
        run_id: String,
    },
    /// A file is not what this program writes.
    #[error(
        "the run record `{}` cannot be read ({source}): look at it, and remove it when it is of no use",
        shown_path(path)
    )]
    Broken {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A folder could not be looked at.
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
    /// A system call on an open file or a folder failed.
    #[error("`{}` could not be {done} ({source}): check the disk, then try again", shown_path(path))]
    Io {
        /// Which file.
        path: PathBuf,
        /// What should have been done to it.
        done: &'static str,
        /// How it failed.
        source: io::Error,
    },
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A line was not added to the log.
    #[error(transparent)]
    Append(#[from] AppendError),
}

impl RunsError {
    pub(crate) fn io<'a>(path: &'a Path, done: &'static str) -> impl FnOnce(io::Error) -> RunsError + 'a {
        move |source| RunsError::Io { path: path.to_owned(), done, source }
    }
}
