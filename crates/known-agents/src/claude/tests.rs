//! Sample records and what becomes of them.

use serde_json::{Value, json};

use crate::testkit::{drafts_of, skips_of, told};
use crate::transcript::{MAX_INPUT_BYTES, MAX_RESULT_BYTES};
use crate::{CLAUDE, Options};

mod human_words;
mod properties;
mod queued_words;

/// A record of the session `s` with these fields on top of the usual ones.
pub(super) fn record(kind: &str, uuid: &str, fields: Value) -> Value {
    let mut record = json!({
        "type": kind, "uuid": uuid, "sessionId": "s", "timestamp": "2026-03-01T10:00:00.000Z",
        "cwd": "/home/someone/project", "gitBranch": "topic", "isSidechain": false, "userType": "external",
    });
    if let (Some(record), Value::Object(fields)) = (record.as_object_mut(), fields) {
        record.extend(fields);
    }
    record
}

/// A prompt that somebody typed, with nothing special about it.
pub(super) fn prompt(uuid: &str, text: &str) -> Value {
    record("user", uuid, json!({"promptSource": "typed", "message": {"role": "user", "content": text}}))
}

/// The agent says something.
pub(super) fn reply(uuid: &str, text: &str) -> Value {
    record("assistant", uuid, json!({"message": {"id": uuid, "content": [{"type": "text", "text": text}]}}))
}

/// The agent calls a tool.
pub(super) fn call(uuid: &str, id: &str, name: &str, input: Value) -> Value {
    let block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
    record("assistant", uuid, json!({"message": {"id": uuid, "content": [block]}}))
}

/// A tool answers.
pub(super) fn result(uuid: &str, id: &str, content: Value, mut fields: Value) -> Value {
    let is_error =
        fields.as_object_mut().and_then(|fields| fields.remove("is_error")).unwrap_or(false.into());
    let block = json!({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error});
    let mut record = record("user", uuid, json!({"message": {"role": "user", "content": [block]}}));
    if let (Some(record), Value::Object(fields)) = (record.as_object_mut(), fields) {
        record.extend(fields);
    }
    record
}

#[track_caller]
pub(super) fn check(records: &[Value], expect: &[&str]) {
    assert_eq!(told(&drafts_of(&CLAUDE, records)), expect);
}

#[test]
fn a_prompt_carries_where_and_when_it_was_said() {
    let mut said = prompt("u1", "use tabs");
    said["promptId"] = json!("p1");
    let drafts = drafts_of(&CLAUDE, &[said]);
    let [draft] = drafts.as_slice() else { panic!("{drafts:?}") };
    assert_eq!(draft.event_type, "channel.message");
    assert_eq!((draft.source.kind.as_str(), draft.source.name.as_deref()), ("claude", Some("claude-code")));
    assert_eq!((draft.source_id.as_deref(), draft.key.as_deref()), (Some("s/u1"), Some("s/p1")));
    assert_eq!(draft.session_key.as_deref(), Some("s"));
    assert_eq!(draft.turn.as_deref(), Some("p1"));
    assert_eq!(draft.cwd.as_deref(), Some("/home/someone/project"));
    assert_eq!(draft.ts.map(|ts| ts.to_string()).as_deref(), Some("2026-03-01T10:00:00Z"));
    assert_eq!(Value::Object(draft.payload.clone()), json!({"text": "use tabs", "git_branch": "topic"}));
}

#[test]
fn every_block_of_a_record_has_an_id_of_its_own() {
    let blocks = json!([
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "first this"},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
        {"type": "tool_use", "id": "t2", "name": "Read", "input": {"file_path": "/a"}},
    ]);
    check(
        &[record("assistant", "u1", json!({"message": {"id": "m", "content": blocks}}))],
        &["u1 agent.result: first this", "t1 agent.tool_use: Bash", "t2 agent.tool_use: Read"],
    );
}

#[test]
fn an_answer_knows_the_tool_it_comes_from() {
    let records = [
        call("u1", "t1", "Bash", json!({"command": "false"})),
        result(
            "u2",
            "t1",
            json!("no luck"),
            json!({"is_error": true, "toolUseResult": {"interrupted": true}}),
        ),
        result("u3", "t9", json!([{"type": "text", "text": "a"}, {"type": "image"}]), json!({})),
    ];
    let drafts = drafts_of(&CLAUDE, &records);
    assert_eq!(
        Value::Object(drafts[1].payload.clone()),
        json!({"tool_name": "Bash", "tool_use_id": "t1", "is_error": true, "text": "no luck",
            "interrupted": true, "git_branch": "topic"})
    );
    assert_eq!(
        Value::Object(drafts[2].payload.clone()),
        json!({"tool_use_id": "t9", "is_error": false, "text": "a\n[image]", "git_branch": "topic"})
    );
}

