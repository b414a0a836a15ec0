//! Builds turns from short scripts.
#![allow(clippy::unwrap_used, clippy::panic)]

use serde_json::{Value, json};
use subcortex_model::{Event, EventId, Source, Turn, Via};

/// Where the made-up project lies.
const PROJECT: &str = "/home/dev/app";

/// Builds a turn from a script, one step a line. `> text` the person, `< text` the agent, `$ command => answer` a command that
/// works, `! command => answer` one that fails, `+ path | content` a file written, `~ path | old | new` an edit, `? path` a file
/// read, `@ tool` a tool, `% branch` the branch from here on, `^ text` the person while the agent works. `\n` in a step is a line break.
pub(crate) fn turn(script: &str) -> Turn {
    let mut events: Vec<Event> = Vec::new();
    let mut branch = String::from("feat/x");
    for (number, line) in script.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
        let (mark, rest) = line.split_at(1);
        if mark == "%" {
            rest.trim().clone_into(&mut branch);
            continue;
        }
        for (kind, mut payload) in step(mark, rest, &format!("t{number}")) {
            payload["git_branch"] = json!(branch);
            events.push(event(kind, events.len(), &payload));
        }
    }
    Turn { session_key: "s".into(), events }
}

fn event(kind: &str, number: usize, payload: &Value) -> Event {
    Event {
        id: EventId::from_log(format!("e{number}")),
        ts: jiff::Timestamp::UNIX_EPOCH,
        event_type: kind.to_owned(),
        source: Source::of("claude"),
        session_key: Some("s".into()),
        turn: None,
        cwd: Some(PROJECT.into()),
        dedup: None,
        payload: payload.as_object().unwrap().clone(),
    }
}

fn step(mark: &str, rest: &str, id: &str) -> Vec<(&'static str, Value)> {
    let part = |text: &str| text.trim().replace("\\n", "\n");
    let parts: Vec<String> = rest.split(" | ").map(part).collect();
    let at = |number: usize| parts.get(number).cloned().unwrap_or_default();
    let path = format!("{PROJECT}/{}", at(0));
    let call = |tool: &str, input: Value| {
        ("agent.tool_use", json!({ "tool_name": tool, "input": input, "tool_use_id": id }))
    };
    match mark {
        ">" => vec![("channel.message", json!({ "text": part(rest) }))],
        "^" => vec![("channel.message", json!({ "text": part(rest), "via": Via::Queued.word() }))],
        "<" => vec![("agent.result", json!({ "text": part(rest) }))],
        "$" | "!" => {
            let (command, answer) = rest.split_once(" => ").unwrap_or((rest, "ok"));
            let answer = json!({ "tool_use_id": id, "is_error": mark == "!", "text": part(answer) });
            vec![call("Bash", json!({ "command": part(command) })), ("agent.tool_result", answer)]
        }
        "+" => vec![call("Write", json!({ "file_path": path, "content": at(1) }))],
        "~" => {
            vec![call("Edit", json!({ "file_path": path, "old_string": at(1), "new_string": at(2) }))]
        }
        "?" => vec![call("Read", json!({ "file_path": path }))],
        "@" => vec![call(&at(0), json!({}))],
        other => panic!("unknown mark {other}"),
    }
}
