//! Loops in the daemon: what its keeper is handed, and one run by hand.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use subcortex_config::Config;
use subcortex_engine::cancellation;
use subcortex_loop_runs::{Journal, LoopRunner, LoopView, RunLimits, Surveyor, recover};
use subcortex_loops::LoopPlace;
use subcortex_store::RealDisk;
use subcortex_work::Runner;

use crate::control::Answer;
use crate::setup::Setup;

/// The repositories that the settings name.
pub(crate) fn roots(setup: &Setup, config: &Config) -> Vec<PathBuf> {
    let user_home = setup.environment.get(std::ffi::OsStr::new("HOME")).map(PathBuf::from);
    roots_of(config, user_home.as_deref())
}

/// The same for whoever knows the person's home.
pub(crate) fn roots_of(config: &Config, user_home: Option<&std::path::Path>) -> Vec<PathBuf> {
    let absolute = |path: &String| match (path.strip_prefix("~/"), user_home) {
        (Some(below), Some(home)) => Some(home.join(below)),
        (Some(_), None) => None,
        (None, _) => Some(PathBuf::from(path)),
    };
    config.loops.roots.iter().filter_map(absolute).collect()
}

/// What the settings let runs of loops take.
pub(crate) fn limits(config: &Config) -> RunLimits {
    RunLimits {
        engine_ms: config.loops.max_duration_ms,
        gate_ms: config.loops.verify_ms,
        max_parallel: config.cadence.max_parallel,
    }
}

/// What does runs of loops, beside what does those of partitions.
pub(crate) fn runner(setup: &Setup, config: &Config, worker: Arc<Runner>) -> LoopRunner {
    let journal = Journal::new(setup.home.clone(), Arc::clone(&setup.disk), setup.boot_id.clone());
    LoopRunner {
        worker,
        limits: Mutex::new(limits(config)),
        zone: setup.zones.local.clone(),
        gatekeeper: setup.program.as_deref().map(gatekeeper),
        journal: Mutex::new(journal),
    }
}

/// Our own program, asked whether only a person may do what a command does.
fn gatekeeper(program: &Path) -> String {
    format!("'{}' loop judge", program.display().to_string().replace('\'', r"'\''"))
}

/// Runs a loop without a daemon, under the lock of the home.
pub(crate) async fn run_by_hand(runner: &LoopRunner, place: &LoopPlace) -> Answer {
    recover(runner).await;
    let (canceller, cancellation) = cancellation();
    Answer::LoopRan(runner.run(place, &canceller, cancellation).await.into())
}

/// Looks at the loops of the settings and of further repositories, without changing anything.
pub fn loop_views(setup: &Setup, further: &[PathBuf]) -> Result<Vec<LoopView>, crate::ServeError> {
    let config = setup.read_config()?;
    let mut all: Vec<PathBuf> = Vec::new();
    let named = roots(setup, &config);
    let mut by_daemon = 0;
    for (at, root) in named.iter().chain(further).enumerate() {
        let real = subcortex_store::Disk::behind_links(&RealDisk, root).unwrap_or_else(|_| root.clone());
        if !all.contains(&real) {
            all.push(real);
        }
        if at < named.len() {
            by_daemon = all.len();
        }
    }
    let now = Timestamp::now();
    let spend = setup.minds(&config).account.spend(now);
    let surveyor =
        Surveyor { home: &setup.home, disk: &*setup.disk, zone: &setup.zones.local, spend: &spend };
    let (named, further) = all.split_at(by_daemon);
    let mut views = surveyor.views(named, now);
    views.extend(surveyor.views(further, now).into_iter().map(|view| LoopView { by_itself: false, ..view }));
    Ok(views)
}
