//! Child processes for tests: this test binary again, with one test in it as the child's program.

#![allow(clippy::disallowed_methods)]

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Set in a child: the path that it works on.
const CHILD_PATH: &str = "STORE_TEST_CHILD_PATH";

/// A command that runs one test (`real::tests::child_of_…`) in a process of its own, with a path to work on.
pub(crate) fn command(test: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(CHILD_PATH, path);
    command
}

/// Runs one test in a process of its own and fails as it fails.
#[track_caller]
pub(crate) fn run(test: &str, path: &Path) {
    let output = command(test, path).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{}\n{text}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
}

/// In a child: the path to work on. `None` when the test was started by the test runner.
pub(crate) fn path_in_child() -> Option<OsString> {
    std::env::var_os(CHILD_PATH)
}
