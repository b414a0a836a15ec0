//! Every way by which text reaches the spine, and whose it is.
//!
//! A format that learns to read something new gets its row here first; a test walks the rows, with a hostile text for each
//! and a person's words where they are a person's.

use subcortex_model::{Via, event_type};

use crate::Agent;

/// Whose text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A message, by this way. What may become of it is [`Via::standing`].
    Message(Via),
    /// A command that a person gave: done, and not heard.
    Command,
    /// The agent's: what it said, did, or was shown.
    Agent,
    /// Nobody's: the text gets to the spine as what the agent was shown, so that it is known when it comes back, or not at all.
    Left,
}

impl Owner {
    /// The type of the event that holds the text.
    pub fn event_types(self) -> &'static [&'static str] {
        match self {
            Self::Message(_) => &[event_type::CHANNEL_MESSAGE],
            Self::Command => &[event_type::CHANNEL_COMMAND],
            Self::Agent => &[
                event_type::AGENT_RESULT,
                event_type::AGENT_ERROR,
                event_type::AGENT_TOOL_USE,
                event_type::AGENT_TOOL_RESULT,
                event_type::AGENT_SHOWN,
                event_type::MEMORY_LOADED,
                event_type::AGENT_SESSION_END,
            ],
            Self::Left => &[event_type::AGENT_SHOWN],
        }
    }
}

/// What brings the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// A record of a session file.
    Record,
    /// An input of a hook.
    Hook,
    /// A task in an inbox.
    Task,
}

/// One way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// What brings the text.
    pub door: Door,
    /// The record and the field, or the event.
    pub place: &'static str,
    /// Whose it is.
    pub owner: Owner,
}

/// The one way that is no agent's.
const TASK: &Way = &way(Door::Task, "the body", Owner::Left);

/// Every way, with the agent that it begins at.
pub fn ways(agents: &[&'static Agent]) -> Vec<(Option<&'static Agent>, &'static Way)> {
    let of_agents = agents.iter().flat_map(|agent| agent.ways.iter().map(|way| (Some(*agent), way)));
    of_agents.chain([(None, TASK)]).collect()
}

/// One row of an agent's table.
pub(crate) const fn way(door: Door, place: &'static str, owner: Owner) -> Way {
    Way { door, place, owner }
}
