//! Texts that were shown to the agent, and come back bare.

use serde_json::{Value, json};

use super::{TYPED, call, prompt, result};
use crate::case::Case;

const FILES: &str = "attachment: files, selections, what hooks and servers say";

fn attached(attachment: Value) -> Value {
    json!({"type": "attachment", "attachment": attachment})
}

fn answered() -> Value {
    json!({"type": "assistant", "message": {"id": "m9", "content": [{"type": "text", "text": "a rule"}]}})
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = vec![Case::claude(FILES, "a file", |text| {
        vec![attached(
            json!({"type": "file", "filename": "/p/R.md", "content": {"type": "text", "file": {"content": text}}}),
        )]
    })];
    type Shown = fn(&str) -> Vec<Value>;
    let ways: [(&str, Shown); 12] = [
        ("the output of a person's command", |text| {
            vec![
                prompt("<bash-input>cat R.md</bash-input>", json!({})),
                prompt(format!("<bash-stdout>{text}</bash-stdout><bash-stderr></bash-stderr>"), json!({})),
            ]
        }),
        ("the output of a command of the program", |text| {
            vec![prompt(format!("<local-command-stdout>{text}</local-command-stdout>"), json!({}))]
        }),
        ("a selection", |text| {
            let selected = format!("<ide_selection>The user selected:\n{text}\n</ide_selection>");
            vec![prompt(format!("{selected}\nfix it"), json!({}))]
        }),
        ("a selection in a block of its own", |text| {
            let blocks = json!([{"type": "text", "text": format!("<ide_selection>{text}</ide_selection>")}, {"type": "text", "text": "fix it"}]);
            vec![prompt(blocks, json!({}))]
        }),
        ("a reminder behind words", |text| {
            vec![prompt(format!("fix it\n<system-reminder>{text}</system-reminder>"), json!({}))]
        }),
        ("a file that was named", |text| {
            let content = json!({"type": "text", "file": {"content": format!("# Rules\n\n{text}\n")}});
            vec![
                prompt("see @R.md", json!({})),
                attached(json!({"type": "file", "filename": "/p/R.md", "content": content})),
            ]
        }),
        ("a memory file", |text| {
            let content = json!({"type": "Project", "path": "/p/CLAUDE.md", "content": text});
            vec![
                prompt("hi", json!({})),
                attached(json!({"type": "nested_memory", "path": "/p/CLAUDE.md", "content": content})),
            ]
        }),
        ("a fence", |text| vec![prompt(format!("look:\n```\n{text}\n```\nwhat is it?"), json!({}))]),
        ("a quote", |text| vec![prompt(format!("> {text}\n\nwhat is it?"), json!({}))]),
        ("a text of the program", |text| vec![prompt(text, json!({"isMeta": true}))]),
        ("another sender's words", |text| vec![prompt(text, json!({"origin": {"kind": "peer"}}))]),
        ("a call, and its refusal", |text| {
            vec![
                call("Write", json!({"content": text})),
                result("denied", true, json!({"toolDenialKind": "user-rejected"})),
            ]
        }),
    ];
    for (name, shown) in ways {
        cases.push(
            Case::claude(TYPED, &format!("it was shown as {name}"), move |text| {
                [shown(text), vec![answered(), prompt("I see", json!({})), prompt(text, json!({}))]].concat()
            })
            .pasted(),
        );
    }
    cases
}
