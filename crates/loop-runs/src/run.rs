//! One run of a loop, from its start to its end.

mod attempt;
mod fitness;
mod told;

use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use subcortex_engine::{Cancellation, Canceller};
use subcortex_loops::LoopPlace;
use subcortex_loops::config::LoopConfig;
use subcortex_loops::end::LoopEnd;
use subcortex_loops::run_log::RunLog;
use subcortex_store::locked;
use subcortex_work::Runner;
use tracing::{info, warn};

use crate::recover::recover_one;
use crate::switches::Switches;
use crate::worktree::remove_folder;
use crate::{Journal, LoopNames, RunLimits};

use attempt::Attempt;
pub(crate) use told::Told;

/// Does runs of loops.
#[derive(Debug)]
pub struct LoopRunner {
    /// What runs of partitions work with: home, disk, programs, models, the account.
    pub worker: Arc<Runner>,
    /// From the settings.
    pub limits: Mutex<RunLimits>,
    /// The zone whose clock cron patterns go by.
    pub zone: TimeZone,
    /// What an agent's program asks before each command of the agent, as a line for `sh`.
    pub gatekeeper: Option<String>,
    /// Where runs are recorded.
    pub journal: Mutex<Journal>,
}

/// A run that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Its name; nothing when a kill switch kept it from starting.
    pub run_id: Option<String>,
    /// How it ended.
    pub end: LoopEnd,
    /// The line by which the engine's report is remembered.
    pub result: Option<String>,
}

/// What is known of a run from its start on.
#[derive(Debug)]
pub(crate) struct About<'a> {
    pub(crate) runner: &'a LoopRunner,
    pub(crate) place: &'a LoopPlace,
    pub(crate) names: LoopNames,
    /// Its number.
    pub(crate) run: u64,
    pub(crate) run_id: String,
    pub(crate) started: Timestamp,
}

impl LoopRunner {
    /// The limits as they are now.
    pub fn limits(&self) -> RunLimits {
        *locked(&self.limits)
    }

    /// Runs a loop. Whoever calls this has seen to it that nobody else holds what it needs.
    pub async fn run(&self, place: &LoopPlace, canceller: &Canceller, cancellation: Cancellation) -> Ran {
        recover_one(self, place).await;
        let about = match self.begin(place) {
            Ok(about) => about,
            Err(why) => {
                warn!(r#loop = %LoopNames::of(place).key, error = why, "loop not run");
                return Ran { run_id: None, end: LoopEnd::Refused { why }, result: None };
            }
        };
        let config = LoopConfig::read(&*self.worker.disk, &place.dir);
        if let Ok(config) = &config
            && let Some(why) = Switches::of(self, place, config).set(self, &about.run_id, place).await
        {
            info!(r#loop = %about.names.key, why, "loop paused");
            return Ran { run_id: None, end: LoopEnd::Paused { why }, result: None };
        }
        info!(r#loop = %about.names.key, run = %about.run_id, "loop run started");
        let mut told = Told::default();
        let end = match &config {
            Ok(config) => Attempt { about: &about, config, canceller, cancellation }.make(&mut told).await,
            Err(error) => LoopEnd::Refused { why: error.to_string() },
        };
        remove_folder(self, &about.run_id, &about.scratch()).await;
        let result = about.settle(config.ok().as_ref(), told, &end).await;
        Ran { run_id: Some(about.run_id), end, result }
    }

    fn begin<'a>(&'a self, place: &'a LoopPlace) -> Result<About<'a>, String> {
        let log = RunLog::read(&*self.worker.disk, &place.dir).map_err(|error| error.to_string())?;
        let (names, started, run) = (LoopNames::of(place), Timestamp::now(), log.next_number());
        let run_id = names.run_id(started, run);
        Ok(About { runner: self, place, names, run, run_id, started })
    }
}
