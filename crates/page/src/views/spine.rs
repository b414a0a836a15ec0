//! The newest events of the log.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};
use subcortex_model::Gate;
use subcortex_spine::{Cursor, Envelope, Item, Reader, list_days};
use subcortex_web::Call;

use crate::{Page, PageError};

/// How much of the end of the log is read for the first look, in bytes.
const MAX_TAIL_BYTES: u64 = 4 * 1024 * 1024;
/// How many events are shown when nobody says.
const USUAL: u64 = 100;
/// How many events are shown at most.
const MOST: u64 = 1_000;
/// The longest text of an event, in characters.
const MAX_TEXT_CHARS: usize = 1_000;

#[derive(Debug, Serialize)]
pub(crate) struct Events {
    /// Oldest first.
    events: Vec<Told>,
    /// What `after` takes to go on behind them.
    cursor: Option<String>,
}

#[derive(Debug, Serialize)]
struct Told {
    id: String,
    ts: String,
    #[serde(rename = "type")]
    event_type: String,
    kind: Option<String>,
    /// Whether it may become evidence: it came from outside.
    external: bool,
    session: Option<String>,
    text: String,
}

/// What is to be shown.
struct Filter<'a> {
    kind: Option<&'a str>,
    event_type: Option<&'a str>,
    session: Option<&'a str>,
    text: Option<String>,
}

impl Filter<'_> {
    fn lets_through(&self, envelope: &Envelope<'_>) -> bool {
        self.kind.is_none_or(|kind| envelope.kind.as_deref() == Some(kind))
            && self.event_type.is_none_or(|wanted| envelope.event_type == wanted)
            && self.session.is_none_or(|session| envelope.session_key.as_deref() == Some(session))
    }
}

pub(crate) fn spine(page: &Page, call: &Call) -> Result<Events, PageError> {
    let filter = Filter {
        kind: call.text("kind").filter(|text| !text.is_empty()),
        event_type: call.text("type").filter(|text| !text.is_empty()),
        session: call.text("session").filter(|text| !text.is_empty()),
        text: call.text("text").filter(|text| !text.is_empty()).map(str::to_lowercase),
    };
    let limit = usize::try_from(call.number("limit").unwrap_or(USUAL).min(MOST)).unwrap_or_default();
    let from = match call.text("after") {
        Some(after) => {
            Some(cursor(after).ok_or_else(|| PageError::Unfit("`after` names no place in the log".into()))?)
        }
        None => tail(page)?,
    };
    let mut reader = Reader::open(Arc::clone(page.helm.disk()), &page.helm.home().spine().events, from)?;
    let mut events: VecDeque<Told> = VecDeque::new();
    reader.read(|_, item| {
        // What is damaged is told by `spine verify`; a first look begins in the middle of a record.
        if let Item::Record { envelope, .. } = item
            && filter.lets_through(&envelope)
        {
            let told = told(&envelope);
            if filter.text.as_ref().is_none_or(|text| told.text.to_lowercase().contains(text)) {
                events.push_back(told);
            }
            if events.len() > limit {
                events.pop_front();
            }
        }
        ControlFlow::Continue(())
    })?;
    let cursor = reader.cursor().map(|cursor| format!("{}:{}", cursor.file, cursor.offset));
    Ok(Events { events: events.into(), cursor })
}

fn cursor(after: &str) -> Option<Cursor> {
    let (file, offset) = after.rsplit_once(':')?;
    let cursor = Cursor { file: file.to_owned(), offset: offset.parse().ok()?, last_id: None };
    cursor.day().is_some().then_some(cursor)
}

/// Where the end of the log begins.
fn tail(page: &Page) -> Result<Option<Cursor>, PageError> {
    let disk = page.helm.disk();
    let (days, _) = list_days(&**disk, &page.helm.home().spine().events)?;
    let mut left = MAX_TAIL_BYTES;
    let mut from = None;
    for file in days.iter().rev().take_while(|file| !file.compressed) {
        let len = disk.stat(&file.path).map_or(0, |stat| stat.len);
        from = Some(Cursor { offset: len.saturating_sub(left), ..Cursor::at_start_of(file.day) });
        left = left.saturating_sub(len);
        if left == 0 {
            break;
        }
    }
    Ok(from.or_else(|| days.last().map(|file| Cursor::at_start_of(file.day))))
}

/// Fields that say nothing to somebody who looks: bookkeeping of the agent's.
const UNSAID: [&str; 6] = ["usage", "model", "git_branch", "tool_use_id", "hash", "uuid"];

/// A payload without a text of its own: what a tool was given, or the fields one by one.
fn in_words(payload: &Map<String, Value>) -> String {
    if let (Some(tool), Some(input)) =
        (payload.get("tool_name").and_then(Value::as_str), payload.get("input"))
    {
        let command = input.get("command").and_then(Value::as_str);
        let given =
            command.map_or_else(|| input.as_object().map_or_else(|| plain(input), in_words), str::to_owned);
        return format!("{tool}: {given}");
    }
    let told = payload.iter().filter(|(name, value)| !UNSAID.contains(&name.as_str()) && !value.is_null());
    told.map(|(name, value)| format!("{name}: {}", plain(value))).collect::<Vec<_>>().join(" · ")
}

/// A value without quotes around a text.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn told(envelope: &Envelope<'_>) -> Told {
    let text = envelope.to_event().map(|event| match event.text() {
        Some(text) => text.to_owned(),
        None => in_words(&event.payload),
    });
    let mut text = text.unwrap_or_default();
    if let Some((at, _)) = text.char_indices().nth(MAX_TEXT_CHARS) {
        text.truncate(at);
        text.push('…');
    }
    Told {
        id: envelope.id.to_string(),
        ts: envelope.ts.to_string(),
        event_type: envelope.event_type.to_string(),
        kind: envelope.kind.as_deref().map(str::to_owned),
        external: envelope.gate() == Gate::External,
        session: envelope.session_key.as_deref().map(str::to_owned),
        text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(payload: &Value, expect: &str) {
        assert_eq!(in_words(payload.as_object().unwrap()), expect);
    }

    #[test]
    fn a_payload_is_told_in_words() {
        check(
            &json!({ "tool_name": "Bash", "input": { "command": "cargo test", "timeout": 5 }, "usage": { "x": 1 } }),
            "Bash: cargo test",
        );
        check(&json!({ "tool_name": "Read", "input": { "file_path": "a.rs" } }), "Read: file_path: a.rs");
        check(
            &json!({ "partition": "notes", "acked": 1, "result": null, "hash": "0835" }),
            "acked: 1 · partition: notes",
        );
        check(&json!({}), "");
    }
}
