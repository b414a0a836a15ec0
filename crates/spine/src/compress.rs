//! Days that are over become small, and go only when a person said so.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use subcortex_store::{Disk, DiskFile, OpenMode, durable};

use crate::day::{Day, DayFile, list_days};
use crate::error::AppendError;
use crate::lines::{FileReader, final_error};
use crate::spine::Spine;

/// How hard the compressor tries: the default of the format, fast enough for a background job.
const LEVEL: i32 = 3;

/// One day that was compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compressed {
    /// The new file.
    pub path: PathBuf,
    /// Its size before, in bytes.
    pub from_bytes: u64,
    /// Its size now, in bytes.
    pub to_bytes: u64,
}

/// Compresses the days that are older than `after_days`.
///
/// The copy is read back and durable before the plain file goes. A crash in between leaves both, and
/// readers take the plain one; the next call finishes the work. Others can append meanwhile: nothing is
/// appended to an old day, and they are kept out only while the plain file goes. A day that somebody
/// changed all the same is left as it is.
pub fn compress_old_days(
    spine: &mut Spine,
    now: Timestamp,
    after_days: u32,
) -> Result<Vec<Compressed>, AppendError> {
    let (disk, days) =
        spine.while_locked(|disk, dirs| (Arc::clone(disk), list_days(&**disk, &dirs.events)))?;
    let (days, _) = days?;
    let today = Day::of(now);
    let newest = days.last().map(|file| file.day);
    let old = days.iter().filter(|file| {
        // The newest day may still be appended to, whatever the clock says.
        !file.compressed && Some(file.day) != newest && file.day.days_until(today) > after_days
    });
    let mut done = Vec::new();
    for file in old {
        let compressed = compress(&*disk, file)?;
        if spine.while_locked(|disk, _| remove_plain(&**disk, file, compressed.from_bytes))?? {
            done.push(compressed);
        }
    }
    Ok(done)
}

/// Removes a day of which there is a copy now, unless it is not what was copied.
fn remove_plain(disk: &dyn Disk, file: &DayFile, copied_bytes: u64) -> Result<bool, AppendError> {
    let len = disk.stat(&file.path).map_err(AppendError::io("look at", &file.path))?.len;
    if len == copied_bytes {
        durable::remove(disk, &file.path)?;
    }
    Ok(len == copied_bytes)
}

/// How many days of the log must agree that a day is too old. A clock that is wrong once (a dead battery, a machine that wakes
/// before it knows the time) would have the whole log removed by one start.
const MIN_WITNESSES: usize = 3;

/// Removes the days that are older than `retention_days`, and says which.
///
/// The clock alone does not decide: a day goes once three later ones, on which something was appended, lie as far behind it.
pub fn remove_expired_days(
    spine: &mut Spine,
    now: Timestamp,
    retention_days: u32,
) -> Result<Vec<PathBuf>, AppendError> {
    spine.while_locked(|disk, dirs| {
        let today = Day::of(now);
        let (days, _) = list_days(&**disk, &dirs.events)?;
        // The day that as many days reached, this one among them.
        let reached = days.iter().rev().nth(MIN_WITNESSES - 1).map(|file| file.day);
        let mut removed = Vec::new();
        for file in days {
            let is_old = |now: Day| file.day.days_until(now) > retention_days;
            if is_old(today) && reached.is_some_and(is_old) {
                disk.remove(&file.path).map_err(AppendError::io("remove", &file.path))?;
                removed.push(file.path);
            }
        }
        if !removed.is_empty() {
            disk.sync_dir(&dirs.events).map_err(AppendError::io("sync", &dirs.events))?;
        }
        Ok(removed)
    })?
}

fn compress(disk: &dyn Disk, file: &DayFile) -> Result<Compressed, AppendError> {
    let path = file.path.with_extension("jsonl.zst");
    let plain = disk.open(&file.path, OpenMode::Read).map_err(AppendError::io("open", &file.path))?;
    let from_bytes = plain.len().map_err(AppendError::io("measure", &file.path))?;
    let to_bytes = durable::replace_with(disk, &path, |out| {
        let to_bytes = write_compressed(&*plain, out)?;
        let copy = zstd::Decoder::new(FileReader::new(out, 0))?;
        if same_bytes(FileReader::new(&*plain, 0), copy)? {
            Ok(to_bytes)
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidData, "the compressed copy is not the same"))
        }
    })?;
    Ok(Compressed { path, from_bytes, to_bytes })
}

fn write_compressed(plain: &dyn DiskFile, out: &dyn DiskFile) -> io::Result<u64> {
    let mut encoder = zstd::Encoder::new(FileWriter { file: out, position: 0 }, LEVEL)?;
    encoder.include_checksum(true)?;
    io::copy(&mut FileReader::new(plain, 0), &mut encoder)?;
    Ok(encoder.finish()?.position)
}

/// Reads both and compares them, byte for byte.
fn same_bytes(mut a: impl Read, mut b: impl Read) -> io::Result<bool> {
    const COMPARE_BYTES: u64 = 1024 * 1024;
    loop {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        a.by_ref().take(COMPARE_BYTES).read_to_end(&mut left)?;
        b.by_ref().take(COMPARE_BYTES).read_to_end(&mut right)?;
        if left != right {
            return Ok(false);
        }
        if left.is_empty() {
            return Ok(true);
        }
    }
}

struct FileWriter<'a> {
    file: &'a dyn DiskFile,
    position: u64,
}

impl Write for FileWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write_at(bytes, self.position).map_err(final_error)?;
        self.position += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
