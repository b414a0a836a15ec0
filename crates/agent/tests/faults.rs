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
use support::World;

const DONE: &str = r#"{"tool": "done", "args": {"summary": "NO-OP: nothing."}}"#;

#[tokio::test]
async fn a_file_is_old_or_new_whichever_disk_call_fails_and_the_run_goes_on() {
    for kind in FaultKind::ALL {
        for at_call in 1.. {
            let mut world = World::new();
            let disk = Arc::new(FaultyDisk::new(RealDisk, Fault { at_call, kind, then: Then::FromThenOn }));
            world.tools.disk = Arc::clone(&disk) as _;
            let before = world.surroundings();
            let call =
                json!({"tool": "write_file", "args": {"path": "known.md", "content": "new"}}).to_string();
            let (worked, state) = world.hear([call.as_str(), DONE]).await;
            assert_eq!((worked.exit, worked.steps), (Exit::Completed, 2), "{kind:?} {at_call}");
            let content = std::fs::read_to_string(world.root().join("known.md")).unwrap();
            let is_told = state.notes.starts_with("[TOOL] write_file: wrote 3 bytes");
            assert!(is_told || state.notes.starts_with("[TOOL ERROR] write_file: "), "{}", state.notes);
            assert!(
                content == "new" || (content == "what is known" && !is_told),
                "{kind:?} {at_call}: {content}"
            );
            assert_eq!(world.surroundings(), before, "{kind:?} {at_call}");
            if !disk.was_reached() {
                assert!(is_told && at_call > 3, "every call has had its turn");
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
        state.notes.starts_with("[TOOL ERROR] http_get: it was not done after 20 ms\n"),
        "{}",
        state.notes
    );
}
