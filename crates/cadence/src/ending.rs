//! What follows from the end of a task and of a run: results, acks, rests, records.

use crate::backoff::backoff_ms;
use crate::effect::{Effect, EndReason, Fact};
use crate::partition::{Active, Partition};
use crate::saved::{Acking, LastRun, MAX_WAKE_AHEAD_MS, PartitionMemory, RunTask, Running};
use crate::settle::{
    AckDecision, Ending, Judgement, Mode, Outcome, SettledRun, SettledTask, TaskMemory, Work, judge,
    judge_run,
};
use crate::state::State;
use crate::step::ignore;
use crate::{Now, PartitionId, RunId, TaskKey, UnixMs};

/// How long after a start that did not come about the next one is tried.
const NOT_STARTED_RETRY_MS: u64 = 1_000;

impl State {
    /// The work on one task ended.
    pub(crate) fn settle_task(
        &mut self,
        id: &PartitionId,
        run: &RunId,
        task: &TaskKey,
        work: &Work,
        effects: &mut Vec<Effect>,
    ) {
        let Some(partition) = self.find(id) else { return ignore("the end of a task", id, effects) };
        let ending = partition.active.as_ref().and_then(|active| active.ending);
        let Some(running) = partition.memory.running.as_mut().filter(|running| running.run == *run) else {
            return ignore("the end of a task", id, effects);
        };
        let Some(place) = running.ahead.iter().position(|ahead| ahead.key == *task) else {
            return ignore("the end of a task", id, effects);
        };
        // While the daemon stops, work that is finished still counts. A deadline or a kill switch is final.
        if ending.is_some_and(|(reason, _)| reason != EndReason::Stopping) {
            let (run, partition, task) = (run.clone(), id.clone(), task.clone());
            return effects.push(Effect::Note(Fact::LateResultDropped { run, partition, task }));
        }
        let task = running.ahead.remove(place);
        partition.memory.settle_task(id, task, judge(work), effects);
        partition.count_pending();
        self.unsaved = true;
    }

    /// A run ended.
    pub(crate) fn settle_run(
        &mut self,
        now: Now,
        id: &PartitionId,
        run: &RunId,
        work: Work,
        effects: &mut Vec<Effect>,
    ) {
        let (tick, interval_ms) = (self.clock.tick, self.settings.interval_ms);
        let Some(partition) = self.find(id) else { return ignore("the end of a run", id, effects) };
        let Some(running) = partition.memory.running.take_if(|running| running.run == *run) else {
            return ignore("the end of a run", id, effects);
        };
        let active = partition.active.take();
        if let Ending::NotStarted(reason) = work.ending {
            partition.start_after = now.boot.plus_ms(NOT_STARTED_RETRY_MS);
            let (run, partition) = (run.clone(), id.clone());
            effects.push(Effect::Note(Fact::RunNotStarted { run, partition, reason }));
        } else {
            let work = as_the_scheduler_ended_it(work, active.as_ref());
            let settled = partition.memory.settle_run(id, running, &work, now, active.as_ref(), effects);
            partition.remember(&settled, &work, now, tick, active);
            partition.back_off(&settled, now, interval_ms, effects);
            partition.memory.unrecorded.push(settled.clone());
            let fact = ended(&settled);
            effects.push(Effect::RecordRun(Box::new(settled)));
            // The record is written first, so that the run that the log names can be looked up.
            effects.push(Effect::Note(fact));
            effects.push(Effect::WritePlaylist);
        }
        partition.count_pending();
        self.running -= 1;
        self.unsaved = true;
        if !self.partitions.iter().all(|partition| partition.present) {
            self.retire_absent();
        }
    }
}

/// What the scheduler wished for counts more than what came of it: a result after the deadline is none.
fn as_the_scheduler_ended_it(work: Work, active: Option<&Active>) -> Work {
    let ending = match active.and_then(|active| active.ending) {
        None => return work,
        Some((EndReason::Stopping, _)) if work.ending == Ending::Well => return work,
        Some((EndReason::Deadline, _)) => Ending::TimedOut,
        Some((EndReason::Paused, _)) => Ending::Paused,
        Some((EndReason::Stopping, _)) => Ending::Stopped,
        Some((EndReason::PartitionGone, _)) => Ending::PartitionGone,
    };
    Work { ending, ..work }
}

