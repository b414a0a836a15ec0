//! Hands that are made up: they carry out what the shipped edge asks for, with a chance to die or to find no room at every
//! step, and notice what is asked for in the wrong order.

use subcortex_cadence::ack::{Found, Recovery};
use subcortex_cadence::settle::{AckDecision, Ending, SettledRun};
use subcortex_cadence::{
    Definition, Effect, EndReason, Event, Fact, Now, PartitionId, Refused, RunId, RunTask, StartRun, State,
    playlist, step,
};
use subcortex_edge::{Asked, Edge, Finished, Hands, Settled, Trouble};

use crate::disk::Instance;
use crate::engine::Process;
use crate::world::{Stop, World};

impl World {
    /// Lets the daemon do something, if it is there, and looks at what it came to.
    pub(crate) fn drive(
        &mut self,
        go: impl FnOnce(&mut Edge<World>, &mut World) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let Some(mut edge) = self.daemon.take() else { return Ok(()) };
        let outcome = go(&mut edge, self);
        if let Some(what) = self.broken.take() {
            return Err(Stop::Broken(what));
        }
        outcome?; // Whoever dies does not come back.
        if edge.is_stopped() {
            return self.stop();
        }
        self.daemon = Some(edge);
        self.check_rest()
    }

    /// Tells the daemon, and goes on until everything that follows from it is done.
    pub(crate) fn tell(&mut self, event: Event) -> Result<(), Stop> {
        self.drive(|edge, world| edge.tell(world, vec![event]))
    }

    fn crash_point(&mut self) -> Result<(), Stop> {
        if self.crash_once_in > 0 && self.random.once_in(self.crash_once_in) {
            Err(Stop::Crash)
        } else {
            Ok(())
        }
    }

    /// Before something is written: the daemon may die here, and there may be no room.
    fn write_point(&mut self) -> Result<(), Stop> {
        self.crash_point()?;
        if self.true_ms < self.no_room_until_ms && !self.random.once_in(3) {
            return Err(Stop::NoRoom);
        }
        Ok(())
    }

    fn stop(&mut self) -> Result<(), Stop> {
        if !self.processes.is_empty() {
            return Err(Stop::Broken("the daemon stops while something runs".into()));
        }
        self.forget_daemon();
        self.be_down();
        Ok(())
    }

    /// The state on the disk must say that this task is being acked by this run.
    fn ack_must_be_saved(&self, partition: &PartitionId, run: &RunId, task: &RunTask) -> Result<(), Stop> {
        let memory = self.disk.saved.partitions.get(partition);
        let saved = memory.is_some_and(|memory| {
            memory.acking.iter().any(|acking| acking.run == *run && acking.task == *task)
        });
        if saved { Ok(()) } else { broken(format!("an ack of {task:?} before the state was saved")) }
    }

    fn record_done(&mut self, instance: &Instance, run: &RunId) -> Result<(), Stop> {
        if !self.deeds.finished.contains(instance) {
            return broken(format!("{instance:?} is acked, and no engine finished it"));
        }
        // The spine knows a run's word again.
        match self.disk.done.get(instance) {
            Some(known) if known != run => {
                broken(format!("{instance:?} is acked twice, by {known} and {run}"))
            }
            Some(_) => Ok(()),
            None => {
                self.disk.done.insert(instance.clone(), run.clone());
                Ok(())
            }
        }
    }

    /// What the second account has to know before the scheduler does.
    fn follow_event(&mut self, event: &Event) {
        if let Event::RunEnded { partition, work, .. } = event {
            if matches!(work.ending, Ending::NotStarted(_)) {
                self.model.not_started(partition, self.true_ms);
            } else {
                self.model.said(partition, work);
            }
        } else if let Event::InboxSeen { partition, tasks } = event {
            self.model.inbox_listed(partition, tasks);
        }
    }
}

fn broken<T>(what: String) -> Result<T, Stop> {
    Err(Stop::Broken(what))
}

impl Hands for World {
    type Error = Stop;
    type Saying = ();
    type Details = ();
    type Run = RunId;

    fn now(&self) -> Now {
        World::now(self)
    }

    fn may_pass(&self, error: &Stop) -> bool {
        matches!(error, Stop::NoRoom)
    }

    fn decide(&mut self, state: &mut State, event: Event) -> Vec<Effect> {
        let now = World::now(self);
        self.trace.note(|| format!("{now:?}\n  {event:?}"));
        self.follow_event(&event);
        let of_a_run = matches!(event, Event::RunEnded { .. });
        let effects = step(state, now, event);
        for effect in &effects {
            self.trace.note(|| format!("    {effect:?}"));
        }
        if let Err(Stop::Broken(what)) = self.check_step(state, of_a_run, &effects) {
            self.broken.get_or_insert(what);
        }
        effects
    }

    fn may_run(&mut self, partition: &PartitionId) -> bool {
        !self.disk.is_paused(partition)
    }

    fn is_still(&mut self, partition: &PartitionId, definition: &Definition) -> bool {
        self.disk.folders.get(partition).is_some_and(|folder| folder.definition == *definition)
    }

    fn save(&mut self, state: &State) -> Result<(), Stop> {
        self.write_point()?;
        self.disk.saved = state.saved();
        self.model.saved();
        Ok(())
    }

