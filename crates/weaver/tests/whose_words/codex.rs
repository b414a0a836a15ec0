//! Lines of Codex that hold what no person said.

use serde_json::{Value, json};
use subcortex_known_agents::Owner;
use subcortex_model::Via;

use crate::case::{Case, HEADLESS, Wrapped};
use crate::claude::with;

pub(crate) const PROMPT: &str = "event_msg: user_message";
pub(crate) const SECOND: &str = "event_msg: user_message, a second one in a turn";
pub(crate) const COMPLETED: &str = "event_msg: item_completed, UserMessage";
pub(crate) const ITEM: &str = "response_item: a user's message, in files without events";
pub(crate) const ANSWERED: &str = "response_item: answers of the question tool, typed";
const PROGRAM: &str = "event_msg: user_message, by a program";
pub(crate) const PERHAPS: &str = "event_msg: user_message, behind a selection, or of an unknown program";
pub(crate) const OUT_OF_PLACE: &str = "event_msg: user_message, in a file that does not say when or where";
pub(crate) const UNSIGNED: &str =
    "event_msg: user_message, in a file that does not say where its prompts come from";
const ANOTHER: &str = "event_msg: user_message, of another sender";
pub(crate) const STRANGE: &str = "event_msg: user_message, with a field that nobody knows";
const SHOWN: &str = "event_msg: outputs; response_item: thoughts";
const WRAPPED: &str = "event_msg: user_message, an editor's context, a program's element";
const OTHER_ITEM: &str = "response_item: a user's message of another kind, or of a subagent";
const AGENT: &str = "response_item: an agent's message, calls, outputs";
const OFFERED: &str = "response_item: answers of the question tool, offered";
const OTHER: &str = "every other line";

/// Events in which no person speaks.
const OTHERS_EVENTS: [&str; 31] = [
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "apply_patch_approval_request",
    "background_event",
    "collab_agent_interaction_begin",
    "collab_agent_interaction_end",
    "collab_agent_spawn_begin",
    "collab_agent_spawn_end",
    "collab_close_end",
    "collab_resume_end",
    "collab_waiting_end",
    "deprecation_notice",
    "dynamic_tool_call_request",
    "dynamic_tool_call_response",
    "elicitation_request",
    "exec_approval_request",
    "exited_review_mode",
    "guardian_assessment",
    "guardian_warning",
    "hook_completed",
    "image_generation_end",
    "patch_apply_end",
    "plan_update",
    "request_user_input",
    "stream_error",
    "sub_agent_activity",
    "task_complete",
    "turn_complete",
    "turn_diff",
    "warning",
    "web_search_end",
];

pub(crate) fn item(payload: Value) -> Value {
    json!({"type": "response_item", "payload": payload})
}

pub(crate) fn event(payload: Value) -> Value {
    json!({"type": "event_msg", "payload": payload})
}

pub(crate) fn user_event(text: &str) -> Value {
    event(json!({"type": "user_message", "message": text, "images": []}))
}

/// A prompt in a line that does not say when it was written.
/// A prompt with a field that nobody knows.
pub(crate) fn strange(text: &str) -> Value {
    let mut said = user_event(text);
    said["payload"]["is_automated"] = json!(true);
    said
}

pub(crate) fn undated(text: &str) -> Value {
    json!({"type": "event_msg", "timestamp": null, "payload": {"type": "user_message", "message": text}})
}

pub(crate) fn user_item(text: &str) -> Value {
    item(json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}))
}

pub(crate) fn head(fields: Value) -> Value {
    let mut payload = json!({"id": "s", "cwd": "/p"});
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    json!({"type": "session_meta", "payload": payload})
}

pub(crate) fn started() -> Value {
    event(json!({"type": "task_started", "turn_id": "t1"}))
}

fn done() -> Value {
    item(
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]}),
    )
}

