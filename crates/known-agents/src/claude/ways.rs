//! Every way by which text gets from Claude Code to the spine, and whose it is.

use subcortex_model::Via;

use crate::ways::{Door, Owner, Way, way};

pub(super) const WAYS: &[Way] = &[
    way(Door::Record, "user: text, typed", Owner::Message(Via::Prompt)),
    way(Door::Record, "user: text, in a record that names no sender", Owner::Message(Via::Unsigned)),
    way(Door::Record, "user: <user-memory-input>", Owner::Message(Via::Memory)),
    way(Door::Record, "user: text, by a program", Owner::Message(Via::Sdk)),
    way(Door::Record, "user: text, a suggestion that was accepted", Owner::Message(Via::Suggested)),
    way(
        Door::Record,
        "user: text, of several, beside a placeholder or a missing answer",
        Owner::Message(Via::PromptText),
    ),
    way(
        Door::Record,
        "user: text, in a record that does not say when or where",
        Owner::Message(Via::PromptText),
    ),
    way(
        Door::Record,
        "user: text, in a record with a field that nobody knows",
        Owner::Message(Via::PromptText),
    ),
    way(Door::Record, "user: text, marked as the program's or another sender's", Owner::Left),
    way(Door::Record, "user: text, behind what announces one of the program's or the agent's", Owner::Left),
    way(Door::Record, "user: text, in a record with fields or blocks of a tool's answer", Owner::Left),
    way(Door::Record, "user: text, in a message with a block or a field that no person sends", Owner::Left),
    way(Door::Record, "user: text, a program's element", Owner::Left),
    way(Door::Record, "user: asides, images, documents", Owner::Left),
    way(Door::Record, "user: a subagent's prompt", Owner::Left),
    way(Door::Record, "user: commands, shell lines, plans", Owner::Command),
    way(Door::Record, "user: tool_result", Owner::Agent),
    way(Door::Record, "user: userFeedback of a refusal by a person", Owner::Message(Via::Refusal)),
    way(
        Door::Record,
        "user: tool_result, a refusal in words, of the agent's own tools",
        Owner::Message(Via::RefusalText),
    ),
    way(Door::Record, "user: toolUseResult.answers of the question tool, typed", Owner::Message(Via::Answer)),
    way(
        Door::Record,
        "user: toolUseResult.answers of the question tool, offered",
        Owner::Message(Via::Picked),
    ),
    way(
        Door::Record,
        "user: text beside a tool_result that holds a person's words",
        Owner::Message(Via::Approval),
    ),
    way(Door::Record, "user: text beside a tool_result", Owner::Left),
    way(Door::Record, "assistant: text, tool_use", Owner::Agent),
    way(Door::Record, "system: api_error", Owner::Agent),
    way(Door::Record, "system: local_command", Owner::Command),
    way(Door::Record, "attachment: queued_command, typed", Owner::Message(Via::Queued)),
    way(Door::Record, "attachment: queued_command of anybody else", Owner::Left),
    way(Door::Record, "attachment: memory files", Owner::Agent),
    way(Door::Record, "attachment: files, selections, what hooks and servers say", Owner::Left),
    way(Door::Record, "attachment: anything else", Owner::Left),
    way(Door::Record, "queue-operation: enqueue, typed, delivered", Owner::Message(Via::Queued)),
    way(Door::Record, "queue-operation: enqueue, delivered", Owner::Message(Via::QueuedText)),
    way(Door::Record, "queue-operation: of the program, of tasks", Owner::Left),
    way(Door::Record, "every other record", Owner::Left),
    way(Door::Hook, "UserPromptSubmit: prompt", Owner::Message(Via::Prompt)),
    way(
        Door::Hook,
        "UserPromptSubmit: prompt, with a flag that nobody knows",
        Owner::Message(Via::PromptText),
    ),
    way(Door::Hook, "UserPromptSubmit: prompt, by a program", Owner::Message(Via::Sdk)),
    way(Door::Hook, "UserPromptSubmit: prompt with a source, of a subagent", Owner::Left),
    way(
        Door::Hook,
        "PreToolUse, PostToolUse, PostToolUseFailure, PermissionDenied, PostToolBatch",
        Owner::Agent,
    ),
    way(Door::Hook, "PostToolUse: answers of the question tool, typed", Owner::Message(Via::Answer)),
    way(Door::Hook, "PostToolUse: answers of the question tool, offered", Owner::Message(Via::Picked)),
    way(Door::Hook, "Stop, SubagentStop, StopFailure, InstructionsLoaded, SessionEnd", Owner::Agent),
    way(Door::Hook, "every other event", Owner::Left),
];
