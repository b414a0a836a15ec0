//! Input and output: bounded, complete where promised, and never a reason to hang.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests write files and stop at the first surprise"
)]

mod support;

use std::time::Duration;

use subcortex_engine::{Cancellation, Captured, Limits, ProcessEnding, ProcessLauncher};
use support::{Stage, fresh_prefix, run_shell, spec};

/// More than fits into any pipe.
const LARGE_BYTES: usize = 10 * 1024 * 1024;

fn launcher() -> ProcessLauncher {
    ProcessLauncher::new(fresh_prefix()).unwrap()
}

async fn stdout_of(script: &str, stdin: Vec<u8>) -> Captured {
    let finished = run_shell(&launcher(), script, stdin).await;
    assert_eq!(finished.ending, ProcessEnding::Exited { code: 0 }, "{script}");
    assert!(finished.stdout.reached_end());
    finished.stdout
}

#[tokio::test]
async fn input_reaches_the_program_and_ends() {
    assert_eq!(stdout_of("cat; echo end", b"task\n".to_vec()).await.text_lossy(), "task\nend\n");
    assert_eq!(stdout_of("cat; echo end", Vec::new()).await.text_lossy(), "end\n");
}

#[tokio::test]
async fn input_that_is_never_read_does_not_hold_up_the_run() {
    let large = vec![b'x'; LARGE_BYTES];
    assert_eq!(stdout_of("echo ignored", large.clone()).await.text_lossy(), "ignored\n");
    assert_eq!(stdout_of("exec 0<&-; echo closed", large.clone()).await.text_lossy(), "closed\n");
    let stage = Stage::new();
    let mut spec = spec("sleep", &["600"], stage.path(), Limits::within_ms(300));
    spec.stdin = large;
    let finished = launcher().run(spec, Cancellation::never()).await.unwrap();
    assert_eq!(finished.ending, ProcessEnding::DeadlineReached);
}

#[tokio::test]
async fn large_input_and_large_output_at_once_do_not_block_each_other() {
    let echoed = stdout_of("cat", vec![b'x'; LARGE_BYTES]).await;
    assert_eq!(echoed.total_bytes(), LARGE_BYTES as u64);
}

#[tokio::test]
async fn both_outputs_are_kept_apart() {
    let finished = run_shell(&launcher(), "echo out; echo err >&2", Vec::new()).await;
    assert_eq!(
        (finished.stdout.text_lossy(), finished.stderr.text_lossy()),
        ("out\n".into(), "err\n".into())
    );
}

#[tokio::test]
async fn long_output_is_cut_in_the_middle_and_keeps_its_last_line() {
    let script = "echo first; head -c 2000000 /dev/zero | tr '\\0' x; echo; echo UPDATED: last";
    let output = stdout_of(script, Vec::new()).await;
    assert_eq!(output.total_bytes(), 6 + 2_000_000 + 1 + 14);
    assert_eq!(output.dropped_bytes(), output.total_bytes() - 320 * 1024);
    assert_eq!(output.last_line_lossy().as_deref(), Some("UPDATED: last"));
    let text = output.text_lossy();
    assert!(text.starts_with("first\n") && text.contains("\n[... 1674389 bytes left out ...]\n"));
}

#[tokio::test]
async fn output_that_is_no_text_is_tolerated() {
    let output = stdout_of("printf 'a\\377\\376b\\000c'", Vec::new()).await;
    assert_eq!(output.complete_bytes().unwrap(), b"a\xff\xfeb\0c");
    assert_eq!(output.text_lossy(), "a\u{fffd}\u{fffd}b\0c");
}

#[tokio::test]
async fn an_outsider_who_holds_the_output_open_does_not_hold_up_the_run() {
    let stage = Stage::new();
    let script = "echo said; echo $$ > pid; mv pid ready; while ! [ -e go ]; do sleep 0.01; done";
    let launcher = launcher();
    let spec = spec("sh", &["-c", script], stage.path(), Limits::within_ms(60_000));
    let outsider = async {
        stage.ready().await;
        let pid = std::fs::read_to_string(stage.path().join("ready")).unwrap();
        let path = format!("/proc/{}/fd/1", pid.trim());
        let held = std::fs::OpenOptions::new().write(true).open(path).unwrap();
        std::fs::write(stage.path().join("go"), "").unwrap();
        held
    };
    let (finished, held) = tokio::join!(launcher.run(spec, Cancellation::never()), outsider);
    let finished = finished.unwrap();
    assert_eq!(finished.ending, ProcessEnding::Exited { code: 0 });
    assert_eq!(finished.stdout.text_lossy(), "said\n");
    assert!(!finished.stdout.reached_end());
    drop(held);
}

#[tokio::test]
async fn a_run_that_only_writes_still_obeys_its_deadline() {
    let stage = Stage::new();
    let spec = spec("yes", &[], stage.path(), Limits { deadline_grace_ms: 0, ..Limits::within_ms(300) });
    let run = launcher().run(spec, Cancellation::never()).await;
    assert_eq!(run.unwrap().ending, ProcessEnding::DeadlineReached);
    // The runtime is still responsive afterwards.
    tokio::time::sleep(Duration::from_millis(1)).await;
}