pub(crate) fn asked(label: &str, answers: Value) -> Vec<Value> {
    let questions =
        json!({"questions": [{"id": "q", "question": "Which way?", "options": [{"label": label}]}]});
    let answers = json!({"answers": {"q": {"answers": answers}}}).to_string();
    vec![
        item(
            json!({"type": "function_call", "name": "request_user_input", "call_id": "c1", "arguments": questions.to_string()}),
        ),
        item(json!({"type": "function_call_output", "call_id": "c1", "output": answers})),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    [
        programs(),
        wrapped(),
        doubtful(),
        shown(),
        items(),
        by_the_agent(),
        answers(),
        others(),
        unsigned(),
        of_another(),
    ]
    .concat()
}

/// The first lines of a session at a terminal that was forked from one with this first line.
pub(crate) fn fork(of: Value) -> Vec<Value> {
    let mut original = head(of);
    original["payload"]["id"] = json!("z");
    vec![head(json!({"source": "cli", "forked_from_id": "z"})), original]
}

fn programs() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, meta) in [
        ("exec", json!({"source": "exec"})),
        ("a server for other agents", json!({"source": "mcp"})),
        ("an unknown source", json!({"source": "unknown"})),
        ("a source of its own", json!({"source": {"custom": "x"}})),
        ("an internal source", json!({"source": {"internal": "memory_consolidation"}})),
        ("exec, as the originator says", json!({"originator": "codex_exec"})),
        ("a library, as the originator says", json!({"originator": "codex_sdk_ts", "source": "exec"})),
    ] {
        cases.push(Case::codex(PROGRAM, name, move |text| vec![head(meta.clone()), user_event(text)]));
    }
    for (name, before, after) in [
        ("no first line", vec![json!({"type": HEADLESS})], vec![]),
        ("a first line without a payload", vec![json!({"type": "session_meta", "payload": null})], vec![]),
        ("a first line that is a list", vec![json!({"type": "session_meta", "payload": ["s"]})], vec![]),
        (
            "a first line without a session",
            vec![json!({"type": "session_meta", "payload": {"source": "cli"}})],
            vec![],
        ),
        (
            "a broken first line, and exec",
            vec![json!({"type": "session_meta", "payload": null}), head(json!({"source": "exec"}))],
            vec![],
        ),
        ("a first line behind the prompt", vec![], vec![head(json!({"source": "cli"}))]),
        (
            "a session that exec went on with",
            vec![head(json!({"source": "cli"})), head(json!({"source": "exec"}))],
            vec![],
        ),
        ("a fork of exec", fork(json!({"source": "exec"})), vec![]),
        ("a fork of a server's", fork(json!({"source": "mcp"})), vec![]),
        ("a fork of a script's, as the originator says", fork(json!({"originator": "codex_sdk_ts"})), vec![]),
        (
            "a fork of nobody knows whom",
            [fork(json!({})), vec![json!({"type": "session_meta", "payload": null})]].concat(),
            vec![],
        ),
    ] {
        cases.push(Case::codex(PROGRAM, name, move |text| {
            [before.clone(), vec![user_event(text), done()], after.clone()].concat()
        }));
    }
    for (name, meta) in [
        ("a fork of a subagent's", json!({"source": {"subagent": "review"}})),
        ("a fork of another thread", json!({"source": "cli", "thread_source": "subagent"})),
    ] {
        cases.push(Case::codex(OTHER_ITEM, name, move |text| {
            [fork(meta.clone()), vec![user_item(text), user_event(text), done()]].concat()
        }));
    }
    cases.push(
        Case::codex(SECOND, "a second prompt of exec", |text| {
            vec![head(json!({"source": "exec"})), started(), user_event("go"), user_event(text), done()]
        })
        .forged(Owner::Message(Via::Sdk)),
    );
    cases.push(
        Case::codex(COMPLETED, "a second prompt of exec, completed", |text| {
            let said = |text: &str| event(json!({"type": "item_completed", "item": {"type": "UserMessage", "id": text, "content": [{"type": "text", "text": text}]}}));
            vec![head(json!({"source": "exec"})), started(), said("go"), said(text), done()]
        })
        .forged(Owner::Message(Via::Sdk)),
    );
    for kind in ["user_message", "item_completed"] {
        let name = format!("another thread's `{kind}`");
        cases.push(
            Case::codex(COMPLETED, &name, move |text| {
                let item =
                    json!({"type": "UserMessage", "id": "i", "content": [{"type": "text", "text": text}]});
                vec![event(json!({"type": kind, "thread_id": "elsewhere", "message": text, "item": item}))]
            })
            .forged(Owner::Left),
        );
    }
    cases
}