#[test]
fn long_answers_and_inputs_are_cut_and_say_so() {
    let long = "x".repeat(10 * MAX_INPUT_BYTES);
    let records = [
        call("u1", "t1", "Write", json!({"content": long, "file_path": "/a"})),
        result("u2", "t1", json!(long), json!({})),
    ];
    let drafts = drafts_of(&CLAUDE, &records);
    let content = drafts[0].payload["input"]["content"].as_str().unwrap();
    assert!(content.contains("bytes cut]") && content.len() < MAX_INPUT_BYTES + 100);
    assert_eq!(drafts[0].payload["input"]["file_path"], "/a");
    let text = drafts[1].payload["text"].as_str().unwrap();
    assert!(text.contains("bytes cut]") && text.len() < MAX_RESULT_BYTES + 100);
}

#[test]
fn usage_is_told_once_a_message() {
    let usage =
        json!({"input_tokens": 7, "output_tokens": 1, "cache_read_input_tokens": 3, "service_tier": "x"});
    let part = |uuid: &str, message: &str, block: Value| {
        let message = json!({"id": message, "model": "some-model", "usage": usage, "content": [block]});
        record("assistant", uuid, json!({"requestId": "r", "message": message}))
    };
    let records = [
        part("u1", "m1", json!({"type": "thinking", "thinking": "hm"})),
        part("u2", "m1", json!({"type": "text", "text": "a"})),
        part("u3", "m1", json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {}})),
        part("u4", "m2", json!({"type": "text", "text": "b"})),
    ];
    let drafts = drafts_of(&CLAUDE, &records);
    let usages: Vec<bool> = drafts.iter().map(|draft| draft.payload.contains_key("usage")).collect();
    assert_eq!(usages, [true, false, true]);
    assert_eq!(
        drafts[0].payload["usage"],
        json!({"input_tokens": 7, "output_tokens": 1, "cache_read_input_tokens": 3})
    );
    assert_eq!(drafts[1].payload["model"], "some-model");
}

#[test]
fn a_subagents_work_counts_and_its_prompt_does_not() {
    let side = |mut record: Value| {
        record["isSidechain"] = json!(true);
        record["agentId"] = json!("a7");
        record
    };
    let records = [side(prompt("u1", "look for dead code")), side(call("u2", "t1", "Grep", json!({})))];
    let drafts = drafts_of(&CLAUDE, &records);
    assert_eq!(told(&drafts), ["u1#shown agent.shown: look for dead code", "t1 agent.tool_use: Grep"]);
    assert_eq!(drafts[1].payload["is_sidechain"], true);
    assert_eq!(drafts[1].payload["agent_id"], "a7");
}

#[test]
fn a_subagents_work_inside_of_progress_records_counts() {
    let inside = |uuid: &str, inner: Value| {
        record(
            "progress",
            uuid,
            json!({"data": {"type": "agent_progress", "agentId": "a7", "message": inner}}),
        )
    };
    let mut inner = call("i1", "t1", "Bash", json!({"command": "make test"}));
    for shared in ["sessionId", "cwd"] {
        inner.as_object_mut().unwrap().remove(shared);
    }
    let records = [
        inside("u1", prompt("i0", "run the tests")),
        inside("u2", inner),
        inside("u3", json!({"type": "progress", "data": {"type": "agent_progress"}})),
        record("progress", "u4", json!({"data": {"type": "bash_progress", "output": "agent_progress"}})),
    ];
    let drafts = drafts_of(&CLAUDE, &records);
    assert_eq!(told(&drafts), ["i0#shown agent.shown: run the tests", "t1 agent.tool_use: Bash"]);
    assert_eq!(drafts[1].payload["is_sidechain"], true);
    assert_eq!(drafts[1].payload["agent_id"], "a7");
}

