//! Reports in the shape in which `claude` writes them.

use serde_json::{Value, json};
use subcortex_mind::{FailureKind, Usage};

use super::{hear, report};
use crate::headless::{Order, PermissionMode, Progress, Report, objects};

pub(super) fn order() -> Order {
    Order {
        run_id: "r1".into(),
        cwd: "/work".into(),
        prompt: "Say hello.".into(),
        model: None,
        tools: Vec::new(),
        max_turns: 4,
        max_usd: Some(0.5),
        max_output_tokens: None,
        gatekeeper: None,
        schema: None,
        subagents: None,
        readable: Vec::new(),
        changeable: Vec::new(),
        mode: PermissionMode::default(),
        writable: None,
        max_duration_ms: 60_000,
    }
}

fn read(output: &[Value], order: &Order) -> Report {
    let text: String = output.iter().map(|line| format!("{line}\n")).collect();
    report(&objects(&text), order)
}

/// A good result, changed by these fields; `null` takes one away.
fn result(changes: Value) -> Value {
    let mut result = json!({
        "duration_ms": 143, "is_error": false, "num_turns": 2, "subtype": "success", "api_error_status": null,
        "terminal_reason": "completed", "result": "Hello.", "total_cost_usd": 0.25, "type": "result",
        "permission_denials": [], "some_new_field": {"deep": [1]},
        "usage": {"input_tokens": 10, "output_tokens": 25, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 3},
    });
    for (key, value) in changes.as_object().unwrap() {
        let fields = result.as_object_mut().unwrap();
        if value.is_null() {
            fields.remove(key);
        } else {
            fields.insert(key.clone(), value.clone());
        }
    }
    result
}

fn assistant(id: &str, model: &str, content: Value) -> Value {
    json!({"type": "assistant", "parent_tool_use_id": null, "message": {"id": id, "model": model, "content": content,
        "usage": {"input_tokens": 100, "output_tokens": 1, "cache_read_input_tokens": 7}}})
}

#[test]
fn a_good_result_is_taken_over_in_every_field() {
    let output = [
        json!({"type": "system", "subtype": "init", "tools": ["Task", "Read"], "model": "m"}),
        assistant("a", "m-1", json!([{"type": "tool_use", "name": "Agent"}])),
        json!({"type": "assistant", "parent_tool_use_id": "t1", "message": {"id": "b", "model": "small"}}),
        assistant("c", "m-2", json!([{"type": "text", "text": "Hello."}])),
        assistant("d", "<synthetic>", json!([])),
        result(json!({
            "modelUsage": {
                "m-2": {"inputTokens": 20, "outputTokens": 50, "cacheReadInputTokens": 8, "cacheCreationInputTokens": 6},
                "small": {"inputTokens": 1, "outputTokens": 2, "cacheReadInputTokens": 3, "cacheCreationInputTokens": 4},
            },
            "subagent_stats": {"by_type": {"scanner": 2}},
        })),
    ];
    let report = read(&output, &order());
    assert_eq!(report.failure, None);
    assert_eq!((report.text.as_str(), report.turns, report.cost_usd), ("Hello.", 2, Some(0.25)));
    assert_eq!(report.usage, Usage { input: 21, output: 52, cache_read: 11, cache_write: 10 });
    assert_eq!(report.model.as_deref(), Some("m-2"));
    assert_eq!((report.denied.len(), report.subagents.as_slice()), (0, &["scanner".to_owned()][..]));
}

#[test]
fn what_older_versions_do_not_count_is_found_in_the_other_lines() {
    let output = [
        json!({"type": "system", "subtype": "init", "tools": ["Task", "Write"]}),
        json!({"type": "system", "subtype": "task_started", "subagent_type": "scanner"}),
        result(
            json!({"permission_denials": [{"tool_name": "Write", "tool_input": {}}, {"tool_name": "Write"}]}),
        ),
    ];
    let report = read(&output, &order());
    assert_eq!(report.failure, None, "a run can go well although something was denied");
    assert_eq!(report.usage, Usage { input: 10, output: 25, cache_read: 4, cache_write: 3 });
    assert_eq!((report.denied, report.subagents), (vec!["Write".to_owned()], vec!["scanner".to_owned()]));
}

#[test]
fn a_tool_that_it_does_not_have_counts_as_denied() {
    let output = [
        json!({"type": "system", "subtype": "init", "tools": ["Read"]}),
        assistant(
            "a",
            "m",
            json!([{"type": "tool_use", "name": "Bash"}, {"type": "tool_use", "name": "Read"}]),
        ),
        result(json!({})),
    ];
    assert_eq!(read(&output, &order()).denied, ["Bash"]);
}

#[track_caller]
fn check(changes: Value, kind: FailureKind, part: &str) {
    let report = read(&[result(changes)], &order());
    let (found, why) = report.failure.expect("it failed");
    assert_eq!(found, kind, "{why}");
    assert!(why.contains(part), "{why}");
    assert_eq!(report.usage.input, 10, "what it used in vain is counted");
}

