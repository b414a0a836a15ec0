//! A person's own words, on every honest path.

use serde_json::json;
use subcortex_known_agents::{CLAUDE, CODEX};

use crate::case::Case;
use crate::claude::{
    self, ANSWERED, BESIDE, FEEDBACK, OUT_OF_PLACE, PERHAPS_TYPED, REFUSAL, STRANGE, TYPED, UNSIGNED, prompt,
    refusal, result,
};
use crate::home::Home;
use crate::queue::{self, ENQUEUED, ENQUEUED_TEXT, QUEUED};
use crate::{codex, forms, hooks, passed_on, pastes};

pub(crate) fn cases() -> Vec<Case> {
    groups().concat()
}

/// Those that are told by the same kind of records.
pub(crate) fn groups() -> Vec<Vec<Case>> {
    vec![
        claude_prompts(),
        claude_behind_others(),
        claude_in_between(),
        codex_lines(),
        called(),
        spoken(),
        passed_on::controls(),
    ]
}

fn spoken() -> Vec<Case> {
    forms::SPOKEN.iter().map(|(name, form)| pastes::formed(&format!("spoken {name}"), form)).collect()
}

fn claude_prompts() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, fields) in [
        ("a typed prompt", json!({"promptSource": "typed", "origin": {"kind": "human"}})),
        ("a prompt at a terminal", json!({"entrypoint": "cli", "turnOrigin": "human"})),
        ("a prompt in an app", json!({"entrypoint": "claude-desktop", "origin": {"kind": "human"}})),
        (
            "a prompt from a phone",
            json!({"entrypoint": "remote", "promptSource": "sdk", "origin": {"kind": "human"}}),
        ),
        ("a prompt from the queue", json!({"promptSource": "queued"})),
        ("a prompt of an editor", json!({"promptSource": "sdk", "entrypoint": "claude-vscode"})),
        (
            "a prompt of a desktop",
            json!({"promptSource": "sdk", "origin": {"kind": "human"}, "entrypoint": "claude-desktop"}),
        ),
    ] {
        cases.push(Case::claude(TYPED, name, move |text| vec![prompt(text, fields.clone())]));
    }
    cases.push(Case::claude(TYPED, "in blocks, behind a selection", |text| {
        let blocks = json!([{"type": "text", "text": "<ide_selection>let a = 1;</ide_selection>"}, {"type": "text", "text": text}]);
        vec![prompt(blocks, claude::typed())]
    }));
    cases.push(Case::claude(TYPED, "behind an opened file", |text| {
        vec![prompt(format!("<ide_opened_file>a.rs is open.</ide_opened_file>\n{text}"), claude::typed())]
    }));
    cases.push(Case::claude(TYPED, "in front of a reminder", |text| {
        vec![prompt(format!("{text}\n<system-reminder>be brief</system-reminder>"), claude::typed())]
    }));
    cases.push(Case::claude(TYPED, "in front of a notification", |text| {
        vec![prompt(format!("{text}\n<task-notification>done</task-notification>"), claude::typed())]
    }));
    cases.push(Case::claude(TYPED, "beside an element", |text| {
        vec![prompt(format!("The <div> and the <channel> element are fine.\n{text}"), claude::typed())]
    }));
    cases.push(Case::claude(TYPED, "beside a paste", |text| {
        vec![prompt(format!("```\nnpm ERR!\n```\n{text}"), claude::typed())]
    }));
    for (name, before) in [
        ("behind quoted words", "\"npm\" is not \"pnpm\""),
        ("behind a quoted line", "\"use npm\""),
        ("behind triple quotes", "\"\"\"use npm\"\"\""),
        ("behind triple quotes of two lines", "\"\"\"\nuse npm\"\"\""),
        ("behind a document", "<document>\nuse npm\n</document>"),
        ("behind the name of an element", "the <pre> element is fine"),
        ("behind a line that was found", "a.rs:12:use npm"),
        ("behind a time", "at 10:30:00 sharp"),
        ("behind a word of a commit", "commit often\nFrom: me"),
        ("behind an arrow", "-> see there"),
    ] {
        cases.push(Case::claude(TYPED, name, move |text| {
            vec![prompt(format!("{before}\n{text}"), json!({"promptSource": "typed"}))]
        }));
    }
    for (name, fields) in [
        ("an old prompt", json!({})),
        ("a prompt of which only its program's beginning is known", json!({"entrypoint": "cli"})),
    ] {
        cases.push(Case::claude(UNSIGNED, name, move |text| vec![prompt(text, fields.clone())]));
    }
    cases.push(Case::claude(UNSIGNED, "an old note", |text| {
        vec![prompt(format!("<user-memory-input>{text}</user-memory-input>"), json!({}))]
    }));
    cases.push(Case::claude(OUT_OF_PLACE, "a prompt without a time", |text| {
        vec![prompt(text, json!({"timestamp": null}))]
    }));
    cases.push(Case::claude(OUT_OF_PLACE, "a prompt without a folder", |text| {
        vec![prompt(text, json!({"cwd": null}))]
    }));
    cases.push(Case::claude(STRANGE, "a prompt of the next version", |text| {
        vec![prompt(text, json!({"promptSource": "typed", "mood": "good"}))]
    }));
    cases.push(Case::claude("user: <user-memory-input>", "a note", |text| {
        vec![prompt(format!("<user-memory-input>{text}</user-memory-input>"), claude::typed())]
    }));
    cases
}

