//! The daemon from its start to its end.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rustix::process::DumpableBehavior;
use serde_json::json;
use subcortex_cadence::{Event, PartitionId, TaskName};
use subcortex_cadence::{Pace, Tick};
use subcortex_config::Config;
use subcortex_home::init;
use subcortex_loop_runs::{LoopKeeper, LoopRunner};
use subcortex_loops::LoopPlace;
use subcortex_model::event_type;
use subcortex_service::Notifier;
use subcortex_store::{Holder, HomeLock, locked};
use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::Interval;
use tracing::{error, info, warn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, registry};

use crate::clock::{self, BootTimer};
use crate::commit::Saying;
use crate::control::{self, Answer, Asked, Request};
use crate::door::{self, Visitors};
use crate::edge::Edge;
use crate::follow::Following;
use crate::helm::Helm;
use crate::housekeeping::Housekeeping;
use crate::log::{LogLayer, LogSink, filter};
use crate::lookout::{Sight, What};
use crate::loops;
use crate::rotating_file::RotatingFile;
use crate::setup::{ServeError, Setup};
use crate::side_thread::SideThread;
use crate::status::{Schedule, schedule};
use crate::trouble::may_pass;
use crate::waiting::Waiting;
use crate::watch::{Look, Watch};
use subcortex_work::Report;

/// How much of what was seen is taken in at once, so that a large home cannot keep the daemon from hearing anything else.
const MAX_SIGHTS_AT_ONCE: usize = 256;
/// How long a daemon that has stopped waits for runs of loops to give back what they hold.
const LOOPS_END: Duration = Duration::from_secs(10);
/// How long a daemon that has stopped waits for work that is still being done on other threads.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Serves a home until a signal ends it.
pub fn serve(mut setup: Setup) -> Result<(), ServeError> {
    let config = setup.read_trusted_config()?;
    let made = init(&*setup.disk, &setup.home)?;
    let since = Timestamp::now();
    let holder = Holder::this_process(format!("{since:.0}"), "daemon");
    let lock = HomeLock::acquire(&*setup.disk, &setup.home.lock(), holder)?;
    let log = RotatingFile::new(
        Arc::clone(&setup.disk),
        setup.home.log_file(),
        config.log.max_bytes,
        config.log.keep_files,
    );
    let sink = std::mem::replace(&mut setup.log_sink, LogSink::plain(std::io::sink()));
    let subscriber = registry().with(LogLayer::new(log, sink).with_filter(filter(config.log.level)));
    // Runs are tasks on other threads of the log's making: all of them write to it.
    tracing::subscriber::set_global_default(subscriber)
        .map_err(|error| ServeError::Os { what: "open the log", source: std::io::Error::other(error) })?;
    if !made.made.is_empty() {
        info!(entries = made.made.len(), "home filled in");
    }
    let (event_loop, runs, web) = (event_loop()?, SideThread::for_runs()?, SideThread::for_web()?);
    let started = Started { since, runs: runs.handle(), web: web.handle() };
    let result = event_loop.block_on(run(setup, config, lock, started));
    // Nobody waits for somebody who reads something long.
    event_loop.shutdown_timeout(LAST_WORDS);
    web.end();
    runs.end();
    if let Err(error) = &result {
        error!(%error, "daemon failed");
    }
    result
}

/// One thread is enough: the daemon waits nearly all of its life.
pub(crate) fn event_loop() -> Result<tokio::runtime::Runtime, ServeError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| ServeError::Os { what: "start the event loop", source })
}

/// When the daemon began, and the threads beside its event loop.
struct Started {
    since: Timestamp,
    runs: Handle,
    web: Handle,
}

