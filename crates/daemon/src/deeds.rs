//! What the scheduler wishes for, one deed after the other. Each may be done twice: one that failed is done again from
//! its beginning.

use std::sync::Arc;

use serde_json::Value;
use subcortex_cadence::settle::{Ending, SettledRun, Work};
use subcortex_cadence::{
    Effect, EndReason, Event, Fact, PartitionId, Refused, RunId, RunTask, StartRun, playlist,
};
use subcortex_store::durable::{self, WriteError};
use tracing::warn;

use crate::commit::{Acked, Finished, Settled};
use crate::edge::{Edge, EdgeError};
use crate::facts;
use crate::watch::Look;
use crate::work::remaining_ms;

/// One thing to be done.
#[derive(Debug, PartialEq)]
pub(crate) enum Deed {
    /// Make the scheduler's state durable.
    Save,
    /// Record results, and ack the tasks that they finish.
    Settle { settled: Vec<Settled>, finished: Vec<Finished> },
    /// Bring an ack to its end that a crash interrupted.
    RecoverAck { partition: PartitionId, run: RunId, task: RunTask },
    /// Start a run.
    Start(StartRun),
    /// End a run that had not started when this was wished for.
    EndRun { run: RunId, reason: EndReason, grace_ms: u64 },
    /// Make the record of a run durable.
    RecordRun(Box<SettledRun>),
    /// Write the playlist.
    WritePlaylist,
    /// Tell whoever asked for a run that there is none.
    Refuse { partition: PartitionId, why: Refused },
    /// Write a line to the log.
    Log(Fact),
    /// Tell the spine something about the daemon's own work.
    Say { what: String, payload: Value, source_id: Option<String> },
    /// Everything has ended.
    Stop,
}

/// What follows from some events, sorted by the order in which it is carried out.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    save: bool,
    settled: Vec<Settled>,
    finished: Vec<Finished>,
    others: Vec<Deed>,
}

impl Wishes {
    pub(crate) fn add(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let other = match effect {
                Effect::SaveState => {
                    self.save = true;
                    continue;
                }
                Effect::RecordTask { partition, run, task } => {
                    self.settled.push(Settled { partition, run, task });
                    continue;
                }
                Effect::AckTask { partition, run, task } => {
                    self.finished.push(Finished { partition, run, task });
                    continue;
                }
                Effect::StartRun(start) => Deed::Start(start),
                Effect::EndRun { run, reason, grace_ms, .. } => Deed::EndRun { run, reason, grace_ms },
                Effect::RecoverAck { partition, run, task } => Deed::RecoverAck { partition, run, task },
                Effect::RecordRun(settled) => Deed::RecordRun(settled),
                Effect::WritePlaylist => Deed::WritePlaylist,
                Effect::RefuseRequest { partition, why } => Deed::Refuse { partition, why },
                Effect::Stop => Deed::Stop,
                Effect::Note(fact) => {
                    let event = facts::event(&fact);
                    self.others.push(Deed::Log(fact));
                    let Some((what, payload)) = event else { continue };
                    Deed::Say { what: what.to_owned(), payload, source_id: None }
                }
            };
            self.others.push(other);
        }
    }

    pub(crate) fn in_order(self) -> impl Iterator<Item = Deed> {
        let Self { save, settled, finished, others } = self;
        let settle =
            (!settled.is_empty() || !finished.is_empty()).then_some(Deed::Settle { settled, finished });
        save.then_some(Deed::Save).into_iter().chain(settle).chain(others)
    }
}

impl Edge {
    /// Does one thing; what follows from it is added to the events.
    pub(crate) fn carry_out(&mut self, deed: &Deed, events: &mut Vec<Event>) -> Result<(), EdgeError> {
        match deed {
            Deed::Save => self.save()?,
            Deed::Settle { settled, finished } => self.settle_tasks(settled, finished, events)?,
            Deed::RecoverAck { partition, run, task } => {
                let acked = self.commits.recover_ack(partition, run, task)?;
                let (partition, task) = (partition.clone(), task.key.clone());
                events.push(match acked {
                    Acked::Yes => Event::TaskAcked { partition, task },
                    Acked::No => Event::AckUndone { partition, task },
                });
            }
            Deed::Start(start) => self.start_run(start, events)?,
            Deed::EndRun { run, reason, grace_ms } => self.end_run(run, *reason, *grace_ms),
            Deed::RecordRun(settled) => self.record_run(settled, events)?,
            Deed::WritePlaylist => self.write_playlist()?,
            Deed::Refuse { partition, why } => self.refuse(partition, why),
            Deed::Log(fact) => facts::log(fact),
            Deed::Say { what, payload, source_id } => {
                self.commits.say(what, payload.clone(), source_id.clone())?;
            }
            Deed::Stop => self.stopped = true,
        }
        Ok(())
    }

    fn save(&mut self) -> Result<(), EdgeError> {
        let json = self.state.saved().to_json()?;
        if json != self.written_state {
            durable::replace(&*self.disk, &self.home.cadence_state(), &json)?;
            self.written_state = json;
        }
        Ok(())
    }

