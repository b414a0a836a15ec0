//! `state/forgotten.json`: origins that a person had forgotten. Nothing of them becomes evidence again, also when
//! the log is read anew. And the lines that went with each, as hashes: where an editor's buffer, or a person, puts one back, it
//! stays, and forgetting the same origin again takes it out.
//!
//! ```json
//! {"events":["evt_…"],"sessions":["s1"],"until":{"s1":"2026-11-16T10:00:00Z"},"copies":["9f86d081884c7d65"],"lines":{"s1":["0123456789abcdef"]}}
//! ```
//!
//! Of a session, what was said up to the moment in `until` is forgotten; without one, all of it.
//!
//! A session that is resumed or forked repeats what was said in another one, under its own name. `copies` knows such messages again, and
//! holds no words: a hash of the moment and the words, one of the prompt's own name and the words, and, as a hook and a transcript may have
//! no name in common, some of the session, about the moment, and the words.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_model::{Event, EventId, event_type};
use subcortex_store::Disk;
use subcortex_store::durable::{self, ReadError};

use crate::{LineHash, MemoryFolder, Trouble};

const NAME: &str = "forgotten";
/// How long a mark of a copy is.
const MARK_HEX_DIGITS: usize = 16;
/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// How far apart a hook and a transcript may tell of the same message under two names, in seconds: at least this, and at most twice.
const APART_SECS: i64 = 30;

/// By what a message, or a command, is known again: in another session, or in its own under another name. Nothing for any other event.
fn marks_of(event: &Event) -> Vec<String> {
    let is_said =
        matches!(event.event_type.as_str(), event_type::CHANNEL_MESSAGE | event_type::CHANNEL_COMMAND);
    let Some(text) = event.text().filter(|_| is_said) else { return Vec::new() };
    // `<session>/<prompt>`: a copy has the name of the prompt, and a session of its own. A hook and a transcript say it in different fields.
    let names = event.dedup.iter().flat_map(|dedup| [dedup.key.as_deref(), Some(dedup.source_id.as_str())]);
    let prompts = names.flatten().filter_map(|name| Some(name.rsplit_once('/')?.1));
    let mut marks = vec![mark("moment", &event.ts.to_string(), text)];
    marks.extend(prompts.map(|prompt| mark("prompt", prompt, text)));
    marks.extend(mark_near(event, 0));
    marks
}

/// The mark that a message of the same words and session has about this moment, or about so many steps later.
fn mark_near(event: &Event, steps: i64) -> Option<String> {
    let (session, text) = (event.session_key.as_deref()?, event.text()?);
    let moment = event.ts.as_second().div_euclid(APART_SECS) + steps;
    Some(mark("near", &format!("{session} {moment}"), text))
}

fn mark(kind: &str, name: &str, text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [kind, name, text] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..MARK_HEX_DIGITS].to_owned()
}

/// Origins that are never evidence.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Forgotten {
    /// Single events.
    pub events: BTreeSet<String>,
    /// Whole sessions.
    pub sessions: BTreeSet<String>,
    /// Until when what was said in a session is forgotten; a person may go on in it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub until: BTreeMap<String, Timestamp>,
    /// By what messages of these origins are known again elsewhere.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub copies: BTreeSet<String>,
    /// The lines that went, by origin, as [`LineHash::of_words`](crate::LineHash::of_words).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub lines: BTreeMap<String, BTreeSet<String>>,
}

impl Forgotten {
    /// Reads the list; a missing file is an empty one.
    pub fn read(disk: &dyn Disk, folder: &MemoryFolder) -> Result<Self, Trouble> {
        let path = folder.state(NAME);
        match durable::read_text(disk, &path, MAX_BYTES) {
            Ok(text) => serde_json::from_str(&text)
                .map_err(|error| Trouble::Forgotten { path, why: error.to_string() }),
            Err(ReadError::Missing { .. }) => Ok(Self::default()),
            Err(error) => Err(error.into()),
        }
    }

