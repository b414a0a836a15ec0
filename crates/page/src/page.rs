//! What all routes share.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use subcortex_cadence::PartitionId;
use subcortex_daemon::control::{Answer as Told, Request};
use subcortex_daemon::{Helm, Schedule};
use subcortex_web::Answer;

use crate::pulse::Pulse;
use crate::views::Days;
use crate::{Kept, PageError};

/// How old what the event loop said may be: however many ask, it is asked so seldom.
const SCHEDULE_AGE: Duration = Duration::from_millis(250);
/// How old what was read from files may be.
const FILES_AGE: Duration = Duration::from_millis(1_000);
/// How long the event loop may take to say how everything stands.
const SCHEDULE_WITHIN: Duration = Duration::from_secs(5);

/// What all routes share.
#[derive(Debug)]
pub struct Page {
    pub(crate) helm: Helm,
    pub(crate) pulse: Pulse,
    /// How lines fared on days that do not change any more.
    pub(crate) days: Days,
    schedule: Kept<Schedule>,
    coverage: Kept<Value>,
    inboxes: Kept<Value>,
}

impl Page {
    /// The page of a running daemon.
    pub fn of(helm: Helm) -> Arc<Self> {
        Arc::new(Self {
            helm,
            pulse: Pulse::default(),
            days: Days::default(),
            schedule: Kept::for_at_most(SCHEDULE_AGE),
            coverage: Kept::for_at_most(FILES_AGE),
            inboxes: Kept::for_at_most(FILES_AGE),
        })
    }

    /// How everything stands, as the event loop says.
    pub(crate) async fn schedule(&self) -> Result<Schedule, PageError> {
        let asked = async {
            match tokio::time::timeout(SCHEDULE_WITHIN, self.helm.ask(Request::Status)).await {
                Ok(Told::Schedule(schedule)) => Ok(schedule),
                Ok(other) => Err(PageError::Refused(refusal(other))),
                Err(_) => Err(PageError::Refused("the daemon is too busy to answer".into())),
            }
        };
        self.schedule.get(asked).await
    }

    /// The broadcast as a coverage report.
    pub(crate) async fn coverage(self: &Arc<Self>) -> Result<Value, PageError> {
        self.coverage.get(self.read(crate::views::coverage)).await
    }

    /// The tasks that wait.
    pub(crate) async fn inboxes(self: &Arc<Self>) -> Result<Value, PageError> {
        self.inboxes.get(self.read(crate::views::inboxes)).await
    }

    /// Something was done: what is kept may not be true any more.
    pub(crate) async fn changed(&self) {
        self.schedule.forget().await;
        self.coverage.forget().await;
        self.inboxes.forget().await;
    }

    /// Reads files, apart from everybody who waits for something else.
    pub(crate) async fn read<T: Serialize + Send + 'static>(
        self: &Arc<Self>,
        look: impl FnOnce(&Page) -> Result<T, PageError> + Send + 'static,
    ) -> Result<Value, PageError> {
        let page = Arc::clone(self);
        let looked = tokio::task::spawn_blocking(move || look(&page)).await;
        let value = looked.map_err(|error| PageError::Bug(error.to_string()))??;
        serde_json::to_value(value).map_err(|error| PageError::Bug(error.to_string()))
    }

    /// A partition that is there.
    pub(crate) fn expect_partition(&self, name: &str) -> Result<PartitionId, PageError> {
        let id = PartitionId::new(name).map_err(|problem| PageError::Unfit(problem.to_string()))?;
        if self.helm.home().partition(id.as_str()).join("CLAUDE.md").exists() {
            return Ok(id);
        }
        Err(PageError::Missing(format!("there is no partition `{id}`")))
    }
}

/// Why the daemon did not do something.
pub(crate) fn refusal(told: Told) -> String {
    match told {
        Told::Refused { why } | Told::NotKept { why } => why,
        Told::Schedule(_)
        | Told::Ran { .. }
        | Told::Done
        | Told::Reset { .. }
        | Told::LoopRan(_)
        | Told::Decided { .. } => "the daemon gave an answer that does not fit".into(),
    }
}

/// A view, or why there is none.
pub(crate) fn shown(view: Result<Value, PageError>) -> Answer {
    view.map_or_else(Answer::from, Answer::Json)
}
