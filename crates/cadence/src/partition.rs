//! One partition as the scheduler sees it: what it is, what it remembers, and what is going on.

use crate::definition::Rest;
use crate::effect::EndReason;
use crate::event::{SeenPartition, SeenTask};
use crate::saved::{CronMemory, Mark, PartitionMemory, RunTask};
use crate::{BootMs, Definition, Now, PartitionId, TaskKey, UnixMs};

/// One partition.
#[derive(Debug, Clone)]
pub struct Partition {
    /// Its name.
    pub id: PartitionId,
    /// What it is, or why its definition cannot be used.
    pub definition: Result<Definition, String>,
    /// Whether its own kill switch is set.
    pub paused: bool,
    /// What survives a restart.
    pub memory: PartitionMemory,
    /// Its inbox, oldest first.
    pub(crate) inbox: Vec<SeenTask>,
    /// Whether that was listed since the start. No run starts before: it would miss its tasks.
    pub(crate) inbox_known: bool,
    /// How many of those a run may take.
    pub(crate) pending_tasks: usize,
    /// What its `changed` files are like.
    pub(crate) files: Option<Mark>,
    /// The next time of its pattern that is not done; a time that has passed is open.
    pub(crate) next_time: Option<UnixMs>,
    /// Not before this moment: spreads starts after a pause of the daemon.
    pub(crate) start_after: BootMs,
    /// Whether somebody asked for a run.
    pub(crate) asked: Asked,
    /// What is known of its run only while the daemon lives.
    pub(crate) active: Option<Active>,
    /// Whether it was still there when last looked.
    pub(crate) present: bool,
    /// The reason that the log was told last.
    pub(crate) told: &'static str,
}

/// Whether somebody asked for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Nobody did.
    No,
    /// A tick was asked for, for all partitions: this one runs if it has work.
    WithAll,
    /// This partition was asked for by name: it runs even without work.
    ByName,
}

/// The part of a run that ends with the daemon. The rest is in the memory.
#[derive(Debug, Clone)]
pub(crate) struct Active {
    pub(crate) started: Now,
    pub(crate) deadline: BootMs,
    /// Why and since when it is being ended.
    pub(crate) ending: Option<(EndReason, BootMs)>,
    /// How far the events had come when it started.
    pub(crate) events: Option<Mark>,
    /// What the files were like when it started.
    pub(crate) files: Option<Mark>,
}

/// A task in an inbox, for `inbox` and `status`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskView<'a> {
    /// Which one.
    pub key: &'a TaskKey,
    /// How it stands.
    pub state: TaskState,
    /// Failed attempts.
    pub attempts: u32,
    /// Why it is still there.
    pub reason: Option<&'a str>,
}

/// How a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskState {
    /// A run will take it.
    Pending,
    /// It failed too often.
    Held,
    /// No run may take it.
    Refused,
    /// It is finished and about to leave.
    Acking,
}

impl Partition {
    pub(crate) fn new(seen: SeenPartition, memory: PartitionMemory) -> Partition {
        Partition {
            id: seen.id,
            definition: seen.definition,
            paused: seen.paused,
            memory,
            inbox: Vec::new(),
            inbox_known: false,
            pending_tasks: 0,
            files: None,
            next_time: None,
            start_after: BootMs(0),
            asked: Asked::No,
            active: None,
            present: true,
            told: "",
        }
    }

