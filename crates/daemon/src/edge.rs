//! Carries out what the scheduler wishes for, and tells it what happened.
//!
//! The scheduler decides ([`subcortex_cadence::step`]); this is where its wishes meet files, processes and
//! the spine. Runs are tasks of their own and report through a channel.
//!
//! Events that are there at the same time are taken in together, and what follows from them is carried out in
//! this order, each step durable before the next begins:
//!
//! 1. the scheduler's state is saved, once;
//! 2. the results of tasks are recorded, one write a run;
//! 3. those tasks are acked: one append to the spine, then their files, one sync an inbox;
//! 4. everything else, one after the other.
//!
//! So a task that is alone costs what it always cost, and a thousand quick ones cost little more than one. What the
//! steps report back is taken in next.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use subcortex_cadence::settle::{Ending, SettledRun, Work};
use subcortex_cadence::{
    Effect, EndReason, Event, Pace, PartitionId, RunId, Saved, SavedProblem, Scope, Settings, StartRun,
    State, TaskName, playlist, step,
};
use subcortex_config::Config;
use subcortex_engine::Canceller;
use subcortex_home::Home;
use subcortex_spine::{AppendError, Cursor, ReadError, Spine};
use subcortex_store::Disk;
use subcortex_store::durable::{self, Patience, WriteError};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tracing::{info, warn};

use crate::clock;
use crate::commit::{Acked, Commits, Finished, Settled};
use crate::control::Answer;
use crate::held::held;
use crate::look::{Eyes, cursor_of, mark_of};
use crate::memory::{Decision, decide, workshop};
use crate::setup::weaver_settings;
use crate::watch::Look;
use crate::work::{Report, Worker};
use crate::workers::AtWork;

/// The longest state file that is read, in bytes.
const MAX_STATE_BYTES: u64 = 64 * 1024 * 1024;

/// How many reports are taken in at once, so that a long run of quick tasks cannot keep the daemon from hearing
/// anything else. Beyond this the syncs that are saved hardly count any more.
const MAX_REPORTS_AT_ONCE: usize = 64;