async fn run(setup: Setup, config: Config, lock: HomeLock, started: Started) -> Result<(), ServeError> {
    let os = |what| move |source| ServeError::Os { what, source };
    let mut signals = Signals::listen()?;
    subcortex_engine::become_subreaper().map_err(os("adopt orphaned processes"))?;
    // Runs have no business in our memory and environment, where keys are. Where the kernel refuses, all is as before.
    let _where_it_can = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let swept = subcortex_engine::sweep_stale(&setup.group_prefix()?);
    if swept != subcortex_engine::StaleSweep::default() {
        warn!(found = ?swept, "processes of an earlier daemon ended");
    }
    let (reports, incoming_reports) = unbounded_channel();
    let (looks, incoming_looks) = unbounded_channel();
    let (asked, incoming_asked) = unbounded_channel();
    let (sights, incoming_sights) = unbounded_channel();
    let loop_runs = started.runs.clone();
    let edge = setup.edge(&config, reports, sights, started.runs)?;
    let mut visitors = Visitors::workers_only(edge.at_work());
    if config.web.page {
        visitors = visitors.and_people(setup.page, Helm::new(&edge, asked.clone(), started.since));
    }
    door::open(&edge, config.web.listen, &started.web, visitors).await;
    let loop_runner = Arc::new(loops::runner(&setup, &config, edge.worker()));
    let keeper = LoopKeeper::start(Arc::clone(&loop_runner), loops::roots(&setup, &config), &loop_runs);
    let watch = Watch::start(&setup.home, looks);
    control::listen(&setup.home.control_socket(), asked).map_err(os("open the control socket"))?;
    let incoming = Incoming {
        reports: incoming_reports,
        sights: incoming_sights,
        looks: incoming_looks,
        asked: incoming_asked,
        timer: BootTimer::new().map_err(os("make a timer"))?,
        watchdog: setup.notifier.watchdog_interval().map(tokio::time::interval),
    };
    let following = Following::new(
        setup.home.clone(),
        Arc::clone(&setup.disk),
        setup.boot_id.clone(),
        setup.transcripts.clone(),
    );
    let mut daemon = Daemon {
        incoming,
        notifier: setup.notifier,
        config,
        lock,
        edge,
        waiting: Vec::new(),
        wishes: Vec::new(),
        housekeeping: Housekeeping::default(),
        following,
        loop_runner,
        keeper,
        user_home: setup.environment.get(std::ffi::OsStr::new("HOME")).map(PathBuf::from),
        seen_tick: Tick(0),
        _watch: watch,
    };
    daemon.start()?;
    let result = daemon.serve(&mut signals).await;
    // What is not over by then is found by the next start.
    drop(tokio::time::timeout(LOOPS_END, daemon.keeper.stop()).await);
    // Best effort: whoever comes next finds sockets that nobody answers, and removes them.
    for left in [setup.home.control_socket(), setup.home.worker_socket(), setup.home.page_token()] {
        drop(subcortex_store::durable::remove(&*setup.disk, &left));
    }
    result
}

/// A running daemon.
struct Daemon {
    incoming: Incoming,
    notifier: Notifier,
    config: Config,
    lock: HomeLock,
    edge: Edge,
    /// Commands that wait for runs to end.
    waiting: Vec<Waiting>,
    /// Commands that wait until everything has been looked at, each with its bell.
    wishes: Vec<(u64, Event, oneshot::Sender<Answer>)>,
    housekeeping: Housekeeping,
    following: Following,
    loop_runner: Arc<LoopRunner>,
    /// Runs loops, beside everything here.
    keeper: LoopKeeper,
    user_home: Option<PathBuf>,
    seen_tick: Tick,
    _watch: Watch,
}

/// Everything that can wake the daemon.
struct Incoming {
    reports: UnboundedReceiver<Report>,
    sights: UnboundedReceiver<Sight>,
    looks: UnboundedReceiver<Look>,
    asked: UnboundedReceiver<Asked>,
    timer: BootTimer,
    /// Beats on its own, however busy the rest is; `None` when nobody wants to hear it.
    watchdog: Option<Interval>,
}

#[allow(clippy::large_enum_variant)] // made and taken apart at once
enum Woken {
    Report(Report),
    Sight(Sight),
    Look(Look),
    Asked(Asked),
    Timer,
    Watchdog,
    Signal(Told),
}

impl Daemon {
    fn start(&mut self) -> Result<(), ServeError> {
        let payload = json!({ "pid": std::process::id(), "version": env!("CARGO_PKG_VERSION") });
        self.edge.order.say_next(Saying::new(event_type::DAEMON_STARTED, payload));
        info!(
            pid = std::process::id(),
            home = %self.edge.hands.home.root().display(),
            interval_ms = self.config.cadence.interval_ms,
            "daemon started"
        );
        self.edge.recover_scratchpads();
        self.edge.start(Pace::Cadence)?;
        self.show_status();
        self.notifier.ready();
        self.after_each_step()
    }

