//! The files of the account.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use serde::{Deserialize, Serialize};
use subcortex_mind::Usage;
use subcortex_store::durable::{self, AppendError, ReadError, WriteError};
use subcortex_store::{Disk, OpenMode};

use crate::Sum;

/// How many days the account is kept: a year, and enough to compare with the one before.
pub const KEPT_DAYS: i64 = 400;
/// The largest day that is read, in bytes: about a million questions.
const MAX_DAY_BYTES: u64 = 256 * 1024 * 1024;

/// One question in the account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// When it was answered or given up.
    pub ts: Timestamp,
    /// Whose question it was.
    pub partition: String,
    /// In which run.
    pub run_id: String,
    /// What for: `step`, `scratchpad`, `compile`, `judge`, `word`, `claude`, `codex`.
    pub purpose: String,
    /// Who answered.
    pub model: String,
    /// The tokens.
    #[serde(flatten)]
    pub usage: Usage,
    /// What they cost, in US dollars, if that is known.
    pub usd: Option<f64>,
}

/// The account of one day.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Day {
    /// By partition.
    pub partitions: BTreeMap<String, Sum>,
    /// Lines that say nothing that can be counted.
    pub unreadable: u64,
}

/// Why the account cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It cannot be written.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// A file cannot be removed.
    #[error(transparent)]
    Remove(#[from] WriteError),
    /// The system refused something else.
    #[error("{} cannot be used: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

pub(crate) fn day_of(now: Timestamp) -> Date {
    now.to_zoned(TimeZone::UTC).date()
}

fn path_of(dir: &Path, day: Date) -> PathBuf {
    dir.join(format!("{day}.jsonl"))
}

/// Enters a question, durably.
pub(crate) fn append(disk: &dyn Disk, dir: &Path, entry: &Entry) -> Result<(), UsageError> {
    let path = path_of(dir, day_of(entry.ts));
    let io = |source| UsageError::Io { path: path.clone(), source };
    let file = disk.open(&path, OpenMode::Append).map_err(io)?;
    file.lock().map_err(io)?;
    let len = file.len().map_err(io)?;
    let mut last = [b'\n'];
    if len > 0 {
        file.read_at(&mut last, len - 1).map_err(io)?;
    }
    let mut line = serde_json::to_vec(entry).map_err(|error| io(error.into()))?;
    line.push(b'\n');
    if last != *b"\n" {
        line.insert(0, b'\n'); // a torn line stays, on its own
    }
    durable::append(&*file, len, &line)?;
    file.sync().map_err(io)
}

/// Reads the account of one day; a day without a file is empty.
pub fn read_day(disk: &dyn Disk, dir: &Path, day: Date) -> Result<Day, UsageError> {
    let bytes = match durable::read(disk, &path_of(dir, day), MAX_DAY_BYTES) {
        Ok(bytes) => bytes,
        Err(ReadError::Missing { .. }) => return Ok(Day::default()),
        Err(error) => return Err(error.into()),
    };
    let mut read = Day::default();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice::<Entry>(line) {
            Ok(entry) => read.partitions.entry(entry.partition).or_default().add(&entry.usage, entry.usd),
            Err(_) => read.unreadable += 1,
        }
    }
    Ok(read)
}

/// Removes days that are older than [`KEPT_DAYS`]; says how many.
pub fn prune(disk: &dyn Disk, dir: &Path, now: Timestamp) -> Result<usize, UsageError> {
    let names = match disk.list(dir) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(source) => return Err(UsageError::Io { path: dir.to_owned(), source }),
    };
    let oldest = day_of(now).saturating_sub(KEPT_DAYS.days());
    let days = names.iter().filter_map(|name| name.to_str()?.strip_suffix(".jsonl")?.parse::<Date>().ok());
    let mut removed = 0;
    for day in days.filter(|day| *day < oldest) {
        durable::remove(disk, &path_of(dir, day))?;
        removed += 1;
    }
    Ok(removed)
}
