//! Does runs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jiff::Timestamp;
use subcortex_boards::Boards;
use subcortex_cadence::{Definition, StartRun};
use subcortex_engine::{Cancellation, Launcher};
use subcortex_fleet::Membership;
use subcortex_guard::RUN_TOKEN_PREFIX;
use subcortex_home::Home;
use subcortex_runs::CycleRecord;
use subcortex_scratchpad::Cycle;
use subcortex_store::Disk;
use tokio::sync::mpsc::UnboundedSender;
use tracing::warn;

use crate::aside::aside;
use crate::changes::Snapshot;
use crate::desk::{AtWork, Desk};
use crate::details::Report;
use crate::engines::{engine_of, is_code};
use crate::identity::{Occasion, identity};
use crate::minds::Minds;
use crate::peers::Peers;
use crate::run::Run;
use crate::seat::Seat;

/// Does the work of runs.
#[derive(Debug)]
pub struct Runner {
    /// Where everything is.
    pub home: Home,
    /// What is written to.
    pub disk: Arc<dyn Disk>,
    /// What starts programs.
    pub launcher: Arc<dyn Launcher>,
    /// What programs find in their environment, besides what the run adds.
    pub environment: BTreeMap<OsString, OsString>,
    /// What the weaver may do.
    pub weaver: Mutex<subcortex_weaver::Settings>,
    /// Held by whoever changes the memory: a run of the weaver, or a person's decision.
    pub memory: Arc<Mutex<()>>,
    /// The other partitions.
    pub peers: Arc<dyn Peers>,
    /// Where models are found.
    pub minds: Minds,
    /// Where blackboards are.
    pub boards: Arc<dyn Boards>,
    /// The machines that share inboxes with this one.
    pub fleet: Membership,
    /// Who is at work.
    pub at_work: Arc<AtWork>,
    /// Where workers reach the daemon over HTTP, once somebody listens there.
    pub url: OnceLock<String>,
}

impl Runner {
    /// Runs one partition. Whatever happens, it ends with exactly one [`subcortex_edge::Report::RunEnded`].
    pub async fn run(
        &self,
        start: StartRun,
        definition: Definition,
        cancellation: Cancellation,
        reports: UnboundedSender<Report>,
    ) {
        let in_use = self.at_work.use_scratchpad(start.partition.as_str());
        let desk =
            Desk::new(self.identity(&start, &definition), Arc::clone(&self.disk), self.begin_cycle(&start));
        let desk = Arc::new(desk.seated(self.seat(&start, &definition)));
        let token = token();
        let pass = self.at_work.admit(&token, Arc::clone(&desk));
        let purse = self.minds.purse(start.partition.as_str(), start.run.as_str(), &definition);
        let partition = start.partition.as_str();
        // The workers that ship say themselves what they wrote; of others the disk is asked.
        let before = if is_code(partition, &definition) { None } else { self.snapshot(partition).await };
        let run = Run {
            runner: self,
            engine: engine_of(&definition),
            start: &start,
            definition: &definition,
            cancellation,
            token,
            desk: Arc::clone(&desk),
            purse: Arc::clone(&purse),
            trace: Mutex::default(),
        };
        let (mut work, mut details, failed) = run.work_on_all(&reports).await;
        let trace = run.trace.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = before {
            let after = self.snapshot(partition).await.unwrap_or_default();
            details.changed = after.differences(&before);
            work.changed_files = Some(!details.changed.is_empty());
        }
        details.spent = Some(purse.spent()).filter(|spent| spent.tokens > 0 || spent.usd > 0.0);
        drop(pass);
        details.cycle = self.end_cycle(&start, desk.take_cycle(), failed, &trace);
        drop(in_use);
        let (partition, run) = (start.partition, start.run);
        // Nobody listens any more only when the daemon is gone.
        let what = subcortex_edge::Report::RunEnded { partition, run, work, details };
        drop(reports.send(Report { what, settled: None }));
    }

