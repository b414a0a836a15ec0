//! Inputs as the real programs send them, and what becomes of them.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use subcortex_model::Draft;
use subcortex_store::RealDisk;

use super::*;
use crate::{AGENTS, CLAUDE, Options};

fn call<'a>(event: &'a str, input: &'a [u8]) -> Call<'a> {
    Call { event, agents: AGENTS, input, entrypoint: Some("cli"), own_dirs: vec!["/own/home".into()] }
}

fn told(event: &str, input: &Value) -> Result<Vec<String>, Problem> {
    let input = input.to_string();
    Ok(drafts(&RealDisk, &call(event, input.as_bytes()))?.iter().map(line).collect())
}

fn line(draft: &Draft) -> String {
    let field = |key: &str| draft.payload.get(key).and_then(Value::as_str);
    let text = ["text", "error", "path", "tool_name", "reason"].into_iter().find_map(field).unwrap_or("-");
    let flags: String = ["is_error", "refused", "interrupted", "is_sidechain"]
        .into_iter()
        .filter(|flag| draft.payload.get(*flag) == Some(&Value::Bool(true)))
        .map(|flag| format!(" {flag}"))
        .collect();
    let via = field("via").map(|via| format!(" ({via})")).unwrap_or_default();
    format!(
        "{} {}{via}: {text}{flags}",
        draft.key.as_deref().or(draft.source_id.as_deref()).unwrap_or("-"),
        draft.event_type
    )
}

#[track_caller]
fn check(event: &str, fields: Value, expect: &[&str]) {
    assert_eq!(told(event, &claude(fields)).unwrap(), expect, "{event}");
}

/// An input of Claude Code with these fields on top of the usual ones, in a session without a transcript.
fn claude(fields: Value) -> Value {
    let mut input = json!({"session_id": "s", "transcript_path": "/nowhere/s.jsonl", "cwd": "/p",
        "prompt_id": "p1", "permission_mode": "default"});
    if let (Some(input), Value::Object(fields)) = (input.as_object_mut(), fields) {
        input.extend(fields);
    }
    input
}

fn bash(fields: Value) -> Value {
    let mut input = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"});
    if let (Some(input), Value::Object(fields)) = (input.as_object_mut(), fields) {
        input.extend(fields);
    }
    input
}

#[test]
fn each_event_becomes_what_it_says() {
    check("UserPromptSubmit", json!({"prompt": "use tabs"}), &["s/p1 channel.message: use tabs"]);
    check(
        "UserPromptSubmit",
        json!({"prompt": "/review src now"}),
        &["s/p1 channel.command: /review src now"],
    );
    check("UserPromptSubmit", json!({"prompt": "<task-notification>x</task-notification>"}), &[]);
    check("UserPromptSubmit", json!({"prompt": "use tabs", "source": "poll_event"}), &[]);
    check("PreToolUse", bash(json!({})), &["s/t1 agent.tool_use: Bash"]);
    check(
        "PostToolUse",
        bash(json!({"tool_response": {"stdout": "a", "stderr": "b", "interrupted": false}})),
        &["s/t1 agent.tool_use: Bash", "s/t1:output agent.tool_result: a\nb"],
    );
    check(
        "PostToolUseFailure",
        bash(json!({"error": "Exit code 2", "is_interrupt": true, "agent_id": "a7"})),
        &[
            "s/t1 agent.tool_use: Bash is_sidechain",
            "s/t1:output agent.tool_result: Exit code 2 is_error interrupted is_sidechain",
        ],
    );
    check(
        "PermissionDenied",
        bash(json!({"reason": "not allowed"})),
        &["s/t1 agent.tool_use: Bash", "s/t1:output agent.tool_result: not allowed is_error refused"],
    );
    check(
        "InstructionsLoaded",
        json!({"file_path": "/p/CLAUDE.md", "memory_type": "Project", "load_reason": "include"}),
        &[&format!(
            "{} memory.loaded: /p/CLAUDE.md",
            crate::transcript::memory_file_name("s", "", "/p/CLAUDE.md")
        )],
    );
    check("SessionEnd", json!({"reason": "clear"}), &["- agent.session_end: clear"]);
    for silent in SILENT {
        check(silent, json!({}), &[]);
    }
}

#[test]
fn calls_of_a_batch_that_nobody_told_were_refused() {
    let calls = json!([
        {"tool_name": "Write", "tool_input": {}, "tool_use_id": "t1", "tool_response": "not granted"},
        {"tool_name": "Agent", "tool_input": {}, "tool_use_id": "t2", "tool_response": [{"type": "text", "text": "x"}]},
        {"tool_name": "Broken"}, 7,
    ]);
    check(
        "PostToolBatch",
        json!({"tool_calls": calls}),
        &[
            "s/t1 agent.tool_use: Write",
            "s/t1:output agent.tool_result: not granted is_error",
            "s/t2 agent.tool_use: Agent",
            "s/t2:output agent.tool_result: x is_error",
        ],
    );
}

