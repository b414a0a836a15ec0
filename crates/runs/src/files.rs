//! Writing records and finding them again.

use std::path::Path;

use subcortex_guard::check_basename;
use subcortex_store::Disk;
use subcortex_store::durable::{self, ReadError};

use crate::days::{self, RecordFile};
use crate::{Ended, MAX_BODIES_BYTES, RunRecord, RunsError, journal};

/// The longest record that is written or read.
const MAX_RECORD_BYTES: u64 = 64 * 1024 * 1024;
/// The longest that is read of a run that has not ended: with all bodies that are kept, and a result of full length for
/// each of as many tasks as a run can have.
const MAX_OPEN_BYTES: u64 = 2 * MAX_RECORD_BYTES;

/// Makes a record durable below `dir` (`var/runs`), whole or not at all, in place of an earlier one of the same run.
/// What it says may be acted on once this has returned.
pub fn write(disk: &dyn Disk, dir: &Path, record: &RunRecord) -> Result<(), RunsError> {
    let day = days::day_of(record)?.to_string();
    durable::make_dirs(disk, dir, Path::new(&day))?;
    let folder = dir.join(&day);
    let path = days::path_of(&folder, &record.run_id);
    let json = bounded_json(record).map_err(|source| RunsError::Broken { path: path.clone(), source })?;
    durable::replace(disk, &path, &json)?;
    journal::remove(disk, &folder, &record.run_id)
}

/// Bodies of control characters grow sixfold as JSON: then less of them is kept.
fn bounded_json(record: &RunRecord) -> Result<Vec<u8>, serde_json::Error> {
    let mut clean = record.redacted();
    let mut max_bodies_bytes = MAX_BODIES_BYTES;
    loop {
        let mut json = serde_json::to_vec_pretty(&clean)?;
        json.push(b'\n');
        if json.len() as u64 <= MAX_RECORD_BYTES || max_bodies_bytes == 0 {
            return Ok(json);
        }
        max_bodies_bytes /= 2;
        clean.cut_bodies(max_bodies_bytes);
    }
}

/// The newest runs, at most `limit`, the newest first; without bodies and outputs, which [`find`] brings.
///
/// A record that cannot be read hides no other: it is listed by its name, with the outcome [`Ended::Unreadable`] and the reason.
pub fn list(disk: &dyn Disk, dir: &Path, limit: usize) -> Result<Vec<RunRecord>, RunsError> {
    let mut records = Vec::new();
    for day in days::days(disk, dir)? {
        let files = days::records_of(disk, dir, day)?;
        for file in files.into_iter().take(limit - records.len()) {
            records.push(
                read(disk, &file).map_or_else(|error| unreadable(file, &error), RunRecord::without_texts),
            );
        }
        if records.len() == limit {
            break;
        }
    }
    Ok(records)
}

fn unreadable(file: RecordFile, error: &RunsError) -> RunRecord {
    RunRecord {
        run_id: file.run_id,
        outcome: Ended::Unreadable,
        reason: Some(error.to_string()),
        ..RunRecord::default()
    }
}

/// The record of exactly this run, also while it runs, for whoever knows the whole name. Costs one read.
pub fn load(disk: &dyn Disk, dir: &Path, run_id: &str) -> Result<Option<RunRecord>, RunsError> {
    if let Some(day) = days::day_in_name(run_id).filter(|_| check_basename(run_id).is_ok()) {
        let folder = dir.join(day.to_string());
        for file in [RecordFile::whole(&folder, run_id), RecordFile::open(&folder, run_id)] {
            match read(disk, &file) {
                Err(RunsError::Read(ReadError::Missing { .. })) => {}
                found => return found.map(Some),
            }
        }
        return Ok(None);
    }
    // Not a name that the scheduler gave: only its start says where it is.
    for day in days::days(disk, dir)? {
        let files = days::records_of(disk, dir, day)?;
        if let Some(file) = files.iter().find(|file| file.run_id == run_id) {
            return read(disk, file).map(Some);
        }
    }
    Ok(None)
}

/// The run of this name, else the one run whose name begins like this or ends in this number: for people. Nothing if
/// there is none, or more than one.
pub fn find(disk: &dyn Disk, dir: &Path, id: &str) -> Result<Option<RunRecord>, RunsError> {
    if id.is_empty() {
        return Ok(None);
    }
    if let Some(record) = load(disk, dir, id)? {
        return Ok(Some(record));
    }
    let is_alike = |file: &RecordFile| {
        file.run_id.starts_with(id) || file.run_id.rsplit_once('-').is_some_and(|(_, number)| number == id)
    };
    let mut alike = Vec::new();
    for day in days::days(disk, dir)? {
        alike.extend(days::records_of(disk, dir, day)?.into_iter().filter(is_alike));
    }
    match alike.as_slice() {
        [only] => read(disk, only).map(Some),
        _ => Ok(None),
    }
}

/// Reads one record.
pub(crate) fn read(disk: &dyn Disk, file: &RecordFile) -> Result<RunRecord, RunsError> {
    parse(file, &read_bytes(disk, file)?)
}

pub(crate) fn read_bytes(disk: &dyn Disk, file: &RecordFile) -> Result<Vec<u8>, ReadError> {
    durable::read(disk, &file.path, if file.open { MAX_OPEN_BYTES } else { MAX_RECORD_BYTES })
}

pub(crate) fn parse(file: &RecordFile, bytes: &[u8]) -> Result<RunRecord, RunsError> {
    if file.open {
        return Ok(journal::parse(file, bytes));
    }
    serde_json::from_slice(bytes).map_err(|source| RunsError::Broken { path: file.path.clone(), source })
}
