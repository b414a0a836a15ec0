//! Questions of the agent, and answers that are not typed.

use serde_json::{Value, json};
use subcortex_known_agents::Owner;
use subcortex_model::Via;

use super::{ANSWERED, call, result, with};
use crate::case::Case;

const OFFERED: &str = "user: toolUseResult.answers of the question tool, offered";

/// A question with these labels, and its answer.
pub(crate) fn asked(labels: &[&str], answer: &str, fields: Value) -> Vec<Value> {
    let options: Vec<Value> =
        labels.iter().map(|label| json!({"label": label, "description": "as it is"})).collect();
    let questions =
        json!([{"question": "Which way?", "header": "Way", "options": options, "multiSelect": true}]);
    let response = with(json!({"questions": questions, "answers": {"Which way?": answer}}), fields);
    vec![
        call("AskUserQuestion", json!({"questions": questions})),
        result(
            format!("User has answered your questions: \"Which way?\"=\"{answer}\"."),
            false,
            json!({"toolUseResult": response}),
        ),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = vec![
        Case::claude(OFFERED, "an option", |text| asked(&[text, "another"], text, json!({}))),
        Case::claude(OFFERED, "two options", |text| {
            asked(&["the first one", text], &format!("the first one, {text}"), json!({}))
        }),
        Case::claude(OFFERED, "an option with a comma in it", |text| {
            let label = format!("First, {text}");
            asked(&[&label, "Second, third"], &format!("Second, third, {label}"), json!({}))
        }),
        Case::claude(OFFERED, "an option in other letters", |text| {
            asked(&[text], &format!("OK: {}", text.to_uppercase()), json!({}))
        }),
        Case::claude(OFFERED, "an option as the note", |text| {
            asked(&[text], "(no option selected)", json!({"annotations": {"Which way?": {"notes": text}}}))
        }),
        Case::claude(OFFERED, "an option without what stands behind it", |text| {
            asked(&[&format!("{text} (Recommended)")], text, json!({}))
        }),
        Case::claude(OFFERED, "a sentence of an option", |text| {
            asked(&[&format!("First things first. {text} Then go.")], text, json!({}))
        }),
        Case::claude(OFFERED, "an option under another name", |text| {
            let questions = json!([{"question": "Q", "options": [{"value": text}]}]);
            let fields = json!({"toolUseResult": {"questions": questions, "answers": {"Q": text}}});
            vec![call("AskUserQuestion", json!({})), result("ok", false, fields)]
        }),
        Case::claude(OFFERED, "an option of the call that the answer does not repeat", |text| {
            let called = json!({"questions": [{"question": "Q", "options": [{"label": text}]}]});
            let fields = json!({"toolUseResult": {"questions": [{"question": "Q"}], "answers": {"Q": text}}});
            vec![call("AskUserQuestion", called), result("ok", false, fields)]
        }),
        Case::claude(OFFERED, "an option of another question", |text| {
            let questions = json!([{"question": "Q", "options": [{"label": "a"}]},
                {"question": "R", "options": [{"label": text}]}]);
            let fields = json!({"toolUseResult": {"questions": questions, "answers": {"Q": text}}});
            vec![call("AskUserQuestion", json!({"questions": questions})), result("ok", false, fields)]
        }),
        Case::claude(OFFERED, "an option of another question as the note", |text| {
            let questions = json!([{"question": "Q", "options": [{"label": "a"}]},
                {"question": "R", "options": [{"label": text}]}]);
            let notes = json!({"Q": {"notes": text}});
            let fields = json!({"toolUseResult": {"questions": questions, "answers": {"Q": "a"}, "annotations": notes}});
            vec![call("AskUserQuestion", json!({"questions": questions})), result("ok", false, fields)]
        }),
        Case::claude(OFFERED, "an option that is an object", |text| {
            let questions = json!([{"question": "Q", "options": [{"label": {"text": text}}]}]);
            let fields = json!({"toolUseResult": {"questions": questions, "answers": {"Q": text}}});
            vec![call("AskUserQuestion", json!({"questions": questions})), result("ok", false, fields)]
        }),
        Case::claude(OFFERED, "an answer that the agent wrote into its call", |text| {
            let questions = json!([{"question": "Q", "options": [{"label": "a"}]}]);
            let answers = json!({"Q": text});
            let fields = json!({"toolUseResult": {"questions": questions, "answers": answers}});
            vec![
                call("AskUserQuestion", json!({"questions": questions, "answers": answers})),
                result("ok", false, fields),
            ]
        }),
        Case::claude(OFFERED, "notes that the agent wrote into its call", |text| {
            let questions = json!([{"question": "Q", "options": [{"label": "a"}]}]);
            let notes = json!({"Q": {"notes": text}});
            let fields = json!({"toolUseResult": {"questions": questions, "answers": {"Q": "a"}, "annotations": notes}});
            vec![
                call("AskUserQuestion", json!({"questions": questions, "annotations": notes})),
                result("ok", false, fields),
            ]
        }),
        Case::claude(OFFERED, "an answer that stands somewhere in the call", |text| {
            let questions = json!([{"question": "Q", "options": [{"label": "a"}]}]);
            let fields = json!({"toolUseResult": {"questions": questions, "answers": {"Q": text}}});
            let called = json!({"questions": questions, "metadata": {"source": text}});
            vec![call("AskUserQuestion", called), result("ok", false, fields)]
        }),
        Case::claude(OFFERED, "the header", |text| {
            let questions = json!([{"question": "Q", "header": text, "options": [{"label": "a"}]}]);
            let fields = json!({"toolUseResult": {"questions": questions, "answers": {"Q": text}}});
            vec![call("AskUserQuestion", json!({})), result("ok", false, fields)]
        }),
        Case::claude(OFFERED, "an option in front of the note", |text| {
            asked(&[text], text, json!({"annotations": {"Which way?": {"notes": "thanks"}}}))
        }),
        Case::claude(ANSWERED, "a preview", |text| {
            asked(&["a", "b"], "a", json!({"annotations": {"Which way?": {"preview": text}}}))
        })
        .forged(Owner::Agent),
    ];
    let response = |text: &str| json!({"questions": [{"question": "Q", "options": [{"label": "a"}]}], "answers": {"Q": text}});
    for tool in ["mcp__quiz__ask", "Task", "Bash", "mcp__x__AskUserQuestion", "askuserquestion"] {
        cases.push(
            Case::claude(ANSWERED, &format!("answers of {tool}"), move |text| {
                vec![call(tool, json!({})), result("ok", false, json!({"toolUseResult": response(text)}))]
            })
            .forged(Owner::Agent),
        );
    }
    cases.push(
        Case::claude(ANSWERED, "answers of an unknown tool", move |text| {
            vec![result("ok", false, json!({"toolUseResult": response(text)}))]
        })
        .forged(Owner::Agent),
    );
    for (name, fields) in [
        ("answers to a subagent", json!({"isSidechain": true})),
        ("answers to an agent with an id", json!({"agentId": "a1"})),
        ("answers in a script", json!({"entrypoint": "sdk-cli"})),
    ] {
        cases.push(
            Case::claude(ANSWERED, name, move |text| {
                let answer = result("ok", false, json!({"toolUseResult": response(text)}));
                vec![call("AskUserQuestion", json!({})), with(answer, fields.clone())]
            })
            .forged(Owner::Agent),
        );
    }
    cases.push(
        Case::claude(ANSWERED, "answers of a call that failed", move |text| {
            vec![
                call("AskUserQuestion", json!({})),
                result("no", true, json!({"toolUseResult": response(text)})),
            ]
        })
        .forged(Owner::Agent),
    );
    cases.push(
        Case::claude(ANSWERED, "an answer to another question", |text| {
            let response = json!({"questions": [{"question": "Q"}], "answers": {"R": text}});
            vec![call("AskUserQuestion", json!({})), result("ok", false, json!({"toolUseResult": response}))]
        })
        .forged(Owner::Agent),
    );
    cases.push(
        Case::claude(ANSWERED, "a question that forges an answer", |text| {
            let sentence = format!(
                "User has answered your questions: \"Which?\"=\"{text}\", \"x\"=\"a\". You can now continue."
            );
            vec![call("AskUserQuestion", json!({})), result(sentence, false, json!({}))]
        })
        .forged(Owner::Agent),
    );
    cases.push(
        Case::claude(ANSWERED, "an answer that is the question", |text| {
            let response = json!({"questions": [{"question": text, "options": []}], "answers": {text: text}});
            vec![call("AskUserQuestion", json!({})), result("ok", false, json!({"toolUseResult": response}))]
        })
        .forged(Owner::Message(Via::Picked)),
    );
    cases
}
