//! What people commonly write, one file an entry in `data/rulebook/`: ways to say it, the check, and turns that show it.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::language::Check;
use crate::text::pattern;

use super::bag::{self, Bag};
use super::expand::{self, Slots};
use super::grammar;
use super::norm::{Norm, Polarity, Term};
use super::project::Project;
use super::sentence::Sentences;
use super::words::{root, words};

include!("../../data/rulebook/list.rs");

/// An entry as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Ways to word it. `(a|b)` is either, `{slot}` a code term of the line.
    pub says: Vec<String>,
    /// Words that may stand beside it without changing what it means.
    #[serde(default)]
    pub also: Vec<String>,
    /// Lines that look alike and mean something else: none of them may be read as this entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlike: Vec<String>,
    /// The check, with the same slots.
    pub check: Value,
    /// Turns, as short scripts: followed, missed, not touched.
    pub examples: Examples,
}

/// Turns that show an entry.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Examples {
    /// A way to word the rule that the turns are held against; the first of `says` when there are no slots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// In which it is followed.
    pub followed: Vec<String>,
    /// In which it is missed.
    pub missed: Vec<String>,
    /// In which it does not come up.
    pub untouched: Vec<String>,
}

/// One way to say an entry.
#[derive(Debug)]
struct Saying {
    polarity: Polarity,
    about: Bag,
    instead_of: Bag,
}

#[derive(Debug)]
struct Known {
    name: &'static str,
    sayings: Vec<Saying>,
    also: Vec<String>,
    check: Value,
}

/// The rulebook, and where to look in it.
#[derive(Debug, Default)]
struct Book {
    entries: Vec<Known>,
    /// Entry and saying by a word that the saying cannot do without.
    by_word: HashMap<String, Vec<(usize, usize)>>,
}

static BOOK: LazyLock<Book> = LazyLock::new(|| {
    let mut book = Book::default();
    for (name, entry) in entries() {
        book.entries.extend(entry.ok().map(|entry| known(name, &entry)));
    }
    for (at, known) in book.entries.iter().enumerate() {
        for (number, saying) in known.sayings.iter().enumerate() {
            book.by_word.entry(saying.key()).or_default().push((at, number));
        }
    }
    book
});

