//! A position in the log that survives restarts, compression and the repair of a torn tail.

use serde::{Deserialize, Serialize};

use crate::day::Day;

/// Everything before it has been read. Positions only move forward.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// The plain name of the day file, also when the file has been compressed since.
    pub file: String,
    /// The byte behind the last whole record that was read, in the uncompressed file.
    pub offset: u64,
    /// The id of that record.
    pub last_id: Option<String>,
}

impl Cursor {
    /// The beginning of a day.
    pub fn at_start_of(day: Day) -> Self {
        Self { file: day.file_name(), offset: 0, last_id: None }
    }

    /// The day it stands in; `None` when somebody wrote nonsense into it.
    pub fn day(&self) -> Option<Day> {
        self.file.strip_suffix(".jsonl")?.parse().ok()
    }
}
