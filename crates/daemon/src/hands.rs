//! The daemon's hands: files, processes and the spine. The order is [`subcortex_edge`]'s.

use std::collections::HashMap;
use std::sync::Arc;

use subcortex_cadence::ack::{Found, Recovery};
use subcortex_cadence::settle::SettledRun;
use subcortex_cadence::{
    Definition, EndReason, Fact, Now, PartitionId, Readiness, Refused, RunId, RunTask, StartRun, State,
    playlist,
};
use subcortex_edge::{Asked, Finished, Settled, Trouble};
use subcortex_engine::{CancelReason, Canceller};
use subcortex_fleet::Courier;
use subcortex_home::Home;
use subcortex_spine::Cursor;
use subcortex_store::Disk;
use subcortex_store::durable::{self, WriteError};
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedSender;
use tracing::{error, info, warn};

use crate::commit::{Commits, Saying};
use crate::edge::EdgeError;
use crate::look::Eyes;
use crate::lookout::Lookout;
use crate::metrics::Counters;
use crate::trouble::may_pass;
use crate::watch::Look;
use crate::{clock, facts, fleet, hidden_names};
use subcortex_work::{Details, Report, Runner};

/// What the edge works with.
#[derive(Debug)]
pub(crate) struct Hands {
    pub(crate) home: Home,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) eyes: Eyes,
    pub(crate) commits: Commits,
    pub(crate) worker: Arc<Runner>,
    pub(crate) reports: UnboundedSender<Report>,
    /// Where runs have their turns.
    pub(crate) runs: Handle,
    pub(crate) lookout: Lookout,
    /// Who brings tasks from the fleet; nobody without one.
    pub(crate) courier: Option<Courier>,
    /// What is being looked at, and whether it has to be looked at once more.
    pub(crate) looking: HashMap<Look, bool>,
    /// How far the external events have been looked at.
    pub(crate) events: Option<Cursor>,
    /// The state and the playlist as they were last written: what is the same is not written again.
    pub(crate) written_state: Vec<u8>,
    pub(crate) written_playlist: Option<String>,
    /// The runs that ended since this was last looked at.
    pub(crate) ended: Vec<SettledRun>,
    /// What is counted as long as this process lives.
    pub(crate) counters: Counters,
    /// What was asked for and refused, since this was last looked at.
    pub(crate) refused: Vec<(PartitionId, String)>,
}

impl subcortex_edge::Hands for Hands {
    type Error = EdgeError;
    type Saying = Saying;
    type Details = Details;
    type Run = Canceller;

    fn now(&self) -> Now {
        clock::now()
    }

    fn may_pass(&self, error: &EdgeError) -> bool {
        may_pass(error)
    }

    fn may_run(&mut self, partition: &PartitionId) -> bool {
        self.eyes.may_run(partition)
    }

    fn may_settle(&mut self, settled: &Settled) -> bool {
        let tickets = &self.worker.fleet.tickets;
        self.eyes.may_run(&settled.partition) && !tickets.is_lost(&settled.partition, &settled.task.task)
    }

    fn is_still(&mut self, partition: &PartitionId, definition: &Definition) -> bool {
        self.eyes.is_still(partition, definition)
    }

    fn save(&mut self, state: &State) -> Result<(), EdgeError> {
        let mut saved = state.saved();
        hidden_names::hide(&mut saved);
        let json = saved.to_json()?;
        if json != self.written_state {
            durable::replace(&*self.disk, &self.home.cadence_state(), &json)?;
            self.written_state = json;
        }
        Ok(())
    }

    fn record_tasks(&mut self, settled: &[&Settled]) -> Result<(), EdgeError> {
        self.commits.record_tasks(settled)
    }

    fn tell_done(&mut self, finished: &[Finished]) -> Result<(), EdgeError> {
        let is_shared = self.commits.tell_done(finished)?;
        if let Some(courier) = self.courier.as_ref().filter(|_| is_shared) {
            courier.nudge();
        }
        Ok(())
    }

    fn remove(&mut self, finished: &[Finished]) -> Result<(), EdgeError> {
        self.commits.remove(finished)
    }

    fn find(&mut self, partition: &PartitionId, run: &RunId, task: &RunTask) -> Result<Found, EdgeError> {
        self.commits.find(partition, run, task)
    }

    fn ack_recovered(&mut self, Finished { partition, run, task }: &Finished, recovery: Recovery) {
        warn!(%partition, %run, task = %task.key.name, ?recovery, "ack recovered");
        if recovery.is_acked()
            && let Err(error) = self.commits.tell_fleet(&[Finished {
                partition: partition.clone(),
                run: run.clone(),
                task: task.clone(),
            }])
        {
            fleet::not_noted(&error);
        }
    }

