//! The person's own words as a line.

use subcortex_checks::restate_as_rule;

use crate::Sample;

/// What can be made of a person's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Words {
    /// They ask for the rule to go, and put nothing in its place.
    Removal,
    /// A rule that stands alone.
    Rule(String),
    /// Nothing that stands alone.
    Unclear,
}

/// What can be made of a piece of evidence: the rule that a model made of it, which was held against the person's words, or else these.
pub(super) fn of_sample(sample: &Sample) -> Words {
    sample.rule.clone().map_or_else(|| of(&sample.quote), Words::Rule)
}

/// What can be made of a quote.
pub(super) fn of(quote: &str) -> Words {
    if asks_for_removal(quote) {
        return Words::Removal;
    }
    match restate_as_rule(quote) {
        Some(rule) => Words::Rule(rule),
        None => Words::Unclear,
    }
}

const REMOVING: [&str; 8] = ["drop", "remove", "delete", "forget", "scrap", "ditch", "discard", "retire"];
/// What a rule of the memory is called, and nothing else is.
const RULE_WORDS: [&str; 5] = ["rule", "rules", "instruction", "convention", "guideline"];
/// What code and files have as well: only right behind "that", "this" or "the".
const LINE_WORDS: [&str; 2] = ["line", "entry"];
const DETERMINERS: [&str; 6] = ["that", "this", "the", "your", "our", "my"];
/// What follows when a line of a file is meant.
const OF_A_FILE: [&str; 5] = ["from", "in", "at", "of", "number"];
/// How far the word for rule may stand behind the verb.
const MAX_WORDS_BETWEEN: usize = 4;

/// Whether the words say that a rule of the memory is to go: "drop that rule", "forget the rule about tests".
fn asks_for_removal(quote: &str) -> bool {
    let lower = quote.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    words.iter().enumerate().any(|(at, verb)| {
        let before = at.checked_sub(1).and_then(|before| words.get(before)).copied().unwrap_or("");
        let negated = ["don't", "dont", "not", "never"].contains(&before);
        REMOVING.contains(verb) && !negated && names_a_rule(words.get(at + 1..).unwrap_or(&[]))
    })
}

fn names_a_rule(after: &[&str]) -> bool {
    let determined = after.first().is_some_and(|first| DETERMINERS.contains(first));
    let near = after.get(..after.len().min(MAX_WORDS_BETWEEN)).unwrap_or(after);
    let rule = near.iter().any(|word| RULE_WORDS.contains(word));
    let line = after.get(1).is_some_and(|second| LINE_WORDS.contains(second));
    let of_memory = after.get(2..4) == Some(&["from", "memory"]);
    let of_a_file = after.get(2).is_some_and(|third| OF_A_FILE.contains(third)) && !of_memory;
    determined && (rule || (line && !of_a_file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(quote: &str, expect: Words) {
        assert_eq!(of(quote), expect, "{quote}");
    }

    #[test]
    fn a_wish_to_drop_a_rule_is_told_from_a_rule() {
        for quote in [
            "drop that rule",
            "please forget the rule about pnpm",
            "Remove this line, it is wrong.",
            "delete the line from memory",
        ] {
            check(quote, Words::Removal);
        }
        check("Never delete the line", Words::Rule("Never delete the line.".into()));
        for quote in [
            "delete the line from main.rs",
            "remove the unused import line",
            "drop tables first",
            "do not drop that rule",
        ] {
            assert_ne!(of(quote), Words::Removal, "{quote}");
        }
        check("no, use npm, not pnpm", Words::Rule("Use npm, not pnpm.".into()));
        check("why?", Words::Unclear);
    }
}
