//! The daemon from its start to its end.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use subcortex_config::{Config, Problem};
use subcortex_home::{Home, InitError, init};
use subcortex_model::{Draft, Source, event_type};
use subcortex_spine::{AppendError, Durability, Spine};
use subcortex_store::{Disk, Holder, HomeLock, LockError, durable};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::{info, warn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Layer, registry};

use crate::housekeeping::Housekeeping;
use crate::log::{LogLayer, LogSink, filter};
use crate::rotating_file::RotatingFile;
use crate::ticks::{StateError, TickState};

/// The longest settings file that is read, in bytes.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

/// What the daemon is handed.
pub struct Setup {
    /// Where it lives.
    pub home: Home,
    /// What it writes to.
    pub disk: Arc<dyn Disk>,
    /// Tells this run of the kernel from the one before.
    pub boot_id: String,
    /// Where log lines go besides the file.
    pub log_sink: LogSink,
}

impl std::fmt::Debug for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup").field("home", &self.home).finish_non_exhaustive()
    }
}

/// Why the daemon did not start, or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The settings are wrong; nothing was started.
    #[error("{0}")]
    Config(String),
    /// The home cannot be used.
    #[error(transparent)]
    Home(#[from] InitError),
    /// Somebody else serves it, or the lock cannot be taken.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The tick state cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// The spine cannot be written.
    #[error(transparent)]
    Spine(#[from] AppendError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] durable::WriteError),
    /// The lock file was removed or replaced, so that another daemon may serve this home too.
    #[error("the lock of this home was removed while the daemon held it; it stopped, because another one may have started")]
    LockLost,
    /// The operating system refused something that every process needs.
    #[error("cannot {what}: {source}")]
    Os {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Serves a home until a signal ends it.
pub fn serve(setup: Setup) -> Result<(), ServeError> {
    let Setup { home, disk, boot_id, log_sink } = setup;
    let config = read_config(&*disk, &home)?;
    let made = init(&*disk, &home)?;
    let since = Timestamp::now();
    let lock = HomeLock::acquire(&*disk, &home.lock(), Holder::this_process(format!("{since:.0}"), "daemon"))?;
    let log = RotatingFile::new(Arc::clone(&disk), home.log_file(), config.log.max_bytes, config.log.keep_files);
    let subscriber = registry().with(LogLayer::new(log, log_sink).with_filter(filter(config.log.level)));
    let spine = Spine::new(Arc::clone(&disk), home.spine(), boot_id);
    let ticks = TickState::load(&*disk, &home.cadence_state())?;
    let mut daemon = Daemon { home, disk, config, lock, spine, ticks, housekeeping: Housekeeping::default() };
    tracing::subscriber::with_default(subscriber, || {
        if !made.made.is_empty() {
            info!(entries = made.made.len(), "home filled in");
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|source| ServeError::Os { what: "start the event loop", source })?;
        let result = runtime.block_on(daemon.run());
        if let Err(error) = &result {
            tracing::error!(%error, "daemon failed");
        }
        result
    })
}

fn read_config(disk: &dyn Disk, home: &Home) -> Result<Config, ServeError> {
    let text = match durable::read_text(disk, &home.config_file(), MAX_CONFIG_BYTES) {
        Ok(text) => text,
        Err(durable::ReadError::Missing { .. }) => return Ok(Config::default()),
        Err(error) => return Err(ServeError::Config(error.to_string())),
    };
    Config::parse(&text).map_err(|problem: Problem| ServeError::Config(problem.at(subcortex_config::FILE)))
}

/// A running daemon.
struct Daemon {
    home: Home,
    disk: Arc<dyn Disk>,
    config: Config,
    lock: HomeLock,
    spine: Spine,
    ticks: TickState,
    housekeeping: Housekeeping,
}

impl Daemon {
    async fn run(&mut self) -> Result<(), ServeError> {
        let mut signals = Signals::listen()?;
        self.say(event_type::DAEMON_STARTED, json!({ "pid": std::process::id(), "version": env!("CARGO_PKG_VERSION") }))?;
        let root: PathBuf = self.home.root().to_owned();
        info!(pid = std::process::id(), home = %root.display(), interval_ms = self.config.cadence.interval_ms, "daemon started");
        let interval = Duration::from_millis(self.config.cadence.interval_ms);
        let mut beat = tokio::time::interval(interval);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        let why = loop {
            tokio::select! {
                _ = beat.tick() => self.tick()?,
                why = signals.next() => break why,
            }
        };
        self.say(event_type::DAEMON_STOPPED, json!({ "why": why }))?;
        info!(why, tick = self.ticks.tick, "daemon stopped");
        Ok(())
    }

    fn tick(&mut self) -> Result<(), ServeError> {
        let now = Timestamp::now();
        let interval_ms = self.config.cadence.interval_ms;
        if !self.lock.is_still_held(&*self.disk).unwrap_or(false) {
            return Err(ServeError::LockLost);
        }
        let missed = self.ticks.advance(now, interval_ms);
        self.ticks.save(&*self.disk, &self.home.cadence_state())?;
        info!(tick = self.ticks.tick, missed, next_tick_in_ms = interval_ms, "tick");
        self.housekeeping.run(&*self.disk, &self.home, &self.config, &mut self.spine, now)?;
        Ok(())
    }

    /// Tells the spine something about the daemon itself.
    fn say(&mut self, what: &str, payload: serde_json::Value) -> Result<(), ServeError> {
        let payload = payload.as_object().cloned().unwrap_or_default();
        let draft = Draft::new(what, Source::of("system"), payload);
        self.spine.append(vec![draft], Timestamp::now(), Durability::Synced)?;
        for repair in self.spine.take_repairs() {
            warn!(
                file = %repair.file.display(),
                offset = repair.offset,
                cut_bytes = repair.cut_bytes,
                reason = %repair.reason,
                "spine repaired"
            );
        }
        Ok(())
    }
}

/// The signals that end the daemon.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> Result<Self, ServeError> {
        let listen = |kind| signal(kind).map_err(|source| ServeError::Os { what: "listen to signals", source });
        Ok(Self { terminate: listen(SignalKind::terminate())?, interrupt: listen(SignalKind::interrupt())? })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}
