//! `run-log.md`: one line a run, only ever appended to.
//!
//! `<ts>  run#<n>  action=<a>  <item or ->  outcome=<o>  tokens=<t>`
//!
//! A last line without a line end is torn: its number may be cut short, so it is counted and not used. Lines that are
//! no runs (a heading, a person's note) are left alone.

use std::path::Path;

use subcortex_store::{Disk, durable};

/// The name of the log in a loop's folder.
pub const FILE: &str = "run-log.md";
/// The longest log that is read, in bytes.
const MAX_LOG_BYTES: u64 = 64 * 1024 * 1024;

/// What one run used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoggedRun {
    /// Its number.
    pub run: u64,
    /// Its tokens.
    pub tokens: u64,
}

/// The runs of a log that say what they used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunLog {
    /// In the order of the log.
    pub runs: Vec<LoggedRun>,
    /// Whether the last line is torn.
    pub is_torn: bool,
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
}

fn run(line: &str) -> Option<LoggedRun> {
    // An item may hold any words, so the number is taken from the front and the tokens from the end.
    let run = line.split_whitespace().nth(1)?.strip_prefix("run#")?.parse().ok()?;
    let tokens = line.split_whitespace().next_back()?.strip_prefix("tokens=")?.parse().ok()?;
    Some(LoggedRun { run, tokens })
}

#[cfg(test)]
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
        let runs = vec![LoggedRun { run: 1, tokens: 120 }, LoggedRun { run: 2, tokens: 3400 }];
        assert_eq!(log, RunLog { runs, is_torn: true });
        assert_eq!(RunLog::parse(""), RunLog::default());
    }
}