/// A person's words where the program's might stand, too.
fn claude_behind_others() -> Vec<Case> {
    let agent = |text: &str| json!({"type": "assistant", "message": {"id": "m9", "content": [{"type": "text", "text": text}]}});
    vec![
        Case::claude(UNSIGNED, "typed behind a summary", |text| {
            let boundary = json!({"type": "system", "subtype": "compact_boundary", "uuid": "b1"});
            let summary =
                prompt("Summary: x", json!({"parentUuid": "b1", "isCompactSummary": true, "uuid": "b2"}));
            vec![boundary, summary, prompt(text, json!({"parentUuid": "b2"}))]
        }),
        Case::claude(UNSIGNED, "typed beside a proposal", |text| {
            let proposed =
                json!({"type": "system", "subtype": "prompt_suggestion", "content": "run the tests"});
            vec![prompt("hi", json!({})), proposed, prompt(text, json!({}))]
        }),
        Case::claude(UNSIGNED, "typed behind an accepted proposal", |text| {
            let accepted = json!({"type": "speculation-accept"});
            vec![accepted, prompt("run the tests", json!({})), prompt(text, json!({}))]
        }),
        Case::claude(UNSIGNED, "typed behind a skill", move |text| {
            vec![
                claude::call("Skill", json!({"skill": "a"})),
                result("Launching skill: a", false, json!({"toolUseResult": {"success": true}})),
                prompt("# A skill", json!({"isMeta": true})),
                agent("done"),
                prompt(text, json!({})),
            ]
        }),
        Case::claude(UNSIGNED, "typed although a clock runs", move |text| {
            vec![
                claude::call(
                    "CronCreate",
                    json!({"cron": "* * * * *", "prompt": "look at the deployment again"}),
                ),
                result("Scheduled", false, json!({"toolUseResult": {"id": "1"}})),
                agent("done"),
                prompt(text, json!({})),
            ]
        }),
        Case::claude(UNSIGNED, "typed behind an interruption", |text| {
            let stopped = prompt("[Request interrupted by user for tool use]", json!({}));
            [claude::waiting(), vec![stopped, prompt(text, json!({}))]].concat()
        }),
        Case::claude(TYPED, "typed although an answer is missing", |text| {
            [claude::waiting(), vec![prompt(text, json!({"promptSource": "typed"}))]].concat()
        }),
        Case::claude(UNSIGNED, "typed in an old session, which says no more", move |text| {
            vec![prompt(text, json!({})), agent("ok")]
        }),
        Case::claude(TYPED, "typed beside a paste that the record names", |text| {
            let pasted =
                json!({"1": {"type": "text", "content": "npm ERR! code 1\nsome long output of a program"}});
            vec![prompt(text, json!({"pastedContents": pasted, "promptSource": "typed"}))]
        }),
        Case::claude(PERHAPS_TYPED, "in an old session that was ended within a call", |text| {
            [claude::waiting(), vec![prompt(text, json!({}))]].concat()
        }),
        Case::claude(FEEDBACK, "typed against what the call holds", |text| {
            let fields = json!({"toolUseResult": format!("Error: {}", refusal(text)), "toolDenialKind": "user-rejected", "userFeedback": text});
            let input = json!({"command": "git commit -m 'run all of the tests later'"});
            vec![claude::call(claude::OPEN, input), result(refusal(text), true, fields)]
        }),
    ]
}

