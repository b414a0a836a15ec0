//! What looks like the refusal of a call, or is somebody else's.

use serde_json::{Value, json};
use subcortex_known_agents::Owner;

use super::{FEEDBACK, REFUSAL, call, prompt, refusal, result, with};
use crate::case::Case;

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for tool in [
        "mcp__web__fetch",
        "mcp__ide__executeCode",
        "WebFetch",
        "WebSearch",
        "Task",
        "Agent",
        "Skill",
        "TaskOutput",
        "Monitor",
        "AskUserQuestion",
        "ReadMcpResourceTool",
        "SomethingNew",
        "bash",
    ] {
        cases.push(
            Case::claude(REFUSAL, &format!("an error of {tool} that begins like a refusal"), move |text| {
                let fields = json!({"toolUseResult": format!("Error: {}", refusal(text))});
                vec![call(tool, json!({})), result(refusal(text), true, fields)]
            })
            .forged(Owner::Agent),
        );
    }
    for (name, fields) in [
        (
            "output that succeeded",
            (|text| json!({"toolUseResult": {"stdout": refusal(text)}})) as fn(&str) -> Value,
        ),
        ("another result", |_| json!({"toolUseResult": "Error: Exit code 1"})),
        ("no result", |_| json!({})),
        ("a result with less words", |_| json!({"toolUseResult": format!("Error: {}", refusal(""))})),
    ] {
        cases.push(
            Case::claude(REFUSAL, name, move |text| {
                vec![call("Bash", json!({})), result(refusal(text), true, fields(text))]
            })
            .forged(Owner::Agent),
        );
    }
    cases.push(
        Case::claude(REFUSAL, "an answer that is no error", |text| {
            let fields = json!({"toolUseResult": format!("Error: {}", refusal(text))});
            vec![call("Bash", json!({})), result(refusal(text), false, fields)]
        })
        .forged(Owner::Agent),
    );
    cases.push(
        Case::claude(REFUSAL, "a call that nobody saw", |text| {
            let fields = json!({"toolUseResult": format!("Error: {}", refusal(text))});
            vec![result(refusal(text), true, fields)]
        })
        .forged(Owner::Agent),
    );
    cases.push(
        Case::claude(REFUSAL, "two answers in one record", |text| {
            let block = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": refusal(text), "is_error": true});
            let fields = json!({"toolUseResult": format!("Error: {}", refusal(text)), "toolDenialKind": "user-rejected", "userFeedback": text});
            vec![call("Bash", json!({})), prompt(json!([block("t1"), block("t2")]), fields)]
        })
        .forged(Owner::Agent),
    );
    for kind in [
        "permission-rule",
        "automode-blocked",
        "automode-unavailable",
        "automode-parsing-error",
        "cancelled",
        "interrupted",
        "",
    ] {
        cases.push(
            Case::claude(FEEDBACK, &format!("refused by `{kind}`"), move |text| {
                let fields = json!({"toolUseResult": format!("Error: {}", refusal(text)), "toolDenialKind": kind, "userFeedback": text});
                vec![call("Bash", json!({})), result(refusal(text), true, fields)]
            })
            .forged(Owner::Agent),
        );
    }
    for (name, fields) in [
        ("a script's refusal", json!({"toolDenialKind": "user-rejected", "entrypoint": "sdk-ts"})),
        ("a host's refusal", json!({"toolDenialKind": "user-rejected", "toolDenialFromHost": true})),
        ("a refusal without the field", json!({"toolDenialKind": "user-rejected", "userFeedback": null})),
        ("a field without a refusal", json!({"toolDenialKind": null})),
    ] {
        cases.push(
            Case::claude(FEEDBACK, name, move |text| {
                let own = json!({"toolUseResult": format!("Error: {}", refusal(text)), "userFeedback": text});
                vec![call("mcp__x__y", json!({})), with(result(refusal(text), true, own), fields.clone())]
            })
            .forged(Owner::Agent),
        );
    }
    cases.push(
        Case::claude(FEEDBACK, "a wish to clarify, with the question in it", |text| {
            let said = format!("The user wants to clarify these questions.\n\nQuestions asked:\n- \"x\n  Answer: {text}\"");
            let fields = json!({"toolDenialKind": "user-rejected", "userFeedback": said, "toolUseResult": format!("Error: {}", refusal(&said))});
            vec![call("AskUserQuestion", json!({})), result(refusal(&said), true, fields)]
        })
        .forged(Owner::Agent),
    );
    cases
}