/// What ends the daemon: nothing of this can be lived with.
#[derive(Debug, thiserror::Error)]
pub enum EdgeError {
    /// The spine cannot be written.
    #[error(transparent)]
    Spine(#[from] AppendError),
    /// The spine cannot be read.
    #[error(transparent)]
    SpineRead(#[from] ReadError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] durable::WriteError),
    /// An inbox cannot be changed.
    #[error(transparent)]
    Inbox(#[from] subcortex_inbox::InboxError),
    /// A run record cannot be written or read.
    #[error(transparent)]
    Runs(#[from] subcortex_runs::RunsError),
    /// The saved state cannot be used.
    #[error("var/cadence/state.json cannot be used: {0}")]
    State(String),
    /// The home cannot be looked at.
    #[error("cannot look at {what}: {source}")]
    Look {
        /// What was to be looked at.
        what: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}

impl From<SavedProblem> for EdgeError {
    fn from(problem: SavedProblem) -> Self {
        Self::State(problem.to_string())
    }
}

/// The scheduler with its hands and eyes.
pub(crate) struct Edge {
    pub(crate) home: Home,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) eyes: Eyes,
    pub(crate) state: State,
    pub(crate) commits: Commits,
    worker: Arc<Worker>,
    reports: UnboundedSender<Report>,
    running: HashMap<RunId, Canceller>,
    /// How far the external events have been looked at.
    events: Option<Cursor>,
    /// The state and the playlist as they were last written: what is the same is not written again.
    written_state: Vec<u8>,
    written_playlist: Option<String>,
    /// The runs that ended since this was last looked at.
    pub(crate) ended: Vec<SettledRun>,
    /// What was asked for and refused, since this was last looked at.
    pub(crate) refused: Vec<(PartitionId, String)>,
    pub(crate) stopped: bool,
}

impl Edge {
    /// Restores what an earlier process saved.
    pub(crate) fn restore(
        eyes: Eyes,
        config: &Config,
        spine: Spine,
        worker: Worker,
        reports: UnboundedSender<Report>,
    ) -> Result<Self, EdgeError> {
        let (home, disk) = (eyes.home.clone(), Arc::clone(&eyes.disk));
        let saved = load_saved(&*disk, &home)?;
        let events = saved
            .partitions
            .values()
            .filter_map(|memory| memory.events_seen.as_ref())
            .filter_map(|mark| cursor_of(mark.as_str()))
            .max_by(|a, b| (&a.file, a.offset).cmp(&(&b.file, b.offset)));
        Ok(Self {
            state: State::restore(saved, settings_of(config)),
            commits: Commits::new(home.clone(), Arc::clone(&disk), spine),
            worker: Arc::new(worker),
            reports,
            running: HashMap::new(),
            events,
            written_state: Vec::new(),
            written_playlist: None,
            ended: Vec::new(),
            refused: Vec::new(),
            stopped: false,
            home,
            disk,
            eyes,
        })
    }

    /// The first event of every process: all that is there.
    pub(crate) fn start(&mut self, pace: Pace) -> Result<(), EdgeError> {
        let partitions =
            self.eyes.partitions().map_err(|source| EdgeError::Look { what: "the partitions", source })?;
        let paused = self.eyes.is_paused();
        let events = self.events.as_ref().map(mark_of);
        self.tell(Event::Started { pace, partitions, paused, events })?;
        self.look(&Look::Everything)
    }

    /// Takes in one event and everything that follows from it.
    pub(crate) fn tell(&mut self, event: Event) -> Result<(), EdgeError> {
        self.tell_all(vec![event])
    }

    /// Takes in events that happened in this order, and everything that follows from them.
    fn tell_all(&mut self, mut events: Vec<Event>) -> Result<(), EdgeError> {
        while !events.is_empty() {
            let mut wishes = Wishes::default();
            for event in std::mem::take(&mut events) {
                wishes.add(step(&mut self.state, clock::now(), event));
            }
            if wishes.save {
                self.save()?;
            }
            self.settle_tasks(wishes.settled, wishes.finished, &mut events)?;
            for effect in wishes.others {
                self.carry_out(effect, &mut events)?;
            }
        }
        Ok(())
    }

    /// Records results and acks the tasks that they finish, after one more look at the kill switches.
    fn settle_tasks(
        &mut self,
        mut settled: Vec<Settled>,
        mut finished: Vec<Finished>,
        events: &mut Vec<Event>,
    ) -> Result<(), EdgeError> {
        settled.retain(|Settled { partition, task, .. }| {
            let may_commit = self.eyes.may_run(partition);
            if !may_commit {
                finished.retain(|other| other.partition != *partition || other.task.key != task.task);
                events.push(Event::AckUndone { partition: partition.clone(), task: task.task.clone() });
            }
            may_commit
        });
        if !settled.is_empty() {
            self.commits.record_tasks(&settled)?;
        }
        if !finished.is_empty() {
            self.commits.ack(&finished)?;
        }
        events.extend(
            finished
                .into_iter()
                .map(|Finished { partition, task, .. }| Event::TaskAcked { partition, task: task.key }),
        );
        Ok(())
    }

    /// Does one thing.
    fn carry_out(&mut self, effect: Effect, events: &mut Vec<Event>) -> Result<(), EdgeError> {
        match effect {
            // Sorted out before.
            Effect::SaveState | Effect::RecordTask { .. } | Effect::AckTask { .. } => {}
            Effect::StartRun(start) => self.start_run(start, events)?,
            Effect::EndRun { run, reason, grace_ms, .. } => self.end_run(&run, reason, grace_ms),
            Effect::RecoverAck { partition, run, task } => {
                let key = task.key.clone();
                events.push(match self.commits.recover_ack(&partition, &run, &task)? {
                    Acked::Yes => Event::TaskAcked { partition, task: key },
                    Acked::No => Event::AckUndone { partition, task: key },
                });
            }
            Effect::RecordRun(settled) => self.record_run(settled, events)?,
            Effect::WritePlaylist => self.write_playlist()?,
            Effect::RefuseRequest { partition, why } => {
                let known = self.state.partition(&partition).map(|found| &found.definition);
                // What is wrong with a definition says more than that something is.
                let why = match known {
                    Some(Err(problem)) => problem.clone(),
                    Some(Ok(_)) | None => refusal(&why),
                };
                self.refused.push((partition, why));
            }
            Effect::Stop => self.stopped = true,
            Effect::Note(fact) => self.commits.note(&fact)?,
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
            Ok(()) => self.written_playlist = Some(text),
            // A person is at it. What they save is looked at with the next tick, and then it is written again.
            Err(WriteError::Conflict { .. } | WriteError::Busy { .. }) => {}
            Err(error @ WriteError::CannotKeep { .. }) => warn!(%error, "playlist not written"),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// A person may have changed the order since it was last written. What they have not saved to the end waits.
    fn look_at_playlist(&mut self) -> Result<(), EdgeError> {
        let path = self.home.playlist();
        if durable::wait_until_quiet(&*self.disk, &path, Patience::NONE).is_err() {
            return Ok(());
        }
        match durable::read_text(&*self.disk, &path, MAX_STATE_BYTES) {
            Ok(text) if self.written_playlist.as_ref() != Some(&text) => {
                self.written_playlist = Some(text.clone());
                self.tell(Event::PlaylistEdited { text })
            }
            Err(durable::ReadError::Missing { .. }) => {
                self.written_playlist = None; // it is written again with the next change
                Ok(())
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Starts a run, after one more look at the kill switch.
    fn start_run(&mut self, start: StartRun, events: &mut Vec<Event>) -> Result<(), EdgeError> {
        let (partition, run) = (start.partition.clone(), start.run.clone());
        let not_started = |why: &str| Event::RunEnded {
            partition: partition.clone(),
            run: run.clone(),
            work: Work::ended(Ending::NotStarted(why.into())),
        };
        if !self.eyes.may_run(&partition) {
            events.push(not_started("the kill switch is set"));
            return Ok(());
        }
        let known = self.state.partition(&partition).map(|found| found.definition.clone());
        let Some(Ok(definition)) = known.filter(|known| *known == self.eyes.definition(&partition)) else {
            // Edited a moment ago: nothing runs by a definition that its person has replaced.
            events.push(not_started("its definition has changed"));
            let partitions = self
                .eyes
                .partitions()
                .map_err(|source| EdgeError::Look { what: "the partitions", source })?;
            events.push(Event::PartitionsSeen { partitions });
            return Ok(());
        };
        let (canceller, cancellation) = subcortex_engine::cancellation();
        self.running.insert(run, canceller);
        self.commits.begin_run(&start, &definition)?;
        let (worker, reports) = (Arc::clone(&self.worker), self.reports.clone());
        tokio::spawn(async move { worker.run(start, definition, cancellation, reports).await });
        Ok(())
    }

    fn end_run(&mut self, run: &RunId, reason: EndReason, grace_ms: u64) {
        if let Some(canceller) = self.running.get(run) {
            canceller.cancel(reason_word(reason), grace_ms);
        }
    }

    fn record_run(&mut self, settled: Box<SettledRun>, events: &mut Vec<Event>) -> Result<(), EdgeError> {
        self.commits.record_run(&settled)?;
        let (partition, run) = (settled.partition.clone(), settled.run.clone());
        self.ended.push(*settled);
        events.push(Event::RunRecorded { partition, run });
        Ok(())
    }

    /// Takes in what runs report: a first report, and what else is there by now.
    pub(crate) fn take_reports(
        &mut self,
        first: Report,
        more: &mut UnboundedReceiver<Report>,
    ) -> Result<(), EdgeError> {
        let (mut tasks, mut settling) = (Vec::new(), Vec::new());
        let (mut next, mut taken) = (Some(first), 0);
        while let Some(report) = next {
            match report {
                Report::TaskEnded { partition, run, task, work, details, settled } => {
                    self.commits.keep_details(&run, details)?;
                    settling.push(settled);
                    tasks.push(Event::TaskEnded { partition, run, task, work });
                }
                Report::RunEnded { partition, run, work, details } => {
                    // First what became of the acks of its tasks: its record tells of them.
                    self.tell_all(std::mem::take(&mut tasks))?;
                    // What came in meanwhile, and what is left: the next run may begin at once. Whatever comes in from
                    // here on is heard of when this is over.
                    self.look(&Look::Inbox(partition.clone()))?;
                    self.running.remove(&run);
                    self.commits.keep_details(&run, details)?;
                    self.tell(Event::RunEnded { partition, run, work })?;
                }
            }
            taken += 1;
            next = if taken < MAX_REPORTS_AT_ONCE { more.try_recv().ok() } else { None };
        }
        self.tell_all(tasks)?;
        drop(settling); // whoever waited for an ack goes on
        Ok(())
    }

    /// Looks at something and tells what is there.
    pub(crate) fn look(&mut self, what: &Look) -> Result<(), EdgeError> {
        match what {
            Look::Inbox(partition) => self.look_at_inbox(partition),
            Look::KillSwitches => self.look_at_switches(),
            Look::Partitions => {
                let partitions = self
                    .eyes
                    .partitions()
                    .map_err(|source| EdgeError::Look { what: "the partitions", source })?;
                self.tell(Event::PartitionsSeen { partitions })?;
                self.look_at_inboxes()
            }
            Look::Everything => {
                self.look_at_switches()?;
                self.look_at_playlist()?;
                self.look_at_events()?;
                self.look_at_files()?;
                self.look(&Look::Partitions)
            }
        }
    }

    fn look_at_inboxes(&mut self) -> Result<(), EdgeError> {
        let ids: Vec<PartitionId> =
            self.state.partitions().iter().map(|partition| partition.id.clone()).collect();
        ids.iter().try_for_each(|id| self.look_at_inbox(id))
    }

    fn look_at_inbox(&mut self, id: &PartitionId) -> Result<(), EdgeError> {
        let Some(partition) = self.state.partition(id) else { return Ok(()) };
        match self.eyes.inbox(partition) {
            Ok(tasks) => self.tell(Event::InboxSeen { partition: id.clone(), tasks }),
            Err(error) => {
                warn!(partition = %id, %error, "inbox unreadable");
                Ok(())
            }
        }
    }

    fn look_at_switches(&mut self) -> Result<(), EdgeError> {
        let set = self.eyes.is_paused();
        if set != self.state.is_paused() {
            self.tell(Event::KillSwitch { scope: Scope::Home, set })?;
        }
        let partitions: Vec<(PartitionId, bool)> = self
            .state
            .partitions()
            .iter()
            .map(|partition| (partition.id.clone(), partition.paused))
            .collect();
        for (id, was_set) in partitions {
            let set = self.eyes.is_partition_paused(&id);
            if set != was_set {
                self.tell(Event::KillSwitch { scope: Scope::Partition(id), set })?;
            }
        }
        Ok(())
    }

    fn look_at_events(&mut self) -> Result<(), EdgeError> {
        let wanted = |wants: fn(&subcortex_cadence::Definition) -> bool| {
            self.state.partitions().iter().any(|partition| partition.definition.as_ref().is_ok_and(wants))
        };
        if !wanted(|definition| definition.schedule.wake_on.events) {
            return Ok(());
        }
        let (found, cursor) = self.eyes.external_events(self.events.as_ref())?;
        self.events = cursor;
        match &self.events {
            Some(cursor) if found => self.tell(Event::EventsSeen { mark: mark_of(cursor) }),
            _ => Ok(()),
        }
    }

    fn look_at_files(&mut self) -> Result<(), EdgeError> {
        let marks: Vec<_> = self
            .state
            .partitions()
            .iter()
            .filter_map(|partition| {
                let mark = self.eyes.changed_files(partition.definition.as_ref().ok()?)?;
                Some((partition.id.clone(), mark))
            })
            .collect();
        marks.into_iter().try_for_each(|(partition, mark)| self.tell(Event::FilesSeen { partition, mark }))
    }

    /// Whether a partition is running.
    pub(crate) fn is_running(&self, id: &PartitionId) -> bool {
        self.state.partition(id).is_some_and(|partition| partition.memory.running.is_some())
    }

    /// The runs that have begun and not ended.
    pub(crate) fn running_ids(&self) -> impl Iterator<Item = RunId> {
        self.running.keys().cloned()
    }

    /// Who is at work.
    pub(crate) fn at_work(&self) -> Arc<AtWork> {
        Arc::clone(&self.worker.at_work)
    }

    /// Lets runs know where workers reach the daemon.
    pub(crate) fn listens_at(&self, url: String) {
        // It is found out once, before the first run.
        drop(self.worker.url.set(url));
    }

    /// Where workers reach the daemon.
    pub(crate) fn url(&self) -> Option<String> {
        self.worker.url.get().cloned()
    }

    /// Lets a held task be tried again.
    pub(crate) fn retry(&mut self, partition: &str, task: TaskName) -> Result<Answer, EdgeError> {
        let Some(id) = PartitionId::new(partition).ok().filter(|id| self.state.partition(id).is_some())
        else {
            return Ok(Answer::Refused { why: format!("there is no partition `{partition}`") });
        };
        let is_there =
            self.state.partition(&id).is_some_and(|found| found.tasks().any(|view| view.key.name == task));
        if !is_there {
            return Ok(Answer::Refused { why: format!("there is no task `{task}` in the inbox of `{id}`") });
        }
        self.tell(Event::RetryRequested { partition: id, task })?;
        Ok(Answer::Done)
    }

    /// Ends the scratchpad cycles that a killed daemon left open.
    pub(crate) fn recover_scratchpads(&self) {
        for seen in self.eyes.partitions().unwrap_or_default() {
            let dir = self.home.scratchpad(seen.id.as_str());
            if let Err(error) = subcortex_scratchpad::recover_interrupted(
                &*self.disk,
                &dir,
                &self.home.spine().quarantine,
                Timestamp::now(),
            ) {
                warn!(partition = %seen.id, %error, "scratchpad not recovered");
            }
        }
    }

    /// Carries out a person's decision about the memory, beside the event loop: it may have to wait for a run.
    pub(crate) fn decide(&self, decision: Decision, answer: tokio::sync::oneshot::Sender<Answer>) {
        let worker = Arc::clone(&self.worker);
        tokio::task::spawn_blocking(move || {
            let settings = *held(&worker.weaver);
            let _alone = held(&worker.memory);
            let shop = workshop(&worker.home, &worker.disk, settings, None);
            // A command that did not wait for its answer does not get one.
            drop(answer.send(decide(&shop, &decision)));
        });
    }

    /// Takes over new settings.
    pub(crate) fn reconfigure(&mut self, config: &Config) -> Result<(), EdgeError> {
        info!(
            interval_ms = config.cadence.interval_ms,
            max_parallel = config.cadence.max_parallel,
            "settings reloaded"
        );
        *held(&self.worker.weaver) = weaver_settings(config);
        self.worker.minds.reconfigure(config);
        self.tell(Event::SettingsChanged { settings: settings_of(config) })
    }
}

/// What follows from some events, sorted by the order in which it is carried out.
#[derive(Debug, Default)]
struct Wishes {
    save: bool,
    settled: Vec<Settled>,
    finished: Vec<Finished>,
    others: Vec<Effect>,
}

impl Wishes {
    fn add(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::SaveState => self.save = true,
                Effect::RecordTask { partition, run, task } => {
                    self.settled.push(Settled { partition, run, task });
                }
                Effect::AckTask { partition, run, task } => {
                    self.finished.push(Finished { partition, run, task });
                }
                other @ (Effect::StartRun(_)
                | Effect::EndRun { .. }
                | Effect::RecoverAck { .. }
                | Effect::RecordRun(_)
                | Effect::WritePlaylist
                | Effect::RefuseRequest { .. }
                | Effect::Stop
                | Effect::Note(_)) => self.others.push(other),
            }
        }
    }
}

fn settings_of(config: &Config) -> Settings {
    Settings { interval_ms: config.cadence.interval_ms, max_parallel: config.cadence.max_parallel }
}

/// Reads the saved state. A broken file is a fresh start that is said aloud: it is written whole or not at
/// all, so only a person or a disk can have broken it.
pub(crate) fn load_saved(disk: &dyn Disk, home: &Home) -> Result<Saved, EdgeError> {
    match durable::read(disk, &home.cadence_state(), MAX_STATE_BYTES) {
        Ok(json) => Ok(Saved::from_json(&json)?),
        Err(durable::ReadError::Missing { .. }) => Ok(Saved::default()),
        Err(error) => Err(EdgeError::State(error.to_string())),
    }
}

fn reason_word(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Deadline => "deadline",
        EndReason::Paused => "paused",
        EndReason::Stopping => "stopping",
        EndReason::PartitionGone => "partition gone",
    }
}

fn refusal(why: &subcortex_cadence::Refused) -> String {
    match why {
        subcortex_cadence::Refused::NoSuchPartition => "there is no such partition".into(),
        subcortex_cadence::Refused::NotReady(readiness) => readiness.word().replace('_', " "),
    }
}

/// The moment for records.
pub(crate) fn timestamp(ms: subcortex_cadence::UnixMs) -> Timestamp {
    Timestamp::from_millisecond(ms.0).unwrap_or(Timestamp::UNIX_EPOCH)
}
