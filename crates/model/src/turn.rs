//! A turn: a person's message and what the agent did, up to the next message.

use crate::{Event, event_type};

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
    /// What the person said to begin this turn.
    pub fn message(&self) -> Option<&Event> {
        self.events.first().filter(|event| event.event_type == event_type::CHANNEL_MESSAGE)
    }

    /// The project directory: the first one that an event of this turn names.
    pub fn cwd(&self) -> Option<&str> {
        self.events.iter().find_map(|event| event.cwd.as_deref())
    }
}
