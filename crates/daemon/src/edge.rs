//! Carries out what the scheduler wishes for, and tells it what happened.
//!
//! The scheduler decides ([`subcortex_cadence::step`]); this is where its wishes meet files, processes and
//! the spine. Runs are tasks of their own and report through a channel; what is there is looked at by a thread of its
//! own ([`crate::lookout`]) and comes back through another.
//!
//! Events that are there at the same time are taken in together, and what follows from them is put on a list of deeds
//! ([`crate::deeds`]), in this order, each durable before the next begins:
//!
//! 1. the scheduler's state is saved, once;
//! 2. the results of tasks are recorded, one write a run, and those tasks are acked: one append to the spine, then their
//!    files, one sync an inbox;
//! 3. everything else, one after the other.
//!
//! So a task that is alone costs what it always cost, and a thousand quick ones cost little more than one. What the
//! steps report back is taken in next. Runs are ended at once, whatever is on the list: that relies on nothing.
//!
//! A deed that cannot be done now, because the disk is full or no more files can be opened, stays first on the list with all
//! others behind it, and is tried again later ([`crate::trouble`]).

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use jiff::Timestamp;
use subcortex_cadence::settle::SettledRun;
use subcortex_cadence::{
    BootMs, EndReason, Event, FileStamp, Pace, PartitionId, RunId, Saved, SavedProblem, Settings, State,
    TaskKey, TaskName, step,
};
use subcortex_config::Config;
use subcortex_engine::Canceller;
use subcortex_home::Home;
use subcortex_spine::{AppendError, Cursor, ReadError, Spine};
use subcortex_store::{Disk, durable};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tracing::{info, warn};

use crate::clock;
use crate::commit::Commits;
use crate::control::Answer;
use crate::deeds::{Deed, Wishes};
use crate::facts;
use crate::held::held;
use crate::look::{Eyes, cursor_of, mark_of};
use crate::lookout::{Asked, Lookout};
use crate::memory::{Decision, decide, workshop};
use crate::setup::weaver_settings;
use crate::trouble::{Trouble, may_pass};
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
    pub(crate) worker: Arc<Worker>,
    pub(crate) reports: UnboundedSender<Report>,
    /// Where runs have their turns.
    pub(crate) runs: Handle,
    pub(crate) running: HashMap<RunId, Canceller>,
    /// What is still to be done, in order.
    pub(crate) deeds: VecDeque<Deed>,
    /// What keeps the first of them from being done.
    pub(crate) trouble: Option<Trouble>,
    pub(crate) lookout: Lookout,
    /// What is being looked at, and whether it has to be looked at once more.
    pub(crate) looking: HashMap<Look, bool>,
    /// How far this has come, and what was acked since the oldest look began that is not over.
    pub(crate) done: Asked,
    pub(crate) acked: VecDeque<(u64, PartitionId, TaskKey, FileStamp)>,
    /// How many tasks there are beyond those that are listed.
    pub(crate) unlisted: HashMap<PartitionId, usize>,
    /// How far the external events have been looked at.
    pub(crate) events: Option<Cursor>,
    /// The state and the playlist as they were last written: what is the same is not written again.
    pub(crate) written_state: Vec<u8>,
    pub(crate) written_playlist: Option<String>,
    /// The bells that rang since this was last looked at, and the settings that were read.
    pub(crate) rang: HashSet<u64>,
    bells: u64,
    pub(crate) settings_read: Vec<Result<Config, crate::setup::ServeError>>,
    /// The runs that ended since this was last looked at.
    pub(crate) ended: Vec<SettledRun>,
    /// What was asked for and refused, since this was last looked at.
    pub(crate) refused: Vec<(PartitionId, String)>,
    pub(crate) stopped: bool,
}

/// What the edge works with.
pub(crate) struct Tools {
    pub(crate) eyes: Eyes,
    pub(crate) spine: Spine,
    pub(crate) worker: Worker,
    pub(crate) reports: UnboundedSender<Report>,
    pub(crate) runs: Handle,
    pub(crate) lookout: Lookout,
}