    fn seat(&self, start: &StartRun, definition: &Definition) -> Option<Arc<Seat>> {
        let place = definition.blackboard.clone()?;
        Some(Arc::new(Seat {
            boards: Arc::clone(&self.boards),
            place,
            partition: start.partition.as_str().to_owned(),
            fetched: engine_of(definition).sees_fetches().then(Mutex::default),
            home: self.home.clone(),
            disk: Arc::clone(&self.disk),
            fleet: self.fleet.clone(),
        }))
    }

    /// What the files are like; `None` when that cannot be found out.
    async fn snapshot(&self, partition: &str) -> Option<Snapshot> {
        let (home, partition) = (self.home.clone(), partition.to_owned());
        aside(move || Snapshot::take(&home, &partition)).await.ok()
    }

    fn identity(&self, start: &StartRun, definition: &Definition) -> subcortex_agent::Identity {
        let (tokens_per_run, usd_per_day) = self.minds.limits(definition);
        let occasion = Occasion {
            run_id: Some(start.run.to_string()),
            tick: start.tick.0,
            mode: start.mode.as_str(),
            model: self.minds.model_in_words(definition),
            tokens_per_run,
            usd_per_day,
        };
        identity(&self.home, start.partition.as_str(), definition, occasion)
    }

    /// A scratchpad that cannot be written never fails the work.
    fn begin_cycle(&self, start: &StartRun) -> Option<Cycle> {
        let (dir, quarantine) =
            (self.home.scratchpad(start.partition.as_str()), self.home.spine().quarantine);
        match Cycle::begin(&*self.disk, &dir, &quarantine, Timestamp::now()) {
            Ok(cycle) => Some(cycle),
            Err(error) => {
                warn!(partition = %start.partition, run = %start.run, %error, "scratchpad not kept");
                None
            }
        }
    }

    /// Ends the cycle and writes its trace; says where everything is.
    fn end_cycle(
        &self,
        start: &StartRun,
        cycle: Option<Cycle>,
        failed: Option<String>,
        trace: &str,
    ) -> Option<CycleRecord> {
        let cycle = cycle?;
        let id = cycle.id().clone();
        let ended = match &failed {
            None => cycle.finish(&*self.disk, Timestamp::now()),
            Some(error) => cycle.fail(&*self.disk, error, Timestamp::now()),
        };
        if let Err(error) = ended {
            warn!(partition = %start.partition, run = %start.run, %error, "scratchpad not kept");
        }
        let trace = match failed {
            Some(error) if trace.is_empty() => error,
            Some(error) => format!("{trace}\n{error}\n"),
            None => trace.to_owned(),
        };
        let below = |path: &Path| path.strip_prefix(self.home.root()).unwrap_or(path).display().to_string();
        let (pad, logs) =
            (self.home.scratchpad(start.partition.as_str()), self.home.cycle_logs(start.partition.as_str()));
        let mut record = CycleRecord {
            id: id.to_string(),
            before: below(&subcortex_scratchpad::before(&pad, &id)),
            after: below(&subcortex_scratchpad::after(&pad, &id)),
            trace: None,
        };
        if !trace.is_empty() {
            match subcortex_scratchpad::write_trace(&*self.disk, &logs, &id, &trace) {
                Ok(path) => record.trace = Some(below(&path)),
                Err(error) => {
                    warn!(partition = %start.partition, run = %start.run, %error, "trace not kept");
                }
            }
        }
        Some(record)
    }
}

/// The worker's own key for this run.
fn token() -> String {
    format!("{RUN_TOKEN_PREFIX}{}", uuid::Uuid::new_v4().simple())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_that_a_worker_prints_is_recognised_as_a_secret() {
        let said = format!("my token is {} and that is all", token());
        let clean = subcortex_guard::Redactor::new().text(&said).into_owned();
        assert_eq!(clean, "my token is [REDACTED:run-token] and that is all");
    }
}
