//! Waiting until nobody writes to a file.
//!
//! An editor that saves in place empties the file first and fills it again, some in two steps with the file closed in
//! between. So a file is quiet when nobody has it open for writing and its last change lies a moment back; and longer
//! than a moment where it looks as if more were to come: nothing stands in it, or its last line has no end.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::error::{Operation, WriteError};
use super::read::{ReadError, read};
use super::swap::replace_if_unchanged;
use crate::disk::{Disk, DiskFile, EntryKind, Lease, OpenMode};

/// How often a file is looked at while somebody writes to it.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long nothing must happen once a file changed while it was looked at: somebody writes it in steps.
const BETWEEN_STEPS: Duration = Duration::from_secs(2);

/// How long somebody who writes is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How far back the last change must lie.
    pub quiet: Duration,
    /// How far back it must lie where the file is empty, or its last line has no end. Zero for files whose writers put no
    /// line end behind the last line.
    pub unfinished: Duration,
    /// How long is waited for that.
    pub at_most: Duration,
}

impl Patience {
    /// For work in the background: longer than an editor needs for a save, and short beside a run.
    pub const USUAL: Patience = Patience {
        quiet: Duration::from_millis(500),
        unfinished: Duration::from_secs(5),
        at_most: Duration::from_secs(10),
    };
    /// Nobody is waited for: a file that is being written is refused at once, and how old it is does not matter.
    pub const NONE: Patience =
        Patience { quiet: Duration::ZERO, unfinished: Duration::ZERO, at_most: Duration::ZERO };
}

/// Reads a file that people edit once it is quiet, as [`wait_until_quiet`] has it; `None` where there is none.
pub fn read_when_quiet(
    disk: &dyn Disk,
    path: &Path,
    max_bytes: u64,
    patience: Patience,
) -> Result<Option<Vec<u8>>, QuietError> {
    wait_until_quiet(disk, path, patience)?;
    match read(disk, path, max_bytes) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(ReadError::Missing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Gives a file that people edit new content, as [`replace_if_unchanged`] does, once it is quiet: a save that began after it
/// was read is waited for, and then it is a [`WriteError::Conflict`].
pub fn replace_when_quiet(
    disk: &dyn Disk,
    path: &Path,
    expected: Option<&[u8]>,
    bytes: &[u8],
    patience: Patience,
) -> Result<(), WriteError> {
    wait_until_quiet(disk, path, patience)?;
    replace_if_unchanged(disk, path, expected, bytes)
}

/// Why a file that people edit could not be read.
#[derive(Debug, thiserror::Error)]
pub enum QuietError {
    /// It is not quiet, or nobody can say.
    #[error(transparent)]
    Wait(#[from] WriteError),
    /// It is quiet and cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Waits until a file is quiet; a missing one is. [`WriteError::Busy`] when it still is not after
/// [`Patience::at_most`].
pub fn wait_until_quiet(disk: &dyn Disk, path: &Path, patience: Patience) -> Result<(), WriteError> {
    let operation = Operation { path, done: "read" };
    let until = Instant::now() + patience.at_most;
    let mut wanted = patience;
    let mut first = None;
    loop {
        let look = look_at(disk, path, wanted).map_err(operation.failed("looking at it"))?;
        let Look::Busy { changed_ns } = look else { return Ok(()) };
        if Instant::now() >= until {
            return Err(WriteError::Busy { path: path.to_owned() });
        }
        if *first.get_or_insert(changed_ns) != changed_ns {
            wanted.quiet = wanted.quiet.max(BETWEEN_STEPS);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// A file, at one moment.
enum Look {
    /// Nobody writes to it.
    Quiet,
    /// Somebody does, or did a moment ago; and when it last changed.
    Busy { changed_ns: i128 },
}

fn look_at(disk: &dyn Disk, path: &Path, patience: Patience) -> io::Result<Look> {
    let stat = match disk.stat(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Look::Quiet),
        other => other?,
    };
    if stat.kind != EntryKind::File {
        return Ok(Look::Quiet); // Not a matter of time: whoever reads it says what it is
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // A change in the future (a clock that was set back) says nothing.
    let age_ns = i128::try_from(now.as_nanos()).unwrap_or(i128::MAX) - stat.mtime_ns;
    let is_within =
        |time: Duration| (0..i128::try_from(time.as_nanos()).unwrap_or(i128::MAX)).contains(&age_ns);
    let busy = Look::Busy { changed_ns: stat.mtime_ns };
    if is_within(patience.quiet) {
        return Ok(busy);
    }
    let file = match disk.open(path, OpenMode::Read) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Look::Quiet),
        other => other?,
    };
    if is_within(patience.unfinished) && !ends_with_a_line(&*file)? {
        return Ok(busy);
    }
    Ok(if file.lease()? == Lease::Writer { busy } else { Look::Quiet })
}

fn ends_with_a_line(file: &dyn DiskFile) -> io::Result<bool> {
    let mut last = [0];
    match file.len()?.checked_sub(1) {
        Some(at) => Ok(file.read_at(&mut last, at)? == 1 && last == *b"\n"),
        None => Ok(false),
    }
}
