//! What a person reads when a program cannot be started.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests write files and stop at the first surprise"
)]

mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use subcortex_engine::{Cancellation, CommandSpec, Limits, ProcessEnding, ProcessLauncher};
use support::{Stage, fresh_prefix, groups_of, spec};

fn write_file(dir: &Path, name: &str, content: &str, mode: u32) {
    let path = dir.join(name);
    std::fs::write(&path, content).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
}

async fn check(change: impl FnOnce(&mut CommandSpec), expect: &str) {
    let stage = Stage::new();
    write_file(stage.path(), "work.sh", "#!/bin/sh\necho worked\n", 0o755);
    write_file(stage.path(), "plain.sh", "#!/bin/sh\n", 0o644);
    write_file(stage.path(), "bare.sh", "echo worked\n", 0o755);
    write_file(stage.path(), "lost.sh", "#!/no/such/interpreter\n", 0o755);
    let mut spec = spec("./work.sh", &[], stage.path(), Limits::within_ms(60_000));
    change(&mut spec);
    let prefix = fresh_prefix();
    let launcher = ProcessLauncher::new(prefix.clone()).unwrap();
    let message = match launcher.run(spec, Cancellation::never()).await {
        Ok(finished) => format!("{:?} {}", finished.ending, finished.stdout.text_lossy()),
        Err(error) => error.to_string().replace(stage.path().to_str().unwrap(), "DIR"),
    };
    assert_eq!(message, expect);
    assert_eq!(groups_of(&prefix), Vec::<std::path::PathBuf>::new());
}

#[tokio::test]
async fn a_relative_program_starts_at_the_working_directory() {
    let worked = format!("{:?} worked\n", ProcessEnding::Exited { code: 0 });
    check(|_| {}, &worked).await;
    check(|spec| spec.program = spec.cwd.join("work.sh"), &worked).await;
}

#[tokio::test]
async fn a_script_that_names_no_interpreter_is_run_by_the_shell() {
    check(
        |spec| spec.program = "./bare.sh".into(),
        &format!("{:?} worked\n", ProcessEnding::Exited { code: 0 }),
    )
    .await;
}

#[tokio::test]
async fn a_missing_program_is_named_with_its_full_path() {
    check(
        |spec| spec.program = "./gone.sh".into(),
        "cannot start `DIR/gone.sh`: there is no such file\n\
         hint: create it, or correct the command; a path without a leading `/` starts at the working directory",
    )
    .await;
    check(
        |spec| spec.program = "work.sh".into(),
        "cannot start `work.sh`: it is in no directory of PATH (/usr/local/bin:/usr/bin:/bin)\n\
         hint: install it, write its full path, or write `./work.sh` for a file in the working directory",
    )
    .await;
    check(
        |spec| {
            spec.program = "sh".into();
            spec.env.clear();
        },
        "cannot start `sh`: it is in no directory of PATH (not set)\n\
         hint: install it, write its full path, or write `./sh` for a file in the working directory",
    )
    .await;
}

#[tokio::test]
async fn a_file_that_cannot_be_executed_says_what_it_lacks() {
    check(
        |spec| spec.program = "./plain.sh".into(),
        "cannot start `DIR/plain.sh`: it is not an executable file\n\
         hint: if it is a script, run `chmod +x DIR/plain.sh`",
    )
    .await;
    check(
        |spec| spec.program = "./lost.sh".into(),
        "cannot start `DIR/lost.sh`: the interpreter or loader that it names does not exist\n\
         hint: look at its first line (`#!…`): the path after `#!` must exist on this machine",
    )
    .await;
    check(
        |spec| spec.program = "./".into(),
        "cannot start `DIR`: it is not an executable file\nhint: if it is a script, run `chmod +x DIR`",
    )
    .await;
}

#[tokio::test]
async fn a_bad_working_directory_says_what_is_wrong_with_it() {
    let hint = "hint: the working directory must be an existing directory, given with its full path, that this user may enter";
    check(|spec| spec.cwd.push("gone"), &format!("cannot run in `DIR/gone`: it does not exist\n{hint}"))
        .await;
    check(
        |spec| spec.cwd.push("work.sh"),
        &format!("cannot run in `DIR/work.sh`: it is not a directory\n{hint}"),
    )
    .await;
    check(
        |spec| spec.cwd = "here".into(),
        &format!("cannot run in `here`: it is not an absolute path\n{hint}"),
    )
    .await;
}

#[tokio::test]
async fn what_the_kernel_cannot_pass_on_is_refused() {
    let hint = "hint: hand large or binary input over on standard input";
    check(
        |spec| spec.args.push("a\0b".into()),
        &format!("cannot start `DIR/work.sh`: arguments or environment contain a zero byte\n{hint}"),
    )
    .await;
    check(
        |spec| spec.args.push("x".repeat(10_000_000).into()),
        &format!(
            "cannot start `DIR/work.sh`: arguments and environment are larger than the system allows\n{hint}"
        ),
    )
    .await;
}

#[tokio::test]
async fn a_run_id_that_could_leave_its_directory_is_refused() {
    check(
        |spec| spec.run_id = "../x".into(),
        "run id `../x` cannot be used: 1 to 128 letters, digits, `.`, `_`, `-`\n\
         hint: this is a fault of the caller, please report it",
    )
    .await;
}
