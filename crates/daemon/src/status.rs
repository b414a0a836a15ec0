//! What is going on, as `status` shows it.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use subcortex_cadence::definition::Rest;
use subcortex_cadence::saved::Running;
use subcortex_cadence::{Now, Partition, PartitionId, Readiness, State, TaskState, TaskView, UnixMs};
use subcortex_loop_runs::LoopView;

use subcortex_fleet::FleetView;

use crate::edge::timestamp;
use crate::metrics::Counters;

/// The scheduler at one moment. The names of the fields are relied upon by scripts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// The tick counter.
    pub tick: u64,
    /// When the next tick is due, in RFC 3339.
    pub next_tick_at: Option<String>,
    /// How long a tick is.
    pub interval_ms: u64,
    /// Whether the kill switch of the home is set.
    pub paused: bool,
    /// Every partition.
    pub partitions: Vec<PartitionStatus>,
    /// The agents whose transcripts are followed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub follows: Vec<Followed>,
    /// Where workers reach the daemon over HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What cannot be written now, so that everything waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// What the daemon counted since it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<Counters>,
    /// The machines that share inboxes with this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<Box<FleetView>>,
    /// The loops of the repositories that the settings name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<LoopView>,
    /// Tasks that wait for a person: held or refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stuck: Vec<InboxTask>,
}

/// One task of an inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboxTask {
    /// Whose.
    pub partition: String,
    /// Its name.
    pub name: String,
    /// `pending`, `held` or `refused`.
    pub state: String,
    /// Failed attempts.
    pub attempts: u32,
    /// Why it is still there.
    pub reason: Option<String>,
    /// Whether a run works on it now.
    #[serde(default, skip_serializing_if = "is_false")]
    pub running: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands over a reference
fn is_false(flag: &bool) -> bool {
    !flag
}

impl InboxTask {
    pub(crate) fn of(partition: &Partition, task: &TaskView<'_>) -> Self {
        let state = match task.state {
            TaskState::Pending | TaskState::Acking => "pending",
            TaskState::Held => "held",
            TaskState::Refused => "refused",
        };
        Self {
            partition: partition.id.to_string(),
            name: task.key.name.as_str().to_owned(),
            state: state.to_owned(),
            attempts: task.attempts,
            reason: task.reason.map(str::to_owned),
            running: partition.memory.running.as_ref().is_some_and(|run| run.is_at(task.key)),
        }
    }

    /// Whether it waits for a person.
    pub fn is_stuck(&self) -> bool {
        self.state != "pending"
    }
}

/// An agent whose transcripts are followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Followed {
    /// Its name.
    pub agent: String,
    /// How many files it has.
    pub files: usize,
    /// When they last told something new to this daemon, in RFC 3339.
    pub last_event_at: Option<String>,
}

/// One partition at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartitionStatus {
    /// Its name.
    pub name: String,
    /// Whether it runs by itself.
    pub enabled: bool,
    /// What does its thinking; `None` when its definition cannot be used.
    pub engine: Option<String>,
    /// How many ticks it rests; `None` when it follows a calendar.
    pub cooldown_ticks: Option<u64>,
    /// The tick in which its last run ended.
    pub last_run_tick: Option<u64>,
    /// The tick in which it is due next, as far as one can tell.
    pub next_due_tick: Option<u64>,
    /// How it stands: `running`, `due`, `cooling`, `nothing_to_do`, `paused` …
    pub state: String,
    /// What its last run came to.
    pub last_outcome: Option<String>,
    /// When that ended, in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run_at: Option<String>,
    /// The run that is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<RunningStatus>,
    /// Until when it rests after failures, in RFC 3339.
    pub backoff_until: Option<String>,
    /// When it runs next by itself, in RFC 3339; nothing while it has nothing to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_run_at: Option<String>,
    /// Until when something waits that its last run could not do yet, in RFC 3339: an edit that comes too soon after another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_until: Option<String>,
    /// The name of its last run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<String>,
    /// Its tasks.
    pub inbox: InboxCounts,
    /// What is wrong with its definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A run that is under way. It has no record before it ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningStatus {
    /// Its name.
    pub run_id: String,
    /// When it started, in RFC 3339.
    pub started_at: String,
    /// The task that is being worked on; `None` for a run without tasks.
    pub task: Option<String>,
    /// How many tasks are still ahead, that one included.
    pub tasks_ahead: usize,
}