#[test]
fn failures_of_the_service_are_errors() {
    let message =
        json!({"id": "m", "model": "<synthetic>", "content": [{"type": "text", "text": "API Error: 529"}]});
    check(
        &[
            record("assistant", "u1", json!({"isApiErrorMessage": true, "message": message})),
            record(
                "system",
                "u2",
                json!({"subtype": "api_error", "retryAttempt": 2,
                "error": {"status": 529, "error": {"error": {"message": "overloaded"}}}}),
            ),
            record(
                "system",
                "u3",
                json!({"subtype": "api_error", "error": {"cause": {"code": "ECONNRESET"}}}),
            ),
            record("system", "u4", json!({"subtype": "turn_duration", "durationMs": 5})),
        ],
        &[
            "u1 agent.error: API Error: 529",
            "u2 agent.error (api_error): 529 overloaded",
            "u3 agent.error (api_error): ECONNRESET",
        ],
    );
}

#[test]
fn loaded_memory_files_are_told() {
    let files =
        json!([{"path": "/p/CLAUDE.md", "type": "Project", "content": "x"}, {"path": "/h/CLAUDE.md"}]);
    let nested = json!({"type": "nested_memory", "path": "/p/sub/CLAUDE.md", "content": {"type": "Project"}});
    let records = [
        record("attachment", "u1", json!({"attachment": {"type": "instructions", "files": files}})),
        record("attachment", "u2", json!({"attachment": nested})),
        record("attachment", "u3", json!({"attachment": {"type": "todo_reminder"}})),
    ];
    check(
        &records,
        &[
            "~ memory.loaded: /p/CLAUDE.md",
            "~ memory.loaded: /h/CLAUDE.md",
            "~ memory.loaded: /p/sub/CLAUDE.md",
        ],
    );
    assert_eq!(drafts_of(&CLAUDE, &records)[2].payload["memory_type"], "Project");
}

#[test]
fn a_memory_file_counts_once_a_session_and_agent() {
    let loaded = |uuid: &str, agent: Option<&str>, path: &str| {
        let nested = json!({"type": "nested_memory", "path": path});
        record("attachment", uuid, json!({"attachment": nested, "agentId": agent}))
    };
    let drafts = drafts_of(
        &CLAUDE,
        &[
            loaded("u1", None, "/a"),
            loaded("u2", None, "/a"),
            loaded("u3", Some("a7"), "/a"),
            loaded("u4", None, "/b"),
        ],
    );
    let names: std::collections::HashSet<_> = drafts.iter().map(|draft| draft.key.clone()).collect();
    assert_eq!((drafts[0].key == drafts[1].key, names.len()), (true, 3));
}

#[test]
fn a_prompt_goes_by_its_id_and_what_else_carries_that_id_by_its_own() {
    let of_prompt = |mut record: Value| {
        record["promptId"] = json!("p1");
        record
    };
    let records = [
        of_prompt(prompt("u1", "use tabs")),
        of_prompt(prompt("u2", "and no semicolons")),
        of_prompt(prompt("u3", "[Request interrupted by user]")),
        of_prompt(result("u4", "t1", json!("ok"), json!({}))),
    ];
    check(
        &records,
        &[
            "p1 channel.message: use tabs",
            "u2 channel.message: and no semicolons",
            "u3 channel.command (interrupt): -",
            "t1:output agent.tool_result: ok",
        ],
    );
}

#[test]
fn a_record_copied_into_a_fork_keeps_the_name_of_the_original() {
    let mut copy = prompt("u9", "use tabs");
    copy["sessionId"] = json!("fork");
    copy["forkedFrom"] = json!({"sessionId": "s", "messageUuid": "u1"});
    let drafts = drafts_of(&CLAUDE, &[copy]);
    assert_eq!(drafts[0].source_id.as_deref(), Some("s/u1"));
    assert_eq!(drafts[0].session_key.as_deref(), Some("fork"));
    let mut copy = call("u9", "t1", "Bash", json!({}));
    copy["sessionId"] = json!("fork");
    copy["forkedFrom"] = json!({"sessionId": "s", "messageUuid": "u1"});
    assert_eq!(drafts_of(&CLAUDE, &[copy])[0].key.as_deref(), Some("s/t1"));
}

#[test]
fn what_agents_do_for_subcortex_itself_is_left_out() {
    let options = Options { own_dirs: vec!["/home/someone/.subcortex".into()], ..Options::default() };
    let mut reader = CLAUDE.reader(options);
    let mut drafts = Vec::new();
    for cwd in ["/home/someone/.subcortex", "/home/someone/.subcortex/var/run", "/home/someone/.subcortex2"] {
        let mut said = prompt("u", cwd);
        said["cwd"] = json!(cwd);
        reader.line(said.to_string().as_bytes(), &mut drafts);
    }
    reader.finish(&mut drafts);
    assert_eq!(told(&drafts), ["u channel.message: /home/someone/.subcortex2"]);
    assert_eq!(reader.counts().skipped["own_run"], 2);
}

