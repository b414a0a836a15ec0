//! The limit of what can be told apart. Alone in its process, because it depends on which runs are active.
#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod support;

use subcortex_engine::{
    Cancellation, Limits, ProcessEnding, ProcessLauncher, become_subreaper, cancellation,
};
use support::{Stage, fresh_prefix};

#[tokio::test]
async fn an_orphan_without_any_mark_dies_at_the_latest_with_the_last_run() {
    become_subreaper().unwrap();
    let launcher = ProcessLauncher::sweep_only(fresh_prefix()).unwrap();
    let (waiting, hiding) = (Stage::new(), Stage::new());
    let (canceller, cancellation) = cancellation();
    let limits = Limits::within_ms(60_000);
    let other = launcher.run(waiting.spec("nothing", "stay", limits), cancellation);
    let hidden = async {
        waiting.ready().await;
        let run = launcher.run(hiding.deaf_spec("no-marks", "leave", limits), Cancellation::never()).await;
        assert_eq!(run.unwrap().ending, ProcessEnding::Exited { code: 0 });
        canceller.cancel(subcortex_engine::CancelReason::Stopping, /*grace_ms*/ 0);
    };
    let (finished, ()) = tokio::join!(other, hidden);
    assert_eq!(finished.unwrap().still_alive, 0);
    assert_eq!(hiding.survivors(), Vec::<String>::new());
}
