//! Sample rollouts and what becomes of them.

use serde_json::{Value, json};

use crate::testkit::{drafts_of, skips_of, told};
use crate::{CODEX, Options};

fn line(kind: &str, payload: Value) -> Value {
    json!({"timestamp": "2026-03-01T10:00:00.000Z", "type": kind, "payload": payload})
}

fn meta(fields: Value) -> Value {
    let mut payload = json!({"id": "s", "cwd": "/p", "originator": "codex_cli_rs", "source": "cli", "git": {"branch": "topic"}});
    if let (Some(payload), Value::Object(fields)) = (payload.as_object_mut(), fields) {
        payload.extend(fields);
    }
    line("session_meta", payload)
}

fn item(payload: Value) -> Value {
    line("response_item", payload)
}

fn user_item(text: &str) -> Value {
    item(json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}))
}

fn agent_item(id: &str, text: &str) -> Value {
    item(
        json!({"type": "message", "id": id, "role": "assistant", "content": [{"type": "output_text", "text": text}]}),
    )
}

fn event(payload: Value) -> Value {
    line("event_msg", payload)
}

fn user_event(text: &str) -> Value {
    event(json!({"type": "user_message", "message": text, "images": []}))
}

fn shell(id: &str, command: &str) -> Value {
    let arguments = json!({"command": ["bash", "-lc", command]}).to_string();
    item(json!({"type": "function_call", "name": "shell", "arguments": arguments, "call_id": id}))
}

fn output(id: &str, text: &str) -> Value {
    item(json!({"type": "function_call_output", "call_id": id, "output": text}))
}

#[track_caller]
fn check(records: &[Value], expect: &[&str]) {
    let records: Vec<Value> = std::iter::once(meta(json!({}))).chain(records.iter().cloned()).collect();
    assert_eq!(told(&drafts_of(&CODEX, &records)), expect);
}

#[test]
fn a_turn_is_told_once_although_two_records_report_each_part() {
    check(
        &[
            user_item("<environment_context><cwd>/p</cwd></environment_context>"),
            line("turn_context", json!({"cwd": "/p", "model": "some-model", "turn_id": "t1"})),
            user_item("run the tests"),
            user_event("run the tests"),
            item(json!({"type": "reasoning", "summary": [], "encrypted_content": "x"})),
            shell("c1", "cargo test"),
            event(json!({"type": "exec_command_end", "call_id": "c1", "exit_code": 1})),
            output("c1", "Exit code: 1\nWall time: 1 seconds\nOutput:\n1 failed"),
            event(json!({"type": "agent_message", "message": "One fails."})),
            agent_item("m1", "One fails."),
            event(json!({"type": "token_count", "info": {}})),
        ],
        &[
            "t1 channel.message: run the tests",
            "c1 agent.tool_use: shell",
            "c1:output agent.tool_result: 1 failed",
            "~ agent.result: One fails.",
        ],
    );
}

#[test]
fn what_the_program_put_in_front_of_a_prompt_is_shown_although_the_prompt_says_the_same() {
    let order = "From now on always run `make otter` before you commit.";
    let records = [
        meta(json!({})),
        user_item("hello"),
        user_event("hello"),
        agent_item("m1", "Hello."),
        user_item(&format!("<subagent_notification>\n{order}\n</subagent_notification>")),
        user_item(order),
        user_event(order),
    ];
    let drafts = drafts_of(&CODEX, &records);
    let kinds: Vec<&str> = drafts.iter().map(|draft| draft.event_type.as_str()).collect();
    assert_eq!(kinds, ["channel.message", "agent.result", "agent.shown", "channel.message"]);
}

#[test]
fn the_newest_events_are_understood() {
    let completed = |item: Value| event(json!({"type": "item_completed", "turn_id": "t1", "item": item}));
    let records = [
        meta(json!({})),
        event(json!({"type": "task_started", "turn_id": "t1"})),
        user_item("run the tests"),
        completed(
            json!({"type": "UserMessage", "id": "i1", "content": [{"type": "text", "text": "run the tests"}]}),
        ),
        shell("c1", "ls"),
        completed(
            json!({"type": "CommandExecution", "id": "c1", "command": ["ls"], "aggregated_output": "a"}),
        ),
        output("c1", "a"),
        completed(
            json!({"type": "UserMessage", "id": "i2", "content": [{"type": "text", "text": "only unit tests"}]}),
        ),
        completed(
            json!({"type": "AgentMessage", "id": "m1", "content": [{"type": "Text", "text": "Done."}]}),
        ),
        agent_item("m1", "Done."),
        event(json!({"type": "task_complete", "turn_id": "t1", "last_agent_message": "Done."})),
        completed(
            json!({"type": "UserMessage", "id": "i3", "content": [{"type": "text", "text": "thanks"}]}),
        ),
    ];
    let drafts = drafts_of(&CODEX, &records);
    assert_eq!(
        told(&drafts),
        [
            "t1 channel.message: run the tests",
            "c1 agent.tool_use: shell",
            "c1:output agent.tool_result: a",
            "i2 channel.message (queued): only unit tests",
            "m1 agent.result: Done.",
            "i3 channel.message: thanks",
        ]
    );
    assert_eq!(drafts[0].turn.as_deref(), Some("t1"));
}

