//! Moving and removing files, and making the directories for them.

use std::io;
use std::path::{Component, Path};

use super::error::{Operation, WriteError, parent};
use crate::disk::Disk;

/// Moves a file to a name that is free, so that of several who try exactly one gets it.
///
/// The target's directory is synced first: a power cut in between may show the file under either name,
/// but under one of them.
pub fn claim(disk: &dyn Disk, from: &Path, to: &Path) -> Result<(), WriteError> {
    let operation = Operation { path: from, done: "moved" };
    match disk.rename_new(from, to) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(WriteError::Exists { path: to.to_owned() });
        }
        // Either the file or the target's folder is missing; only the first is somebody else's doing.
        Err(error) if error.kind() == io::ErrorKind::NotFound && is_missing(disk, from) => {
            return Err(WriteError::Missing { path: from.to_owned() });
        }
        Err(error) => return Err(operation.failed("renaming it")(error)),
    }
    disk.sync_dir(parent(to)).map_err(operation.not_durable())?;
    if parent(from) != parent(to) {
        disk.sync_dir(parent(from)).map_err(operation.not_durable())?;
    }
    Ok(())
}

/// Removes a file for good. `false` when there was none.
pub fn remove(disk: &dyn Disk, path: &Path) -> Result<bool, WriteError> {
    let operation = Operation { path, done: "removed" };
    match disk.remove(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(operation.failed("unlinking it")(error)),
    }
    disk.sync_dir(parent(path)).map_err(operation.not_durable())?;
    Ok(true)
}

/// Makes the directories of `relative` below `root`, which must exist, with mode 0700.
///
/// Those that are there already are accepted, also as links to directories. Each parent is synced even
/// then: the one who made the directory may have died before that.
pub fn make_dirs(disk: &dyn Disk, root: &Path, relative: &Path) -> Result<(), WriteError> {
    if !relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(WriteError::Outside { path: relative.to_owned() });
    }
    let mut dir = root.to_owned();
    for part in relative.components() {
        let made = dir.join(part);
        let operation = Operation { path: &made, done: "made" };
        disk.make_dir(&made).map_err(operation.failed("making the directory"))?;
        disk.sync_dir(&dir).map_err(operation.not_durable())?;
        dir = made;
    }
    Ok(())
}

fn is_missing(disk: &dyn Disk, path: &Path) -> bool {
    matches!(disk.stat(path), Err(error) if error.kind() == io::ErrorKind::NotFound)
}
