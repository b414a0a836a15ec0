//! A mind for code that waits: the weaver, which has a thread of its own.

use std::time::Duration;

use subcortex_engine::Cancellation;
use subcortex_mind::{AskNow, Failure, FailureKind, Mind, Question, Reply};
use subcortex_usage::Metered;
use tokio::runtime::Handle;

/// How long one question of the weaver may take.
pub(crate) const QUESTION_WITHIN: Duration = Duration::from_secs(600);

/// Waits for answers, for as long as its run may go on.
#[derive(Debug)]
pub(crate) struct Waits {
    pub(crate) mind: Metered,
    pub(crate) runtime: Handle,
    pub(crate) cancellation: Cancellation,
}

impl AskNow for Waits {
    fn model(&self) -> &str {
        self.mind.model()
    }

    fn ask_now(&self, question: &Question) -> Result<Reply, Failure> {
        let mut cancellation = self.cancellation.clone();
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                order = cancellation.ordered() => {
                    Err(Failure::new(FailureKind::Cancelled, format!("the run was ended: {}", order.reason)))
                }
                answer = self.mind.ask(question) => answer,
                () = tokio::time::sleep(QUESTION_WITHIN) => Err(too_late()),
            }
        })
    }
}

/// Nobody answered in time.
pub(crate) fn too_late() -> Failure {
    Failure::new(FailureKind::TimedOut, format!("no answer within {} s", QUESTION_WITHIN.as_secs()))
}
