//! Every way by which text reaches the spine, and whose it is.
//!
//! A format that learns to read something new gets its row here first; a test walks the rows, with a hostile text for each
//! and a person's words where they are a person's.

use subcortex_model::{Via, event_type};

use crate::Format;

/// Whose text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A message, by this way. What may become of it is [`Via::standing`].
    Message(Via),
    /// A command that a person gave: done, and not heard.
    Command,
    /// The agent's: what it said, did, or was shown.
    Agent,
    /// Nobody's: the text never gets to the spine.
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
                event_type::MEMORY_LOADED,
                event_type::AGENT_SESSION_END,
            ],
            Self::Left => &[],
        }
    }
}

/// What brings the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// A record of a session file.
    Record(Format),
    /// An input of a hook.
    Hook(Format),
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

const CLAUDE: Door = Door::Record(Format::Claude);
const CODEX: Door = Door::Record(Format::Codex);
const CLAUDE_HOOK: Door = Door::Hook(Format::Claude);
const CODEX_HOOK: Door = Door::Hook(Format::Codex);

/// Every way.
pub const WAYS: &[Way] = &[
    way(CLAUDE, "user: text, typed", Owner::Message(Via::Prompt)),
    way(CLAUDE, "user: <user-memory-input>", Owner::Message(Via::Memory)),
    way(CLAUDE, "user: text, by a program", Owner::Message(Via::Sdk)),
    way(CLAUDE, "user: text, a suggestion that was accepted", Owner::Message(Via::Suggested)),
    way(CLAUDE, "user: text, marked as the program's or another sender's", Owner::Left),
    way(CLAUDE, "user: text, a program's element", Owner::Left),
    way(CLAUDE, "user: asides, images, documents", Owner::Left),
    way(CLAUDE, "user: a subagent's prompt", Owner::Left),
    way(CLAUDE, "user: commands, shell lines, plans", Owner::Command),
    way(CLAUDE, "user: tool_result", Owner::Agent),
    way(CLAUDE, "user: userFeedback of a refusal by a person", Owner::Message(Via::Refusal)),
    way(
        CLAUDE,
        "user: tool_result, a refusal in words, of the agent's own tools",
        Owner::Message(Via::RefusalText),
    ),
    way(CLAUDE, "user: toolUseResult.answers of the question tool, typed", Owner::Message(Via::Answer)),
    way(CLAUDE, "user: toolUseResult.answers of the question tool, offered", Owner::Message(Via::Picked)),
    way(CLAUDE, "user: text beside a tool_result that holds a person's words", Owner::Message(Via::Approval)),
    way(CLAUDE, "user: text beside a tool_result", Owner::Left),
    way(CLAUDE, "assistant: text, tool_use", Owner::Agent),
    way(CLAUDE, "system: api_error", Owner::Agent),
    way(CLAUDE, "system: local_command", Owner::Command),
    way(CLAUDE, "attachment: queued_command, typed", Owner::Message(Via::Queued)),
    way(CLAUDE, "attachment: queued_command of anybody else", Owner::Left),
    way(CLAUDE, "attachment: memory files", Owner::Agent),
    way(CLAUDE, "attachment: anything else", Owner::Left),
    way(CLAUDE, "queue-operation: enqueue, delivered", Owner::Message(Via::Queued)),
    way(CLAUDE, "queue-operation: of the program, of tasks", Owner::Left),
    way(CLAUDE, "every other record", Owner::Left),
    way(CODEX, "event_msg: user_message", Owner::Message(Via::Prompt)),
    way(CODEX, "event_msg: user_message, a second one in a turn", Owner::Message(Via::Queued)),
    way(CODEX, "event_msg: user_message, by a program", Owner::Message(Via::Sdk)),
    way(CODEX, "event_msg: item_completed, UserMessage", Owner::Message(Via::Prompt)),
    way(CODEX, "event_msg: user_message, an editor's context, a program's element", Owner::Left),
    way(CODEX, "response_item: a user's message, in files without events", Owner::Message(Via::Prompt)),
    way(CODEX, "response_item: a user's message of another kind, or of a subagent", Owner::Left),
    way(CODEX, "response_item: a line in the agent's shell", Owner::Command),
    way(CODEX, "response_item: an agent's message, calls, outputs", Owner::Agent),
    way(CODEX, "response_item: answers of the question tool, typed", Owner::Message(Via::Answer)),
    way(CODEX, "response_item: answers of the question tool, offered", Owner::Message(Via::Picked)),
    way(CODEX, "event_msg: agent_message, error", Owner::Agent),
    way(CODEX, "every other line", Owner::Left),
    way(CLAUDE_HOOK, "UserPromptSubmit: prompt", Owner::Message(Via::Prompt)),
    way(CLAUDE_HOOK, "UserPromptSubmit: prompt, by a program", Owner::Message(Via::Sdk)),
    way(CLAUDE_HOOK, "UserPromptSubmit: prompt with a source, of a subagent", Owner::Left),
    way(
        CLAUDE_HOOK,
        "PreToolUse, PostToolUse, PostToolUseFailure, PermissionDenied, PostToolBatch",
        Owner::Agent,
    ),
    way(CLAUDE_HOOK, "PostToolUse: answers of the question tool, typed", Owner::Message(Via::Answer)),
    way(CLAUDE_HOOK, "PostToolUse: answers of the question tool, offered", Owner::Message(Via::Picked)),
    way(CLAUDE_HOOK, "Stop, SubagentStop, StopFailure, InstructionsLoaded, SessionEnd", Owner::Agent),
    way(CLAUDE_HOOK, "every other event", Owner::Left),
    way(CODEX_HOOK, "UserPromptSubmit: prompt", Owner::Message(Via::Prompt)),
    way(CODEX_HOOK, "UserPromptSubmit: prompt, without a rollout", Owner::Message(Via::Sdk)),
    way(CODEX_HOOK, "PreToolUse, PostToolUse, Stop, SubagentStop, StopFailure, SessionEnd", Owner::Agent),
    way(CODEX_HOOK, "every other event", Owner::Left),
    way(Door::Task, "the body", Owner::Left),
];

const fn way(door: Door, place: &'static str, owner: Owner) -> Way {
    Way { door, place, owner }
}