impl Book {
    /// The sayings that may fit, in the order of the book.
    fn candidates(&self, about: &Bag, instead_of: &Bag) -> Vec<(usize, usize)> {
        let words = about.iter().chain(instead_of).map(|word| word.trim_start_matches('`')).chain([""]);
        let mut found: Vec<(usize, usize)> =
            words.filter_map(|word| self.by_word.get(word)).flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Saying {
    /// A word that it cannot do without: the longest, because that is the rarest.
    fn key(&self) -> String {
        let words =
            self.about.iter().chain(&self.instead_of).filter(|word| !word.starts_with(['{', '<', '?']));
        words.map(|word| word.trim_start_matches('`')).max_by_key(|word| word.len()).unwrap_or("").to_owned()
    }
}

/// All entries by name, or what is wrong with them.
pub fn entries() -> Vec<(&'static str, Result<Entry, String>)> {
    ENTRIES
        .iter()
        .map(|(name, text)| (*name, subcortex_yaml::from_str(text).map_err(|problem| problem.to_string())))
        .collect()
}

fn known(name: &'static str, entry: &Entry) -> Known {
    let sayings =
        entry.says.iter().flat_map(|says| spelled_out(says)).filter_map(|says| saying(&says)).collect();
    Known {
        name,
        sayings,
        also: entry.also.iter().flat_map(|word| also(word)).collect(),
        check: entry.check.clone(),
    }
}

/// A harmless word as bags hold it.
fn also(word: &str) -> Vec<String> {
    let lower = word.to_lowercase();
    match lower.strip_prefix('`') {
        Some(term) => vec![bag::plain(term)],
        None => bag::stems(&lower).collect(),
    }
}

/// `(a|b) c` is `a c` and `b c`.
pub fn spelled_out(says: &str) -> Vec<String> {
    let group = says.match_indices('(').find_map(|(open, _)| {
        let close = closing(says.get(open..)?)? + open;
        says.get(open + 1..close).filter(|inner| inner.contains('|')).map(|inner| (open, close, inner))
    });
    let Some((open, close, inner)) = group else {
        return vec![says.split_whitespace().collect::<Vec<_>>().join(" ")];
    };
    let (head, tail) = (says.get(..open).unwrap_or(""), says.get(close + 1..).unwrap_or(""));
    inner.split('|').flat_map(|one| spelled_out(&format!("{head}{one}{tail}"))).collect()
}

/// Where the bracket closes that a text begins with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(at),
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn saying(says: &str) -> Option<Saying> {
    let sentences = Sentences::of(says, &[], &Project::default());
    let norm = sentences.clauses.iter().flat_map(grammar::norms).next()?;
    let instead_of =
        norm.instead_of.as_deref().map(|other| bag::bag(other, &sentences.terms)).unwrap_or_default();
    Some(Saying { polarity: norm.polarity, about: bag::of_norm(&norm, &sentences.terms), instead_of })
}

/// What the rulebook makes of a norm: the entry and its check.
pub(crate) fn find(norm: &Norm, terms: &[Term]) -> Option<(&'static str, Check)> {
    find_under(norm, terms, &Bag::new()).or_else(|| find_under(&without_purpose(norm)?, terms, &Bag::new()))
}

/// "`a` over `b` for c": what a choice is for changes nothing about it.
fn without_purpose(norm: &Norm) -> Option<Norm> {
    let (instead_of, _) = norm.instead_of.as_deref()?.split_once(" for ")?;
    Some(Norm { instead_of: Some(instead_of.to_owned()), ..norm.clone() })
}

/// The same where a label or heading says a part of it: "Commit messages: imperative mood".
pub(crate) fn find_under(norm: &Norm, terms: &[Term], around: &Bag) -> Option<(&'static str, Check)> {
    let about = bag::of_norm(norm, terms);
    // "Don't ask before deleting files" forbids the question, not what it would be about.
    let forbidden_question = (norm.polarity == Polarity::MustNot
        && matches!(&*norm.act, "ask" | "confirm" | "prompt"))
    .then(|| root(&norm.act));
    let instead_of = norm.instead_of.as_deref().map(|other| bag::bag(other, terms)).unwrap_or_default();
    let places = places_in(norm, terms);
    let mut best: Option<(usize, &Known, Slots, Vec<String>)> = None;
    let whole: Bag =
        about.iter().chain(around.iter().filter(|word| !about.contains(word))).cloned().collect();
    let languages = languages_in(&whole);
    for (at, number) in BOOK.candidates(&whole, &instead_of) {
        let Some(known) = BOOK.entries.get(at) else { continue };
        let Some(saying) = known.sayings.get(number) else { continue };
        if forbidden_question.as_ref().is_some_and(|ask| !saying.about.contains(ask)) {
            continue;
        }
        let foreign = |word: &String| !saying.about.contains(word) && !known.also.contains(word);
        let mut foreign = languages.iter().filter(|(word, _)| foreign(word)).map(|(_, language)| *language);
        if foreign.clone().next().is_some() && !foreign.any(|language| is_about(&known.check, language)) {
            continue;
        }
        let said_here = saying.about.iter().chain(&saying.instead_of).any(|word| {
            about.iter().chain(&instead_of).any(|other| bag::same(word, other)) || word.starts_with('{')
        });
        if let Some((slots, within)) =
            fits(saying, known, norm.polarity, [&about, &whole, &instead_of], &places).filter(|_| said_here)
        {
            let weight = saying.about.len() + saying.instead_of.len();
            if best.as_ref().is_none_or(|(other, ..)| weight > *other) {
                best = Some((weight, known, slots, within));
            }
        }
    }
    let (_, known, slots, within) = best?;
    let written = if within.is_empty() {
        known.check.clone()
    } else {
        expand::with_open_names(&narrowed(&known.check, &within))
    };
    let mut check = expand::check(&written, &with_case(slots, terms)).ok()?;
    if about.iter().any(|word| word == bag::UNLESS_ASKED) && check.unless.is_empty() {
        check.unless = expand::conditions(&unless_asked(&about));
        if !known.name.ends_with("-when-asked") {
            check.why.push_str(" unless a person asks for it");
        }
    }
    check.testable = true;
    check.family = format!("rulebook/{}", known.name);
    Some((known.name, check))
}

/// A person's word for what the norm is about: its name, a telling word of a command ("apply it" for `x run apply`), or a plain yes to
/// what the agent had asked.
pub(crate) fn unless_asked(about: &Bag) -> Value {
    const SHORTEST_WORD: usize = 4;
    let mut named: Vec<String> = Vec::new();
    // "Run" is said of anything.
    let is_said_of_all = |word: &str| words().is_act(word, "run") || words().is_act(word, "use");
    for word in about.iter().filter(|word| !word.starts_with(['?', '<']) && !is_said_of_all(word)) {
        let plain = word.trim_start_matches('`');
        named.push(regex::escape(plain));
        let telling = plain
            .split([' ', ':', '/'])
            .skip(1)
            .filter(|part| part.len() >= SHORTEST_WORD && part.chars().all(|c| c.is_ascii_alphabetic()));
        named.extend(telling.map(str::to_owned));
    }
    let leave = &words().grammar.leaves;
    let text = format!(r"(?i)\b(?:{})|\A\W*(?:{})\b", named.join("|"), leave.join("|"));
    serde_json::json!({ "said": { "by": "person", "text": text } })
}

/// Slots as the line writes them: bags are in lower case.
fn with_case(slots: Slots, terms: &[Term]) -> Slots {
    let written =
        |said: &String| terms.iter().find(|term| term.text.to_lowercase().starts_with(said.as_str()));
    slots
        .into_iter()
        .map(|(name, said)| (name, written(&said).map_or(said.clone(), |term| term.text.clone())))
        .collect()
}

/// The slots that a saying fills in a norm, and the files that the norm confines it to; nothing when words are left over.
fn fits(
    saying: &Saying,
    known: &Known,
    polarity: Polarity,
    [about, whole, instead_of]: [&Bag; 3],
    places: &Bag,
) -> Option<(Slots, Vec<String>)> {
    let same = saying.polarity == polarity
        || (saying.polarity == Polarity::Must && polarity == Polarity::Only)
        || (saying.polarity == Polarity::Only && polarity == Polarity::Must);
    if !same || (saying.about.is_empty() && saying.instead_of.is_empty()) {
        return None;
    }
    let (mut slots, mut left) = bag::find(&saying.about, whole)?;
    left.retain(|word| about.contains(word));
    let (more, left_behind) = bag::find(&saying.instead_of, instead_of)?;
    slots.extend(more);
    let mut within = Vec::new();
    for word in left.iter().chain(&left_behind) {
        if !is_harmless(word, known) {
            within.extend(place(word, places)?);
        }
    }
    Some((slots, within))
}

/// What stands for several languages, or for a part of the files of all.
const OF_THE_WEB: [&str; 6] = ["typescript", "javascript", "react", "vue", "svelte", "web"];
const OF_ALL: [&str; 3] = ["code", "tests", "stories"];

/// The names of languages as they stand in a bag, and the language.
static LANGUAGES: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let languages = words().languages.iter().filter(|files| !OF_ALL.contains(&&*files.name));
    languages.flat_map(|files| files.called.iter().map(|name| (root(name), &*files.name))).collect()
});

