//! The kill switch is a file: it works with and without a daemon, and whoever finds it can read why it is there.

use std::path::Path;

use subcortex_guard::Redactor;
use subcortex_store::durable::{self, ReadError, WriteError};
use subcortex_store::{Disk, EntryKind};

/// The longest reason that is shown, in bytes.
const MAX_REASON_BYTES: u64 = 64 * 1024;

/// What became of a kill switch that was to be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paused {
    /// It is set.
    Now,
    /// It is set, and there was no room for the reason.
    WithoutReason,
    /// It was set before; its reason stays as it is.
    Already,
}

/// Sets a kill switch. It is needed most when something fills the disk: an empty file fits there, and says what matters.
pub fn pause(disk: &dyn Disk, switch: &Path, why: &str) -> Result<Paused, WriteError> {
    let why = Redactor::new().text(why).into_owned();
    let error = match durable::create_new(disk, switch, format!("{why}\n").as_bytes()) {
        // A switch that is there is set, even if a power cut may still take it.
        Ok(()) | Err(WriteError::NotDurable { .. }) => return Ok(Paused::Now),
        Err(WriteError::Exists { .. }) => return Ok(Paused::Already),
        Err(error) => error,
    };
    match durable::create_new(disk, switch, b"") {
        Ok(()) | Err(WriteError::NotDurable { .. }) => Ok(Paused::WithoutReason),
        Err(_) => Err(error),
    }
}

/// Lifts a kill switch; says whether it was set.
pub fn resume(disk: &dyn Disk, switch: &Path) -> Result<bool, WriteError> {
    durable::remove(disk, switch)
}

/// Why a kill switch is set, in the words of whoever set it; `None` when it is not. Whatever cannot be read pauses all the same.
pub fn reason(disk: &dyn Disk, switch: &Path) -> Option<String> {
    match disk.stat(switch) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => return Some(format!("it cannot be looked at: {error}")),
        Ok(stat) if stat.kind != EntryKind::File => return Some(String::new()),
        Ok(_) => {}
    }
    match durable::read_text(disk, switch, MAX_REASON_BYTES) {
        Ok(why) => Some(Redactor::new().text(why.trim()).into_owned()),
        Err(ReadError::Missing { .. }) => None,
        Err(error) => Some(error.to_string()),
    }
}
