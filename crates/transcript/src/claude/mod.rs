//! Claude Code: one JSON object a line, of which `user`, `assistant`, `system`, `attachment` and
//! `queue-operation` say something about the conversation.
//!
//! There is no published schema and versions differ, so every field may be missing or of another type.
//!
//! | record | becomes |
//! |---|---|
//! | `user`, words of a person | `channel.message {text}` |
//! | `user`, a command, an interruption, an approved plan | `channel.command {command, text}` |
//! | `user`, answers of tools | `agent.tool_result`, and `channel.message {text, via}` for a person's words in it |
//! | `assistant` | `agent.result`, `agent.tool_use`, `agent.error` |
//! | `system` with an API error or a local command | `agent.error`, `channel.command` |
//! | `attachment` with queued words or memory files | `channel.message {text, via}`, `memory.loaded` |
//! | `queue-operation` | `channel.message {text, via}` once the words are delivered, see [`queue`] |

mod answers;
mod assistant;
mod attachment;
mod human;
mod message;
mod progress;
mod queue;
mod reader;
mod record;
mod refusal;
mod system;
mod user;

pub(crate) use reader::Claude;

#[cfg(test)]
mod tests;
