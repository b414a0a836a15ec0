//! The day files and their order.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};
use subcortex_store::{Disk, EntryKind};

use crate::error::ReadError;

/// A UTC day, by which the log is cut into files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(Date);

impl Day {
    /// The day that a moment falls on.
    pub fn of(moment: Timestamp) -> Self {
        Self(moment.to_zoned(TimeZone::UTC).date())
    }

    /// How many days lie between this day and a later one; 0 when the other is not later.
    pub fn days_until(self, later: Self) -> u32 {
        later.number().saturating_sub(self.number())
    }

    /// Days since 1 January of the year 0, which fits the 24 bits that the dedup index has for it.
    pub(crate) fn number(self) -> u32 {
        let since = self.0.since((jiff::Unit::Day, EPOCH)).map(|span| span.get_days());
        since.ok().and_then(|days| u32::try_from(days).ok()).unwrap_or(0)
    }

    /// The day with a number of its own.
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        EPOCH.checked_add(jiff::Span::new().try_days(number).ok()?).ok().map(Self)
    }

    /// The name of its plain file.
    pub fn file_name(self) -> String {
        format!("{self}.jsonl")
    }
}

const EPOCH: Date = Date::constant(0, 1, 1);

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for Day {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let date: Date = text.parse().map_err(|_| ())?;
        // Only the one spelling that we write: `2026-01-01`, no other ISO form.
        if date.to_string() == text { Ok(Self(date)) } else { Err(()) }
    }
}

/// One file of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayFile {
    /// The day whose appends it holds.
    pub day: Day,
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is a `.jsonl.zst`.
    pub compressed: bool,
}

/// Something in the events directory that has the name of a day file and is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OddEntry {
    /// Where it is.
    pub path: PathBuf,
    /// What it is, in words.
    pub what: &'static str,
}

/// Lists the day files in their order, and what has such a name but is no regular file.
///
/// A day that is there twice (a crash between compressing and removing) is listed once, plain: the plain
/// file goes last.
pub fn list_days(disk: &dyn Disk, events_dir: &Path) -> Result<(Vec<DayFile>, Vec<OddEntry>), ReadError> {
    let names = match disk.list(events_dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), Vec::new())),
        other => other.map_err(ReadError::io("list", events_dir))?,
    };
    let (mut days, mut odd) = (Vec::<DayFile>::new(), Vec::new());
    for name in names {
        let Some((day, compressed)) = name.to_str().and_then(parse_name) else { continue };
        let path = events_dir.join(&name);
        match disk.stat(&path).map_err(ReadError::io("look at", &path))?.kind {
            EntryKind::File => days.push(DayFile { day, path, compressed }),
            EntryKind::Directory => odd.push(OddEntry { path, what: "a directory" }),
            EntryKind::Symlink => odd.push(OddEntry { path, what: "a symbolic link" }),
            EntryKind::Other => odd.push(OddEntry { path, what: "not a regular file" }),
        }
    }
    days.sort_by_key(|file| (file.day, file.compressed));
    days.dedup_by_key(|file| file.day);
    Ok((days, odd))
}

fn parse_name(name: &str) -> Option<(Day, bool)> {
    let (stem, compressed) = match name.strip_suffix(".jsonl.zst") {
        Some(stem) => (stem, true),
        None => (name.strip_suffix(".jsonl")?, false),
    };
    Some((stem.parse().ok()?, compressed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_survives_its_name_and_its_number() {
        for text in ["1970-01-01", "2026-11-16", "2038-01-19", "9998-12-31"] {
            let day: Day = text.parse().unwrap();
            assert_eq!(day.to_string(), text);
            assert_eq!(Day::from_number(day.number()), Some(day));
            assert!(day.number() < 1 << 24);
        }
    }

    #[test]
    fn only_the_names_that_we_write_are_day_files() {
        assert!(parse_name("2026-01-01.jsonl").is_some_and(|(_, compressed)| !compressed));
        assert!(parse_name("2026-01-01.jsonl.zst").is_some_and(|(_, compressed)| compressed));
        for name in
            ["20260101.jsonl", "2026-01-01.json", "2026-13-01.jsonl", ".lock", "2026-01-01", "x.jsonl"]
        {
            assert_eq!(parse_name(name), None, "{name}");
        }
    }
}