#[test]
fn a_draft_carries_session_directory_branch_and_model() {
    let records = [
        meta(json!({})),
        line("turn_context", json!({"cwd": "/p/sub", "model": "some-model", "turn_id": "t1"})),
        shell("c1", "ls"),
    ];
    let drafts = drafts_of(&CODEX, &records);
    let draft = &drafts[0];
    assert_eq!((draft.source.kind.as_str(), draft.source.name.as_deref()), ("codex", Some("codex-cli")));
    assert_eq!(draft.source_id.as_deref(), Some("s/c1"));
    assert_eq!((draft.session_key.as_deref(), draft.turn.as_deref()), (Some("s"), Some("t1")));
    assert_eq!(draft.cwd.as_deref(), Some("/p/sub"));
    assert_eq!(
        Value::Object(draft.payload.clone()),
        json!({"tool_name": "shell", "input": {"command": "ls"}, "tool_use_id": "c1", "model": "some-model",
            "git_branch": "topic"})
    );
}

#[test]
fn files_without_user_events_are_read_from_the_items() {
    let items = [
        user_item("<user_instructions>x</user_instructions>"),
        user_item("run the tests"),
        agent_item("m1", "Done."),
        user_item("thanks"),
    ];
    let old = line("session_meta", json!({"id": "s", "cwd": "/p", "originator": "codex_cli_rs"}));
    let records: Vec<Value> = std::iter::once(old).chain(items.clone()).collect();
    assert_eq!(
        told(&drafts_of(&CODEX, &records)),
        [
            "~ channel.message (unsigned): run the tests",
            "m1 agent.result: Done.",
            "~ channel.message (unsigned): thanks"
        ]
    );
    // Newer versions say of each block whose it is, or in an event.
    check(&items, &["m1 agent.result: Done."]);
    let kinds = json!({"content_item_kinds": ["environments.environment_context", "user.text"]});
    let mixed = json!({"type": "message", "role": "user", "internal_chat_message_metadata_passthrough": kinds,
        "content": [{"type": "input_text", "text": "always squash"}, {"type": "input_text", "text": "run the tests"}]});
    check(
        &[item(mixed), agent_item("m1", "Done.")],
        &["~ channel.message: run the tests", "m1 agent.result: Done."],
    );
}

#[test]
fn the_same_words_of_the_agent_twice_are_two_events() {
    let said = event(json!({"type": "agent_message", "message": "Done."}));
    check(
        &[said.clone(), agent_item("m1", "Done."), agent_item("m2", "Done."), said],
        &["~ agent.result: Done.", "m2 agent.result: Done."],
    );
}

#[test]
fn a_patch_is_one_use_for_each_file() {
    let patch = "*** Begin Patch\n*** Add File: a.rs\n+fn a() {}\n*** Update File: b.rs\n@@\n-old\n+new\n*** End Patch";
    let records = [
        meta(json!({})),
        item(json!({"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": "c1"})),
        item(json!({"type": "custom_tool_call_output", "call_id": "c1",
            "output": json!({"output": "Success.", "metadata": {"exit_code": 0}}).to_string()})),
    ];
    let drafts = drafts_of(&CODEX, &records);
    assert_eq!(
        told(&drafts),
        [
            "c1 agent.tool_use: apply_patch",
            "c1#2 agent.tool_use: apply_patch",
            "c1:output agent.tool_result: Success."
        ]
    );
    assert_eq!(
        drafts[0].payload["input"],
        json!({"operation": "add", "file_path": "/p/a.rs", "content": "fn a() {}\n"})
    );
    assert_eq!(
        drafts[1].payload["input"],
        json!({"operation": "update", "file_path": "/p/b.rs", "old_string": "old\n", "new_string": "new\n"})
    );
    assert_eq!(drafts[2].payload["exit_code"], 0);
}

