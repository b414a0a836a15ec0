//! Codex.
//!
//! Its session files (`~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl`) have one `{timestamp, type, payload}` a line.
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
//! | `event_msg` with the output of a command whose answer is nowhere; other items, and events in which no person speaks | `agent.shown {text}` |
//! | `event_msg` with an error or an interruption | `agent.error`, `channel.command {kind: "interrupt"}` |
//!
//! A call's source id is `<session>/<call id>`, that of its output `<session>/<call id>:output`. Files from before
//! the wrapping into `payload` are read as well. A forked session repeats its parent's records with times of its own: what a person
//! said has a second name, by its turn or by the call in front of it, which the copy has too.

mod call;
mod headless;
mod hooks;
mod output;
mod patch;
mod prompt;
mod reader;
mod record;
mod shown;
mod speech;
mod tools;
mod ways;

use crate::transcript::{Counted, Fields};
use crate::{Agent, Cli, ConfigDir, Hooks, Sessions, Settings};

/// Codex.
pub static CODEX: Agent = Agent {
    name: "codex",
    title: "Codex",
    config_dir: ConfigDir { variable: "CODEX_HOME", usual: ".codex" },
    shell_variables: &["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"],
    lies_in: &["@openai/codex"],
    sessions: Sessions {
        // It moves the sessions that its person puts away.
        folders: &["sessions", "archived_sessions"],
        is_record,
        reader: |options| Box::new(Counted::new(reader::Codex::new(options))),
        may_hold: None,
        is_session: |_, file| {
            file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"rollout-"))
        },
        is_others: |_| false,
        is_subagents: |_| false,
        spilled: None,
    },
    hooks: Some(Hooks {
        is_input: hooks::is_input,
        drafts: hooks::drafts,
        entrypoint: None,
        session: None,
        settings: Settings {
            file: "hooks.json",
            events: &hooks::EVENTS,
            // It has no way to take in a file, so the start of a session hands the broadcast over.
            memory_file: None,
            advice: Some("codex runs new hooks only once you trust them: start `codex` and look at `/hooks`"),
        },
    }),
    cli: Some(Cli {
        command_line: headless::command_line,
        report: headless::report,
        hear: headless::hear,
        tells_cost: false,
        has_own_sandbox: true,
        variables: &["OPENAI_", "CODEX_", "AWS_"],
    }),
    ways: ways::WAYS,
};

fn is_record(fields: &Fields<'_>) -> bool {
    match &*fields.text("type") {
        "session_meta" | "response_item" | "event_msg" | "turn_context" => fields.has("payload"),
        // Old rollouts have their items bare, and a first line without a type.
        "message" => fields.has("role"),
        "" => {
            fields.has("id") && fields.has("timestamp") && (fields.has("instructions") || fields.has("git"))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
