//! One record of the spine.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::turn::{begins_turn, command};
use crate::{Gate, Source, Standing, Via};

/// The event types that the program itself gives a meaning to. A reader meets others and keeps them.
pub mod event_type {
    /// A person spoke: `payload.text`.
    pub const CHANNEL_MESSAGE: &str = "channel.message";
    /// A person gave the agent program a command of its own (`/compact`, `/model` …).
    pub const CHANNEL_COMMAND: &str = "channel.command";
    /// What an agent said: `payload.text`.
    pub const AGENT_RESULT: &str = "agent.result";
    /// An agent or its service failed: `payload.error`.
    pub const AGENT_ERROR: &str = "agent.error";
    /// An agent used a tool: `payload.tool_name`, `payload.input`.
    pub const AGENT_TOOL_USE: &str = "agent.tool_use";
    /// What the tool answered: `payload.is_error`, `payload.text`.
    pub const AGENT_TOOL_RESULT: &str = "agent.tool_result";
    /// What an agent was shown besides the answers of its tools, a file or the output of a person's command: `payload.text`.
    pub const AGENT_SHOWN: &str = "agent.shown";
    /// The record of a prompt says that no person typed it, whatever a hook told before: `payload.prompt`, `payload.text`, `payload.via`.
    pub const PROMPT_DISOWNED: &str = "agent.prompt_disowned";
    /// An agent's session ended: `payload.reason`.
    pub const AGENT_SESSION_END: &str = "agent.session_end";
    /// A memory file was in an agent's context: `payload.path`.
    pub const MEMORY_LOADED: &str = "memory.loaded";
    /// The daemon began to serve its home.
    pub const DAEMON_STARTED: &str = "daemon.started";
    /// The daemon stopped in good order.
    pub const DAEMON_STOPPED: &str = "daemon.stopped";
    /// A damaged tail was cut off before an append; the cut bytes are in quarantine.
    pub const SPINE_REPAIRED: &str = "spine.repaired";
}

/// The field of a payload with the name of the hook's event, of what a hook told.
pub const HOOK_FIELD: &str = "hook";

/// The field of a payload in which a hook names the file that the session is kept in.
pub const TRANSCRIPT_FIELD: &str = "transcript";

/// Stands in a text of others where more was cut out than could be looked through: a sentence of a person may have stood there.
pub const ORDERS_CUT: &str = " (orders among it)";

/// The field with the name of the prompt that an [`event_type::PROMPT_DISOWNED`] is about, see [`Dedup`].
pub const DISOWNED_PROMPT_FIELD: &str = "prompt";

/// The field with the name of the message under which another message came, see [`Dedup`]: two reports of one message that differ in words.
/// Nobody knows which of them a person typed.
pub const CONTESTS_FIELD: &str = "contests";

/// Set where a prompt had waited in the agent program's queue: it was typed earlier than it came.
pub const WAS_QUEUED_FIELD: &str = "was_queued";

/// Set where others' words may repeat what a person said before them: a summary, a thought. See [`event_type::AGENT_SHOWN`].
pub const REPEATS_FIELD: &str = "repeats";

/// Set where a record did not say when it happened: its time is that of its reading.
pub const UNTIMED_FIELD: &str = "untimed";

/// The field of a message's payload with what stood beside it, see [`Event::shown`].
pub const SHOWN_FIELD: &str = "shown";

/// The id of an event. Ours are `evt_` and a UUIDv7; any non-empty text is valid when read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventId(String);

impl EventId {
    /// A fresh id that sorts by the time it was made.
    pub fn generate() -> Self {
        Self(format!("evt_{}", uuid::Uuid::now_v7()))
    }

