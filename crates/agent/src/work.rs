//! The loop: ask, do, note.

use subcortex_engine::CancelOrder;
use subcortex_mind::{Failure, FailureKind, Mind, Reply};
use subcortex_scratchpad::State;

use crate::question::{Gave, question};
use crate::step::{Step, take};
use crate::tools::Tools;
use crate::trace::Trace;
use crate::{Identity, tasks};

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
    /// The worker did not say `done` within its steps.
    MaxSteps {
        /// How many it had.
        max_steps: u32,
    },
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
            Exit::MaxSteps { .. } => "incomplete - max steps reached",
            Exit::Exception(_) => "exception",
        }
    }

    /// Why the work is not complete; nothing when it is.
    #[must_use]
    pub fn why(&self) -> Option<String> {
        match self {
            Exit::Completed => None,
            Exit::MaxSteps { max_steps } => {
                Some(format!("Reached maximum steps ({max_steps}) without completing task"))
            }
            Exit::Error(why) | Exit::Exception(why) => Some(why.clone()),
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
    /// The answers that called no tool, where the steps were used up: more steps would not have helped with those.
    pub misread: Option<Misread>,
    /// What happened, step by step.
    pub trace: String,
}

/// Answers of a model that called no tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misread {
    /// How many.
    pub answers: u32,
    /// What was wrong with the last.
    pub last: String,
}

/// Works until the worker says `done`, its steps are used up, the model cannot be asked, or the run is ended: by its
/// cancellation, which every step obeys. Dropping the future ends it too; the state keeps what was noted so far, and a
/// file that is just being written is written whole.
pub async fn work(job: &Job<'_>, state: &mut State) -> Worked {
    if let Some((name, _)) = job.task {
        tasks::take_up(state, name);
    }
    let mut trace = Trace::default();
    let mut gave = Vec::new();
    let mut misread: Option<Misread> = None;
    let max_steps = job.identity.max_steps;
    for step in 1..=max_steps {
        if let Some(order) = job.tools.cancellation.order() {
            return ended(run_was_ended(order), step - 1, trace);
        }
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
            Step::Gave { tool, result } => {
                trace.tell(&format!("step {step}: {tool}"), &result);
                gave.push(Gave::new(step, &tool, &result));
            }
            Step::NoCall { why } => {
                trace.tell(&format!("step {step}: no call"), &why);
                gave.push(Gave::new(step, "no call", &why));
                let answers = misread.map_or(0, |before| before.answers) + 1;
                misread = Some(Misread { answers, last: why });
            }
        }
    }
    Worked { misread, ..ended(Exit::MaxSteps { max_steps }, max_steps, trace) }
}

fn ended(exit: Exit, steps: u32, mut trace: Trace) -> Worked {
    trace.tell(exit.words(), &exit.why().unwrap_or_default());
    Worked { exit, output: String::new(), steps, misread: None, trace: trace.into_text() }
}

/// Asks for the next step; gives up when the run is to end.
async fn ask(job: &Job<'_>, state: &State, step: u32, gave: &[Gave]) -> Result<Reply, Exit> {
    let question = question(job, state, step, gave);
    let mut cancellation = job.tools.cancellation.clone();
    tokio::select! {
        biased;
        order = cancellation.ordered() => Err(run_was_ended(order)),
        reply = async { job.mind.ask(&question).await } => reply.map_err(exit_of),
    }
}

fn run_was_ended(order: CancelOrder) -> Exit {
    Exit::Exception(format!("the run was ended: {}", order.reason))
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
