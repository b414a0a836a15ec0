//! One module a command.

pub(crate) mod adopt;
mod asking;
pub(crate) mod audit;
mod audit_engine;
pub(crate) mod blackboard;
pub(crate) mod check;
mod check_sheet;
mod check_words;
pub(crate) mod complete;
pub(crate) mod completions;
pub(crate) mod connect;
pub(crate) mod daemon;
pub(crate) mod demo;
mod demo_page;
pub(crate) mod doctor;
pub(crate) mod drop;
mod drop_fleet;
mod drop_wait;
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
mod mended;
pub(crate) mod metrics;
pub(crate) mod open;
pub(crate) mod pause;
pub(crate) mod recall;
pub(crate) mod remember;
pub(crate) mod review;
pub(crate) mod rule;
mod rules_file;
pub(crate) mod runs;
pub(crate) mod service;
pub(crate) mod spine;
pub(crate) mod status;
mod status_fleet;
pub(crate) mod tick;
mod trouble;
pub(crate) mod why;
pub(crate) mod worker;

use std::sync::Arc;

use jiff::tz::{TimeZone, TimeZoneDatabase};
use subcortex_cadence::PartitionId;
use subcortex_cadence::definition::Zones;
use subcortex_daemon::control::{Answer, Request, ask};
use subcortex_daemon::{LogSink, SHARED_INBOX, Setup, do_by_hand, weaver_settings, workshop};
use subcortex_guard::escape_for_display;
use subcortex_home::{Home, init, kill_switch};
use subcortex_service::Notifier;
use subcortex_spine::Spine;
use subcortex_store::{Disk, RealDisk};
use subcortex_weaver::Workshop;

use crate::failure::Failure;
use crate::looks::Looks;
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
        self.expect_home()?;
        init(&*self.disk, &self.home)?;
        Ok(Spine::new(Arc::clone(&self.disk), self.home.spine(), self.surroundings.boot_id.clone()))
    }

    /// Refuses what only a person decides. In a run, or in an agent's shell, a page that was read may be who wants it.
    pub(crate) fn expect_a_person(&self, deed: &str, instead: &str) -> Result<(), Failure> {
        let whose = match self.surroundings.calling_agent() {
            _ if self.surroundings.is_own_run => "a run of this home",
            Some(agent) => agent,
            None => return Ok(()),
        };
        Err(Failure::refused(format!(
            "only a person {deed}, and this is called by {whose}; nothing was changed\n{instead}"
        )))
    }

    /// A home that is not there is a mistake in the path, for everything but `init` and `run`.
    pub(crate) fn expect_home(&self) -> Result<(), Failure> {
        if self.home.is_there() {
            return Ok(());
        }
        let root = self.home.root();
        let what = if root.is_dir() {
            format!("{} is a folder, but no home of subcortex, so nothing was done", root.display())
        } else {
            format!("there is no home at {}, so nothing was done", root.display())
        };
        let usual = self.surroundings.usual_home().filter(|usual| usual.root() != root && usual.is_there());
        let other = usual.map_or("name another with --home DIR or $SUBCORTEX_HOME".into(), |usual| {
            format!("leave --home and $SUBCORTEX_HOME away for the one at {}", usual.root().display())
        });
        Err(Failure::refused(format!("{what}\n`subcortex init` makes one there; or {other}")))
    }

    /// The names of all workers, by their folders.
    pub(crate) fn workers(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.home.subconscious()).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter(|entry| entry.path().join("CLAUDE.md").exists())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort();
        names
    }

    /// Why nothing runs now, if a person wants that: `everything is paused ("demo")`. Both switches count for a worker.
    pub(crate) fn paused(&self, worker: Option<&str>) -> Option<String> {
        let said = |whose: &str, why: String| match why.is_empty() {
            true => format!("{whose} is paused"),
            false => format!("{whose} is paused (“{}”)", escape_for_display(&why)),
        };
        let all = kill_switch::reason(&*self.disk, &self.home.kill_switch());
        all.map(|why| said("everything", why)).or_else(|| {
            let worker = worker?;
            let why = kill_switch::reason(&*self.disk, &self.home.partition_kill_switch(worker))?;
            Some(said(worker, why))
        })
    }

    /// A partition that is there.
    pub(crate) fn expect_partition(&self, name: &str) -> Result<PartitionId, Failure> {
        let id = PartitionId::new(name).map_err(|problem| Failure::refused(problem.to_string()))?;
        if self.home.partition(name).join("CLAUDE.md").exists() {
            return Ok(id);
        }
        let workers = self.workers();
        let there = if workers.is_empty() { "none".into() } else { workers.join(", ") };
        let folder = self.home.partition(name);
        Err(Failure::refused(if folder.is_dir() {
            format!(
                "{} has no CLAUDE.md, and that file is what makes it a worker\nthe workers here: {there}",
                folder.display()
            )
        } else {
            let names: Vec<&str> = workers.iter().map(String::as_str).collect();
            let near = subcortex_yaml::nearest(name, &names);
            let meant = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            format!(
                "there is no worker `{id}`: {} does not exist{meant}\nthe workers here: {there}",
                folder.display()
            )
        }))
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
            program: surroundings.program.clone(),
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

    /// How answers look here.
    pub(crate) fn looks(&self) -> Looks {
        Looks::of(self.surroundings)
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
