//! A runner in a home of its own, for tests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use subcortex_cadence::definition::Engine;
use subcortex_cadence::settle::{Mode, Work};
use subcortex_cadence::{Cause, Definition, PartitionId, RunId, StartRun, Tick};
use subcortex_config::Config;
use subcortex_engine::{GroupPrefix, ProcessLauncher};
use subcortex_fleet::{Membership, Tickets};
use subcortex_home::Home;
use subcortex_inbox::Consumer;
use subcortex_store::{Disk, RealDisk};
use subcortex_weaver::{BroadcastMode, Settings};
use tokio::sync::mpsc::unbounded_channel;

use crate::{Details, Minds, Peers, Runner, Variables, now};

/// How long a run of a test may take, in milliseconds.
const MAX_DURATION_MS: u64 = 60_000;

#[derive(Debug)]
struct NoPeers;

impl Peers for NoPeers {
    fn consumers(&self) -> std::io::Result<Vec<Consumer>> {
        Ok(Vec::new())
    }
}

fn runner(home: Home) -> Runner {
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let (config, environment) = (Config::default(), BTreeMap::new());
    Runner {
        minds: Minds::new(&disk, &home, Variables::default(), &environment, &config),
        launcher: Arc::new(ProcessLauncher::new(GroupPrefix::for_home("0123456789ab").unwrap()).unwrap()),
        environment,
        weaver: Mutex::new(Settings {
            mode: BroadcastMode::Observe,
            min_rewrite_interval: config.broadcast.min_rewrite_interval,
        }),
        memory: Arc::default(),
        peers: Arc::new(NoPeers),
        boards: subcortex_boards::open("files", Arc::clone(&disk), home.blackboards(), 60).unwrap(),
        fleet: Membership::new(Tickets::load(Arc::clone(&disk), &home, || now().boot), None).unwrap(),
        at_work: Arc::default(),
        url: OnceLock::new(),
        home,
        disk,
    }
}

/// Runs a partition on an engine, without a task; gives what the run came to.
pub(crate) async fn run(partition: &str, engine: Engine) -> (Work, Details) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let start = StartRun {
        run: RunId::new(now().wall, 1),
        partition: PartitionId::new(partition).unwrap(),
        mode: Mode::Reflective,
        cause: Cause::Asked,
        tasks: Vec::new(),
        tick: Tick(1),
        deadline: now().boot.plus_ms(MAX_DURATION_MS),
        max_duration_ms: MAX_DURATION_MS,
    };
    let definition = Definition { engine, ..Definition::default() };
    let (_canceller, cancellation) = subcortex_engine::cancellation();
    let (reports, mut told) = unbounded_channel();
    runner(home).run(start, definition, cancellation, reports).await;
    match told.recv().await.unwrap().what {
        subcortex_edge::Report::RunEnded { work, details, .. } => (work, details),
        other @ subcortex_edge::Report::TaskEnded { .. } => panic!("{other:?}"),
    }
}

mod tests {
    use subcortex_cadence::settle::{Ending, Work};

    use super::*;

    #[tokio::test]
    async fn the_heartbeat_shows_a_sign_of_life() {
        let (work, details) = run("heartbeat", Engine::BUILTIN).await;
        assert_eq!((work, details.output.as_str()), (Work::well("NO-OP: alive"), "NO-OP: alive"));
    }

    #[tokio::test]
    async fn an_engine_that_is_not_there_is_refused() {
        let (work, _) = run("notes", Engine::named("steam")).await;
        let why = "no engine called `steam` is in this program".to_owned();
        assert_eq!(work.ending, Ending::Refused(why));
    }

    #[tokio::test]
    async fn a_worker_that_does_not_ship_is_refused() {
        let (work, _) = run("nobody", Engine::BUILTIN).await;
        assert!(matches!(&work.ending, Ending::Refused(why) if why.contains("no worker called `nobody`")));
    }
}
