//! How runs end, and what the report says.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests write files and stop at the first surprise"
)]

mod support;

use std::collections::BTreeMap;
use std::time::Duration;

use subcortex_engine::{
    Cancellation, CommandSpec, Launcher, Limits, ProcessEnding, ProcessLauncher, RUN_GROUP_VARIABLE,
    RUN_ID_VARIABLE, cancellation,
};
use support::{Stage, fresh_prefix, run_shell, spec};

fn launcher() -> ProcessLauncher {
    ProcessLauncher::new(fresh_prefix()).unwrap()
}

async fn check(script: &str, ending: ProcessEnding, stdout: &str) {
    let finished = run_shell(&launcher(), script, Vec::new()).await;
    assert_eq!((finished.ending, finished.stdout.text_lossy().as_str()), (ending, stdout), "{script}");
    assert!(finished.stdout.reached_end());
}

async fn wait_for(stage: &Stage, name: &str) {
    while !stage.path().join(name).exists() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_program_that_ends_by_itself_is_reported_with_its_code_or_signal() {
    check("echo fine", ProcessEnding::Exited { code: 0 }, "fine\n").await;
    check("exit 7", ProcessEnding::Exited { code: 7 }, "").await;
    check("kill -9 $$", ProcessEnding::Signalled { signal: 9 }, "").await;
    check("kill -TERM $$", ProcessEnding::Signalled { signal: 15 }, "").await;
}

#[tokio::test]
async fn what_a_program_left_running_is_ended_after_it() {
    let finished =
        run_shell(&launcher(), "trap '' TERM; sleep 600 & sleep 600 & echo left", Vec::new()).await;
    assert_eq!(finished.ending, ProcessEnding::Exited { code: 0 });
    assert_eq!(finished.stdout.text_lossy(), "left\n");
    assert_eq!((finished.survivors_killed, finished.still_alive), (2, 0));
}

#[tokio::test]
async fn a_program_that_obeys_at_its_deadline_may_say_goodbye() {
    let stage = Stage::new();
    let script = "trap 'echo bye; exit 0' TERM; while :; do sleep 0.01; done";
    let spec = spec("sh", &["-c", script], stage.path(), Limits::within_ms(300));
    let finished = launcher().run(spec, Cancellation::never()).await.unwrap();
    assert_eq!(finished.ending, ProcessEnding::DeadlineReached);
    assert_eq!(finished.stdout.text_lossy(), "bye\n");
    assert_eq!(finished.survivors_killed, 0);
}

#[tokio::test]
async fn a_cancellation_cuts_the_grace_of_a_deadline_short() {
    let stage = Stage::new();
    let script = "trap 'echo > termed' TERM; while :; do sleep 0.01; done";
    let limits = Limits { deadline_grace_ms: 3_600_000, ..Limits::within_ms(100) };
    let (canceller, cancellation) = cancellation();
    let order = async {
        wait_for(&stage, "termed").await;
        canceller.cancel(subcortex_engine::CancelReason::Paused, 0);
    };
    let launcher = launcher();
    let run = launcher.run(spec("sh", &["-c", script], stage.path(), limits), cancellation);
    let (finished, ()) = tokio::join!(run, order);
    assert_eq!(finished.unwrap().ending, ProcessEnding::DeadlineReached);
}

#[tokio::test]
async fn a_run_that_is_cancelled_says_why() {
    let stage = Stage::new();
    let (canceller, cancellation) = cancellation();
    let order = async {
        stage.ready().await;
        canceller.cancel(subcortex_engine::CancelReason::Paused, 500);
    };
    let launcher = launcher();
    let run = launcher.run(stage.spec("own-session", "stay", Limits::within_ms(60_000)), cancellation);
    let (finished, ()) = tokio::join!(run, order);
    assert_eq!(
        finished.unwrap().ending,
        ProcessEnding::Cancelled { reason: subcortex_engine::CancelReason::Paused }
    );
    assert_eq!(stage.survivors(), Vec::<String>::new());
}

#[tokio::test]
async fn nothing_is_started_once_the_order_to_end_is_there() {
    let stage = Stage::new();
    let (canceller, cancellation) = cancellation();
    canceller.cancel(subcortex_engine::CancelReason::Paused, 500);
    let spec = spec("sh", &["-c", "echo > started"], stage.path(), Limits::within_ms(60_000));
    let finished = launcher().run(spec, cancellation).await.unwrap();
    assert_eq!(finished.ending, ProcessEnding::Cancelled { reason: subcortex_engine::CancelReason::Paused });
    assert!(!stage.path().join("started").exists());
}

#[tokio::test]
async fn dropping_a_run_ends_it_at_once() {
    for launcher in [launcher(), ProcessLauncher::sweep_only(fresh_prefix()).unwrap()] {
        let stage = Stage::new();
        let spec = stage.spec("double-fork", "stay", Limits::within_ms(60_000));
        tokio::select! {
            finished = launcher.run(spec, Cancellation::never()) => panic!("{finished:?}"),
            () = stage.ready() => {}
        }
        assert_eq!(stage.survivors(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn the_environment_is_what_was_passed_and_the_marks_of_the_run() {
    let stage = Stage::new();
    let env = BTreeMap::from([("PATH".into(), "/usr/bin:/bin".into()), ("LANG".into(), "C".into())]);
    let spec = CommandSpec { env, ..spec("env", &[], stage.path(), Limits::within_ms(60_000)) };
    let finished = launcher().run(spec, Cancellation::never()).await.unwrap();
    let text = finished.stdout.text_lossy();
    let mut names: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.sort_unstable();
    assert_eq!(names, ["LANG", "PATH", RUN_GROUP_VARIABLE, RUN_ID_VARIABLE]);
    assert!(text.contains("SUBCORTEX_RUN_ID=run-1\n"));
}

#[tokio::test]
async fn a_program_has_no_terminal_and_leads_its_session() {
    check("(exec </dev/tty) 2>/dev/null || echo none", ProcessEnding::Exited { code: 0 }, "none\n").await;
    check(
        "read -r p c s pp g sid rest < /proc/$$/stat; [ $sid = $$ ] && echo leads",
        ProcessEnding::Exited { code: 0 },
        "leads\n",
    )
    .await;
}

#[tokio::test]
async fn a_stand_in_can_take_the_place_of_the_launcher() {
    let stage = Stage::new();
    let launcher: Box<dyn Launcher> = Box::new(launcher());
    let spec = spec("true", &[], stage.path(), Limits::within_ms(60_000));
    let finished = launcher.launch(spec, Cancellation::never()).await.unwrap();
    assert_eq!(finished.ending, ProcessEnding::Exited { code: 0 });
}

#[test]
fn a_program_outlives_the_thread_that_asked_for_it() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let launcher = launcher();
    let stage = Stage::new();
    let script = "echo > ready; while ! [ -e go ]; do sleep 0.01; done; echo done";
    let spec = spec("sh", &["-c", script], stage.path(), Limits::within_ms(60_000));
    let mut run = launcher.launch(spec, Cancellation::never());
    std::thread::scope(|scope| {
        let asking = || {
            runtime.block_on(async {
                tokio::select! {
                    finished = &mut run => panic!("{finished:?}"),
                    () = stage.ready() => {}
                }
            });
        };
        scope.spawn(asking).join().unwrap();
    });
    // The kernel has killed by now whatever depended on that thread.
    std::fs::write(stage.path().join("go"), "").unwrap();
    let finished = runtime.block_on(run).unwrap();
    assert_eq!(finished.ending, ProcessEnding::Exited { code: 0 });
    assert_eq!(finished.stdout.text_lossy(), "done\n");
}
