//! Codex: rollout files, one `{timestamp, type, payload}` a line.
//!
//! The conversation stands in `response_item` records (what went to and came from the model) and once more in
//! `event_msg` records (what the program showed). Calls of tools and their answers are read from the items; what
//! a person said is read from the events, because the items also hold what the program says in the person's
//! place; what the agent said is taken from whichever comes first.
//!
//! | record | becomes |
//! |---|---|
//! | `session_meta`, `turn_context` | session, directory, branch, model and turn of what follows |
//! | `event_msg` with a user message | `channel.message {text}`, with a `via` under `codex exec` |
//! | `response_item` of the user | the same, in files that have no such events and say whose each block is, or nothing at all |
//! | `response_item` or `event_msg` of the agent | `agent.result {text}` |
//! | calls of functions, shells, custom tools, searches | `agent.tool_use`; a patch gives one for each file |
//! | their outputs | `agent.tool_result`, and `channel.message {text, via}` for answers to questions |
//! | `event_msg` with an error or an interruption | `agent.error`, `channel.command {kind: "interrupt"}` |
//!
//! A call's source id is `<session>/<call id>`, that of its output `<session>/<call id>:output`. Files from before
//! the wrapping into `payload` are read as well. Not recognised: that a forked session repeats its parent's records.

mod call;
mod output;
mod patch;
mod prompt;
mod reader;
mod record;
mod speech;
mod tools;

pub(crate) use reader::Codex;

#[cfg(test)]
mod tests;
