//! Waiting until nobody writes to a file.
//!
//! An editor that saves in place empties the file first and fills it again, some in two steps with the file closed in
//! between. So a file is quiet when nobody has it open for writing and its last change lies a moment back.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::error::{Operation, WriteError};
use crate::disk::{Disk, EntryKind, Lease, OpenMode};

/// How often a file is looked at while somebody writes to it.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long somebody who writes is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How far back the last change must lie.
    pub quiet: Duration,
    /// How long is waited for that.
    pub at_most: Duration,
}

impl Patience {
    /// For work in the background: longer than an editor needs for a save, and short beside a run.
    pub const USUAL: Patience =
        Patience { quiet: Duration::from_millis(500), at_most: Duration::from_secs(10) };
    /// Nobody is waited for: a file that is being written is refused at once, and how old it is does not matter.
    pub const NONE: Patience = Patience { quiet: Duration::ZERO, at_most: Duration::ZERO };
}

/// Waits until a file is quiet; a missing one is. [`WriteError::Busy`] when it still is not after
/// [`Patience::at_most`].
pub fn wait_until_quiet(disk: &dyn Disk, path: &Path, patience: Patience) -> Result<(), WriteError> {
    let operation = Operation { path, done: "read" };
    let until = Instant::now() + patience.at_most;
    while !is_quiet(disk, path, patience.quiet).map_err(operation.failed("looking at it"))? {
        if Instant::now() >= until {
            return Err(WriteError::Busy { path: path.to_owned() });
        }
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(())
}

fn is_quiet(disk: &dyn Disk, path: &Path, quiet: Duration) -> io::Result<bool> {
    let stat = match disk.stat(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        other => other?,
    };
    if stat.kind != EntryKind::File {
        return Ok(true); // Not a matter of time: whoever reads it says what it is
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // A change in the future (a clock that was set back) says nothing.
    let age_ns = i128::try_from(now.as_nanos()).unwrap_or(i128::MAX) - stat.mtime_ns;
    if (0..i128::try_from(quiet.as_nanos()).unwrap_or(i128::MAX)).contains(&age_ns) {
        return Ok(false);
    }
    match disk.open(path, OpenMode::Read) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        other => Ok(other?.lease()? != Lease::Writer),
    }
}
