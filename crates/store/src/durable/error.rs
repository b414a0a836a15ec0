//! What can go wrong when a file is written, and what then is on the disk.

use std::io;
use std::path::{Path, PathBuf};

use crate::advice::advice;
use crate::refusal::Refusal;
use crate::shown::Shown;

/// Why a durable operation did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A step failed before anything took effect.
    #[error(
        "{} could not be {done} ({step}: {source}): {}; nothing was changed",
        Shown(path),
        advice(source)
    )]
    Failed {
        /// Which file.
        path: PathBuf,
        /// What should have happened to it: `replaced`.
        done: &'static str,
        /// Which step failed: `writing the new content`.
        step: &'static str,
        /// How it failed.
        source: io::Error,
    },
    /// The change is visible, but the directory could not be synced: a power cut may still undo it.
    #[error(
        "{} was {done}, but that is not yet safe from a power cut (syncing its folder: {source}): {}; then repeat it",
        Shown(path),
        advice(source)
    )]
    NotDurable {
        /// Which file.
        path: PathBuf,
        /// What happened to it: `replaced`.
        done: &'static str,
        /// How the sync failed.
        source: io::Error,
    },
    /// Something stands there already, and it was not to be replaced.
    #[error("{} exists already and was left as it is: choose another name, or remove it first", Shown(path))]
    Exists {
        /// Which path.
        path: PathBuf,
    },
    /// The file that should be moved is not there.
    #[error("{} is not there: somebody else took or removed it; nothing was changed", Shown(path))]
    Missing {
        /// Which path.
        path: PathBuf,
    },
    /// The file is not what it was when it was read; the other edit stays.
    #[error(
        "{} was changed by somebody else meanwhile; that edit was kept: read it again, then decide anew",
        Shown(path)
    )]
    Conflict {
        /// Which file.
        path: PathBuf,
    },
    /// Somebody has the file open for writing, or saved it a moment ago and may not be done.
    #[error("somebody is writing {}; it was left alone: try again when they are done", Shown(path))]
    Busy {
        /// Which file.
        path: PathBuf,
    },
    /// Its owner made it read-only, or a new file in its place would lose something that belongs to it.
    #[error("{} was left alone, since {why}", Shown(path))]
    LeftAlone {
        /// Which file.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
    /// The file was replaced or removed, but what it held is not known to be what was read, and could not be given back.
    #[error(
        "{} has changed hands, but what it held could not be looked at or given back ({source}): it stands in {}, and \
         gets its name back at the next attempt if somebody had saved it meanwhile",
        Shown(path),
        Shown(aside)
    )]
    Displaced {
        /// Which file.
        path: PathBuf,
        /// Where it stands.
        aside: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// The path holds something that is never written to: a link, a directory, a FIFO.
    #[error(transparent)]
    NotRegular(Refusal),
    /// The relative path has parts that are not plain names.
    #[error(
        "{} is not a path below its folder: use plain names only, without `..` and without a leading `/`",
        Shown(path)
    )]
    Outside {
        /// Which path.
        path: PathBuf,
    },
}

impl WriteError {
    /// The failed system call, where there was one.
    #[must_use]
    pub fn io(&self) -> Option<&io::Error> {
        match self {
            WriteError::Failed { source, .. }
            | WriteError::NotDurable { source, .. }
            | WriteError::Displaced { source, .. } => Some(source),
            WriteError::Exists { .. }
            | WriteError::Missing { .. }
            | WriteError::Conflict { .. }
            | WriteError::Busy { .. }
            | WriteError::LeftAlone { .. }
            | WriteError::NotRegular(_)
            | WriteError::Outside { .. } => None,
        }
    }
}

/// Names the operation, so that each failing step has to say only what it was.
#[derive(Clone, Copy)]
pub(crate) struct Operation<'a> {
    pub(crate) path: &'a Path,
    pub(crate) done: &'static str,
}

impl Operation<'_> {
    /// Turns the failure of a step before the effect into an error.
    pub(crate) fn failed(self, step: &'static str) -> impl FnOnce(io::Error) -> WriteError {
        let Operation { path, done } = self;
        let path = path.to_owned();
        move |source| match Refusal::within(&source) {
            Some(refusal) => WriteError::NotRegular(refusal.clone()),
            None => WriteError::Failed { path, done, step, source },
        }
    }

    /// Turns the failure of the last sync into an error.
    pub(crate) fn not_durable(self) -> impl FnOnce(io::Error) -> WriteError {
        let Operation { path, done } = self;
        let path = path.to_owned();
        move |source| WriteError::NotDurable { path, done, source }
    }
}

/// The directory that holds a path.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