#[test]
fn damaged_lines_cost_only_themselves() {
    let good = prompt("u1", "still here").to_string();
    let padded = [&[0; 40], good.as_bytes(), b"\r\n"].concat();
    let mut latin = good.clone().into_bytes();
    latin.splice(latin.len() - 2..latin.len() - 2, *b"\xFF");
    let cut_emoji = good.replace("still here", r"still \ud83d here");
    let lines: [&[u8]; 9] = [
        b"",
        b"  \r\n",
        b"not json",
        &good.as_bytes()[..30],
        b"[1,2]",
        &padded,
        &latin,
        cut_emoji.as_bytes(),
        br#"{"type":"user","message":{"content":"whose?"}}"#,
    ];
    let mut reader = CLAUDE.reader(Options::default());
    let mut drafts = Vec::new();
    lines.iter().for_each(|line| reader.line(line, &mut drafts));
    reader.finish(&mut drafts);
    assert_eq!(drafts.len(), 3);
    assert_eq!(drafts[2].payload["text"], "still \u{fffd} here");
    assert_eq!(reader.counts().records, 7);
    let skipped: Vec<_> = reader.counts().skipped.iter().map(|(reason, n)| (*reason, *n)).collect();
    assert_eq!(skipped, [("broken", 3), ("no_session", 1)]);
}

#[test]
fn fields_of_unexpected_types_cost_only_themselves() {
    let mut odd = prompt("u1", "still here");
    for field in ["promptId", "gitBranch", "planContent"] {
        odd[field] = json!([{"deep": 1}, 2]);
    }
    check(&[odd], &["u1 channel.message: still here"]);
    for field in ["timestamp", "cwd"] {
        let mut odd = prompt("u1", "still here");
        odd[field] = json!([{"deep": 1}, 2]);
        check(&[odd], &["u1 channel.message (prompt_text): still here"]);
    }
    // What says whose words these are is no small thing: nobody's, if it cannot be read.
    for field in ["isMeta", "origin", "promptSource", "toolUseResult"] {
        let mut odd = prompt("u1", "whose?");
        odd[field] = json!([{"deep": 1}, 2]);
        check(&[odd], &[]);
    }
    let message = json!({"content": [7, null, {"type": 5}, {"type": "text", "text": {}}, "loose"]});
    check(
        &[
            record("user", "u2", json!({"message": message})),
            record("assistant", "u3", json!({"message": 1})),
        ],
        &[],
    );
}

#[test]
fn bookkeeping_is_told_from_types_that_nobody_knows() {
    let lines: [&[u8]; 5] = [
        br#"{"type":"file-history-snapshot","snapshot":{"type":"user"}}"#,
        br#"{"parentUuid":null,"isSidechain":false,"attachment":{"type":"prompt_snapshot","x":"y"},"type":"attachment"}"#,
        br#"{"type":"progress","data":"never closed"#,
        br#"{"type":"invented-tomorrow"}"#,
        br#"{"no":"type at all"}"#,
    ];
    assert_eq!(skips_of(&CLAUDE, &lines), [("bookkeeping", 3), ("unknown_type", 2)]);
}

#[test]
fn records_without_a_session_belong_to_the_file() {
    let options = Options { fallback_session: Some("file-stem".into()), ..Options::default() };
    let mut drafts = Vec::new();
    let line = br#"{"type":"user","uuid":"u1","message":{"content":"use tabs"}}"#;
    let mut reader = CLAUDE.reader(options);
    reader.line(line, &mut drafts);
    reader.finish(&mut drafts);
    assert_eq!(drafts[0].source_id.as_deref(), Some("file-stem/u1"));
}

#[test]
fn one_line_of_a_private_key_that_was_read_with_an_offset_is_hidden() {
    let line = "q3J9xY1sT5uW8zA4bC6dE7fGhI0kLmN2oPqR9sTuVw3xYz5AbCd7EfGh1IjKl+/4";
    let answer = format!("     5→{line}\n");
    let read = |file: &str| {
        let input = json!({"file_path": file, "offset": 5, "limit": 1});
        let records =
            [call("a1", "t1", "Read", input), result("u1", "t1", json!(answer.as_str()), json!({}))];
        told(&drafts_of(&CLAUDE, &records)).join("\n")
    };
    assert!(!read("/etc/ssl/private/server.key").contains(line));
    assert!(!read("/home/someone/.ssh/id_ed25519").contains(line));
    assert!(read("/home/someone/project/data.txt").contains(line));
}
