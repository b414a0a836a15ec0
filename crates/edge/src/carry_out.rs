//! Each deed, carried out.

use subcortex_cadence::ack::{Recovery, recover};
use subcortex_cadence::settle::{Ending, SettledRun, Work};
use subcortex_cadence::{EndReason, Event, RunId, StartRun};

use crate::deed::{Deed, Finished, Settled};
use crate::{Defect, Edge, Hands, Result};

impl<H: Hands> Edge<H> {
    /// Does one thing; what follows from it is added to the events.
    pub(crate) fn carry_out(
        &mut self,
        hands: &mut H,
        deed: &Deed<H::Saying>,
        events: &mut Vec<Event>,
    ) -> Result<(), H> {
        match deed {
            Deed::Save => hands.save(&self.state),
            Deed::Settle { settled, finished, recorded } => {
                let finished = self.settle(hands, settled, finished, events)?;
                self.go_on_behind_records([&recorded[..], &finished].concat());
                Ok(())
            }
            Deed::TellDone(finished) => self.tell_done(hands, finished),
            Deed::Remove(finished) => self.remove(hands, finished, events),
            Deed::RecoverAck(interrupted) => self.recover_ack(hands, interrupted, events),
            Deed::Start(start) => self.start_run(hands, start, events),
            Deed::EndRun { run, reason, grace_ms } => {
                self.end_run(hands, run, *reason, *grace_ms);
                Ok(())
            }
            Deed::RecordRun(settled) => self.record_run(hands, settled, events),
            Deed::WritePlaylist => {
                let written = hands.write_playlist(&self.state)?;
                self.done.so_far.playlists += u64::from(written);
                Ok(())
            }
            Deed::Refuse { partition, why } => {
                hands.refuse(&self.state, partition, why);
                Ok(())
            }
            Deed::Log(fact) => {
                hands.log(fact);
                Ok(())
            }
            Deed::Say(saying) => hands.say(saying),
            Deed::Stop => {
                self.stopped = true;
                Ok(())
            }
        }
    }

    /// Records the results of a run, after one more look at the kill switches; gives the tasks that are done. From then on
    /// no switch keeps their files.
    fn settle(
        &mut self,
        hands: &mut H,
        settled: &[Settled],
        finished: &[Finished],
        events: &mut Vec<Event>,
    ) -> Result<Vec<Finished>, H> {
        let unlooked = self.makes(Defect::AckUnlooked);
        let (settled, paused): (Vec<&Settled>, Vec<&Settled>) =
            settled.iter().partition(|settled| unlooked || hands.may_settle(settled));
        let is_undone = |finished: &Finished| {
            let of = |undone: &Settled| {
                undone.partition == finished.partition && undone.task.task == finished.task.key
            };
            paused.iter().any(|undone| of(undone))
        };
        let finished: Vec<Finished> =
            finished.iter().filter(|finished| !is_undone(finished)).cloned().collect();
        if self.makes(Defect::DoneBeforeRecord) && !finished.is_empty() {
            hands.save(&self.state)?;
            hands.tell_done(&finished)?;
        }
        if !settled.is_empty() {
            hands.record_tasks(&settled)?;
        }
        if self.makes(Defect::RemovalAnew) && !finished.is_empty() {
            hands.save(&self.state)?;
            hands.tell_done(&finished)?;
            hands.remove(&finished)?;
        }
        events.extend(paused.iter().map(|undone| Event::AckUndone {
            partition: undone.partition.clone(),
            task: undone.task.task.clone(),
        }));
        Ok(finished)
    }

    /// The state is saved behind all records: nothing stands between a result and the disk but its own write, and what the
    /// state does not know of it yet the next start reads from the record.
    fn go_on_behind_records(&mut self, finished: Vec<Finished>) {
        if let Some(Deed::Settle { recorded, .. }) = self.deeds.front_mut() {
            recorded.extend(finished);
            return;
        }
        if !finished.is_empty() {
            self.deeds.push_front(Deed::TellDone(finished));
        }
        self.deeds.push_front(Deed::Save);
    }

    fn tell_done(&mut self, hands: &mut H, finished: &[Finished]) -> Result<(), H> {
        if self.makes(Defect::RemoveBeforeDone) {
            hands.remove(finished)?;
        }
        hands.tell_done(finished)?;
        self.deeds.push_front(Deed::Remove(finished.to_vec()));
        Ok(())
    }

    fn remove(&mut self, hands: &mut H, finished: &[Finished], events: &mut Vec<Event>) -> Result<(), H> {
        hands.remove(finished)?;
        for task in finished {
            self.done.ack(task);
            events.push(Event::TaskAcked { partition: task.partition.clone(), task: task.task.key.clone() });
        }
        Ok(())
    }

    /// Starts a run, after one more look at the kill switch.
    fn start_run(&mut self, hands: &mut H, start: &StartRun, events: &mut Vec<Event>) -> Result<(), H> {
        let not_started = |why: &str| Event::RunEnded {
            partition: start.partition.clone(),
            run: start.run.clone(),
            work: Work::ended(Ending::NotStarted(why.into())),
        };
        if !hands.may_run(&start.partition) {
            events.push(not_started("the kill switch is set"));
            return Ok(());
        }
        if start.deadline.since_ms(hands.now().boot) == 0 {
            events.push(not_started("its time was over before it could begin"));
            return Ok(());
        }
        let known = self.state.partition(&start.partition).and_then(|found| found.definition.as_ref().ok());
        let Some(definition) = known.filter(|known| hands.is_still(&start.partition, known)) else {
            // Edited a moment ago: nothing runs by a definition that its person has replaced.
            events.push(not_started("its definition has changed"));
            hands.ask_for_partitions(&self.state, self.done.so_far);
            return Ok(());
        };
        let run = hands.start(start, definition)?;
        self.running.insert(start.run.clone(), run);
        Ok(())
    }

    pub(crate) fn end_run(&mut self, hands: &mut H, run: &RunId, reason: EndReason, grace_ms: u64) {
        if let Some(run) = self.running.get(run) {
            hands.end(run, reason, grace_ms);
        }
    }

    fn record_run(&mut self, hands: &mut H, settled: &SettledRun, events: &mut Vec<Event>) -> Result<(), H> {
        let saying = hands.record_run(settled)?;
        // Before whatever else follows: whoever reads of the end in the log finds it on the spine.
        self.deeds.push_front(Deed::Say(saying));
        let (partition, run) = (settled.partition.clone(), settled.run.clone());
        events.push(Event::RunRecorded { partition, run });
        Ok(())
    }

    /// Brings an ack that a crash interrupted to its end.
    fn recover_ack(
        &mut self,
        hands: &mut H,
        interrupted: &Finished,
        events: &mut Vec<Event>,
    ) -> Result<(), H> {
        let Finished { partition, run, task } = interrupted;
        let recovery = recover(hands.find(partition, run, task)?);
        let this = std::slice::from_ref(interrupted);
        match recovery {
            Recovery::RecordDoneThenRemove => {
                hands.tell_done(this)?;
                hands.remove(this)?;
            }
            Recovery::Remove => hands.remove(this)?,
            Recovery::RecordDone => hands.tell_done(this)?,
            Recovery::RunAgain | Recovery::Nothing | Recovery::Forget => {}
        }
        hands.ack_recovered(interrupted, recovery);
        let (partition, task) = (partition.clone(), task.key.clone());
        if recovery.is_acked() {
            // It may have waited for room, and a list from before may be on its way.
            self.done.ack(interrupted);
            events.push(Event::TaskAcked { partition, task });
        } else {
            events.push(Event::AckUndone { partition, task });
        }
        Ok(())
    }
}
