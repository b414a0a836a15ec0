//! From a norm that no entry of the rulebook knows to a check: by its grammar and its code terms.

mod asking;
mod branches;
mod code;
mod commands;
mod documents;
mod libraries;
mod limits;
mod means;
mod options;
mod phrases;
mod placed;
mod places;
mod prefixes;
mod swapped_paths;
mod tested;
mod tongues;
mod tools;
mod units;

pub(crate) use code::stands_for_others;

use serde_json::{Value, json};

use crate::text::pattern;

use super::bag;
use super::norm::{Norm, Polarity, Relation, Term, TermKind};
use super::occasion::{self, Occasion};
use super::sentence::{Sentences, numbers};
use super::words::{root, words};

/// A norm as a check, and the terms of the line that it honours.
#[derive(Debug)]
pub(crate) struct Lowered {
    /// What kind of norm it is.
    pub(crate) kind: &'static str,
    /// The check, as the data write them.
    pub(crate) check: Value,
    /// The terms that it rests on.
    pub(crate) used: Vec<usize>,
}

/// What a norm is lowered with.
pub(crate) struct Lowering<'s> {
    pub(crate) norm: &'s Norm,
    pub(crate) sentences: &'s Sentences,
    /// Labels of the clause, then parents and headings, the nearest first.
    pub(crate) context: &'s [String],
}

pattern!(AREAS, r"\b(?:those|these|that|this) (?:areas?|parts?|topics?)\b");
pattern!(WHOLE, r"\b(?:codebase|code base|source code)\b");

pattern!(COMPOUND, r"\b[a-z]+-[a-z]+ [a-z]+\b");
pattern!(EVERYWHERE, r"^(?:general|default|principle|all cases|any case|most cases|every case|production)\b");

/// Kinds of norms that forbid something in code or commands.
const SCOPED: [&str; 5] =
    ["forbidden-code", "swapped-code", "forbidden-command", "swapped-command", "library"];

/// A term of the line and its number.
type Numbered<'s> = (usize, &'s Term);