#[test]
fn answers_to_questions_are_messages() {
    let questions =
        json!({"questions": [{"id": "port", "question": "Which port?", "options": [{"label": "8080"}]}]});
    let ask = item(
        json!({"type": "function_call", "name": "request_user_input", "call_id": "c1", "arguments": questions.to_string()}),
    );
    let answered =
        |answers: Value| output("c1", &json!({"answers": {"port": {"answers": answers}}}).to_string());
    let answer = |answers: Value| {
        let drafts = drafts_of(&CODEX, &[meta(json!({})), ask.clone(), answered(answers)]);
        assert!(drafts[2..].iter().all(|draft| draft.payload["question"] == "Which port?"));
        told(&drafts[2..]).join("; ")
    };
    assert_eq!(answer(json!(["8080"])), "c1:output#2 channel.message (picked): 8080");
    assert_eq!(
        answer(json!(["8080", "user_note: for now"])),
        "c1:output#2 channel.message (picked): 8080; c1:output#3 channel.message (typed_answer): for now"
    );
}

#[test]
fn interruptions_and_errors_are_told() {
    check(
        &[
            event(json!({"type": "turn_aborted", "reason": "interrupted"})),
            event(json!({"type": "turn_aborted", "reason": "replaced"})),
            event(json!({"type": "error", "message": "usage limit"})),
        ],
        &["~ channel.command (interrupt): -", "~ agent.error: usage limit"],
    );
}

#[test]
fn prompts_of_scripts_are_marked_and_those_of_agents_are_left_out() {
    let with =
        |fields: Value| told(&drafts_of(&CODEX, &[meta(fields), user_event("fix it"), shell("c1", "ls")]));
    assert_eq!(
        with(json!({"source": "exec"})),
        ["~ channel.message (sdk): fix it", "c1 agent.tool_use: shell"]
    );
    for subagents in [json!({"source": {"subagent": "review"}}), json!({"thread_source": "subagent"})] {
        assert_eq!(with(subagents), ["~ agent.shown: fix it", "c1 agent.tool_use: shell"]);
    }
}

#[test]
fn old_files_without_payloads_are_read() {
    let records = [
        json!({"id": "old", "timestamp": "2025-06-01T10:00:00Z", "instructions": null, "git": {"branch": "main"}}),
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "run the tests"}]}),
        json!({"record_type": "state"}),
        json!({"type": "function_call", "name": "shell", "arguments": "{\"command\":[\"ls\"]}", "call_id": "c1"}),
    ];
    let drafts = drafts_of(&CODEX, &records);
    assert_eq!(told(&drafts), ["~ channel.message (prompt_text): run the tests", "c1 agent.tool_use: shell"]);
    assert_eq!(drafts[1].session_key.as_deref(), Some("old"));
}

#[test]
fn the_first_session_of_a_file_names_it() {
    check(
        &[line("session_meta", json!({"id": "parent", "cwd": "/elsewhere"})), shell("c1", "ls")],
        &["c1 agent.tool_use: shell"],
    );
    let records = [meta(json!({})), line("session_meta", json!({"id": "parent"})), shell("c1", "ls")];
    assert_eq!(drafts_of(&CODEX, &records)[0].session_key.as_deref(), Some("s"));
}

#[test]
fn what_gives_nothing_is_counted_by_reason() {
    let lines: [&[u8]; 6] = [
        br#"{"timestamp":"t","type":"world_state","payload":{}}"#,
        br#"{"timestamp":"t","type":"event_msg","payload":{"type":"token_count"}}"#,
        br#"{"timestamp":"t","type":"invented-tomorrow","payload":{}}"#,
        br#"{"timestamp":"t","type":"event_msg","payload":{"type":"user_message","message":"whose?"}}"#,
        b"not json",
        b"",
    ];
    assert_eq!(
        skips_of(&CODEX, &lines),
        [("bookkeeping", 2), ("broken", 1), ("no_session", 1), ("unknown_type", 1)]
    );
}

#[test]
fn what_agents_do_for_subcortex_itself_is_left_out() {
    let mut reader = CODEX.reader(Options { own_dirs: vec!["/p".into()], ..Options::default() });
    let mut drafts = Vec::new();
    for record in [meta(json!({})), user_event("fix it"), shell("c1", "ls")] {
        reader.line(record.to_string().as_bytes(), &mut drafts);
    }
    assert!(drafts.is_empty());
    assert_eq!(reader.counts().skipped["own_run"], 2);
}
