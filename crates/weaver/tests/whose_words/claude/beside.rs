//! Texts beside the answer of a tool.

use serde_json::{Value, json};
use subcortex_known_agents::Owner;

use super::{BESIDE, call, prompt};
use crate::case::Case;

pub(crate) fn cases() -> Vec<Case> {
    let record = |text: &str, fields: Value| {
        let block = json!({"type": "tool_result", "tool_use_id": "t1", "content": "ok"});
        vec![call("Bash", json!({})), prompt(json!([block, {"type": "text", "text": text}]), fields)]
    };
    vec![
        Case::claude("user: text beside a tool_result", "no field says so", move |text| {
            record(text, json!({}))
        }),
        Case::claude("user: text beside a tool_result", "a field says no", move |text| {
            record(text, json!({"holdsPersonsWords": false}))
        }),
        Case::claude(BESIDE, "of a refused call", move |text| {
            record(text, json!({"holdsPersonsWords": true, "toolDenialKind": "permission-rule"}))
        })
        .forged(Owner::Left),
        Case::claude(BESIDE, "of the program", move |text| {
            record(text, json!({"holdsPersonsWords": true, "isMeta": true}))
        })
        .forged(Owner::Left),
        Case::claude(BESIDE, "in a script", move |text| {
            record(text, json!({"holdsPersonsWords": true, "entrypoint": "sdk-ts"}))
        })
        .forged(Owner::Left),
        Case::claude(BESIDE, "a reminder", move |text| {
            record(
                &format!("<system-reminder>x</system-reminder>\n{text}</system-reminder>"),
                json!({"holdsPersonsWords": true}),
            )
        })
        .forged(Owner::Left),
    ]
}
