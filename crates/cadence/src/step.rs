//! One event in, the wishes that follow from it out.
//!
//! Every step does the same four things: it lets the time pass that passed (ticks, deadlines), takes the
//! event in, starts whoever is due, and asks for the state to be saved if it changed. The save comes first
//! among the effects, so nothing is started or acked on the strength of a decision that a crash could undo.

use crate::clock::Passed;
use crate::effect::{DEADLINE_GRACE_MS, Effect, EndReason, Fact, PAUSE_GRACE_MS};
use crate::event::{Event, Scope};
use crate::partition::{Active, Asked};
use crate::state::{Settings, State};
use crate::{Now, PartitionId, TaskKey, TaskName, backoff, playlist};

/// How long the end of a run is awaited beyond its grace before it is asked for again, with force.
const OVERDUE_AFTER_MS: u64 = 10_000;

/// Takes in one event at one moment. Pure: no file, no clock, no process, no chance.
#[must_use = "an effect that nobody carries out is a lost decision"]
pub fn step(state: &mut State, now: Now, event: Event) -> Vec<Effect> {
    let mut effects = Vec::new();
    if let Event::Started { pace, partitions, paused, events } = event {
        (state.paused, state.events) = (paused, events);
        let passed = state.start(now, pace, partitions, &mut effects);
        let ticked = state.count_ticks(passed, now);
        state.start_due(now, ticked, &mut effects);
    } else if state.pace.is_some() {
        let awaited = now.boot >= state.next_wakeup;
        let passed = state.pass_time(now, &mut effects);
        let concerns = Concerns::of(&event);
        state.take_in(now, event, &mut effects);
        let ticked = state.count_ticks(passed, now);
        match concerns {
            Concerns::All => state.start_due(now, ticked, &mut effects),
            Concerns::One(_) | Concerns::Nobody if awaited || passed.drifted => {
                state.start_due(now, ticked, &mut effects)
            }
            Concerns::One(partition) => state.start_if_due(&partition, now, &mut effects),
            Concerns::Nobody => {}
        }
    }
    if std::mem::take(&mut state.unsaved) {
        effects.insert(0, Effect::SaveState);
    }
    if state.stopping && !state.told_to_stop && state.running() == 0 {
        state.told_to_stop = true;
        effects.push(Effect::Stop);
    }
    effects
}

/// Whose readiness an event can change. A pass over all partitions is not free, and most events concern one.
enum Concerns {
    All,
    One(PartitionId),
    Nobody,
}

impl Concerns {
    fn of(event: &Event) -> Concerns {
        match event {
            Event::InboxSeen { partition, .. }
            | Event::FilesSeen { partition, .. }
            | Event::TaskAcked { partition, .. }
            | Event::AckUndone { partition, .. }
            | Event::RetryRequested { partition, .. }
            | Event::WorkRequested { partition } => Concerns::One(partition.clone()),
            Event::TaskEnded { .. } | Event::RunRecorded { .. } => Concerns::Nobody,
            Event::Started { .. }
            | Event::TimePassed
            | Event::PartitionsSeen { .. }
            | Event::EventsSeen { .. }
            | Event::KillSwitch { .. }
            | Event::RunEnded { .. }
            | Event::RunRequested { .. }
            | Event::TickRequested
            | Event::PlaylistEdited { .. }
            | Event::SettingsChanged { .. }
            | Event::StopRequested => Concerns::All,
        }
    }
}

