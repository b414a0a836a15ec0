//! The lines of `codex exec --json`, and what they mean.
//!
//! | line | what is taken from it |
//! |---|---|
//! | `item.completed` with an `agent_message` | the text, the last one counts |
//! | `item.completed` with anything `declined` | what was denied |
//! | `item.started` with a `command_execution` | while it works: the command |
//! | `turn.completed` | usage; without it nothing went well |
//! | `turn.failed`, `error` | why |
//!
//! An `item` of type `error` is a note: runs that go well have them too.

use serde_json::Value;
use subcortex_mind::{FailureKind, Usage, json};

use crate::headless::{JsonLine, Order, Progress, Report, count, text, words};

/// How Codex says that a run has written more than it may.
const BUDGET_IS_USED_UP: &str = "token budget exhausted";

/// Hears a line while `codex` works: each command when it begins, and what a turn took when it is over.
pub(crate) fn hear(line: &JsonLine, so_far: &mut Progress) {
    match text(line, "type") {
        Some("item.started" | "item.completed") => {
            let item = line.get("item").filter(|item| kind(item) == "command_execution");
            if let Some(command) = item.and_then(|item| item.get("command")?.as_str()) {
                so_far.runs(command);
            }
        }
        Some("turn.completed") => {
            so_far.wrote("", line.get("usage").map_or(0, |usage| count(usage, "output_tokens")));
        }
        _ => {}
    }
}

/// What `codex` reported.
pub(crate) fn report(lines: &[JsonLine], order: &Order) -> Report {
    let items: Vec<&Value> = lines
        .iter()
        .filter(|line| text(line, "type") == Some("item.completed"))
        .filter_map(|line| line.get("item"))
        .collect();
    let said = items
        .iter()
        .rev()
        .find(|item| kind(item) == "agent_message")
        .and_then(|item| item.get("text").and_then(Value::as_str));
    let completed: Vec<&JsonLine> =
        lines.iter().filter(|line| text(line, "type") == Some("turn.completed")).collect();
    let declined = items
        .iter()
        .filter(|item| item.get("status").and_then(Value::as_str) == Some("declined"))
        .map(|item| kind(item));
    let structured = order.schema.as_ref().and(said).and_then(json::first_object).map(Value::Object);
    Report {
        failure: judge(
            lines,
            match said {
                _ if completed.is_empty() => Reached::MidTurn,
                None => Reached::Silence,
                Some(_) if order.schema.is_some() && structured.is_none() => Reached::Words,
                Some(_) => Reached::Answer,
            },
        ),
        text: said.unwrap_or_default().to_owned(),
        structured,
        usage: usage(&completed, lines, order),
        model: order.model.as_deref().map(words::name),
        turns: u32::try_from(completed.len()).unwrap_or(u32::MAX),
        denied: words::names(declined),
        commands: items
            .iter()
            .filter(|item| kind(item) == "command_execution")
            .filter_map(|item| Some(item.get("command")?.as_str()?.to_owned()))
            .collect(),
        ..Report::default()
    }
}

fn kind(item: &Value) -> &str {
    item.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// How far a turn came.
enum Reached {
    /// It did not end.
    MidTurn,
    /// It ended, and nothing was said.
    Silence,
    /// Something was said, without the object that was asked for.
    Words,
    /// What was asked for.
    Answer,
}

fn judge(lines: &[JsonLine], reached: Reached) -> Option<(FailureKind, String)> {
    if let Some(why) = failure(lines) {
        let kind = kind_of_words(why);
        let why = words::shown(why);
        let advice = match kind {
            FailureKind::Unauthorized => "log in with `codex login`, or give it a key",
            FailureKind::Refused => "see whether the model's name and the address are right",
            FailureKind::Busy | FailureKind::TimedOut => "it is tried again later",
            FailureKind::Unreachable => "see whether the network and the address of the model are right",
            FailureKind::Garbage | FailureKind::OverBudget | FailureKind::Cancelled => {
                "what it did is not counted as done"
            }
        };
        return Some((kind, format!("`codex` failed: {why}; {advice}")));
    }
    let garbage = |what: &str| Some((FailureKind::Garbage, format!("`codex` {what}")));
    match reached {
        Reached::MidTurn => garbage(
            "ended in the middle of its turn; it was stopped from outside, or its output is not what is known",
        ),
        Reached::Silence => garbage("ended its turn without a word"),
        Reached::Words => garbage("answered without the JSON object that was asked for"),
        Reached::Answer => None,
    }
}

/// Why the turn failed. An `error` that a completed turn follows was overcome.
fn failure(lines: &[JsonLine]) -> Option<&str> {
    lines.iter().rev().find_map(|line| match text(line, "type") {
        Some("turn.completed") => Some(None),
        Some("turn.failed") => Some(
            line.get("error")
                .and_then(|error| error.get("message"))
                .and_then(Value::as_str)
                .or(Some("no reason")),
        ),
        Some("error") => Some(text(line, "message").or(Some("no reason"))),
        _ => None,
    })?
}

/// Codex tells the kind of a failure in its words only.
fn kind_of_words(why: &str) -> FailureKind {
    let has = |words: &[&str]| words.iter().any(|word| why.contains(word));
    if has(&["401", "403", "Unauthorized", "Forbidden", "not logged in", "Missing environment variable"]) {
        FailureKind::Unauthorized
    } else if has(&[BUDGET_IS_USED_UP]) {
        FailureKind::OverBudget
    } else if has(&["429", "529", "503", "high demand", "usage limit", "overloaded", "at capacity"]) {
        FailureKind::Busy
    } else if has(&["status 400", "status 404", "status 422", "Bad Request", "Not Found"]) {
        FailureKind::Refused
    } else if has(&["timed out", "timeout", "idle"]) {
        FailureKind::TimedOut
    } else {
        FailureKind::Unreachable
    }
}

/// Codex counts what came from the cache as input too. A turn that used up its budget says nothing of what it took: that
/// was more than the budget.
fn usage(completed: &[&JsonLine], lines: &[JsonLine], order: &Order) -> Usage {
    let is_used_up = failure(lines).is_some_and(|why| why.contains(BUDGET_IS_USED_UP));
    let at_least =
        order.max_output_tokens.filter(|_| is_used_up).map_or(0, |budget| budget.saturating_add(1));
    let mut all = Usage { output: at_least, ..Usage::default() };
    for usage in completed.iter().filter_map(|line| line.get("usage")) {
        let (cache_read, cache_write) =
            (count(usage, "cached_input_tokens"), count(usage, "cache_write_input_tokens"));
        let input = count(usage, "input_tokens").saturating_sub(cache_read).saturating_sub(cache_write);
        all.add(&Usage { input, output: count(usage, "output_tokens"), cache_read, cache_write });
    }
    all
}
