//! A mind that writes no more than a run may.

use std::sync::atomic::{AtomicU64, Ordering};

use subcortex_mind::{Asking, Failure, FailureKind, Mind};

/// Below so many tokens a question is not worth asking.
const MIN_TOKENS: u64 = 64;

/// Asks another mind as long as there are output tokens left.
#[derive(Debug)]
pub(super) struct WithinBudget<M> {
    pub(super) mind: M,
    /// `budget_tokens:`; without it the other limits of the home hold.
    pub(super) budget: Option<u64>,
    /// What was written so far.
    pub(super) written: AtomicU64,
}

impl<M: Mind> Mind for WithinBudget<M> {
    fn model(&self) -> &str {
        self.mind.model()
    }

    fn tells_cost(&self) -> bool {
        self.mind.tells_cost()
    }

    fn ask<'a>(&'a self, question: &'a subcortex_mind::Question) -> Asking<'a> {
        Box::pin(async move {
            let mut question = question.clone();
            if let Some(budget) = self.budget {
                let left = budget.saturating_sub(self.written.load(Ordering::Relaxed));
                if left < MIN_TOKENS.min(budget) {
                    let why = format!(
                        "the run has written its {budget} tokens; raise `budget_tokens`, or give it less to do"
                    );
                    return Err(Failure::new(FailureKind::OverBudget, why));
                }
                question.max_output_tokens =
                    question.max_output_tokens.min(u32::try_from(left).unwrap_or(u32::MAX));
            }
            let answer = self.mind.ask(&question).await;
            let output =
                answer.as_ref().map_or_else(|failure| failure.usage.output, |reply| reply.usage.output);
            self.written.fetch_add(output, Ordering::Relaxed);
            answer
        })
    }
}
