//! The words of a piece that carry meaning, as stems; code terms with a backtick before them.

use std::collections::BTreeMap;

use crate::text::pattern;

use super::norm::{Norm, Relation, Term};
use super::words::{root, words};

/// The meaning words of a piece, without repeats, in order.
pub(crate) type Bag = Vec<String>;

pattern!(TOKEN, r"§\d+§|\{\w+\}|[a-z0-9][a-z0-9'#+_.-]*|[^\x00-\x7F]+");

/// The bag of a masked piece.
pub(crate) fn bag(masked: &str, terms: &[Term]) -> Bag {
    let mut found = Bag::new();
    for token in TOKEN.find_all(masked) {
        let word = token.as_str();
        let mut push = |meant: String| {
            if !found.contains(&meant) {
                found.push(meant);
            }
        };
        if let Some(number) = word.strip_prefix('§') {
            let number = number.trim_end_matches('§').parse::<usize>().ok();
            if let Some(term) = number.and_then(|number| terms.get(number)) {
                push(format!("`{}", plain(&term.text)));
            }
        } else if word.starts_with('{') {
            push(word.to_owned());
        } else {
            stems(word).filter(|stem| !words().is_filler(stem)).for_each(push);
        }
    }
    found
}

/// The stems of a word; "user-facing" is "user" and "facing".
pub(crate) fn stems(word: &str) -> impl Iterator<Item = String> {
    let parts = word.split('-').map(|part| part.trim_matches(['.', '\'']));
    parts.filter(|part| !part.is_empty()).map(root).collect::<Vec<_>>().into_iter()
}

/// A term without what is only its form; a plain word as its stem, so that it meets the word without marks.
pub(crate) fn plain(term: &str) -> String {
    let lower = term.to_lowercase();
    let form = [':', ';', ','];
    let bare = lower
        .trim_end_matches("()")
        .trim_end_matches("(...)")
        .trim_end_matches("(…)")
        .trim_matches(form)
        .trim();
    if bare.chars().all(|c| c.is_ascii_alphabetic()) { root(bare) } else { bare.to_owned() }
}

/// What a norm is about, its verb included where the verb means something.
pub(crate) fn of_norm(norm: &Norm, terms: &[Term]) -> Bag {
    let kinds = words().acts(&norm.act);
    let is = |wanted: &str| kinds.iter().any(|kind| kind == wanted);
    let weak = kinds.iter().any(|kind| matches!(kind.as_str(), "use" | "write"));
    let act = if weak || norm.act.is_empty() {
        String::new()
    } else if is("edit") {
        "edit".into()
    } else if is("delete") {
        "delete".into()
    } else {
        norm.act.clone()
    };
    let mut pieces = vec![act, norm.about.clone()];
    pieces.extend(norm.when.iter().map(|when| when.words.clone()));
    pieces.extend(norm.within.iter().cloned());
    let mut found = bag(&pieces.join(" "), terms);
    for when in &norm.when {
        let mark = match when.relation {
            Relation::Before => "<before",
            Relation::After => "<after",
            Relation::When => continue,
        };
        found.push(mark.to_owned());
    }
    for exception in norm.unless.iter().map(|unless| exception(unless)) {
        if !found.iter().any(|word| word == exception) {
            found.push(exception.to_owned());
        }
    }
    found
}

/// What stands in a bag for an exception that a person's word makes.
pub(crate) const UNLESS_ASKED: &str = "?asked";
/// For one that is a matter of judgement.
pub(crate) const UNLESS_SOFT: &str = "?soft";
/// For one that is not understood.
const UNLESS: &str = "?unless";

/// The kind of an exception.
pub(crate) fn exception(unless: &str) -> &'static str {
    let grammar = &words().grammar;
    let said = crate::text::words(unless);
    let plain =
        unless.trim_start_matches("it is ").trim_start_matches("it's ").trim_start_matches("they are ");
    if grammar
        .soft_exceptions
        .iter()
        .any(|soft| plain == soft || plain.starts_with(&format!("{soft} ")) && said.len() < 4)
    {
        UNLESS_SOFT
    } else if said.iter().any(|word| grammar.asked_exceptions.contains(word)) {
        UNLESS_ASKED
    } else {
        UNLESS
    }
}

/// Whether two words of bags mean the same: a term may stand without its marks, unless it is then a word without weight.
pub(crate) fn same(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    if !a.starts_with('`') && !b.starts_with('`') {
        return false;
    }
    let plain = a.trim_start_matches('`');
    plain == b.trim_start_matches('`') && !words().is_filler(plain)
}

/// Finds `wanted` in `have`: the slots that it fills and what is left over; nothing when a word is missing.
pub(crate) fn find(wanted: &Bag, have: &Bag) -> Option<(BTreeMap<String, String>, Vec<String>)> {
    let mut left: Vec<String> = have.clone();
    let mut slots = BTreeMap::new();
    for word in wanted.iter().filter(|word| !word.starts_with('{')) {
        let at = left.iter().position(|other| same(word, other))?;
        left.remove(at);
    }
    for slot in wanted.iter().filter(|word| word.starts_with('{')) {
        let at = left.iter().position(|other| other.starts_with('`') && !other.contains("&&"))?;
        slots.insert(
            slot.trim_matches(['{', '}']).to_owned(),
            left.remove(at).trim_start_matches('`').to_owned(),
        );
    }
    Some((slots, left))
}