    fn start(&mut self, start: &StartRun, definition: &Definition) -> Result<Canceller, EdgeError> {
        self.commits.begin_run(start, definition)?;
        let (canceller, cancellation) = subcortex_engine::cancellation();
        let (worker, reports) = (Arc::clone(&self.worker), self.reports.clone());
        let (start, definition) = (start.clone(), definition.clone());
        let is_code = subcortex_work::is_code(start.partition.as_str(), &definition);
        let run = async move { worker.run(start, definition, cancellation, reports).await };
        // Code of ours does next to nothing on the way to its own thread; whatever else a run does has one.
        if is_code {
            drop(tokio::spawn(run));
        } else {
            drop(self.runs.spawn(run));
        }
        Ok(canceller)
    }

    fn end(&mut self, run: &Canceller, reason: EndReason, grace_ms: u64) {
        run.cancel(cancel_reason(reason), grace_ms);
    }

    fn record_run(&mut self, settled: &SettledRun) -> Result<Saying, EdgeError> {
        let saying = self.commits.record_run(settled)?;
        self.ended.push(settled.clone());
        Ok(saying)
    }

    fn write_playlist(&mut self, state: &State) -> Result<bool, EdgeError> {
        let text = playlist::render(state);
        if self.written_playlist.as_ref() == Some(&text) {
            return Ok(false);
        }
        let old = self.written_playlist.as_deref().map(str::as_bytes);
        match durable::replace_if_unchanged(&*self.disk, &self.home.playlist(), old, text.as_bytes()) {
            Ok(()) => {
                self.written_playlist = Some(text);
                Ok(true)
            }
            // A person is at it. What they save is looked at with the next tick, and then it is written again.
            Err(WriteError::Conflict { .. } | WriteError::Busy { .. }) => Ok(false),
            Err(error @ WriteError::LeftAlone { .. }) => {
                warn!(%error, "playlist not written");
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn refuse(&mut self, state: &State, partition: &PartitionId, why: &Refused) {
        let known = state.partition(partition).map(|found| &found.definition);
        // What is wrong with a definition says more than that something is.
        let why = match known {
            Some(Err(problem)) => problem.clone(),
            Some(Ok(_)) | None => refusal(partition, why),
        };
        self.refused.push((partition.clone(), why));
    }

    fn log(&mut self, fact: &Fact) {
        facts::log(fact);
        self.counters.note(fact);
    }

    fn saying_of(&self, fact: &Fact) -> Option<Saying> {
        facts::event(fact).map(|(what, payload)| Saying::new(what, payload))
    }

    fn say(&mut self, saying: &Saying) -> Result<(), EdgeError> {
        self.commits.say(saying)
    }

    fn keep_details(&mut self, run: &RunId, details: Details) -> Vec<Saying> {
        self.commits.keep_details(run, details)
    }

    fn ask_for_inbox(&mut self, state: &State, partition: &PartitionId, asked: Asked) {
        self.look_for(&Look::Inbox(partition.clone()), state, asked);
    }

    fn ask_for_partitions(&mut self, state: &State, asked: Asked) {
        self.look_for(&Look::Partitions, state, asked);
    }

    fn trouble_met(&mut self, error: &EdgeError) {
        error!(%error, "waiting: nothing more is started or acked until this can be written");
    }

    fn trouble_over(&mut self, trouble: Trouble<EdgeError>) {
        info!(waited_ms = clock::now().boot.since_ms(trouble.since), "going on: it can be written again");
    }

    fn stop_undone(&mut self, deeds: usize) {
        warn!(undone = deeds, "stopping without writing everything; the next start finishes it");
    }
}

fn refusal(partition: &PartitionId, why: &Refused) -> String {
    let Refused::NotReady(readiness) = why else { return "there is no such worker".into() };
    match readiness {
        Readiness::Stopping => "the daemon is stopping".into(),
        Readiness::NothingToDo => format!(
            "all that is left in its queue is held (three attempts failed); `subcortex inbox {partition}` says why, and \
             `subcortex inbox retry {partition} NAME` tries one again"
        ),
        // What runs already is not refused: its run is waited for.
        Readiness::Running
        | Readiness::Unusable
        | Readiness::Disabled
        | Readiness::Paused
        | Readiness::BackingOff { .. }
        | Readiness::Cooling { .. }
        | Readiness::Scheduled { .. }
        | Readiness::CatchingUp { .. }
        | Readiness::WaitingForSlot
        | Readiness::Due => readiness.word().replace('_', " "),
    }
}

fn cancel_reason(reason: EndReason) -> CancelReason {
    match reason {
        EndReason::Deadline => CancelReason::Deadline,
        EndReason::Paused => CancelReason::Paused,
        EndReason::Stopping => CancelReason::Stopping,
        EndReason::PartitionGone => CancelReason::PartitionGone,
    }
}
