//! Whether a partition may run now, and if not, why. `status`, the log and the scheduler itself all use
//! this one answer.

use std::fmt;

use crate::definition::Rest;
use crate::effect::Cause;
use crate::partition::{Asked, Partition};
use crate::saved::Mark;
use crate::settle::Outcome;
use crate::{BootMs, Definition, Now, Tick, UnixMs};

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// Its definition cannot be used; [`Partition::definition`] says why.
    Unusable,
    /// It is running.
    Running,
    /// The daemon is about to stop.
    Stopping,
    /// Its definition switches it off.
    Disabled,
    /// A kill switch is set.
    Paused,
    /// It rests after failures.
    BackingOff {
        /// Until when.
        until: UnixMs,
    },
    /// It rests after its last run.
    Cooling {
        /// The tick with which the rest ends.
        ready_at_tick: Tick,
    },
    /// Its pattern has no time now.
    Scheduled {
        /// The next time.
        at: UnixMs,
    },
    /// Nothing of what it wakes on has happened, or its inbox was not listed yet.
    NothingToDo,
    /// The daemon or the machine slept, and starts are spread a little.
    CatchingUp {
        /// When its turn comes.
        at: BootMs,
    },
    /// Others run, as many as may.
    WaitingForSlot,
    /// It runs now.
    Due,
}

impl Readiness {
    /// The word in `status` and in the log.
    pub fn word(&self) -> &'static str {
        match self {
            Readiness::Unusable => "unusable",
            Readiness::Running => "running",
            Readiness::Stopping => "stopping",
            Readiness::Disabled => "disabled",
            Readiness::Paused => "paused",
            Readiness::BackingOff { .. } => "backing_off",
            Readiness::Cooling { .. } => "cooling",
            Readiness::Scheduled { .. } => "scheduled",
            Readiness::NothingToDo => "nothing_to_do",
            Readiness::CatchingUp { .. } => "catching_up",
            Readiness::WaitingForSlot => "waiting_for_slot",
            Readiness::Due => "due",
        }
    }
}

impl fmt::Display for Readiness {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

/// What all partitions have in common at one moment.
#[derive(Debug, Clone)]
pub struct Moment<'a> {
    /// What the clocks show.
    pub now: Now,
    /// The tick.
    pub tick: Tick,
    /// How long a tick is.
    pub interval_ms: u64,
    /// Whether the kill switch of the home is set.
    pub paused: bool,
    /// Whether the daemon is about to stop.
    pub stopping: bool,
    /// How many more runs may start.
    pub free_slots: usize,
    /// How far the external events have come.
    pub events: Option<&'a Mark>,
}

/// Says whether a partition may run now, and if not, why.
///
/// Asked for by name, it ignores its cooldown and needs no work, unless all the work that it could ever have is held: that
/// waits for a person, and an empty run helps nobody. Asked for with all others, it still needs work. No kill switch is
/// ever ignored.
pub fn readiness(partition: &Partition, moment: &Moment<'_>) -> Readiness {
    if partition.memory.running.is_some() {
        return Readiness::Running;
    }
    let Ok(Definition { schedule, .. }) = &partition.definition else { return Readiness::Unusable };
    if moment.stopping {
        return Readiness::Stopping;
    }
    if !schedule.enabled && partition.asked != Asked::ByName {
        return Readiness::Disabled;
    }
    if moment.paused || partition.paused {
        return Readiness::Paused;
    }
    if partition.asked == Asked::No
        && let Some(resting) = resting(partition, &schedule.rest, moment)
    {
        return resting;
    }
    let by_name = partition.asked == Asked::ByName && !partition.has_only_held_work();
    let called = by_name || wake(partition, moment).is_some();
    if !called || !partition.inbox_known {
        return Readiness::NothingToDo;
    }
    if partition.asked == Asked::No && moment.now.boot < partition.start_after {
        return Readiness::CatchingUp { at: partition.start_after };
    }
    if moment.free_slots == 0 { Readiness::WaitingForSlot } else { Readiness::Due }
}

/// The rest that is not over yet.
fn resting(partition: &Partition, rest: &Rest, moment: &Moment<'_>) -> Option<Readiness> {
    if let Some(until) = partition.memory.backoff_until
        && moment.now.wall < until
    {
        return Some(Readiness::BackingOff { until });
    }
    match rest {
        Rest::Ticks(cooldown_ticks) => {
            let ready_at_tick = partition.memory.last_run.as_ref()?.tick.plus(*cooldown_ticks);
            (moment.tick < ready_at_tick).then_some(Readiness::Cooling { ready_at_tick })
        }
        Rest::Cron(_) => match partition.next_time {
            Some(at) if at <= moment.now.wall => None,
            Some(at) => Some(Readiness::Scheduled { at }),
            None => Some(Readiness::Scheduled { at: UnixMs(i64::MAX) }),
        },
    }
}

