//! Remembers a failed sync.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::io::Errno;

use crate::advice::advice;
use crate::disk::{Disk, DiskFile};
use crate::shown::Shown;

/// Refuses every sync after the first that failed.
///
/// The kernel may report a lost write once, mark the lost pages as clean, and then say "synced" for ever
/// after. So a second try proves nothing: the writer has to stop, and a fresh process reads what the disk
/// really holds.
#[derive(Debug, Default)]
pub struct Poison {
    /// Held during a sync: of two at once on the same file only one would be told of the failure.
    first: Mutex<Option<String>>,
}

/// Why content is not known to be durable.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The sync failed, now.
    #[error(
        "{} could not be made durable ({source}): {}; what was written since the last sync may be lost, \
         so this process must stop and start again",
        Shown(path),
        advice(source)
    )]
    Failed {
        /// Which file or directory.
        path: PathBuf,
        /// How it failed.
        source: io::Error,
    },
    /// Nothing was synced, because too many files are open: it can be done later.
    #[error("{} was not synced ({source}): {}; it is tried again", Shown(path), advice(source))]
    NotTried {
        /// Which file or directory.
        path: PathBuf,
        /// How it failed.
        source: io::Error,
    },
    /// A sync failed earlier, and nothing was tried now.
    #[error(
        "{} was not synced, because an earlier sync failed and a later success would prove nothing: \
         stop this process and start it again; the first failure was: {first}",
        Shown(path)
    )]
    Poisoned {
        /// Which file or directory.
        path: PathBuf,
        /// The message of the first failure.
        first: String,
    },
}

impl Poison {
    /// Makes a file's content durable, unless a sync failed before.
    pub fn sync(&self, file: &dyn DiskFile) -> Result<(), SyncError> {
        self.once(file.path(), || file.sync())
    }

    /// Makes a directory's entries durable, unless a sync failed before.
    pub fn sync_dir(&self, disk: &dyn Disk, dir: &Path) -> Result<(), SyncError> {
        self.once(dir, || disk.sync_dir(dir))
    }

    /// The message of the first failed sync, if there was one.
    #[cfg(test)]
    pub(crate) fn first_failure(&self) -> Option<String> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn once(&self, path: &Path, sync: impl FnOnce() -> io::Result<()>) -> Result<(), SyncError> {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = &*first {
            return Err(SyncError::Poisoned { path: path.to_owned(), first: first.clone() });
        }
        sync().map_err(|source| {
            // No sync fails like this: the directory could not even be opened.
            if [Errno::MFILE, Errno::NFILE]
                .iter()
                .any(|none| source.raw_os_error() == Some(none.raw_os_error()))
            {
                return SyncError::NotTried { path: path.to_owned(), source };
            }
            let error = SyncError::Failed { path: path.to_owned(), source };
            *first = Some(error.to_string());
            error
        })
    }
}