#[test]
fn what_only_the_transcript_can_name_is_left_to_it() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    let said = json!({"last_assistant_message": "done"});
    check("Stop", said.clone(), &["- agent.result: done"]);
    check("StopFailure", json!({"error": "overloaded"}), &["- agent.error: overloaded"]);
    check(
        "UserPromptSubmit",
        json!({"prompt": "use tabs", "prompt_id": null}),
        &["- channel.message (prompt_text): use tabs"], // it cannot be held against its record, so it is asked about at most
    );
    for (event, key, mut fields) in [
        ("Stop", "transcript_path", said.clone()),
        ("SubagentStop", "agent_transcript_path", said),
        ("StopFailure", "transcript_path", json!({"error": "overloaded"})),
        ("UserPromptSubmit", "transcript_path", json!({"prompt": "use tabs", "prompt_id": null})),
    ] {
        fields[key] = json!(path);
        check(event, fields, &[]);
    }
}

#[test]
fn prompts_of_scripts_are_marked_and_own_runs_left_out() {
    let input = claude(json!({"prompt": "fix it"})).to_string();
    let script = Call { entrypoint: Some("sdk-cli"), ..call("UserPromptSubmit", input.as_bytes()) };
    let told: Vec<String> = drafts(&RealDisk, &script).unwrap().iter().map(line).collect();
    assert_eq!(told, ["s/p1 channel.message (sdk): fix it"]);
    check("UserPromptSubmit", json!({"prompt": "fix it", "cwd": "/own/home/var"}), &[]);
}

#[test]
fn answers_to_questions_are_told_with_the_names_that_the_transcript_gives_them() {
    let questions = json!([{"question": "Port?", "options": [{"label": "80"}]}]);
    let response = json!({"questions": questions, "answers": {"Port?": "never a fixed one"}});
    let fields = json!({"tool_name": "AskUserQuestion", "tool_input": {"questions": questions},
        "tool_use_id": "t1", "tool_response": response});
    let told = told("PostToolUse", &claude(fields)).unwrap();
    assert_eq!(told[2], "s/t1:output#2 channel.message (typed_answer): never a fixed one");
}

