//! Old records go.

use std::io;
use std::path::Path;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use subcortex_store::Disk;

use crate::days::{self, RecordFile};
use crate::{RunsError, journal};

/// What is kept. Whatever is older or more goes, the oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many days a record is kept.
    pub max_age_days: u32,
    /// How many records are kept.
    pub max_records: usize,
}

impl Limits {
    /// How many days a record is kept.
    pub const MAX_AGE_DAYS: u32 = 90;
    /// How many records are kept.
    pub const MAX_RECORDS: usize = 10_000;
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { max_age_days: Limits::MAX_AGE_DAYS, max_records: Limits::MAX_RECORDS }
    }
}

/// Removes the records beyond the limits and says how many. The log of runs keeps their lines.
pub fn prune(disk: &dyn Disk, dir: &Path, now: Timestamp, limits: Limits) -> Result<usize, RunsError> {
    let today = now.to_zoned(TimeZone::UTC).date();
    let oldest_kept = today.saturating_sub(i64::from(limits.max_age_days).days());
    let (mut room, mut removed) = (limits.max_records, 0);
    for day in days::days(disk, dir)? {
        let files = days::records_of(disk, dir, day)?;
        let kept = if day < oldest_kept { 0 } else { files.len().min(room) };
        room -= kept;
        removed += remove(disk, dir, day, files.get(kept..).unwrap_or_default())?;
    }
    Ok(removed)
}

fn remove(disk: &dyn Disk, dir: &Path, day: Date, files: &[RecordFile]) -> Result<usize, RunsError> {
    let mut removed = 0;
    let folder = dir.join(day.to_string());
    for file in files {
        match disk.remove(&file.path) {
            Ok(()) => removed += 1,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(RunsError::io(&file.path, "removed")(error)),
        }
        // A power cut may have brought it back.
        journal::remove(disk, &folder, &file.run_id)?;
    }
    if removed > 0 {
        disk.sync_dir(&folder).map_err(RunsError::io(&folder, "synced"))?;
    }
    Ok(removed)
}
