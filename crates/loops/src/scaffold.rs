//! A new loop's folder: its config and a README, made whole or not at all.
//!
//! Both files are written and synced in a folder beside the target, `.<name>.scaffold`, which then takes the target's
//! name in one step. Only a name that is free or an empty folder can be taken, so a populated one is never touched.
//!
//! - After a crash the staging folder may be left; the next scaffold of that name uses it and takes it away.
//! - After a full disk it is left empty.
//! - Not promised: which pattern wins when two are scaffolded under one name at the same moment.

mod render;

use std::io;
use std::path::{Path, PathBuf};

use subcortex_store::{Disk, durable};

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
    let made = fill(disk, &staging, files).and_then(|()| take_name(disk, &staging, dir));
    if made.is_err() {
        // The failure counts. What cannot be removed is replaced by the next scaffold of this name.
        files.iter().for_each(|file| drop(durable::remove(disk, &staging.join(file.name))));
    }
    made
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
    // What an earlier scaffold left when it died.
    for left in disk.list(staging).map_err(failed)? {
        durable::remove(disk, &staging.join(left))?;
    }
    for file in files {
        durable::replace(disk, &staging.join(file.name), file.content.as_bytes())?;
    }
    Ok(())
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
