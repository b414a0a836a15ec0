//! `run-log.md`: one line a run, for people.
//!
//! ```text
//! - 2026-11-14T08:37:00Z 20261114T083700-17 memory-weaver terminal, acked 3, kept 0, took 14m 42s: UPDATED: 3 lines
//! ```
//!
//! - A line is appended with one write. A torn last line, left by a crash, gets its line end first and stays.
//! - A run that is recorded twice (a crash in between) has one line.
//! - Beyond [`MAX_LOG_BYTES`] the older half goes.

use std::path::Path;

use subcortex_guard::{Redactor, escape_for_display};
use subcortex_store::durable::{self, append};
use subcortex_store::{Disk, DiskFile, OpenMode};

use crate::text::shortened;
use crate::{RunRecord, RunsError};

/// The name of the log, below `var/runs/`.
pub const LOG_FILE: &str = "run-log.md";
/// The longest that the log gets.
pub const MAX_LOG_BYTES: u64 = 1024 * 1024;
/// How far back it is looked whether a run has its line already.
const TAIL_BYTES: u64 = 64 * 1024;
/// How much of a result or reason is shown, in characters.
const SAID_MAX_CHARS: usize = 200;
const HEADING: &str =
    "# Runs\n\nThe newest is the last line. `subcortex runs show ID` shows a whole record.\n\n";

/// Appends the line of a run to the log below `dir` (`var/runs`), unless it is there, and makes it durable.
pub fn append_log(disk: &dyn Disk, dir: &Path, record: &RunRecord) -> Result<(), RunsError> {
    let path = dir.join(LOG_FILE);
    let file = disk.open(&path, OpenMode::Append).map_err(RunsError::io(&path, "opened"))?;
    file.lock().map_err(RunsError::io(&path, "locked"))?;
    let tail = Tail::read(&*file, TAIL_BYTES).map_err(RunsError::io(&path, "read"))?;
    if tail.names(&record.run_id) {
        // Whoever wrote it may have died before the sync.
        return file.sync().map_err(RunsError::io(&path, "synced"));
    }
    let text = format!("{}{}\n", tail.joint(), line(record));
    if tail.len + text.len() as u64 > MAX_LOG_BYTES {
        let newer = Tail::read(&*file, MAX_LOG_BYTES / 2).map_err(RunsError::io(&path, "read"))?;
        let new = [HEADING.as_bytes(), newer.whole_lines(), text.as_bytes()].concat();
        return Ok(durable::replace(disk, &path, &new)?);
    }
    append(&*file, tail.len, text.as_bytes())?;
    file.sync().map_err(RunsError::io(&path, "synced"))
}

/// The end of the log as it is.
struct Tail {
    len: u64,
    bytes: Vec<u8>,
}

impl Tail {
    fn read(file: &dyn DiskFile, max_bytes: u64) -> std::io::Result<Tail> {
        let len = file.len()?;
        let start = len.saturating_sub(max_bytes);
        let mut bytes = vec![0; usize::try_from(len - start).unwrap_or(0)];
        let mut filled = 0;
        while filled < bytes.len() {
            match file.read_at(&mut bytes[filled..], start + filled as u64)? {
                0 => break,
                count => filled += count,
            }
        }
        bytes.truncate(filled);
        Ok(Tail { len, bytes })
    }

    fn names(&self, run_id: &str) -> bool {
        let lines = self.bytes.split(|byte| *byte == b'\n');
        // Without the last piece: a torn line is no line.
        let whole = lines.rev().skip(1);
        whole.into_iter().any(|line| line.split(|byte| *byte == b' ').nth(2) == Some(run_id.as_bytes()))
    }

    /// The tail from its first whole line on.
    fn whole_lines(&self) -> &[u8] {
        match self.bytes.iter().position(|byte| *byte == b'\n') {
            Some(end) => &self.bytes[end + 1..],
            None => &[],
        }
    }

    /// What has to stand before the next line.
    fn joint(&self) -> &'static str {
        match self.bytes.last() {
            None => HEADING,
            Some(b'\n') => "",
            Some(_) => "\n",
        }
    }
}

fn line(record: &RunRecord) -> String {
    let at = record.ended_at.or(record.started_at);
    let at = at.map_or_else(|| "-".into(), |at| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    let kept = record.pending.len();
    let took = record.duration_ms().map_or_else(|| "an unknown time".into(), in_words);
    let mut line = format!(
        "- {at} {} {} {}, acked {}, kept {kept}, took {took}",
        word(&record.run_id),
        word(&record.partition),
        word(record.outcome.as_str()),
        record.acked.len(),
    );
    if let Some(said) = record.result.as_deref().or(record.reason.as_deref()) {
        let clean = Redactor::new().text(said).into_owned();
        line.push_str(": ");
        line.push_str(&escape_for_display(&shortened(&clean, SAID_MAX_CHARS)));
    }
    line
}

/// A text that must be one word on its line.
fn word(text: &str) -> String {
    match text {
        "" => "-".into(),
        _ => escape_for_display(text).replace(' ', "_"),
    }
}

fn in_words(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0 => format!("{ms} ms"),
        1..60 => format!("{seconds}.{} s", ms % 1_000 / 100),
        60..3_600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3_600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_readable() {
        for (ms, expect) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1_000, "1.0 s"),
            (59_999, "59.9 s"),
            (60_000, "1m 00s"),
            (882_711, "14m 42s"),
            (3_600_000, "1h 00m"),
            (90_061_000, "25h 01m"),
        ] {
            assert_eq!(in_words(ms), expect);
        }
    }

    #[test]
    fn a_line_cannot_be_forged_by_what_a_run_says() {
        let record = RunRecord {
            run_id: "a b".into(),
            result: Some("x\n- 2026 forged PASSWORD=hunter2".into()),
            ..RunRecord::default()
        };
        assert_eq!(
            line(&record),
            "- - a_b - -, acked 0, kept 0, took an unknown time: x\\n- 2026 forged PASSWORD=[REDACTED:password]"
        );
    }
}
