//! Many runs at once. Alone in its process, because it looks at what is left when the last of them ended.
#![allow(clippy::unwrap_used, reason = "tests write files and stop at the first surprise")]

mod support;

use subcortex_engine::{Ending, Limits, ProcessLauncher, become_subreaper, cancellation};
use support::{Stage, WAYS, fresh_prefix, own_children};

#[tokio::test]
async fn parallel_runs_leave_nobody_behind_and_other_children_are_left_alone() {
    become_subreaper().unwrap();
    let mut foreign = tokio::process::Command::new("sh")
        .args(["-c", "read line; exit 7"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let ended = tokio::process::Command::new("sh").args(["-c", "exit 9"]).spawn().unwrap();

    let sweeping = ProcessLauncher::sweep_only(fresh_prefix()).unwrap();
    let best = ProcessLauncher::new(fresh_prefix()).unwrap();
    for round in 0..3 {
        let stages: Vec<Stage> = WAYS.iter().map(|_| Stage::new()).collect();
        let (canceller, cancellation) = cancellation();
        let runs = WAYS.iter().zip(&stages).enumerate().map(|(number, (way, stage))| {
            let launcher = if round < 2 || number % 2 == 0 { &sweeping } else { &best };
            let limits = Limits::within_ms(60_000);
            launcher.run(stage.spec(way, "stay", limits), cancellation.clone())
        });
        let order = async {
            for stage in &stages {
                stage.ready().await;
            }
            canceller.cancel("test", 20);
        };
        let (finished, ()) = tokio::join!(join_all(runs.collect()), order);
        for (finished, way) in finished.into_iter().zip(WAYS) {
            assert_eq!(finished, Ending::Cancelled { reason: "test".into() }, "{way}");
        }
        let survivors: Vec<_> =
            stages.iter().zip(WAYS).map(|(stage, way)| (way, stage.survivors())).collect();
        assert!(survivors.iter().all(|(_, pids)| pids.is_empty()), "{survivors:?}");
    }

    // Both children of this test are still its own: one runs, one has ended and was not reaped by the sweeps.
    assert_eq!(foreign.try_wait().unwrap(), None);
    drop(foreign.stdin.take());
    assert_eq!(foreign.wait().await.unwrap().code(), Some(7));
    assert_eq!({ ended }.wait().await.unwrap().code(), Some(9));
    assert_eq!(own_children(), Vec::<String>::new(), "neither orphans nor zombies");
}

/// Awaits all runs side by side.
async fn join_all<'a, F>(runs: Vec<F>) -> Vec<Ending>
where
    F: Future<Output = Result<subcortex_engine::Finished, subcortex_engine::StartError>> + 'a,
{
    let mut runs: Vec<_> = runs.into_iter().map(|run| (Box::pin(run), None)).collect();
    std::future::poll_fn(|context| {
        for (run, ending) in runs.iter_mut().filter(|(_, ending)| ending.is_none()) {
            if let std::task::Poll::Ready(finished) = run.as_mut().poll(context) {
                *ending = Some(finished.unwrap().ending);
            }
        }
        if runs.iter().all(|(_, ending)| ending.is_some()) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    runs.into_iter().filter_map(|(_, ending)| ending).collect()
}
