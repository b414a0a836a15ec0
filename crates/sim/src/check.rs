//! The invariants, held against a second, naive account of what happened.
//!
//! The model below learns what the daemon was told and what it wished for, and keeps only the numbers that the
//! rules name. Like the daemon it forgets, at a crash, whatever was not saved.

use std::collections::{BTreeMap, BTreeSet};

use subcortex_cadence::backoff::{
    CATCH_UP_SPREAD_MS, ERRORS_BEFORE_BACKOFF, MAX_BACKOFF_MS, TIMEOUTS_BEFORE_BACKOFF,
};
use subcortex_cadence::definition::Rest;
use subcortex_cadence::settle::{
    ATTEMPTS_BEFORE_HOLD, AckDecision, INTERRUPTIONS_BEFORE_HOLD, Mode, Outcome, SettledRun, Work,
};
use subcortex_cadence::{
    Cause, Effect, EndReason, Now, Partition, PartitionId, Readiness, RunId, SeenTask, StartRun, State,
    TaskKey, TaskName, Tick, UnixMs,
};

use crate::disk::{Disk, Instance};
use crate::engine::Process;
use crate::world::{Stop, World};

/// What the rules depend on.
#[derive(Debug, Clone, Default)]
struct Facts {
    /// The tick, which never goes back.
    tick: Tick,
    /// The tick in which the last run of each partition ended.
    ended: BTreeMap<PartitionId, Tick>,
    /// For cron: until when times are done, and how often the wall clock had been set by then.
    cron_done: BTreeMap<PartitionId, (subcortex_cadence::UnixMs, u64)>,
    /// Failed attempts and interruptions of each task.
    failures: BTreeMap<(PartitionId, TaskKey), (u32, u32)>,
    /// The tasks of each run that are not settled.
    ahead: BTreeMap<PartitionId, Vec<TaskKey>>,
    /// When each partition has something to do that had to wait, and how often the wall clock had been set by then.
    waits: BTreeMap<PartitionId, (UnixMs, u64)>,
}

/// The second account.
#[derive(Debug, Default)]
pub(crate) struct Model {
    facts: Facts,
    saved: Facts,
    /// Whether the daemon was told that the home is paused.
    pub(crate) home_paused: bool,
    listed: BTreeMap<PartitionId, Vec<SeenTask>>,
    /// Until when starts may be spread, in true time.
    quiet_until_ms: u64,
    not_started_ms: BTreeMap<PartitionId, u64>,
    /// Why runs are being ended.
    ending: BTreeMap<PartitionId, EndReason>,
    /// Who waits for a slot, and how often others started meanwhile.
    waiting: BTreeMap<PartitionId, BTreeMap<PartitionId, u32>>,
    /// What the run that is about to end says of what it could not do yet.
    said: Option<(PartitionId, Option<UnixMs>)>,
    /// The first tick since the start, the boot clock at the one after it, and ticks by hand.
    beat: Option<(Tick, u64, u64)>,
    pub(crate) runs: u64,
    pub(crate) acks: u64,
}

impl Model {
    pub(crate) fn saved(&mut self) {
        self.saved.clone_from(&self.facts);
    }

    pub(crate) fn crashed(&mut self) {
        self.facts.clone_from(&self.saved);
        self.listed.clear();
        self.ending.clear();
        self.waiting.clear();
        self.not_started_ms.clear();
        self.beat = None;
    }

    /// A daemon starts; whatever ran when the last one was saved is lost.
    pub(crate) fn restarted(&mut self, home_paused: bool, true_ms: u64) {
        self.home_paused = home_paused;
        self.quiet_until_ms = true_ms + CATCH_UP_SPREAD_MS;
        for (partition, ahead) in std::mem::take(&mut self.facts.ahead) {
            if let Some(task) = ahead.into_iter().next() {
                self.facts.failures.entry((partition, task)).or_default().1 += 1;
            }
        }
    }

    /// Tasks that are gone are forgotten.
    pub(crate) fn inbox_listed(&mut self, partition: &PartitionId, tasks: &[SeenTask]) {
        let gone = |key: &TaskKey| !tasks.iter().any(|task| task.key == *key);
        self.facts.failures.retain(|(of, key), _| of != partition || !gone(key));
        self.listed.insert(partition.clone(), tasks.to_vec());
    }

    /// A partition that is gone for long is forgotten, and what it remembers is nobody's business meanwhile.
    pub(crate) fn removed(&mut self, partition: &PartitionId) {
        self.inbox_listed(partition, &[]);
        self.facts.waits.remove(partition);
        self.saved.waits.remove(partition);
    }

