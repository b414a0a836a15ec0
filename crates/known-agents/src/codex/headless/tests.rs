//! Reports in the shape in which `codex` writes them.

use serde_json::{Value, json};
use subcortex_mind::{FailureKind, Usage};

use super::hear;
use super::report;
use crate::headless::{Order, PermissionMode, Progress, Report, objects};

fn read(output: &[Value], schema: Option<Value>) -> Report {
    read_within(output, schema, None)
}

fn read_within(output: &[Value], schema: Option<Value>, max_output_tokens: Option<u64>) -> Report {
    let order = Order {
        run_id: "r1".into(),
        cwd: "/work".into(),
        prompt: "Say hello.".into(),
        model: Some("some-model".into()),
        tools: Vec::new(),
        max_turns: 4,
        max_usd: None,
        max_output_tokens,
        gatekeeper: None,
        schema,
        subagents: None,
        readable: Vec::new(),
        changeable: Vec::new(),
        mode: PermissionMode::default(),
        writable: None,
        max_duration_ms: 60_000,
    };
    let text: String = output.iter().map(|line| format!("{line}\n")).collect();
    report(&objects(&text), &order)
}

fn said(text: &str) -> Value {
    json!({"type": "item.completed", "item": {"id": "item_1", "type": "agent_message", "text": text}})
}

fn completed() -> Value {
    json!({"type": "turn.completed", "usage": {"input_tokens": 30, "cached_input_tokens": 8,
        "cache_write_input_tokens": 2, "output_tokens": 40, "reasoning_output_tokens": 5}})
}

#[test]
fn the_last_message_of_a_completed_turn_is_the_answer() {
    let note = json!({"type": "item.completed", "item": {"type": "error", "message": "a note"}});
    let overcome = json!({"type": "error", "message": "Reconnecting... 1/1 (status 401 Unauthorized)"});
    let declined =
        json!({"type": "item.completed", "item": {"type": "command_execution", "status": "declined"}});
    let report = read(
        &[note, overcome, said("I look."), declined, said("Hello."), completed(), json!({"type": "new"})],
        None,
    );
    assert_eq!(report.failure, None);
    assert_eq!((report.text.as_str(), report.turns, report.cost_usd), ("Hello.", 1, None));
    assert_eq!(report.usage, Usage { input: 20, output: 40, cache_read: 8, cache_write: 2 });
    assert_eq!(report.denied, ["command_execution"]);
}

#[track_caller]
fn check(output: &[Value], kind: FailureKind, part: &str) {
    let (found, why) = read(output, None).failure.expect("it failed");
    assert_eq!(found, kind, "{why}");
    assert!(why.contains(part) && !why.contains(char::is_control), "{why}");
}

#[test]
fn a_turn_that_failed_says_why() {
    let failed = |message: &str| [json!({"type": "turn.failed", "error": {"message": message}})];
    check(
        &failed("unexpected status 401 Unauthorized: no\u{1b}[2J"),
        FailureKind::Unauthorized,
        "codex login",
    );
    check(&failed("exceeded retry limit, last status: 429 Too Many Requests"), FailureKind::Busy, "429");
    check(&failed("We are experiencing high demand"), FailureKind::Busy, "later");
    check(&failed("unexpected status 404 Not Found"), FailureKind::Refused, "model's name");
    check(&failed("stream disconnected before completion"), FailureKind::Unreachable, "network");
    check(&failed("request timed out"), FailureKind::TimedOut, "later");
    check(&[json!({"type": "turn.failed", "error": 3})], FailureKind::Unreachable, "no reason");
    check(
        &[said("Hello."), json!({"type": "error", "message": "stream closed"})],
        FailureKind::Unreachable,
        "closed",
    );
}

#[test]
fn a_budget_that_is_used_up_counts_as_more_than_it_was() {
    let failed =
        json!({"type": "turn.failed", "error": {"message": "shared rollout token budget exhausted"}});
    let report = read_within(&[failed], None, Some(700));
    assert_eq!(report.failure.map(|(kind, _)| kind), Some(FailureKind::OverBudget));
    assert_eq!(report.usage, Usage { output: 701, ..Usage::default() });
}

#[test]
fn a_command_is_heard_when_it_begins_and_what_a_turn_took_when_it_ends() {
    let mut so_far = Progress::default();
    let command = |what: &str| json!({"type": what, "item": {"type": "command_execution", "command": "bash -lc 'git push'", "status": "in_progress"}});
    let text: String = [command("item.started"), command("item.completed"), completed()]
        .map(|line| format!("{line}\n"))
        .concat();
    let lines = objects(&text);
    hear(&lines[0], &mut so_far);
    assert_eq!(so_far.commands(), ["bash -lc 'git push'"]);
    lines.iter().for_each(|line| hear(line, &mut so_far));
    assert_eq!((so_far.commands().len(), so_far.output_tokens()), (1, 40));
}

#[test]
fn a_turn_that_does_not_end_or_says_nothing_is_no_answer() {
    check(&[said("Hello.")], FailureKind::Garbage, "middle of its turn");
    check(&[completed()], FailureKind::Garbage, "without a word");
}

#[test]
fn the_object_that_was_asked_for_must_be_in_the_answer() {
    let schema = || Some(json!({"type": "object"}));
    let good = read(&[said("Here: {\"name\": \"n\"}"), completed()], schema());
    assert_eq!((good.failure, good.structured), (None, Some(json!({"name": "n"}))));
    let (kind, why) = read(&[said("I would rather not."), completed()], schema()).failure.unwrap();
    assert_eq!(kind, FailureKind::Garbage);
    assert!(why.contains("JSON object"), "{why}");
}