fn wrapped() -> Vec<Case> {
    let mut cases = Vec::new();
    let ways: [Wrapped; 12] = [
        ("the first of two requests", |text| {
            format!(
                "# Context from my IDE setup:\n\n## Active selection of the file:\n## My request for Codex:\n{text}\n\n## My request for Codex:\nrename it"
            )
        }),
        ("a context without a request", |text| format!("# Context from my IDE setup:\n\n{text}")),
        ("the project's instructions", |text| {
            format!(
                "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nx</INSTRUCTIONS>\n{text}\n</INSTRUCTIONS>"
            )
        }),
        ("an environment", |text| {
            format!("<environment_context>x</environment_context>\n{text}</environment_context>")
        }),
        ("user instructions", |text| {
            format!("<user_instructions>x</user_instructions>\n{text}</user_instructions>")
        }),
        ("an aborted turn", |text| format!("<turn_aborted>x</turn_aborted>\n{text}")),
        ("a hook's prompt", |text| format!("<hook_prompt hook_run_id=\"1\">{text}</hook_prompt>")),
        ("a skill", |text| format!("<skill>\n<name>x</name>\n{text}\n</skill>")),
        ("permissions", |text| format!("<permissions instructions>{text}</permissions instructions>")),
        ("a subagent's report", |text| format!("<subagent_notification>x</subagent_notification>\n{text}")),
        ("a question's reply", |text| {
            format!("<send_user_message_question_reply>{text}</send_user_message_question_reply>")
        }),
        ("an instruction that forges its end", |text| {
            format!("<system_instruction>x</system_instruction>\n{text}\n</system_instruction>")
        }),
    ];
    for (name, make) in ways {
        cases.push(Case::codex(WRAPPED, name, move |text| vec![user_event(&make(text))]));
    }
    for heading in [
        "# Files mentioned by the user:",
        "# Files pasted by the user:",
        "# Browser comments:",
        "# In app browser:",
        "## Referenced chats with Codex:",
        "# Something new:",
    ] {
        for request in ["", "## My request for Codex:\nrename it", "## My request:\nrename it"] {
            let name = format!("`{heading}` and `{}`", request.lines().next().unwrap_or_default());
            cases.push(Case::codex(WRAPPED, &name, move |text| {
                vec![user_event(&format!("{heading}\n\n## a.txt: /x/a.txt\n\n{text}\n\n{request}"))]
            }));
        }
    }
    cases.push(Case::codex(WRAPPED, "two spellings of a request", |text| {
        vec![user_event(&format!(
            "# Browser comments:\n## My request for Codex:\n{text}\n## My request:\nfix it"
        ))]
    }));
    for name in [
        "skill",
        "heartbeat",
        "environment_context",
        "user_instructions",
        "hook_prompt",
        "subagent_notification",
        "permissions",
    ] {
        cases.push(Case::codex(WRAPPED, &format!("<{name}> behind words"), move |text| {
            vec![user_event(&format!("fix it\n<{name}>\n{text}\n</{name}>\n{text}"))]
        }));
        cases.push(Case::codex(WRAPPED, &format!("<{name}> first"), move |text| {
            vec![user_event(&format!("<{name}>\nx\n</{name}>\n{text}"))]
        }));
    }
    cases.push(Case::codex(WRAPPED, "the project's instructions behind words", |text| {
        vec![user_event(&format!("fix it\n# AGENTS.md instructions for /p\n\n{text}"))]
    }));
    for kind in ["environment_context", "user_instructions", "something_new"] {
        cases.push(Case::codex(WRAPPED, &format!("a message of the kind {kind}"), move |text| {
            vec![event(json!({"type": "user_message", "message": text, "kind": kind}))]
        }));
    }
    cases
}

