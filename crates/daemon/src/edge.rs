//! The scheduler where it meets files, processes and the spine: what happens is told to it, and what it wishes for is
//! carried out in the order of [`subcortex_edge`], by [`crate::hands`]. Runs are tasks of their own and report through a channel; what is there is looked at by a thread of its
//! own ([`crate::lookout`]) and comes back through another.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use subcortex_cadence::saved::Recorded;
use subcortex_cadence::{
    Event, Pace, PartitionId, Saved, SavedProblem, Settings, State, TaskKey, TaskName, result,
};
use subcortex_config::Config;
use subcortex_fleet::{Courier, FleetError};
use subcortex_home::Home;
use subcortex_runs::RunRecord;
use subcortex_spine::{AppendError, ReadError, Spine};
use subcortex_store::{Disk, durable};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tracing::{info, warn};

use crate::commit::Commits;
use crate::control::Answer;
use crate::hands::Hands;
use crate::hidden_names;
use crate::look::{Eyes, cursor_of, mark_of};
use crate::lookout::Lookout;
use crate::memory::{Decision, decide};
use crate::metrics::Counters;
use crate::reset::reset;
use crate::setup::weaver_settings;
use crate::watch::Look;
use subcortex_store::locked;
use subcortex_work::{AtWork, Report, Runner, workshop};