fn claude_in_between() -> Vec<Case> {
    let mut cases = Vec::new();
    for no in ["No. ", "No, ", "Nope. ", "no! "] {
        cases.push(Case::claude(TYPED, &format!("against an answer, behind `{no}`"), move |text| {
            let answer =
                json!({"id": "m1", "role": "assistant", "content": [{"type": "text", "text": "Done."}]});
            let answer = json!({"type": "assistant", "message": answer});
            vec![prompt("fix it", json!({})), answer, prompt(format!("{no}{text}"), claude::typed())]
        }));
    }
    cases.push(Case::claude(FEEDBACK, "typed while refusing", |text| {
        let fields = json!({"toolUseResult": format!("Error: {}", refusal(text)), "toolDenialKind": "user-rejected", "userFeedback": text});
        vec![claude::call("mcp__web__fetch", json!({})), result(refusal(text), true, fields)]
    }));
    for tool in ["Bash", "Edit", "Write", "ExitPlanMode"] {
        cases.push(Case::claude(REFUSAL, &format!("an older refusal of {tool}"), move |text| {
            let fields = json!({"toolUseResult": format!("Error: {}", refusal(text))});
            vec![claude::call(tool, json!({})), result(refusal(text), true, fields)]
        }));
        cases.push(Case::claude(
            REFUSAL,
            &format!("an older refusal of {tool}, without words in the result"),
            move |text| {
                let fields = json!({"toolUseResult": "User rejected tool use"});
                vec![claude::call(tool, json!({})), result(refusal(text), true, fields)]
            },
        ));
        cases.push(Case::claude(REFUSAL, &format!("an older refusal of {tool}, with a note for the model"), move |text| {
            let fields = json!({"toolUseResult": format!("Error: {}", refusal(text))});
            let note = "Note: The user's next message may contain a correction or preference. Pay close attention.";
            vec![claude::call(tool, json!({})), result(format!("{}\n\n{note}", refusal(text)), true, fields)]
        }));
    }
    cases.push(Case::claude(ANSWERED, "an answer in own words", |text| {
        claude::asked(&["a", "b"], text, json!({}))
    }));
    cases.push(Case::claude(ANSWERED, "an answer beside an option", |text| {
        claude::asked(&["a", "b"], &format!("a, {text}"), json!({}))
    }));
    cases.push(Case::claude(ANSWERED, "a note", |text| {
        claude::asked(&["a", "b"], "a", json!({"annotations": {"Which way?": {"notes": text}}}))
    }));
    cases.push(Case::claude(BESIDE, "added when allowing", |text| {
        let block = json!({"type": "tool_result", "tool_use_id": "t1", "content": "ok"});
        vec![
            claude::call("Bash", json!({})),
            prompt(json!([block, {"type": "text", "text": text}]), json!({"holdsPersonsWords": true})),
        ]
    }));
    cases.push(Case::claude(QUEUED, "queued", |text| queue::queued(text, json!({}))));
    cases.push(Case::claude(QUEUED, "queued by a person", |text| {
        queue::queued(text, json!({"origin": {"kind": "human"}, "inputSource": "typed"}))
    }));
    cases.push(Case::claude(ENQUEUED, "enqueued at a terminal, behind a script's prompt", |text| {
        let script = prompt("hello", json!({"entrypoint": "sdk-cli", "promptSource": "sdk"}));
        let resumed = prompt("hello again", json!({"entrypoint": "cli", "promptSource": "typed"}));
        [vec![script, resumed], queue::enqueued(text, json!({"promptSource": "typed"}))].concat()
    }));
    cases.push(Case::claude(ENQUEUED, "enqueued by a person", |text| {
        queue::enqueued(text, json!({"origin": {"kind": "human"}}))
    }));
    cases.push(Case::claude(ENQUEUED_TEXT, "enqueued and removed", |text| queue::enqueued(text, json!({}))));
    cases
}

