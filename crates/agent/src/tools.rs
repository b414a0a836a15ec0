//! The tools of the loop, and what they are handed.

mod files;
mod http;
pub(crate) mod scratchpad;
mod shell;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use subcortex_engine::{Cancellation, Launcher};
use subcortex_scratchpad::State;
use subcortex_store::Disk;

use crate::Identity;

/// The tools that there are.
pub const TOOL_NAMES: [&str; 7] =
    ["echo", "shell", "read_file", "write_file", "http_get", "update_scratchpad", "done"];

/// What the tools work with.
#[derive(Debug)]
pub struct Tools {
    /// Files.
    pub disk: Arc<dyn Disk>,
    /// Programs.
    pub launcher: Arc<dyn Launcher>,
    /// Pages.
    pub fetch: Arc<dyn Fetch>,
    /// The whole environment of programs that `shell` starts. What is in it, a model can make a program print: no keys.
    pub environment: BTreeMap<OsString, OsString>,
    /// The run.
    pub run_id: String,
    /// How long one call may take.
    pub step_limit_ms: u64,
    /// The order to end.
    pub cancellation: Cancellation,
}

/// A page that was fetched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fetched {
    /// The HTTP status.
    pub status: u16,
    /// What the other side says it is.
    pub content_type: String,
    /// The text.
    pub text: String,
    /// Whether there was more than is taken.
    pub is_cut: bool,
}

/// A page that is being fetched.
pub type Fetching<'a> = Pin<Box<dyn Future<Output = Result<Fetched, String>> + Send + 'a>>;

/// Whoever fetches pages. It decides where it may go: never to private, loopback or metadata addresses, also not by a
/// redirect or a name that resolves to one.
pub trait Fetch: Debug + Send + Sync {
    /// Fetches a page, or says why not.
    fn get<'a>(&'a self, url: &'a str) -> Fetching<'a>;
}

/// What the arguments of a call are.
pub(crate) type Args = Map<String, Value>;

/// What the tools are, for the question: name and arguments.
pub(crate) fn manual(identity: &Identity) -> String {
    let lines = TOOL_NAMES.iter().filter(|name| may_use(identity, name)).map(|name| match *name {
        "echo" => "- `echo` {\"text\": \"…\"}: gives the text back.",
        "shell" => {
            "- `shell` {\"program\": \"name\", \"args\": [\"one\", \"two\"]}: starts one of your programs in your first write \
             folder. There is no shell: each argument reaches the program as it is."
        }
        "read_file" => {
            "- `read_file` {\"path\": \"…\", \"offset\": 0}: a part of a text file, from a byte on. Relative paths start at your \
             first write folder."
        }
        "write_file" => "- `write_file` {\"path\": \"…\", \"content\": \"…\"}: a whole file; folders are made.",
        "http_get" => "- `http_get` {\"url\": \"https://…\"}: a public page.",
        "update_scratchpad" => {
            "- `update_scratchpad` {…}: `completed_tasks` (list, added), `pending_actions` (list, replaced), `goals` (list, replaced), \
             `current_task`, `scratchpad` (text, replaced), `notes` (text, one line is added), or keys of your own (null removes one)."
        }
        _ => {
            "- `done` {\"summary\": \"…\"}: ends the run. The last line of the summary is the result line."
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a tool that there is may be used by this worker.
pub(crate) fn may_use(identity: &Identity, tool: &str) -> bool {
    tool == "done" || identity.tools.iter().any(|allowed| allowed == tool)
}

/// Carries out one call of a tool that there is, other than `done`. Says what came of it, or why nothing did.
pub(crate) async fn carry_out(
    tools: &Tools,
    identity: &Identity,
    state: &mut State,
    tool: &str,
    args: Args,
) -> Result<String, String> {
    let limit = Duration::from_millis(tools.step_limit_ms);
    let too_slow = |_| format!("it was not done after {} ms", tools.step_limit_ms);
    match tool {
        "echo" => Ok(string(&args, "text")?.to_owned()),
        // The launcher keeps the deadline itself, so that the whole tree of processes is gone before the next step.
        "shell" => shell::run(tools, identity, &args).await,
        "read_file" => {
            tokio::time::timeout(limit, files::read(tools, identity, &args)).await.map_err(too_slow)?
        }
        "write_file" => {
            tokio::time::timeout(limit, files::write(tools, identity, args)).await.map_err(too_slow)?
        }
        "http_get" => tokio::time::timeout(limit, http::get(tools, &args)).await.map_err(too_slow)?,
        "update_scratchpad" => scratchpad::update(state, args),
        other => Err(format!("there is no tool {other}")),
    }
}

/// A text among the arguments.
pub(crate) fn string<'a>(args: &'a Args, name: &str) -> Result<&'a str, String> {
    match args.get(name) {
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(format!("`{name}` must be a text, and is {}", kind_of(other))),
        None => Err(format!("`{name}` is missing")),
    }
}

/// What sort of value this is, for messages.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
