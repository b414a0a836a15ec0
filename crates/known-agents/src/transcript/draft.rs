//! Building drafts: what all drafts of one record have in common.

use jiff::Timestamp;
use serde_json::{Map, Value};
use subcortex_model::{Draft, Source, UNTIMED_FIELD, Via, event_type};

/// How many hex digits of a hash stand for a record without an id.
const HASH_HEX_DIGITS: usize = 16;

/// What every draft of one record shares.
#[derive(Debug, Clone)]
pub(crate) struct Common {
    pub ts: Option<Timestamp>,
    pub source: Source,
    pub session: String,
    pub turn: Option<String>,
    pub cwd: Option<String>,
    /// The session that names the drafts: of a copy in a forked session, the one it was copied from.
    pub origin: String,
    /// `<session id>/<record id>`; the second draft of the record gets `#2`.
    pub source_id: String,
    /// Fields that every payload of this record carries.
    pub extra: Map<String, Value>,
    /// Whether it is told while it happens.
    pub is_live: bool,
    /// Whether the record has a field that nobody knows: it may say that no person sent it.
    pub is_strange: bool,
    /// How many drafts were made, and how many beside them.
    pub made: usize,
    pub asides: usize,
    /// What the drafts are about, if it has an id of its own, and how many of them were made.
    pub about: Option<(String, usize)>,
}

impl Common {
    /// The next draft of this record.
    pub(crate) fn draft(&mut self, event_type: &str, payload: Payload) -> Draft {
        self.made += 1;
        let mut fields = payload.0;
        for (key, value) in &self.extra {
            fields.entry(key.clone()).or_insert_with(|| value.clone());
        }
        if event_type == event_type::CHANNEL_MESSAGE && (self.is_strange || self.is_out_of_place()) {
            fields.extend(Payload::new().via(Via::of(&fields).doubted()).into_fields());
        }
        if event_type != event_type::CHANNEL_MESSAGE && !self.is_live && self.ts.is_none() {
            fields.insert(UNTIMED_FIELD.to_owned(), true.into());
        }
        let mut draft = Draft::new(event_type, self.source.clone(), fields);
        draft.ts = self.ts;
        draft.session_key = Some(self.session.clone());
        draft.turn.clone_from(&self.turn);
        draft.cwd.clone_from(&self.cwd);
        draft.source_id = Some(match self.made {
            1 => self.source_id.clone(),
            nth => format!("{}#{nth}", self.source_id),
        });
        if let Some((name, made)) = &mut self.about {
            *made += 1;
            draft.key = Some(if *made == 1 { name.clone() } else { format!("{name}#{made}") });
        }
        draft
    }

    /// Whether the record does not say when or where it happened. It may be years old, and from a project that nobody knows; whatever is
    /// said of its moment and place then is made up.
    fn is_out_of_place(&self) -> bool {
        !self.is_live && (self.ts.is_none() || self.cwd.is_none())
    }

    /// A draft beside those of the record. It takes no number of theirs: what a record is called must not depend on what is told beside it.
    pub(crate) fn aside(&mut self, event_type: &str, payload: Payload) -> Draft {
        let (made, about) = (self.made, self.about.take());
        let mut draft = self.draft(event_type, payload);
        self.asides += 1;
        draft.source_id = Some(match self.asides {
            1 => format!("{}#shown", self.source_id),
            nth => format!("{}#shown{nth}", self.source_id),
        });
        (self.made, self.about) = (made, about);
        draft
    }

    /// The name of something that has an id of its own within the session, whoever reports it: a hook that
    /// tells of it while it happens, or the record that tells of it later.
    pub(crate) fn name_of(&self, id: &str) -> String {
        [&self.origin, "/", id].concat()
    }

    /// The next draft of this record, about something with an id of its own (an empty one counts as none).
    pub(crate) fn draft_of(&mut self, id: &str, event_type: &str, payload: Payload) -> Draft {
        let mut draft = self.draft(event_type, payload);
        if !id.is_empty() {
            draft.key = Some(self.name_of(id));
        }
        draft
    }

    /// Makes drafts about something with an id of its own: the second of them gets `#2`.
    pub(crate) fn within<T>(&mut self, id: &str, make: impl FnOnce(&mut Self) -> T) -> T {
        if id.is_empty() {
            return make(self);
        }
        self.about = Some((self.name_of(id), 0));
        let result = make(self);
        self.about = None;
        result
    }
}

/// The fields of a payload, one call each.
#[derive(Debug, Default)]
pub(crate) struct Payload(Map<String, Value>);

impl Payload {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// Adds the field only if there is something to say.
    pub(crate) fn with_some(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Adds a flag only if it is set: absent means no.
    pub(crate) fn with_flag(self, key: &str, set: bool) -> Self {
        if set { self.with(key, true) } else { self }
    }

    /// Says how a message came.
    pub(crate) fn via(self, via: Via) -> Self {
        self.with_some(Via::FIELD, via.word())
    }

    /// The bare fields.
    pub(crate) fn into_fields(self) -> Map<String, Value> {
        self.0
    }
}

/// The `source_id` of a memory file that was in the context of a session, or of one of its subagents.
pub fn memory_file_name(session: &str, agent: &str, path: &str) -> String {
    content_id(session, &["memory", agent, path])
}

/// Names a record that has no id of its own by its content, the same on every reading.
pub(crate) fn content_id(session: &str, parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        // The length keeps ("ab", "c") and ("a", "bc") apart.
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    format!("{session}/~{}", &hasher.finalize().to_hex()[..HASH_HEX_DIGITS])
}

/// Whether a name is one of [`content_id`]'s.
pub(crate) fn is_made_of_content(name: &str) -> bool {
    name.rsplit_once('/').is_some_and(|(_, id)| id.starts_with('~'))
}
