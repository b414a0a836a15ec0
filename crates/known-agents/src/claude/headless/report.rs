//! The lines of `claude --output-format=stream-json`, and what they mean.
//!
//! | line | what is taken from it |
//! |---|---|
//! | `system`, subtype `init` | the tools that it has |
//! | `system`, subtype `task_started` | the name of a subagent, where `result` does not count them |
//! | `assistant` | model, usage, called tools, kind of an error |
//! | `stream_event` | while it works: what each message took. The usage of `assistant` is that of a message's beginning |
//! | `result`, the last one | everything else |
//!
//! `result` says `subtype: success` for most failures. It is held to be good only if `is_error` is false, there is no
//! `api_error_status`, `terminal_reason` is `completed`, and what a schema asked for is there.

use serde_json::Value;
use subcortex_mind::{FailureKind, Usage};

use crate::headless::{JsonLine, Order, Progress, Report, count, text, words};

/// What `claude` reported.
pub(crate) fn report(lines: &[JsonLine], order: &Order) -> Report {
    let result = lines.iter().rev().find(|line| text(line, "type") == Some("result"));
    let mut report = Report {
        failure: Some((
            FailureKind::Garbage,
            "`claude` ended without a result; it was stopped from outside, or its output is not what is known".into(),
        )),
        usage: usage(lines, result),
        model: model(lines),
        denied: denied(lines, result),
        subagents: subagents(lines, result),
        commands: commands(lines),
        ..Report::default()
    };
    if let Some(result) = result {
        report.text = text(result, "result").unwrap_or_default().to_owned();
        report.structured = result.get("structured_output").filter(|value| !value.is_null()).cloned();
        report.cost_usd = result.get("total_cost_usd").and_then(Value::as_f64).filter(|usd| *usd >= 0.0);
        let turns = result.get("num_turns").and_then(Value::as_u64).unwrap_or(0);
        report.turns = u32::try_from(turns).unwrap_or(u32::MAX);
        report.failure = judge(result, lines, order);
    }
    report
}

/// Hears a line while `claude` works.
pub(crate) fn hear(line: &JsonLine, so_far: &mut Progress) {
    let speaker = text(line, "parent_tool_use_id").unwrap_or_default();
    match text(line, "type") {
        Some("assistant") => {
            let Some(message) = line.get("message") else { return };
            let id = message.get("id").and_then(Value::as_str).unwrap_or_default();
            so_far.wrote(id, message.get("usage").map_or(0, |usage| count(usage, "output_tokens")));
            commands_of(message).for_each(|command| so_far.runs(command));
        }
        Some("stream_event") => {
            let Some(event) = line.get("event") else { return };
            if let Some(id) = event.get("message").and_then(|message| message.get("id")?.as_str()) {
                so_far.begins(speaker, id);
            }
            if let Some(usage) = event.get("usage") {
                so_far.wrote_on(speaker, count(usage, "output_tokens"));
            }
        }
        _ => {}
    }
}

/// Why a result is no good one.
fn judge(result: &JsonLine, lines: &[JsonLine], order: &Order) -> Option<(FailureKind, String)> {
    let subtype = text(result, "subtype").unwrap_or_default();
    let reason = text(result, "terminal_reason");
    if subtype == "error_max_turns" || reason == Some("max_turns") {
        let limit = order.max_turns.max(1);
        return over_budget(&format!(
            "the limit of {limit} turns is reached; raise it, or make the task smaller"
        ));
    }
    if subtype == "error_max_budget_usd" || reason == Some("budget_exhausted") {
        let limit = order.max_usd.unwrap_or_default();
        return over_budget(&format!(
            "the limit of {limit} US dollars is reached; raise it, or make the task smaller"
        ));
    }
    let status = result.get("api_error_status").and_then(Value::as_u64);
    let has_failed = result.get("is_error") != Some(&Value::Bool(false)) || status.is_some();
    if has_failed || subtype != "success" || reason.is_some_and(|reason| reason != "completed") {
        let kind = match status {
            Some(status) => kind_of_status(status),
            None => kind_of_words(&said(result), error_of_last_message(lines), reason),
        };
        return Some((kind, explain(kind, result, status)));
    }
    let answered = if order.schema.is_some() { "structured_output" } else { "result" };
    match result.get(answered) {
        None | Some(Value::Null) => Some((
            FailureKind::Garbage,
            format!(
                "`claude` reported success without `{answered}`; the model did not give the answer that was asked for"
            ),
        )),
        Some(_) => None,
    }
}

