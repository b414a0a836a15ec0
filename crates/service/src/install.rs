//! Puts a unit where systemd looks for it, and takes it away again.
//!
//! | under the unit's name           | `install`                      | `uninstall`             |
//! |---------------------------------|--------------------------------|-------------------------|
//! | nothing                         | writes it                      | nothing to do           |
//! | what would be written           | nothing to do                  | removes it              |
//! | ours, of another version or home (its seal is intact) | renews it | removes it             |
//! | edited by a person              | refuses, shows the difference  | refuses, shows the difference |
//! | a link, a folder, a FIFO        | refuses                        | refuses                 |
//!
//! `systemctl` is never called; what is left to do with it is handed back.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};
use subcortex_store::{Disk, durable};

use crate::seal::is_intact;
use crate::unit::Kind;

/// Where the units of the machine are, those of its administrator.
pub const SYSTEM_FOLDER: &str = "/etc/systemd/system";
/// The longest file that is compared with a unit, in bytes.
const MAX_UNIT_BYTES: u64 = 64 * 1024;
/// The mode of a unit of the machine. systemd warns when not everybody can read it.
const SYSTEM_UNIT_MODE: Mode = Mode::RUSR.union(Mode::WUSR).union(Mode::RGRP).union(Mode::ROTH);

/// Where the units of one person are, given their `$XDG_CONFIG_HOME` (or `~/.config`).
pub fn user_folder(config_home: &Path) -> PathBuf {
    config_home.join("systemd").join("user")
}

/// What happened to the file of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It was not there, and is now.
    Written,
    /// It was ours and out of date.
    Renewed,
    /// It was there and is not any more.
    Removed,
    /// All was as it should be.
    Nothing,
}

/// A unit is as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// The file.
    pub path: PathBuf,
    /// What happened to it.
    pub change: Change,
    /// Commands that are left for the person to run, in this order.
    pub next: Vec<&'static str>,
}

/// Why a unit was left as it is.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// A person edited it.
    #[error(
        "{path:?} was edited, and edits are never overwritten: move them to a drop-in with `{edit}`, remove the \
         file, and try again. How it differs from the one that belongs there:\n{difference}"
    )]
    Edited {
        /// The file.
        path: PathBuf,
        /// The command that makes a drop-in.
        edit: &'static str,
        /// From the unit that would be written to the one that is there.
        difference: String,
    },
    /// The folder of the machine's units is missing.
    #[error(
        "{0:?} is not there, so this machine does not seem to run systemd; `subcortex run` works without it"
    )]
    NoFolder(PathBuf),
    /// What is there cannot be read.
    #[error(transparent)]
    Read(#[from] durable::ReadError),
    /// The file cannot be written or removed.
    #[error(transparent)]
    Write(#[from] durable::WriteError),
    /// The file was written, but not everybody may read it.
    #[error("cannot let everybody read {path:?} ({source}): set its mode to 0644")]
    Mode {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Writes a unit into a folder of systemd's. `text` is what [`unit()`](crate::unit()) says.
pub fn install(disk: &dyn Disk, kind: Kind, folder: &Path, text: &str) -> Result<Done, InstallError> {
    prepare(disk, kind, folder)?;
    let path = folder.join(kind.file_name());
    let change = match found(disk, kind, &path, text)? {
        Found::Nothing => {
            durable::replace_if_unchanged(disk, &path, None, text.as_bytes())?;
            Change::Written
        }
        Found::Ours(there) if there == text => Change::Nothing,
        Found::Ours(there) => {
            durable::replace_if_unchanged(disk, &path, Some(there.as_bytes()), text.as_bytes())?;
            Change::Renewed
        }
    };
    if kind == Kind::System {
        let opened = rustix::fs::openat(
            CWD,
            &path,
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::empty(),
        );
        let changed = opened.and_then(|file| rustix::fs::fchmod(file, SYSTEM_UNIT_MODE));
        changed.map_err(|errno| InstallError::Mode { path: path.clone(), source: errno.into() })?;
    }
    Ok(Done { path, change, next: next_after_install(kind, change) })
}

/// Removes a unit that was not edited. `text` is what [`install`] would write.
pub fn uninstall(disk: &dyn Disk, kind: Kind, folder: &Path, text: &str) -> Result<Done, InstallError> {
    let path = folder.join(kind.file_name());
    let change = match found(disk, kind, &path, text)? {
        Found::Ours(there) if durable::remove_if_unchanged(disk, &path, there.as_bytes())? => Change::Removed,
        Found::Ours(_) | Found::Nothing => Change::Nothing,
    };
    Ok(Done { path, change, next: next_after_uninstall(kind, change) })
}

enum Found {
    Nothing,
    Ours(String),
}

/// Looks at what is there; a person's edit is an error.
fn found(disk: &dyn Disk, kind: Kind, path: &Path, text: &str) -> Result<Found, InstallError> {
    let there = match durable::read_text(disk, path, MAX_UNIT_BYTES) {
        Ok(there) => there,
        Err(durable::ReadError::Missing { .. }) => return Ok(Found::Nothing),
        Err(error) => return Err(error.into()),
    };
    if is_intact(&there) {
        return Ok(Found::Ours(there));
    }
    let difference = subcortex_diff::between(text, &there).unified("ours", "yours", 1);
    let edit = match kind {
        Kind::User => "systemctl --user edit subcortex",
        Kind::System => "systemctl edit subcortex@NAME",
    };
    Err(InstallError::Edited { path: path.to_owned(), edit, difference })
}

/// A person may not have a folder for units yet; a machine with systemd has.
fn prepare(disk: &dyn Disk, kind: Kind, folder: &Path) -> Result<(), InstallError> {
    match kind {
        Kind::System if folder.is_dir() => Ok(()),
        Kind::System => Err(InstallError::NoFolder(folder.to_owned())),
        Kind::User => {
            let existing = folder.ancestors().find(|above| above.is_dir()).unwrap_or(Path::new("/"));
            let missing = folder.strip_prefix(existing).unwrap_or(folder);
            Ok(durable::make_dirs(disk, existing, missing)?)
        }
    }
}

fn next_after_install(kind: Kind, change: Change) -> Vec<&'static str> {
    match (kind, change) {
        (Kind::User, Change::Renewed) => {
            vec!["systemctl --user daemon-reload", "systemctl --user try-restart subcortex"]
        }
        (Kind::User, Change::Written | Change::Removed | Change::Nothing) => vec![
            "systemctl --user daemon-reload",
            "systemctl --user enable --now subcortex",
            "loginctl enable-linger",
        ],
        (Kind::System, Change::Renewed) => {
            vec!["systemctl daemon-reload", "systemctl try-restart 'subcortex@*'"]
        }
        (Kind::System, Change::Written | Change::Removed | Change::Nothing) => {
            vec!["systemctl daemon-reload", "systemctl enable --now subcortex@NAME"]
        }
    }
}

/// The running service stays known to its manager until it is reloaded, so it can still be stopped.
fn next_after_uninstall(kind: Kind, change: Change) -> Vec<&'static str> {
    match (kind, change) {
        (_, Change::Nothing) => vec![],
        (Kind::User, Change::Removed | Change::Written | Change::Renewed) => {
            vec!["systemctl --user disable --now subcortex", "systemctl --user daemon-reload"]
        }
        (Kind::System, Change::Removed | Change::Written | Change::Renewed) => {
            vec!["systemctl disable --now subcortex@NAME", "systemctl daemon-reload"]
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests;
