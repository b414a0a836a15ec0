//! Tools on a bad day: a disk that fails at any call, and a network that does not answer.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests read files and stop at the first surprise"
)]

mod support;

use std::sync::Arc;

use serde_json::json;
use subcortex_agent::{Exit, Fetch, Fetching};
use subcortex_store::{Fault, FaultKind, FaultyDisk, RealDisk, Then};
use support::{FOREIGN, World};

const DONE: &str = r#"{"tool": "done", "args": {"summary": "NO-OP: nothing."}}"#;

#[tokio::test]
async fn a_file_is_old_or_new_whichever_disk_call_fails_and_the_run_goes_on() {
    for kind in FaultKind::ALL {
        for path in ["known.md", "new/folder/a.md"] {
            for at_call in 1.. {
                if !check_fault(path, Fault { at_call, kind, then: Then::FromThenOn }).await {
                    assert!(at_call > 5, "every call has had its turn");
                    break;
                }
            }
        }
    }
}

/// Writes a file on a disk with a fault. Says whether the fault happened.
async fn check_fault(path: &str, fault: Fault) -> bool {
    let mut world = World::new();
    let disk = Arc::new(FaultyDisk::new(RealDisk, fault));
    world.tools.disk = Arc::clone(&disk) as _;
    let before = world.surroundings();
    let content = || std::fs::read_to_string(world.root().join(path)).ok();
    let old = content();
    let call = json!({"tool": "write_file", "args": {"path": path, "content": "new"}}).to_string();
    let (worked, state) = world.hear([call.as_str(), DONE]).await;
    assert_eq!((worked.exit, worked.steps), (Exit::Completed, 2), "{fault:?}");
    let plain = support::without_args(&state.notes);
    let note = plain.lines().next().unwrap();
    let is_told = note == format!("[TOOL] write_file: wrote 3 bytes to {path}");
    assert!(is_told || note.starts_with("[TOOL ERROR] write_file: "), "{note}");
    assert!(!note.contains("/proc/"), "{note}");
    assert!(content().as_deref() == Some("new") || (content() == old && !is_told), "{fault:?}");
    assert_eq!(world.surroundings(), before, "{fault:?}");
    disk.was_reached()
}

/// Somebody exchanges a folder for a link to another one, right before each call on the disk in turn.
#[tokio::test]
async fn a_folder_that_becomes_a_link_meanwhile_leads_nowhere() {
    for tool in ["write_file", "read_file"] {
        for at_call in 1.. {
            let mut world = World::new();
            let (folder, outside) = (world.root().join("a/b"), world.top().join("outside"));
            support::write(&folder.join("passwd"), "what is known");
            let moved = world.root().join("moved");
            let exchange = move || {
                std::fs::rename(&folder, &moved).unwrap();
                std::os::unix::fs::symlink(&outside, &folder).unwrap();
            };
            let disk = Arc::new(FaultyDisk::interrupted(RealDisk, at_call, exchange));
            world.tools.disk = Arc::clone(&disk) as _;
            let before = world.surroundings();
            let args = match tool {
                "write_file" => json!({"path": "a/b/passwd", "content": "mine"}),
                _ => json!({"path": "a/b/passwd"}),
            };
            let call = json!({"tool": tool, "args": args}).to_string();
            let (_, state, told) = world.converse([call.as_str(), DONE]).await;
            assert_eq!(world.surroundings(), before, "{at_call}: {:#?}", disk.log());
            assert!(!told.contains(FOREIGN), "{at_call}: {}", state.notes);
            if disk.call_count() < at_call {
                break;
            }
        }
    }
}

/// A stand-in for a page that never comes.
#[derive(Debug)]
struct Silent;

impl Fetch for Silent {
    fn get<'a>(&'a self, _: &'a str) -> Fetching<'a> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_page_that_does_not_come_in_time_is_given_up() {
    let mut world = World::new();
    world.tools.fetch = Arc::new(Silent);
    world.tools.step_limit_ms = 20;
    let call = json!({"tool": "http_get", "args": {"url": "https://example.org/"}}).to_string();
    let (worked, state) = world.hear([call.as_str(), DONE]).await;
    assert_eq!(worked.exit, Exit::Completed);
    assert!(
        support::without_args(&state.notes)
            .starts_with("[TOOL ERROR] http_get: it was not done after 20 ms\n"),
        "{}",
        state.notes
    );
}
