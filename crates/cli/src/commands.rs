//! One module a command.

mod asking;
pub(crate) mod audit;
mod audit_engine;
pub(crate) mod blackboard;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod connect;
pub(crate) mod daemon;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod drop;
mod drop_fleet;
pub(crate) mod event;
pub(crate) mod forget;
pub(crate) mod history;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod inbox;
pub(crate) mod init;
pub(crate) mod log;
pub(crate) mod loops;
pub(crate) mod mcp;
pub(crate) mod metrics;
pub(crate) mod open;
pub(crate) mod pause;
pub(crate) mod recall;
pub(crate) mod remember;
pub(crate) mod review;
pub(crate) mod runs;
pub(crate) mod service;
pub(crate) mod spine;
pub(crate) mod status;
mod status_fleet;
pub(crate) mod tick;
pub(crate) mod why;
pub(crate) mod worker;

use std::sync::Arc;

use jiff::tz::{TimeZone, TimeZoneDatabase};
use subcortex_cadence::PartitionId;
use subcortex_cadence::definition::Zones;
use subcortex_daemon::control::{Answer, Request, ask};
use subcortex_daemon::{LogSink, SHARED_INBOX, Setup, do_by_hand, weaver_settings, workshop};
use subcortex_home::{Home, init};
use subcortex_service::Notifier;
use subcortex_spine::Spine;
use subcortex_store::{Disk, RealDisk};
use subcortex_weaver::Workshop;

use crate::failure::Failure;
use crate::surroundings::Surroundings;

/// What every command works with.
#[derive(Debug)]
pub(crate) struct World<'a> {
    pub(crate) home: Home,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) surroundings: &'a Surroundings,
}

/// Whose inbox it is.
#[derive(Debug)]
pub(crate) enum InboxOf {
    /// One partition's.
    Partition(PartitionId),
    /// The shared one.
    Everybody,
}

impl InboxOf {
    /// What it is called where a partition's name could stand.
    pub(crate) fn name(&self) -> &str {
        match self {
            InboxOf::Partition(id) => id.as_str(),
            InboxOf::Everybody => SHARED_INBOX,
        }
    }
}

impl<'a> World<'a> {
    pub(crate) fn new(surroundings: &'a Surroundings, home: Home) -> Self {
        Self { home, disk: Arc::new(RealDisk), surroundings }
    }

    /// The writing end of the spine, in a home that has all its folders.
    pub(crate) fn spine(&self) -> Result<Spine, Failure> {
        init(&*self.disk, &self.home)?;
        Ok(Spine::new(Arc::clone(&self.disk), self.home.spine(), self.surroundings.boot_id.clone()))
    }

    /// For commands that only read: a home that is not there is a mistake in the path.
    pub(crate) fn expect_home(&self) -> Result<(), Failure> {
        if self.home.root().is_dir() {
            return Ok(());
        }
        Err(Failure::refused(format!(
            "there is no home at {}\nmake it with `subcortex init`, or point to another with --home DIR",
            self.home.root().display()
        )))
    }

    /// A partition that is there.
    pub(crate) fn expect_partition(&self, name: &str) -> Result<PartitionId, Failure> {
        let id = PartitionId::new(name).map_err(|problem| Failure::refused(problem.to_string()))?;
        if self.home.partition(name).join("CLAUDE.md").exists() {
            return Ok(id);
        }
        Err(Failure::refused(format!(
            "there is no partition `{id}`: {} does not exist\n`subcortex status` lists those that do",
            self.home.partition(name).join("CLAUDE.md").display()
        )))
    }

    /// The inbox of a partition that is there, or the shared one.
    pub(crate) fn expect_inbox(&self, name: &str) -> Result<InboxOf, Failure> {
        if name == SHARED_INBOX {
            return Ok(InboxOf::Everybody);
        }
        self.expect_partition(name).map(InboxOf::Partition)
    }

    /// What the daemon, or a command in its place, is handed.
    pub(crate) fn setup(&self) -> Setup {
        let surroundings = self.surroundings;
        Setup {
            home: self.home.clone(),
            disk: Arc::clone(&self.disk),
            boot_id: surroundings.boot_id.clone(),
            environment: surroundings.environment.clone(),
            variables: surroundings.variables.clone(),
            zones: Zones { database: TimeZoneDatabase::from_env(), local: TimeZone::system() },
            log_sink: if surroundings.is_journal {
                LogSink::journal(std::io::stderr())
            } else {
                LogSink::plain(std::io::stderr())
            },
            notifier: Notifier::new(surroundings.notify_socket.as_deref(), surroundings.watchdog_usec),
            page: subcortex_page::routes,
            transcripts: connect::transcripts(surroundings),
        }
    }

    /// What the weaver's readers are handed.
    pub(crate) fn workshop(&self) -> Result<Workshop, Failure> {
        let settings = weaver_settings(&self.setup().read_config()?);
        Ok(workshop(&self.home, &self.disk, settings, None))
    }

    /// Lets the running daemon do something; without one it is done here, under the same lock.
    pub(crate) fn ask(&self, request: Request) -> Result<Answer, Failure> {
        let answer = ask(&self.home.control_socket(), &request)
            .map_err(|error| Failure::failed(format!("the daemon does not answer: {error}")))?;
        match answer {
            Some(answer) => Ok(answer),
            None => Ok(do_by_hand(&self.setup(), request)?),
        }
    }
}