    async fn serve(&mut self, signals: &mut Signals) -> Result<(), ServeError> {
        let mut why = "asked to";
        while !self.edge.order.is_stopped() {
            // Runs are tasks on this same thread: however much there is to look at, they have their turns.
            tokio::task::yield_now().await;
            match self.incoming.next(self.edge.order.next_wakeup(), signals).await? {
                Woken::Report(report) => self.edge.take_reports(report, &mut self.incoming.reports)?,
                Woken::Sight(sight) => self.see(sight)?,
                Woken::Look(look) => self.look(look)?,
                Woken::Asked(asked) => self.answer(asked)?,
                Woken::Timer => self.edge.wake_up()?,
                Woken::Watchdog => self.notifier.watchdog(),
                Woken::Signal(Told::Reload) => self.reload(),
                Woken::Signal(Told::Stop(signal)) => {
                    if self.edge.order.state.is_stopping() {
                        warn!(signal, "daemon stops at once");
                        break;
                    }
                    why = signal;
                    info!(signal, running = self.edge.order.state.running(), "daemon stopping");
                    self.notifier.stopping();
                    self.edge.tell(Event::StopRequested)?;
                }
            }
            self.after_each_step()?;
        }
        self.edge.leave_fleet();
        match self.edge.hands.commits.say(&Saying::new(event_type::DAEMON_STOPPED, json!({ "why": why }))) {
            Err(error) if may_pass(&error) => warn!(%error, "not on the spine: the daemon stopped"),
            other => other?,
        }
        info!(why, tick = self.edge.order.state.tick().0, "daemon stopped");
        Ok(())
    }

    /// What follows from whatever happened: a new tick is a reason to look at everything.
    fn after_each_step(&mut self) -> Result<(), ServeError> {
        for ended in std::mem::take(&mut self.edge.hands.ended) {
            self.waiting.iter_mut().for_each(|waiting| waiting.run_ended(&ended));
        }
        Waiting::answer_finished(&mut self.waiting, &self.edge);
        self.edge.tend_fleet()?;
        if self.seen_tick == self.edge.order.state.tick() || self.edge.order.state.is_stopping() {
            return Ok(());
        }
        self.seen_tick = self.edge.order.state.tick();
        if !self.lock.is_still_held(&*self.edge.hands.disk).unwrap_or(false) {
            return Err(ServeError::LockLost);
        }
        self.edge.look(&Look::Everything)?;
        let (disk, home) = (Arc::clone(&self.edge.hands.disk), self.edge.hands.home.clone());
        self.housekeeping.run(
            &disk,
            &home,
            &self.config,
            &mut self.edge.hands.commits.spine,
            Timestamp::now(),
        )?;
        self.following.tick(&self.config)?;
        self.keeper.look();
        self.show_status();
        Ok(())
    }

    /// One line for whoever asks the service manager.
    fn show_status(&self) {
        let state = &self.edge.order.state;
        let (tick, running, partitions) = (state.tick(), state.running(), state.partitions().len());
        self.notifier.status(&format!("tick {tick}, {running} running, {partitions} partitions"));
    }

    /// Looks once for all notifications that have come in.
    fn look(&mut self, first: Look) -> Result<(), ServeError> {
        let mut looks = vec![first];
        while let Ok(look) = self.incoming.looks.try_recv() {
            if !looks.contains(&look) {
                looks.push(look);
            }
        }
        if looks.contains(&Look::Everything) {
            looks = vec![Look::Everything];
        }
        // First what keeps work from starting, then what gives reason to start some.
        looks.sort_by_key(|look| match look {
            Look::KillSwitches | Look::Everything => 0,
            Look::Partitions => 1,
            Look::Inbox(_) | Look::Files => 2,
        });
        // The end of a run looks at its inbox anyway, and its own acks change that inbox all the time.
        looks.retain(|look| !matches!(look, Look::Inbox(partition) if self.edge.is_running(partition)));
        looks.iter().try_for_each(|look| self.edge.look(look))?;
        Ok(())
    }

    /// Takes in what was seen, as far as it is there.
    fn see(&mut self, first: Sight) -> Result<(), ServeError> {
        let more = std::iter::from_fn(|| self.incoming.sights.try_recv().ok()).take(MAX_SIGHTS_AT_ONCE);
        let sights = std::iter::once(first).chain(more).collect();
        self.edge.take_sights(sights)?;
        for config in std::mem::take(&mut self.edge.settings_read) {
            self.take_over(config)?;
        }
        for bell in std::mem::take(&mut self.edge.rang) {
            if let Some(place) = self.wishes.iter().position(|(waits_for, ..)| *waits_for == bell) {
                let (_, event, answer) = self.wishes.remove(place);
                self.waiting.push(Waiting::begin(&mut self.edge, event, answer)?);
            }
        }
        Ok(())
    }

