//! What an agent had done when somebody said something: looked up on the spine.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::Value;
use subcortex_model::{Event, EventId, Gate, event_type};
use subcortex_spine::{Cursor, Day, Item, Reader, list_days};

use crate::{WeaveError, Workshop};

/// How many days of the log are read at most.
const MAX_DAYS: usize = 8;
/// How many deeds are kept: the last ones.
const MAX_DEEDS: usize = 12;
/// The longest text of a deed or a message, in characters.
const MAX_CHARS: usize = 2_000;

/// What somebody said, and what had been done before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Said {
    /// The whole message.
    pub message: String,
    /// What came before it in the session, oldest first, from the message before.
    pub before: Vec<Deed>,
}

/// One thing that was said or done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Deed {
    /// `asked`, `said`, `did` or `failed`.
    pub what: &'static str,
    /// In words.
    pub text: String,
}

/// An event that is looked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    /// Its id.
    pub event_id: String,
    /// Its session.
    pub session_key: Option<String>,
    /// When it happened, if that is known.
    pub ts: Option<Timestamp>,
}

/// What is known of these events, by their ids. What is not found is left out.
pub fn moments(shop: &Workshop, wanted: &BTreeSet<Wanted>) -> Result<BTreeMap<String, Said>, WeaveError> {
    let mut found = BTreeMap::new();
    let (files, _) = list_days(&*shop.disk, &shop.events_dir)?;
    let likely: BTreeSet<Day> = wanted.iter().flat_map(days_of).collect();
    let days = files.iter().rev().map(|file| file.day).filter(|day| likely.contains(day));
    for day in days.take(MAX_DAYS) {
        if found.len() < wanted.len() {
            read_day(shop, day, wanted, &mut found)?;
        }
    }
    Ok(found)
}

/// The days on which an event may have been appended.
fn days_of(wanted: &Wanted) -> Vec<Day> {
    let moment = EventId::from_log(&*wanted.event_id).appended_at().or(wanted.ts);
    let next = |moment: Timestamp| moment.checked_add(SignedDuration::from_hours(24)).unwrap_or(moment);
    moment.map_or_else(Vec::new, |moment| vec![Day::of(moment), Day::of(next(moment))])
}

fn read_day(
    shop: &Workshop,
    day: Day,
    wanted: &BTreeSet<Wanted>,
    found: &mut BTreeMap<String, Said>,
) -> Result<(), WeaveError> {
    let ids: BTreeSet<&str> = wanted.iter().map(|one| one.event_id.as_str()).collect();
    let sessions: BTreeSet<Option<&str>> = wanted.iter().map(|one| one.session_key.as_deref()).collect();
    let mut turns: BTreeMap<Option<String>, Vec<Deed>> = BTreeMap::new();
    let mut reader = Reader::open(Arc::clone(&shop.disk), &shop.events_dir, Some(Cursor::at_start_of(day)))?;
    reader.read(|file, item| {
        if file.day != day {
            return ControlFlow::Break(());
        }
        let Item::Record { envelope, .. } = item else { return ControlFlow::Continue(()) };
        if envelope.gate() != Gate::External || !sessions.contains(&envelope.session_key.as_deref()) {
            return ControlFlow::Continue(());
        }
        let Ok(event) = envelope.to_event() else { return ControlFlow::Continue(()) };
        let before = turns.entry(event.session_key.clone()).or_default();
        if ids.contains(event.id.as_str()) {
            let message = shortened(event.text().unwrap_or_default());
            found.insert(event.id.to_string(), Said { message, before: before.clone() });
        }
        if event.begins_turn() {
            before.clear();
        }
        before.extend(deed(&event));
        before.drain(..before.len().saturating_sub(MAX_DEEDS));
        if found.len() == ids.len() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(())
}

fn deed(event: &Event) -> Option<Deed> {
    let text = |what| Some(Deed { what, text: shortened(event.text()?) });
    match event.event_type.as_str() {
        event_type::CHANNEL_MESSAGE => text("asked"),
        event_type::AGENT_RESULT => text("said"),
        event_type::AGENT_TOOL_USE => Some(Deed { what: "did", text: shortened(&call_in_words(event)) }),
        event_type::AGENT_TOOL_RESULT if event.payload.get("is_error") == Some(&Value::Bool(true)) => {
            text("failed")
        }
        _ => None,
    }
}

/// A tool call by what tells most about it.
fn call_in_words(event: &Event) -> String {
    let name = event.payload.get("tool_name").and_then(Value::as_str).unwrap_or("a tool");
    let input = event.payload.get("input");
    let telling = ["command", "file_path", "path", "pattern", "url", "query"];
    let told = input.and_then(|input| telling.iter().find_map(|key| input.get(key)?.as_str()));
    match (told, input) {
        (Some(told), _) => format!("{name}: {told}"),
        (None, Some(input)) => format!("{name}: {input}"),
        (None, None) => name.to_owned(),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
