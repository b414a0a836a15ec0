//! A program that may change files only below its folders.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests write files and stop at the first surprise"
)]

mod support;

use std::os::unix::fs::symlink;
use std::path::Path;

use subcortex_engine::{
    Cancellation, CommandSpec, Finished, Launcher, Limits, ProcessEnding, ProcessLauncher, StartError,
};
use support::{Stage, fresh_prefix, spec};

const LIMIT_MS: u64 = 60_000;

fn launcher() -> ProcessLauncher {
    ProcessLauncher::new(fresh_prefix()).unwrap()
}

/// A stage with two folders: `inside`, where the program runs, and `outside`, with a file and a folder.
fn stage() -> Stage {
    let stage = Stage::new();
    for folder in ["inside", "outside", "outside/folder"] {
        std::fs::create_dir(stage.path().join(folder)).unwrap();
    }
    std::fs::write(stage.path().join("outside/file"), "old").unwrap();
    std::fs::write(stage.path().join("inside/mine"), "mine").unwrap();
    symlink("../outside", stage.path().join("inside/link")).unwrap();
    stage
}

fn fenced(dir: &Path, script: &str) -> CommandSpec {
    let cwd = dir.join("inside");
    CommandSpec {
        writable: Some(vec![cwd.clone()]),
        ..spec("sh", &["-c", script], &cwd, Limits::within_ms(LIMIT_MS))
    }
}

async fn run(stage: &Stage, script: &str) -> Finished {
    launcher().run(fenced(stage.path(), script), Cancellation::never()).await.unwrap()
}

#[tokio::test]
async fn inside_everything_works_and_reading_works_everywhere() {
    let stage = stage();
    let script = "echo new > mine && mkdir -p a/b && mv mine a/b/ && ln a/b/mine twin && ln -s /etc s && rm twin s && mkfifo f \
                  && : > /dev/null && cat ../outside/file && (echo child > grandchild) && cat a/b/mine";
    let finished = run(&stage, script).await;
    assert_eq!(finished.ending, ProcessEnding::Exited { code: 0 }, "{}", finished.stderr.text_lossy());
    assert_eq!(finished.stdout.text_lossy(), "oldnew\n");
}

#[tokio::test]
async fn nothing_outside_can_be_changed() {
    for script in [
        "echo new > ../outside/file",
        "echo new >> ../outside/file",
        "echo new > link/file",
        "echo new > ../outside/other",
        "mkdir ../outside/other",
        "rmdir ../outside/folder",
        "rm -f ../outside/file",
        "mv ../outside/file .",
        "mv mine ../outside/",
        "ln ../outside/file twin",
        "ln mine ../outside/twin",
        "ln -s x ../outside/link",
        "truncate -s 0 ../outside/file",
        "dd if=/dev/null of=../outside/file",
        "mkfifo ../outside/fifo",
        "cp mine ../outside/",
        "tee ../outside/file < mine",
        "(setsid sh -c 'echo new > ../outside/file')",
        "mknod disk b 7 0",
        "mknod zero c 1 5",
        "mount --bind . ../outside",
        "touch ../inside-too",
        "rmdir ../inside || mv ../inside ../moved",
    ] {
        let stage = stage();
        let finished = run(&stage, script).await;
        let exited_well = finished.ending == ProcessEnding::Exited { code: 0 };
        assert!(!exited_well, "{script}: {}", finished.stdout.text_lossy());
        assert_eq!(std::fs::read_to_string(stage.path().join("outside/file")).unwrap(), "old", "{script}");
        let mut names: Vec<_> = std::fs::read_dir(stage.path().join("outside"))
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["file", "folder"], "{script}");
        assert_eq!(std::fs::read_dir(stage.path()).unwrap().count(), 2, "{script}");
    }
}

#[tokio::test]
async fn the_same_script_without_a_fence_reaches_outside() {
    let stage = stage();
    let spec = CommandSpec { writable: None, ..fenced(stage.path(), "echo new > ../outside/file") };
    launcher().run(spec, Cancellation::never()).await.unwrap();
    assert_eq!(std::fs::read_to_string(stage.path().join("outside/file")).unwrap(), "new\n");
}

#[tokio::test]
async fn a_fence_without_folders_lets_nothing_be_changed() {
    let stage = stage();
    let spec = CommandSpec { writable: Some(Vec::new()), ..fenced(stage.path(), "echo new > mine") };
    let finished = launcher().launch(spec, Cancellation::never()).await.unwrap();
    assert_ne!(finished.ending, ProcessEnding::Exited { code: 0 });
    assert_eq!(std::fs::read_to_string(stage.path().join("inside/mine")).unwrap(), "mine");
}

#[tokio::test]
async fn a_fence_around_a_folder_that_is_not_there_starts_nothing() {
    let stage = stage();
    let missing = stage.path().join("missing");
    let spec = CommandSpec { writable: Some(vec![missing]), ..fenced(stage.path(), "echo new > mine") };
    let error = launcher().run(spec, Cancellation::never()).await.unwrap_err();
    assert!(matches!(error, StartError::CannotConfine { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(stage.path().join("inside/mine")).unwrap(), "mine");
}

#[tokio::test]
async fn a_fenced_program_is_ended_like_any_other() {
    let stage = stage();
    let limits = Limits { deadline_grace_ms: 50, ..Limits::within_ms(100) };
    let spec = CommandSpec { limits, ..fenced(stage.path(), "trap '' TERM; setsid sleep 600 & sleep 600") };
    let finished = launcher().run(spec, Cancellation::never()).await.unwrap();
    assert_eq!((finished.ending, finished.still_alive), (ProcessEnding::DeadlineReached, 0));
}

#[tokio::test]
async fn processes_outside_get_no_signals_from_inside_where_the_kernel_knows_how() {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers =
        release.split(|letter: char| !letter.is_ascii_digit()).map(|part| part.parse::<u32>().unwrap_or(0));
    let knows_how = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (6, 12);
    let finished = run(&stage(), "sleep 60 & kill $! && echo ours; kill -0 $PPID && echo theirs").await;
    let expect = if knows_how { "ours\n" } else { "ours\ntheirs\n" };
    assert_eq!(finished.stdout.text_lossy(), expect, "{release}");
}