    fn write_playlist(&mut self) -> Result<(), EdgeError> {
        let text = playlist::render(&self.state);
        if self.written_playlist.as_ref() == Some(&text) {
            return Ok(());
        }
        let old = self.written_playlist.as_deref().map(str::as_bytes);
        match durable::replace_if_unchanged(&*self.disk, &self.home.playlist(), old, text.as_bytes()) {
            Ok(()) => {
                self.written_playlist = Some(text);
                self.done.playlists += 1;
            }
            // A person is at it. What they save is looked at with the next tick, and then it is written again.
            Err(WriteError::Conflict { .. } | WriteError::Busy { .. }) => {}
            Err(error @ WriteError::CannotKeep { .. }) => warn!(%error, "playlist not written"),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Records results and acks the tasks that they finish, after one more look at the kill switches.
    fn settle_tasks(
        &mut self,
        settled: &[Settled],
        finished: &[Finished],
        events: &mut Vec<Event>,
    ) -> Result<(), EdgeError> {
        let (settled, paused): (Vec<&Settled>, Vec<&Settled>) =
            settled.iter().partition(|settled| self.eyes.may_run(&settled.partition));
        let is_undone = |finished: &Finished| {
            let of = |undone: &&&Settled| {
                undone.partition == finished.partition && undone.task.task == finished.task.key
            };
            paused.iter().any(|undone| of(&undone))
        };
        let finished: Vec<&Finished> = finished.iter().filter(|finished| !is_undone(finished)).collect();
        if !settled.is_empty() {
            self.commits.record_tasks(&settled)?;
        }
        if !finished.is_empty() {
            self.commits.ack(&finished)?;
        }
        events.extend(paused.iter().map(|undone| Event::AckUndone {
            partition: undone.partition.clone(),
            task: undone.task.task.clone(),
        }));
        for Finished { partition, task, .. } in finished {
            self.done.acks += 1;
            self.acked.push_back((self.done.acks, partition.clone(), task.key.clone(), task.stamp));
            events.push(Event::TaskAcked { partition: partition.clone(), task: task.key.clone() });
        }
        Ok(())
    }

    /// Starts a run, after one more look at the kill switch.
    fn start_run(&mut self, start: &StartRun, events: &mut Vec<Event>) -> Result<(), EdgeError> {
        let not_started = |why: &str| Event::RunEnded {
            partition: start.partition.clone(),
            run: start.run.clone(),
            work: Work::ended(Ending::NotStarted(why.into())),
        };
        if !self.eyes.may_run(&start.partition) {
            events.push(not_started("the kill switch is set"));
            return Ok(());
        }
        if remaining_ms(start.deadline) == 0 {
            events.push(not_started("its time was over before it could begin"));
            return Ok(());
        }
        let known = self.state.partition(&start.partition).map(|found| found.definition.clone());
        let Some(Ok(definition)) = known
            .filter(|known| known.as_ref().is_ok_and(|known| self.eyes.is_still(&start.partition, known)))
        else {
            // Edited a moment ago: nothing runs by a definition that its person has replaced.
            events.push(not_started("its definition has changed"));
            return self.look(&Look::Partitions);
        };
        self.commits.begin_run(start, &definition)?;
        let (canceller, cancellation) = subcortex_engine::cancellation();
        self.running.insert(start.run.clone(), canceller);
        let (worker, reports, start) = (Arc::clone(&self.worker), self.reports.clone(), start.clone());
        let is_code = crate::work::is_code(start.partition.as_str(), &definition);
        let run = async move { worker.run(start, definition, cancellation, reports).await };
        // Code of ours does next to nothing on the way to its own thread; whatever else a run does has one.
        if is_code {
            drop(tokio::spawn(run))
        } else {
            drop(self.runs.spawn(run))
        }
        Ok(())
    }

    fn record_run(&mut self, settled: &SettledRun, events: &mut Vec<Event>) -> Result<(), EdgeError> {
        let (what, payload, source_id) = self.commits.record_run(settled)?;
        // Before whatever else follows: whoever reads of the end in the log finds it on the spine.
        self.deeds.push_front(Deed::Say { what, payload, source_id: Some(source_id) });
        let (partition, run) = (settled.partition.clone(), settled.run.clone());
        self.ended.push(settled.clone());
        events.push(Event::RunRecorded { partition, run });
        Ok(())
    }

    fn refuse(&mut self, partition: &PartitionId, why: &Refused) {
        let known = self.state.partition(partition).map(|found| &found.definition);
        // What is wrong with a definition says more than that something is.
        let why = match known {
            Some(Err(problem)) => problem.clone(),
            Some(Ok(_)) | None => refusal(why),
        };
        self.refused.push((partition.clone(), why));
    }
}

fn refusal(why: &Refused) -> String {
    match why {
        Refused::NoSuchPartition => "there is no such partition".into(),
        Refused::NotReady(readiness) => readiness.word().replace('_', " "),
    }
}
