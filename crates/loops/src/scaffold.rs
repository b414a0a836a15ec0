//! A new loop's folder: its config and a README, made whole or not at all.
//!
//! Both files are written and synced in a folder beside the target, `.<name>.scaffold`, which then takes the target's
//! name in one step. Only a name that is free or an empty folder can be taken, so a populated one is never touched.
//!
//! - After a crash the staging folder may be left; the next scaffold of that name uses it and takes it away.
//! - After a full disk it is left empty.
//! - Of several who make one name at the same moment, the holder of the lock `.<name>.scaffold.lock` does; the lock goes
//!   with its holder, and a file of that name that a crash left is taken by the next.

mod render;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use subcortex_store::{Disk, DiskFile, EntryKind, OpenMode, durable};

use crate::config;
use crate::pattern::Pattern;

/// One file of a new loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Its name in the loop's folder.
    pub name: &'static str,
    /// All of it.
    pub content: String,
}

/// Why a loop was not made. Nothing has changed then, but perhaps folders above it.
#[derive(Debug, thiserror::Error)]
pub enum ScaffoldError {
    /// There is something already.
    #[error("{} is there already and not empty; it is left as it is\ntake another name, or empty it first", .0.display())]
    Populated(PathBuf),
    /// Another process makes the same loop right now.
    #[error("{} is being made by somebody else at this moment\nlook at what came of it", .0.display())]
    Busy(PathBuf),
    /// The name does not fit a folder and a branch.
    #[error(
        "`{0}` is no name for a loop\nuse letters, digits, `-` and `_`, beginning with a letter or digit, at most 64"
    )]
    BadName(String),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] durable::WriteError),
    /// The folder could not be made or named.
    #[error("{} could not be made: {source}\nnothing was changed", .path.display())]
    Io {
        /// Which folder.
        path: PathBuf,
        /// How it failed.
        source: io::Error,
    },
}

/// What a new loop would hold.
pub fn files(name: &str, pattern: &Pattern) -> [NewFile; 2] {
    [
        NewFile { name: config::FILE, content: render::config(name, pattern) },
        NewFile { name: "README.md", content: render::readme(name, pattern) },
    ]
}

/// Whether a loop could be made there now.
pub fn refuse_unless_free(disk: &dyn Disk, dir: &Path) -> Result<(), ScaffoldError> {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    if !config::is_name(&name) {
        return Err(ScaffoldError::BadName(name.into_owned()));
    }
    match disk.list(dir) {
        Ok(names) if names.is_empty() => Ok(()),
        Ok(_) => Err(ScaffoldError::Populated(dir.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(ScaffoldError::Populated(dir.to_owned()))
        }
        Err(source) => Err(ScaffoldError::Io { path: dir.to_owned(), source }),
    }
}

/// Makes a loop's folder, and those above it.
pub fn scaffold(disk: &dyn Disk, dir: &Path, files: &[NewFile]) -> Result<(), ScaffoldError> {
    refuse_unless_free(disk, dir)?;
    let parent = dir.parent().unwrap_or(dir);
    make_parents(disk, parent)?;
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let staging = parent.join(format!(".{name}.scaffold"));
    let lock_path = parent.join(format!(".{name}.scaffold.lock"));
    let lock = lock(disk, &lock_path, dir)?;
    // Somebody may have made it since the first look.
    let made = refuse_unless_free(disk, dir)
        .and_then(|()| fill(disk, &staging, files))
        .and_then(|()| take_name(disk, &staging, dir));
    let is_ours =
        |error: &ScaffoldError| !matches!(error, ScaffoldError::Populated(_) | ScaffoldError::Busy(_));
    if made.as_ref().is_err_and(is_ours) {
        // The failure counts. What cannot be removed is replaced by the next scaffold of this name.
        files.iter().for_each(|file| drop(durable::remove(disk, &staging.join(file.name))));
    }
    // Removed while it is held; one that stays is nobody's.
    drop(disk.remove(&lock_path));
    drop(lock);
    made
}

/// Makes sure that nobody else is at it.
fn lock(disk: &dyn Disk, path: &Path, dir: &Path) -> Result<Box<dyn DiskFile>, ScaffoldError> {
    let failed = |source| ScaffoldError::Io { path: dir.to_owned(), source };
    let file = disk.open(path, OpenMode::ReadWrite).map_err(failed)?;
    let is_held = file.try_lock().map_err(failed)?;
    let opened = file.stat().map_err(failed)?.inode;
    // The holder before may have removed the file since it was opened.
    let is_current = disk.stat(path).is_ok_and(|stat| stat.inode == opened);
    if is_held && is_current { Ok(file) } else { Err(ScaffoldError::Busy(dir.to_owned())) }
}

/// Below the nearest folder that is there.
fn make_parents(disk: &dyn Disk, dir: &Path) -> Result<(), ScaffoldError> {
    let there = dir.ancestors().find(|dir| disk.stat(dir).is_ok()).unwrap_or(dir);
    let missing = dir.strip_prefix(there).unwrap_or(Path::new(""));
    Ok(durable::make_dirs(disk, there, missing)?)
}

fn fill(disk: &dyn Disk, staging: &Path, files: &[NewFile]) -> Result<(), ScaffoldError> {
    let failed = |source| ScaffoldError::Io { path: staging.to_owned(), source };
    disk.make_dir(staging).map_err(failed)?;
    // A link would lead out of the repository, and a folder of that name may be somebody's: only what an earlier
    // scaffold left when it died is ours.
    let is_folder = disk.stat(staging).map_err(failed)?.kind == EntryKind::Directory;
    let is_ours = |name: &OsString| files.iter().any(|file| is_left_of(name, file.name.as_ref()));
    let left = if is_folder { disk.list(staging).map_err(failed)? } else { Vec::new() };
    if !is_folder || !left.iter().all(is_ours) {
        return Err(ScaffoldError::Populated(staging.to_owned()));
    }
    for name in left {
        durable::remove(disk, &staging.join(name))?;
    }
    for file in files {
        durable::replace(disk, &staging.join(file.name), file.content.as_bytes())?;
    }
    Ok(())
}

/// Whether a name is that of a file, or of what was being written in its place.
fn is_left_of(name: &OsStr, file: &OsStr) -> bool {
    name == file || durable::is_temporary_of(name, file)
}

/// The kernel refuses to replace a folder that holds something.
fn take_name(disk: &dyn Disk, staging: &Path, dir: &Path) -> Result<(), ScaffoldError> {
    let failed = |source| ScaffoldError::Io { path: dir.to_owned(), source };
    match disk.rename(staging, dir) {
        Ok(()) => disk.sync_dir(dir.parent().unwrap_or(dir)).map_err(failed),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::DirectoryNotEmpty
                    | io::ErrorKind::AlreadyExists
                    | io::ErrorKind::NotADirectory
            ) =>
        {
            Err(ScaffoldError::Populated(dir.to_owned()))
        }
        Err(error) => Err(failed(error)),
    }
}
