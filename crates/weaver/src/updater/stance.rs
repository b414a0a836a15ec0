//! Whether a person's words speak against a line, by what both can be tested for.

use subcortex_checks::{clash, compile, restate_as_rule, words_key};

/// Whether the words forbid what the line asks for, or ask for what it forbids.
pub(crate) fn contradicts(quote: &str, line: &str) -> bool {
    let Some(rule) = restate_as_rule(quote) else { return false };
    clash(&compile(&rule, &[]), &compile(line, &[])) || opposite(&words_key(&rule), &words_key(line))
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
            ("No, never run npm, use pnpm instead.", "- Run `npm test` before committing."),
        ] {
            assert!(contradicts(quote, line), "{quote} / {line}");
        }
        for (quote, line) in [
            ("I told you to use yarn, not npm", "- Use yarn, not npm."),
            ("again: mention the ticket", "- Mention the ticket."),
            ("never push to main", "- Use yarn, not npm."),
            ("why?", "- Mention the ticket."),
        ] {
            assert!(!contradicts(quote, line), "{quote} / {line}");
        }
    }
}