    /// Has the settings read again.
    fn reload(&mut self) {
        self.notifier.reloading();
        self.edge.hands.lookout.ask(What::Config, self.edge.order.so_far());
    }

    fn take_over(&mut self, config: Result<Config, ServeError>) -> Result<(), ServeError> {
        match config {
            Ok(config) => {
                self.edge.reconfigure(&config)?;
                *locked(&self.loop_runner.limits) = loops::limits(&config);
                self.keeper.set_roots(loops::roots_of(&config, self.user_home.as_deref()));
                self.config = config;
            }
            Err(error) => error!(%error, "settings not reloaded; the old ones stay"),
        }
        self.edge.look(&Look::Everything)?;
        self.notifier.ready();
        Ok(())
    }

    fn answer(&mut self, asked: Asked) -> Result<(), ServeError> {
        let Asked { request, answer } = asked;
        let reply = match request {
            Request::Status => {
                let schedule = schedule(&self.edge.order.state, clock::now(), true, &self.edge.unlisted);
                let (follows, url) = (self.following.followed(), self.edge.url());
                let trouble = self.edge.order.trouble().map(|trouble| trouble.error.to_string());
                let counters = Some(self.edge.hands.counters.clone());
                let (fleet, loops) = (self.edge.fleet_view(), self.keeper.views());
                Answer::Schedule(Schedule { follows, url, trouble, counters, fleet, loops, ..schedule })
            }
            Request::Work { partition } => {
                if let Ok(partition) = PartitionId::new(partition) {
                    self.edge.tell(Event::WorkRequested { partition })?;
                }
                Answer::Done
            }
            Request::Retry { partition, task } => self.edge.retry(&partition, TaskName::new(task))?,
            Request::Decide(decision) => {
                self.edge.decide(decision, answer);
                return Ok(());
            }
            Request::LoopRun { dir, root } => {
                let ran = self.keeper.run(LoopPlace { dir, root });
                tokio::spawn(async move {
                    let ended = || Answer::Refused { why: "the daemon is stopping".into() };
                    drop(answer.send(ran.await.map_or_else(|_| ended(), Answer::LoopRan)));
                });
                return Ok(());
            }
            Request::ResetScratchpad { worker } => {
                self.edge.reset_scratchpad(worker, answer);
                return Ok(());
            }
            Request::Tick { partition } => {
                let event = match partition.map(PartitionId::new) {
                    None => Event::TickRequested,
                    Some(Ok(partition)) => Event::RunRequested { partition },
                    Some(Err(problem)) => {
                        drop(answer.send(Answer::Refused { why: problem.to_string() }));
                        return Ok(());
                    }
                };
                // What came in a moment ago counts.
                self.edge.look(&Look::KillSwitches)?;
                self.wishes.push((self.edge.ring_when_seen(), event, answer));
                return Ok(());
            }
        };
        // A command that did not wait for its answer does not get one.
        drop(answer.send(reply));
        Ok(())
    }
}

impl Incoming {
    async fn next(
        &mut self,
        wakeup: subcortex_cadence::BootMs,
        signals: &mut Signals,
    ) -> Result<Woken, ServeError> {
        let watchdog = async {
            match &mut self.watchdog {
                Some(beat) => beat.tick().await,
                None => std::future::pending().await,
            }
        };
        Ok(tokio::select! {
            biased;
            told = signals.next() => Woken::Signal(told),
            // Before everything that a busy home has plenty of.
            _ = watchdog => Woken::Watchdog,
            Some(report) = self.reports.recv() => Woken::Report(report),
            Some(sight) = self.sights.recv() => Woken::Sight(sight),
            Some(look) = self.looks.recv() => Woken::Look(look),
            Some(asked) = self.asked.recv() => Woken::Asked(asked),
            woken = self.timer.wait_until(wakeup) => {
                woken.map_err(|source| ServeError::Os { what: "wait", source })?;
                Woken::Timer
            }
        })
    }
}

/// What a signal says.
enum Told {
    Stop(&'static str),
    Reload,
}

/// The signals that the daemon listens to.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    fn listen() -> Result<Self, ServeError> {
        let listen =
            |kind| signal(kind).map_err(|source| ServeError::Os { what: "listen to signals", source });
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            hangup: listen(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> Told {
        tokio::select! {
            _ = self.terminate.recv() => Told::Stop("SIGTERM"),
            _ = self.interrupt.recv() => Told::Stop("SIGINT"),
            _ = self.hangup.recv() => Told::Reload,
        }
    }
}