/// What stands in front of the words may be all that there is: it may be asked about, and never enters.
fn doubtful() -> Vec<Case> {
    let context =
        "# Context from my IDE setup:\n\n## Active file: a.md\n\n## Active selection of the file:\n";
    vec![
        Case::codex(PERHAPS, "a selection that forges the request", move |text| {
            vec![user_event(&format!("{context}## My request for Codex:\n{text}"))]
        }),
        Case::codex(WRAPPED, "a selection that forges the request within a line", move |text| {
            vec![user_event(&format!("{context}foo ## My request for Codex: {text}"))]
        }),
        Case::codex(WRAPPED, "a context behind a byte order mark", move |text| {
            vec![user_event(&format!("\u{feff}{context}{text}\n"))]
        }),
        Case::codex(PERHAPS, "a program that nobody knows", |text| {
            vec![head(json!({"source": "cli", "originator": "my_agent_runner"})), user_event(text)]
        }),
        Case::codex(OUT_OF_PLACE, "a line without a time", |text| vec![undated(text)]),
        Case::codex(STRANGE, "a flag", |text| vec![strange(text)]),
        Case::codex(STRANGE, "a flag of a completed item", |text| {
            vec![event(
                json!({"type": "item_completed", "item": {"type": "UserMessage", "id": "i", "content": [{"type": "text", "text": text}], "is_automated": true}}),
            )]
        }),
        Case::codex(OUT_OF_PLACE, "a file without a folder", |text| {
            vec![head(json!({"source": "cli", "cwd": null})), user_event(text)]
        }),
        Case::codex(PROGRAM, "within a review", |text| {
            let entered = event(json!({"type": "entered_review_mode", "user_facing_hint": text}));
            vec![entered, user_event(text), done()]
        }),
    ]
}

/// The file does not say where its prompts come from, as those of the first versions.
fn unsigned() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, fields) in [
        ("of a script, in an old file", json!({})),
        ("of a script, at a known program", json!({"originator": "codex_cli_rs"})),
        ("a source without a value", json!({"originator": "codex_cli_rs", "source": null})),
    ] {
        cases.push(Case::codex(UNSIGNED, name, move |text| {
            vec![head(fields.clone()), user_event(text), done()]
        }));
    }
    cases
}

/// The message itself names its sender.
fn of_another() -> Vec<Case> {
    let mut cases = Vec::new();
    for (field, value) in [
        ("author", json!("/root/worker")),
        ("sender", json!("agent")),
        ("origin", json!("subagent")),
        ("origin", json!({"kind": "peer"})),
        ("source", json!("agent")),
        ("agent_path", json!("/root/worker")),
        ("is_meta", json!(true)),
    ] {
        let named = json!({field: value});
        let name = |shape: &str| format!("{named} in {shape}");
        let fields = named.clone();
        cases.push(Case::codex(ANOTHER, &name("an event"), move |text| {
            let mut said = user_event(text);
            said["payload"] = with(said["payload"].clone(), fields.clone());
            vec![said, done()]
        }));
        let fields = named.clone();
        cases.push(Case::codex(ANOTHER, &name("an event behind its item"), move |text| {
            let mut said = user_event(text);
            said["payload"] = with(said["payload"].clone(), fields.clone());
            vec![user_item(text), said, done()]
        }));
        let fields = named.clone();
        cases.push(Case::codex(ANOTHER, &name("an item"), move |text| {
            let mut said = user_item(text);
            said["payload"] = with(said["payload"].clone(), fields.clone());
            vec![head(json!({"originator": "codex_cli_rs"})), said, done()]
        }));
        cases.push(Case::codex(ANOTHER, &name("a completed item"), move |text| {
            let item = json!({"type": "UserMessage", "id": "i", "content": [{"type": "text", "text": text}]});
            vec![event(json!({"type": "item_completed", "item": with(item, named.clone())})), done()]
        }));
    }
    cases
}

