//! The record of one run.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use subcortex_cadence::result;
use subcortex_guard::Redactor;

use crate::{Ended, MAX_BODIES_BYTES, RunMode};

/// Everything that is kept of a run. Every field may be missing when it is read.
///
/// Words that this version does not know are kept, so that a record of a later version can still be shown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunRecord {
    /// The run's name.
    pub run_id: String,
    /// Whose run it was.
    pub partition: String,
    /// `directed` (it had tasks) or `reflective`.
    pub mode: RunMode,
    /// What did its thinking.
    pub engine: String,
    /// The tick in which it started.
    pub tick: u64,
    /// When it started.
    pub started_at: Option<Timestamp>,
    /// When it ended; nothing while it runs.
    pub ended_at: Option<Timestamp>,
    /// How long it took, by the clock that nobody sets.
    pub took_ms: Option<u64>,
    /// What it came to: `terminal`, `partial`, `timeout`, `error`, `invalid_output`, `paused`, `refused`; empty while it
    /// runs.
    pub outcome: Ended,
    /// The line that says so.
    pub result: Option<String>,
    /// Why it is not terminal, or what a person should know.
    pub reason: Option<String>,
    /// The subagents that were dispatched, in order.
    pub subagents: Vec<String>,
    /// The tasks it worked on.
    pub tasks: Vec<TaskRecord>,
    /// The names of the tasks that are finished.
    pub acked: Vec<String>,
    /// The names of the tasks that stay.
    pub pending: Vec<String>,
    /// The paths that really changed during the run.
    pub changed: Vec<String>,
    /// The evidence by line of the broadcast, as counted from the files.
    pub evidence: Vec<Evidence>,
    /// What a scan of the spine reports of itself.
    pub scan: Option<Value>,
    /// Where the snapshots and the trace of its cycle are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<CycleRecord>,
    /// How a worker with a model left, and what became of its scratchpad: one for each task.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exits: Vec<ExitRecord>,
    /// Tools that a model wanted and did not get.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<String>,
    /// The tokens that were used; nothing where nobody counts.
    pub tokens: Option<u64>,
    /// What they cost, in US dollars.
    pub cost_usd: Option<f64>,
    /// Processes that the engine left behind and that were ended.
    pub survivors_killed: u32,
    /// The end of what the engine said.
    pub output: String,
    /// The end of what it said on standard error.
    pub errors: String,
    /// What a later version added.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// One task of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskRecord {
    /// Its basename in the inbox.
    pub name: String,
    /// The hash of its name and body.
    pub key: String,
    /// Its body, redacted.
    pub body: String,
    /// Whether the body is longer than what is kept of it.
    #[serde(skip_serializing_if = "is_false")]
    pub body_cut: bool,
    /// Whether somebody saw to it that the body holds no secret. Not written: of what is read nobody knows.
    #[serde(skip)]
    pub seen_to: SeenTo,
    /// Its result line.
    pub result: Option<String>,
    /// Whether it is finished. Its file is removed after this is durable.
    pub acked: bool,
    /// Why it stays, or what a person should know.
    pub reason: Option<String>,
    /// What a later version added.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Whether a text was redacted already. It is no part of what a record says: records are equal with and without.
#[derive(Debug, Clone, Copy, Default)]
pub struct SeenTo(pub(crate) bool);

impl PartialEq for SeenTo {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Where the files of a cycle are, below the home.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CycleRecord {
    /// The cycle's name.
    pub id: String,
    /// What it read.
    pub before: String,
    /// The state at its end.
    pub after: String,
    /// Its story; nothing when there is none to tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// How a worker with a model left.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ExitRecord {
    /// The task; empty when there was none.
    pub task: String,
    /// `completed`, `error`, `incomplete - max steps reached` or `exception`.
    pub outcome: String,
    /// How many steps it took.
    pub steps: u32,
    /// `scratchpad_update` where something was saved, `scratchpad_update_failed` where the question failed; else empty.
    pub scratchpad: String,
    /// The beginning of what was saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved: Option<String>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// How much evidence there is for or against one line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// Which line: `memory/CLAUDE.md:L3`.
    pub line: String,
    /// Pieces that this run wrote.
    pub new: u64,
    /// Pieces that were there before.
    pub prior: u64,
    /// Both together.
    pub total: u64,
}

impl RunRecord {
    /// What is recorded of a task, by its name and hash.
    #[must_use]
    pub fn task(&self, name: &str, key: &str) -> Option<&TaskRecord> {
        self.tasks.iter().find(|task| task.is(name, key))
    }

