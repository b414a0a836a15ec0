//! The folders of days, and the files in them.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use subcortex_guard::check_basename;
use subcortex_store::Disk;

use crate::{RunRecord, RunsError};

const SUFFIX: &str = ".json";
/// Of what is known of a run that has not ended.
const OPEN_SUFFIX: &str = ".open.jsonl";

/// One record's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordFile {
    pub(crate) run_id: String,
    pub(crate) path: PathBuf,
    /// Whether the run has not ended, or was cut short: then only its settled tasks are on record.
    pub(crate) open: bool,
}

impl RecordFile {
    pub(crate) fn whole(folder: &Path, run_id: &str) -> RecordFile {
        RecordFile { run_id: run_id.to_owned(), path: path_of(folder, run_id), open: false }
    }

    pub(crate) fn open(folder: &Path, run_id: &str) -> RecordFile {
        RecordFile { run_id: run_id.to_owned(), path: open_path_of(folder, run_id), open: true }
    }
}

/// The day folders, the newest first. Whatever else is there is left alone.
pub(crate) fn days(disk: &dyn Disk, dir: &Path) -> Result<Vec<Date>, RunsError> {
    let mut days: Vec<Date> =
        names(disk, dir)?.iter().filter_map(|name| day_of_folder(name.to_str()?)).collect();
    days.sort_unstable_by(|one, other| other.cmp(one));
    Ok(days)
}

fn day_of_folder(name: &str) -> Option<Date> {
    let day: Date = name.parse().ok()?;
    // The library reads more than one way of writing a day.
    (day.to_string() == name).then_some(day)
}

/// The records of one day, the newest first.
pub(crate) fn records_of(disk: &dyn Disk, dir: &Path, day: Date) -> Result<Vec<RecordFile>, RunsError> {
    let folder = dir.join(day.to_string());
    let names = names(disk, &folder)?;
    let with = |suffix: &'static str| {
        let ids = names.iter().filter_map(move |name| name.to_str()?.strip_suffix(suffix));
        ids.filter(|run_id| !run_id.is_empty() && !run_id.starts_with('.'))
    };
    let mut found: Vec<RecordFile> = with(SUFFIX).map(|run_id| RecordFile::whole(&folder, run_id)).collect();
    let whole: HashSet<&str> = with(SUFFIX).collect();
    let open = with(OPEN_SUFFIX).filter(|run_id| !whole.contains(run_id));
    found.extend(open.map(|run_id| RecordFile::open(&folder, run_id)));
    found.sort_by(|one, other| age(&other.run_id).cmp(&age(&one.run_id)));
    Ok(found)
}

fn names(disk: &dyn Disk, dir: &Path) -> Result<Vec<OsString>, RunsError> {
    match disk.list(dir) {
        Ok(names) => Ok(names),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(RunsError::Look { path: dir.to_owned(), source }),
    }
}

pub(crate) fn path_of(folder: &Path, run_id: &str) -> PathBuf {
    folder.join(format!("{run_id}{SUFFIX}"))
}

pub(crate) fn open_path_of(folder: &Path, run_id: &str) -> PathBuf {
    folder.join(format!("{run_id}{OPEN_SUFFIX}"))
}

/// What a run's name sorts by: its second as text, then its number as a number, so that `…-10` is later than `…-9`.
fn age(run_id: &str) -> (&str, u64) {
    match run_id.rsplit_once('-') {
        Some((second, number)) => match number.parse() {
            Ok(number) => (second, number),
            Err(_) => (run_id, 0),
        },
        None => (run_id, 0),
    }
}

/// The day in whose folder a record belongs: that in the run's name, else that of its start.
pub(crate) fn day_of(record: &RunRecord) -> Result<Date, RunsError> {
    let run_id = check_basename(&record.run_id)?;
    let by_start = || Some(record.started_at?.to_zoned(TimeZone::UTC).date());
    day_in_name(run_id)
        .or_else(by_start)
        .filter(|_| !run_id.starts_with('.'))
        .ok_or_else(|| RunsError::NoDay { run_id: run_id.to_owned() })
}

/// The day on which a run started, if the scheduler named it: `20261114T083700-17`.
pub(crate) fn day_in_name(run_id: &str) -> Option<Date> {
    Date::strptime("%Y%m%d", run_id.split_once('T')?.0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(run_id: &str, started_at: Option<&str>, expect: &str) {
        let started_at = started_at.map(|at| at.parse().unwrap());
        let record = RunRecord { run_id: run_id.into(), started_at, ..RunRecord::default() };
        let said = day_of(&record).map_or_else(|error| error.to_string(), |day| day.to_string());
        assert_eq!(said, expect);
    }

    #[test]
    fn a_record_belongs_to_the_day_on_which_its_run_started() {
        check("20261114T235959-3", None, "2026-11-14");
        check("20261114T235959-3", Some("2026-11-15T00:00:01Z"), "2026-11-14");
        check("by-hand", Some("2026-11-15T23:30:00-02:00"), "2026-11-16");
        let no_day = "neither its name nor `started_at` says on which day it started";
        check("by-hand", None, &format!("the record of run `by-hand` was not written: {no_day}"));
        check(
            "20269914T000000-1",
            None,
            &format!("the record of run `20269914T000000-1` was not written: {no_day}"),
        );
    }

    #[test]
    fn a_name_that_leads_elsewhere_is_refused() {
        for run_id in ["../20261114T000000-1", "20261114T000000-1/x", "", ".20261114T000000-1", "a\nb"] {
            let record = RunRecord {
                run_id: run_id.into(),
                started_at: Some("2026-11-14T00:00:00Z".parse().unwrap()),
                ..RunRecord::default()
            };
            assert!(day_of(&record).is_err(), "{run_id:?}");
        }
    }

    #[test]
    fn only_folders_that_are_named_like_a_day_are_days() {
        assert!(day_of_folder("2026-11-14").is_some());
        for name in ["2026-11-31", "20261114", "2026-11-14x", "run-log.md", "2026-1-1", ""] {
            assert!(day_of_folder(name).is_none(), "{name}");
        }
    }
}
