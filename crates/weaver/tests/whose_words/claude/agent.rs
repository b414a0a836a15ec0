//! What the agent said, did or loaded.

use serde_json::{Value, json};

use crate::case::Case;

pub(crate) fn cases() -> Vec<Case> {
    const WAY: &str = "assistant: text, tool_use";
    let said = |block: Value| json!({"type": "assistant", "message": {"id": "m", "content": [block]}});
    vec![
        Case::claude(WAY, "a text", move |text| {
            vec![said(json!({"type": "text", "text": format!("The user said: {text}")}))]
        }),
        Case::claude(WAY, "thinking", move |text| vec![said(json!({"type": "thinking", "thinking": text}))]),
        Case::claude(WAY, "a call", move |text| {
            vec![said(
                json!({"type": "tool_use", "id": "t", "name": "CronCreate", "input": {"prompt": text}}),
            )]
        }),
        Case::claude(WAY, "a server's call", move |text| {
            vec![said(
                json!({"type": "server_tool_use", "id": "t", "name": "web_search", "input": {"query": text}}),
            )]
        }),
        Case::claude(WAY, "a text without blocks", |text| {
            vec![json!({"type": "assistant", "message": {"content": text}})]
        }),
        Case::claude(WAY, "an error of the service", |text| {
            vec![
                json!({"type": "assistant", "isApiErrorMessage": true, "message": {"content": [{"type": "text", "text": text}]}}),
            ]
        }),
        Case::claude("system: api_error", "an error", |text| {
            vec![json!({"type": "system", "subtype": "api_error", "error": {"message": text}})]
        }),
        Case::claude("system: local_command", "a command", |text| {
            vec![
                json!({"type": "system", "subtype": "local_command", "content": format!("<command-name>/x</command-name><command-args>{text}</command-args>")}),
            ]
        }),
        Case::claude("attachment: memory files", "a memory file", |text| {
            vec![
                json!({"type": "attachment", "attachment": {"type": "nested_memory", "path": "/p/CLAUDE.md", "content": {"path": "/p/CLAUDE.md", "type": "Project", "content": text}}}),
            ]
        }),
        Case::claude("attachment: memory files", "instructions", |text| {
            vec![
                json!({"type": "attachment", "attachment": {"type": "instructions", "files": [{"path": "/p/CLAUDE.md", "content": text}]}}),
            ]
        }),
    ]
}
