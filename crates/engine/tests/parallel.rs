//! Many runs at once. Alone in its process, because it looks at what is left when the last of them ended.
#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod support;

use std::process::Stdio;
use std::sync::Arc;

use subcortex_engine::{Limits, ProcessEnding, ProcessLauncher, become_subreaper, cancellation};
use support::{Stage, WAYS, fresh_prefix, own_children, run_shell};
use tokio::task::JoinSet;

/// Runs all ways side by side, ends them together, and says who survived.
async fn play_together(launcher_of: impl Fn(usize) -> Arc<ProcessLauncher>) -> Vec<String> {
    let stages: Vec<Stage> = WAYS.iter().map(|_| Stage::new()).collect();
    let (canceller, cancellation) = cancellation();
    let mut runs = JoinSet::new();
    for (number, (way, stage)) in WAYS.into_iter().zip(&stages).enumerate() {
        let spec = stage.deaf_spec(way, "stay", Limits::within_ms(60_000));
        let (launcher, cancellation) = (launcher_of(number), cancellation.clone());
        runs.spawn(async move { (way, launcher.run(spec, cancellation).await.unwrap()) });
    }
    for stage in &stages {
        stage.ready().await;
    }
    canceller.cancel(subcortex_engine::CancelReason::Stopping, /*grace_ms*/ 20);
    while let Some(run) = runs.join_next().await {
        let (way, finished) = run.unwrap();
        assert_eq!(
            finished.ending,
            ProcessEnding::Cancelled { reason: subcortex_engine::CancelReason::Stopping },
            "{way}"
        );
    }
    let survivors_of = |(stage, way): (&Stage, &str)| {
        stage.survivors().into_iter().map(|pid| format!("{way}: {pid}")).collect::<Vec<_>>()
    };
    stages.iter().zip(WAYS).flat_map(survivors_of).collect()
}

#[tokio::test]
async fn parallel_runs_leave_nobody_behind_and_other_children_are_left_alone() {
    become_subreaper().unwrap();
    let sweeping = Arc::new(ProcessLauncher::sweep_only(fresh_prefix()).unwrap());
    let best = Arc::new(ProcessLauncher::new(fresh_prefix()).unwrap());
    assert_eq!(play_together(|_| Arc::clone(&sweeping)).await, Vec::<String>::new());

    // From the first run on, a child that nobody knows could be an orphan of a run.
    let mut foreign = tokio::process::Command::new("sh")
        .args(["-c", "read line; exit 7"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut ended = std::process::Command::new("sh").args(["-c", "exit 9"]).spawn().unwrap();
    run_shell(&sweeping, "true", Vec::new()).await;
    let mixed = |number| Arc::clone(if number % 2 == 0 { &sweeping } else { &best });
    assert_eq!(play_together(mixed).await, Vec::<String>::new());
    assert_eq!(play_together(|_| Arc::clone(&best)).await, Vec::<String>::new());

    // Both children of this test are still its own: one runs, one has ended and was not reaped by the sweeps.
    assert_eq!(foreign.try_wait().unwrap(), None);
    drop(foreign.stdin.take());
    assert_eq!(foreign.wait().await.unwrap().code(), Some(7));
    assert_eq!(ended.wait().unwrap().code(), Some(9));
    assert_eq!(own_children(), Vec::<String>::new(), "neither orphans nor zombies");
}
