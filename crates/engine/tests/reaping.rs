//! A daemon that adopts orphans reaps them too.
#![allow(clippy::unwrap_used, reason = "tests write files and stop at the first surprise")]

mod support;

use std::time::Duration;

use subcortex_engine::{Limits, ProcessEnding, ProcessLauncher, become_subreaper, cancellation};
use support::{Stage, fresh_prefix, own_zombies};

#[tokio::test]
async fn orphans_that_end_are_reaped_while_their_run_goes_on() {
    become_subreaper().unwrap();
    for launcher in [ProcessLauncher::new(fresh_prefix()), ProcessLauncher::sweep_only(fresh_prefix())] {
        let launcher = launcher.unwrap();
        let stage = Stage::new();
        let (canceller, cancellation) = cancellation();
        let reaped = async {
            stage.ready().await;
            // Waits for ever, and the run for its deadline, if they are not reaped.
            while !own_zombies().is_empty() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            canceller.cancel(subcortex_engine::CancelReason::Stopping, 0);
        };
        let run = launcher.run(stage.spec("quick-exits", "stay", Limits::within_ms(20_000)), cancellation);
        let (finished, ()) = tokio::join!(run, reaped);
        assert_eq!(
            finished.unwrap().ending,
            ProcessEnding::Cancelled { reason: subcortex_engine::CancelReason::Stopping }
        );
    }
}
