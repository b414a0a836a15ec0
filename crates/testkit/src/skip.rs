//! Tests that lack something they need.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "only tests use it: they stop at the first surprise, and the file of skips is no file of a home"
)]

use std::fs::File;
use std::io::Write as _;
use std::process::Command;

/// Names the file in which `cargo xtask test` looks for skipped tests.
const SKIPS: &str = "SUBCORTEX_TEST_SKIPS";

/// Reports a test as skipped, with the reason; libtest alone would count it as passed.
pub fn skip(test: &str, reason: &str) {
    let line = format!("SKIPPED {test}: {reason}\n");
    print!("{line}");
    if let Some(path) = std::env::var_os(SKIPS) {
        let mut file = File::options().append(true).create(true).open(path).unwrap();
        file.write_all(line.as_bytes()).unwrap();
    }
}

/// Whether a program is there; if not, the test is reported as skipped.
pub fn has_program(test: &str, program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        skip(test, &format!("the program `{program}` is missing"));
    }
    found
}