    /// Takes over an id that was read from a log.
    pub fn from_log(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The id as it stands in the log.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// When the event was appended, as our own ids tell: a UUIDv7 begins with the milliseconds.
    pub fn appended_at(&self) -> Option<Timestamp> {
        const MILLISECOND_DIGITS: usize = 12;
        let uuid: String = self.0.strip_prefix("evt_")?.chars().filter(|c| *c != '-').collect();
        let is_v7 = uuid.len() == 32 && uuid.as_bytes().get(MILLISECOND_DIGITS) == Some(&b'7');
        let millis = i64::from_str_radix(uuid.get(..MILLISECOND_DIGITS).filter(|_| is_v7)?, 16).ok()?;
        Timestamp::from_millisecond(millis).ok()
    }
}

impl std::fmt::Display for EventId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// By what an event that is reported twice is recognised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dedup {
    /// Where the event came from, such as `<session id>/<record uuid>`.
    pub source_id: String,
    /// The name under which everybody reports the same thing, where that is another one: a hook knows the id of a tool
    /// call, and not the record that will tell of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// An event that somebody wants on the spine. It gets its id when it is appended.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// When it happened; `None` means when it is appended.
    pub ts: Option<Timestamp>,
    /// What happened, see [`event_type`].
    pub event_type: String,
    /// Who handed it over.
    pub source: Source,
    /// The conversation it belongs to.
    pub session_key: Option<String>,
    /// The turn within the session, where the sender knows it.
    pub turn: Option<String>,
    /// The project directory it happened in.
    pub cwd: Option<String>,
    /// What was said or done.
    pub payload: Map<String, Value>,
    /// Where it came from; makes a second report of the same thing recognisable.
    pub source_id: Option<String>,
    /// The name under which everybody reports the same thing, where that is not the `source_id`.
    pub key: Option<String>,
}

impl Draft {
    /// A draft with nothing but a type, a source and a payload.
    pub fn new(event_type: impl Into<String>, source: Source, payload: Map<String, Value>) -> Self {
        Self {
            ts: None,
            event_type: event_type.into(),
            source,
            session_key: None,
            turn: None,
            cwd: None,
            payload,
            source_id: None,
            key: None,
        }
    }
}

/// One record of the spine, as it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Unique name of the record.
    pub id: EventId,
    /// When it happened (not when it was appended).
    pub ts: Timestamp,
    /// What happened, see [`event_type`].
    #[serde(rename = "type")]
    pub event_type: String,
    /// Who handed it over.
    pub source: Source,
    /// The conversation it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    /// The turn within the session, where the sender knew it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The project directory it happened in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Makes a second report of the same thing recognisable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedup: Option<Dedup>,
    /// What was said or done.
    #[serde(default)]
    pub payload: Map<String, Value>,
}

impl Event {
    /// About how much text it holds, in bytes.
    pub fn text_bytes(&self) -> usize {
        fn of(value: &Value) -> usize {
            match value {
                Value::String(text) => text.len(),
                Value::Array(values) => values.iter().map(of).sum(),
                Value::Object(fields) => fields.values().map(of).sum(),
                Value::Null | Value::Bool(_) | Value::Number(_) => 8,
            }
        }
        self.payload.values().map(of).sum()
    }

    /// What the source gate says of this event.
    pub fn gate(&self) -> Gate {
        Gate::of(Some(self.source.kind.as_str()))
    }

    /// How a message came: what stands in its payload.
    pub fn via(&self) -> Via {
        Via::of(&self.payload)
    }

    /// What may become of a message; nothing of any other event.
    pub fn standing(&self) -> Standing {
        match self.event_type.as_str() {
            event_type::CHANNEL_MESSAGE if self.is_told_a_subagent() => Standing::Nobodys,
            event_type::CHANNEL_MESSAGE => self.via().standing(),
            _ => Standing::Nobodys,
        }
    }

    /// Whether this is a prompt of a subagent: another agent wrote it. What a person says beside its work is their own.
    fn is_told_a_subagent(&self) -> bool {
        let is_marked =
            |field: &str| !matches!(self.payload.get(field), None | Some(Value::Null | Value::Bool(false)));
        matches!(self.via(), Via::Prompt | Via::Unsigned | Via::PromptText)
            && (is_marked("is_sidechain") || is_marked("agent_id"))
    }

    /// Whether a turn begins with this event, see [`begins_turn`].
    pub fn begins_turn(&self) -> bool {
        begins_turn(&self.event_type, self.payload.get(Via::FIELD), self.payload.get(command::FIELD))
    }

    /// What the agent was shown beside a message, in the same record: a selection, a paste that the record names.
    pub fn shown(&self) -> Option<&str> {
        self.payload.get(SHOWN_FIELD).and_then(Value::as_str)
    }

    /// The text of the payload: what a person or an agent said, or what a tool answered.
    pub fn text(&self) -> Option<&str> {
        self.payload.get("text").and_then(Value::as_str)
    }
}
