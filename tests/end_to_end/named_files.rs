//! Files that a person names and somebody else may have made: nothing waits for them, and nothing of them reaches the terminal as a command.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::TestHome;

/// A command that waits for a file waits for ever.
const MAX_DURATION: Duration = Duration::from_secs(20);

fn ends(home: &TestHome, args: &[&str]) -> i32 {
    let mut child = home.command(args).stdin(std::process::Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() && begun.elapsed() < MAX_DURATION {
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(child.kill()); // it has ended, or it waits for ever
    child.wait().unwrap().code().unwrap_or_else(|| panic!("{args:?} waits for ever"))
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let home = TestHome::new();
    let fifo = home.path("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    for file in [fifo.to_str().unwrap(), "/dev/zero"] {
        assert_eq!(ends(&home, &["check", "--file", file]), 2, "{file}");
        assert_eq!(ends(&home, &["drop", "memory-weaver", file]), 2, "{file}");
        assert_eq!(ends(&home, &["adopt", file]), 2, "{file}");
        assert_eq!(ends(&home, &["init", "--from", file]), 2, "{file}");
        assert_eq!(ends(&home, &["audit", file]), 2, "{file}");
        assert_ne!(ends(&home, &["import", "claude", file]), 0, "{file}");
    }
}

#[test]
fn what_a_file_imports_is_named_without_its_control_characters() {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", "- Keep functions small.\n");
    std::fs::create_dir_all(home.path("project/.git")).unwrap();
    home.write("project/AGENTS.md", "- Use tabs.\n\n@docs/\u{1b}]0;x\u{7}\u{1b}[2J.md\n");
    let said = home.run(&["adopt", home.path("project/AGENTS.md").to_str().unwrap()]);
    assert!(!said.err.contains('\u{1b}') && !said.out.contains('\u{1b}'), "{said:?}");
    assert!(said.err.contains("\\u{1b}]0;x"), "{said:?}");
}