impl State {
    fn take_in(&mut self, now: Now, event: Event, effects: &mut Vec<Effect>) {
        match event {
            Event::Started { .. } | Event::TimePassed => {}
            Event::PartitionsSeen { partitions } => self.see_partitions(now, partitions, effects),
            Event::InboxSeen { partition, tasks } => match self.find(&partition) {
                Some(found) => self.unsaved |= found.list_inbox(tasks),
                None => ignore("a list of the inbox", &partition, effects),
            },
            Event::EventsSeen { mark } => self.events = Some(mark),
            Event::FilesSeen { partition, mark } => match self.find(&partition) {
                Some(found) => found.files = Some(mark),
                None => ignore("a change of files", &partition, effects),
            },
            Event::KillSwitch { scope, set } => self.turn_kill_switch(now, scope, set, effects),
            Event::TaskEnded { partition, run, task, work } => {
                self.settle_task(&partition, &run, &task, &work, effects);
            }
            Event::RunEnded { partition, run, work } => self.settle_run(now, &partition, &run, work, effects),
            Event::TaskAcked { partition, task } => self.finish_ack(&partition, &task, Ack::Done, effects),
            Event::AckUndone { partition, task } => self.finish_ack(&partition, &task, Ack::Undone, effects),
            Event::RunRecorded { partition, run } => {
                if let Some(memory) = self.memory_of(&partition) {
                    memory.unrecorded.retain(|settled| settled.run != run);
                    self.unsaved = true;
                }
            }
            Event::RetryRequested { partition, task } => self.retry(&partition, &task, effects),
            Event::RunRequested { partition } => self.ask_for(partition, effects),
            Event::WorkRequested { partition } => match self.find(&partition) {
                // Whoever asked for a run by name gets it.
                Some(found) if found.asked == Asked::ByName => {}
                Some(found) => found.asked = Asked::WithAll,
                None => ignore("a wish for work", &partition, effects),
            },
            Event::TickRequested => {
                self.clock.beat_once();
                self.unsaved = true;
                effects.push(Effect::Note(Fact::TickAskedFor { tick: self.clock.tick }));
                self.partitions.iter_mut().for_each(|partition| partition.asked = Asked::WithAll);
            }
            Event::PlaylistEdited { text } => self.reorder(&playlist::parse(&text)),
            Event::SettingsChanged { settings } => self.change_settings(settings),
            Event::StopRequested => {
                self.stopping = true;
                self.end_runs(now, EndReason::Stopping, DEADLINE_GRACE_MS, effects, |_| true);
            }
        }
    }

    /// Ticks and jumps of the wall clock, then deadlines: a result that comes after its deadline is late
    /// even if it is the first thing to be heard since.
    fn pass_time(&mut self, now: Now, effects: &mut Vec<Effect>) -> Passed {
        let passed = self.clock.advance(now, self.settings.interval_ms);
        if let Some(by_ms) = passed.jumped_ms {
            self.follow_wall_clock(now, by_ms);
            effects.push(Effect::Note(Fact::ClockJumped { by_ms }));
        }
        if now.boot >= self.next_wakeup {
            let over = |active: &Active| now.boot >= active.deadline;
            self.end_runs(now, EndReason::Deadline, DEADLINE_GRACE_MS, effects, over);
        }
        if passed.ticks > 0 {
            self.ask_again_for_overdue_ends(now, effects);
        }
        passed
    }

    /// Moments that were noted by the old time are moved with it, so that rests stay as long as they were.
    fn follow_wall_clock(&mut self, now: Now, by_ms: i64) {
        for partition in &mut self.partitions {
            let memory = &mut partition.memory;
            for moment in [&mut memory.backoff_until, &mut memory.wake_at] {
                *moment = moment.map(|moment| moment.plus_ms(by_ms));
            }
            partition.sync_cron(now.wall);
        }
        self.unsaved = true;
    }

    /// Notes that ticks passed. After more than one, starts are spread: everybody's rest may be over at once.
    fn count_ticks(&mut self, passed: Passed, now: Now) -> Option<Passed> {
        if passed.ticks > 1 {
            for partition in &mut self.partitions {
                partition.start_after = now.boot.plus_ms(backoff::catch_up_delay_ms(&partition.id));
            }
        }
        self.unsaved |= passed.ticks > 0;
        (passed.ticks > 0).then_some(passed)
    }

