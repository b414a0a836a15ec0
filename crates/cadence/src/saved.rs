//! What the scheduler remembers across a restart: one JSON document, replaced whole by
//! [`crate::Effect::SaveState`].
//!
//! ```json
//! { "version": 1, "tick": 412, "last_tick_at": 1794645420000, "runs_started": 88,
//!   "playlist": ["memory-weaver", "pattern-tracker"], "next_turn": "pattern-tracker",
//!   "partitions": { "memory-weaver": { "last_run": {…}, "tasks": [{"name": …, "hash": …, "attempts": 1}], … } } }
//! ```
//!
//! - Times are milliseconds since 1970; ticks are counted. Every field but `version` may be missing.
//! - Fields that this version does not know are kept. A later `version` is refused.
//! - Numbers that cannot be (a last run in a tick to come, a rest of years) are brought back into bounds
//!   when the daemon starts, so neither a clock that was wrong nor an editor can stop a partition for good.
//! - Bounded: tasks that left the inbox are forgotten, and so are partitions that are gone for
//!   [`ABSENT_KEPT_TICKS`] and have nothing left to be brought to its end.
//! - Not in here: kill switches, which are files and are looked at anew, and definitions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::result::TaskResult;
use crate::settle::{AckDecision, Mode, Outcome, SettledRun, SettledTask, TaskMemory};
use crate::{FileStamp, PartitionId, RunId, TaskKey, TaskName, Tick, UnixMs};

/// The version that this code writes.
pub const VERSION: u32 = 1;
/// How long the memory of a partition that is gone is kept: a week of ticks of one minute.
pub const ABSENT_KEPT_TICKS: u64 = 7 * 24 * 60;
/// How far ahead a partition may ask to be woken, in milliseconds: 31 days. A partition that is woken too early asks again.
pub const MAX_WAKE_AHEAD_MS: i64 = 31 * 24 * 60 * 60 * 1000;

/// Everything that survives a restart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// The version of the format.
    pub version: u32,
    /// The last tick.
    #[serde(default)]
    pub tick: Tick,
    /// When that was.
    #[serde(default)]
    pub last_tick_at: Option<UnixMs>,
    /// How many runs were ever started.
    #[serde(default)]
    pub runs_started: u64,
    /// The order of turns.
    #[serde(default)]
    pub playlist: Vec<PartitionId>,
    /// Whose turn is next.
    #[serde(default)]
    pub next_turn: Option<PartitionId>,
    /// The memory of each partition.
    #[serde(default)]
    pub partitions: BTreeMap<PartitionId, PartitionMemory>,
    /// What a later program of the same version added.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Default for Saved {
    fn default() -> Self {
        Saved {
            version: VERSION,
            tick: Tick::default(),
            last_tick_at: None,
            runs_started: 0,
            playlist: Vec::new(),
            next_turn: None,
            partitions: BTreeMap::new(),
            other: Map::new(),
        }
    }
}

/// Why a saved state cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SavedProblem {
    /// A later program wrote it.
    #[error(
        "the saved state has version {found}, and this program knows {VERSION}: use the program that wrote it, or a later one"
    )]
    TooNew {
        /// Its version.
        found: u64,
    },
    /// It is not what this program writes.
    #[error(
        "the saved state cannot be read ({0}); without it ticks, rests and attempts are counted anew, and no task is lost"
    )]
    Broken(#[from] serde_json::Error),
}

impl Saved {
    /// Reads a saved state.
    pub fn from_json(json: &[u8]) -> Result<Saved, SavedProblem> {
        #[derive(Deserialize)]
        struct Head {
            version: u64,
        }
        let Head { version } = serde_json::from_slice(json)?;
        if version > u64::from(VERSION) {
            return Err(SavedProblem::TooNew { found: version });
        }
        Ok(serde_json::from_slice(json)?)
    }