    /// A result that was recorded is known again.
    pub(crate) fn finished(&mut self, partition: &PartitionId, key: &TaskKey) {
        self.facts.failures.remove(&(partition.clone(), key.clone()));
    }

    /// A file left the inbox with its ack.
    pub(crate) fn acked(&mut self, instance: &Instance) {
        if let Some(listed) = self.listed.get_mut(&instance.partition) {
            listed.retain(|task| task.key != instance.key || task.stamp != instance.stamp);
        }
    }

    /// A run ends with this: its word counts if its result does.
    pub(crate) fn said(&mut self, partition: &PartitionId, work: &Work) {
        self.said = Some((partition.clone(), work.wake_at));
    }

    pub(crate) fn retried(&mut self, partition: &PartitionId, name: &TaskName) {
        self.facts.failures.retain(|(of, key), _| of != partition || key.name != *name);
    }

    pub(crate) fn redefined(&mut self, partition: &PartitionId) {
        self.facts.cron_done.remove(partition);
    }

    pub(crate) fn order_changed(&mut self) {
        self.waiting.clear();
    }

    pub(crate) fn ticked_by_hand(&mut self) {
        if let Some((_, _, by_hand)) = &mut self.beat {
            *by_hand += 1;
        }
    }

    pub(crate) fn not_started(&mut self, partition: &PartitionId, true_ms: u64) {
        self.facts.ahead.remove(partition);
        self.ending.remove(partition);
        self.not_started_ms.insert(partition.clone(), true_ms);
    }

    fn is_held(&self, partition: &PartitionId, key: &TaskKey) -> bool {
        let failures = self.facts.failures.get(&(partition.clone(), key.clone()));
        failures.is_some_and(|(failed, interrupted)| {
            *failed >= ATTEMPTS_BEFORE_HOLD || *interrupted >= INTERRUPTIONS_BEFORE_HOLD
        })
    }

    fn count_failure(&mut self, partition: &PartitionId, key: &TaskKey) {
        let failures = self.facts.failures.entry((partition.clone(), key.clone())).or_default();
        *failures = (failures.0 + 1, 0);
    }

    /// The tasks that a run may take, oldest first.
    fn pending(&self, partition: &Partition) -> Vec<&SeenTask> {
        let listed = self.listed.get(&partition.id).map_or(&[][..], Vec::as_slice);
        let acking = |key: &TaskKey| partition.memory.acking.iter().any(|acking| acking.task.key == *key);
        let free = |task: &&SeenTask| {
            task.refused.is_none() && !self.is_held(&partition.id, &task.key) && !acking(&task.key)
        };
        listed.iter().filter(free).collect()
    }
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Stop> {
    if holds { Ok(()) } else { Err(Stop::Broken(otherwise())) }
}

impl World {
    /// Looks at one step: whether it was told of the end of a run, and what is wished for.
    pub(crate) fn check_step(
        &mut self,
        state: &State,
        run_ended: bool,
        effects: &[Effect],
    ) -> Result<(), Stop> {
        let (now, true_ms) = (self.now(), self.true_ms);
        for effect in effects {
            if let Effect::EndRun { run, .. } = effect {
                self.ends_wished.insert(run.clone());
            }
        }
        let processes = &self.processes;
        check_saves(effects)?;
        self.model.check_tick(state, now, true_ms)?;
        check_deadlines(state, processes, &self.ends_wished, now, true_ms)?;
        check_backoff(state, now)?;
        self.model.follow(run_ended, effects, state, now, self.clock_settings)?;
        let mut live: Vec<&PartitionId> = processes.iter().map(|process| &process.partition).collect();
        for effect in effects {
            let Effect::StartRun(start) = effect else { continue };
            ensure(!live.contains(&&start.partition), || format!("{} overlaps itself", start.partition))?;
            live.push(&start.partition);
            let max = state.settings().max_parallel;
            ensure(live.len() <= max, || format!("{} run at once, and {max} may", live.len()))?;
            self.model.check_start(start, state, &self.disk, now, self.clock_settings)?;
        }
        self.model.check_fairness(state, effects, now)
    }