/// The longest state file that is read, in bytes.
const MAX_STATE_BYTES: u64 = 64 * 1024 * 1024;
/// How much of a hash tells one damaged state from another.
const HASH_DIGITS: usize = 16;

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
    /// What came from other machines cannot be noted.
    #[error(transparent)]
    Fleet(#[from] FleetError),
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
#[derive(Debug)]
pub(crate) struct Edge {
    /// What the scheduler knows, and the order of its deeds.
    pub(crate) order: subcortex_edge::Edge<Hands>,
    pub(crate) hands: Hands,
    /// How many tasks there are beyond those that are listed.
    pub(crate) unlisted: HashMap<PartitionId, usize>,
    /// The bells that rang since this was last looked at, and the settings that were read.
    pub(crate) rang: HashSet<u64>,
    bells: u64,
    pub(crate) settings_read: Vec<Result<Config, crate::setup::ServeError>>,
}

/// What the edge works with.
pub(crate) struct Tools {
    pub(crate) eyes: Eyes,
    pub(crate) spine: Spine,
    pub(crate) worker: Runner,
    pub(crate) reports: UnboundedSender<Report>,
    pub(crate) runs: Handle,
    pub(crate) lookout: Lookout,
    pub(crate) courier: Option<Courier>,
}

impl Edge {
    /// Restores what an earlier process saved.
    pub(crate) fn restore(config: &Config, tools: Tools) -> Result<Self, EdgeError> {
        let Tools { eyes, spine, worker, reports, runs, lookout, courier } = tools;
        let (home, disk) = (eyes.home.clone(), Arc::clone(&eyes.disk));
        let mut saved = load_saved(&*disk, &home)?;
        learn_results(&mut saved, &*disk, &home);
        let events = saved
            .partitions
            .values()
            .filter_map(|memory| memory.events_seen.as_ref())
            .filter_map(|mark| cursor_of(mark.as_str()))
            .max_by(|a, b| (&a.file, a.offset).cmp(&(&b.file, b.offset)));
        let hands = Hands {
            commits: Commits::new(home.clone(), Arc::clone(&disk), spine, Arc::clone(&worker.fleet.tickets)),
            home,
            disk,
            eyes,
            worker: Arc::new(worker),
            reports,
            runs,
            lookout,
            courier,
            looking: HashMap::new(),
            events,
            written_state: Vec::new(),
            written_playlist: None,
            ended: Vec::new(),
            counters: Counters::default(),
            refused: Vec::new(),
        };
        Ok(Self {
            order: subcortex_edge::Edge::new(State::restore(saved, settings_of(config))),
            hands,
            unlisted: HashMap::new(),
            rang: HashSet::new(),
            bells: 0,
            settings_read: Vec::new(),
        })
    }

    /// The first event of every process: all that is there. Nobody waits for anything yet.
    pub(crate) fn start(&mut self, pace: Pace) -> Result<(), EdgeError> {
        let eyes = &self.hands.eyes;
        let partitions =
            eyes.partitions().map_err(|source| EdgeError::Look { what: "the partitions", source })?;
        let paused = eyes.is_paused();
        let events = self.hands.events.as_ref().map(mark_of);
        self.tell(Event::Started { pace, partitions, paused, events })?;
        self.look(&Look::Everything)
    }

    /// Takes in one event and everything that follows from it.
    pub(crate) fn tell(&mut self, event: Event) -> Result<(), EdgeError> {
        self.tell_all(vec![event])
    }

    /// Takes in events that happened in this order, and everything that follows from them.
    pub(crate) fn tell_all(&mut self, events: Vec<Event>) -> Result<(), EdgeError> {
        self.order.tell(&mut self.hands, events)
    }

    /// It is time: for what could not be done before, and for what was to be done now.
    pub(crate) fn wake_up(&mut self) -> Result<(), EdgeError> {
        self.order.try_again(&mut self.hands)?;
        self.tell(Event::TimePassed)
    }

    /// Takes in what runs report: a first report, and what else is there by now.
    pub(crate) fn take_reports(
        &mut self,
        first: Report,
        more: &mut UnboundedReceiver<Report>,
    ) -> Result<(), EdgeError> {
        let mut settling = Vec::new();
        let more = std::iter::from_fn(|| more.try_recv().ok());
        let reports = std::iter::once(first).chain(more).map(|report| {
            settling.extend(report.settled);
            report.what
        });
        self.order.take_reports(&mut self.hands, reports)?;
        drop(settling); // whoever waited for an ack goes on
        Ok(())
    }

    /// A bell that rings when everything has been seen that is there now.
    pub(crate) fn ring_when_seen(&mut self) -> u64 {
        self.hands.ask_for_everything(&self.order.state, self.order.so_far());
        self.ring_when_told()
    }

    /// A bell that rings when everything has been told that was asked for so far.
    pub(crate) fn ring_when_told(&mut self) -> u64 {
        self.bells += 1;
        self.hands.lookout.ask(crate::lookout::What::Bell(self.bells), self.order.so_far());
        self.bells
    }

    /// Whether a partition is running.
    pub(crate) fn is_running(&self, id: &PartitionId) -> bool {
        self.order.state.partition(id).is_some_and(|partition| partition.memory.running.is_some())
    }

    /// Who is at work.
    pub(crate) fn at_work(&self) -> Arc<AtWork> {
        Arc::clone(&self.hands.worker.at_work)
    }

    /// Lets runs know where workers reach the daemon.
    pub(crate) fn listens_at(&self, url: String) {
        // It is found out once, before the first run.
        drop(self.hands.worker.url.set(url));
    }

    /// What does runs.
    pub(crate) fn worker(&self) -> Arc<Runner> {
        Arc::clone(&self.hands.worker)
    }

    /// Where workers reach the daemon.
    pub(crate) fn url(&self) -> Option<String> {
        self.hands.worker.url.get().cloned()
    }

    /// Lets a held task be tried again.
    pub(crate) fn retry(&mut self, partition: &str, task: TaskName) -> Result<Answer, EdgeError> {
        let Some(id) = PartitionId::new(partition).ok().filter(|id| self.order.state.partition(id).is_some())
        else {
            return Ok(Answer::Refused {
                why: format!("there is no worker `{partition}`; `subcortex status` lists them"),
            });
        };
        let is_there = self
            .order
            .state
            .partition(&id)
            .is_some_and(|found| found.tasks().any(|view| view.key.name == task));
        if !is_there {
            return Ok(Answer::Refused {
                why: format!(
                    "there is no task `{task}` in the queue of {id}; `subcortex inbox {id}` lists them"
                ),
            });
        }
        self.hands.worker.fleet.tickets.forgive(&id, task.as_str())?;
        self.tell(Event::RetryRequested { partition: id, task })?;
        Ok(Answer::Done)
    }

    /// Ends the scratchpad cycles that a killed daemon left open.
    pub(crate) fn recover_scratchpads(&self) {
        for seen in self.hands.eyes.partitions().unwrap_or_default() {
            let dir = self.hands.home.scratchpad(seen.id.as_str());
            if let Err(error) = subcortex_scratchpad::recover_interrupted(
                &*self.hands.disk,
                &dir,
                &self.hands.home.spine().quarantine,
                Timestamp::now(),
            ) {
                warn!(partition = %seen.id, %error, "scratchpad not recovered");
            }
        }
    }

    /// Carries out a person's decision about the memory, beside the event loop: it may have to wait for a run.
    pub(crate) fn decide(&self, decision: Decision, answer: tokio::sync::oneshot::Sender<Answer>) {
        let worker = Arc::clone(&self.hands.worker);
        tokio::task::spawn_blocking(move || {
            let settings = *locked(&worker.weaver);
            let _alone = locked(&worker.memory);
            let shop = workshop(&worker.home, &worker.disk, settings, None);
            // A command that did not wait for its answer does not get one.
            drop(answer.send(decide(&shop, &worker.home, &decision)));
        });
    }

    /// Empties a worker's scratchpad, beside the event loop: what it holds may be long.
    pub(crate) fn reset_scratchpad(&self, worker: String, answer: tokio::sync::oneshot::Sender<Answer>) {
        let runner = Arc::clone(&self.hands.worker);
        tokio::task::spawn_blocking(move || {
            // A command that did not wait for its answer does not get one.
            drop(answer.send(reset(&*runner.disk, &runner.home, &runner.at_work, &worker)));
        });
    }

    /// Takes over new settings.
    pub(crate) fn reconfigure(&mut self, config: &Config) -> Result<(), EdgeError> {
        info!(
            interval_ms = config.cadence.interval_ms,
            max_parallel = config.cadence.max_parallel,
            "settings reloaded"
        );
        *locked(&self.hands.worker.weaver) = weaver_settings(config);
        self.hands.worker.minds.reconfigure(config);
        self.tell(Event::SettingsChanged { settings: settings_of(config) })
    }
}

fn settings_of(config: &Config) -> Settings {
    Settings { interval_ms: config.cadence.interval_ms, max_parallel: config.cadence.max_parallel }
}

/// Reads the saved state. A broken file is a fresh start that is said aloud, and its bytes are kept in quarantine: it is
/// written whole or not at all, so only a person or a disk can have broken it. Something that is no such file at all is set aside.
pub(crate) fn load_saved(disk: &dyn Disk, home: &Home) -> Result<Saved, EdgeError> {
    let json = match durable::read(disk, &home.cadence_state(), MAX_STATE_BYTES) {
        Ok(json) => json,
        Err(durable::ReadError::Missing { .. }) => return Ok(Saved::default()),
        Err(error @ (durable::ReadError::NotRegular(_) | durable::ReadError::TooLarge { .. })) => {
            let Ok(kept) = durable::set_aside(disk, &home.cadence_state()) else {
                return Err(EdgeError::State(error.to_string()));
            };
            warn!(%error, kept = %kept.display(), "var/cadence/state.json is set aside: starting without it");
            return Ok(Saved::default());
        }
        Err(error) => return Err(EdgeError::State(error.to_string())),
    };
    match Saved::from_json(&json) {
        Err(problem @ SavedProblem::Broken(_)) => {
            let kept = keep_broken(disk, home, &json);
            warn!(%problem, kept, "var/cadence/state.json is damaged: starting without it");
            Ok(Saved::default())
        }
        read => {
            let mut saved = read?;
            hidden_names::find_again(&mut saved, disk, home);
            Ok(saved)
        }
    }
}

/// Reads from the records of runs that were under way what they finished: a result is recorded before the state knows of it.
fn learn_results(saved: &mut Saved, disk: &dyn Disk, home: &Home) {
    for memory in saved.partitions.values_mut() {
        let Some(running) = &memory.running else { continue };
        match subcortex_runs::load(disk, &home.runs(), running.run.as_str()) {
            Ok(Some(record)) => memory.learn_results(|task| recorded_in(&record, task)),
            Ok(None) => {}
            Err(error) => {
                warn!(run = %running.run, %error, "record not read: what its run finished may be done again")
            }
        }
    }
}

fn recorded_in(record: &RunRecord, task: &TaskKey) -> Option<Recorded> {
    let task = record.task(task.name.as_str(), task.hash.as_str()).filter(|task| task.is_finished())?;
    let result = result::parse(task.result.as_deref()?.as_bytes()).ok()?;
    Some(Recorded { result, reason: task.reason.clone() })
}

/// Keeps what a person may want to look at; asked again for the same bytes, it keeps them once. Says where.
fn keep_broken(disk: &dyn Disk, home: &Home, json: &[u8]) -> String {
    let hash = blake3::hash(json).to_hex();
    let name = format!("cadence-state-{}.json", hash.get(..HASH_DIGITS).unwrap_or_default());
    let kept = durable::make_dirs(disk, home.root(), Path::new("var/quarantine"))
        .and_then(|()| durable::create_new(disk, &home.spine().quarantine.join(&name), json));
    match kept {
        Ok(()) | Err(durable::WriteError::Exists { .. }) => format!("var/quarantine/{name}"),
        Err(error) => format!("not kept: {error}"),
    }
}

/// The moment for records.
pub(crate) fn timestamp(ms: subcortex_cadence::UnixMs) -> Timestamp {
    Timestamp::from_millisecond(ms.0).unwrap_or(Timestamp::UNIX_EPOCH)
}
