//! One record at the end of a log.

use std::io;
use std::path::PathBuf;

use crate::advice::advice;
use crate::disk::DiskFile;
use crate::shown::Shown;

/// Why a record was not appended.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The write failed or was short, and the file is as it was before.
    #[error(
        "a record was not appended to {} ({source}): {}; nothing was changed",
        Shown(path),
        advice(source)
    )]
    RolledBack {
        /// Which file.
        path: PathBuf,
        /// How the write failed.
        source: io::Error,
    },
    /// The write failed or was short, and what it left could not be cut off.
    #[error(
        "a record was only partly appended to {} ({source}), and cutting it off failed ({rollback}): {}; \
         the torn tail must be repaired before the next append, earlier records are whole",
        Shown(path),
        advice(source)
    )]
    Torn {
        /// Which file.
        path: PathBuf,
        /// How the write failed.
        source: io::Error,
        /// How the cut failed.
        rollback: io::Error,
    },
}

impl AppendError {
    /// The failed write.
    #[must_use]
    pub fn io(&self) -> &io::Error {
        match self {
            AppendError::RolledBack { source, .. } | AppendError::Torn { source, .. } => source,
        }
    }

    /// Whether the tail of the file must be repaired before the next append.
    #[must_use]
    pub fn is_torn(&self) -> bool {
        matches!(self, AppendError::Torn { .. })
    }
}

/// Appends one record with exactly one `write(2)`, to a file opened with
/// [`OpenMode::Append`](crate::OpenMode::Append) whose lock the caller holds and whose length is `old_len`.
///
/// It does not sync: the caller does that once for all records that it wants to acknowledge.
pub fn append(file: &dyn DiskFile, old_len: u64, record: &[u8]) -> Result<(), AppendError> {
    let source = match file.write(record) {
        Ok(written) if written == record.len() => return Ok(()),
        Ok(written) => short(written, record.len()),
        Err(error) => error,
    };
    let path = file.path().to_owned();
    match roll_back(file, old_len, record.len()) {
        Ok(()) => Err(AppendError::RolledBack { path, source }),
        Err(rollback) => Err(AppendError::Torn { path, source, rollback }),
    }
}

/// A short write to a regular file means that there was no room for the rest; the kernel gives the errno
/// only to the next write, which is never made.
fn short(written: usize, asked: usize) -> io::Error {
    io::Error::new(io::ErrorKind::StorageFull, format!("only {written} of {asked} bytes were written"))
}

/// Cuts off what one failed write may have left, and never more than that.
fn roll_back(file: &dyn DiskFile, old_len: u64, record_len: usize) -> io::Result<()> {
    let len = file.len()?;
    if len == old_len {
        return Ok(());
    }
    let most = old_len.saturating_add(u64::try_from(record_len).unwrap_or(u64::MAX));
    if !(old_len..=most).contains(&len) {
        return Err(io::Error::other(format!(
            "the file has {len} bytes where {old_len} to {most} were expected: somebody writes to it without its lock"
        )));
    }
    file.truncate(old_len)
}
