//! A turn: a person's message and what the agent did, up to the next message.

use serde_json::Value;

use crate::{Event, Via, event_type};

/// What a command of a person is, as its payload's `kind` says.
pub mod command {
    /// The field of a payload that holds it.
    pub const FIELD: &str = "kind";
    /// A command of the agent program: `/compact`.
    pub const SLASH: &str = "slash";
    /// A line that a person ran in the agent's shell.
    pub const SHELL: &str = "shell";
    /// An approved plan that begins a turn; the agent wrote it.
    pub const PLAN: &str = "plan";
    /// The person stopped the agent: the one command that ends a turn and begins none.
    pub const INTERRUPT: &str = "interrupt";
}

/// Whether a turn begins with an event of this type, whose payload has these fields: with a prompt, or with a command of
/// the person.
pub fn begins_turn(event_type: &str, via: Option<&Value>, kind: Option<&Value>) -> bool {
    match event_type {
        event_type::CHANNEL_MESSAGE => Via::of_field(via).begins_turn(),
        event_type::CHANNEL_COMMAND => kind.and_then(Value::as_str) != Some(command::INTERRUPT),
        _ => false,
    }
}

/// The events of one turn of one session, in the order of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The conversation it belongs to.
    pub session_key: String,
    /// First the person's message, then what followed. A session that begins without a message
    /// (an import that starts in the middle) has a first turn without one.
    pub events: Vec<Event>,
}

impl Turn {
    /// How many events of one turn are kept; what an agent does beyond that is left out.
    pub const MAX_EVENTS: usize = 20_000;
    /// How many bytes of text a turn holds, about; what is said beyond it is left out.
    pub const MAX_BYTES: usize = 64 * 1024 * 1024;

    /// What the person said to begin this turn.
    pub fn message(&self) -> Option<&Event> {
        self.events.first().filter(|event| event.event_type == event_type::CHANNEL_MESSAGE)
    }

    /// The project directory: the first one that an event of this turn names.
    pub fn cwd(&self) -> Option<&str> {
        self.events.iter().find_map(|event| event.cwd.as_deref())
    }
}
