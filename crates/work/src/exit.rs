//! How a piece of work ended, and what a worker with a model wants to remember of it.

use std::time::Duration;

use subcortex_agent::{Exit, ExitReport, ask_for_scratchpad};
use subcortex_cadence::settle::{Ending, Work};
use subcortex_engine::CancelReason;
use subcortex_mind::FailureKind;
use subcortex_runs::ExitRecord;

use crate::details::Details;
use crate::run::{Run, Task, failure};

/// How long a worker may take to say what it wants to remember, in milliseconds.
pub(crate) const REMEMBER_MS: u64 = 30_000;

/// How much of a saved scratchpad the record of an exit repeats, in characters.
const SHOWN_SAVED_CHARS: usize = 100;

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
    /// Whether what the work made of the worker's state stays. A limit ends a cycle, and a model that could not be asked
    /// does, too; only what was broken off, or died, goes back.
    pub(crate) fn keeps_state(&self) -> bool {
        match self.left.as_ref().map(|left| &left.exit) {
            Some(Exit::Completed | Exit::MaxSteps { .. } | Exit::Error(_)) => true,
            Some(Exit::Exception(_)) => false,
            None => self.work.ending == Ending::Well,
        }
    }

    /// How the work failed, for the notes of the scratchpad; `None` when it did not, or only came to its last step.
    pub(crate) fn failure(&self) -> Option<String> {
        match self.left.as_ref().map(|left| &left.exit) {
            Some(Exit::MaxSteps { .. }) => None,
            Some(Exit::Completed | Exit::Error(_) | Exit::Exception(_)) | None => failure(&self.work.ending),
        }
    }

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
    pub(crate) exit: Exit,
    /// What the worker said, if it completed its work.
    pub(crate) summary: String,
    /// What its steps noted, also where that is not kept.
    pub(crate) notes: String,
    pub(crate) steps: u32,
}

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
    /// Asks a worker that has left what it wants to remember. Its answer changes nothing about the task, which is settled.
    pub(crate) async fn remember(&self, task: Task<'_>, left: Left) -> ExitRecord {
        let named = task.map_or(("", ""), |(task, body)| (task.key.name.as_str(), body));
        let asked = self.ask_what_to_remember(named, &left).await;
        let mut record = ExitRecord {
            task: named.0.to_owned(),
            outcome: left.exit.words().to_owned(),
            steps: left.steps,
            ..ExitRecord::default()
        };
        match asked {
            Ok(answer) if self.desk.remember(answer.as_deref()) => {
                record.scratchpad = "scratchpad_update".into();
                record.saved = Some(self.desk.state().scratchpad.chars().take(SHOWN_SAVED_CHARS).collect());
            }
            Ok(_) => {}
            Err(why) => {
                record.scratchpad = "scratchpad_update_failed".into();
                record.why = Some(why);
            }
        }
        record
    }

    async fn ask_what_to_remember(
        &self,
        (task, body): (&str, &str),
        left: &Left,
    ) -> Result<Option<String>, String> {
        // A kill switch, the end of the daemon or of the partition: nothing is asked any more.
        if let Some(order) = self.cancellation.order()
            && order.reason != CancelReason::Deadline
        {
            return Err(format!("not asked: {}", order.reason));
        }
        let mind = self.mind()?;
        let state = self.desk.state();
        let why = left.exit.why();
        let report = ExitReport {
            task,
            body,
            outcome: left.exit.words(),
            summary: why.as_deref().unwrap_or(&left.summary),
            notes: &left.notes,
            steps: left.steps,
        };
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
