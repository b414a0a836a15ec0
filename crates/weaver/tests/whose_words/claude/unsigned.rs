//! Prompts of records that name no sender: older versions write a script's like a person's.

use serde_json::{Value, json};

use super::{UNSIGNED, call, prompt, result};
use crate::case::Case;

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for version in ["1.0.88", "2.0.60", "2.1.63", "2.1.325"] {
        cases.push(Case::claude(UNSIGNED, &format!("of a script, {version}"), move |text| {
            vec![prompt(text, json!({"version": version})), done()]
        }));
        cases.push(Case::claude(UNSIGNED, &format!("of a script, handed over by the queue, {version}"), move |text| {
            let step = |operation: &str, text: Option<&str>| {
                json!({"type": "queue-operation", "operation": operation, "content": text, "uuid": null})
            };
            let prompt = prompt(text, json!({"version": version}));
            vec![step("enqueue", Some(text)), step("dequeue", None), prompt, done()]
        }));
    }
    // The agent's shell hands its own entry point on to whatever is called there.
    for entrypoint in ["cli", "claude-desktop", "claude-vscode"] {
        cases.push(Case::claude(
            UNSIGNED,
            &format!("of a script in the shell of `{entrypoint}`"),
            move |text| vec![prompt(text, json!({"entrypoint": entrypoint})), done()],
        ));
    }
    cases.push(Case::claude(UNSIGNED, "of a script that the agent calls", |text| {
        let ran = json!({"toolUseResult": {"stdout": "ok"}});
        vec![
            call("Bash", json!({"command": "./ci.sh"})),
            result("ok", false, ran),
            done(),
            prompt(text, json!({})),
        ]
    }));
    cases.push(Case::claude(UNSIGNED, "of a script that words it as a note", |text| {
        vec![prompt(format!("<user-memory-input>{text}</user-memory-input>"), json!({})), done()]
    }));
    cases
}

fn done() -> Value {
    json!({"type": "assistant", "message": {"id": "m7", "content": [{"type": "text", "text": "Done."}]}})
}
