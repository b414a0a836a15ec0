//! Prompts that say nothing of themselves, behind records that do.

use serde_json::{Value, json};
use subcortex_known_agents::Owner;
use subcortex_model::Via;

use super::{FEEDBACK, PERHAPS_TYPED, TYPED, call, prompt, refusal, result};
use crate::case::Case;

const ANNOUNCED: &str = "user: text, behind what announces one of the program's or the agent's";
const SUGGESTED: &str = "user: text, a suggestion that was accepted";
const PROGRAM: &str = "user: text, by a program";
/// A tool whose call waits.
pub(crate) const OPEN: &str = "mcp__x__y";

/// A call that nobody has answered.
pub(crate) fn waiting() -> Vec<Value> {
    vec![prompt("go", json!({})), call(OPEN, json!({}))]
}

fn said(text: &str) -> Value {
    json!({"type": "assistant", "message": {"id": "m9", "content": [{"type": "text", "text": text}]}})
}

pub(crate) fn cases() -> Vec<Case> {
    [announced(), suggested(), of_programs(), perhaps_typed(), passed_on()].concat()
}

fn announced() -> Vec<Case> {
    let mut cases = vec![
        Case::claude(ANNOUNCED, "a summary without its mark", |text| {
            let boundary = json!({"type": "system", "subtype": "compact_boundary", "uuid": "b1", "content": "Conversation compacted"});
            vec![prompt("hi", json!({})), boundary, prompt(text, json!({"parentUuid": "b1"}))]
        }),
        Case::claude(ANNOUNCED, "a record of the program with the same text", |text| {
            let asked = json!({"type": "system", "subtype": "elicitation", "content": text});
            vec![prompt("hi", json!({})), asked, prompt(text, json!({"elicitation": true}))]
        })
        .forged(Owner::Message(Via::Suggested)),
    ];
    for tool in ["Skill", "SlashCommand"] {
        for (shape, is_list) in [("blocks", true), ("a text", false)] {
            cases.push(Case::claude(ANNOUNCED, &format!("what {tool} announced, {shape}"), move |text| {
                let content = if is_list { json!([{"type": "text", "text": text}]) } else { json!(text) };
                let launched = json!({"toolUseResult": {"success": true}});
                vec![
                    call(tool, json!({"skill": "a"})),
                    result("Launching skill: a", false, launched),
                    prompt(content, json!({})),
                ]
            }));
        }
    }
    cases.push(Case::claude(ANNOUNCED, "what a command of the agent announced", |text| {
        let command = "<command-message>a is running…</command-message>\n<command-name>/a</command-name>";
        vec![
            call("SlashCommand", json!({"command": "/a"})),
            result("Launching command: /a", false, json!({"toolUseResult": {"success": true}})),
            prompt(command, json!({})),
            prompt(json!([{"type": "text", "text": text}]), json!({})),
        ]
    }));
    for tool in ["CronCreate", "ScheduleWakeup", "Task"] {
        cases.push(
            Case::claude(ANNOUNCED, &format!("what {tool} was told to say"), move |text| {
                vec![
                    prompt("hi", json!({})),
                    call(tool, json!({"cron": "* * * * *", "prompt": text})),
                    result("Scheduled", false, json!({"toolUseResult": {"id": "1"}})),
                    said("done"),
                    prompt(format!(" {}\n", text.replace(' ', "  ")), json!({})),
                ]
            })
            .forged(Owner::Agent),
        );
    }
    cases
}

fn suggested() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, fields) in [
        ("an old record", json!({})),
        ("a typed record", json!({"promptSource": "typed", "origin": {"kind": "human"}})),
    ] {
        let (typed, accepted) = (fields.clone(), fields);
        cases.push(Case::claude(SUGGESTED, &format!("proposed by a record, {name}"), move |text| {
            let proposed = json!({"type": "system", "subtype": "prompt_suggestion", "content": text});
            vec![prompt("hi", json!({})), proposed, prompt(text, typed.clone())]
        }));
        cases.push(Case::claude(SUGGESTED, &format!("accepted by a record, {name}"), move |text| {
            vec![
                prompt("hi", json!({})),
                json!({"type": "speculation-accept"}),
                prompt(text, accepted.clone()),
            ]
        }));
    }
    cases
}

fn of_programs() -> Vec<Case> {
    let script = |kind: &str| json!({"type": kind, "subtype": "init", "entrypoint": "sdk-py", "message": {"content": "x"}});
    let mut cases = vec![
        Case::claude(PROGRAM, "as a record of the agent said", move |text| {
            vec![script("assistant"), prompt(text, json!({}))]
        }),
        Case::claude(PROGRAM, "as the next record says", move |text| {
            vec![prompt(text, json!({})), script("assistant")]
        }),
        Case::claude(PROGRAM, "as the record behind a note says", move |text| {
            vec![prompt(text, json!({})), json!({"type": "mode", "mode": "normal"}), script("assistant")]
        }),
        Case::claude(PROGRAM, "as the first record said", move |text| {
            vec![script("system"), prompt(text, json!({}))]
        }),
    ];
    for mode in ["print", "headless"] {
        cases.push(Case::claude(PROGRAM, &format!("in the mode `{mode}`"), move |text| {
            vec![json!({"type": "mode", "mode": mode}), prompt(text, json!({}))]
        }));
    }
    cases
}

fn perhaps_typed() -> Vec<Case> {
    let typed = json!({"promptSource": "typed", "origin": {"kind": "human"}});
    let mut cases = vec![
        Case::claude(PERHAPS_TYPED, "between a call and its answer", |text| {
            [waiting(), vec![prompt(json!([{"type": "text", "text": text}]), json!({}))]].concat()
        }),
        Case::claude(PERHAPS_TYPED, "behind a placeholder", |text| {
            vec![prompt(format!("[Pasted text #1 +12 lines] {text}"), json!({}))]
        }),
    ];
    for (name, before) in [
        ("an open file", "Currently open file: /p/a.md\n"),
        ("a paste", "[Pasted text #1 +12 lines]\n"),
        ("nothing around it", ""),
    ] {
        let typed = typed.clone();
        cases.push(Case::claude(PERHAPS_TYPED, &format!("a second block: {name}"), move |text| {
            let blocks = json!([{"type": "text", "text": "fix it"}, {"type": "text", "text": format!("{before}{text}")}]);
            vec![prompt(blocks, typed.clone())]
        }));
    }
    cases
}

/// The record itself says that it repeats somebody.
fn passed_on() -> Vec<Case> {
    vec![
        Case::claude(TYPED, "what the record says was pasted", |text| {
            let pasted = json!({"1": {"type": "text", "content": text}});
            vec![prompt(format!("look\n{text}"), json!({"pastedContents": pasted, "promptSource": "typed"}))]
        })
        .pasted(),
        Case::claude(TYPED, "nothing but what the record says was pasted", |text| {
            let pasted = json!({"1": {"type": "text", "content": text}});
            vec![prompt(text, json!({"pastedContents": pasted, "promptSource": "typed"}))]
        })
        .pasted(),
        Case::claude(FEEDBACK, "the refused call's own words", |text| {
            let fields = json!({"toolDenialKind": "user-rejected", "userFeedback": text,
                "toolUseResult": format!("Error: {}", refusal(text))});
            vec![call(OPEN, json!({"a": text})), result("denied", true, fields)]
        })
        .pasted(),
    ]
}