fn over_budget(what: &str) -> Option<(FailureKind, String)> {
    Some((FailureKind::OverBudget, format!("`claude` stopped before it was done: {what}")))
}

fn kind_of_status(status: u64) -> FailureKind {
    match status {
        401 | 403 => FailureKind::Unauthorized,
        408 => FailureKind::TimedOut,
        429 | 503 | 529 => FailureKind::Busy,
        400..500 => FailureKind::Refused,
        _ => FailureKind::Unreachable,
    }
}

/// The kind of a failure without a status: by the name that the last message gives it, else by its words.
fn kind_of_words(said: &str, error: Option<&str>, reason: Option<&str>) -> FailureKind {
    match error {
        Some("authentication_failed" | "billing_error" | "oauth_org_not_allowed") => {
            FailureKind::Unauthorized
        }
        Some("rate_limit" | "overloaded") => FailureKind::Busy,
        Some("invalid_request" | "model_not_found") => FailureKind::Refused,
        Some("max_output_tokens") => FailureKind::Garbage,
        _ if said.contains("timed out") => FailureKind::TimedOut,
        _ if reason == Some("api_error") || said.starts_with("API Error") => FailureKind::Unreachable,
        _ => FailureKind::Garbage,
    }
}

/// What the CLI says about its failure.
fn said(result: &JsonLine) -> String {
    let errors = result.get("errors").and_then(Value::as_array);
    let mut parts: Vec<&str> = errors.into_iter().flatten().filter_map(Value::as_str).collect();
    parts.extend(text(result, "result"));
    if parts.is_empty() {
        parts.extend(text(result, "terminal_reason"));
        parts.extend(text(result, "subtype"));
    }
    parts.join("; ")
}

fn explain(kind: FailureKind, result: &JsonLine, status: Option<u64>) -> String {
    let said = words::shown(&said(result));
    let status = status.map(|status| format!(" (status {status})")).unwrap_or_default();
    let advice = match kind {
        FailureKind::Unauthorized => {
            "log in with `claude` in a terminal, or give it a key (`ANTHROPIC_API_KEY`)"
        }
        FailureKind::Refused => "see whether the model's name and the address are right",
        FailureKind::Busy => "it is tried again later",
        FailureKind::Unreachable => "see whether the network and the address of the model are right",
        FailureKind::TimedOut => "see whether the model answers; it is tried again later",
        FailureKind::Garbage | FailureKind::OverBudget | FailureKind::Cancelled => {
            "what it did is not counted as done"
        }
    };
    format!("`claude` failed{status}: {said}; {advice}")
}

fn assistants(lines: &[JsonLine]) -> impl DoubleEndedIterator<Item = (&JsonLine, &Value)> {
    lines
        .iter()
        .filter(|line| text(line, "type") == Some("assistant"))
        .filter_map(|line| line.get("message").map(|message| (line, message)))
}

/// What was given to `Bash`.
fn commands(lines: &[JsonLine]) -> Vec<String> {
    assistants(lines).flat_map(|(_, message)| commands_of(message)).map(str::to_owned).collect()
}

fn commands_of(message: &Value) -> impl Iterator<Item = &str> {
    let blocks = message.get("content").and_then(Value::as_array).into_iter().flatten();
    let calls = blocks.filter(|block| block.get("name").and_then(Value::as_str) == Some("Bash"));
    calls.filter_map(|call| call.get("input")?.get("command")?.as_str())
}