fn ended(settled: &SettledRun) -> Fact {
    Fact::RunEnded {
        run: settled.run.clone(),
        partition: settled.partition.clone(),
        outcome: settled.outcome,
        reason: settled.reason.clone(),
        acked: settled.acked(),
        kept: settled.tasks.len() - settled.acked(),
        took_ms: settled.took_ms,
    }
}

impl PartitionMemory {
    /// Decides what happens to a task's file after the work on it ended, and asks for it.
    fn settle_task(
        &mut self,
        id: &PartitionId,
        task: RunTask,
        judgement: Judgement,
        effects: &mut Vec<Effect>,
    ) {
        let settled = self.decide(id, &task, judgement, TaskMemory::settle, effects);
        let Some(running) = &mut self.running else { return };
        let (partition, run) = (id.clone(), running.run.clone());
        running.settled.push(settled.clone());
        let decision = settled.decision;
        effects.push(Effect::RecordTask { partition: partition.clone(), run: run.clone(), task: settled });
        if decision == AckDecision::Ack {
            self.tasks.remove(&task.key);
            self.acking.push(Acking { task: task.clone(), run: run.clone() });
            effects.push(Effect::AckTask { partition, run, task });
        }
    }

    /// Settles what is left of a run that has ended.
    fn settle_run(
        &mut self,
        id: &PartitionId,
        mut running: Running,
        work: &Work,
        now: Now,
        active: Option<&Active>,
        effects: &mut Vec<Effect>,
    ) -> SettledRun {
        let concerned = match work.ending {
            Ending::Well => 0,
            Ending::Refused(_) => running.ahead.len(),
            // The first that is ahead was being worked on; the others were not touched.
            Ending::ExitCode(_)
            | Ending::Signal(_)
            | Ending::Failed(_)
            | Ending::TimedOut
            | Ending::Paused
            | Ending::Stopped
            | Ending::PartitionGone
            | Ending::NotStarted(_) => running.ahead.len().min(1),
        };
        for task in running.ahead.drain(..concerned) {
            running.settled.push(self.decide(id, &task, judge(work), TaskMemory::settle, effects));
        }
        let took_ms = active.map(|active| now.boot.since_ms(active.started.boot));
        let judgement = judge_run(work, running.mode, &running.settled);
        running.end(id, now, took_ms, judgement)
    }

    /// The daemon ended during a run: no turn is used up, and the task that was being worked on is
    /// remembered as interrupted.
    pub(crate) fn give_up_lost_run(&mut self, id: &PartitionId, now: Now, effects: &mut Vec<Effect>) -> bool {
        let Some(mut running) = self.running.take() else { return false };
        effects.push(Effect::Note(Fact::RunLost { run: running.run.clone(), partition: id.clone() }));
        let lost = Judgement {
            outcome: Outcome::Error,
            result: None,
            reason: Some("the daemon ended during the run".into()),
        };
        for task in running.ahead.drain(..running.ahead.len().min(1)) {
            let interrupt = |memory: &mut TaskMemory, _: &Judgement| memory.interrupt();
            running.settled.push(self.decide(id, &task, lost.clone(), interrupt, effects));
        }
        self.unrecorded.push(running.end(id, now, None, lost));
        true
    }

    fn decide(
        &mut self,
        id: &PartitionId,
        task: &RunTask,
        judgement: Judgement,
        decide: impl Fn(&mut TaskMemory, &Judgement) -> AckDecision,
        effects: &mut Vec<Effect>,
    ) -> SettledTask {
        let memory = self.tasks.entry(task.key.clone()).or_default();
        let decision = decide(memory, &judgement);
        let (task, attempts) = (task.key.clone(), memory.attempts);
        let Judgement { outcome, result, reason } = judgement;
        let settled = SettledTask { task, outcome, result, decision, reason, attempts };
        effects.extend(fact_about(id, &settled).map(Effect::Note));
        settled
    }

