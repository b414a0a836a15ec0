//! The secrets that give themselves away by their form, one table a family.
//!
//! Lengths are lower than what is issued today where the anchor alone is telling enough: a token that was
//! cut short somewhere is still half a secret.

mod ai;
mod chat;
mod cloud;
mod code;
mod keys;
mod payment;
mod service;

use super::shape::Shape;

pub use service::RUN_TOKEN_PREFIX;

/// All tables.
pub(super) const FAMILIES: &[&[Shape]] =
    &[ai::SHAPES, chat::SHAPES, cloud::SHAPES, code::SHAPES, keys::SHAPES, payment::SHAPES, service::SHAPES];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn rules() -> BTreeSet<&'static str> {
        FAMILIES.iter().flat_map(|family| family.iter()).map(|shape| shape.rule).collect()
    }

    #[test]
    fn rules_are_named_in_kebab_case() {
        for rule in rules() {
            let fine = rule.split('-').all(|word| {
                !word.is_empty()
                    && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            });
            assert!(fine, "{rule}");
        }
    }

    #[test]
    fn every_anchor_has_three_characters_or_more() {
        for shape in FAMILIES.iter().flat_map(|family| family.iter()) {
            assert!(!shape.anchors.is_empty(), "{}", shape.rule);
            assert!(shape.anchors.iter().all(|anchor| anchor.len() >= 3), "{}", shape.rule);
        }
    }
}