impl Edge {
    /// Restores what an earlier process saved.
    pub(crate) fn restore(config: &Config, tools: Tools) -> Result<Self, EdgeError> {
        let Tools { eyes, spine, worker, reports, runs, lookout } = tools;
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
            runs,
            running: HashMap::new(),
            deeds: VecDeque::new(),
            trouble: None,
            lookout,
            looking: HashMap::new(),
            done: Asked::default(),
            acked: VecDeque::new(),
            unlisted: HashMap::new(),
            events,
            written_state: Vec::new(),
            written_playlist: None,
            rang: HashSet::new(),
            bells: 0,
            settings_read: Vec::new(),
            ended: Vec::new(),
            refused: Vec::new(),
            stopped: false,
            home,
            disk,
            eyes,
        })
    }

    /// The first event of every process: all that is there. Nobody waits for anything yet.
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
    pub(crate) fn tell_all(&mut self, mut events: Vec<Event>) -> Result<(), EdgeError> {
        loop {
            self.decide_on(std::mem::take(&mut events));
            while self.trouble.is_none()
                && let Some(deed) = self.deeds.pop_front()
            {
                self.do_or_wait(deed, &mut events)?;
            }
            if events.is_empty() {
                return Ok(());
            }
        }
    }

    /// Asks the scheduler, ends the runs that it wants to end, and puts everything else on the list.
    fn decide_on(&mut self, events: Vec<Event>) {
        let mut wishes = Wishes::default();
        for event in events {
            wishes.add(step(&mut self.state, clock::now(), event));
        }
        for deed in wishes.in_order() {
            if let Deed::EndRun { run, reason, grace_ms } = &deed
                && self.running.contains_key(run)
            {
                self.end_run(run, *reason, *grace_ms);
            } else if let Deed::Log(fact) = &deed
                && self.trouble.is_some()
                && facts::stands_alone(fact)
            {
                facts::log(fact);
            } else if deed != Deed::Save || self.deeds.back() != Some(&Deed::Save) {
                // The list is long only while there is trouble; saving twice in a row is saving once.
                self.deeds.push_back(deed);
            }
        }
        self.stop_in_trouble();
    }

    fn do_or_wait(&mut self, deed: Deed, events: &mut Vec<Event>) -> Result<(), EdgeError> {
        match self.carry_out(&deed, events) {
            Ok(()) => {
                if let Some(trouble) = self.trouble.take() {
                    trouble.end();
                }
                Ok(())
            }
            Err(error) if may_pass(&error) => {
                self.deeds.push_front(deed);
                self.trouble = Some(Trouble::met(self.trouble.take(), error));
                self.stop_in_trouble();
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Tries once more what could not be done before, if it is time.
    pub(crate) fn try_again(&mut self) -> Result<(), EdgeError> {
        if self.trouble.as_ref().is_none_or(|trouble| clock::now().boot < trouble.next_try) {
            return Ok(());
        }
        let mut events = Vec::new();
        if let Some(deed) = self.deeds.pop_front() {
            self.do_or_wait(deed, &mut events)?;
        }
        self.tell_all(events)
    }

    /// Whoever is told to stop does not wait for room: what was not written is done again by the next one.
    fn stop_in_trouble(&mut self) {
        if self.trouble.is_some() && self.state.is_stopping() && self.running.is_empty() && !self.stopped {
            warn!(
                undone = self.deeds.len(),
                "stopping without writing everything; the next start finishes it"
            );
            self.stopped = true;
        }
    }

    /// When something has to be done by itself.
    pub(crate) fn next_wakeup(&self) -> BootMs {
        let scheduled = self.state.next_wakeup();
        self.trouble.as_ref().map_or(scheduled, |trouble| scheduled.min(trouble.next_try))
    }

    pub(crate) fn end_run(&mut self, run: &RunId, reason: EndReason, grace_ms: u64) {
        if let Some(canceller) = self.running.get(run) {
            canceller.cancel(reason_word(reason), grace_ms);
        }
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
                    self.keep_details(&run, details);
                    settling.push(settled);
                    tasks.push(Event::TaskEnded { partition, run, task, work });
                }
                Report::RunEnded { partition, run, work, details } => {
                    // First what became of the acks of its tasks: its record tells of them.
                    self.tell_all(std::mem::take(&mut tasks))?;
                    self.running.remove(&run);
                    self.keep_details(&run, details);
                    // What came in meanwhile, and what is left. The next run may begin before that is known, with
                    // the tasks that are.
                    self.look(&Look::Inbox(partition.clone()))?;
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

    fn keep_details(&mut self, run: &RunId, details: crate::work::Details) {
        let said = self.commits.keep_details(run, details);
        self.deeds.extend(said.into_iter().map(|(what, payload)| Deed::Say {
            what,
            payload,
            source_id: None,
        }));
    }

    /// A bell that rings when everything has been seen that is there now.
    pub(crate) fn ring_when_seen(&mut self) -> u64 {
        self.bells += 1;
        self.ask_for_everything();
        self.lookout.ask(crate::lookout::What::Bell(self.bells), self.done);
        self.bells
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

/// The moment for records.
pub(crate) fn timestamp(ms: subcortex_cadence::UnixMs) -> Timestamp {
    Timestamp::from_millisecond(ms.0).unwrap_or(Timestamp::UNIX_EPOCH)
}
