//! `run-log.md`: one line a run, only ever appended to.
//!
//! `<ts>  run#<n>  action=<a>  <item or ->  outcome=<o>  tokens=<t>`
//!
//! A last line without a line end is torn: its number may be cut short, so it is counted and not used. Lines that are
//! no runs (a heading, a person's note) are left alone.

use std::fmt;
use std::io;
use std::path::Path;

use jiff::Timestamp;
use subcortex_store::{Disk, OpenMode, durable};

/// The name of the log in a loop's folder.
pub const FILE: &str = "run-log.md";
/// What came of a turn in which nothing ran, because somebody held what was needed.
pub const DEFERRED: &str = "deferred";
/// The longest log that is read, in bytes.
const MAX_LOG_BYTES: u64 = 64 * 1024 * 1024;

/// One run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedRun {
    /// When it ended; nothing where a person wrote something else.
    pub at: Option<Timestamp>,
    /// Its number.
    pub run: u64,
    /// What came of it, in a word.
    pub outcome: String,
    /// Its output tokens.
    pub tokens: u64,
}

/// A line that is to be appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// When the run ended.
    pub at: Timestamp,
    /// Its number.
    pub run: u64,
    /// What was done, in a word.
    pub action: String,
    /// What it was done to.
    pub item: Option<String>,
    /// What came of it, in a word.
    pub outcome: String,
    /// Its output tokens.
    pub tokens: u64,
}

impl fmt::Display for LogLine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LogLine { at, run, action, item, outcome, tokens } = self;
        let item = item.as_deref().unwrap_or("-");
        write!(out, "{at:.0}  run#{run}  action={action}  {item}  outcome={outcome}  tokens={tokens}")
    }
}

/// The runs of a log that say what they used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunLog {
    /// In the order of the log.
    pub runs: Vec<LoggedRun>,
    /// Whether the last line is torn.
    pub is_torn: bool,
}

/// Why a line was not appended.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The file could not be opened, looked at or synced.
    #[error("{} cannot be written: {source}; see whether its disk has room and is writable", .path)]
    Io {
        /// Its path.
        path: String,
        /// How it failed.
        source: io::Error,
    },
    /// The line could not be written whole.
    #[error(transparent)]
    Append(#[from] durable::AppendError),
}

impl RunLog {
    /// Reads the log of a loop's folder; one that never ran has none.
    pub fn read(disk: &dyn Disk, dir: &Path) -> Result<RunLog, durable::ReadError> {
        match durable::read(disk, &dir.join(FILE), MAX_LOG_BYTES) {
            Ok(bytes) => Ok(RunLog::parse(&String::from_utf8_lossy(&bytes))),
            Err(durable::ReadError::Missing { .. }) => Ok(RunLog::default()),
            Err(error) => Err(error),
        }
    }

    /// Reads what is whole.
    pub fn parse(text: &str) -> RunLog {
        let (whole, torn) = text.rsplit_once('\n').unwrap_or(("", text));
        RunLog { runs: whole.lines().filter_map(run).collect(), is_torn: !torn.trim().is_empty() }
    }

    /// The number of the next run: one more than the largest, whatever order people left the lines in.
    pub fn next_number(&self) -> u64 {
        self.runs.iter().map(|run| run.run).max().unwrap_or(0).saturating_add(1)
    }

    /// When the last run ended. Lines from the future (the clock was set back) say nothing about that: otherwise a loop
    /// would wait until the clock is there again.
    pub fn last_at(&self, now: Timestamp) -> Option<Timestamp> {
        self.runs.iter().filter_map(|run| run.at).filter(|at| *at <= now).max()
    }
}

/// Appends a line, durably. A torn one before it gets its line end, so that it stays one line and no run.
pub fn append(disk: &dyn Disk, dir: &Path, line: &LogLine) -> Result<(), LogError> {
    let path = dir.join(FILE);
    let failed = |source| LogError::Io { path: path.display().to_string(), source };
    let file = disk.open(&path, OpenMode::Append).map_err(failed)?;
    let len = file.len().map_err(failed)?;
    let mut text = String::new();
    if len > 0 {
        let mut last = [0];
        file.read_at(&mut last, len - 1).map_err(failed)?;
        text.push_str(if last == *b"\n" { "" } else { "\n" });
    }
    text.push_str(&format!("{line}\n"));
    durable::append(&*file, len, text.as_bytes())?;
    file.sync().map_err(failed)?;
    if len == 0 {
        disk.sync_dir(dir).map_err(failed)?;
    }
    Ok(())
}

fn run(line: &str) -> Option<LoggedRun> {
    // An item may hold any words, so the number is taken from the front and the rest from the end.
    let mut words = line.split_whitespace();
    let at = words.next()?.parse().ok();
    let run = words.next()?.strip_prefix("run#")?.parse().ok()?;
    let tokens = words.next_back()?.strip_prefix("tokens=")?.parse().ok()?;
    let outcome = words.next_back().and_then(|word| word.strip_prefix("outcome=")).unwrap_or_default();
    Some(LoggedRun { at, run, outcome: outcome.to_owned(), tokens })
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // tests make the files that are looked at
mod tests {
    use super::*;

    #[test]
    fn whole_lines_are_read_and_a_torn_one_is_only_noticed() {
        let log = RunLog::parse(
            "# log\n2026-01-01T00:00:00Z  run#1  action=none  -  outcome=quiet  tokens=120\r\n\
             2026-01-02T00:00:00Z  run#2  action=fix  odd tokens=9 item  outcome=done  tokens=3400\n\
             2026-01-03T00:00:00Z  run#3  action=fix  x  outcome=done\n\
             2026-01-04T00:00:00Z  run#4  action=fix  x  outcome=done  tokens=50",
        );
        let at = |text: &str| Some(text.parse().unwrap());
        let first =
            LoggedRun { at: at("2026-01-01T00:00:00Z"), run: 1, outcome: "quiet".into(), tokens: 120 };
        let second =
            LoggedRun { at: at("2026-01-02T00:00:00Z"), run: 2, outcome: "done".into(), tokens: 3400 };
        assert_eq!(log, RunLog { runs: vec![first, second], is_torn: true });
        assert_eq!(log.next_number(), 3);
        assert_eq!(log.last_at("2026-01-01T12:00:00Z".parse().unwrap()), at("2026-01-01T00:00:00Z"));
        assert_eq!(log.last_at("2025-12-31T12:00:00Z".parse().unwrap()), None);
        assert_eq!(RunLog::parse(""), RunLog::default());
    }

    #[test]
    fn a_line_behind_a_torn_one_stands_for_itself() {
        let dir = tempfile::tempdir().unwrap();
        let torn = "2026-01-04T00:00:00Z  run#4  action=fix  x  outcome=done  tok";
        std::fs::write(dir.path().join(FILE), torn).unwrap();
        let at = "2026-01-05T00:00:00Z".parse().unwrap();
        let line =
            LogLine { at, run: 5, action: "none".into(), item: None, outcome: "quiet".into(), tokens: 0 };
        append(&subcortex_store::RealDisk, dir.path(), &line).unwrap();
        let text = std::fs::read_to_string(dir.path().join(FILE)).unwrap();
        let expect = "2026-01-05T00:00:00Z  run#5  action=none  -  outcome=quiet  tokens=0\n";
        assert_eq!(text, format!("{torn}\n{expect}"));
        let log = RunLog::read(&subcortex_store::RealDisk, dir.path()).unwrap();
        assert_eq!((log.runs.len(), log.is_torn, log.next_number()), (1, false, 6));
    }
}
