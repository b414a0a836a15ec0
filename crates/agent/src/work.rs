//! The loop: ask, do, note.

use serde_json::Value;
use subcortex_mind::{Failure, FailureKind, Mind, Reply};
use subcortex_scratchpad::State;

use crate::Identity;
use crate::answer::{self, Call};
use crate::notes::Note;
use crate::question::{Gave, question};
use crate::tasks;
use crate::text::{escape_lines, one_line};
use crate::tools::{Args, TOOL_NAMES, Tools, carry_out, kind_of, may_use};
use crate::trace::Trace;

/// The longest summary, in bytes. A longer one is refused, not cut: its last line is the result.
const MAX_SUMMARY_BYTES: usize = 16 * 1024;
/// How long a name of a tool in the trace can be, in characters.
const MAX_NAME_CHARS: usize = 60;

/// One run of one worker.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    /// Who works, and what it may do.
    pub identity: &'a Identity,
    /// What the partition's file says.
    pub instructions: &'a str,
    /// Name and body of the task, if there is one.
    pub task: Option<(&'a str, &'a str)>,
    /// Who is asked.
    pub mind: &'a dyn Mind,
    /// What the tools work with.
    pub tools: &'a Tools,
}

/// How a loop ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exit {
    /// The worker said `done`.
    Completed,
    /// The model could not be asked: why.
    Error(String),
    /// The worker did not say `done` in time.
    MaxSteps,
    /// The run was ended from outside: why.
    Exception(String),
}

impl Exit {
    /// The name of this way to end.
    #[must_use]
    pub fn words(&self) -> &'static str {
        match self {
            Exit::Completed => "completed",
            Exit::Error(_) => "error",
            Exit::MaxSteps => "incomplete - max steps reached",
            Exit::Exception(_) => "exception",
        }
    }
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worked {
    /// How it ended.
    pub exit: Exit,
    /// The summary that `done` gave, without secrets and control characters; empty otherwise.
    pub output: String,
    /// How many steps were begun.
    pub steps: u32,
    /// What happened, step by step.
    pub trace: String,
}

/// Works until the worker says `done`, its steps are used up, the model cannot be asked, or the run is ended. Dropping
/// the future ends it too; the state keeps what was noted so far.
pub async fn work(job: &Job<'_>, state: &mut State) -> Worked {
    if let Some((name, _)) = job.task {
        tasks::take_up(state, name);
    }
    let mut trace = Trace::default();
    let mut gave = Vec::new();
    for step in 1..=job.identity.max_steps {
        let reply = match ask(job, state, step, &gave).await {
            Ok(reply) => reply,
            Err(exit) => return ended(exit, step, trace),
        };
        trace.tell(&format!("step {step}: the answer"), &reply.text);
        match take(job, state, &reply).await {
            Step::Done { summary } => {
                trace.tell("done", &summary);
                return Worked { output: summary, ..ended(Exit::Completed, step, trace) };
            }
            Step::Gave(result) => {
                trace.tell(&format!("step {step}: {}", result.tool), &result.result);
                gave.push(result);
            }
        }
    }
    ended(Exit::MaxSteps, job.identity.max_steps, trace)
}

fn ended(exit: Exit, steps: u32, mut trace: Trace) -> Worked {
    let why = match &exit {
        Exit::Error(why) | Exit::Exception(why) => why.as_str(),
        Exit::Completed | Exit::MaxSteps => "",
    };
    trace.tell(exit.words(), why);
    Worked { exit, output: String::new(), steps, trace: trace.into_text() }
}

/// Asks for the next step; gives up when the run is to end.
async fn ask(job: &Job<'_>, state: &State, step: u32, gave: &[Gave]) -> Result<Reply, Exit> {
    let question = question(job, state, step, gave);
    let mut cancellation = job.tools.cancellation.clone();
    tokio::select! {
        biased;
        order = cancellation.ordered() => Err(Exit::Exception(format!("the run was ended: {}", order.reason))),
        reply = async { job.mind.ask(&question).await } => reply.map_err(exit_of),
    }
}

fn exit_of(failure: Failure) -> Exit {
    match failure.kind {
        FailureKind::Cancelled => Exit::Exception(failure.message),
        FailureKind::Unauthorized
        | FailureKind::Refused
        | FailureKind::Busy
        | FailureKind::Unreachable
        | FailureKind::TimedOut
        | FailureKind::Garbage
        | FailureKind::OverBudget => Exit::Error(failure.message),
    }
}

enum Step {
    Done { summary: String },
    Gave(Gave),
}

/// Does what an answer says, and notes what came of it.
async fn take(job: &Job<'_>, state: &mut State, reply: &Reply) -> Step {
    let call = match answer::read(reply) {
        Ok(call) => call,
        Err(why) => {
            Note::ParseError { why: &why }.add_to(state);
            return Step::Gave(Gave { tool: "(no call)".into(), result: why });
        }
    };
    let name = one_line(&call.tool, MAX_NAME_CHARS);
    if !TOOL_NAMES.contains(&call.tool.as_str()) {
        Note::UnknownTool { name: &name }.add_to(state);
        return Step::Gave(Gave { tool: name, result: "there is no such tool".into() });
    }
    match call_tool(job, state, call).await {
        Ok(Outcome::Done(summary)) => {
            tasks::complete(state);
            Note::Completed { summary: &summary }.add_to(state);
            Step::Done { summary }
        }
        Ok(Outcome::Result(result)) => {
            Note::Tool { name: &name, result: &result }.add_to(state);
            Step::Gave(Gave { tool: name, result })
        }
        Err(why) => {
            Note::ToolError { name: &name, why: &why }.add_to(state);
            Step::Gave(Gave { tool: name, result: format!("it failed: {why}") })
        }
    }
}

enum Outcome {
    Result(String),
    Done(String),
}

async fn call_tool(job: &Job<'_>, state: &mut State, call: Call) -> Result<Outcome, String> {
    if !may_use(job.identity, &call.tool) {
        return Err("you may not use this tool: see What You May Do".into());
    }
    let args = call.args.ok_or("`args` must be an object")?;
    if call.tool == "done" {
        return summary_of(&args).map(Outcome::Done);
    }
    carry_out(job.tools, job.identity, state, &call.tool, args).await.map(Outcome::Result)
}

/// The summary as the daemon gets it.
fn summary_of(args: &Args) -> Result<String, String> {
    let summary = match args.get("summary") {
        Some(Value::String(summary)) if !summary.trim().is_empty() => summary,
        Some(Value::String(_)) | None => {
            return Err("`summary` is missing: say what was done, and end with the result line".into());
        }
        Some(other) => return Err(format!("`summary` must be a text, and is {}", kind_of(other))),
    };
    if summary.len() > MAX_SUMMARY_BYTES {
        let len_bytes = summary.len();
        return Err(format!(
            "the summary has {len_bytes} bytes, and at most {MAX_SUMMARY_BYTES} are taken: shorten it"
        ));
    }
    Ok(escape_lines(&subcortex_guard::Redactor::new().text(summary)))
}
