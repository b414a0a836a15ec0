//! A mind whose questions are paid from a purse.

use std::sync::Arc;

use subcortex_mind::{Asking, Mind, Question};

use crate::Purse;

/// Asks another mind, within a budget, and enters what it took.
#[derive(Debug)]
pub struct Metered {
    mind: Arc<dyn Mind>,
    purse: Arc<Purse>,
}

impl Metered {
    /// Puts a budget between a run and a mind.
    pub fn new(mind: Arc<dyn Mind>, purse: Arc<Purse>) -> Self {
        Self { mind, purse }
    }
}

impl Mind for Metered {
    fn model(&self) -> &str {
        self.mind.model()
    }

    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        Box::pin(async move {
            let mut question = question.clone();
            let allowance = self.purse.allow(&mut question, self.mind.model())?;
            let answer = self.mind.ask(&question).await;
            match &answer {
                Ok(reply) => allowance.settle(&reply.model, reply.usage, reply.cost_usd),
                Err(failure) => allowance.settle("", failure.usage, None),
            }
            answer
        })
    }
}
