//! How a piece of work ended, and what a worker with a model wants to remember of it.

use std::time::Duration;

use subcortex_agent::{ExitReport, ask_for_scratchpad};
use subcortex_cadence::settle::{Ending, Work};
use subcortex_engine::CancelReason;
use subcortex_mind::FailureKind;
use subcortex_runs::ExitRecord;

use crate::details::Details;
use crate::run::{Run, Task};

/// How long a worker may take to say what it wants to remember, in milliseconds.
pub(crate) const REMEMBER_MS: u64 = 30_000;

/// What a piece of work came to.
#[derive(Debug)]
pub struct Worked {
    /// How it ended.
    pub work: Work,
    /// What people want to know of it.
    pub details: Details,
    /// How a worker with a model left; nothing when there was none, or it never came.
    pub left: Option<Left>,
}

impl Worked {
    /// It ended like this, and there is nothing else to tell.
    pub fn ended(ending: Ending) -> Self {
        (Work::ended(ending), Details::default()).into()
    }
}

impl From<(Work, Details)> for Worked {
    fn from((work, details): (Work, Details)) -> Self {
        Self { work, details, left: None }
    }
}

/// How a worker with a model left: what it is asked about afterwards.
#[derive(Debug)]
pub struct Left {
    /// The outcome in the words that it is told.
    pub(crate) outcome: &'static str,
    pub(crate) summary: String,
    pub(crate) steps: u32,
}

pub(crate) const COMPLETED: &str = "completed";
pub(crate) const ERROR: &str = "error";
pub(crate) const MAX_STEPS: &str = "incomplete - max steps reached";
pub(crate) const EXCEPTION: &str = "exception";

/// A failure that is not the task's: with another key, another day or a better line the same task may go well.
pub(crate) fn is_the_engine_s(kind: FailureKind) -> bool {
    match kind {
        FailureKind::Unauthorized | FailureKind::Refused | FailureKind::Busy | FailureKind::Unreachable => {
            true
        }
        FailureKind::TimedOut | FailureKind::Garbage | FailureKind::OverBudget | FailureKind::Cancelled => {
            false
        }
    }
}

impl Run<'_> {
    /// Asks a worker that has left what it wants to remember. Whatever comes of it, the task is as it is.
    pub(crate) async fn remember(&self, task: Task<'_>, left: Left) -> ExitRecord {
        let name = task.map_or("", |(task, _)| task.key.name.as_str());
        let asked = self.ask_what_to_remember(name, &left).await;
        let (event, why) = match &asked {
            Ok(answer) => {
                self.desk.remember(answer.as_deref());
                ("scratchpad_update", None)
            }
            Err(why) => ("scratchpad_update_failed", Some(why.clone())),
        };
        ExitRecord {
            task: name.to_owned(),
            outcome: left.outcome.to_owned(),
            steps: left.steps,
            scratchpad: event.to_owned(),
            why,
        }
    }

    async fn ask_what_to_remember(&self, task: &str, left: &Left) -> Result<Option<String>, String> {
        // A kill switch, the end of the daemon or of the partition: nothing is asked any more.
        if let Some(order) = self.cancellation.order()
            && order.reason != CancelReason::Deadline
        {
            return Err(format!("not asked: {}", order.reason));
        }
        let mind = self.mind()?;
        let state = self.desk.state();
        let report = ExitReport { task, outcome: left.outcome, summary: &left.summary, steps: left.steps };
        let mut cancellation = self.cancellation.clone();
        let has_order = cancellation.order().is_some();
        let ended = async {
            if has_order {
                cancellation.ordered().await; // the deadline, which is known
            }
            cancellation.sharpened().await.reason
        };
        tokio::select! {
            biased;
            reason = ended => Err(format!("given up: {reason}")),
            answer = ask_for_scratchpad(&mind, &state, &report) => answer.map_err(|failure| failure.message),
            () = tokio::time::sleep(Duration::from_millis(REMEMBER_MS)) => {
                Err(format!("no answer within {} s", REMEMBER_MS / 1_000))
            }
        }
    }
}
