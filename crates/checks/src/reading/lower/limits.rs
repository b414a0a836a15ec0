//! Lengths: "keep files under 500 lines", "lines have at most 100 characters", "commit subjects: 72 characters".

use serde_json::{Value, json};

use crate::text::pattern;

use super::super::bag;
use super::super::words::words;
use super::{Lowered, Lowering};

pattern!(AMOUNT, r"(?:^|[\s~(])(?:\d{2,4} ?[-–] ?)?(\d{2,4})[\s-](lines?|loc|characters?|chars?|columns?)\b");
pattern!(LABELLED, r"\b(?:line length|line width)\b[^0-9]*(\d{2,3})\b");
pattern!(COMMIT, r"\b(?:commits?|subjects?|subject lines?|message titles?)\b");
pattern!(ABOUT_SO_MANY, r"~ ?\d|\b(?:about|around|roughly|approximately|ideally|circa) (?:~ ?)?\d");
pattern!(LINE, r"\blines?\b");
pattern!(FUNCTION, r"\b(?:functions?|methods?)\b");
pattern!(FILE, r"\b(?:files?|modules?|components?|classes|class)\b");
pattern!(LEAST, r"\b(?:at least|minimum|min|not less|more than .* (?:require|need)|if|when|exceeds)\b");

/// Words that may stand beside an amount without changing what is measured.
const HARMLESS: &str = "keep limit max maximum most under below within less fewer than no more exceed not longer short shorter length line \
    width limited wrap wrapped per about approximately around roughly up small focused concise commit subject title first summary message git \
    header file module component class function method create long longer allow target try aim should character char column loc split large \
    break ideally prefer preferably ensure python typescript over beyond having grow stay refactor";

/// A length, and how the line words it.
struct Limit {
    most: usize,
    words: String,
}

impl Lowering<'_> {
    /// What is longer than the line allows.
    pub(crate) fn limit(&self) -> Option<Lowered> {
        let norm = self.norm;
        let label = self.context.first().map(|label| label.to_lowercase()).unwrap_or_default();
        let said = format!("{} {}", norm.act, norm.about);
        let whole = format!("{label} {said}");
        if !self.terms(&said).is_empty() || LEAST.is_match(&said) || !norm.when.is_empty() {
            return None;
        }
        let labelled = LABELLED.captures(&whole).and_then(|found| Some((found.get(1)?, "characters")));
        let amount = AMOUNT.captures(&whole).and_then(|found| Some((found.get(1)?, found.get(2)?.as_str())));
        let (amount, unit) = amount.or(labelled)?;
        let most: usize = amount.as_str().parse().ok()?;
        let harmless: Vec<String> = HARMLESS.split_whitespace().flat_map(bag::stems).collect();
        let known = |word: &String| {
            harmless.contains(word)
                || word.chars().all(|c| c.is_ascii_digit())
                || words().term_nouns.contains(word)
                || words().is_act(word, "use")
        };
        if !bag::bag(&said, &[]).iter().all(known) {
            return None;
        }
        // "About 70 characters": 72 are as many.
        let limit = if ABOUT_SO_MANY.is_match(&whole) {
            Limit { most: most + most / 10, words: format!("about {most}") }
        } else {
            Limit { most, words: format!("at most {most}") }
        };
        let check = self.longer_than(&whole, unit.starts_with('l'), &limit)?;
        Some(Lowered { kind: "limit", check, used: Vec::new() })
    }

    fn longer_than(&self, whole: &str, in_lines: bool, limit: &Limit) -> Option<Value> {
        let (most, words) = (limit.most, &limit.words);
        let longer = most + 1;
        let from =
            if words.starts_with("about") { format!(" (counted from {longer})") } else { String::new() };
        Some(if in_lines && FUNCTION.is_match(whole) {
            json!({ "forbid": [{ "added": { "unit": "function", "paths": self.paths(), "except": ["@tests"],
                "has": format!(r"\A(?:[^\n]*\n){{{longer},}}") } }],
                "mixed": "missed", "why": format!("functions have {words} lines{from}") })
        } else if in_lines && FILE.is_match(whole) {
            json!({ "forbid": [{ "wrote": { "paths": self.paths(), "whole": true,
                "added": format!(r"\A(?:[^\n]*\n){{{most}}}[^\n]") } }],
                "mixed": "missed", "why": format!("files have {words} lines{from}") })
        } else if in_lines {
            return None;
        } else if COMMIT.is_match(whole) {
            json!({ "expect": [{ "committed": { "message": format!(r"\A[^\n]{{1,{most}}}(?:\n|\z)") } }],
                "forbid": [{ "committed": { "message": format!(r"\A[^\n]{{{longer},}}") } }],
                "mixed": "missed", "why": format!("commit subjects have {words} characters{from}") })
        } else if LINE.is_match(whole) {
            json!({ "forbid": [{ "wrote": { "paths": self.paths(), "added": format!(r"(?m)^[^\n]{{{longer},}}$") } }],
                "mixed": "missed", "why": format!("lines have {words} characters{from}") })
        } else {
            return None;
        })
    }
}
