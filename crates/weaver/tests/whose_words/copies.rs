//! A session that was resumed or forked, and repeats what was said in another one.

use serde_json::{Value, json};
use subcortex_known_agents::{Agent, CLAUDE, CODEX, Options};

use crate::home::Home;

const LINE: &str = "pnpm";

/// A correction, which becomes a line when it is heard in two sessions.
fn claude(session: &str, day: u8) -> Vec<Value> {
    let record = |number: u8, kind: &str, content: Value| {
        json!({"type": kind, "sessionId": session, "uuid": format!("{day}-{number}"), "cwd": "/p", "isSidechain": false,
            "version": "2.1.325", "timestamp": format!("2026-03-{day:02}T10:00:0{number}.000Z"),
            "message": {"role": kind, "content": content}})
    };
    let call =
        json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "npm install lodash"}}]);
    vec![
        record(1, "user", json!("install lodash")),
        record(2, "assistant", call),
        record(3, "user", json!([{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}])),
        record(4, "user", json!("no, use pnpm instead of npm")),
        record(5, "assistant", json!([{"type": "text", "text": "ok"}])),
    ]
}

fn codex(heads: &[Value], day: u8) -> Vec<Value> {
    let heads = heads.iter().map(|meta| json!({"type": "session_meta", "payload": meta}));
    let said =
        |text: &str| json!({"type": "event_msg", "payload": {"type": "user_message", "message": text}});
    let call = json!({"type": "response_item", "payload": {"type": "function_call", "name": "shell", "call_id": "c1",
        "arguments": json!({"command": ["bash", "-lc", "npm install lodash"]}).to_string()}});
    let output = json!({"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c1", "output": "ok"}});
    let done = json!({"type": "event_msg", "payload": {"type": "agent_message", "message": "ok"}});
    let lines = [said("install lodash"), call, output, said("no, use pnpm instead of npm"), done];
    let stamped = heads.chain(lines).enumerate().map(|(number, mut line)| {
        line["timestamp"] = json!(format!("2026-03-{day:02}T10:00:0{number}.000Z"));
        line
    });
    stamped.collect()
}

fn head(id: &str) -> Value {
    json!({"id": id, "cwd": "/p", "source": "cli"})
}

fn is_remembered(agent: &'static Agent, files: &[Vec<Value>]) -> bool {
    let mut home = Home::new();
    for file in files {
        let (mut reader, mut drafts) = (agent.reader(Options::default()), Vec::new());
        for line in file {
            reader.line(line.to_string().as_bytes(), &mut drafts);
        }
        reader.finish(&mut drafts);
        home.hears(drafts);
    }
    home.weave();
    home.remembers(LINE)
}

#[test]
fn a_copy_of_a_session_says_nothing_a_second_time() {
    assert!(!is_remembered(&CLAUDE, &[claude("s1", 1)]));
    assert!(is_remembered(&CLAUDE, &[claude("s1", 1), claude("s2", 2)]), "two sessions");
    assert!(!is_remembered(&CLAUDE, &[claude("s1", 1), claude("s2", 1)]), "resumed");
    let mut forked = claude("s2", 1);
    for record in &mut forked {
        record["forkedFrom"] = json!({"sessionId": "s1", "messageUuid": record["uuid"]});
    }
    assert!(!is_remembered(&CLAUDE, &[claude("s1", 1), forked]), "forked");
}

#[test]
fn a_fork_of_codex_says_nothing_a_second_time() {
    let original = || codex(&[head("s1")], 1);
    let fork = |day| {
        codex(&[json!({"id": "s2", "cwd": "/p", "source": "cli", "forked_from_id": "s1"}), head("s1")], day)
    };
    assert!(!is_remembered(&CODEX, &[original()]));
    assert!(is_remembered(&CODEX, &[original(), codex(&[head("s2")], 2)]), "two sessions");
    let mut copied = fork(1);
    for (line, of) in copied[2..].iter_mut().zip(&original()[1..]) {
        line["timestamp"] = of["timestamp"].clone();
    }
    assert!(!is_remembered(&CODEX, &[original(), copied.clone()]), "forked");
    assert!(!is_remembered(&CODEX, &[copied, original()]), "the fork came first");
}