    fn record_tasks(&mut self, settled: &[&Settled]) -> Result<(), Stop> {
        // One write: a full disk refuses all of it, and a crash may leave a part.
        self.write_point()?;
        for Settled { partition, run, task } in settled {
            self.crash_point()?;
            // From here on it is done: a switch that is set while the rest waits for room changes nothing.
            if self.disk.is_paused(partition) {
                return broken(format!("a result of {:?} is recorded under a kill switch", task.task));
            }
            self.disk.records.entry(run.clone()).or_default().tasks.push(task.clone());
            if task.decision == AckDecision::Ack {
                let taken = self.deeds.taken.get(&(run.clone(), task.task.clone()));
                self.disk.recorded.extend(taken.cloned());
            }
        }
        Ok(())
    }

    fn tell_done(&mut self, finished: &[Finished]) -> Result<(), Stop> {
        self.write_point()?;
        for Finished { partition, run, task } in finished {
            let instance = Instance::of(partition, task);
            self.ack_must_be_saved(partition, run, task)?;
            if !self.disk.has_result(run, &task.key) {
                return broken(format!("an ack of {instance:?} without a durable result"));
            }
            self.record_done(&instance, run)?;
            self.crash_point()?;
        }
        Ok(())
    }

    fn remove(&mut self, finished: &[Finished]) -> Result<(), Stop> {
        for Finished { partition, task, .. } in finished {
            self.write_point()?;
            let instance = Instance::of(partition, task);
            if !self.disk.done.contains_key(&instance) {
                return broken(format!("{instance:?} is removed, and nobody knows that it is done"));
            }
            self.disk.remove(&instance);
            self.model.acked(&instance);
        }
        self.crash_point()
    }

    fn find(&mut self, partition: &PartitionId, run: &RunId, task: &RunTask) -> Result<Found, Stop> {
        self.write_point()?;
        let instance = Instance::of(partition, task);
        let found = Found {
            file: self.disk.find(&instance),
            result_recorded: self.disk.has_result(run, &task.key),
            done_on_spine: self.disk.done.contains_key(&instance),
        };
        self.recovering = Some(instance);
        Ok(found)
    }

    fn ack_recovered(&mut self, _interrupted: &Finished, recovery: Recovery) {
        self.recovering = None;
        self.trace.note(|| format!("ack recovered: {recovery:?}"));
    }

    fn start(&mut self, start: &StartRun, _definition: &Definition) -> Result<RunId, Stop> {
        self.write_point()?;
        let memory = self.disk.saved.partitions.get(&start.partition);
        let running = memory.and_then(|memory| memory.running.as_ref());
        if running.is_none_or(|running| running.run != start.run) {
            return broken(format!("a start of {} before the state was saved", start.run));
        }
        if self.disk.is_paused(&start.partition) {
            return broken(format!("a start of {} under a kill switch", start.run));
        }
        for task in &start.tasks {
            let instance = Instance::of(&start.partition, task);
            self.deeds.taken.insert((start.run.clone(), task.key.clone()), instance);
        }
        let deadline_ms = self.true_time_of(start.deadline);
        let process = Process::start(start, self.true_ms, deadline_ms, self.calm, &mut self.random);
        self.processes.push(process);
        Ok(start.run.clone())
    }

    fn end(&mut self, run: &RunId, _reason: EndReason, grace_ms: u64) {
        let now_ms = self.true_ms;
        // One that is not there has ended, and its report is on the way.
        if let Some(process) = self.processes.iter_mut().find(|process| process.run == *run) {
            process.end(now_ms, grace_ms, &mut self.random);
        }
    }

    fn record_run(&mut self, settled: &SettledRun) -> Result<(), Stop> {
        self.write_point()?;
        self.disk.records.entry(settled.run.clone()).or_default().whole = Some(settled.clone());
        Ok(())
    }

    fn write_playlist(&mut self, state: &State) -> Result<bool, Stop> {
        self.write_point()?;
        if self.random.once_in(16) {
            let order = playlist::parse(&playlist::render(state));
            if !order.iter().eq(state.partitions().iter().map(|partition| &partition.id)) {
                return broken(format!("the playlist reads {order:?}"));
            }
        }
        Ok(true)
    }

    fn refuse(&mut self, _state: &State, _partition: &PartitionId, _why: &Refused) {}

    fn log(&mut self, _fact: &Fact) {}

    fn saying_of(&self, _fact: &Fact) -> Option<()> {
        None
    }

    fn say(&mut self, (): &()) -> Result<(), Stop> {
        self.write_point()
    }

    fn keep_details(&mut self, _run: &RunId, (): ()) -> Vec<()> {
        Vec::new()
    }

    fn ask_for_inbox(&mut self, _state: &State, partition: &PartitionId, asked: Asked) {
        self.look_at_inbox(partition, asked);
    }

    fn ask_for_partitions(&mut self, _state: &State, _asked: Asked) {
        self.partitions_asked_for = true;
    }

    fn trouble_met(&mut self, _error: &Stop) {
        self.waits += 1;
        self.trace.note(|| "NO ROOM".into());
    }

    fn trouble_over(&mut self, _trouble: Trouble<Stop>) {
        self.trace.note(|| "ROOM AGAIN".into());
    }

    fn stop_undone(&mut self, deeds: usize) {
        self.trace.note(|| format!("STOP with {deeds} deeds undone"));
    }
}