/// What the agent was shown, or thought, and comes back bare.
fn shown() -> Vec<Case> {
    type Shown = fn(&str) -> Vec<Value>;
    let ways: [(&str, Shown); 10] = [
        ("output that only an event tells", |text| {
            vec![event(
                json!({"type": "exec_command_end", "call_id": "c", "aggregated_output": text, "stdout": text}),
            )]
        }),
        ("a server's answer that only an event tells", |text| {
            let result = json!({"Ok": {"content": [{"type": "text", "text": text}]}});
            vec![event(json!({"type": "mcp_tool_call_end", "call_id": "c", "result": result}))]
        }),
        ("a thought", |text| {
            vec![item(json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}))]
        }),
        ("a step of a plan", |text| {
            let plan = json!({"plan": [{"step": text}]}).to_string();
            vec![item(
                json!({"type": "function_call", "name": "update_plan", "call_id": "c", "arguments": plan}),
            )]
        }),
        ("a patch", |text| {
            let patch = format!("*** Begin Patch\n*** Add File: R.md\n+{text}\n*** End Patch");
            vec![item(
                json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": "c", "input": patch}),
            )]
        }),
        ("the project's instructions", |text| {
            vec![user_item(&format!(
                "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\n{text}\n</INSTRUCTIONS>"
            ))]
        }),
        ("a selection", |text| {
            vec![user_event(&format!(
                "# Context from my IDE setup:\n\n## Active selection of the file:\n{text}\n\n## My request for Codex:\nfix it"
            ))]
        }),
        ("a fence", |text| vec![user_event(&format!("look:\n```\n{text}\n```\nwhat is it?"))]),
        ("a message of the program's", |text| {
            vec![user_event(&format!("<subagent_notification>{text}</subagent_notification>"))]
        }),
        ("the instructions in the first line", |text| {
            vec![head(json!({"originator": "codex_cli_rs", "instructions": text}))]
        }),
    ];
    let mut cases = vec![Case::codex(SHOWN, "output", |text| {
        vec![event(json!({"type": "exec_command_end", "call_id": "c", "aggregated_output": text}))]
    })];
    for kind in OTHERS_EVENTS {
        cases.push(
            Case::codex(PROMPT, &format!("it stood in an event `{kind}`"), move |text| {
                let told = event(json!({"type": kind, "call_id": "c", "turn_id": "t0", "text": text}));
                let nested = event(
                    json!({"type": kind, "call_id": "c", "review_output": {"findings": [{"body": text}]}}),
                );
                let shown = if kind.len() % 2 == 0 { told } else { nested };
                vec![shown, done(), user_event("I see"), user_event(text)]
            })
            .pasted(),
        );
    }
    for kind in [
        "agent_message",
        "reasoning",
        "tool_search_call",
        "tool_search_output",
        "image_generation_call",
        "additional_tools",
        "something_new",
    ] {
        cases.push(
            Case::codex(PROMPT, &format!("it stood in an item `{kind}`"), move |text| {
                let shown =
                    item(json!({"type": kind, "call_id": "c", "content": [{"type": "text", "text": text}]}));
                vec![shown, done(), user_event("I see"), user_event(text)]
            })
            .pasted(),
        );
    }
    for role in ["developer", "system"] {
        cases.push(
            Case::codex(PROMPT, &format!("it stood in a message of the role `{role}`"), move |text| {
                let content = json!([{"type": "input_text", "text": text}]);
                let shown = item(json!({"type": "message", "role": role, "content": content}));
                vec![shown, done(), user_event("I see"), user_event(text)]
            })
            .pasted(),
        );
    }
    for kind in ["Plan", "HookPrompt", "Reasoning", "CommandExecution", "WebSearch"] {
        cases.push(
            Case::codex(PROMPT, &format!("it stood in a completed `{kind}`"), move |text| {
                let shown =
                    event(json!({"type": "item_completed", "item": {"type": kind, "id": "i", "text": text}}));
                vec![shown, done(), user_event("I see"), user_event(text)]
            })
            .pasted(),
        );
    }
    for (name, line) in [
        (
            "another agent's message",
            json!({"type": "inter_agent_communication", "payload": {"content": "§"}}),
        ),
        (
            "the instructions of a turn",
            json!({"type": "turn_context", "payload": {"user_instructions": "§"}}),
        ),
        (
            "the settings of a turn",
            json!({"type": "turn_context", "payload": {"developer_instructions": "§"}}),
        ),
        ("an error", json!({"type": "event_msg", "payload": {"type": "error", "message": "§"}})),
    ] {
        cases.push(
            Case::codex(PROMPT, &format!("it was shown as {name}"), move |text| {
                let shown = serde_json::from_str(&line.to_string().replace('§', text)).unwrap();
                vec![shown, done(), user_event("I see"), user_event(text)]
            })
            .pasted(),
        );
    }
    for (name, shown) in ways {
        cases.push(
            Case::codex(PROMPT, &format!("it was shown as {name}"), move |text| {
                [shown(text), vec![done(), user_event("I see"), user_event(text)]].concat()
            })
            .pasted(),
        );
    }
    cases
}