    /// Looks at the state when everything that follows from an event is done: whoever may run, runs.
    pub(crate) fn check_rest(&self) -> Result<(), Stop> {
        let now = self.now();
        let Some(edge) = &self.daemon else { return Ok(()) };
        // While something cannot be written, nothing is at rest.
        if edge.trouble().is_some() {
            return Ok(());
        }
        let (state, processes) = (&edge.state, &self.processes);
        ensure(state.running() == processes.len(), || {
            "the scheduler and the world disagree about what runs".into()
        })?;
        if processes.len() >= state.settings().max_parallel || state.is_stopping() || self.model.home_paused {
            return Ok(());
        }
        for partition in state.partitions() {
            let why =
                || format!("{} should run and does not: {:?}", partition.id, state.readiness(partition, now));
            ensure(state.readiness(partition, now) != Readiness::Due, why)?;
            ensure(!self.model.should_run(partition, state, now, self.true_ms), why)?;
            self.model.check_wait(partition, state, now, self.clock_settings)?;
        }
        Ok(())
    }
}

impl Model {
    /// The rule, written down a second time, for partitions that rest by ticks and have tasks.
    fn should_run(&self, partition: &Partition, state: &State, now: Now, true_ms: u64) -> bool {
        let Ok(definition) = &partition.definition else { return false };
        let Rest::Ticks(cooldown_ticks) = definition.schedule.rest else { return false };
        let rested = self
            .facts
            .ended
            .get(&partition.id)
            .is_none_or(|ended| state.tick().0 - ended.0 >= cooldown_ticks);
        let backing_off = partition.memory.backoff_until.is_some_and(|until| now.wall < until);
        let spread = true_ms <= self.quiet_until_ms
            || self.not_started_ms.get(&partition.id).is_some_and(|at| true_ms <= at + CATCH_UP_SPREAD_MS);
        definition.schedule.enabled
            && definition.schedule.wake_on.inbox
            && !partition.paused
            && partition.memory.running.is_none()
            && rested
            && !backing_off
            && !spread
            && !self.pending(partition).is_empty()
    }

    /// Whoever has something to do that had to wait is remembered, also by a daemon that was killed meanwhile; and if
    /// nothing else keeps it from it, somebody will be awake when the time comes.
    fn check_wait(
        &self,
        partition: &Partition,
        state: &State,
        now: Now,
        clock_settings: u64,
    ) -> Result<(), Stop> {
        let Some((at, settings)) = self.facts.waits.get(&partition.id) else { return Ok(()) };
        // After the wall clock was set there is nothing to compare with.
        if *settings != clock_settings || partition.memory.running.is_some() {
            return Ok(());
        }
        let id = &partition.id;
        ensure(partition.memory.wake_at.is_some(), || format!("{id} forgot what it had to wait for"))?;
        let in_ms = u64::try_from(at.since_ms(now.wall)).unwrap_or(0);
        let idle = state.readiness(partition, now) == Readiness::NothingToDo && in_ms > 0;
        ensure(!idle || state.next_wakeup() <= now.boot.plus_ms(in_ms), || {
            format!("nobody will be awake when {id} may do what waits")
        })
    }

    fn check_tick(&mut self, state: &State, now: Now, true_ms: u64) -> Result<(), Stop> {
        let tick = state.tick();
        let last = self.facts.tick;
        ensure(tick >= last, || format!("the tick went back from {last} to {tick}"))?;
        let interval_ms = state.settings().interval_ms;
        let expect = match self.beat {
            None => {
                let next_tick_in_ms = u64::try_from(state.next_tick_at(now).since_ms(now.wall)).unwrap_or(0);
                ensure(next_tick_in_ms <= interval_ms, || {
                    format!("the next tick is {next_tick_in_ms} ms away")
                })?;
                self.beat = Some((tick, now.boot.0 + next_tick_in_ms, 0));
                tick
            }
            Some((first, second_at_ms, by_hand)) => {
                let since_ms = now.boot.0.checked_sub(second_at_ms);
                first.plus(by_hand + since_ms.map_or(0, |since_ms| since_ms / interval_ms + 1))
            }
        };
        ensure(tick == expect, || format!("tick {tick}, and by the clock it should be {expect}"))?;
        if tick > last.plus(1) {
            self.quiet_until_ms = true_ms + CATCH_UP_SPREAD_MS;
        }
        self.facts.tick = tick;
        Ok(())
    }

