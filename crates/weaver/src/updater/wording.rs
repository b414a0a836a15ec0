//! The person's own words as a line.

use subcortex_checks::restate_as_rule;

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

/// The words as one line, for a person to decide on; `None` when they are more than that.
pub(super) fn as_said(quote: &str) -> Option<String> {
    let line = quote.trim().trim_start_matches(['-', '*', '+', ' ']);
    (!line.is_empty() && !line.contains('\n')).then(|| line.to_owned())
}

const REMOVING: [&str; 8] = ["drop", "remove", "delete", "forget", "scrap", "ditch", "discard", "retire"];
const RULE_WORDS: [&str; 7] = ["rule", "line", "instruction", "convention", "guideline", "entry", "rules"];
const DETERMINERS: [&str; 7] = ["that", "this", "the", "your", "our", "my", "about"];
/// How far the word for rule may stand behind the verb.
const MAX_WORDS_BETWEEN: usize = 4;

/// Whether the words say that a rule of the memory is to go: "drop that rule", "forget the rule about tests".
fn asks_for_removal(quote: &str) -> bool {
    let lower = quote.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().any(|(at, word)| {
        let negated = at > 0 && words.get(at - 1).is_some_and(|before| ["don't", "not", "never", "dont"].contains(before));
        let after = words.get(at + 1..).unwrap_or(&[]);
        let near = after.get(..after.len().min(MAX_WORDS_BETWEEN)).unwrap_or(&[]);
        let named = near.iter().position(|word| RULE_WORDS.contains(word));
        REMOVING.contains(word)
            && !negated
            && near.first().is_some_and(|first| DETERMINERS.contains(first))
            // "delete the line from main.rs" is about a file.
            && named.is_some_and(|named| !matches!(after.get(named + 1), Some(&("from" | "in" | "at" | "of" | "number"))) || after.get(named + 2) == Some(&"memory"))
    })
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
