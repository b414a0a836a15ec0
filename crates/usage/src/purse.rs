//! What one run may spend, and what it has.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use subcortex_mind::{Failure, FailureKind, Mind, Question, Usage};
use subcortex_store::locked;

use crate::price::cost;
use crate::{Account, Entry, Price, Sum};

/// How many bytes of a question are at least one token: fewer than a token of plain English has, so that estimates are
/// too high rather than too low.
const BYTES_A_TOKEN: u64 = 3;
/// The shortest answer that is worth asking for, in tokens.
const MIN_OUTPUT_TOKENS: u64 = 64;

/// The purse of one run.
#[derive(Debug)]
pub struct Purse {
    account: Arc<Account>,
    partition: String,
    run_id: String,
    tokens_per_run: Option<u64>,
    usd_per_day: Option<f64>,
    spent: Mutex<Sum>,
    is_out_of_money: AtomicBool,
}

/// What a question may take, set aside until it is answered.
#[derive(Debug)]
pub(crate) struct Allowance<'a> {
    purse: &'a Purse,
    purpose: &'static str,
    model: String,
    price: Option<Price>,
    estimate: Usage,
    reserved_usd: f64,
    settled: bool,
}

impl Purse {
    /// The purse of a run, with the limits of its partition.
    pub fn new(
        account: Arc<Account>,
        partition: impl Into<String>,
        run_id: impl Into<String>,
        tokens_per_run: Option<u64>,
        usd_per_day: Option<f64>,
    ) -> Self {
        Self {
            account,
            partition: partition.into(),
            run_id: run_id.into(),
            tokens_per_run,
            usd_per_day,
            spent: Mutex::default(),
            is_out_of_money: AtomicBool::new(false),
        }
    }

    /// What the run has spent.
    pub fn spent(&self) -> Sum {
        *locked(&self.spent)
    }

    /// Whether something was refused because of money: then the next run would be refused too, and the task is not to
    /// blame.
    pub fn is_out_of_money(&self) -> bool {
        self.is_out_of_money.load(Ordering::Relaxed)
    }

    /// How much money is left today for this run's partition, in US dollars; `None` is no limit.
    pub fn left_usd(&self) -> Option<f64> {
        self.account.left_usd(&self.partition, self.usd_per_day, Timestamp::now())
    }

    /// Whether there is anything left to begin with. For engines that count for themselves while they work.
    pub fn may_begin(&self) -> Result<(), Failure> {
        if self.left_usd().is_some_and(|left| left <= 0.0) {
            return Err(self.over_money());
        }
        match self.tokens_per_run {
            Some(limit) if self.spent().tokens >= limit => Err(over_tokens(limit)),
            Some(_) | None => Ok(()),
        }
    }

    /// Enters what an engine that counts for itself has used.
    pub fn enter(&self, purpose: &str, model: &str, usage: Usage, cost_usd: Option<f64>) {
        let usd = cost_usd.or_else(|| self.account.price(model).map(|price| cost(&price, &usage)));
        locked(&self.spent).add(&usage, usd);
        self.account.enter(&Entry {
            ts: Timestamp::now(),
            partition: self.partition.clone(),
            run_id: self.run_id.clone(),
            purpose: purpose.to_owned(),
            model: model.to_owned(),
            usage,
            usd,
        });
    }

    fn over_money(&self) -> Failure {
        self.is_out_of_money.store(true, Ordering::Relaxed);
        let partition = &self.partition;
        Failure::new(
            FailureKind::OverBudget,
            format!(
                "{partition} has reached what may be spent today; raise `budget.usd_per_day` of the partition or of the \
                 home, or wait for the next UTC day"
            ),
        )
    }

    /// Sets aside the most that a question can take, and shortens its answer to what is left.
    pub(crate) fn allow(&self, question: &mut Question, mind: &dyn Mind) -> Result<Allowance<'_>, Failure> {
        let model = mind.model();
        let input = (question.len_bytes() as u64).div_ceil(BYTES_A_TOKEN);
        let mut output = u64::from(question.max_output_tokens);
        if let Some(limit) = self.tokens_per_run {
            let left = limit.saturating_sub(self.spent().tokens).saturating_sub(input);
            if left < MIN_OUTPUT_TOKENS.min(output) {
                return Err(over_tokens(limit));
            }
            output = output.min(left);
        }
        let price = self.account.price(model);
        if self.left_usd().is_some() && price.is_none() && !mind.tells_cost() {
            self.is_out_of_money.store(true, Ordering::Relaxed);
            return Err(Failure::new(
                FailureKind::OverBudget,
                format!(
                    "there is a limit on money a day, but no price for the model `{model}`; add it below `prices:` in \
                     config/subcortex.yaml (0 for a model of your own)"
                ),
            ));
        }
        let estimate = Usage { input, output, ..Usage::default() };
        let usd = price.map_or(0.0, |price| cost(&price, &estimate));
        if price.is_none() {
            self.may_begin()?; // what it will cost is told afterwards: something must be left
        }
        if !self.account.reserve(&self.partition, self.usd_per_day, usd, Timestamp::now()) {
            return Err(self.over_money());
        }
        question.max_output_tokens = u32::try_from(output).unwrap_or(u32::MAX);
        let (model, purpose) = (model.to_owned(), question.purpose);
        Ok(Allowance { purse: self, purpose, model, price, estimate, reserved_usd: usd, settled: false })
    }
}

impl Allowance<'_> {
    /// Enters what the question really took; one that was refused took nothing.
    pub(crate) fn settle(mut self, model: &str, usage: Usage, cost_usd: Option<f64>) {
        self.settled = true;
        if usage.total() == 0 && cost_usd.is_none() {
            return;
        }
        let usd = cost_usd.or_else(|| self.price.map(|price| cost(&price, &usage)));
        self.purse.enter(self.purpose, if model.is_empty() { &self.model } else { model }, usage, usd);
    }
}

impl Drop for Allowance<'_> {
    fn drop(&mut self) {
        self.purse.account.release(&self.purse.partition, self.reserved_usd);
        if !self.settled {
            // Given up half-way: it was read, and nobody knows how much was written.
            let usd = self.price.map(|price| cost(&price, &self.estimate));
            self.purse.enter(self.purpose, &self.model, self.estimate, usd);
        }
    }
}

fn over_tokens(limit: u64) -> Failure {
    Failure::new(
        FailureKind::OverBudget,
        format!(
            "the run has reached its limit of {limit} tokens; raise `budget.tokens_per_run` of the partition or of the \
             home if it needs more"
        ),
    )
}
