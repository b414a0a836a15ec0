//! A mind whose questions are paid from a purse.

use std::sync::{Arc, Mutex};

use subcortex_mind::{Asking, Failure, FailureKind, Mind, Question, Reply};
use subcortex_store::locked;

use crate::Purse;

/// Asks another mind, within a budget, and enters what it took.
#[derive(Debug)]
pub struct Metered {
    mind: Arc<dyn Mind>,
    purse: Arc<Purse>,
    last_failure: Mutex<Option<FailureKind>>,
}

impl Metered {
    /// Puts a budget between a run and a mind.
    pub fn new(mind: Arc<dyn Mind>, purse: Arc<Purse>) -> Self {
        Self { mind, purse, last_failure: Mutex::default() }
    }

    /// Why the last question had no answer; `None` when it had one.
    pub fn last_failure(&self) -> Option<FailureKind> {
        *locked(&self.last_failure)
    }
}

impl Metered {
    async fn ask_within_budget(&self, mut question: Question) -> Result<Reply, Failure> {
        let allowance = self.purse.allow(&mut question, &*self.mind)?;
        let answer = self.mind.ask(&question).await;
        match &answer {
            Ok(reply) => allowance.settle(&reply.model, reply.usage, reply.cost_usd),
            Err(failure) => allowance.settle("", failure.usage, None),
        }
        answer
    }
}

impl Mind for Metered {
    fn model(&self) -> &str {
        self.mind.model()
    }

    fn tells_cost(&self) -> bool {
        self.mind.tells_cost()
    }

    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        Box::pin(async move {
            let answer = self.ask_within_budget(question.clone()).await;
            *locked(&self.last_failure) = answer.as_ref().err().map(|failure| failure.kind);
            answer
        })
    }
}
