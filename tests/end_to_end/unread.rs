//! What happened is read although tasks wait, and `status` says what is not read yet, what waits, and what is broken.

use crate::support::TestHome;

const WISH: &str = "From now on always use pnpm, not npm.";

fn tick(home: &TestHome) -> serde_json::Value {
    home.json(&["tick", "--partition", "memory-weaver", "--json"])["runs"][0].clone()
}

fn status(home: &TestHome) -> String {
    home.run(&["status"]).out
}

#[test]
fn a_task_that_asks_for_nothing_does_not_keep_what_was_said_from_being_read() {
    let tasks = [
        "For your information: its person may shorten it.",
        "hello there",
        "Wanted: a person takes one out. This task goes away by itself then.",
        "The heartbeat did nothing again.",
    ];
    for task in tasks {
        let home = TestHome::new();
        home.says("s1", WISH);
        home.says("s1", "ok");
        home.write("subconscious/memory-weaver/inbox/note.md", task);
        assert!(status(&home).contains("2 events not read yet"), "{}", status(&home));
        let run = tick(&home);
        let memory = std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap_or_default();
        assert!(memory.contains("pnpm, not npm"), "{task}: {run}");
        assert!(!status(&home).contains("not read yet"), "{}", status(&home));
    }
}

#[test]
fn a_memory_that_nobody_can_test_fills_no_inbox() {
    let home = TestHome::whole();
    let rules: String = (0..30).map(|n| format!("- Be kind to person {n}.\n")).collect();
    home.write("memory/CLAUDE.md", &rules);
    home.run(&["tick", "--partition", "cadence-executor"]);
    let inbox = home.json(&["inbox", "memory-weaver", "--json"]);
    assert_eq!(inbox, serde_json::json!([]));
}

#[test]
fn changes_that_wait_for_the_interval_are_told_with_their_time_and_a_task_releases_them() {
    let home = TestHome::new();
    home.says("s1", WISH);
    home.says("s1", "ok");
    tick(&home);
    home.says("s2", "Please always run `cargo fmt` before you commit.");
    home.says("s2", "ok");
    let run = tick(&home);
    assert_eq!(status(&home).matches("1 change waits until").count(), 1, "{run}\n{}", status(&home));
    assert!(status(&home).contains("at most one edit in 3 h"), "{}", status(&home));
    let until = |text: &str| text.split("waits until ").nth(1).map(|rest| rest[..5].to_owned());
    let before = until(&status(&home));
    // A scan is no wish for an edit: what waits still waits, and is still told.
    home.write("subconscious/memory-weaver/inbox/scan.md", "scan the spine");
    tick(&home);
    assert_eq!(until(&status(&home)), before, "{}", status(&home));
    home.write("subconscious/memory-weaver/inbox/edit.md", "update memory/CLAUDE.md");
    tick(&home);
    let memory = std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap();
    assert!(memory.contains("cargo fmt"), "{memory}");
    assert!(!status(&home).contains("waits until"), "{}", status(&home));
}

#[test]
fn broken_settings_hide_nothing_that_waits() {
    let home = TestHome::new();
    home.write("config/subcortex.yaml", "broadcast:\n  mode: propose\n");
    home.says("s1", WISH);
    home.says("s1", "ok");
    tick(&home);
    assert!(status(&home).contains("1 edit waits for your yes"), "{}", status(&home));
    let daemon = home.daemon();
    home.write("config/subcortex.yaml", "broadcast:\n  mood: propose\n");
    let said = status(&home);
    for part in ["1 edit waits for your yes", "settings: ", "mood", "correct config/subcortex.yaml"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    daemon.signal("TERM");
    daemon.end();
}