impl Lowering<'_> {
    /// The check, when the norm is understood to its last word.
    pub(crate) fn lower(&self) -> Option<Lowered> {
        let unless = &self.norm.unless;
        let clear = |unless: &String| {
            bag::exception(unless) == bag::UNLESS_SOFT
                || self.unless_asked(unless)
                || self.unless_doing(unless).is_some()
        };
        let mut lowered = self.by_polarity()?;
        if !unless.iter().all(clear) {
            // Nobody knows where the exception is; who does what is asked for has followed.
            if self.norm.polarity == Polarity::MustNot || !self.norm.when.is_empty() {
                return None;
            }
            lowered.check["forbid"] = json!([]);
            lowered.check.get("expect")?;
            lowered.used.extend(unless.iter().flat_map(|unless| numbers(unless)));
            return Some(lowered);
        }
        if !self.knows_where() && SCOPED.contains(&lowered.kind) {
            // What is forbidden somewhere, nobody knows where, is not forbidden everywhere.
            lowered.check["forbid"] = json!([]);
            lowered.check.get("expect")?;
        }
        if let Some(words) = unless.iter().find_map(|unless| self.unless_doing(unless)) {
            lowered.check["unless"] =
                json!([{ "said": { "by": "person", "words": words } }, { "about": { "words": words } }]);
        }
        if unless.iter().any(|unless| self.unless_asked(unless)) {
            let about = bag::bag(&self.norm.about, &self.sentences.terms);
            let deeds = self.deeds_asked_for(&lowered)?;
            let unless: Vec<Value> =
                [super::rulebook::unless_asked(&about)].into_iter().chain(deeds).collect();
            lowered.check["unless"] = json!(unless);
            let why = lowered.check["why"].as_str().unwrap_or_default();
            lowered.check["why"] = json!(format!("{why} unless a person asks for it"));
        }
        Some(lowered)
    }

    /// Whether the norm says only where or what for something may, or may not, be done, and that is nothing that is seen: what it names
    /// is understood, and shows nothing.
    pub(crate) fn says_nothing(&self) -> bool {
        let norm = self.norm;
        (norm.limited && self.only_paths().is_none())
            || (norm.polarity == Polarity::MustNot
                && norm.when.is_empty()
                && !norm.about.contains("deprecated ")
                && places::purpose(&norm.about).is_some()
                && self.place(&norm.about).is_none())
    }

    /// What a line that only states something says about files: "tests live in `tests/`".
    pub(crate) fn lower_stated(&self) -> Option<Lowered> {
        (self.norm.polarity == Polarity::Must && self.norm.unless.is_empty())
            .then(|| {
                self.placed()
                    .or_else(|| self.test_names())
                    .or_else(|| self.limit())
                    .or_else(|| self.done_by())
            })
            .flatten()
    }

    fn by_polarity(&self) -> Option<Lowered> {
        match self.norm.polarity {
            Polarity::MustNot => self
                .limit()
                .or_else(|| self.forbidden_phrase())
                .or_else(|| self.forbidden_commit())
                .or_else(|| self.forbidden_option())
                .or_else(|| self.forbidden_command())
                .or_else(|| self.forbidden_mixture())
                .or_else(|| self.forbidden_path())
                .or_else(|| self.forbidden_reading())
                .or_else(|| self.forbidden_code())
                .or_else(|| self.forbidden_tool())
                .or_else(|| self.library()),
            Polarity::InsteadOf => self
                .avoided_option()
                .or_else(|| self.swapped_command())
                .or_else(|| self.wanted_tool())
                .or_else(|| self.library())
                .or_else(|| self.swapped_path())
                .or_else(|| self.swapped_code())
                .or_else(|| self.wanted_command())
                .or_else(|| self.preferred_program()),
            Polarity::Must | Polarity::Only => self
                .limit()
                .or_else(|| self.tested())
                .or_else(|| self.branch_names())
                .or_else(|| self.titles())
                .or_else(|| self.only_paths())
                .or_else(|| self.prefixed())
                .or_else(|| self.tongue())
                .or_else(|| self.test_names())
                .or_else(|| self.wanted_tool())
                .or_else(|| self.wanted_command())
                .or_else(|| self.worked_with())
                .or_else(|| self.done_by())
                .or_else(|| self.wanted_option())
                .or_else(|| self.option_of_role())
                .or_else(|| self.wanted_role())
                .or_else(|| self.placed())
                .or_else(|| self.wanted_test_file())
                .or_else(|| self.wanted_document())
                .or_else(|| self.wanted_in_each())
                .or_else(|| self.wanted_code())
                .or_else(|| self.library()),
            Polarity::AskFirst => self.ask_first(),
        }
    }

    /// Whether the places that stand before the order are known: "in TypeScript, …", "for CLI output, …".
    fn knows_where(&self) -> bool {
        let known = |piece: &String| {
            let said = bag::bag(piece, &self.sentences.terms);
            // "For single-file tests, …": some of them, and nobody can tell which.
            if COMPOUND.is_match(piece) && !occasion::goes_by(piece) {
                return false;
            }
            // "In `core`, …": a part of the project, by its name.
            said.iter().all(|word| word.starts_with('`'))
                || language_of(piece).is_some()
                || !occasion::paths(piece, &self.sentences.terms).is_empty()
                || occasion::named(&said).is_some()
                || EVERYWHERE.is_match(piece)
                || places::is_production(piece)
        };
        self.norm.within.iter().all(known)
    }

    /// Whether an exception is a person's word against a prohibition.
    fn unless_asked(&self, unless: &str) -> bool {
        self.norm.polarity == Polarity::MustNot && bag::exception(unless) == bag::UNLESS_ASKED
    }

    /// "No git commands without permission": people ask for a commit, and seldom by the name of the program. Of a program whose deeds have no
    /// known names nobody could tell what was asked for.
    fn deeds_asked_for(&self, lowered: &Lowered) -> Option<Vec<Value>> {
        let whole: Vec<&str> = lowered.check["forbid"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|forbid| forbid["ran"]["bare"] == json!(true))
            .filter_map(|forbid| forbid["ran"]["command"].as_str())
            .collect();
        let by = |program: &&str| {
            let deeds = words().deeds.get(*program)?.join("|");
            Some(json!({ "said": { "by": "person", "text": format!(r"(?i)\b(?:{deeds})") } }))
        };
        whole.iter().map(by).collect()
    }

    /// "Except when cutting a release": a prohibition that does not hold for some work, by the words that work goes by.
    fn unless_doing(&self, unless: &str) -> Option<Vec<String>> {
        const MOST_WORDS: usize = 2;
        let (verb, object) = unless.split_once(' ')?;
        let words = crate::text::content_stems(object);
        let named = self.norm.polarity == Polarity::MustNot && verb.ends_with("ing") && !unless.contains('§');
        (named && !words.is_empty() && words.len() <= MOST_WORDS).then_some(words)
    }

    fn terms(&self, masked: &str) -> Vec<Numbered<'_>> {
        let all = numbers(masked).into_iter();
        let found = all.filter_map(|number| self.sentences.terms.get(number).map(|term| (number, term)));
        found.filter(|(_, term)| !term.aside).collect()
    }

    fn of_kind(&self, masked: &str, kinds: &[TermKind]) -> Vec<Numbered<'_>> {
        self.terms(masked).into_iter().filter(|(_, term)| kinds.contains(&term.kind)).collect()
    }

    /// Whether nothing but the terms and words that name their kind is left in a piece.
    fn is_plain(&self, masked: &str) -> bool {
        let said = bag::bag(masked, &self.sentences.terms);
        said.iter()
            .filter(|word| !word.starts_with('`'))
            .all(|word| words().term_nouns.contains(word) || words().is_act(word, "use") || is_language(word))
    }

    /// The files that the rule holds in: what it names, else what its context names, else all code.
    fn paths(&self) -> Value {
        let norm = self.norm;
        if let Some(place) = self.place(&norm.about).filter(|place| !place.paths.is_empty()) {
            return json!(place.paths);
        }
        // "Outside of `x`": what is named there is where it does not hold.
        let about = self.place(&norm.about).map_or_else(|| norm.about.clone(), |place| place.head);
        // "`x` from `lib/x`": where it comes from is not where it is written.
        let about = about.split_once(" from §").map_or(about.as_str(), |(head, _)| head).to_owned();
        let mut pieces: Vec<&str> = vec![&about];
        pieces.extend(norm.within.iter().map(String::as_str));
        pieces.extend(norm.when.iter().map(|when| when.words.as_str()));
        let named: Vec<String> =
            pieces.iter().flat_map(|piece| occasion::paths(piece, &self.sentences.terms)).collect();
        if !named.is_empty() {
            return json!(named);
        }
        // "In tests, …", "in components, …".
        let place = |piece: &String| occasion::named(&bag::bag(piece, &self.sentences.terms));
        if let Some(files) = norm.within.iter().find_map(place) {
            return json!([format!("@{}", files.name)]);
        }
        let around = self.context.iter().map(|context| context.to_lowercase());
        let said = pieces.iter().map(|piece| (*piece).to_owned()).chain(around);
        let language = said.map(|piece| language_of(&piece)).find_map(|language| language);
        json!([language.map_or("@code".to_owned(), |name| format!("@{name}"))])
    }

    /// The trigger that the conditions of the norm make, and when the deed has to come.
    fn trigger(&self) -> Option<(Occasion, &'static str)> {
        let mut found: Option<(Occasion, &'static str)> = None;
        for when in &self.norm.when {
            let trigger =
                occasion::of(&when.words, &self.sentences.terms).or_else(|| self.spoken_of(&when.words))?;
            let order = match when.relation {
                Relation::Before | Relation::After if trigger.lasts => "anytime",
                Relation::Before => "before_trigger",
                Relation::After => "after_trigger",
                Relation::When => "anytime",
            };
            // "after each change, before you report": the first one decides.
            found = found.or(Some((trigger, order)));
        }
        // "Format Python files after editing them": changes of that language.
        // "Read the documentation in `x/` before …": what is read is no change.
        let reads = words().is_act(&self.norm.act, "read");
        let is_no_change = |name: &str| matches!(name, "code" | "tests") || (reads && name == "docs");
        let language = language_of(&self.norm.about).filter(|name| !is_no_change(name));
        if let (Some((occasion, _)), Some(language)) = (&mut found, language) {
            occasion.sure = occasion::in_language(&occasion.sure, language);
            occasion.maybe = occasion::in_language(&occasion.maybe, language);
        }
        found
    }

    /// "Before working in any of those areas": those that the clauses before name, when they name the whole code.
    fn spoken_of(&self, condition: &str) -> Option<Occasion> {
        let clauses = self.sentences.clauses.iter().map(|clause| clause.text.as_str());
        let names_all = clauses.filter(|text| WHOLE.is_match(text)).count() > 0;
        let points_back = AREAS.is_match(condition) && names_all;
        points_back.then(|| occasion::of("change code", &self.sentences.terms)).flatten()
    }

    /// The terms of the norm's conditions.
    fn terms_of_conditions(&self) -> impl Iterator<Item = usize> {
        self.norm.when.iter().flat_map(|when| numbers(&when.words))
    }
}

