//! What one answer causes.

use subcortex_mind::Reply;
use subcortex_scratchpad::State;

use crate::answer::{self, Call};
use crate::notes::Note;
use crate::text::one_line;
use crate::tools::{CallResult, Tool, carry_out};
use crate::{Job, shown_args, tasks};

/// How much of the name of a tool that there is not is told, in characters.
const MAX_NAME_CHARS: usize = 60;

/// What a step came to.
#[derive(Debug)]
pub(crate) enum Step {
    /// The worker says that it is done.
    Done { summary: String },
    /// A result, or why there is none.
    Gave { tool: String, result: String },
    /// The answer calls no tool: why.
    NoCall { why: String },
}

/// Does what an answer says, and notes what came of it.
pub(crate) async fn take(job: &Job<'_>, state: &mut State, reply: &Reply) -> Step {
    let Call { tool, args } = match answer::read(reply) {
        Ok(call) => call,
        Err(why) => {
            Note::ParseError { why: &why }.add_to(state);
            return Step::NoCall { why };
        }
    };
    let Some(tool) = Tool::named(&tool) else {
        let name = one_line(&tool, MAX_NAME_CHARS);
        Note::UnknownTool { name: &name }.add_to(state);
        return Step::Gave { tool: name, result: "there is no such tool".into() };
    };
    let name = tool.name();
    let shown = shown_args::shown(args.as_ref());
    match carry_out(job.tools, job.identity, state, tool, args).await {
        Ok(CallResult::Done { summary }) => {
            tasks::complete(state, &summary);
            Note::Completed { summary: &summary }.add_to(state);
            Step::Done { summary }
        }
        Ok(CallResult::Gave(result)) => {
            Note::Tool { name, args: &shown, result: &result }.add_to(state);
            Step::Gave { tool: name.into(), result }
        }
        Err(why) => {
            Note::ToolError { name, args: &shown, why: &why }.add_to(state);
            Step::Gave { tool: name.into(), result: format!("it failed: {why}") }
        }
    }
}
