//! The edge of the program, simulated: tells the scheduler what happened and carries out what it wishes for, with
//! a chance to die between any two steps.

use subcortex_cadence::ack::{FileFound, Found, Recovery, recover};
use subcortex_cadence::settle::{Decision, Ending, Work};
use subcortex_cadence::{Effect, Event, PartitionId, RunId, RunTask, StartRun, playlist, step};

use crate::disk::Instance;
use crate::engine::{Process, Report};
use crate::world::{Daemon, Stop, World};

impl World {
    /// Tells the daemon, and goes on until everything that follows from it is done.
    pub(crate) fn tell(&mut self, event: Event) -> Result<(), Stop> {
        let Some(daemon) = &mut self.daemon else { return Ok(()) };
        daemon.queue.push_back(event);
        while let Some(event) = self.daemon.as_mut().and_then(|daemon| daemon.queue.pop_front()) {
            self.deliver(event)?;
        }
        self.check_rest()
    }

    fn deliver(&mut self, event: Event) -> Result<(), Stop> {
        let now = self.now();
        self.trace.note(|| format!("{now:?}\n  {event:?}"));
        let Some(daemon) = &mut self.daemon else { return Ok(()) };
        let of_a_run = matches!(event, Event::RunEnded { .. });
        let effects = step(&mut daemon.state, now, event);
        for effect in &effects {
            self.trace.note(|| format!("    {effect:?}"));
        }
        self.check_step(of_a_run, &effects)?;
        let mut effects = effects.into_iter();
        while let Some(effect) = effects.next() {
            self.crash_point()?;
            let switch_found = self.carry_out(effect)?;
            if switch_found {
                effects.next(); // The ack that follows is not done either.
            }
        }
        Ok(())
    }

    fn crash_point(&mut self) -> Result<(), Stop> {
        if self.crash_once_in > 0 && self.random.once_in(self.crash_once_in) {
            Err(Stop::Crash)
        } else {
            Ok(())
        }
    }

    fn report(&mut self, event: Event) {
        if let Some(daemon) = &mut self.daemon {
            daemon.queue.push_back(event);
        }
    }

    /// Carries one effect out; true if a kill switch was found at the commit of a result.
    fn carry_out(&mut self, effect: Effect) -> Result<bool, Stop> {
        match effect {
            Effect::SaveState => self.save(),
            Effect::StartRun(start) => self.start_run(&start)?,
            Effect::EndRun { run, grace_ms, .. } => self.end_run(&run, grace_ms)?,
            Effect::RecordTask { partition, run, task } => {
                self.must_be_saved("a result")?;
                if self.disk.is_paused(&partition) && task.decision == Decision::Ack {
                    self.report(Event::AckUndone { partition, task: task.task });
                    return Ok(true);
                }
                self.disk.records.entry(run).or_default().tasks.push(task);
            }
            Effect::AckTask { partition, run, task } => self.ack(partition, &run, &task)?,
            Effect::RecoverAck { partition, run, task } => self.recover_ack(partition, &run, &task)?,
            Effect::RecordRun(settled) => {
                let (partition, run) = (settled.partition.clone(), settled.run.clone());
                self.disk.records.entry(run.clone()).or_default().whole = Some(*settled);
                self.crash_point()?;
                self.report(Event::RunRecorded { partition, run });
            }
            Effect::WritePlaylist => self.check_playlist()?,
            Effect::Stop => self.stop()?,
            Effect::RefuseRequest { .. } | Effect::Note(_) => {}
        }
        Ok(false)
    }

    fn save(&mut self) {
        if let Some(daemon) = &self.daemon {
            self.disk.saved = daemon.state.saved();
            self.model.saved();
        }
    }

