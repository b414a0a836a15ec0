//! Whether a person's words speak against a line, by what both can be tested for.

use subcortex_checks::{Check, bans_its_program, clash, compile, restate_as_rule, words_key};

use crate::meaning_of;

/// What a rule means, worked out once and held against many others.
#[derive(Debug)]
pub(crate) struct Meaning {
    check: Check,
    pub(super) key: String,
    /// Its words with their polarity, whether it can be tested or not.
    words: String,
}

impl Meaning {
    pub(crate) fn of(rule: &str) -> Self {
        Self { check: compile(rule, &[]), key: meaning_of(rule), words: words_key(rule) }
    }

    /// What a person's words mean, if they are a rule.
    pub(crate) fn of_words(quote: &str) -> Option<Self> {
        restate_as_rule(quote).map(|rule| Self::of(&rule))
    }

    /// Whether one forbids what the other asks for.
    pub(crate) fn is_against(&self, other: &Self) -> bool {
        clash(&self.check, &other.check) || opposite(&self.words, &other.words)
    }

    /// Whether one of them bans the program that the other runs: both cannot stand as they are, and neither says the opposite.
    pub(crate) fn bans_its_program(&self, other: &Self) -> bool {
        bans_its_program(&self.check, &other.check)
    }
}

/// Whether the words forbid what the line asks for, or ask for what it forbids.
pub(crate) fn contradicts(quote: &str, line: &str) -> bool {
    Meaning::of_words(quote).is_some_and(|said| said.is_against(&Meaning::of(line)))
}

/// Whether two rules have the same words, once as an order and once as a ban.
fn opposite(one: &str, other: &str) -> bool {
    let words = |key: &str, polarity: &str| {
        key.strip_prefix(polarity).filter(|words| !words.is_empty()).map(str::to_owned)
    };
    let pair = |one: &str, other: &str| {
        words(one, "words:").is_some() && words(one, "words:") == words(other, "not:")
    };
    pair(one, other) || pair(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_against_a_line_are_told_from_words_for_it() {
        for (quote, line) in [
            ("No, use pnpm, not yarn.", "- Use yarn, not npm."),
            ("no! don't use yarn, use pnpm instead", "- Use yarn instead of npm."),
            ("never mention the ticket", "- Mention the ticket."),
        ] {
            assert!(contradicts(quote, line), "{quote} / {line}");
        }
        for (quote, line) in [
            ("I told you to use yarn, not npm", "- Use yarn, not npm."),
            ("again: mention the ticket", "- Mention the ticket."),
            ("never push to main", "- Use yarn, not npm."),
            ("No, never run npm, use pnpm instead.", "- Run `npm test` before committing."),
            ("From now on always use bun, never pnpm.", "- After API changes, run `pnpm api:generate`."),
            ("why?", "- Mention the ticket."),
        ] {
            assert!(!contradicts(quote, line), "{quote} / {line}");
        }
    }
}
