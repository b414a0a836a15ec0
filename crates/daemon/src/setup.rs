//! What the daemon, and the commands that stand in for it, are handed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use subcortex_boards::Boards;
use subcortex_cadence::definition::Zones;
use subcortex_config::{Blackboard, Config, Problem};
use subcortex_engine::{GroupPrefix, ProcessLauncher, StartError};
use subcortex_fleet::{Courier, FleetError, Membership, Tickets};
use subcortex_home::{Home, InitError, trust};
use subcortex_spine::{AppendError, Spine};
use subcortex_store::{Disk, LockError, durable};
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedSender;

use crate::edge::{Edge, EdgeError, Tools};
use crate::helm::PageOf;
use crate::log::LogSink;
use crate::look::Eyes;
use crate::lookout::{Lookout, Sight};
use crate::{clock, fleet};
use subcortex_work::{Minds, Report, Runner, Variables};

/// How long the event loop waits for another process that appends to the spine. Beyond this it goes on with other things
/// and tries again.
const MAX_SPINE_WAIT: Duration = Duration::from_millis(500);

/// Everything that comes from outside.
pub struct Setup {
    /// Where it lives.
    pub home: Home,
    /// What it writes to.
    pub disk: Arc<dyn Disk>,
    /// Tells this run of the kernel from the one before.
    pub boot_id: String,
    /// The program itself, if it can be found.
    pub program: Option<PathBuf>,
    /// What programs that it starts find in their environment.
    pub environment: BTreeMap<OsString, OsString>,
    /// All variables of the process, for keys.
    pub variables: Variables,
    /// Where time zones come from.
    pub zones: Zones,
    /// Where log lines go besides the file.
    pub log_sink: LogSink,
    /// Where a service manager listens, and how often it wants to hear.
    pub notifier: subcortex_service::Notifier,
    /// What is shown to people over HTTP.
    pub page: PageOf,
    /// The folders in which agents keep their transcripts.
    pub transcripts: Vec<subcortex_import::Root>,
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
    /// Something that the daemon cannot live with.
    #[error(transparent)]
    Edge(#[from] EdgeError),
    /// Programs cannot be supervised here.
    #[error(transparent)]
    Engine(#[from] StartError),
    /// The lock file was removed or replaced, so that another daemon may serve this home too.
    #[error(
        "the lock of this home was removed while it was held; this process stopped, because another one may have started"
    )]
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

impl From<AppendError> for ServeError {
    fn from(error: AppendError) -> Self {
        Self::Edge(error.into())
    }
}

impl Setup {
    /// Reads the settings; without a file they are the defaults.
    pub fn read_config(&self) -> Result<Config, ServeError> {
        read_config(&*self.disk, &self.home)
    }

    /// Reads the settings for work that relies on them: nobody else may be able to change them.
    pub(crate) fn read_trusted_config(&self) -> Result<Config, ServeError> {
        read_trusted_config(&*self.disk, &self.home)
    }

    pub(crate) fn minds(&self, config: &Config) -> Minds {
        Minds::new(&self.disk, &self.home, self.variables.clone(), &self.environment, config)
    }

    pub(crate) fn eyes(&self) -> Eyes {
        self.eyes_with(Arc::new(self.tickets()))
    }

    fn eyes_with(&self, tickets: Arc<Tickets>) -> Eyes {
        let (home, disk, zones) = (self.home.clone(), Arc::clone(&self.disk), self.zones.clone());
        Eyes { home, disk, zones, tickets, read: Arc::default(), work_found: Arc::default() }
    }

    fn tickets(&self) -> Tickets {
        Tickets::load(Arc::clone(&self.disk), &self.home, || clock::now().boot)
    }

    /// The fleet of the settings; without one there is only this machine.
    pub fn membership(&self, config: &Config) -> Result<Membership, FleetError> {
        Membership::new(self.tickets(), fleet::settings(config))
    }

    /// The scheduler with everything it works with. The caller holds the lock of the home.
    pub(crate) fn edge(
        &self,
        config: &Config,
        reports: UnboundedSender<Report>,
        sights: UnboundedSender<Sight>,
        runs: Handle,
    ) -> Result<Edge, ServeError> {
        let mut spine = Spine::new(Arc::clone(&self.disk), self.home.spine(), self.boot_id.clone());
        spine.wait_for_others(MAX_SPINE_WAIT);
        let fleet = self.membership(config).map_err(|error| ServeError::Config(error.to_string()))?;
        let eyes = self.eyes_with(Arc::clone(&fleet.tickets));
        let news = sights.clone();
        let tell = move |heard| drop(news.send(Sight::Fleet(heard))); // nobody listens only when the daemon is gone
        let courier = Courier::start(&fleet, &self.home, &self.disk, tell);
        let lookout = Lookout::start(eyes.clone(), sights)
            .map_err(|source| ServeError::Os { what: "start the lookout", source })?;
        let worker = Runner {
            home: self.home.clone(),
            disk: Arc::clone(&self.disk),
            launcher: Arc::new(ProcessLauncher::new(self.group_prefix()?)?),
            environment: self.environment.clone(),
            weaver: Mutex::new(weaver_settings(config)),
            memory: Arc::default(),
            peers: Arc::new(eyes.clone()),
            minds: self.minds(config),
            boards: self.boards(config)?,
            fleet,
            at_work: Arc::default(),
            url: OnceLock::new(),
        };
        Ok(Edge::restore(config, Tools { eyes, spine, worker, reports, runs, lookout, courier })?)
    }

    /// Where blackboards are, by the settings.
    pub fn boards(&self, config: &Config) -> Result<Arc<dyn Boards>, ServeError> {
        let Blackboard { store, ttl_s } = &config.blackboard;
        subcortex_boards::open(store, Arc::clone(&self.disk), self.home.blackboards(), *ttl_s)
            .map_err(|error| ServeError::Config(error.to_string()))
    }

    /// By which the processes of this home's runs are known, also after the daemon was killed.
    pub(crate) fn group_prefix(&self) -> Result<GroupPrefix, StartError> {
        let hash = blake3::hash(self.home.root().as_os_str().as_encoded_bytes()).to_hex();
        GroupPrefix::for_home(hash.get(..12).unwrap_or_default())
    }
}

/// What the settings let the weaver do.
pub fn weaver_settings(config: &Config) -> subcortex_weaver::Settings {
    subcortex_weaver::Settings {
        mode: config.broadcast.mode,
        min_rewrite_interval: config.broadcast.min_rewrite_interval,
    }
}

pub(crate) fn read_trusted_config(disk: &dyn Disk, home: &Home) -> Result<Config, ServeError> {
    trust::check_home(disk, home).map_err(|problem| ServeError::Config(problem.to_string()))?;
    read_config(disk, home)
}

pub(crate) fn read_config(disk: &dyn Disk, home: &Home) -> Result<Config, ServeError> {
    let text = match durable::read_text(disk, &home.config_file(), Config::MAX_BYTES) {
        Ok(text) => text,
        Err(durable::ReadError::Missing { .. }) => return Ok(Config::default()),
        Err(error) => return Err(ServeError::Config(error.to_string())),
    };
    Config::parse(&text).map_err(|problem: Problem| ServeError::Config(problem.at(subcortex_config::FILE)))
}