    /// Replaces the list.
    pub fn write(&self, disk: &dyn Disk, folder: &MemoryFolder) -> Result<(), Trouble> {
        let path = folder.state(NAME);
        let mut text = serde_json::to_string(self)
            .map_err(|error| Trouble::Content { path: path.clone(), why: error.to_string() })?;
        text.push('\n');
        Ok(durable::replace(disk, &path, text.as_bytes())?)
    }

    /// Whether a line went when this origin was forgotten before.
    pub fn went_with(&self, origin: &str, line: &LineHash) -> bool {
        self.lines.get(origin).is_some_and(|lines| lines.contains(line.of_words()))
    }

    /// Whether an event is forgotten, by itself or with its session. When it was said decides; of what is only named, when it came.
    pub fn holds(&self, event_id: &str, session_key: Option<&str>, said_at: Option<Timestamp>) -> bool {
        let is_until = |key: &str| {
            let moment = || said_at.or_else(|| EventId::from_log(event_id).appended_at());
            self.until.get(key).is_none_or(|until| moment().is_none_or(|said_at| said_at <= *until))
        };
        self.events.contains(event_id)
            || session_key.is_some_and(|key| self.sessions.contains(key) && is_until(key))
    }

    /// Whether an event is forgotten, or repeats a message that is.
    pub fn holds_event(&self, event: &Event) -> bool {
        self.holds(event.id.as_str(), event.session_key.as_deref(), Some(event.ts))
            || !self.copies.is_empty() && marks_of(event).iter().any(|mark| self.copies.contains(mark))
    }

    /// Takes in what an event tells of copies: those of a forgotten message are known by it, and a copy is forgotten itself.
    pub fn learn(&mut self, event: &Event) {
        if self.holds(event.id.as_str(), event.session_key.as_deref(), Some(event.ts)) {
            let marks = marks_of(event);
            let near =
                [-1, 1].into_iter().filter(|_| !marks.is_empty()).filter_map(|steps| mark_near(event, steps));
            self.copies.extend(near);
            self.copies.extend(marks);
        } else if self.holds_event(event) {
            self.events.insert(event.id.as_str().to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use subcortex_model::{Dedup, EventId, Source};

    use super::*;

    fn said(id: &str, session: &str, second: i64, source_id: &str, key: Option<&str>) -> Event {
        let text = serde_json::json!({ "text": "use tabs" });
        Event {
            id: EventId::from_log(id.to_owned()),
            ts: jiff::Timestamp::from_second(second).unwrap(),
            event_type: event_type::CHANNEL_MESSAGE.to_owned(),
            source: Source::of("claude"),
            session_key: Some(session.to_owned()),
            turn: None,
            cwd: None,
            dedup: Some(Dedup { source_id: source_id.to_owned(), key: key.map(str::to_owned) }),
            payload: text.as_object().cloned().unwrap(),
        }
    }

    #[test]
    fn what_a_hook_told_is_known_again_in_a_transcript_of_another_session() {
        let mut forgotten = Forgotten::default();
        forgotten.sessions.insert("q1".into());
        forgotten.learn(&said("e1", "q1", 1, "q1/P1", None));
        assert!(forgotten.holds_event(&said("e2", "q2", 2, "q2/record", Some("q2/P1"))));
        assert!(!forgotten.holds_event(&said("e3", "q2", 2, "q2/record", Some("q2/P2"))));
    }

    #[test]
    fn what_a_hook_told_is_known_again_in_a_transcript_that_has_another_name_for_it() {
        let mut forgotten = Forgotten::default();
        forgotten.events.insert("e1".into());
        forgotten.learn(&said("e1", "q1", 100, "q1/P1", None));
        for second in [99, 100, 119, 80] {
            assert!(forgotten.holds_event(&said("e2", "q1", second, "q1/record", None)), "{second}");
        }
        assert!(!forgotten.holds_event(&said("e3", "q1", 200, "q1/record", None)), "said again, later");
        assert!(!forgotten.holds_event(&said("e4", "q2", 101, "q2/record", None)), "said elsewhere");
    }
}
