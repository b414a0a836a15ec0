//! What a sentence is about, where that has a name of two plain words: "holonomic robot", "task spec".

use crate::orders::is_order_word;
use crate::text::is_common;

/// The shortest word of a subject, in characters.
const MIN_WORD_CHARS: usize = 4;
/// The longest sentence that is looked at, in characters: what is longer was hardly typed.
const MAX_SENTENCE_CHARS: usize = 400;
/// How many subjects one sentence has at most.
const MAX_SUBJECTS: usize = 4;
/// Ends of words that tell what is done, or how, and hardly ever name a thing.
const NO_NOUN: [&str; 5] = ["ed", "ing", "ly", "est", "n't"];

/// Words that people put beside a thing without naming it.
const AROUND_THINGS: [&str; 40] = [
    "able",
    "above",
    "again",
    "already",
    "another",
    "away",
    "below",
    "better",
    "both",
    "complete",
    "correct",
    "current",
    "different",
    "either",
    "entire",
    "existing",
    "final",
    "first",
    "full",
    "good",
    "latest",
    "left",
    "main",
    "many",
    "more",
    "much",
    "need",
    "next",
    "only",
    "other",
    "previous",
    "right",
    "same",
    "second",
    "several",
    "similar",
    "some",
    "specific",
    "such",
    "whole",
];

/// The names of two words in a sentence, in lower case.
pub fn subjects_in(sentence: &str) -> Vec<String> {
    if sentence.chars().count() > MAX_SENTENCE_CHARS {
        return Vec::new();
    }
    // The first word may be an order that nobody knows: "Commence task 3".
    let words: Vec<&str> = sentence.split_whitespace().skip(1).collect();
    let pairs = words.windows(2).filter_map(|pair| {
        let [first, second] = pair else { return None };
        // A mark behind the first word parts the two, one before the second begins something new.
        let first = first.trim_start_matches(['(', '"', '“', '*']);
        let second = second.trim_end_matches(['.', ',', ':', ';', '!', '?', ')', '"', '”', '*']);
        let (first, second) = (first.to_lowercase(), second.to_lowercase());
        (is_name(&first) && is_name(&second)).then(|| format!("{first} {second}"))
    });
    pairs.take(MAX_SUBJECTS).collect()
}

fn is_name(word: &str) -> bool {
    word.chars().count() >= MIN_WORD_CHARS
        && word.chars().all(char::is_alphabetic)
        && !is_common(word)
        && !is_order_word(word)
        && !AROUND_THINGS.contains(&word)
        && !NO_NOUN.iter().any(|end| word.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_plain_words_name_a_subject_and_orders_and_fillers_do_not() {
        for (sentence, expect) in [
            ("The holonomic robot is at the contact point.", &["holonomic robot", "contact point"][..]),
            ("update the task spec, please", &["task spec"]),
            ("Commence task 3 of the plan", &[]),
            ("please run tests again", &[]),
            ("fix the failing build", &[]),
            ("see src/main.rs and `foo bar`", &[]),
            ("the parser, grammar and lexer", &[]),
            ("the current version is the same one", &[]),
            ("", &[]),
        ] {
            assert_eq!(subjects_in(sentence), expect, "{sentence}");
        }
    }
}
