//! The loop and a blackboard: a page counts as fetched when it came, and entries go out as the model wrote them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests stop at the first surprise")]

mod support;

use std::sync::{Arc, Mutex};

use serde_json::json;
use subcortex_agent::Blackboard;
use support::World;

/// Writes down what it is told.
#[derive(Debug, Default)]
struct Listener {
    fetched: Mutex<Vec<String>>,
    entries: Mutex<Vec<String>>,
}

impl Blackboard for Listener {
    fn read(&self) -> Result<String, String> {
        Ok("goal: g".into())
    }

    fn append(&self, entry: &str) -> Result<String, String> {
        self.entries.lock().unwrap().push(entry.to_owned());
        Err("not now".into())
    }

    fn fetched(&self, url: &str) {
        self.fetched.lock().unwrap().push(url.to_owned());
    }
}

#[tokio::test]
async fn only_pages_that_came_are_fetched_and_a_refusal_is_a_note() {
    let mut world = World::new();
    let listener = Arc::new(Listener::default());
    world.tools.blackboard = Some(Arc::clone(&listener) as Arc<dyn Blackboard>);
    let call = |tool: &str, args: serde_json::Value| json!({"tool": tool, "args": args}).to_string();
    let answers = vec![
        call("http_get", json!({"url": "https://example.org/page"})),
        call("http_get", json!({"url": "http://10.0.0.1/"})),
        call("blackboard_read", json!({})),
        call("blackboard_append", json!({"entry": {"kind": "PENDING"}})),
        call("blackboard_append", json!({"entry": "PENDING"})),
    ];
    let (_, state) = world.hear(answers).await;
    assert_eq!(*listener.fetched.lock().unwrap(), ["https://example.org/page"]);
    assert_eq!(*listener.entries.lock().unwrap(), [r#"{"kind":"PENDING"}"#]);
    for note in
        ["[TOOL] blackboard_read({}) → goal: g", "→ not now", "`entry` must be an object, and is a text"]
    {
        assert!(state.notes.contains(note), "{}", state.notes);
    }
}