    /// Gives tasks other names, wherever one stands here.
    pub fn rename_tasks(&mut self, mut rename: impl FnMut(&PartitionId, &TaskKey) -> Option<TaskName>) {
        for (partition, memory) in &mut self.partitions {
            let remembered = std::mem::take(&mut memory.tasks);
            let renamed = remembered.into_iter().map(|(mut key, memory)| {
                key.name = rename(partition, &key).unwrap_or(key.name);
                (key, memory)
            });
            memory.tasks = renamed.collect();
            let running = memory.running.iter_mut();
            let under_way = running.flat_map(|running| {
                let ahead = running.ahead.iter_mut().map(|task| &mut task.key);
                ahead.chain(running.settled.iter_mut().map(|settled| &mut settled.task))
            });
            let acking = memory.acking.iter_mut().map(|acking| &mut acking.task.key);
            let unrecorded = memory.unrecorded.iter_mut().flat_map(|run| &mut run.tasks);
            let keys = under_way.chain(acking).chain(unrecorded.map(|settled| &mut settled.task));
            for key in keys {
                if let Some(name) = rename(partition, key) {
                    key.name = name;
                }
            }
        }
    }

    /// Writes it.
    pub fn to_json(&self) -> Result<Vec<u8>, SavedProblem> {
        Ok(serde_json::to_vec(self)?)
    }
}

/// What is remembered of one partition.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PartitionMemory {
    /// Its last run that ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<LastRun>,
    /// Timeouts since the last run that got somewhere.
    #[serde(skip_serializing_if = "is_zero")]
    pub timeouts_in_a_row: u32,
    /// Errors since the last run that got somewhere.
    #[serde(skip_serializing_if = "is_zero")]
    pub errors_in_a_row: u32,
    /// Until when it rests after failures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_until: Option<UnixMs>,
    /// How far the external events had come when its last good run without tasks started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events_seen: Option<Mark>,
    /// What its files were like when its last good run without tasks started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_seen: Option<Mark>,
    /// Whether its last run left work for the next.
    #[serde(skip_serializing_if = "is_false")]
    pub more_to_do: bool,
    /// When it has something to do that had to wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wake_at: Option<UnixMs>,
    /// How far its cron pattern is worked off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cron: Option<CronMemory>,
    /// Tasks that failed before.
    #[serde(with = "tasks_as_list", skip_serializing_if = "BTreeMap::is_empty")]
    pub tasks: BTreeMap<TaskKey, TaskMemory>,
    /// The run that is under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<Running>,
    /// Tasks whose ack has begun.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub acking: Vec<Acking>,
    /// Runs that ended and whose record may not be written yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unrecorded: Vec<SettledRun>,
    /// Since when there is no such partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent_since: Option<Tick>,
    /// What a later program of the same version added.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a run record says of a task that it finishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Its terminal result.
    pub result: TaskResult,
    /// What a person should know of it.
    pub reason: Option<String>,
}

impl PartitionMemory {
    /// Takes over results that were recorded before a state that knows of them was saved: the acks of those tasks have
    /// begun, and their work is not done again. To be asked before the start, of runs that were under way.
    pub fn learn_results(&mut self, recorded: impl Fn(&TaskKey) -> Option<Recorded>) {
        let Some(running) = &mut self.running else { return };
        let ahead = std::mem::take(&mut running.ahead);
        for task in ahead {
            let Some(Recorded { result, reason }) = recorded(&task.key) else {
                running.ahead.push(task);
                continue;
            };
            let attempts = self.tasks.remove(&task.key).map_or(0, |memory| memory.attempts);
            running.settled.push(SettledTask {
                task: task.key.clone(),
                outcome: Outcome::Terminal,
                result: Some(result),
                decision: AckDecision::Ack,
                reason,
                attempts,
            });
            self.acking.push(Acking { task, run: running.run.clone() });
        }
    }
}

/// An opaque description of how far something has come. Only compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mark(String);

impl Mark {
    /// Takes over a description.
    pub fn new(mark: impl Into<String>) -> Mark {
        Mark(mark.into())
    }

    /// The worker was asked and has nothing to do.
    pub fn nothing() -> Mark {
        Mark(String::new())
    }

    /// Whether this says that there is nothing to do.
    pub fn is_nothing(&self) -> bool {
        self.0.is_empty()
    }

    /// The description as it was taken over.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The last run of a partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRun {
    /// Its name.
    pub run: RunId,
    /// The tick in which it ended: the rest counts from here.
    pub tick: Tick,
    /// When it ended.
    pub ended_at: UnixMs,
    /// What it came to.
    pub outcome: Outcome,
}

/// How far a cron pattern is worked off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CronMemory {
    /// Which pattern, in which zone.
    pub pattern: String,
    /// Its times up to here are done.
    pub done_until: UnixMs,
}