/// The languages that words name.
fn languages_in(said: &Bag) -> Vec<(&String, &'static str)> {
    said.iter().filter_map(|word| Some((word, *LANGUAGES.get(word)?))).collect()
}

/// Whether a check is about files of a language, or about those of none: "strict typing in TypeScript" is not PHP's.
fn is_about(check: &Value, language: &str) -> bool {
    let written = check.to_string();
    let holds = |name: &str| written.contains(&format!("\"@{name}\""));
    let is_kin =
        holds(language) || (OF_THE_WEB.contains(&language) && OF_THE_WEB.iter().any(|other| holds(other)));
    is_kin || holds("code") || !LANGUAGES.values().any(|other| holds(other))
}

fn is_harmless(word: &str, known: &Known) -> bool {
    if matches!(word, bag::UNLESS_ASKED | bag::UNLESS_SOFT) || word.starts_with('<') {
        return true;
    }
    let word = word.trim_start_matches('`');
    known.also.iter().any(|also| also == word) || is_language(word) || words().is_act(word, "use")
}

// "In `src/`", "generated `src/` files".
pattern!(
    PLACED,
    r"\b(?:in|inside|within|under|below|throughout|across|for) (?:(?:the|any|all|our|your|a) )?(?:[a-z-]+ ){0,2}(?:§\d+§(?:,? (?:and|or) |, )?)+|§\d+§ (?:files?|folders?|director(?:y|ies)|code|artifacts?)\b"
);

