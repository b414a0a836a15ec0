//! What would make a loop cheaper, in the order to try it: the cadence, which costs no quality, then the model, then a
//! cheap maker with a dear gate.

use serde::Serialize;
use subcortex_cadence::UnixMs;
use subcortex_config::Price;
use subcortex_usage::Prices;

use super::{Estimate, RunTokens};

/// What a gate answers: yes or no, and why. In tokens.
const GATE_OUTPUT_TOKENS: u64 = 500;

/// One thing to change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lever {
    /// `cadence`, `model` or `gate`.
    pub lever: &'static str,
    /// What to do.
    pub what: String,
    /// What the days would cost then, in US dollars; `None` without prices.
    pub usd: Option<f64>,
    /// The tokens of the days then.
    pub tokens: u64,
}

/// The levers, in order. `own_model` is what they are held against; without one, the dearest with a price.
pub fn levers(times: &[UnixMs], estimate: &Estimate, prices: &Prices, own_model: Option<&str>) -> Vec<Lever> {
    let by_price = |one: &(&String, &Price), other: &(&String, &Price)| {
        estimate.usd(one.1).total_cmp(&estimate.usd(other.1))
    };
    let dearest = prices.0.iter().max_by(by_price);
    let own = match own_model {
        Some(model) => prices.of(model).map(|price| (model, price)),
        None => dearest.map(|(model, price)| (model.as_str(), price)),
    };
    let cheapest = prices.0.iter().min_by(by_price);
    let rarer: Vec<UnixMs> = times.iter().copied().step_by(2).collect();
    let rarer = Estimate::of(&rarer, estimate.days, estimate.a_run);
    let mut levers = vec![Lever {
        lever: "cadence",
        what: "run half as often".into(),
        usd: own.map(|(_, price)| rarer.usd(price)),
        tokens: rarer.tokens(),
    }];
    let cheaper = cheapest.zip(own).filter(|(cheap, own)| estimate.usd(cheap.1) < estimate.usd(own.1));
    if let Some(((cheap, cheap_price), (own, own_price))) = cheaper {
        let gate = gate(times, estimate);
        levers.push(Lever {
            lever: "model",
            what: format!("let `{cheap}` do it instead of `{own}`"),
            usd: Some(estimate.usd(cheap_price)),
            tokens: estimate.tokens(),
        });
        levers.push(Lever {
            lever: "gate",
            what: format!("let `{cheap}` make it and `{own}` only judge what it made"),
            usd: Some(estimate.usd(cheap_price) + gate.usd(own_price)),
            tokens: estimate.tokens().saturating_add(gate.tokens()),
        });
    }
    levers
}

/// A second model that reads what the first has written, and says yes or no.
fn gate(times: &[UnixMs], estimate: &Estimate) -> Estimate {
    let a_run = RunTokens { input: estimate.a_run.output, output: GATE_OUTPUT_TOKENS };
    Estimate::of(times, estimate.days, a_run)
}