impl RunningStatus {
    fn of(running: &Running) -> Self {
        Self {
            run_id: running.run.as_str().to_owned(),
            started_at: rfc3339(running.started_at),
            task: running.ahead.first().map(|task| task.key.name.as_str().to_owned()),
            tasks_ahead: running.ahead.len(),
        }
    }
}

/// A moment as it stands in answers.
/// How many tasks stand how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InboxCounts {
    /// Waiting for a run.
    pub pending: usize,
    /// Failed too often, or refused: waiting for a person.
    pub held: usize,
}

/// How many stuck tasks are shown one by one; all are counted.
const MAX_STUCK: usize = 1_000;

/// Looks at the scheduler; `unlisted` are the tasks that it does not know yet because there are so many.
pub(crate) fn schedule(
    state: &State,
    now: Now,
    ticking: bool,
    unlisted: &HashMap<PartitionId, usize>,
) -> Schedule {
    let status = |partition| PartitionStatus {
        // Only a daemon runs anything by itself.
        next_run_at: ticking.then(|| state.next_run_at(partition, now)).flatten().map(rfc3339),
        ..status_of(state, partition, now, unlisted)
    };
    let all = state.partitions().iter();
    let tasks = all.clone().flat_map(|found| found.tasks().map(|task| InboxTask::of(found, &task)));
    Schedule {
        tick: state.tick().0,
        next_tick_at: ticking.then(|| rfc3339(state.next_tick_at(now))),
        interval_ms: state.settings().interval_ms,
        paused: state.is_paused(),
        stuck: tasks.filter(InboxTask::is_stuck).take(MAX_STUCK).collect(),
        partitions: all.map(status).collect(),
        follows: Vec::new(),
        url: None,
        trouble: None,
        counters: None,
        fleet: None,
        loops: Vec::new(),
    }
}

fn rfc3339(at: UnixMs) -> String {
    format!("{:.3}", timestamp(at))
}

fn status_of(
    state: &State,
    partition: &Partition,
    now: Now,
    unlisted: &HashMap<PartitionId, usize>,
) -> PartitionStatus {
    let definition = partition.definition.as_ref().ok();
    let readiness = state.readiness(partition, now);
    let last = partition.memory.last_run.as_ref();
    let unlisted = unlisted.get(&partition.id).copied().unwrap_or(0);
    let mut inbox = InboxCounts { pending: unlisted, held: 0 };
    for task in partition.tasks() {
        match task.state {
            TaskState::Pending => inbox.pending += 1,
            TaskState::Held | TaskState::Refused => inbox.held += 1,
            TaskState::Acking => {}
        }
    }
    PartitionStatus {
        name: partition.id.to_string(),
        enabled: definition.is_some_and(|definition| definition.schedule.enabled),
        engine: definition.map(|definition| definition.engine.name().to_owned()),
        cooldown_ticks: definition.and_then(|definition| match definition.schedule.rest {
            Rest::Ticks(ticks) => Some(ticks),
            Rest::Cron(_) => None,
        }),
        last_run_tick: last.map(|run| run.tick.0),
        next_due_tick: state.next_due_tick(partition, now).map(|tick| tick.0),
        state: readiness.word().to_owned(),
        last_outcome: last.map(|run| run.outcome.as_str().to_owned()),
        last_run_at: last.map(|run| rfc3339(run.ended_at)),
        running: partition.memory.running.as_ref().map(RunningStatus::of),
        backoff_until: if let Readiness::BackingOff { until } = readiness {
            Some(rfc3339(until))
        } else {
            None
        },
        next_run_at: None,
        waits_until: partition.memory.wake_at.filter(|at| *at > now.wall).map(rfc3339),
        last_run: last.map(|run| run.run.to_string()),
        inbox,
        problem: partition.definition.as_ref().err().cloned(),
    }
}
