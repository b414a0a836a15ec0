//! Starts whoever is due, in the order of the playlist.
//!
//! One pass over all partitions, beginning with the one whose turn is next: it costs time in proportion to
//! their number, and allocates only for what it starts or has to say. Whoever was asked for by name goes first.

use crate::clock::Passed;
use crate::effect::{Cause, Counts, Effect, Fact, Refused, StartRun};
use crate::event::Pace;
use crate::partition::{Active, Asked, Partition};
use crate::readiness::{Readiness, readiness, wake};
use crate::saved::Running;
use crate::settle::Mode;
use crate::state::State;
use crate::{BootMs, Now, PartitionId, RunId, UnixMs};

impl State {
    /// A person wants a run. Whether there can be one is seen in the pass that follows.
    pub(crate) fn ask_for(&mut self, partition: PartitionId, effects: &mut Vec<Effect>) {
        match self.find(&partition) {
            Some(found) => found.asked = Asked::ByName,
            None => effects.push(Effect::RefuseRequest { partition, why: Refused::NoSuchPartition }),
        }
    }

    /// Starts one partition if it is due. For events that cannot make another partition ready: all others that were due
    /// at the last pass were started then, or wait for a slot that this event does not free.
    pub(crate) fn start_if_due(&mut self, id: &PartitionId, now: Now, effects: &mut Vec<Effect>) {
        let Some(place) = self.places.get(id).copied() else { return };
        let mut pass =
            Pass { free_slots: self.free_slots(), counts: Counts::default(), wakeup: self.next_wakeup };
        self.visit(place, now, &mut pass, effects);
        self.next_wakeup = pass.wakeup;
    }

    /// The pass over all.
    pub(crate) fn start_due(&mut self, now: Now, ticked: Option<Passed>, effects: &mut Vec<Effect>) {
        let tick_fact_at = effects.len();
        let mut pass =
            Pass { free_slots: self.free_slots(), counts: Counts::default(), wakeup: self.clock.next_tick };
        let (first, count) = (self.cursor, self.partitions.len());
        let round = || (first..count).chain(0..first);
        for place in
            round().filter(|place| self.partitions[*place].asked == Asked::ByName).collect::<Vec<_>>()
        {
            self.visit(place, now, &mut pass, effects);
        }
        pass.counts = Counts::default();
        for place in round() {
            self.visit(place, now, &mut pass, effects);
        }
        self.next_wakeup = pass.wakeup;
        if let Some(Passed { ticks, late_ms, .. }) = ticked {
            let missed_ticks = ticks.saturating_sub(1);
            let fact =
                Fact::TickStarted { tick: self.clock.tick, missed_ticks, late_ms, counts: pass.counts };
            effects.insert(tick_fact_at, Effect::Note(fact));
        }
    }

    /// Looks at one partition, and starts it if it is due.
    fn visit(&mut self, place: usize, now: Now, pass: &mut Pass, effects: &mut Vec<Effect>) {
        let ready = readiness(&self.partitions[place], &self.moment(now, pass.free_slots));
        let asked = self.partitions[place].asked != Asked::No;
        if ready == Readiness::Due && (asked || self.pace == Some(Pace::Cadence)) {
            // A partition that was asked for by name runs out of turn, and the order of turns stays as it is.
            if self.partitions[place].asked != Asked::ByName {
                self.cursor = if place + 1 < self.partitions.len() { place + 1 } else { 0 };
            }
            self.start_run(place, now, effects);
            pass.free_slots -= 1;
        }
        let by_itself = self.pace == Some(Pace::Cadence);
        let partition = &mut self.partitions[place];
        self.unsaved |= by_itself && partition.let_empty_times_pass(ready, now.wall);
        partition.answer_request(ready, effects);
        if by_itself {
            partition.tell_why_not(ready, effects);
        }
        pass.note(partition, ready, now);
    }

    fn start_run(&mut self, place: usize, now: Now, effects: &mut Vec<Effect>) {
        let cause = self.cause(place, now);
        self.runs_started = self.runs_started.saturating_add(1);
        self.unsaved = true;
        let run = RunId::new(now.wall, self.runs_started);
        let (tick, events) = (self.clock.tick, self.events.clone());
        let partition = &mut self.partitions[place];
        let Ok(definition) = &partition.definition else { return };
        let max_duration_ms = definition.schedule.max_duration_ms;
        let tasks = partition.take_tasks(definition.schedule.max_tasks_per_run);
        let mode = if tasks.is_empty() { Mode::Reflective } else { Mode::Directed };
        let deadline = now.boot.plus_ms(max_duration_ms);
        self.running += 1;
        partition.asked = Asked::No;
        partition.active =
            Some(Active { started: now, deadline, ending: None, events, files: partition.files.clone() });
        partition.memory.running = Some(Running {
            run: run.clone(),
            mode,
            tick,
            started_at: now.wall,
            ahead: tasks.clone(),
            settled: Vec::new(),
        });
        let id = partition.id.clone();
        effects.push(Effect::Note(Fact::RunStarted {
            run: run.clone(),
            partition: id.clone(),
            tick,
            cause,
            tasks: tasks.len(),
            max_duration_ms,
        }));
        effects.push(Effect::StartRun(StartRun {
            run,
            partition: id,
            mode,
            cause,
            tasks,
            tick,
            deadline,
            max_duration_ms,
        }));
    }