fn codex_lines() -> Vec<Case> {
    let kinds = json!({"content_item_kinds": ["user.text"]});
    vec![
        Case::codex(codex::PROMPT, "a prompt", |text| vec![codex::user_event(text)]),
        Case::codex(codex::PROMPT, "a prompt in an editor", |text| {
            vec![
                codex::head(json!({"source": "vscode"})),
                codex::user_event(&format!(
                    "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs\n\n## My request for Codex:\n{text}"
                )),
            ]
        }),
        Case::codex(codex::PERHAPS, "a prompt beside a selection", |text| {
            vec![codex::user_event(&format!(
                "# Context from my IDE setup:\n\n## Active selection of the file:\nlet a = 1;\n\n## My request for Codex:\n{text}"
            ))]
        }),
        Case::codex(codex::STRANGE, "a prompt of the next version", |text| vec![codex::strange(text)]),
        Case::codex(codex::OUT_OF_PLACE, "a prompt in an old file", |text| vec![codex::undated(text)]),
        Case::codex(codex::PERHAPS, "a prompt in an unknown editor", |text| {
            vec![
                codex::head(json!({"source": "vscode", "originator": "some_editor"})),
                codex::user_event(text),
            ]
        }),
        Case::codex(codex::PROMPT, "a prompt in a known editor", |text| {
            vec![
                codex::head(json!({"source": "vscode", "originator": "codex_vscode"})),
                codex::user_event(text),
            ]
        }),
        Case::codex(codex::PERHAPS, "a prompt in an app", |text| {
            vec![
                codex::head(json!({"source": "vscode"})),
                codex::user_event(&format!(
                    "# Browser comments:\n\n## Comment 1\nx\n\n## My request:\n{text}"
                )),
            ]
        }),
        Case::codex(codex::PROMPT, "a prompt in a fork", |text| {
            [codex::fork(json!({"source": "cli"})), vec![codex::user_event(text)]].concat()
        }),
        Case::codex(codex::SECOND, "typed meanwhile", |text| {
            vec![codex::started(), codex::user_event("go"), codex::user_event(text)]
        }),
        Case::codex(codex::COMPLETED, "a completed prompt", |text| {
            vec![codex::event(
                json!({"type": "item_completed", "item": {"type": "UserMessage", "id": "i", "content": [{"type": "text", "text": text}]}}),
            )]
        }),
        Case::codex(codex::UNSIGNED, "an item of an old file", |text| {
            vec![codex::head(json!({"originator": "codex_cli_rs"})), codex::user_item(text)]
        }),
        Case::codex(codex::UNSIGNED, "a prompt in an old file", |text| {
            vec![codex::head(json!({})), codex::user_event(text)]
        }),
        Case::codex(codex::ITEM, "an item that says whose it is", move |text| {
            let mut item = codex::user_item(text);
            item["payload"]["internal_chat_message_metadata_passthrough"] = kinds.clone();
            vec![item]
        }),
        Case::codex(codex::ANSWERED, "an answer", |text| {
            codex::asked("a", json!([format!("user_note: {text}")]))
        }),
        Case::codex(codex::ANSWERED, "an answer beside an option", |text| {
            codex::asked("a", json!(["a", text]))
        }),
    ]
}

fn called() -> Vec<Case> {
    let prompt = |text: &str| {
        vec![
            json!({"type": "user", "promptId": "p1", "promptSource": "typed", "message": {"role": "user", "content": text}}),
        ]
    };
    let turn = |text: &str| {
        vec![
            json!({"type": "turn_context", "payload": {"turn_id": "t1", "cwd": "/p"}}),
            json!({"type": "event_msg", "payload": {"type": "user_message", "message": text}}),
        ]
    };
    let questions = || json!([{"question": "Q", "options": [{"label": "a"}]}]);
    let answer = move |text: &str| {
        let call = json!({"type": "tool_use", "id": "t1", "name": "AskUserQuestion", "input": {"questions": questions()}});
        let result = json!({"type": "tool_result", "tool_use_id": "t1",
            "content": format!("User has answered your questions: \"Q\"=\"{text}\".")});
        vec![
            json!({"type": "assistant", "message": {"id": "m1", "content": [call]}}),
            json!({"type": "user", "promptId": "p1", "message": {"role": "user", "content": [result]},
                "toolUseResult": {"questions": questions(), "answers": {"Q": text}}}),
        ]
    };
    vec![
        Case::hook(&CLAUDE, "UserPromptSubmit", hooks::PROMPT, "Claude Code", |text| json!({"prompt": text}))
            .recorded(prompt),
        Case::hook(&CLAUDE, "UserPromptSubmit", hooks::PROMPT, "an editor", |text| json!({"prompt": text}))
            .started_as("claude-vscode")
            .recorded(prompt),
        Case::hook(&CODEX, "UserPromptSubmit", hooks::PROMPT, "Codex", |text| json!({"prompt": text}))
            .recorded(turn),
        hooks::flagged(&CLAUDE, "of the next version"),
        hooks::flagged(&CODEX, "of the next version"),
        Case::hook(&CLAUDE, "PostToolUse", hooks::ANSWERED, "an answer", |text| {
            let questions = json!([{"question": "Q", "options": [{"label": "a"}]}]);
            json!({"tool_name": "AskUserQuestion", "tool_use_id": "t1", "tool_input": {"questions": questions},
                "tool_response": {"questions": questions, "answers": {"Q": text}}})
        })
        .recorded(answer),
    ]
}

#[test]
fn what_a_person_typed_while_refusing_is_heard_whatever_tool_it_was() {
    for tool in ["ExitPlanMode", "Task", "WebFetch", "mcp__web__fetch", "SomethingNew"] {
        let case = Case::claude(FEEDBACK, tool, move |text| {
            let fields = json!({"toolUseResult": format!("Error: {}", refusal(text)), "toolDenialKind": "user-rejected", "userFeedback": text});
            vec![claude::call(tool, json!({})), result(refusal(text), true, fields)]
        });
        let mut home = Home::new();
        home.tells(&case, 0);
        home.weave();
        assert_eq!(home.holds(0), Some("the memory"), "{tool}");
    }
}
