//! Turns: what a person said, what the agent answered, and what it ran and touched. What tools answered is left out: it is
//! most of the log and says little about what a turn was about.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use subcortex_model::{Event, Gate, event_type};
use subcortex_spine::{DayFile, Envelope};

use super::front;
use crate::manifest::OpenTurn;
use crate::segment::{Builder, Kind, Stored};
use crate::words::Words;

/// How much of a turn is searched, in bytes.
const MAX_SEARCHED_BYTES: usize = 64 * 1024;
/// How much of a message, and of what followed it, is kept to be shown, in bytes.
const MAX_SHOWN_BYTES: usize = 2 * 1024;
/// Of how many sessions it is known in which turn they are: those that said something last.
const MAX_OPEN: usize = 10_000;
/// What of a tool's input says what was done.
const TELLING_INPUTS: [&str; 6] = ["command", "file_path", "path", "pattern", "query", "url"];

/// Puts turns together as the log is read.
#[derive(Debug)]
pub(crate) struct TurnReader {
    /// In which turn each session is.
    pub(crate) open: BTreeMap<String, OpenTurn>,
    growing: BTreeMap<String, Growing>,
    pub(crate) builder: Builder,
}

#[derive(Debug)]
struct Growing {
    turn: OpenTurn,
    message: String,
    rest: String,
    counts: HashMap<String, u32>,
    left_bytes: usize,
}

impl TurnReader {
    pub(crate) fn new(open: BTreeMap<String, OpenTurn>) -> Self {
        Self { open, growing: BTreeMap::new(), builder: Builder::default() }
    }

    /// Takes in the next record of the log.
    pub(crate) fn take(&mut self, file: &DayFile, envelope: &Envelope<'_>, words: &mut Words) {
        let tells = matches!(
            &*envelope.event_type,
            event_type::CHANNEL_MESSAGE
                | event_type::CHANNEL_COMMAND
                | event_type::AGENT_RESULT
                | event_type::AGENT_ERROR
                | event_type::AGENT_TOOL_USE
        );
        if !tells || envelope.gate() != Gate::External {
            return;
        }
        if let Ok(event) = envelope.to_event() {
            self.add(file, &event, words);
        }
    }

    fn add(&mut self, file: &DayFile, event: &Event, words: &mut Words) {
        let session = event.session_key.clone().unwrap_or_default();
        if event.begins_turn() || !self.open.contains_key(&session) {
            self.put_away(&session);
            let path = format!("{}#{}", path_of_day(&file.day.file_name()), event.id);
            let turn = OpenTurn { path, event: event.id.as_str().to_owned(), ts: event.ts };
            self.open.insert(session.clone(), turn);
        }
        let Some(turn) = self.open.get(&session) else { return };
        let growing = self.growing.entry(session).or_insert_with(|| Growing::of(turn.clone()));
        growing.take(event, words);
    }

    fn put_away(&mut self, session: &str) {
        if let Some(growing) = self.growing.remove(session) {
            growing.put_into(session, &mut self.builder);
        }
    }

    /// Everything read so far as a segment. A turn that goes on is found again in a later one.
    pub(crate) fn finish(&mut self) -> Builder {
        for (session, growing) in std::mem::take(&mut self.growing) {
            growing.put_into(&session, &mut self.builder);
        }
        if self.open.len() > MAX_OPEN {
            let mut times: Vec<_> = self.open.values().map(|turn| turn.ts).collect();
            times.sort_unstable();
            let oldest = times.get(times.len() - MAX_OPEN).copied();
            self.open.retain(|_, turn| oldest.is_none_or(|oldest| turn.ts >= oldest));
        }
        std::mem::take(&mut self.builder)
    }
}

impl Growing {
    fn of(turn: OpenTurn) -> Self {
        let (message, rest, counts) = (String::new(), String::new(), HashMap::new());
        Self { turn, message, rest, counts, left_bytes: MAX_SEARCHED_BYTES }
    }

    fn take(&mut self, event: &Event, words: &mut Words) {
        let text = match event.event_type.as_str() {
            event_type::AGENT_TOOL_USE => event.payload.get("input").map(done).unwrap_or_default(),
            event_type::AGENT_ERROR => text_of(event.payload.get("error")).to_owned(),
            _ => event.text().unwrap_or_default().to_owned(),
        };
        let text = front(text.trim(), self.left_bytes);
        self.left_bytes -= text.len();
        words.counted(text, &mut self.counts);
        let shown = if event.id.as_str() == self.turn.event { &mut self.message } else { &mut self.rest };
        if shown.len() < MAX_SHOWN_BYTES && !text.is_empty() {
            if !shown.is_empty() {
                shown.push('\n');
            }
            shown.push_str(front(text, MAX_SHOWN_BYTES - shown.len().min(MAX_SHOWN_BYTES)));
        }
    }

    fn put_into(self, session: &str, builder: &mut Builder) {
        if self.counts.is_empty() {
            return;
        }
        let stored = Stored {
            kind: Kind::Turn,
            path: self.turn.path,
            ts: Some(self.turn.ts),
            event: Some(self.turn.event),
            session: Some(session.to_owned()).filter(|session| !session.is_empty()),
            parts: vec![self.message, self.rest],
        };
        builder.add(&stored, &self.counts);
    }
}

/// What a tool was told to do.
fn done(input: &Value) -> String {
    let told = TELLING_INPUTS.iter().map(|name| text_of(input.get(name))).filter(|text| !text.is_empty());
    told.collect::<Vec<_>>().join(" ")
}

fn text_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

/// A day of the log as references name it.
pub(crate) fn path_of_day(file: &str) -> String {
    format!("var/events/{file}")
}