/// What gives a partition something to do, if anything does.
///
/// Tasks always count. Everything else counts once a tick unless the last run was a good one: an
/// engine that fails, or says there is more to do, is not started again and again within a tick.
pub(crate) fn wake(partition: &Partition, moment: &Moment<'_>) -> Option<Cause> {
    let Ok(definition) = &partition.definition else { return None };
    let (on, memory) = (&definition.schedule.wake_on, &partition.memory);
    if on.inbox && partition.pending_tasks > 0 {
        return Some(Cause::Tasks);
    }
    let by_pattern = matches!(definition.schedule.rest, Rest::Cron(_));
    let fresh_tick = by_pattern || memory.last_run.as_ref().is_none_or(|last| last.tick < moment.tick);
    let last_was_good = memory.last_run.as_ref().is_none_or(|last| last.outcome == Outcome::Terminal);
    if fresh_tick || last_was_good {
        if on.events && moment.events.is_some() && moment.events != memory.events_seen.as_ref() {
            return Some(Cause::Events);
        }
        let files = partition.files.as_ref().filter(|mark| !mark.is_nothing());
        if !on.changed.is_empty() && files.is_some() && files != memory.files_seen.as_ref() {
            return Some(Cause::Files);
        }
        if memory.wake_at.is_some_and(|at| at <= moment.now.wall) {
            return Some(Cause::Waited);
        }
    }
    match fresh_tick {
        true if memory.more_to_do => Some(Cause::MoreToDo),
        true if on.tick => Some(Cause::Tick),
        true | false => None,
    }
}

/// When a partition runs next by itself, as things stand; `None` while it has nothing to do, or while nobody but a person
/// can change that. `next_tick_at` is when the next tick is.
pub fn next_run_at(partition: &Partition, moment: &Moment<'_>, next_tick_at: UnixMs) -> Option<UnixMs> {
    let ready = readiness(partition, moment);
    let ready_at = match ready {
        Readiness::BackingOff { until: at } | Readiness::Scheduled { at } => at,
        Readiness::Cooling { ready_at_tick } => {
            let ticks_between = ready_at_tick.0.saturating_sub(moment.tick.0).saturating_sub(1);
            let wait_ms = ticks_between.saturating_mul(moment.interval_ms);
            next_tick_at.plus_ms(i64::try_from(wait_ms).unwrap_or(i64::MAX))
        }
        // What would wake it now has not happened; what a failed run left comes with the next tick.
        Readiness::NothingToDo => next_tick_at,
        Readiness::Unusable
        | Readiness::Running
        | Readiness::Stopping
        | Readiness::Disabled
        | Readiness::Paused
        | Readiness::CatchingUp { .. }
        | Readiness::WaitingForSlot
        | Readiness::Due => return None,
    };
    let at = if has_work_at_the_next_tick(partition, moment) {
        ready_at
    } else {
        let waits_until = partition.memory.wake_at?;
        let is_free = ready == Readiness::NothingToDo && waits_until > moment.now.wall;
        if is_free { waits_until } else { waits_until.max(ready_at) }
    };
    (at < UnixMs(i64::MAX)).then_some(at)
}

/// Whether there is something to do once its rest is over and a tick has passed.
fn has_work_at_the_next_tick(partition: &Partition, moment: &Moment<'_>) -> bool {
    let Ok(definition) = &partition.definition else { return false };
    let (on, memory) = (&definition.schedule.wake_on, &partition.memory);
    let new_events = moment.events.is_some() && moment.events != memory.events_seen.as_ref();
    let files = partition.files.as_ref().filter(|mark| !mark.is_nothing());
    let new_files = files.is_some() && files != memory.files_seen.as_ref();
    on.tick
        || memory.more_to_do
        || (on.inbox && partition.pending_tasks > 0)
        || (on.events && new_events)
        || (!on.changed.is_empty() && new_files)
}

/// The first tick in which a partition may run as things stand; `None` while only a person can change that.
pub fn next_due_tick(partition: &Partition, moment: &Moment<'_>) -> Option<Tick> {
    let ticks_in = |wait_ms: i64| {
        let wait_ms = u64::try_from(wait_ms).unwrap_or(0);
        moment.tick.plus(wait_ms.div_ceil(moment.interval_ms.max(1)))
    };
    match readiness(partition, moment) {
        Readiness::Unusable | Readiness::Stopping | Readiness::Disabled | Readiness::Paused => None,
        Readiness::Running => {
            match partition.definition.as_ref().ok().map(|definition| &definition.schedule.rest) {
                Some(Rest::Ticks(cooldown_ticks)) => Some(moment.tick.plus(*cooldown_ticks)),
                Some(Rest::Cron(cron)) => {
                    cron.next_after(moment.now.wall).map(|at| ticks_in(at.since_ms(moment.now.wall)))
                }
                None => None,
            }
        }
        Readiness::BackingOff { until: at } | Readiness::Scheduled { at } => {
            Some(ticks_in(at.since_ms(moment.now.wall)))
        }
        Readiness::Cooling { ready_at_tick } => Some(ready_at_tick),
        Readiness::NothingToDo
        | Readiness::CatchingUp { .. }
        | Readiness::WaitingForSlot
        | Readiness::Due => Some(moment.tick),
    }
}