    fn cause(&self, place: usize, now: Now) -> Cause {
        let partition = &self.partitions[place];
        if partition.asked != Asked::No {
            return Cause::Asked;
        }
        wake(partition, &self.moment(now, 0)).unwrap_or(Cause::Asked)
    }
}

impl Partition {
    /// A time of a cron pattern at which there is nothing to do passes without a run.
    fn let_empty_times_pass(&mut self, ready: Readiness, now: UnixMs) -> bool {
        let everything_known = self.inbox_known
            && self.definition.as_ref().is_ok_and(|definition| {
                definition.schedule.wake_on.changed.is_empty() || self.files.is_some()
            });
        let passes =
            ready == Readiness::NothingToDo && everything_known && self.next_time.is_some_and(|at| at <= now);
        if passes {
            self.finish_cron_times(now);
        }
        passes
    }

    /// A request that cannot be met is answered at once; one that only waits for a slot stays.
    fn answer_request(&mut self, ready: Readiness, effects: &mut Vec<Effect>) {
        let refused = match ready {
            Readiness::Unusable | Readiness::Running | Readiness::Stopping | Readiness::Paused => true,
            Readiness::NothingToDo if self.inbox_known => true,
            Readiness::Disabled
            | Readiness::BackingOff { .. }
            | Readiness::Cooling { .. }
            | Readiness::Scheduled { .. }
            | Readiness::NothingToDo
            | Readiness::CatchingUp { .. }
            | Readiness::WaitingForSlot
            | Readiness::Due => false,
        };
        if refused && self.asked == Asked::ByName {
            let why = Refused::NotReady(ready);
            effects.push(Effect::RefuseRequest { partition: self.id.clone(), why });
        }
        if refused || ready == Readiness::Disabled {
            self.asked = Asked::No;
        }
    }

    /// One line in the log when the reason is another one than before, and worth a line.
    fn tell_why_not(&mut self, ready: Readiness, effects: &mut Vec<Effect>) {
        if std::mem::replace(&mut self.told, ready.word()) == ready.word() {
            return;
        }
        match ready {
            Readiness::Unusable
            | Readiness::Disabled
            | Readiness::Paused
            | Readiness::BackingOff { .. }
            | Readiness::Cooling { .. }
            | Readiness::Scheduled { .. }
            | Readiness::WaitingForSlot => {
                effects
                    .push(Effect::Note(Fact::PartitionSkipped { partition: self.id.clone(), reason: ready }));
            }
            Readiness::Running
            | Readiness::Stopping
            | Readiness::NothingToDo
            | Readiness::CatchingUp { .. }
            | Readiness::Due => {}
        }
    }
}

/// What a pass adds up.
struct Pass {
    free_slots: usize,
    counts: Counts,
    /// The earliest moment at which something changes by itself.
    wakeup: BootMs,
}

impl Pass {
    fn note(&mut self, partition: &Partition, ready: Readiness, now: Now) {
        let counts = &mut self.counts;
        let (count, wakeup) = match ready {
            Readiness::Due => (&mut counts.running, partition.active.as_ref().map(|active| active.deadline)),
            Readiness::Running => {
                let waiting = partition.active.as_ref().filter(|active| active.ending.is_none());
                (&mut counts.running, waiting.map(|active| active.deadline))
            }
            Readiness::WaitingForSlot => (&mut counts.waiting, None),
            Readiness::CatchingUp { at } => (&mut counts.waiting, Some(at)),
            Readiness::BackingOff { until: at } | Readiness::Scheduled { at } => {
                (&mut counts.resting, Some(now.boot_at(at)))
            }
            Readiness::Cooling { .. } => (&mut counts.resting, None),
            // What is due already waits for the next tick, after a run that was no good.
            Readiness::NothingToDo => {
                let waits = partition.memory.wake_at.filter(|at| *at > now.wall);
                (&mut counts.idle, waits.map(|at| now.boot_at(at)))
            }
            Readiness::Paused => (&mut counts.paused, None),
            Readiness::Unusable | Readiness::Disabled | Readiness::Stopping => (&mut counts.disabled, None),
        };
        *count += 1;
        self.wakeup = wakeup.map_or(self.wakeup, |at| self.wakeup.min(at));
    }
}