    /// Takes what happened into the account.
    fn follow(
        &mut self,
        run_ended: bool,
        effects: &[Effect],
        state: &State,
        now: Now,
        clock_settings: u64,
    ) -> Result<(), Stop> {
        for effect in effects {
            match effect {
                Effect::EndRun { partition, reason, .. } => {
                    self.ending.entry(partition.clone()).or_insert(*reason);
                }
                Effect::RecordTask { partition, task, .. } => {
                    let ending = self.ending.get(partition);
                    let late = ending.is_some_and(|reason| *reason != EndReason::Stopping);
                    ensure(!late, || format!("a result of {partition} counts after its end: {ending:?}"))?;
                    if let Some(ahead) = self.facts.ahead.get_mut(partition) {
                        ahead.retain(|key| *key != task.task);
                    }
                    if task.decision == AckDecision::Ack {
                        self.acks += 1;
                        self.facts.failures.remove(&(partition.clone(), task.task.clone()));
                    } else {
                        self.count_failure(partition, &task.task);
                    }
                }
                Effect::RecordRun(settled) if run_ended => {
                    self.run_ended(settled, state, now, clock_settings);
                }
                Effect::SaveState
                | Effect::StartRun(_)
                | Effect::AckTask { .. }
                | Effect::RecoverAck { .. }
                | Effect::RecordRun(_)
                | Effect::WritePlaylist
                | Effect::RefuseRequest { .. }
                | Effect::Stop
                | Effect::Note(_) => {}
            }
        }
        Ok(())
    }

    fn run_ended(&mut self, settled: &SettledRun, state: &State, now: Now, clock_settings: u64) {
        let partition = &settled.partition;
        let ahead = self.facts.ahead.remove(partition).unwrap_or_default();
        let reason = self.ending.remove(partition);
        self.facts.ended.insert(partition.clone(), state.tick());
        if let (Some(EndReason::Deadline), Some(task)) = (reason, ahead.first()) {
            self.count_failure(partition, task);
        }
        let said = self.said.take().filter(|(of, _)| of == partition).and_then(|(_, at)| at);
        if settled.outcome == Outcome::Terminal && settled.mode == Mode::Reflective {
            self.facts.waits.remove(partition);
            self.facts
                .waits
                .extend(said.filter(|at| *at > now.wall).map(|at| (partition.clone(), (at, clock_settings))));
        }
        if settled.outcome != Outcome::Paused {
            self.facts.cron_done.insert(partition.clone(), (now.wall, clock_settings));
        }
    }

    fn check_start(
        &mut self,
        start: &StartRun,
        state: &State,
        disk: &Disk,
        now: Now,
        clock_settings: u64,
    ) -> Result<(), Stop> {
        let id = &start.partition;
        let Some(partition) = state.partition(id) else {
            return Err(Stop::Broken(format!("{id} is not there")));
        };
        let Ok(definition) = &partition.definition else {
            return Err(Stop::Broken(format!("{id} is unusable")));
        };
        let schedule = &definition.schedule;
        ensure(!self.home_paused && !partition.paused, || format!("{id} starts while it is paused"))?;
        ensure(!state.is_stopping(), || format!("{id} starts while the daemon stops"))?;
        ensure(start.deadline == now.boot.plus_ms(schedule.max_duration_ms), || {
            format!("the deadline of {id} is wrong")
        })?;
        if start.cause != Cause::Asked {
            ensure(schedule.enabled, || format!("{id} starts although it is disabled"))?;
            let resting = partition.memory.backoff_until.is_some_and(|until| now.wall < until);
            ensure(!resting, || format!("{id} starts while it rests after failures"))?;
            self.check_rest_is_over(start, &schedule.rest, now, clock_settings)?;
        }
        self.check_tasks(start, partition, schedule.max_tasks_per_run, disk)?;
        self.facts.ahead.insert(id.clone(), start.tasks.iter().map(|task| task.key.clone()).collect());
        self.runs += 1;
        Ok(())
    }

    fn check_rest_is_over(
        &self,
        start: &StartRun,
        rest: &Rest,
        now: Now,
        clock_settings: u64,
    ) -> Result<(), Stop> {
        let id = &start.partition;
        match rest {
            Rest::Ticks(cooldown_ticks) => {
                let Some(ended) = self.facts.ended.get(id) else { return Ok(()) };
                let rested = start.tick.0 - ended.0;
                ensure(rested >= *cooldown_ticks, || {
                    format!("{id} rested {rested} of {cooldown_ticks} ticks")
                })?;
                let once = start.cause != Cause::Tick || rested > 0;
                ensure(once, || format!("{id} woke twice on tick {}", start.tick))
            }
            Rest::Cron(cron) => match self.facts.cron_done.get(id) {
                // After the wall clock was set there is nothing to compare with.
                Some((done, settings)) if *settings == clock_settings => {
                    let next = cron.next_after(*done);
                    ensure(next.is_some_and(|next| next <= now.wall), || {
                        format!("{id} starts at {now:?}, and the next time of its pattern is {next:?}")
                    })
                }
                Some(_) | None => Ok(()),
            },
        }
    }

