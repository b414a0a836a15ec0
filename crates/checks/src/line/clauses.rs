//! Splits a line into clauses: labels, asides in brackets, arrows, sentence ends.

use crate::text::{self, pattern};

use super::conditions::LEAD;
use super::directives::NEGATION;
use super::verbs;

pattern!(CLAUSE_END, r"(?:;\s+|[.!]\s+|\s+[—–]\s+|\s+--?\s+)");

pattern!(ARROW, r"\s*\??\s+(?:→|->|=>)\s+");
pattern!(LEAD_WORD, r"^(?:on|when|after|if|before) ");

/// "New table → also edit §0§", "API changed? → §0§": what stands before the arrow is the occasion; between two paths it is a move.
fn spell_out_arrows(text: &str) -> String {
    let Some(found) = ARROW.find(text) else { return text.to_owned() };
    let (before, after) = (text.get(..found.start()).unwrap_or(""), text.get(found.end()..).unwrap_or(""));
    if before.ends_with('§') && after.starts_with('§') {
        let (lead, from) = before.rsplit_once(": ").unwrap_or(("", before));
        let lead = if lead.is_empty() { String::new() } else { format!("{lead}, ") };
        return format!("{lead}move {from} to {after}");
    }
    if LEAD_WORD.is_match(before) { format!("{before}, {after}") } else { format!("when {before}, {after}") }
}

/// The clauses of a line, in order.
pub(super) fn split_clauses(text: &str) -> Vec<String> {
    let text = &spell_out_arrows(text);
    let mut pieces = Vec::new();
    let mut start = 0;
    for found in CLAUSE_END.find_all(text) {
        if ends_with_abbreviation(text.get(..found.start()).unwrap_or("")) {
            continue;
        }
        pieces.push(text.get(start..found.start()).unwrap_or("").to_owned());
        start = found.end();
    }
    pieces.push(text.get(start..).unwrap_or("").to_owned());
    let label_split: Vec<String> = pieces.into_iter().flat_map(|piece| split_label(&piece)).collect();
    label_split.into_iter().filter(|piece| !piece.trim().is_empty()).collect()
}

fn ends_with_abbreviation(text: &str) -> bool {
    ["e.g", "i.e", "etc", "vs", "cf"].iter().any(|short| text.ends_with(short))
}

/// `Commit messages: use …` is a label and a clause; the label stays with the clause as its condition.
fn split_label(piece: &str) -> Vec<String> {
    if let Some((label, rest)) = piece.split_once(": ")
        && label.split_whitespace().count() <= 5
        && !LEAD.is_match(label)
        && text::words(rest).first().is_some_and(|word| verbs::is_imperative(word))
        && !NEGATION.is_match(label)
    {
        return vec![format!("for {label}, {rest}")];
    }
    if let Some((before, after)) = piece.split_once(": ")
        && before.split_whitespace().count() >= 4
        && after.split_whitespace().count() >= 3
        && !LEAD.is_match(before)
    {
        return vec![before.to_owned(), after.to_owned()];
    }
    vec![piece.to_owned()]
}

pattern!(
    NEGATED_ASIDE,
    r"^\s*(?:and |but )?(not|never|no|instead of|rather than|don't use|do not use|avoid)\b"
);

/// The text without what stands in round brackets; an aside that rules something out is part of the rule.
pub(super) fn strip_asides(text: &str) -> String {
    let out = without_asides(text, &mut |aside| NEGATED_ASIDE.is_match(aside));
    out.replace("  ", " ").replace(" ,", ",").replace(" ;", ";").replace(" .", ".")
}

/// The text without what stands in round brackets, but for what is `kept`, which stands behind a comma then.
pub(crate) fn without_asides(text: &str, kept: &mut dyn FnMut(&str) -> bool) -> String {
    let mut out = String::new();
    let mut aside = String::new();
    let mut depth = 0_u32;
    for c in text.chars() {
        match c {
            '(' => {
                depth += 1;
                if depth == 1 {
                    aside.clear();
                }
            }
            ')' if depth > 0 => {
                depth -= 1;
                if depth == 0 && kept(&aside) {
                    out = format!("{}, {}", out.trim_end(), aside.trim());
                }
            }
            _ if depth == 0 => out.push(c),
            _ => aside.push(c),
        }
    }
    out
}