#[test]
fn garbage_is_named() {
    let problem = |event: &str, input: &[u8]| drafts(&RealDisk, &call(event, input)).unwrap_err();
    assert_eq!(problem("Stop", b" \n"), Problem::Empty);
    assert!(matches!(problem("Stop", b"{\"a\":"), Problem::NotJson(_)));
    assert!(matches!(problem("Stop", b"[1]"), Problem::NotJson(_)));
    assert!(matches!(problem("Stop", b"\0\xff"), Problem::NotJson(_)));
    assert_eq!(problem("Stop", b"{}"), Problem::NoSession);
    assert_eq!(problem("PreToolUse", br#"{"session_id":"s"}"#), Problem::Missing("tool_use_id"));
    assert_eq!(problem("Invented", br#"{"session_id":"s"}"#), Problem::UnknownEvent);
    // Fields of other types cost only themselves; half an emoji is half a character.
    let odd = br#"{"session_id":"s","prompt_id":"p1","cwd":7,"prompt":"use \ud83d tabs","model":[]}"#;
    let told: Vec<_> = drafts(&RealDisk, &call("UserPromptSubmit", odd)).unwrap().iter().map(line).collect();
    assert_eq!(told, ["s/p1 channel.message: use \u{fffd} tabs"]);
}

/// A session of Codex with a rollout that has its first line.
fn codex(dir: &std::path::Path, source: &str, fields: Value) -> Value {
    let path = dir.join("rollout-x.jsonl");
    let meta = json!({"type": "session_meta", "payload": {"id": "s", "cwd": "/p", "source": source}});
    #[allow(clippy::disallowed_methods)]
    std::fs::write(&path, format!("{meta}\n")).unwrap();
    let mut input = json!({"session_id": "s", "turn_id": "t1", "cwd": "/p", "model": "m",
        "transcript_path": path});
    if let (Some(input), Value::Object(fields)) = (input.as_object_mut(), fields) {
        input.extend(fields);
    }
    input
}

#[test]
fn codex_is_recognised_and_its_rollout_says_who_speaks() {
    let dir = tempfile::tempdir().unwrap();
    let check = |event: &str, source: &str, fields: Value, expect: &[&str]| {
        assert_eq!(told(event, &codex(dir.path(), source, fields)).unwrap(), expect, "{event}");
    };
    check("UserPromptSubmit", "cli", json!({"prompt": "use tabs"}), &["s/t1 channel.message: use tabs"]);
    check(
        "UserPromptSubmit",
        "exec",
        json!({"prompt": "use tabs"}),
        &["s/t1 channel.message (sdk): use tabs"],
    );
    let shell = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "c1", "tool_response": "a"});
    check("PreToolUse", "cli", shell.clone(), &["s/c1 agent.tool_use: Bash"]);
    check("PostToolUse", "cli", shell.clone(), &[]);
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Add File: b\n+y\n*** End Patch";
    let patch = json!({"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_use_id": "c2"});
    check(
        "PreToolUse",
        "cli",
        patch,
        &["s/c2 agent.tool_use: apply_patch", "s/c2#2 agent.tool_use: apply_patch"],
    );
    check("Stop", "cli", json!({"last_assistant_message": "done"}), &[]);
    check("SessionEnd", "cli", json!({"reason": "other"}), &["- agent.session_end: other"]);
    let gone = json!({"transcript_path": "/nowhere/rollout-y.jsonl", "last_assistant_message": "done"});
    check("Stop", "cli", gone, &["- agent.result: done"]);
    let mut gone = shell;
    gone["transcript_path"] = json!("/nowhere/rollout-y.jsonl");
    check("PostToolUse", "cli", gone, &["s/c1 agent.tool_use: Bash", "s/c1:output agent.tool_result: a"]);
}

#[test]
fn hooks_and_transcript_of_a_session_give_the_same_names() {
    let record = |kind: &str, uuid: &str, fields: Value| {
        let mut record = json!({"type": kind, "uuid": uuid, "sessionId": "s", "cwd": "/p", "isSidechain": false, "timestamp": "2026-03-01T10:00:00Z"});
        if let (Some(record), Value::Object(fields)) = (record.as_object_mut(), fields) {
            record.extend(fields);
        }
        record.to_string()
    };
    let block = |block: Value| json!({"message": {"role": "user", "content": [block]}, "promptId": "p1"});
    let transcript = [
        record(
            "user",
            "u1",
            json!({"message": {"role": "user", "content": "use tabs"}, "promptId": "p1", "promptSource": "typed"}),
        ),
        record(
            "attachment",
            "u2",
            json!({"attachment": {"type": "instructions", "files": [{"path": "/p/CLAUDE.md"}]}}),
        ),
        record(
            "assistant",
            "u3",
            block(json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}})),
        ),
        record("user", "u4", block(json!({"type": "tool_result", "tool_use_id": "t1", "content": "a"}))),
    ];
    let mut reader = CLAUDE.reader(Options::default());
    let mut later = Vec::new();
    transcript.iter().for_each(|line| reader.line(line.as_bytes(), &mut later));
    let live = [
        ("UserPromptSubmit", json!({"prompt": "use tabs"})),
        ("InstructionsLoaded", json!({"file_path": "/p/CLAUDE.md"})),
        ("PreToolUse", bash(json!({}))),
        ("PostToolUse", bash(json!({"tool_response": {"stdout": "a", "stderr": ""}}))),
    ];
    let live: Vec<Draft> = live
        .into_iter()
        .flat_map(|(event, fields)| {
            drafts(&RealDisk, &call(event, claude(fields).to_string().as_bytes())).unwrap()
        })
        .collect();
    let facts = |drafts: &[Draft]| -> BTreeSet<String> { drafts.iter().map(line).collect() };
    assert_eq!(facts(&live), facts(&later));
    assert!(live.iter().all(|draft| draft.payload.contains_key("hook")));
}

#[test]
fn the_broadcast_is_injected_whole_or_cut_at_a_line() {
    let dir = tempfile::tempdir().unwrap();
    let broadcast = dir.path().join("CLAUDE.md");
    let input = claude(json!({"source": "startup"})).to_string();
    let inject = |text: Option<&str>, priority: &str| {
        #[allow(clippy::disallowed_methods)]
        if let Some(text) = text {
            std::fs::write(&broadcast, text).unwrap();
            std::fs::write(dir.path().join("priority.md"), priority).unwrap();
        }
        let call = call("SessionStart", input.as_bytes());
        injection(&RealDisk, &call, &broadcast, None).unwrap().map(|found| {
            let answer: Value = serde_json::from_str(&found.answer).unwrap();
            assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "SessionStart");
            (answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned(), found.draft)
        })
    };
    assert!(inject(None, "").is_none());
    assert!(inject(Some(" \n"), "").is_none());
    let (text, draft) = inject(Some("@priority.md\n- a rule\n"), "- mine first\n").unwrap();
    assert_eq!(text, "- mine first\n- a rule");
    assert_eq!((draft.event_type.as_str(), draft.session_key.as_deref()), ("memory.loaded", Some("s")));
    let (long, _) = inject(Some(&"- ein Grundsatz für alle\n".repeat(1000)), "").unwrap();
    assert!(long.chars().count() <= MAX_INJECTED_CHARS);
    let lines: Vec<&str> = long.lines().collect();
    let (last, rules) = lines.split_last().unwrap();
    assert!(last.starts_with("(cut short"), "{last}");
    assert!(rules.iter().all(|rule| *rule == "- ein Grundsatz für alle"));
}
