//! Whole files: the old content or the new, never a mixture.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::aside::set_aside;
use super::error::{Operation, WriteError, parent};
use super::temporary::Temporary;
use crate::disk::{Disk, DiskFile, EntryKind};
use crate::refusal::Refusal;

/// From how many files on one sync of the whole file system is cheaper than one for each.
const MIN_FILES_FOR_ONE_SYNC: usize = 16;
/// How many files are made between two syncs: bounds what a crash leaves in temporary files.
const MAX_BATCH_FILES: usize = 4_096;

/// Gives a file new content, whatever it had; made when missing. A link, directory, FIFO or device under
/// that name is refused.
pub fn replace(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let operation = Operation { path, done: "replaced" };
    refuse_unless_regular_or_missing(disk, operation)?;
    let temporary = Temporary::write(disk, operation, bytes)?;
    commit(disk, operation, temporary)
}

/// As [`replace`], for a file that can be made anew at any time: a link, directory, FIFO or device under that name is set aside
/// ([`set_aside`]) instead of being in the way for ever.
pub fn replace_derived(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    match replace(disk, path, bytes) {
        Err(WriteError::NotRegular(refusal)) if refusal.path == path => {
            set_aside(disk, path)
                .map_err(Operation { path, done: "replaced" }.failed("setting aside what stood there"))?;
            replace(disk, path, bytes)
        }
        other => other,
    }
}

/// As [`replace`], for content that does not fit into memory: `write` fills the new file, and what it says is
/// handed back.
pub fn replace_with<T>(
    disk: &dyn Disk,
    path: &Path,
    write: impl FnOnce(&dyn DiskFile) -> io::Result<T>,
) -> Result<T, WriteError> {
    let operation = Operation { path, done: "replaced" };
    refuse_unless_regular_or_missing(disk, operation)?;
    let (temporary, said) = Temporary::write_with(disk, operation, write)?;
    commit(disk, operation, temporary)?;
    Ok(said)
}

/// Makes a file that was not there. Of several who make the same name exactly one succeeds; the others get
/// [`WriteError::Exists`].
pub fn create_new(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let operation = Operation { path, done: "made" };
    let temporary = Temporary::write(disk, operation, bytes)?;
    match disk.rename_new(temporary.path(), path) {
        Ok(()) => temporary.renamed(),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(WriteError::Exists { path: path.to_owned() });
        }
        Err(error) => return Err(operation.failed("giving the new content its name")(error)),
    }
    disk.sync_dir(parent(path)).map_err(operation.not_durable())
}

/// Makes many files at once: each is whole or missing after a crash, and all are durable when this returns. Names
/// that exist already stay as they are. Says which of the files are new.
pub fn create_many_new(disk: &dyn Disk, files: &[(PathBuf, Vec<u8>)]) -> Result<Vec<bool>, WriteError> {
    let mut made = Vec::with_capacity(files.len());
    for batch in files.chunks(MAX_BATCH_FILES) {
        made.extend(create_batch(disk, batch)?);
    }
    Ok(made)
}

fn create_batch(disk: &dyn Disk, files: &[(PathBuf, Vec<u8>)]) -> Result<Vec<bool>, WriteError> {
    let operation = |path| Operation { path, done: "made" };
    let mut temporaries = Vec::with_capacity(files.len());
    for (path, bytes) in files {
        let temporary = if files.len() < MIN_FILES_FOR_ONE_SYNC {
            Temporary::write(disk, operation(path), bytes)?
        } else {
            Temporary::write_unsynced(disk, operation(path), bytes)?
        };
        temporaries.push(temporary);
    }
    if let (Some((first, _)), true) = (files.first(), files.len() >= MIN_FILES_FOR_ONE_SYNC) {
        disk.sync_file_system(parent(first)).map_err(operation(first).failed("syncing the new content"))?;
    }
    let mut made = Vec::with_capacity(files.len());
    let mut changed_dirs = BTreeSet::new();
    for ((path, _), temporary) in files.iter().zip(temporaries) {
        match disk.rename_new(temporary.path(), path) {
            Ok(()) => {
                temporary.renamed();
                changed_dirs.insert(parent(path));
                made.push(true);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => made.push(false),
            Err(error) => return Err(operation(path).failed("giving the new content its name")(error)),
        }
    }
    for dir in changed_dirs {
        disk.sync_dir(dir).map_err(operation(dir).not_durable())?;
    }
    Ok(made)
}

fn commit(disk: &dyn Disk, operation: Operation<'_>, temporary: Temporary<'_>) -> Result<(), WriteError> {
    disk.rename(temporary.path(), operation.path)
        .map_err(operation.failed("giving the new content its name"))?;
    temporary.renamed();
    disk.sync_dir(parent(operation.path)).map_err(operation.not_durable())
}

pub(super) fn refuse_unless_regular_or_missing(
    disk: &dyn Disk,
    operation: Operation<'_>,
) -> Result<(), WriteError> {
    let kind = match disk.stat(operation.path) {
        Ok(stat) => stat.kind,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(operation.failed("looking at what is there")(error)),
    };
    let is = match kind {
        EntryKind::File => return Ok(()),
        EntryKind::Directory => "a directory",
        EntryKind::Symlink => "a symbolic link",
        EntryKind::Other => "a FIFO, socket or device",
    };
    Err(WriteError::NotRegular(Refusal::not_a_file(operation.path, is)))
}