    /// Wishes for the end of runs that are not being ended yet.
    pub(crate) fn end_runs(
        &mut self,
        now: Now,
        reason: EndReason,
        grace_ms: u64,
        effects: &mut Vec<Effect>,
        which: impl Fn(&Active) -> bool,
    ) {
        for partition in &mut self.partitions {
            if partition.active.as_ref().is_some_and(&which) {
                partition.end_run(now, reason, grace_ms, effects);
            }
        }
    }

    fn ask_again_for_overdue_ends(&mut self, now: Now, effects: &mut Vec<Effect>) {
        for partition in &self.partitions {
            let (Some(active), Some(running)) = (&partition.active, &partition.memory.running) else {
                continue;
            };
            let Some((reason, since)) = active.ending else { continue };
            let waiting_ms = now.boot.since_ms(since);
            if waiting_ms >= DEADLINE_GRACE_MS + OVERDUE_AFTER_MS {
                let (partition, run) = (partition.id.clone(), running.run.clone());
                effects.push(Effect::EndRun {
                    partition: partition.clone(),
                    run: run.clone(),
                    reason,
                    grace_ms: 0,
                });
                effects.push(Effect::Note(Fact::RunOverdue { run, partition, waiting_ms }));
            }
        }
    }

    fn turn_kill_switch(&mut self, now: Now, scope: Scope, set: bool, effects: &mut Vec<Effect>) {
        let of = match scope {
            Scope::Home => {
                if std::mem::replace(&mut self.paused, set) == set {
                    return;
                }
                if set {
                    self.end_runs(now, EndReason::Paused, PAUSE_GRACE_MS, effects, |_| true);
                }
                None
            }
            Scope::Partition(id) => {
                let Some(partition) = self.find(&id) else { return ignore("a kill switch", &id, effects) };
                if std::mem::replace(&mut partition.paused, set) == set {
                    return;
                }
                if set {
                    partition.end_run(now, EndReason::Paused, PAUSE_GRACE_MS, effects);
                }
                Some(id)
            }
        };
        effects.push(Effect::Note(Fact::KillSwitchTurned { partition: of, set }));
    }

    fn finish_ack(&mut self, id: &PartitionId, task: &TaskKey, ack: Ack, effects: &mut Vec<Effect>) {
        let Some(memory) = self.memory_of(id) else { return ignore("an ack", id, effects) };
        let Some(place) = memory.acking.iter().position(|acking| acking.task.key == *task) else {
            return ignore("an ack", id, effects);
        };
        let acking = memory.acking.remove(place);
        if ack == Ack::Undone {
            memory.undo_ack(task);
        }
        if let Some(partition) = self.find(id) {
            if ack == Ack::Done {
                partition.inbox.retain(|seen| seen.key != *task || seen.stamp != acking.task.stamp);
            }
            partition.count_pending();
        }
        self.unsaved = true;
    }

    /// Forgets why a task is held, and also the rest after failures: whoever asks does not want to wait for it.
    fn retry(&mut self, id: &PartitionId, name: &TaskName, effects: &mut Vec<Effect>) {
        let Some(partition) = self.find(id) else { return ignore("a retry", id, effects) };
        partition.memory.tasks.retain(|key, _| key.name != *name);
        partition.memory.backoff_until = None;
        (partition.memory.timeouts_in_a_row, partition.memory.errors_in_a_row) = (0, 0);
        partition.count_pending();
        self.unsaved = true;
    }

    fn change_settings(&mut self, settings: Settings) {
        self.settings = settings.bounded();
        self.clock.set_interval(self.settings.interval_ms);
    }
}

/// How an ack ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ack {
    Done,
    Undone,
}

pub(crate) fn ignore(what: &'static str, partition: &PartitionId, effects: &mut Vec<Effect>) {
    effects.push(Effect::Note(Fact::Ignored { what, partition: partition.clone() }));
}