    /// The same, to be changed; entered without a body if it is not there yet.
    pub fn task_mut(&mut self, name: &str, key: &str) -> &mut TaskRecord {
        let place = self.tasks.iter().position(|task| task.is(name, key));
        let place = place.unwrap_or_else(|| {
            self.tasks.push(TaskRecord::new(name, key, ""));
            self.tasks.len() - 1
        });
        &mut self.tasks[place]
    }

    /// Enters a task that a run has worked on. Its body is kept as long as all bodies together are not too long, so
    /// that a run of many large tasks does not fill the memory.
    pub fn add_task(&mut self, task: TaskRecord) {
        let kept_bytes: usize = self.tasks.iter().map(|task| task.body.len()).sum();
        let fits = kept_bytes + task.body.len() <= MAX_BODIES_BYTES;
        let cut = |task: TaskRecord| TaskRecord { body: String::new(), body_cut: true, ..task };
        self.tasks.push(if fits { task } else { cut(task) });
    }

    /// Whether this record finishes a task: it is acked here, with a terminal result.
    #[must_use]
    pub fn has_terminal_result(&self, name: &str, key: &str) -> bool {
        self.task(name, key).is_some_and(TaskRecord::is_finished)
    }

    /// Sets the end of the engine's output. It is redacted and cut when the record is written.
    pub fn set_output(&mut self, output: &str) {
        self.output = output.to_owned();
    }

    /// Sets the end of what the engine said on standard error. It is redacted and cut when the record is written.
    pub fn set_errors(&mut self, errors: &str) {
        self.errors = errors.to_owned();
    }

    /// How long the run took, in milliseconds; by the wall clock where nothing better is known.
    #[must_use]
    pub fn duration_ms(&self) -> Option<u64> {
        let by_the_wall = || {
            let (start, end) = (self.started_at?, self.ended_at?);
            Some(u64::try_from(end.as_millisecond().saturating_sub(start.as_millisecond())).unwrap_or(0))
        };
        self.took_ms.or_else(by_the_wall)
    }

    /// Leaves out what is long and only of interest to whoever looks at this one run.
    pub(crate) fn without_texts(mut self) -> RunRecord {
        for task in &mut self.tasks {
            task.body = String::new();
        }
        (self.output, self.errors) = (String::new(), String::new());
        self
    }
}

impl TaskRecord {
    /// A task that is not settled yet. Its body is redacted and bounded when the record is written.
    #[must_use]
    pub fn new(name: &str, key: &str, body: &str) -> TaskRecord {
        TaskRecord {
            name: name.to_owned(),
            key: key.to_owned(),
            body: body.to_owned(),
            ..TaskRecord::default()
        }
    }

    /// The same, of a body that was redacted: it can be long, and records are written where nobody may wait for that.
    #[must_use]
    pub fn of_clean(name: &str, key: &str, body: &str) -> TaskRecord {
        TaskRecord { seen_to: SeenTo(true), ..TaskRecord::new(name, key, body) }
    }

    /// Whether it has this name and hash. A name that holds a secret is recorded without it.
    fn is(&self, name: &str, key: &str) -> bool {
        let clean = |name| Redactor::new().text(name);
        self.key == key && (self.name == name || clean(&self.name) == clean(name))
    }

    /// Whether it is acked, with a terminal result.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        let line = self.result.as_deref().unwrap_or_default();
        self.acked && result::parse(line.as_bytes()).is_ok_and(|result| result.status.is_terminal())
    }
}

fn is_false(flag: &bool) -> bool {
    !*flag
}
