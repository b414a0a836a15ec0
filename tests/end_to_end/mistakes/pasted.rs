//! What the README says works when it is pasted into a shell.

use std::process::Command;

use crate::support::{TestHome, binary};

const README: &str = include_str!("../../../README.md");

/// The block of shell commands that holds this.
fn block_with(part: &str) -> &'static str {
    README
        .split("```sh\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .find(|block| block.contains(part))
        .unwrap()
}

#[test]
fn the_worker_of_the_readme_sorts() {
    let user = tempfile::tempdir().unwrap();
    let path = format!("{}:/usr/bin:/bin", std::path::Path::new(binary()).parent().unwrap().display());
    let command = |program: &str| {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", &path).env("HOME", user.path()).current_dir(user.path());
        command
    };
    assert!(command(binary()).arg("init").output().unwrap().status.success());
    let mut run = command(binary());
    let daemon = TestHome::daemon_of(run.arg("run"));
    daemon.wait_for("daemon started");
    let pasted = command("sh").args(["-e", "-c", block_with("sort.sh")]).output().unwrap();
    let said = String::from_utf8_lossy(&pasted.stdout);
    assert!(pasted.status.success() && said.contains("UPDATED: 2 lines"), "{pasted:?}");
    let sorted = user.path().join(".subcortex/subconscious/sorter/sorted.txt");
    assert_eq!(std::fs::read_to_string(sorted).unwrap(), "apple\npear\n");
}
