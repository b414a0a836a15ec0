//! The tools of the loop, and what they are handed.

mod blackboard;
mod done;
mod drop_task;
mod files;
mod http;
pub(crate) mod scratchpad;
mod shell;
mod tool;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use subcortex_engine::{Cancellation, Launcher};
use subcortex_mind::Fetch;
use subcortex_scratchpad::State;
use subcortex_store::Disk;

use crate::Identity;
use crate::text::one_line;
pub use blackboard::Blackboard;
pub use drop_task::Letterbox;
pub(crate) use tool::Tool;
pub use tool::{BLACKBOARD_TOOLS, TOOL_NAMES};

/// How much of a key that there is not is shown, in characters.
const MAX_SHOWN_KEY_CHARS: usize = 60;

/// What the tools work with.
#[derive(Debug)]
pub struct Tools {
    /// Files.
    pub disk: Arc<dyn Disk>,
    /// Programs.
    pub launcher: Arc<dyn Launcher>,
    /// Pages.
    pub fetch: Arc<dyn Fetch>,
    /// The worker's place on a blackboard, if it has one.
    pub blackboard: Option<Arc<dyn Blackboard>>,
    /// Where it leaves tasks for others, if it can.
    pub letterbox: Option<Arc<dyn Letterbox>>,
    /// The whole environment of programs that `shell` starts. What is in it, a model can make a program print: no keys.
    pub environment: BTreeMap<OsString, OsString>,
    /// The run.
    pub run_id: String,
    /// How long one call may take.
    pub step_limit_ms: u64,
    /// The order to end.
    pub cancellation: Cancellation,
}

/// What the arguments of a call are.
pub(crate) type Args = Map<String, Value>;

/// What came of a call.
#[derive(Debug)]
pub(crate) enum CallResult {
    /// A result.
    Gave(String),
    /// The worker says that it is done.
    Done { summary: String },
}

/// What the tools of a worker are, for the question.
pub(crate) fn manual(identity: &Identity) -> String {
    let usable = Tool::ALL.into_iter().filter(|tool| may_use(identity, *tool));
    usable.map(|tool| format!("- `{}` {}", tool.name(), tool.manual())).collect::<Vec<_>>().join("\n")
}

/// Without `done` no run could end well.
fn may_use(identity: &Identity, tool: Tool) -> bool {
    tool == Tool::Done || identity.tools.iter().any(|allowed| allowed == tool.name())
}

/// Carries out one call. Says what came of it, or why nothing did.
pub(crate) async fn carry_out(
    tools: &Tools,
    identity: &Identity,
    state: &mut State,
    tool: Tool,
    args: Option<Args>,
) -> Result<CallResult, String> {
    if !may_use(identity, tool) {
        return Err("you may not use this tool: see What You May Do".into());
    }
    let args = args.ok_or("`args` must be an object")?;
    refuse_stray_keys(&args, tool.keys())?;
    let result = match tool {
        Tool::Echo => string(&args, either(&args, "text", "message")?)?.to_owned(),
        // The launcher keeps the deadline itself, so that the whole tree of processes is gone before the next step.
        Tool::Shell => shell::run(tools, identity, &args).await?,
        Tool::ReadFile => in_time(tools, files::read(tools, identity, &args)).await?,
        Tool::WriteFile => in_time(tools, files::write(tools, identity, args)).await?,
        Tool::HttpGet => in_time(tools, http::get(tools, &args)).await?,
        Tool::BlackboardRead => in_time(tools, blackboard::read(tools)).await?,
        Tool::BlackboardAppend => in_time(tools, blackboard::append(tools, &args)).await?,
        Tool::DropTask => in_time(tools, drop_task::drop_task(tools, &args)).await?,
        Tool::UpdateScratchpad => scratchpad::update(state, args)?,
        Tool::Done => return Ok(CallResult::Done { summary: done::summary(&args)? }),
    };
    Ok(CallResult::Gave(result))
}

async fn in_time(
    tools: &Tools,
    call: impl Future<Output = Result<String, String>>,
) -> Result<String, String> {
    let limit_ms = tools.step_limit_ms;
    let mut cancellation = tools.cancellation.clone();
    tokio::select! {
        biased;
        order = cancellation.ordered() => Err(format!("the run was ended: {}", order.reason)),
        done = call => done,
        () = tokio::time::sleep(Duration::from_millis(limit_ms)) => {
            Err(format!("it was not done after {limit_ms} ms"))
        }
    }
}

/// A key that means nothing would be dropped in silence, and with it what the model wanted.
pub(crate) fn refuse_stray_keys(args: &Args, keys: Option<&[&str]>) -> Result<(), String> {
    let Some(keys) = keys else { return Ok(()) };
    let Some(stray) = args.keys().find(|key| !keys.contains(&key.as_str())) else { return Ok(()) };
    let known: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    let stray = one_line(stray, MAX_SHOWN_KEY_CHARS);
    Err(format!("there is no key `{stray}` here; the keys are {}", known.join(", ")))
}

/// Which of two names of the same argument is used; the first when none is.
pub(crate) fn either(args: &Args, name: &'static str, other: &'static str) -> Result<&'static str, String> {
    match (args.contains_key(name), args.contains_key(other)) {
        (true, true) => Err(format!("`{other}` is another name for `{name}`: give one of them")),
        (false, true) => Ok(other),
        (true | false, false) => Ok(name),
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