    /// The tasks in its inbox, oldest first.
    pub fn tasks(&self) -> impl Iterator<Item = TaskView<'_>> {
        self.inbox.iter().map(|seen| {
            let memory = self.memory.tasks.get(&seen.key);
            let reason = seen.refused.as_deref().or(memory.and_then(|memory| memory.reason.as_deref()));
            let attempts = memory.map_or(0, |memory| memory.attempts);
            TaskView { key: &seen.key, state: self.state_of(seen), attempts, reason }
        })
    }

    fn state_of(&self, seen: &SeenTask) -> TaskState {
        if seen.refused.is_some() {
            TaskState::Refused
        } else if self.memory.acking.iter().any(|acking| acking.task.key == seen.key) {
            TaskState::Acking
        } else if self.memory.tasks.get(&seen.key).is_some_and(|memory| memory.held) {
            TaskState::Held
        } else {
            TaskState::Pending
        }
    }

    /// Whether nothing but tasks ever gives it work, and those that are left are held.
    pub(crate) fn has_only_held_work(&self) -> bool {
        let only_tasks = self.definition.as_ref().is_ok_and(|definition| {
            let on = &definition.schedule.wake_on;
            on.inbox && !on.events && !on.tick && on.changed.is_empty()
        });
        only_tasks
            && self.pending_tasks == 0
            && self.inbox.iter().any(|seen| self.state_of(seen) == TaskState::Held)
    }

    pub(crate) fn count_pending(&mut self) {
        self.pending_tasks =
            self.inbox.iter().filter(|seen| self.state_of(seen) == TaskState::Pending).count();
    }

    /// The tasks for a run: the oldest that fit. Of those, the ones that failed before come last, so that a
    /// task that hangs until the deadline does not keep the others from their turn.
    pub(crate) fn take_tasks(&self, max_tasks: usize) -> Vec<RunTask> {
        let pending = self.inbox.iter().filter(|seen| self.state_of(seen) == TaskState::Pending);
        let mut tasks: Vec<&SeenTask> = pending.take(max_tasks).collect();
        let failures = |seen: &&SeenTask| {
            self.memory.tasks.get(&seen.key).map_or(0, |memory| memory.attempts.max(memory.interruptions))
        };
        tasks.sort_by_key(failures);
        tasks.into_iter().map(|seen| RunTask { key: seen.key.clone(), stamp: seen.stamp }).collect()
    }

    /// Replaces the list of its inbox, and forgets what was remembered of tasks that are gone.
    pub(crate) fn list_inbox(&mut self, tasks: Vec<SeenTask>) -> bool {
        self.inbox = tasks;
        self.inbox_known = true;
        let remembered = self.memory.tasks.len();
        if remembered > 0 {
            let there: std::collections::BTreeSet<&TaskKey> =
                self.inbox.iter().map(|seen| &seen.key).collect();
            self.memory.tasks.retain(|key, _| there.contains(key));
        }
        let forgotten = remembered - self.memory.tasks.len();
        let learned = self.learn_from_elsewhere();
        self.count_pending();
        forgotten > 0 || learned
    }

    /// What other machines tried counts, too; what is remembered here is newer.
    fn learn_from_elsewhere(&mut self) -> bool {
        let mut learned = false;
        for seen in self.inbox.iter().filter(|seen| seen.before.has_failed()) {
            if !self.memory.tasks.contains_key(&seen.key) {
                self.memory.tasks.insert(seen.key.clone(), seen.before.clone().tried_elsewhere());
                learned = true;
            }
        }
        learned
    }

    /// Brings the memory of its cron pattern in line with its definition and the clock.
    ///
    /// A new or edited pattern starts from now. A clock that was set back by more than the pattern tolerates
    /// makes its times come again; within that, what is done stays done.
    pub(crate) fn sync_cron(&mut self, now: UnixMs) -> bool {
        let Ok(Definition { schedule, .. }) = &self.definition else { return false };
        let Rest::Cron(cron) = &schedule.rest else {
            self.next_time = None;
            return self.memory.cron.take().is_some();
        };
        let pattern = cron.describe();
        let known = self.memory.cron.as_ref().filter(|memory| {
            memory.pattern == pattern && now >= memory.done_until.plus_ms(-cron.back_tolerance_ms())
        });
        let (done_until, changed) = known.map_or((now, true), |memory| (memory.done_until, false));
        self.next_time = cron.next_after(done_until);
        if changed {
            self.memory.cron = Some(CronMemory { pattern, done_until });
        }
        changed
    }

    /// The times of its pattern up to now are done.
    pub(crate) fn finish_cron_times(&mut self, now: UnixMs) {
        let Ok(Definition { schedule, .. }) = &self.definition else { return };
        let (Rest::Cron(cron), Some(memory)) = (&schedule.rest, &mut self.memory.cron) else { return };
        memory.done_until = memory.done_until.max(now);
        self.next_time = cron.next_after(memory.done_until);
    }
}
