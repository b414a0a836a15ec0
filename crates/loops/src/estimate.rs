//! What a loop will cost: runs, tokens and money over a number of days, and what would make it cheaper.
//!
//! The runs are those that the cadence really has in these days, counted from now. A run reads `input_tokens`, of
//! which the prompt cache holds a part ([`cache`]), and writes `output_tokens`: its budget, so the estimate is what it
//! can cost at most. Prices are a person's, from the settings, and so is their date.

pub mod cache;
pub mod drift;
pub mod levers;

use subcortex_cadence::UnixMs;
use subcortex_config::Price;
use subcortex_usage::{Prices, TOKENS_A_PRICE_IS_FOR};

use self::cache::CachedInput;
use crate::cadence::LoopCadence;

/// What a run is taken to read, if nobody says otherwise, in tokens. An assumption; answers show it as one.
pub const ASSUMED_INPUT_TOKENS: u64 = 40_000;
/// What a run is taken to write if it has no budget, in tokens. An assumption; answers show it as one.
pub const ASSUMED_OUTPUT_TOKENS: u64 = 8_000;
/// How many days are estimated, if nobody says otherwise.
pub const DEFAULT_DAYS: u32 = 30;
/// The most days that are estimated.
pub const MAX_DAYS: u32 = 366;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// What one run uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunTokens {
    /// Read.
    pub input: u64,
    /// Written.
    pub output: u64,
}

/// What a number of runs use.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// How many runs there are.
    pub runs: usize,
    /// Over how many days.
    pub days: u32,
    /// What one of them uses.
    pub a_run: RunTokens,
    /// How all their input is read.
    pub input: CachedInput,
    /// What all of them write.
    pub output: u64,
}

/// When a loop runs in the days after a moment.
pub fn run_times(cadence: &LoopCadence, from: UnixMs, days: u32) -> Vec<UnixMs> {
    let until = UnixMs(from.0.saturating_add(i64::from(days.min(MAX_DAYS)) * DAY_MS));
    std::iter::successors(cadence.next_after(from), |last| cadence.next_after(*last))
        .take_while(|time| *time <= until)
        .collect()
}

impl Estimate {
    /// Adds up what runs at these times use.
    pub fn of(times: &[UnixMs], days: u32, a_run: RunTokens) -> Estimate {
        let runs = times.len();
        let output = a_run.output.saturating_mul(runs as u64);
        Estimate { runs, days, a_run, input: CachedInput::of(times, a_run.input), output }
    }

    /// Runs a day, on average.
    #[allow(clippy::cast_precision_loss)] // far fewer than 2^53
    pub fn runs_a_day(&self) -> f64 {
        self.runs as f64 / f64::from(self.days.max(1))
    }

    /// All tokens, however they are read.
    pub fn tokens(&self) -> u64 {
        self.input.total().saturating_add(self.output)
    }

    /// What they cost at a price, in US dollars.
    #[allow(clippy::cast_precision_loss)] // beyond 2^53 tokens the last cent does not matter
    pub fn usd(&self, price: &Price) -> f64 {
        (self.input.weighted() * price.input + self.output as f64 * price.output) / TOKENS_A_PRICE_IS_FOR
    }
}

/// A model, and what an estimate costs with it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ModelCost {
    /// Its name.
    pub model: String,
    /// In US dollars, over all days.
    pub usd: f64,
    /// Whether the config names it.
    pub is_own: bool,
}

/// The cost with each model that has a price, the cheapest first.
pub fn costs(estimate: &Estimate, prices: &Prices, own_model: Option<&str>) -> Vec<ModelCost> {
    let cost = |model: &str, price| ModelCost {
        model: model.to_owned(),
        usd: estimate.usd(price),
        is_own: Some(model) == own_model,
    };
    let mut costs: Vec<ModelCost> = prices.0.iter().map(|(model, price)| cost(model, price)).collect();
    if let Some(own) = own_model.filter(|own| !prices.0.contains_key(*own)) {
        // A name with a date behind it has the price of its beginning.
        costs.extend(prices.of(own).map(|price| cost(own, price)));
    }
    costs.sort_by(|one, other| one.usd.total_cmp(&other.usd));
    costs
}
