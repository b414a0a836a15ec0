//! What one answer causes.

use serde_json::Value;
use subcortex_guard::Redactor;
use subcortex_mind::Reply;
use subcortex_scratchpad::State;

use crate::answer::{self, Call};
use crate::notes::Note;
use crate::text::{escape_lines, one_line};
use crate::tools::{Args, TOOL_NAMES, carry_out, kind_of, may_use};
use crate::{Job, tasks};

/// The longest summary, in bytes. A longer one is refused, not cut: its last line is the result.
const MAX_SUMMARY_BYTES: usize = 16 * 1024;
/// How much of the name of a tool that there is not is told, in characters.
const MAX_NAME_CHARS: usize = 60;

/// What a step came to.
#[derive(Debug)]
pub(crate) enum Step {
    /// The worker says that it is done.
    Done { summary: String },
    /// A result, or why there is none.
    Gave { tool: String, result: String },
}

/// Does what an answer says, and notes what came of it.
pub(crate) async fn take(job: &Job<'_>, state: &mut State, reply: &Reply) -> Step {
    let Call { tool, args } = match answer::read(reply) {
        Ok(call) => call,
        Err(why) => {
            Note::ParseError { why: &why }.add_to(state);
            return Step::Gave { tool: "no call".into(), result: why };
        }
    };
    if !TOOL_NAMES.contains(&tool.as_str()) {
        let tool = one_line(&tool, MAX_NAME_CHARS);
        Note::UnknownTool { name: &tool }.add_to(state);
        return Step::Gave { tool, result: "there is no such tool".into() };
    }
    let done = match (tool.as_str(), args) {
        _ if !may_use(job.identity, &tool) => Err("you may not use this tool: see What You May Do".into()),
        (_, None) => Err("`args` must be an object".into()),
        ("done", Some(args)) => match summary_of(&args) {
            Ok(summary) => return complete(state, summary),
            Err(why) => Err(why),
        },
        (_, Some(args)) => carry_out(job.tools, job.identity, state, &tool, args).await,
    };
    match done {
        Ok(result) => {
            Note::Tool { name: &tool, result: &result }.add_to(state);
            Step::Gave { tool, result }
        }
        Err(why) => {
            Note::ToolError { name: &tool, why: &why }.add_to(state);
            Step::Gave { tool, result: format!("it failed: {why}") }
        }
    }
}

fn complete(state: &mut State, summary: String) -> Step {
    tasks::complete(state);
    Note::Completed { summary: &summary }.add_to(state);
    Step::Done { summary }
}

/// The summary as the daemon gets it. What is escaped in it cannot become a result line of its own.
fn summary_of(args: &Args) -> Result<String, String> {
    let summary = match args.get("summary") {
        Some(Value::String(summary)) if !summary.trim().is_empty() => summary,
        Some(Value::String(_)) | None => {
            return Err("`summary` is missing: say what was done, and end with the result line".into());
        }
        Some(other) => return Err(format!("`summary` must be a text, and is {}", kind_of(other))),
    };
    let len_bytes = summary.len();
    if len_bytes > MAX_SUMMARY_BYTES {
        return Err(format!(
            "the summary has {len_bytes} bytes, and at most {MAX_SUMMARY_BYTES} are taken: shorten it"
        ));
    }
    Ok(escape_lines(&Redactor::new().text(summary)))
}