fn error_of_last_message(lines: &[JsonLine]) -> Option<&str> {
    assistants(lines).next_back().and_then(|(line, _)| text(line, "error"))
}

/// The model of the last message of the agent itself; those of subagents have a parent, and the CLI's own are synthetic.
fn model(lines: &[JsonLine]) -> Option<String> {
    let own = assistants(lines)
        .rev()
        .filter(|(line, _)| line.get("parent_tool_use_id").is_none_or(Value::is_null))
        .filter_map(|(_, message)| message.get("model").and_then(Value::as_str));
    own.into_iter().find(|model| *model != "<synthetic>").map(words::name)
}

/// Tokens by model where the result has them, because only they count subagents; else those of the result; without a
/// result those of the messages so far.
fn usage(lines: &[JsonLine], result: Option<&JsonLine>) -> Usage {
    let Some(result) = result else { return usage_so_far(lines) };
    let by_model = result.get("modelUsage").and_then(Value::as_object).filter(|models| !models.is_empty());
    let Some(by_model) = by_model else {
        return result.get("usage").map(usage_of_message).unwrap_or_default();
    };
    let mut all = Usage::default();
    for one in by_model.values() {
        all.add(&Usage {
            input: count(one, "inputTokens"),
            output: count(one, "outputTokens"),
            cache_read: count(one, "cacheReadInputTokens"),
            cache_write: count(one, "cacheCreationInputTokens"),
        });
    }
    all
}

/// One message can stand in several lines, with the same id.
fn usage_so_far(lines: &[JsonLine]) -> Usage {
    let mut by_id: std::collections::BTreeMap<&str, Usage> = std::collections::BTreeMap::new();
    for (_, message) in assistants(lines) {
        let id = message.get("id").and_then(Value::as_str).unwrap_or_default();
        by_id.insert(id, message.get("usage").map(usage_of_message).unwrap_or_default());
    }
    by_id.values().fold(Usage::default(), |mut all, one| {
        all.add(one);
        all
    })
}

fn usage_of_message(usage: &Value) -> Usage {
    Usage {
        input: count(usage, "input_tokens"),
        output: count(usage, "output_tokens"),
        cache_read: count(usage, "cache_read_input_tokens"),
        cache_write: count(usage, "cache_creation_input_tokens"),
    }
}

/// Tools that no rule permits, and tools that it called and does not have.
fn denied(lines: &[JsonLine], result: Option<&JsonLine>) -> Vec<String> {
    let denials = result.and_then(|result| result.get("permission_denials")).and_then(Value::as_array);
    let denials =
        denials.into_iter().flatten().filter_map(|one| one.get("tool_name").and_then(Value::as_str));
    let init = lines.iter().find(|line| text(line, "subtype") == Some("init"));
    let has: Option<Vec<&str>> = init
        .and_then(|init| init.get("tools"))
        .and_then(Value::as_array)
        .map(|tools| tools.iter().filter_map(Value::as_str).collect());
    let lacks = |name: &str| {
        // The tool for subagents has an old name in this list.
        has.as_ref().is_some_and(|has| !(has.contains(&name) || name == "Agent" && has.contains(&"Task")))
    };
    let called = assistants(lines)
        .filter_map(|(_, message)| message.get("content").and_then(Value::as_array))
        .flatten()
        .filter(|block| block.get("type").and_then(Value::as_str) == Some("tool_use"))
        .filter_map(|block| block.get("name").and_then(Value::as_str));
    words::names(denials.chain(called.filter(|name| lacks(name))))
}

fn subagents(lines: &[JsonLine], result: Option<&JsonLine>) -> Vec<String> {
    let by_type = result
        .and_then(|result| result.get("subagent_stats"))
        .and_then(|stats| stats.get("by_type"))
        .and_then(Value::as_object);
    if let Some(by_type) = by_type {
        return words::names(by_type.keys().map(String::as_str));
    }
    words::names(
        lines
            .iter()
            .filter(|line| text(line, "subtype") == Some("task_started"))
            .filter_map(|line| text(line, "subagent_type")),
    )
}
