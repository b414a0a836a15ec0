//! A run that has not ended yet: what became of its tasks so far, one line each.
//!
//! | line of `<run-id>.open.jsonl` | what                                              |
//! |-------------------------------|---------------------------------------------------|
//! | the first                     | the record as it was when its first task was settled, without tasks |
//! | each further one              | one task with its result; of two for one task the later counts      |
//!
//! - Lines are appended with one write and synced, so a run of a thousand tasks does not write its record a thousand
//!   times. A line that has no end or cannot be read is what a crash left of a write that nobody was told about: it does
//!   not count.
//! - When the record is written whole, this file goes. Where both are there, it is the record that counts.
//! - Bodies are kept until the file is [`MAX_BODIES_BYTES`] long. Results are always kept.

use std::io;
use std::path::Path;

use serde::Serialize;
use subcortex_guard::{Redactor, check_basename};
use subcortex_store::durable::{self, append};
use subcortex_store::{Disk, DiskFile, OpenMode};

use crate::days::{self, RecordFile};
use crate::{MAX_BODIES_BYTES, RunRecord, RunsError, TaskRecord};

/// Makes the results of some tasks durable while their run goes on. What they say may be acted on once this has returned.
///
/// `record` is the run as it is now; of its tasks only those of `settled` are written.
pub fn settle(
    disk: &dyn Disk,
    dir: &Path,
    record: &RunRecord,
    settled: &[TaskRecord],
) -> Result<(), RunsError> {
    let day = days::day_of(record)?.to_string();
    let folder = dir.join(&day);
    let path = days::open_path_of(&folder, &record.run_id);
    let file = match disk.open(&path, OpenMode::Append) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            durable::make_dirs(disk, dir, Path::new(&day))?;
            disk.open(&path, OpenMode::Append)
        }
        other => other,
    };
    let file = file.map_err(RunsError::io(&path, "opened"))?;
    let len = file.len().map_err(RunsError::io(&path, "looked at"))?;
    let broken = |source| RunsError::Broken { path: path.clone(), source };
    let mut lines = if len == 0 { head_line(record).map_err(broken)? } else { joint(&*file, len, &path)? };
    let redactor = Redactor::new();
    for task in settled {
        let clean = task.redacted(&redactor);
        let mut line = line(&clean).map_err(broken)?;
        if len + (lines.len() + line.len()) as u64 > MAX_BODIES_BYTES as u64 {
            let cut = TaskRecord { body: String::new(), body_cut: true, ..clean };
            line = self::line(&cut).map_err(broken)?;
        }
        lines.append(&mut line);
    }
    append(&*file, len, &lines)?;
    file.sync().map_err(RunsError::io(&path, "synced"))?;
    if len == 0 {
        disk.sync_dir(&folder).map_err(RunsError::io(&folder, "synced"))?;
    }
    Ok(())
}

/// Takes away what [`settle`] wrote, once the whole record is durable. A power cut may bring it back; then it does not count.
pub(crate) fn remove(disk: &dyn Disk, folder: &Path, run_id: &str) -> Result<(), RunsError> {
    let path = days::open_path_of(folder, run_id);
    match disk.remove(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(RunsError::io(&path, "removed")(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Makes durable what [`settle`] wrote in a process that died, perhaps before its sync. Without such a file there is
/// nothing to do: a whole record is durable from the start.
pub fn sync_settled(disk: &dyn Disk, dir: &Path, run_id: &str) -> Result<(), RunsError> {
    let Some(day) = days::day_in_name(run_id).filter(|_| check_basename(run_id).is_ok()) else {
        return Ok(());
    };
    let folder = dir.join(day.to_string());
    let path = days::open_path_of(&folder, run_id);
    let file = match disk.open(&path, OpenMode::Read) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other.map_err(RunsError::io(&path, "opened"))?,
    };
    file.sync().map_err(RunsError::io(&path, "synced"))?;
    disk.sync_dir(&folder).map_err(RunsError::io(&folder, "synced"))
}

/// Reads what [`settle`] wrote.
pub(crate) fn parse(file: &RecordFile, bytes: &[u8]) -> RunRecord {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    let mut lines = bytes[..end].split(|byte| *byte == b'\n');
    let head = lines.next().and_then(|head| serde_json::from_slice(head).ok());
    let nothing = || RunRecord { run_id: file.run_id.clone(), ..RunRecord::default() };
    let mut record: RunRecord = head.unwrap_or_else(nothing);
    for task in lines.filter_map(|line| serde_json::from_slice::<TaskRecord>(line).ok()) {
        let (name, key) = (task.name.clone(), task.key.clone());
        *record.task_mut(&name, &key) = task;
    }
    record
}

fn head_line(record: &RunRecord) -> Result<Vec<u8>, serde_json::Error> {
    line(&RunRecord { tasks: Vec::new(), ..record.clone() }.redacted())
}

fn line(what: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = serde_json::to_vec(what)?;
    line.push(b'\n');
    Ok(line)
}

/// What has to stand before the next line: a torn line of an earlier process gets its end.
fn joint(file: &dyn DiskFile, len: u64, path: &Path) -> Result<Vec<u8>, RunsError> {
    let mut last = [0];
    file.read_at(&mut last, len - 1).map_err(RunsError::io(path, "read"))?;
    Ok(if last == *b"\n" { Vec::new() } else { vec![b'\n'] })
}