    /// A run takes the oldest tasks that may be taken, and never one that is done.
    fn check_tasks(
        &self,
        start: &StartRun,
        partition: &Partition,
        max_tasks: usize,
        disk: &Disk,
    ) -> Result<(), Stop> {
        let id = &start.partition;
        let mut expect: Vec<_> =
            self.pending(partition).iter().take(max_tasks).map(|task| (&task.key, task.stamp)).collect();
        let mut taken: Vec<_> = start.tasks.iter().map(|task| (&task.key, task.stamp)).collect();
        expect.sort();
        taken.sort();
        ensure(taken == expect, || format!("{id} takes {taken:?}, and the oldest are {expect:?}"))?;
        let redone = start.tasks.iter().find(|task| disk.done.contains_key(&Instance::of(id, task)));
        ensure(redone.is_none(), || format!("{id} takes {redone:?}, which is done"))?;
        let finished = start.tasks.iter().find(|task| disk.recorded.contains(&Instance::of(id, task)));
        ensure(finished.is_none(), || format!("{id} takes {finished:?}, whose result is recorded"))
    }

    /// While somebody waits for a slot, nobody else has two turns.
    fn check_fairness(&mut self, state: &State, effects: &[Effect], now: Now) -> Result<(), Stop> {
        for effect in effects {
            let Effect::StartRun(start) = effect else { continue };
            self.waiting.remove(&start.partition);
            if start.cause == Cause::Asked {
                continue;
            }
            for (waiting, starts) in &mut self.waiting {
                let count = starts.entry(start.partition.clone()).or_default();
                *count += 1;
                ensure(*count <= 1, || format!("{} had two turns while {waiting} waited", start.partition))?;
            }
        }
        for partition in state.partitions() {
            if state.readiness(partition, now) == Readiness::WaitingForSlot {
                self.waiting.entry(partition.id.clone()).or_default();
            } else {
                self.waiting.remove(&partition.id);
            }
        }
        Ok(())
    }
}

/// What relies on a decision comes after the decision is saved.
fn check_saves(effects: &[Effect]) -> Result<(), Stop> {
    let relies = |effect: &Effect| {
        matches!(effect, Effect::StartRun(_) | Effect::RecordTask { .. } | Effect::AckTask { .. })
    };
    let saved = effects.first() == Some(&Effect::SaveState);
    ensure(saved || !effects.iter().any(relies), || "something is done before the state is saved".into())
}

/// Whatever is past its deadline has been told to end, and the scheduler wants to be woken at the next one.
fn check_deadlines(
    state: &State,
    processes: &[Process],
    ends_wished: &BTreeSet<RunId>,
    now: Now,
    true_ms: u64,
) -> Result<(), Stop> {
    let told = |process: &Process| process.dies_at_ms.is_some() || ends_wished.contains(&process.run);
    for process in processes {
        let left_ms = process.deadline_ms.saturating_sub(true_ms);
        let over =
            state.partition(&process.partition).is_none_or(|partition| partition.memory.running.is_none());
        if over || told(process) {
            continue;
        }
        ensure(left_ms > 0, || format!("{} is past its deadline and was not told to end", process.run))?;
        let wakes = state.next_wakeup() <= now.boot.plus_ms(left_ms);
        ensure(wakes, || format!("nobody will be awake at the deadline of {}", process.run))?;
    }
    Ok(())
}

fn check_backoff(state: &State, now: Now) -> Result<(), Stop> {
    for partition in state.partitions() {
        let memory = &partition.memory;
        let Some(until) = memory.backoff_until else { continue };
        let rest_ms = until.since_ms(now.wall);
        // Corrections of the wall clock that are too small to be followed add up a little.
        ensure(rest_ms <= MAX_BACKOFF_MS as i64 + 60_000, || {
            format!("{} rests for {rest_ms} ms", partition.id)
        })?;
        let deserved = memory.errors_in_a_row >= ERRORS_BEFORE_BACKOFF
            || memory.timeouts_in_a_row >= TIMEOUTS_BEFORE_BACKOFF;
        ensure(deserved, || format!("{} rests after too few failures", partition.id))?;
    }
    Ok(())
}
