//! Answers of tools.

use serde_json::{Value, json};

use super::{call, refusal, result};
use crate::case::Case;

const RESULT: &str = "user: tool_result";

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, tool, response) in [
        ("a page", "WebFetch", (|text| json!({"result": text, "code": 200})) as fn(&str) -> Value),
        ("a search", "WebSearch", |text| json!({"results": [text]})),
        ("output of a command", "Bash", |text| json!({"stdout": text, "stderr": ""})),
        ("a file", "Read", |text| json!({"file": {"content": text}})),
        ("a subagent's report", "Task", |text| json!({"content": [{"type": "text", "text": text}]})),
        ("a server's answer", "mcp__web__fetch", |text| json!({"content": text})),
        ("output that was stopped", "Bash", |text| json!({"stdout": text, "interrupted": true})),
    ] {
        cases.push(Case::claude(RESULT, name, move |text| {
            vec![
                call(tool, json!({})),
                result(format!("1→{text}\n{text}"), false, json!({"toolUseResult": response(text)})),
            ]
        }));
    }
    cases.push(Case::claude(RESULT, "an answer in blocks", |text| {
        vec![
            call("mcp__x__y", json!({})),
            result(json!([{"type": "text", "text": refusal(text)}]), true, json!({})),
        ]
    }));
    cases
}
