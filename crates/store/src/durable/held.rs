//! A file that was read, held still while its name changes hands.

use std::io;
use std::path::Path;

use super::error::{Operation, WriteError};
use super::read::{ReadError, read_open};
use crate::disk::{Disk, DiskFile, Lease, OpenMode};
use crate::refusal::Refusal;

/// An open file with the content that was expected. Closing it gives the lease back.
pub(super) struct Held {
    file: Box<dyn DiskFile>,
    inode: (u64, u64),
    lease: Lease,
}

impl Held {
    /// Opens the file and looks whether it is as it was read: otherwise [`WriteError::Conflict`], or
    /// [`WriteError::Busy`] while somebody has it open for writing.
    pub(super) fn take(
        disk: &dyn Disk,
        operation: Operation<'_>,
        expected: &[u8],
    ) -> Result<Held, WriteError> {
        let path = operation.path;
        let failed = |error| operation.failed("looking at what is there")(error);
        let file = match disk.open(path, OpenMode::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(WriteError::Conflict { path: path.to_owned() });
            }
            other => other.map_err(failed)?,
        };
        let lease = file.lease().map_err(failed)?;
        if lease == Lease::Writer {
            return Err(WriteError::Busy { path: path.to_owned() });
        }
        let inode = file.stat().map_err(failed)?.inode;
        let held = Held { file, inode, lease };
        if held.is_as_read(disk, path, expected).map_err(failed)? {
            Ok(held)
        } else {
            Err(WriteError::Conflict { path: path.to_owned() })
        }
    }

    /// Whether the path leads to this file, it has the content, and nobody waits to write to it.
    pub(super) fn is_as_read(&self, disk: &dyn Disk, path: &Path, expected: &[u8]) -> io::Result<bool> {
        let is_still = self.lease != Lease::Held || self.file.lease_holds()?;
        let has_name = match disk.stat(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            other => other?.inode == self.inode,
        };
        Ok(is_still && has_name && self.has_content(path, expected)?)
    }

    /// Gives the lease back and looks once more: whoever waited for it, or opens the file by an older look at its name,
    /// is a writer by now. `None` when the kernel cannot tell.
    pub(super) fn is_left_alone(&self, path: &Path, expected: &[u8]) -> io::Result<Option<bool>> {
        if self.lease == Lease::Unknown {
            return Ok(None);
        }
        self.file.end_lease()?;
        match self.file.lease()? {
            Lease::Held => Ok(Some(self.has_content(path, expected)?)),
            Lease::Writer => Ok(Some(false)),
            Lease::Unknown => Ok(None),
        }
    }

    fn has_content(&self, path: &Path, expected: &[u8]) -> io::Result<bool> {
        match read_open(&*self.file, path, expected.len() as u64) {
            Ok(found) => Ok(found == expected),
            Err(ReadError::Io { source, .. }) => Err(source),
            Err(ReadError::NotRegular(refusal)) => Err(Refusal::into(refusal)),
            Err(
                ReadError::Missing { .. }
                | ReadError::BrokenLink { .. }
                | ReadError::TooLarge { .. }
                | ReadError::NotUtf8 { .. },
            ) => Ok(false),
        }
    }
}