fn items() -> Vec<Case> {
    let blocks = |text: &str, kinds: Value| {
        item(
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}, {"type": "input_text", "text": "go"}],
            "internal_chat_message_metadata_passthrough": {"content_item_kinds": kinds}}),
        )
    };
    let mut cases = vec![
        Case::codex(OTHER_ITEM, "a block of the program", move |text| {
            vec![blocks(text, json!(["environments.environment_context", "user.text"])), done()]
        }),
        Case::codex(OTHER_ITEM, "kinds that are too few", move |text| {
            vec![blocks(text, json!(["user.text"])), done()]
        }),
        Case::codex(OTHER_ITEM, "no kinds in a new file", |text| vec![user_item(text), done()]),
        Case::codex(OTHER_ITEM, "behind an event", |text| vec![user_event("go"), user_item(text), done()]),
        Case::codex(ITEM, "of exec in an old file", |text| {
            vec![head(json!({"originator": "codex_exec"})), user_item(text), done()]
        })
        .forged(Owner::Message(Via::Sdk)),
        Case::codex("response_item: a line in the agent's shell", "a shell line", |text| {
            vec![user_event(&format!(
                "<user_shell_command>\n<command>\necho '{text}'\n</command>\n</user_shell_command>"
            ))]
        }),
    ];
    for (name, meta) in [
        ("a subagent's thread", json!({"thread_source": "subagent", "source": "cli"})),
        ("a review", json!({"source": {"subagent": "review"}})),
        ("an agent with a nickname", json!({"source": "cli", "agent_nickname": "Ada"})),
        ("an agent with a role", json!({"source": "cli", "agent_role": "explorer"})),
        ("an agent with a path", json!({"source": "cli", "agent_path": "/root/worker"})),
        ("the thread of another one", json!({"source": "cli", "parent_thread_id": "t0"})),
        ("a thread of another source", json!({"thread_source": "memory_consolidation", "source": "cli"})),
    ] {
        cases.push(Case::codex(OTHER_ITEM, name, move |text| {
            vec![head(meta.clone()), user_item(text), user_event(text), done()]
        }));
    }
    for role in ["developer", "system", "tool", ""] {
        cases.push(Case::codex(OTHER, &format!("a message of the role `{role}`"), move |text| {
            vec![item(json!({"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]})), done()]
        }));
    }
    for kind in ["skill", "mention", "image", "local_image", "resource"] {
        cases.push(Case::codex(OTHER_ITEM, &format!("a part `{kind}` of a message"), move |text| {
            let content = json!([{"type": kind, "text": text, "name": text}, {"type": "text", "text": "go"}]);
            vec![event(json!({"type": "item_completed", "item": {"type": "UserMessage", "id": "i", "content": content}}))]
        }));
    }
    for (name, block) in [
        ("an output", json!({"type": "output_text", "text": "x"})),
        ("a file", json!({"type": "input_file", "filename": "x"})),
        ("a block of tomorrow", json!({"type": "invented_tomorrow"})),
        ("a text with sources", json!({"type": "input_text", "text": "x", "annotations": [{"url": "x"}]})),
    ] {
        cases.push(Case::codex(OTHER_ITEM, &format!("beside {name}"), move |text| {
            let content = json!([{"type": "input_text", "text": text}, block]);
            let old = head(json!({"originator": "codex_cli_rs"}));
            vec![old, item(json!({"type": "message", "role": "user", "content": content})), done()]
        }));
    }
    for (name, block) in [
        ("a block of tomorrow", json!({"type": "invented_tomorrow"})),
        ("a text with sources", json!({"type": "text", "text": "x", "annotations": [{"url": "x"}]})),
    ] {
        cases.push(Case::codex(OTHER_ITEM, &format!("beside {name}, in an event"), move |text| {
            let content = json!([{"type": "text", "text": text}, block]);
            vec![event(json!({"type": "item_completed", "item": {"type": "UserMessage", "id": "i", "content": content}}))]
        }));
    }
    cases
}

fn by_the_agent() -> Vec<Case> {
    let output = |text: &str| item(json!({"type": "function_call_output", "call_id": "c1", "output": text}));
    let call = |name: &str, arguments: &str| {
        item(json!({"type": "function_call", "name": name, "call_id": "c1", "arguments": arguments}))
    };
    vec![
        Case::codex(AGENT, "a message", |text| {
            vec![item(
                json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}),
            )]
        }),
        Case::codex(AGENT, "a call", move |text| {
            vec![call("shell", &json!({"command": ["echo", text]}).to_string())]
        }),
        Case::codex(AGENT, "a custom call", |text| {
            vec![item(json!({"type": "custom_tool_call", "name": "x", "call_id": "c", "input": text}))]
        }),
        Case::codex(AGENT, "output", move |text| {
            vec![call("shell", "{}"), output(&format!("Exit code: 0\nOutput:\n{text}"))]
        }),
        Case::codex(AGENT, "a refusal in words", move |text| {
            vec![call("shell", "{}"), output(&format!("exec command rejected by user: {text}"))]
        }),
        Case::codex(AGENT, "a refusal of Claude Code in words", move |text| {
            vec![call("mcp__x", "{}"), output(&crate::claude::refusal(text))]
        }),
        Case::codex(AGENT, "a search", |text| {
            vec![item(json!({"type": "web_search_call", "action": {"query": text}}))]
        }),
        Case::codex(AGENT, "a shell call", |text| {
            vec![item(
                json!({"type": "local_shell_call", "call_id": "c", "action": {"command": ["echo", text]}}),
            )]
        }),
        Case::codex("event_msg: agent_message, error", "a message", |text| {
            vec![event(json!({"type": "agent_message", "message": text}))]
        }),
        Case::codex("event_msg: agent_message, error", "an error", |text| {
            vec![event(json!({"type": "error", "message": text}))]
        }),
        Case::codex("event_msg: agent_message, error", "a completed message", |text| {
            vec![event(
                json!({"type": "item_completed", "item": {"type": "AgentMessage", "id": "m", "content": [{"type": "Text", "text": text}]}}),
            )]
        }),
    ]
}

fn answers() -> Vec<Case> {
    let named = |name: &'static str, more: Value| {
        move |text: &str| {
            let mut lines = asked("a", json!([text]));
            lines[0]["payload"]["name"] = json!(name);
            lines[0]["payload"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            lines
        }
    };
    vec![
        Case::codex(OFFERED, "an option", |text| asked(text, json!([text]))),
        Case::codex(OFFERED, "an option beside a note", |text| {
            asked(text, json!([text, "user_note: thanks"]))
        }),
        Case::codex(OFFERED, "an option that looks like a note", |text| {
            let label = format!("user_note: {text}");
            asked(&label, json!([label]))
        }),
        Case::codex(ANSWERED, "answers of another tool", named("mcp__quiz__ask", json!({})))
            .forged(Owner::Agent),
        Case::codex(
            ANSWERED,
            "answers of a server's tool of that name",
            named("request_user_input", json!({"namespace": "mcp__quiz"})),
        )
        .forged(Owner::Agent),
        Case::codex(OFFERED, "a part of an option, as a note", |text| {
            asked(&format!("{text} (Recommended)"), json!([format!("user_note: {text}")]))
        }),
        Case::codex(ANSWERED, "answers in exec", |text| {
            [vec![head(json!({"source": "exec"}))], asked("a", json!([text]))].concat()
        })
        .forged(Owner::Agent),
        Case::codex(ANSWERED, "answers to a subagent", |text| {
            [vec![head(json!({"source": {"subagent": "review"}}))], asked("a", json!([text]))].concat()
        })
        .forged(Owner::Agent),
        Case::codex(ANSWERED, "answers of a call that nobody saw", |text| {
            asked("a", json!([text])).split_off(1)
        })
        .forged(Owner::Agent),
        Case::codex(ANSWERED, "an answer to another question", |text| {
            let mut lines = asked("a", json!(["a"]));
            lines[1]["payload"]["output"] = json!(json!({"answers": {"r": {"answers": [text]}}}).to_string());
            lines
        })
        .forged(Owner::Agent),
    ]
}

fn others() -> Vec<Case> {
    let mut cases = Vec::new();
    for kind in ["inter_agent_communication", "inter_agent_communication_metadata"] {
        cases.push(Case::codex(OTHER_ITEM, &format!("behind `{kind}`"), move |text| {
            vec![json!({"type": kind, "payload": {"from": "a1"}}), user_item(text), user_event(text), done()]
        }));
    }
    for (name, opening) in [
        (
            "its own command",
            "Generate a file named AGENTS.md that serves as a contributor guide for this repository.",
        ),
        ("a goal that goes on", "Continue working toward the active thread goal."),
        (
            "a review that it ran",
            "User initiated a review task. Here's the full review output from reviewer model.",
        ),
    ] {
        cases.push(Case::codex(WRAPPED, name, move |text| vec![user_event(&format!("{opening}\n\n{text}"))]));
    }
    for kind in [
        "compacted",
        "world_state",
        "inter_agent_communication",
        "security_risk_score",
        "token_usage_record",
        "something_new",
    ] {
        cases.push(Case::codex(OTHER, &format!("line `{kind}`"), move |text| {
            vec![json!({"type": kind, "payload": {"message": text, "role": "user", "content": text, "type": "user_message"}})]
        }));
    }
    for kind in [
        "task_complete",
        "mcp_tool_call_end",
        "exec_command_end",
        "patch_apply_end",
        "hook_completed",
        "entered_review_mode",
        "exited_review_mode",
        "agent_reasoning",
        "background_event",
        "turn_aborted",
        "stream_error",
        "thread_name_updated",
    ] {
        cases.push(Case::codex(OTHER, &format!("event `{kind}`"), move |text| {
            vec![event(json!({"type": kind, "message": text, "last_agent_message": text, "reason": text, "text": text,
                "user_facing_hint": text, "review_output": {"overall_explanation": text}}))]
        }));
    }
    for kind in [
        "HookPrompt",
        "Plan",
        "Reasoning",
        "McpToolCall",
        "CommandExecution",
        "EnteredReviewMode",
        "user_message",
    ] {
        cases.push(Case::codex(OTHER, &format!("completed `{kind}`"), move |text| {
            vec![event(json!({"type": "item_completed", "item": {"type": kind, "id": "i", "content": [{"type": "text", "text": text}], "text": text}}))]
        }));
    }
    cases
}