    /// What is done now relies on what was decided, so that must be on the disk. A sample, since it takes long.
    fn must_be_saved(&mut self, what: &str) -> Result<(), Stop> {
        if !self.random.once_in(16) {
            return Ok(());
        }
        match &self.daemon {
            Some(daemon) if daemon.state.saved() != self.disk.saved => {
                Err(Stop::Broken(format!("{what} before the state was saved")))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn start_run(&mut self, start: &StartRun) -> Result<(), Stop> {
        self.must_be_saved("a start")?;
        if self.disk.is_paused(&start.partition) {
            self.model.not_started(&start.partition, self.true_ms);
            let work = Work::ended(Ending::NotStarted("PAUSED is there".into()));
            let (partition, run) = (start.partition.clone(), start.run.clone());
            self.report(Event::RunEnded { partition, run, work });
            return Ok(());
        }
        let process = Process::start(start, self.true_ms, self.calm, &mut self.random);
        if let Some(daemon) = &mut self.daemon {
            daemon.processes.push(process);
        }
        Ok(())
    }

    fn end_run(&mut self, run: &RunId, grace_ms: u64) -> Result<(), Stop> {
        let now_ms = self.true_ms;
        let Some(daemon) = &mut self.daemon else { return Ok(()) };
        let Some(process) = daemon.processes.iter_mut().find(|process| process.run == *run) else {
            return Err(Stop::Broken(format!("the end of {run}, which is not running, was asked for")));
        };
        process.end(now_ms, grace_ms, &mut self.random);
        Ok(())
    }

    fn ack(&mut self, partition: PartitionId, run: &RunId, task: &RunTask) -> Result<(), Stop> {
        self.must_be_saved("an ack")?;
        let instance = Instance::of(&partition, task);
        if !self.disk.has_result(run, &task.key) {
            return Err(Stop::Broken(format!("an ack of {instance:?} without a durable result")));
        }
        self.record_done(&instance)?;
        self.crash_point()?;
        self.disk.remove(&instance);
        self.crash_point()?;
        self.model.acked(&instance);
        self.report(Event::TaskAcked { partition, task: task.key.clone() });
        Ok(())
    }

    fn recover_ack(&mut self, partition: PartitionId, run: &RunId, task: &RunTask) -> Result<(), Stop> {
        let instance = Instance::of(&partition, task);
        let found = Found {
            file: self.disk.find(&instance),
            result_recorded: self.disk.has_result(run, &task.key),
            done_on_spine: self.disk.done.contains_key(&instance),
        };
        let recovery = recover(found);
        match recovery {
            Recovery::RecordDoneThenRemove => {
                self.record_done(&instance)?;
                self.crash_point()?;
                self.disk.remove(&instance);
            }
            Recovery::Remove => self.disk.remove(&instance),
            Recovery::RecordDone => self.record_done(&instance)?,
            Recovery::RunAgain | Recovery::Nothing | Recovery::Forget => {}
        }
        self.crash_point()?;
        let task = task.key.clone();
        if recovery.is_acked() {
            self.model.acked(&instance);
            self.report(Event::TaskAcked { partition, task });
        } else {
            self.report(Event::AckUndone { partition, task });
        }
        Ok(())
    }

    fn record_done(&mut self, instance: &Instance) -> Result<(), Stop> {
        if !self.deeds.finished.contains(instance) {
            return Err(Stop::Broken(format!("{instance:?} is acked, and no engine finished it")));
        }
        let times = self.disk.done.entry(instance.clone()).or_default();
        *times += 1;
        if *times > 1 {
            return Err(Stop::Broken(format!("{instance:?} is acked twice")));
        }
        Ok(())
    }

    fn check_playlist(&mut self) -> Result<(), Stop> {
        if !self.random.once_in(16) {
            return Ok(());
        }
        let Some(Daemon { state, .. }) = &self.daemon else { return Ok(()) };
        let order = playlist::parse(&playlist::render(state));
        if !order.iter().eq(state.partitions().iter().map(|partition| &partition.id)) {
            return Err(Stop::Broken(format!("the playlist reads {order:?}")));
        }
        Ok(())
    }

    fn stop(&mut self) -> Result<(), Stop> {
        if self.daemon.as_ref().is_some_and(|daemon| !daemon.processes.is_empty()) {
            return Err(Stop::Broken("the daemon stops while something runs".into()));
        }
        self.save();
        self.daemon = None;
        self.model.crashed();
        self.be_down();
        Ok(())
    }

    /// Hears whoever has something to report.
    pub(crate) fn hear_reports(&mut self) -> Result<(), Stop> {
        let (now_ms, wall) = (self.true_ms, self.now().wall);
        let Some(Daemon { processes, .. }) = &mut self.daemon else { return Ok(()) };
        let Some(place) = processes.iter().position(|process| process.next_report_ms() <= now_ms) else {
            return Ok(());
        };
        let process = &mut processes[place];
        let (partition, run) = (process.partition.clone(), process.run.clone());
        match process.report(now_ms, wall, &mut self.random, &mut self.deeds) {
            Report::Task(task, work) => self.tell(Event::TaskEnded { partition, run, task: task.key, work }),
            Report::Run(work) => {
                processes.remove(place);
                self.model.said(&partition, &work);
                self.tell(Event::RunEnded { partition, run, work })
            }
        }
    }

    /// At the end of a life that became calm: nothing is left, and nothing was lost.
    pub(crate) fn check_the_end(&self) -> Result<(), Stop> {
        for (id, folder) in &self.disk.folders {
            if let Some(task) = folder.inbox.first() {
                return Err(Stop::Broken(format!("{id} never finished {task:?}")));
            }
        }
        for instance in self.disk.done.keys() {
            if self.disk.find(instance) == FileFound::ThisOne {
                return Err(Stop::Broken(format!("{instance:?} is done and still there")));
            }
        }
        Ok(())
    }
}