    /// Notes when there is something to do that had to wait. Only a run without tasks knows of everything that waits.
    fn remember_to_wake(&mut self, at: Option<UnixMs>, mode: Mode, now: UnixMs) {
        let latest = now.plus_ms(MAX_WAKE_AHEAD_MS);
        let before = self.wake_at.filter(|_| mode == Mode::Directed);
        // Work that need not wait is left for the next tick, so that a partition cannot wake itself in a loop within one tick.
        self.more_to_do |= at.is_some_and(|at| at <= now);
        self.wake_at = at.into_iter().filter(|at| *at > now).chain(before).min().map(|at| at.min(latest));
    }

    /// The kill switch was found at the commit of a task's result.
    pub(crate) fn undo_ack(&mut self, task: &TaskKey) {
        let running = self.running.iter_mut().flat_map(|running| &mut running.settled);
        let ended = self.unrecorded.iter_mut().flat_map(|settled| &mut settled.tasks);
        for settled in running.chain(ended).filter(|settled| settled.task == *task) {
            settled.outcome = Outcome::Paused;
            settled.decision = AckDecision::Keep;
            settled.reason = Some("its result was not committed".into());
        }
    }
}

impl Running {
    fn end(self, id: &PartitionId, now: Now, took_ms: Option<u64>, judgement: Judgement) -> SettledRun {
        SettledRun {
            run: self.run,
            partition: id.clone(),
            mode: self.mode,
            tick: self.tick,
            started_at: self.started_at,
            ended_at: now.wall,
            took_ms,
            outcome: judgement.outcome,
            result: judgement.result,
            reason: judgement.reason,
            tasks: self.settled,
        }
    }
}

impl Partition {
    /// What the next decisions depend on.
    fn remember(
        &mut self,
        settled: &SettledRun,
        work: &Work,
        now: Now,
        tick: crate::Tick,
        active: Option<Active>,
    ) {
        let outcome = settled.outcome;
        let run = settled.run.clone();
        self.memory.last_run = Some(LastRun { run, tick, ended_at: now.wall, outcome });
        self.memory.more_to_do = work.more_to_do && outcome == Outcome::Terminal;
        if outcome == Outcome::Terminal {
            self.memory.remember_to_wake(work.wake_at, settled.mode, now.wall);
        }
        // A run with tasks did what the tasks said; what else happened is still to be looked at.
        if settled.mode == Mode::Reflective && outcome == Outcome::Terminal {
            let (events, files) = active.map(|active| (active.events, active.files)).unwrap_or_default();
            (self.memory.events_seen, self.memory.files_seen) = (events, files);
        }
        // A run that was cut short by a switch has its time of the pattern still to come.
        if outcome != Outcome::Paused {
            self.finish_cron_times(now.wall);
        }
    }

    /// Counts failures in a row, and rests after too many. A run that finished any task got somewhere.
    fn back_off(&mut self, settled: &SettledRun, now: Now, interval_ms: u64, effects: &mut Vec<Effect>) {
        let memory = &mut self.memory;
        let failures = match settled.outcome {
            Outcome::Paused => return,
            Outcome::Terminal | Outcome::Partial => None,
            _ if settled.acked() > 0 => None,
            Outcome::Timeout => Some(&mut memory.timeouts_in_a_row),
            Outcome::InvalidOutput | Outcome::Error | Outcome::Refused => Some(&mut memory.errors_in_a_row),
        };
        match failures {
            Some(count) => *count = count.saturating_add(1),
            None => (memory.timeouts_in_a_row, memory.errors_in_a_row) = (0, 0),
        }
        let rest_ms = backoff_ms(&self.id, memory.timeouts_in_a_row, memory.errors_in_a_row, interval_ms);
        memory.backoff_until = rest_ms.map(|ms| now.wall.plus_ms(i64::try_from(ms).unwrap_or(i64::MAX)));
        if let Some(until) = memory.backoff_until {
            effects.push(Effect::Note(Fact::BackedOff { partition: self.id.clone(), until }));
        }
    }
}

fn fact_about(id: &PartitionId, settled: &SettledTask) -> Option<Fact> {
    let (partition, task) = (id.clone(), settled.task.clone());
    let (attempts, reason) = (settled.attempts, settled.reason.clone());
    match settled.decision {
        AckDecision::Ack => None,
        AckDecision::Keep => Some(Fact::TaskKept { partition, task, attempts, reason }),
        AckDecision::Hold => Some(Fact::TaskHeld { partition, task, attempts, reason }),
    }
}
