//! The conditions of a clause: "before …", "when …, ", "… after …", "unless …".

use crate::text::{self, pattern};

use super::model::{Relation, When};
use super::verbs;

pattern!(
    pub(super) LEAD,
    r"^(?:and |but |so |then )*(before|prior to|after|once|when(?:ever)?|while|if|at the end of|upon|for|in|inside|within|under|on|during|as soon as|every time|each time|unless|until)\b\s*(.+)$"
);
pattern!(
    pub(super) TRAIL,
    r"(?:^|,?\s+)(before|prior to|after|once|when(?:ever)?|every time|each time|while|if|unless|except(?: when| for| in)?|until|only (?:when|if|for|in)|at the end of|other than)\s+(.+)$"
);
pattern!(
    NEXT_WHEN,
    r"(?:,? or (?:after|when|whenever|before|if)|, (?:and )?(?:after|when|whenever|before|if|once)) "
);

/// The condition that a clause opens with, and the rest of it.
pub(super) fn leading_condition(clause: &str) -> Option<(When, String)> {
    let found = LEAD.captures(clause)?;
    let (word, rest) = (found.get(1)?.as_str(), found.get(2)?.as_str());
    let end = end_of_condition(rest)?;
    let text = rest.get(..end)?.trim().to_owned();
    let after = rest.get(end..)?.trim_start_matches([',', ':', ' ']).trim_start_matches("then ").to_owned();
    Some((When { relation: relation_of(word), text }, after))
}

/// "after editing a, or after adding b", "after each change, before you report": two conditions.
pub(super) fn split_condition(condition: When) -> Vec<When> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut relation = condition.relation;
    for joint in NEXT_WHEN.find_all(&condition.text) {
        found
            .push(When { relation, text: condition.text.get(start..joint.start()).unwrap_or("").to_owned() });
        let word = joint.as_str().split_whitespace().next_back().unwrap_or("");
        relation = if joint.as_str().contains(" or ") { condition.relation } else { relation_of(word) };
        start = joint.end();
    }
    found.push(When { relation, text: condition.text.get(start..).unwrap_or("").to_owned() });
    found.retain(|when| !when.text.trim().is_empty());
    found
}

/// What the word that opens a condition says about its place.
pub(super) fn relation_of(word: &str) -> Relation {
    match word {
        "before" | "prior to" | "until" => Relation::Before,
        "after" | "once" | "at the end of" | "upon" | "as soon as" => Relation::After,
        "for" | "in" | "inside" | "within" | "under" | "on" | "during" => Relation::Within,
        word if word.starts_with("unless")
            || word.starts_with("except")
            || word.starts_with("only")
            || word.starts_with("other") =>
        {
            Relation::Unless
        }
        _ => Relation::When,
    }
}

/// Where a leading condition ends: at the comma that an instruction follows.
fn end_of_condition(rest: &str) -> Option<usize> {
    let mut last = None;
    for (at, c) in rest.char_indices() {
        if c != ',' && c != ':' {
            continue;
        }
        let after = rest.get(at + 1..).unwrap_or("");
        if !after.starts_with(' ') {
            continue;
        }
        let next = text::words(after).first().cloned().unwrap_or_default();
        if verbs::is_imperative(&next)
            || matches!(
                next.as_str(),
                "you" | "we" | "it" | "there" | "this" | "make" | "every" | "all" | "then"
            )
        {
            return Some(at);
        }
        last.get_or_insert(at);
    }
    match start_of_instruction(rest) {
        Some(verb) if last.is_none_or(|comma| verb < comma) => Some(verb),
        _ => last,
    }
}

/// Where the instruction begins in "editing go files run `gofmt`": no comma, but a verb that nothing before it asks for.
fn start_of_instruction(rest: &str) -> Option<usize> {
    let words: Vec<&str> = rest.split_inclusive(' ').collect();
    let mut offset = words.first()?.len();
    for (seen, word) in words.iter().enumerate().skip(1) {
        let before = words.get(seen - 1).map_or("", |word| word.trim());
        let after = words.get(seen + 1).map_or("", |word| word.trim());
        if is_instruction(before, word.trim(), after, seen) {
            return Some(offset);
        }
        offset += word.len();
    }
    None
}

/// Words that are as often things as they are instructions: only a code term behind them tells.
const THINGS_TOO: [&str; 14] = [
    "test", "build", "release", "deploy", "format", "type", "merge", "check", "commit", "change", "push",
    "review", "update", "document",
];

fn is_instruction(before: &str, word: &str, after: &str, seen: usize) -> bool {
    let goes_on = matches!(
        before,
        "to" | "you"
            | "we"
            | "i"
            | "they"
            | "and"
            | "or"
            | "not"
            | "the"
            | "a"
            | "an"
            | "any"
            | "each"
            | "every"
            | "your"
            | "that"
    );
    if goes_on || !verbs::is_imperative(word) {
        return false;
    }
    if after.starts_with('§') {
        return true;
    }
    let has_object = matches!(after, "the" | "a" | "an" | "all" | "at");
    !THINGS_TOO.contains(&word) && (has_object || (seen >= 2 && verbs::is_run_verb(word)))
}

/// "committing: §0§": the command that is meant stands behind a colon, and belongs to what is to be done.
pub(super) fn split_named(text: &str) -> (&str, String) {
    match text.split_once(": ").filter(|(_, rest)| rest.starts_with('§')) {
        Some((condition, named)) => (condition, format!(" with {named}")),
        None => (text, String::new()),
    }
}