/// The language that a piece names.
fn language_of(piece: &str) -> Option<&'static str> {
    let said = bag::bag(piece, &[]);
    let mut languages = words().languages.iter();
    let named = languages.find(|files| {
        let mut names = files.called.iter().map(|name| bag::bag(name, &[]));
        names.any(|name| !name.is_empty() && bag::find(&name, &said).is_some())
    });
    named.map(|files| files.name.as_str())
}

fn is_language(word: &str) -> bool {
    words().languages.iter().any(|files| files.called.iter().any(|name| root(name) == word))
}

/// Gives a check its occasion.
fn timed(check: &mut Value, occasion: &Occasion, order: &str) {
    check["trigger"] = json!(occasion.sure);
    check["maybe"] = json!(occasion.maybe);
    check["unmet"] = json!("missed");
    for expect in check["expect"].as_array_mut().into_iter().flatten() {
        expect["order"] = json!(order);
        // What was done in an earlier turn counts while no code has changed since.
        if order == "before_trigger" && expect["since"].is_null() {
            expect["since"] = json!({ "edit": [] });
        }
    }
}

fn numbers_of(found: &[Numbered<'_>]) -> Vec<usize> {
    found.iter().map(|(number, _)| *number).collect()
}

/// The terms as people list them: "`a`, `b` and `c`".
fn list(found: &[Numbered<'_>]) -> String {
    enumerated(found.iter().map(|(_, term)| format!("`{}`", term.text)).collect())
}

/// "`a`, `b` or `c`": of which one is enough.
fn either(found: &[Numbered<'_>]) -> String {
    joined(found.iter().map(|(_, term)| format!("`{}`", term.text)).collect(), "or")
}

/// Whether a list asks for all that it names: "`a`, `b` and `c`", "both `a` and `b`"; also "run `a`, `b`", but not the examples behind a colon.
fn wants_all(masked: &str) -> bool {
    !OR.is_match(masked) && (AND.is_match(masked) || COMMAS.is_match(masked) && !masked.contains(": §"))
}

pattern!(OR, r"§,? or |§ ?/ ?§|\beither\b|\bany of\b|\bone of\b");
pattern!(COMMAS, r"§, §");
pattern!(AND, r"§,? (?:and|&&|then|and then|as well as) (?:[a-z]+ ){0,2}§|\bboth\b|\ball of\b");

/// "a, b and c".
fn enumerated(names: Vec<String>) -> String {
    joined(names, "and")
}

fn joined(mut names: Vec<String>, word: &str) -> String {
    let Some(last) = names.pop() else { return String::new() };
    if names.is_empty() { last } else { format!("{} {word} {last}", names.join(", ")) }
}

/// "is" of one thing, "are" of several.
fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// "`a` in tests": what stands before the place or the purpose. A range ("`a` to `b`") stays whole.
fn head_of(masked: &str) -> &str {
    const JOINTS: [&str; 10] =
        [" in ", " for ", " inside ", " within ", " under ", " on ", " to ", " when ", " with ", " from "];
    let cut = JOINTS.iter().filter_map(|joint| {
        // "in `x`": nothing stands before the place.
        if masked.starts_with(joint.trim_start()) {
            return Some(0);
        }
        let at = masked.find(joint)?;
        let (before, behind) = masked.split_at(at);
        let is_range = *joint == " to " && before.ends_with('§') && behind[joint.len()..].starts_with('§');
        (!is_range).then_some(at)
    });
    cut.min().and_then(|at| masked.get(..at)).unwrap_or(masked)
}
