//! What a crash left: results that are durable, of tasks whose files may still be in their inbox.

use std::path::Path;

use memchr::memmem::Finder;
use subcortex_cadence::{PartitionId, TaskKey};
use subcortex_store::Disk;

use crate::days::{self, RecordFile};
use crate::files::{parse, read_bytes};
use crate::{RunsError, TaskRecord};

/// How many of the newest days with records are searched. Days with records, not days of the calendar: a daemon that
/// was down for a week still finds what it left.
pub const RECOVERY_DAYS: usize = 2;
/// How many of their records are searched at most, the newest first.
pub const RECOVERY_MAX_RECORDS: usize = 2_000;

/// A task that a run finished.
#[derive(Debug, Clone, PartialEq)]
pub struct TerminalResult {
    /// The run that finished it.
    pub run_id: String,
    /// What its record says about the task.
    pub task: TaskRecord,
}

/// The durable terminal results of a task, the newest first. Most often there is none or one.
///
/// Cheap without an index: only records that contain the task's hash are looked at more closely. A record that cannot
/// be read is no result: the task is then worked on again rather than lost.
pub fn terminal_results(
    disk: &dyn Disk,
    dir: &Path,
    partition: &PartitionId,
    key: &TaskKey,
) -> Result<Vec<TerminalResult>, RunsError> {
    let finder = Finder::new(key.hash.as_str());
    let mut results = Vec::new();
    for file in newest(disk, dir)? {
        let Ok(json) = read_bytes(disk, &file) else { continue };
        if finder.find(&json).is_none() {
            continue;
        }
        let Ok(record) = parse(&file, &json) else { continue };
        let finished = record.task(key.name.as_str(), key.hash.as_str()).filter(|task| task.is_finished());
        if let (Some(task), true) = (finished, record.partition == partition.as_str()) {
            results.push(TerminalResult { run_id: record.run_id.clone(), task: task.clone() });
        }
    }
    Ok(results)
}

fn newest(disk: &dyn Disk, dir: &Path) -> Result<Vec<RecordFile>, RunsError> {
    let mut files = Vec::new();
    let mut days_left = RECOVERY_DAYS;
    for day in days::days(disk, dir)? {
        let found = days::records_of(disk, dir, day)?;
        // Folders that were emptied by age stay, and are no days with records.
        days_left -= usize::from(!found.is_empty());
        files.extend(found);
        if days_left == 0 {
            break;
        }
    }
    files.truncate(RECOVERY_MAX_RECORDS);
    Ok(files)
}