#[test]
fn a_result_that_says_success_and_failed_has_failed() {
    let failed =
        |status: Value| json!({"is_error": true, "terminal_reason": "api_error", "api_error_status": status});
    check(failed(json!(401)), FailureKind::Unauthorized, "status 401");
    check(failed(json!(403)), FailureKind::Unauthorized, "log in");
    check(failed(json!(429)), FailureKind::Busy, "later");
    check(failed(json!(529)), FailureKind::Busy, "later");
    check(failed(json!(404)), FailureKind::Refused, "model's name");
    check(failed(json!(500)), FailureKind::Unreachable, "status 500");
    check(failed(json!(null)), FailureKind::Unreachable, "Hello.");
    check(json!({"is_error": null}), FailureKind::Garbage, "not counted");
    check(json!({"is_error": "false"}), FailureKind::Garbage, "not counted");
    check(json!({"api_error_status": 529}), FailureKind::Busy, "529");
    check(json!({"terminal_reason": "aborted_tools"}), FailureKind::Garbage, "not counted");
    check(
        json!({"subtype": "error_during_execution", "result": null}),
        FailureKind::Garbage,
        "error_during_execution",
    );
    check(json!({"result": null}), FailureKind::Garbage, "without `result`");
    check(
        json!({"is_error": true, "terminal_reason": "api_error", "result": "Request timed out"}),
        FailureKind::TimedOut,
        "timed out",
    );
}

#[test]
fn a_limit_that_was_reached_is_named() {
    check(json!({"subtype": "error_max_turns", "is_error": true}), FailureKind::OverBudget, "4 turns");
    check(json!({"terminal_reason": "max_turns"}), FailureKind::OverBudget, "4 turns");
    check(json!({"subtype": "error_max_budget_usd"}), FailureKind::OverBudget, "0.5 US dollars");
    check(json!({"terminal_reason": "budget_exhausted"}), FailureKind::OverBudget, "0.5 US dollars");
}

#[test]
fn a_failure_without_a_status_is_known_by_its_name() {
    for (error, kind) in [
        ("authentication_failed", FailureKind::Unauthorized),
        ("rate_limit", FailureKind::Busy),
        ("invalid_request", FailureKind::Refused),
        ("unknown", FailureKind::Unreachable),
    ] {
        let mut said = assistant("a", "<synthetic>", json!([]));
        said["error"] = json!(error);
        let output = [
            said,
            result(json!({"is_error": true, "terminal_reason": "api_error", "result": "Please log in"})),
        ];
        let report = read(&output, &order());
        assert_eq!(report.failure.map(|(kind, _)| kind), Some(kind), "{error}");
        assert_eq!(report.model, None);
    }
}

#[test]
fn an_answer_that_a_schema_asked_for_must_be_there() {
    let order = Order { schema: Some(json!({"type": "object"})), ..order() };
    let report = read(&[result(json!({}))], &order);
    let (kind, why) = report.failure.unwrap();
    assert_eq!(kind, FailureKind::Garbage);
    assert!(why.contains("structured_output"), "{why}");
    let good = read(&[result(json!({"structured_output": {"name": "n"}, "result": null}))], &order);
    assert_eq!((good.failure, good.structured), (None, Some(json!({"name": "n"}))));
}

#[test]
fn a_run_that_was_ended_early_tells_what_it_used_until_then() {
    let output =
        [assistant("a", "m", json!([])), assistant("a", "m", json!([])), assistant("b", "m", json!([]))];
    let report = read(&output, &order());
    assert_eq!(report.usage, Usage { input: 200, output: 2, cache_read: 14, cache_write: 0 });
    assert_eq!(report.failure.map(|(kind, _)| kind), Some(FailureKind::Garbage));
}

#[test]
fn the_last_result_counts_and_half_a_one_does_not() {
    let first = result(json!({"result": "first"}));
    let second = result(json!({"is_error": true}));
    assert!(read(&[first.clone(), second.clone()], &order()).failure.is_some());
    let only = first.to_string();
    let cut = only[..only.len() - 1].to_owned();
    assert!(report(&objects(&cut), &order()).failure.is_some());
}

#[test]
fn hostile_words_are_escaped_and_bounded() {
    let words =
        format!("\u{1b}[2J\nANTHROPIC_API_KEY=sk-ant-api03-{} {}", "a1B2".repeat(20), "x".repeat(100_000));
    let output = [
        assistant("a", "m\u{1b}[2J", json!([])),
        result(json!({"is_error": true, "result": words, "num_turns": u64::MAX, "total_cost_usd": -1,
            "permission_denials": [{"tool_name": "a\nb"}, 7, {"tool_name": 1}], "modelUsage": {"m": 3, "n": {"inputTokens": u64::MAX}}})),
    ];
    let report = read(&output, &order());
    let (_, why) = report.failure.unwrap();
    assert!(!why.contains(char::is_control) && !why.contains("a1B2a1B2") && why.len() < 2_000, "{why}");
    assert_eq!((report.turns, report.cost_usd, report.usage.input), (u32::MAX, None, u64::MAX));
    assert_eq!((report.denied, report.model.as_deref()), (vec!["a\\nb".to_owned()], Some("m\\u{1b}[2J")));
}

#[test]
fn what_it_writes_and_runs_is_heard_while_it_works() {
    let event = |event: Value| json!({"type": "stream_event", "parent_tool_use_id": null, "event": event});
    let output = [
        event(json!({"type": "message_start", "message": {"id": "a", "usage": {"output_tokens": 1}}})),
        assistant(
            "a",
            "m",
            json!([{"type": "tool_use", "name": "Bash", "input": {"command": "git push -f"}}]),
        ),
        event(json!({"type": "message_delta", "usage": {"output_tokens": 25}})),
        event(json!({"type": "message_start", "message": {"id": "b"}})),
        event(json!({"type": "message_delta", "usage": {"output_tokens": 30}})),
        json!({"type": "user", "message": {"content": "words"}}),
    ];
    let text: String = output.iter().map(|line| format!("{line}\n")).collect();
    let mut so_far = Progress::default();
    objects(&text).iter().for_each(|line| hear(line, &mut so_far));
    assert_eq!((so_far.output_tokens(), so_far.commands()), (55, &["git push -f".to_owned()][..]));
}
