//! Prices of models.

use std::collections::BTreeMap;

use subcortex_config::Price;
use subcortex_mind::Usage;

/// How many tokens a price in the settings is for.
pub const TOKENS_A_PRICE_IS_FOR: f64 = 1_000_000.0;

/// What these tokens cost at a price, in US dollars.
#[allow(clippy::cast_precision_loss)] // beyond 2^53 tokens the last cent does not matter
pub(crate) fn cost(price: &Price, usage: &Usage) -> f64 {
    let parts = [
        (usage.input, price.input),
        (usage.output, price.output),
        (usage.cache_read, price.cache_read),
        (usage.cache_write, price.cache_write),
    ];
    parts.iter().map(|(tokens, price)| *tokens as f64 * price / TOKENS_A_PRICE_IS_FOR).sum()
}

/// The price table: by the model's name, or by the longest beginning of it that has a price. Providers add dates and
/// variants to the end of a name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prices(pub BTreeMap<String, Price>);

impl Prices {
    /// The price of a model.
    pub fn of(&self, model: &str) -> Option<&Price> {
        let fitting = self.0.iter().filter(|(name, _)| begins_with(model, name));
        fitting.max_by_key(|(name, _)| name.len()).map(|(_, price)| price)
    }
}

/// Whole parts only: `gpt-5` is not a beginning of `gpt-50`.
fn begins_with(model: &str, name: &str) -> bool {
    model.strip_prefix(name).is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_found_by_the_longest_beginning_of_whole_parts() {
        let price = |input| Price { input, ..Price::default() };
        let names = [("sonnet-5", price(3.0)), ("sonnet-5-mini", price(1.0)), ("local", price(0.0))];
        let prices = Prices(names.into_iter().map(|(name, price)| (name.to_owned(), price)).collect());
        let of = |model| prices.of(model).map(|price| price.input);
        assert_eq!(of("sonnet-5"), Some(3.0));
        assert_eq!(of("sonnet-5-20260101"), Some(3.0));
        assert_eq!(of("sonnet-5-mini-20260101"), Some(1.0));
        assert_eq!(of("sonnet-50"), None);
        assert_eq!(of("opus"), None);
        assert_eq!(of("local"), Some(0.0));
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let price = Price { input: 3.0, output: 15.0, cache_read: 0.3, cache_write: 3.75 };
        let usage = Usage { input: 1_000_000, output: 100_000, cache_read: 2_000_000, cache_write: 0 };
        assert!((cost(&price, &usage) - (3.0 + 1.5 + 0.6)).abs() < 1e-9);
    }
}