/// The terms of a norm that stand where a place is named.
fn places_in(norm: &Norm, terms: &[Term]) -> Bag {
    let named = PLACED.find_all(&norm.about);
    let pieces = named.iter().map(|found| found.as_str()).chain(norm.within.iter().map(String::as_str));
    pieces.flat_map(|piece| bag::bag(piece, terms)).filter(|word| word.starts_with('`')).collect()
}

/// A folder, or the tests: a word that only says where the rule holds.
fn place(word: &str, places: &Bag) -> Option<Vec<String>> {
    if let Some(term) = word.strip_prefix('`') {
        if !places.iter().any(|place| place == word) {
            return None;
        }
        // A document is read or written: it is no place for a rule.
        let is_document = [".md", ".mdx", ".rst", ".txt"].iter().any(|ending| term.ends_with(ending));
        let is_folder = term.ends_with('/')
            || term.ends_with("/**")
            || (term.contains('/') && !term.contains([' ', '(', ':']) && !is_document);
        return is_folder.then(|| vec![term.to_owned()]);
    }
    (word == root("test")).then(|| vec!["@tests".to_owned()])
}

/// A check that looks only at these files. Where tests are asked for, a place among tests says where they go, not what they are for.
fn narrowed(check: &Value, within: &[String]) -> Value {
    let among_tests = within
        .iter()
        .all(|path| path.starts_with("@tests") || path.contains("test") || path.contains("spec"));
    match check {
        Value::Array(list) => Value::Array(list.iter().map(|one| narrowed(one, within)).collect()),
        Value::Object(map) => {
            let narrow = |(key, value): (&String, &Value)| {
                if among_tests && matches!(key.as_str(), "trigger" | "maybe") {
                    return (key.clone(), value.clone());
                }
                let mut value = narrowed(value, within);
                if matches!(key.as_str(), "wrote" | "added") && value.is_object() {
                    value["paths"] = serde_json::json!(within);
                    value["except"] = serde_json::json!([]);
                }
                (key.clone(), value)
            };
            Value::Object(map.iter().map(narrow).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => check.clone(),
    }
}

/// Whether a word only names a language: the entry's own paths say where it holds.
fn is_language(word: &str) -> bool {
    words().languages.iter().any(|files| files.called.iter().any(|name| root(name) == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_can_be_read_and_each_of_its_sayings_is_a_norm() {
        for (name, entry) in entries() {
            let entry = entry.unwrap_or_else(|problem| panic!("{name}: {problem}"));
            for says in entry.says.iter().flat_map(|says| spelled_out(says)) {
                let saying = saying(&says).unwrap_or_else(|| panic!("{name}: no norm: {says}"));
                assert!(!saying.about.is_empty(), "{name}: says nothing: {says}");
            }
        }
    }

    #[test]
    fn the_list_holds_every_file() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/rulebook");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .expect("the rulebook")
            .filter_map(|file| file.ok()?.file_name().into_string().ok())
            .filter_map(|name| name.strip_suffix(".yaml").map(str::to_owned))
            .collect();
        files.sort();
        let listed: Vec<&str> = ENTRIES.iter().map(|(name, _)| *name).collect();
        assert_eq!(listed, files, "data/rulebook/list.rs names each file, in order");
    }
}
