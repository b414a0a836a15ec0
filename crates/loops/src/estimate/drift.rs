//! What runs really used, held against what they were estimated to.
//!
//! `tokens=` of the log and `budget_tokens` count the same, output tokens, so that is what is compared.

use std::fmt::Write as _;

use serde::Serialize;

use crate::run_log::{DEFERRED, LoggedRun, RunLog};

/// How many runs the plot shows, the newest.
const PLOTTED_RUNS: usize = 20;
/// How wide the longest bar is, in columns.
const BAR_COLUMNS: u64 = 40;

/// Real tokens against estimated ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drift {
    /// How many runs of the log say what they used.
    pub runs: usize,
    /// What a run was estimated to write.
    pub estimated: u64,
    /// What a run really wrote, on average.
    pub mean: u64,
    /// How much more that is than estimated, in percent; less is negative.
    pub percent: i64,
    /// The newest runs, oldest first.
    #[serde(skip)]
    pub newest: Vec<LoggedRun>,
}

impl Drift {
    /// The drift of a log; `None` without a run in it.
    pub fn of(log: &RunLog, estimated: u64) -> Option<Drift> {
        // A loop that only waited used nothing.
        let ran: Vec<&LoggedRun> = log.runs.iter().filter(|run| run.outcome != DEFERRED).collect();
        let runs = ran.len();
        let sum = ran.iter().fold(0_u128, |sum, run| sum + u128::from(run.tokens));
        let mean = u64::try_from(sum.checked_div(runs as u128)?).unwrap_or(u64::MAX);
        let more = (i128::from(mean) - i128::from(estimated)) * 100;
        let percent = i64::try_from(more / i128::from(estimated.max(1))).unwrap_or(i64::MAX);
        let newest = ran.into_iter().skip(runs.saturating_sub(PLOTTED_RUNS)).cloned().collect();
        Some(Drift { runs, estimated, mean, percent, newest })
    }

    /// One bar a run, with `|` where the estimate is.
    pub fn plot(&self) -> String {
        let longest = self.newest.iter().map(|run| run.tokens).max().unwrap_or(0).max(self.estimated).max(1);
        let column = |tokens: u64| {
            let column = u128::from(tokens) * u128::from(BAR_COLUMNS) / u128::from(longest);
            usize::try_from(column).unwrap_or(0)
        };
        let mut plot = String::new();
        for run in &self.newest {
            let (bar, mark) = (column(run.tokens), column(self.estimated));
            let cell = |at: usize| match at {
                at if at == mark => '|',
                at if at < bar => '#',
                _ => ' ',
            };
            let bar: String = (0..=column(longest)).map(cell).collect();
            // Writing to a String cannot fail.
            let _ok = writeln!(plot, "{:>8} {bar} {}", format!("run#{}", run.run), run.tokens);
        }
        plot
    }
}
