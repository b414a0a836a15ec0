//! What scripts see of a run: exactly these fields, in `tick --json` and `runs --json`.

use serde::Serialize;
use serde_json::Value;

use crate::{Evidence, RunRecord};

/// One run, as a script sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary<'a> {
    /// The run's name.
    pub run_id: &'a str,
    /// Whose run it was.
    pub partition: &'a str,
    /// `directed` or `reflective`.
    pub mode: &'a str,
    /// What it came to.
    pub outcome: &'a str,
    /// The line that says so.
    pub result: Option<&'a str>,
    /// The subagents that were dispatched.
    pub subagents: &'a [String],
    /// The tasks it worked on.
    pub tasks: Vec<TaskSummary<'a>>,
    /// The names of the tasks that are finished.
    pub acked: &'a [String],
    /// The names of the tasks that stay.
    pub pending: &'a [String],
    /// The paths that really changed.
    pub changed: &'a [String],
    /// The evidence by line.
    pub evidence: &'a [Evidence],
    /// What a scan reports of itself.
    pub scan: Option<&'a Value>,
}

/// One task of a run, as a script sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskSummary<'a> {
    /// Its basename.
    pub name: &'a str,
    /// Its result line.
    pub result: Option<&'a str>,
    /// Whether it is finished.
    pub acked: bool,
    /// Why it stays, or what a person should know.
    pub reason: Option<&'a str>,
}

impl RunRecord {
    /// The part of the record that scripts rely on.
    #[must_use]
    pub fn summary(&self) -> Summary<'_> {
        let tasks = self.tasks.iter().map(|task| TaskSummary {
            name: &task.name,
            result: task.result.as_deref(),
            acked: task.acked,
            reason: task.reason.as_deref(),
        });
        Summary {
            run_id: &self.run_id,
            partition: &self.partition,
            mode: self.mode.as_str(),
            outcome: self.outcome.as_str(),
            result: self.result.as_deref(),
            subagents: &self.subagents,
            tasks: tasks.collect(),
            acked: &self.acked,
            pending: &self.pending,
            changed: &self.changed,
            evidence: &self.evidence,
            scan: self.scan.as_ref(),
        }
    }
}