/// A run that is under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// Its name.
    pub run: RunId,
    /// Whether it has tasks.
    pub mode: Mode,
    /// The tick in which it started.
    pub tick: Tick,
    /// When it started.
    pub started_at: UnixMs,
    /// The tasks that are still ahead, in order. The first is being worked on.
    pub ahead: Vec<RunTask>,
    /// The tasks that are settled.
    pub settled: Vec<SettledTask>,
}

impl Running {
    /// Whether this task is being worked on.
    pub fn is_at(&self, task: &TaskKey) -> bool {
        self.ahead.first().is_some_and(|ahead| ahead.key == *task)
    }
}

/// A task that a run took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunTask {
    /// Which task.
    #[serde(flatten)]
    pub key: TaskKey,
    /// Which file.
    pub stamp: FileStamp,
}

/// A task whose ack has begun and is not known to be complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acking {
    /// The task and its file.
    #[serde(flatten)]
    pub task: RunTask,
    /// The run that finished it.
    pub run: RunId,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

/// A map with keys of two parts, which JSON cannot have, as a list of entries.
mod tasks_as_list {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::TaskKey;
    use crate::settle::TaskMemory;

    #[derive(Serialize)]
    struct EntryOut<'a> {
        #[serde(flatten)]
        key: &'a TaskKey,
        #[serde(flatten)]
        memory: &'a TaskMemory,
    }

    #[derive(Deserialize)]
    struct EntryIn {
        #[serde(flatten)]
        key: TaskKey,
        #[serde(flatten)]
        memory: TaskMemory,
    }

    pub(super) fn serialize<S: Serializer>(
        tasks: &BTreeMap<TaskKey, TaskMemory>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        out.collect_seq(tasks.iter().map(|(key, memory)| EntryOut { key, memory }))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        reader: D,
    ) -> Result<BTreeMap<TaskKey, TaskMemory>, D::Error> {
        let entries = Vec::<EntryIn>::deserialize(reader)?;
        Ok(entries.into_iter().map(|entry| (entry.key, entry.memory)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = r#"{"version":1,"tick":412,"last_tick_at":1794645420000,"runs_started":88,"playlist":["weaver"],"next_turn":"weaver","partitions":{"weaver":{"last_run":{"run":"20261114T083700-87","tick":410,"ended_at":1794645300000,"outcome":"invalid_output"},"errors_in_a_row":2,"backoff_until":1794645480000,"events_seen":"2026-11-14:9","more_to_do":true,"wake_at":1794656220000,"cron":{"pattern":"30 2 * * * UTC","done_until":5},"tasks":[{"name":"a.md","hash":"00","attempts":3,"interruptions":0,"held":true,"reason":"empty output"}],"running":{"run":"20261114T083700-88","mode":"directed","tick":412,"started_at":1794645420000,"ahead":[{"name":"b.md","hash":"01","stamp":7}],"settled":[]},"acking":[{"name":"c.md","hash":"02","stamp":8,"run":"20261114T083700-88"}],"from_later":{"x":1}}},"added_later":[1,2]}"#;

    #[test]
    fn what_is_written_is_read_back_with_fields_that_are_not_known() {
        let saved = Saved::from_json(FULL.as_bytes()).expect("good");
        assert_eq!(String::from_utf8(saved.to_json().expect("good")).expect("text"), FULL);
    }

    #[test]
    fn a_document_with_nothing_but_a_version_is_a_fresh_state() {
        assert_eq!(Saved::from_json(br#"{"version":1}"#).expect("good"), Saved::default());
    }

    #[test]
    fn a_later_version_is_refused_with_what_to_do() {
        let said = Saved::from_json(br#"{"version":2,"tick":"in words"}"#).expect_err("too new").to_string();
        assert_eq!(
            said,
            "the saved state has version 2, and this program knows 1: use the program that wrote it, or a later one"
        );
    }

    #[test]
    fn a_broken_document_is_an_error_and_not_a_fresh_state() {
        for broken in [
            "",
            "{}",
            "[]",
            r#"{"version":1,"tick":-1}"#,
            r#"{"version":1,"playlist":["../x"]}"#,
            &FULL[..300],
        ] {
            let problem = Saved::from_json(broken.as_bytes()).expect_err(broken);
            assert!(matches!(problem, SavedProblem::Broken(_)), "{broken}: {problem}");
        }
    }
}
