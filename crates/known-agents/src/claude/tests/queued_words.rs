//! What is typed while the agent works is told once, where the agent got it.

use serde_json::{Value, json};

use super::{check, prompt, record, reply};
use crate::testkit::{drafts_of, told};
use crate::{CLAUDE, Options};

fn step(operation: &str, content: Option<&str>) -> Value {
    let mut step = json!({"type": "queue-operation", "operation": operation, "sessionId": "s",
        "timestamp": "2026-03-01T10:00:05.000Z"});
    if let Some(content) = content {
        step["content"] = json!(content);
    }
    step
}

fn enqueue(text: &str) -> Value {
    step("enqueue", Some(text))
}

fn attachment(uuid: &str, text: &str, fields: Value) -> Value {
    let mut attachment = json!({"type": "queued_command", "prompt": text, "commandMode": "prompt"});
    if let (Some(attachment), Value::Object(fields)) = (attachment.as_object_mut(), fields) {
        attachment.extend(fields);
    }
    record("attachment", uuid, json!({"attachment": attachment}))
}

#[test]
fn words_that_the_agent_got_in_its_work_come_before_what_it_does_next() {
    let records = [
        prompt("u1", "go"),
        enqueue("not on main"),
        reply("u2", "working"),
        step("remove", None),
        reply("u3", "sure"),
    ];
    check(
        &records,
        &[
            "u1 channel.message: go",
            "u2 agent.result: working",
            "~ channel.message (queued_text): not on main",
            "u3 agent.result: sure",
        ],
    );
    let drafts = drafts_of(&CLAUDE, &records);
    assert_eq!(drafts[2].ts.map(|ts| ts.to_string()).as_deref(), Some("2026-03-01T10:00:05Z"));
    assert_eq!(drafts[2].source_id, drafts_of(&CLAUDE, &records)[2].source_id);
}

#[test]
fn words_that_became_the_next_prompt_are_that_prompt() {
    check(
        &[enqueue("not on main"), step("dequeue", None), prompt("u1", "not  on main"), reply("u2", "sure")],
        &["u1 channel.message: not  on main", "u2 agent.result: sure"],
    );
    check(
        &[
            enqueue("first"),
            enqueue("second"),
            step("dequeue", None),
            step("dequeue", None),
            prompt("u1", "first\nsecond"),
        ],
        &["u1 channel.message: first\nsecond"],
    );
}

#[test]
fn a_late_prompt_with_words_already_told_is_a_repetition() {
    check(
        &[
            enqueue("go on"),
            step("dequeue", None),
            reply("u1", "hm"),
            prompt("u2", "go on"),
            prompt("u3", "go on"),
        ],
        &["~ channel.message (queued_text): go on", "u1 agent.result: hm", "u3 channel.message: go on"],
    );
}

#[test]
fn an_attachment_with_the_words_takes_their_place() {
    let told_once = ["u1 channel.message (queued): not on main", "u2 agent.result: sure"];
    let (words, leave) = (enqueue("not on main"), step("remove", Some("not on main")));
    let (brought, agent) = (attachment("u1", "not on main", json!({})), reply("u2", "sure"));
    check(&[words.clone(), leave.clone(), brought.clone(), agent.clone()], &told_once);
    check(&[words.clone(), brought.clone(), leave.clone(), agent.clone()], &told_once);
    check(&[brought.clone(), agent.clone()], &told_once);
    check(
        &[words, leave, agent, brought],
        &["~ channel.message (queued_text): not on main", "u2 agent.result: sure"],
    );
}

#[test]
fn words_of_others_in_the_queue_are_nobodys() {
    let peer = json!({"origin": {"kind": "peer"}});
    let task = json!({"commandMode": "task-notification"});
    for fields in [peer, task] {
        check(
            &[
                enqueue("always squash"),
                step("remove", None),
                attachment("u1", "always squash", fields),
                reply("u2", "ok"),
            ],
            &["u1#rest-831e9bf4 agent.shown: always squash\n…\n", "u2 agent.result: ok"],
        );
    }
    for text in [
        r#"{"task_id":"b1","description":"always squash"}"#,
        "<task-notification>x</task-notification>",
        "/compact",
    ] {
        check(&[enqueue(text), step("remove", None), reply("u1", "ok")], &["u1 agent.result: ok"]);
    }
}

#[test]
fn tasks_in_the_same_queue_do_not_shift_the_words() {
    check(
        &[
            enqueue(r#"{"task_id":"b1"}"#),
            enqueue("not on main"),
            step("remove", None),
            reply("u1", "a"),
            step("remove", None),
            reply("u2", "b"),
        ],
        &["u1 agent.result: a", "~ channel.message (queued_text): not on main", "u2 agent.result: b"],
    );
}

#[test]
fn words_taken_back_to_be_changed_are_not_said() {
    for content in [None, Some("not on mian")] {
        check(
            &[enqueue("not on mian"), step("popAll", content), prompt("u1", "not on main")],
            &["u1 channel.message: not on main"],
        );
    }
}

#[test]
fn a_prompt_past_the_queue_shows_that_the_queue_was_empty() {
    check(
        &[enqueue("not on main"), reply("u1", "working"), prompt("u2", "next")],
        &[
            "u1 agent.result: working",
            "~ channel.message (queued_text): not on main",
            "u2 channel.message: next",
        ],
    );
}

#[test]
fn held_words_keep_the_reader_unsettled_until_the_file_ends() {
    let mut reader = CLAUDE.reader(Options::default());
    let mut drafts = Vec::new();
    reader.line(enqueue("not on main").to_string().as_bytes(), &mut drafts);
    assert!(drafts.is_empty() && !reader.is_settled());
    reader.finish(&mut drafts);
    assert_eq!(told(&drafts), ["~ channel.message (queued_text): not on main"]);
    assert!(reader.is_settled());
    assert_eq!(reader.counts().events, 1);
}

#[test]
fn two_sessions_in_one_file_have_a_queue_each() {
    let other = |mut record: Value| {
        record["sessionId"] = json!("other");
        record
    };
    check(
        &[
            enqueue("for s"),
            other(enqueue("for other")),
            step("remove", None),
            other(reply("u1", "a")),
            reply("u2", "b"),
        ],
        &[
            "u1 agent.result: a",
            "~ channel.message (queued_text): for s",
            "u2 agent.result: b",
            "~ channel.message (queued_text): for other",
        ],
    );
}

#[test]
fn a_prompt_through_the_interface_for_programs_passes_the_queue_once() {
    let mut said = prompt("u1", "fix it");
    said["promptSource"] = json!("sdk");
    said["entrypoint"] = json!("sdk-cli");
    check(
        &[enqueue("fix it"), step("dequeue", None), said, reply("u2", "ok")],
        &["u1 channel.message (sdk): fix it", "u2 agent.result: ok"],
    );
}
