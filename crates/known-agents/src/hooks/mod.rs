//! What an agent program tells its hooks while a session goes on, turned into drafts for the spine.
//!
//! A session's transcript tells most of it again, later. So a hook's input is first rewritten as the record that the
//! transcript will hold, and then read by the very reader that imports transcripts: both reports have the same
//! `source_id`, and whichever comes second is recognised. What has no id that both know is left to the transcript,
//! and told by the hook only where the session keeps none.
//!
//! | event | Claude Code | Codex |
//! |---|---|---|
//! | `UserPromptSubmit` | `channel.message` or `channel.command`, by the prompt's id | the same, by the turn's id |
//! | `PreToolUse` | `agent.tool_use`, by the call's id | the same |
//! | `PostToolUse` | `agent.tool_result`, and answers to questions as messages | left to the rollout, which alone knows the exit code |
//! | `PostToolUseFailure`, `PermissionDenied` | `agent.tool_result` with `is_error` | |
//! | `PostToolBatch` | `agent.tool_result` with `is_error` for calls that none of the others told: they never ran | |
//! | `Stop`, `SubagentStop` | `agent.result`, if there is no transcript | the same |
//! | `StopFailure` | `agent.error`, if there is no transcript | the same |
//! | `InstructionsLoaded` | `memory.loaded`, by session and path | |
//! | `SessionStart` | `memory.loaded` for what the hook adds to the context, see [`injection`] | the same |
//! | `SessionEnd` | `agent.session_end` | the same |
//!
//! A prompt that is typed while the agent works carries the id of the running turn's prompt. It is therefore taken for
//! a duplicate here, and comes with the transcript, which tells the two apart. Every draft's payload says in `hook` which
//! event brought it.

mod inject;
mod input;

use std::path::PathBuf;

use serde_json::Value;
use subcortex_model::{Draft, HOOK_FIELD, TRANSCRIPT_FIELD, event_type};
use subcortex_store::Disk;

use crate::{Agent, Settings};

pub use inject::{Injection, MAX_INJECTED_CHARS, PRIORITY_LINE, injection, pointers_answer};
pub use input::Input;

/// The longest input that is read, in bytes: a tool's answer can hold a whole file, twice.
pub const MAX_INPUT_BYTES: u64 = 32 * 1024 * 1024;

/// Events that say nothing about the conversation, or nothing that another event does not say better.
const SILENT: [&str; 21] = [
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "Elicitation",
    "ElicitationResult",
    "FileChanged",
    "Interrupt",
    "MessageDisplay",
    "Notification",
    "PermissionRequest",
    "PostCompact",
    "PreCompact",
    "SessionStart",
    "Setup",
    "SubagentStart",
    "TaskCompleted",
    "TaskCreated",
    "TeammateIdle",
    "UserPromptExpansion",
    "WorktreeCreate",
    "WorktreeRemove",
];

/// What a call says, as drafts for the spine.
pub type Told = Result<Vec<Draft>, Problem>;

/// The hooks of one agent.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// Whether an input can only be this agent's.
    pub is_input: fn(&Input) -> bool,
    /// What a call says.
    pub drafts: fn(&dyn Disk, &Call<'_>, &Input) -> Told,
    /// The variable that says how the agent was started.
    pub entrypoint: Option<&'static str>,
    /// The variable that tells programs which the agent starts in which session they are, where there is one.
    pub session: Option<&'static str>,
    /// Where they are named.
    pub settings: Settings,
}

/// One call of a hook.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    /// What happened, as the agent program names it.
    pub event: &'a str,
    /// Whose hook it may be; of several, the input shows which, and the first has those that show nothing.
    pub agents: &'a [&'static Agent],
    /// What came on standard input.
    pub input: &'a [u8],
    /// How the agent program was started ([`Hooks::entrypoint`]): a script's prompts are no person's.
    pub entrypoint: Option<&'a str>,
    /// Directories of subcortex itself: what agents do below them is its own work and no evidence.
    pub own_dirs: Vec<PathBuf>,
}

/// Why a call gave nothing although it should have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Standard input held nothing.
    #[error("nothing came on standard input; hooks are called by agent programs, with JSON")]
    Empty,
    /// It is not a JSON object.
    #[error("the input is not a JSON object: {0}")]
    NotJson(String),
    /// It names no session.
    #[error("the input has no session_id")]
    NoSession,
    /// A field that the event needs is missing.
    #[error("the input has no {0}")]
    Missing(&'static str),
    /// None of the agents that it may be from has hooks.
    #[error("this agent has no hooks that are known")]
    NoHooks,
    /// The input is that of another event.
    #[error("the input names another event than the one that this hook is for")]
    AnotherEvent,
    /// Nobody knows such an event.
    #[error("there is no hook event of that name")]
    UnknownEvent,
}

/// What a call says, as drafts for the spine. An empty answer is one too: not every event is news.
pub fn drafts(disk: &dyn Disk, call: &Call<'_>) -> Told {
    let input = Input::parse(call.input)?;
    let (_, hooks) = input.whose(call.agents).ok_or(Problem::NoHooks)?;
    if input.text("hook_event_name").is_some_and(|named| named != call.event) {
        return Err(Problem::AnotherEvent);
    }
    let mut drafts = (hooks.drafts)(disk, call, &input)?;
    for draft in &mut drafts {
        // A hook knows no record: what everybody calls the thing is all it has.
        if let Some(key) = draft.key.take() {
            draft.source_id = Some(key);
        }
        draft.payload.insert(HOOK_FIELD.to_owned(), Value::from(call.event));
        // Whose words these are stands in the record that the file will hold, and not here.
        if draft.event_type == event_type::CHANNEL_MESSAGE
            && let Some(path) = input.text("transcript_path")
        {
            draft.payload.insert(TRANSCRIPT_FIELD.to_owned(), Value::from(path));
        }
    }
    Ok(drafts)
}

/// Whether an event is known and gives nothing; an error if nobody knows it.
pub(crate) fn expect_silent(event: &str) -> Result<(), Problem> {
    if SILENT.contains(&event) { Ok(()) } else { Err(Problem::UnknownEvent) }
}

#[cfg(test)]
mod tests;
