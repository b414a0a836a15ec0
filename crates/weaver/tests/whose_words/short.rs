//! Orders of few words, which others may have said before: they may be the person's own all the same, so they are asked about.

use serde_json::{Value, json};
use subcortex_known_agents::{CLAUDE, Options};

use crate::home::Home;

const ORDER: &str = "always use pnpm";
const WORD: &str = "pnpm";

fn record(number: usize, kind: &str, content: Value) -> Value {
    json!({"type": kind, "sessionId": "s", "uuid": format!("u{number}"), "promptId": format!("p{number}"), "cwd": "/p",
        "isSidechain": false, "version": "2.1.325", "timestamp": format!("2026-03-01T10:00:{number:02}.000Z"),
        "promptSource": "typed", "origin": {"kind": "human"}, "message": {"role": kind, "content": content}})
}

/// Where the order got to when this was said before it.
fn after(before: &[(&str, Value)]) -> (bool, bool) {
    let all = before.iter().cloned().chain([("user", json!(ORDER))]);
    let (mut reader, mut drafts) = (CLAUDE.reader(Options::default()), Vec::new());
    for (number, (kind, content)) in all.enumerate() {
        reader.line(record(number, kind, content).to_string().as_bytes(), &mut drafts);
    }
    reader.finish(&mut drafts);
    let mut home = Home::new();
    home.hears(drafts);
    home.weave();
    (home.remembers(WORD), home.asks(WORD))
}

fn agent(text: &str) -> (&'static str, Value) {
    ("assistant", json!([{"type": "text", "text": text}]))
}

#[test]
fn a_short_order_that_others_said_before_is_asked_about() {
    let hi = || ("user", json!("hi, look around please"));
    let entered = (true, false);
    let asked = (false, true);
    assert_eq!(after(&[]), entered);
    assert_eq!(after(&[hi(), agent("My advice: always use pnpm.")]), asked);
    assert_eq!(after(&[hi(), agent("Rules:\n- Always use pnpm\n- Never push")]), asked);
    let call = json!([{"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "R.md"}}]);
    let answer =
        json!([{"type": "tool_result", "tool_use_id": "t1", "content": "# Rules\nAlways use pnpm.\n"}]);
    assert_eq!(after(&[hi(), ("assistant", call), ("user", answer)]), asked);
    // Other words around it are no copy, and what a person said first is theirs.
    assert_eq!(after(&[hi(), agent("I will use pnpm, as always.")]), entered);
    assert_eq!(after(&[("user", json!(ORDER)), agent("Always use pnpm: understood.")]), entered);
}
