//! Every way by which text gets from Codex to the spine, and whose it is.

use subcortex_model::Via;

use crate::ways::{Door, Owner, Way, way};

pub(super) const WAYS: &[Way] = &[
    way(Door::Record, "event_msg: user_message", Owner::Message(Via::Prompt)),
    way(Door::Record, "event_msg: user_message, a second one in a turn", Owner::Message(Via::Queued)),
    way(Door::Record, "event_msg: user_message, by a program", Owner::Message(Via::Sdk)),
    way(Door::Record, "event_msg: item_completed, UserMessage", Owner::Message(Via::Prompt)),
    way(
        Door::Record,
        "event_msg: user_message, behind a selection, or of an unknown program",
        Owner::Message(Via::PromptText),
    ),
    way(
        Door::Record,
        "event_msg: user_message, in a file that does not say when or where",
        Owner::Message(Via::PromptText),
    ),
    way(
        Door::Record,
        "event_msg: user_message, in a file that does not say where its prompts come from",
        Owner::Message(Via::Unsigned),
    ),
    way(Door::Record, "event_msg: user_message, of another sender", Owner::Left),
    way(
        Door::Record,
        "event_msg: user_message, with a field that nobody knows",
        Owner::Message(Via::PromptText),
    ),
    way(Door::Record, "event_msg: user_message, an editor's context, a program's element", Owner::Left),
    way(Door::Record, "event_msg: outputs; response_item: thoughts", Owner::Left),
    way(
        Door::Record,
        "response_item: a user's message, in files without events",
        Owner::Message(Via::Prompt),
    ),
    way(Door::Record, "response_item: a user's message of another kind, or of a subagent", Owner::Left),
    way(Door::Record, "response_item: a line in the agent's shell", Owner::Command),
    way(Door::Record, "response_item: an agent's message, calls, outputs", Owner::Agent),
    way(Door::Record, "response_item: answers of the question tool, typed", Owner::Message(Via::Answer)),
    way(Door::Record, "response_item: answers of the question tool, offered", Owner::Message(Via::Picked)),
    way(Door::Record, "event_msg: agent_message, error", Owner::Agent),
    way(Door::Record, "every other line", Owner::Left),
    way(Door::Hook, "UserPromptSubmit: prompt", Owner::Message(Via::Prompt)),
    way(
        Door::Hook,
        "UserPromptSubmit: prompt, with a flag that nobody knows",
        Owner::Message(Via::PromptText),
    ),
    way(Door::Hook, "UserPromptSubmit: prompt, without a rollout", Owner::Message(Via::Sdk)),
    way(Door::Hook, "PreToolUse, PostToolUse, Stop, SubagentStop, StopFailure, SessionEnd", Owner::Agent),
    way(Door::Hook, "every other event", Owner::Left),
];
