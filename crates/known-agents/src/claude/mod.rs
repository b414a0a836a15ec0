//! Claude Code.
//!
//! Its session files (`~/.claude/projects/<project>/<session>.jsonl` and the subagents' files next to it) have one JSON
//! object a line, of which `user`, `assistant`, `system`, `attachment` and
//! `queue-operation` say something about the conversation.
//!
//! There is no published schema and versions differ, so every field may be missing or of another type.
//!
//! | record | becomes |
//! |---|---|
//! | `user`, words of a person | `channel.message {text, shown}` |
//! | `user`, output of a command of the person | `agent.shown {text}` |
//! | `user`, in a person's place and not theirs | `agent.prompt_disowned {prompt, text, via}` |
//! | `user`, a command, an interruption, an approved plan | `channel.command {command, text}` |
//! | `user`, answers of tools | `agent.tool_result`, and `channel.message {text, via}` for a person's words in it |
//! | `assistant` | `agent.result`, `agent.tool_use`, `agent.error` |
//! | `system` with an API error or a local command | `agent.error`, `channel.command` |
//! | `attachment` with queued words, memory files, other files | `channel.message {text, via}`, `memory.loaded`, `agent.shown` |
//! | `queue-operation` | `channel.message {text, via}` once the words are delivered, see [`queue`] |

mod answers;
mod assistant;
mod attachment;
mod before;
mod disowned;
mod headless;
mod hooks;
mod human;
mod message;
mod places;
mod progress;
mod queue;
mod reader;
mod record;
mod refusal;
mod shown;
mod spilled;
mod system;
mod user;
mod ways;

use crate::transcript::{Counted, Fields};
use crate::{Agent, Cli, ConfigDir, Hooks, Sessions, Settings};

/// Claude Code.
pub static CLAUDE: Agent = Agent {
    name: "claude",
    title: "Claude Code",
    config_dir: ConfigDir { variable: "CLAUDE_CONFIG_DIR", usual: ".claude" },
    shell_variables: &[
        "CLAUDECODE",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SESSION_ID",
    ],
    lies_in: &["claude/versions", "@anthropic-ai/claude-code"],
    sessions: Sessions {
        folders: &["projects"],
        is_record,
        reader: |options| Box::new(Counted::new(reader::Claude::new(options))),
        may_hold: Some(places::may_hold),
        is_session: places::is_session,
        is_others: places::is_others,
        is_subagents: places::is_subagents,
        spilled: Some(spilled::named_in),
    },
    hooks: Some(Hooks {
        // What no other agent marks as its own is taken for an input of the agent that came first.
        is_input: |_| false,
        drafts: hooks::drafts,
        entrypoint: Some("CLAUDE_CODE_ENTRYPOINT"),
        session: Some("CLAUDE_CODE_SESSION_ID"),
        settings: Settings {
            file: "settings.json",
            events: &hooks::EVENTS,
            memory_file: Some("CLAUDE.md"),
            advice: None,
        },
    }),
    cli: Some(Cli {
        command_line: headless::command_line,
        report: headless::report,
        hear: headless::hear,
        tells_cost: true,
        has_own_sandbox: false,
        variables: &["ANTHROPIC_", "CLAUDE_CODE_", "CLAUDE_CONFIG_DIR", "AWS_"],
    }),
    ways: ways::WAYS,
};

fn is_record(fields: &Fields<'_>) -> bool {
    match &*fields.text("type") {
        "" => false,
        "user" | "assistant" if fields.has("message") => true,
        "summary" if fields.has("leafUuid") => true,
        "file-history-snapshot" if fields.has("messageId") => true,
        _ => fields.has("sessionId") && (fields.has("uuid") || fields.has("timestamp")),
    }
}

#[cfg(test)]
mod tests;
