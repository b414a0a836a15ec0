//! "before committing", "after editing `src/`", "when writing tests": occasions as conditions.

use serde_json::{Value, json};

use crate::text::{self, pattern};

use super::bag::{self, Bag};
use super::manifests;
use super::norm::{Term, TermKind};
use super::sentence::numbers;
use super::words::{Files, root, words};

/// What an occasion looks like: where it surely is, and where it may be.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Occasion {
    pub(crate) sure: Vec<Value>,
    pub(crate) maybe: Vec<Value>,
    /// Whether it lasts until the turn is over.
    pub(crate) lasts: bool,
}

pattern!(OR_WHEN, r",? or (?:after|when|whenever|before|if|once) ");
pattern!(OR_DOING, r",? or ([a-z-]+ing) ");
pattern!(OBJECT, r"^,? or [a-z-]+ing (.+)$");

/// What an occasion looks like; nothing when it is not understood to its last word. Of several ("after a, or after b") one is enough.
pub(crate) fn of(masked: &str, terms: &[Term]) -> Option<Occasion> {
    let mut found: Option<Occasion> = None;
    let mut rest = masked;
    while !rest.is_empty() {
        // "Before running a, or declaring b": the verb belongs to what follows.
        let doing =
            OR_DOING.captures(rest).and_then(|found| Some((found.get(0)?.start(), found.get(1)?.start())));
        let joint = OR_WHEN.find(rest).map(|joint| (joint.start(), joint.end())).or(doing);
        let piece = rest.get(..joint.map_or(rest.len(), |(start, _)| start)).unwrap_or("");
        // "Writing or reviewing C++": what is written is said once.
        let shared = piece
            .split([' ', ','])
            .all(|word| word.is_empty() || word.ends_with("ing"))
            .then(|| joint.and_then(|(start, _)| OBJECT.captures(rest.get(start..)?)?.get(1)))
            .flatten();
        let first = piece.split([' ', ',']).next().unwrap_or("");
        let whole = shared.map(|object| format!("{first} {}", object.as_str()));
        if let Some(one) = single(whole.as_deref().unwrap_or(piece), terms) {
            let all = found.get_or_insert_default();
            all.sure.extend(one.sure);
            all.maybe.extend(one.maybe);
            all.lasts |= one.lasts;
        }
        rest = joint.and_then(|(_, end)| rest.get(end..)).unwrap_or("");
    }
    found
}

fn single(masked: &str, terms: &[Term]) -> Option<Occasion> {
    let said: Bag = bag::bag(masked, terms);
    let paths = paths(masked, terms);
    if !paths.is_empty() {
        let left = said.iter().filter(|word| !(word.starts_with('`') || is_edit(word) || is_file_word(word)));
        // A word of the path itself tells none of its files from the others.
        let own: Vec<String> =
            paths.iter().flat_map(|path| text::parts(path)).map(|part| root(&part)).collect();
        let left: Vec<&String> = left.filter(|word| !own.contains(word) && !names_part(word)).collect();
        // "user-facing", "significant": which of the changes are meant, no name of a file tells.
        let qualities: Vec<String> =
            QUALITY.find_all(masked).iter().flat_map(|word| bag::stems(word.as_str())).collect();
        let judged = |word: &&String| -> bool {
            qualities.contains(word) || words().judgement.iter().any(|known| root(known) == **word)
        };
        let is_judged = left.iter().any(judged);
        let left: Vec<&String> = left.into_iter().filter(|word| !judged(word)).collect();
        // "UI changes in `apps/web`": what is seen of it lies in files of these kinds.
        let shows = said.iter().any(|word| *word == root("ui"))
            && paths.iter().all(|path| !path.contains(['*', '.']));
        let is_judged = is_judged && !shows;
        let below = |path: &String| format!("{}/**/*.{{{SHOWN}}}", path.trim_end_matches('/'));
        let paths: Vec<String> = if shows { paths.iter().map(below).collect() } else { paths };
        // "endpoints or controllers in `apps/api`": files there that go by such a name.
        let mut wrote = json!({ "paths": paths });
        if shows {
            wrote["except"] = json!(["@tests"]);
        }
        if !left.is_empty() {
            wrote["words"] = json!(left);
            // The tests of a controller are no controller.
            if !left.iter().any(|word| **word == root("test")) {
                wrote["except"] = json!(["@tests"]);
            }
        }
        let understood = left.is_empty() || (left.len() <= MOST_NAMES && !CLAUSE.is_match(masked));
        let conditions = vec![json!({ "wrote": wrote })];
        return understood.then(|| match is_judged {
            true => Occasion { maybe: conditions, ..Occasion::default() },
            false => Occasion { sure: conditions, ..Occasion::default() },
        });
    }
    if said.iter().any(|word| word.starts_with('`')) {
        return commands(masked, terms, &said);
    }
    // "Before generating code": what is generated goes by another name.
    let things = || thing(&said).filter(|_| !GENERATES.is_match(masked));
    let found = known(&said).or_else(things)?;
    Some(if ADDS.is_match(masked) && !CHANGES.is_match(masked) { added(found) } else { found })
}

pattern!(ADDS, r"\b(?:add|adding|create|creating|introducing|new)\b");
pattern!(CHANGES, r"\b(?:edit|editing|update|updating|modify|modifying|change|changing|write|writing)\b");

/// What is added as a file of its own; of other things that are added nobody knows in which file they stand.
const OWN_FILES: [&str; 12] = [
    "doc",
    "component",
    "hook",
    "controller",
    "service",
    "model",
    "migration",
    "view",
    "viewmodel",
    "script",
    "workflow",
    "dockerfile",
];

/// "When adding a page": a change of one that is there may be none.
fn added(mut occasion: Occasion) -> Occasion {
    let own: Vec<Value> = words()
        .nouns
        .iter()
        .filter(|noun| OWN_FILES.contains(&&*noun.name))
        .map(|noun| json!(noun.paths))
        .collect();
    for condition in &mut occasion.sure {
        if own.contains(&condition["wrote"]["paths"]) {
            occasion.maybe.push(condition.clone());
            condition["wrote"]["new"] = json!(true);
        }
    }
    occasion
}

pattern!(GENERATES, r"\b(?:generating|generate)\b");
pattern!(QUALITY, r"\b[a-z]+(?:-[a-z]+)+\b");

/// Endings of files that show in a user interface.
const SHOWN: &str = "tsx,jsx,vue,svelte,astro,html,css,scss,sass,less";

/// A part of a project that a path names already: "UI changes in `apps/web`".
fn names_part(word: &str) -> bool {
    [
        "ui",
        "frontend",
        "front-end",
        "backend",
        "back-end",
        "web",
        "client",
        "server",
        "app",
        "application",
        "user interface",
    ]
    .iter()
    .any(|known| bag::stems(known).any(|stem| stem == word))
}

/// "Before every `git push`": commands, and nothing else.
fn commands(masked: &str, terms: &[Term], said: &Bag) -> Option<Occasion> {
    let found: Vec<&Term> = numbers(masked).into_iter().filter_map(|number| terms.get(number)).collect();
    let plain = |word: &String| {
        word.starts_with('`') || words().term_nouns.contains(word) || words().is_act(word, "run")
    };
    let all = found.iter().all(|term| term.kind == TermKind::Command && !term.text.contains("&&"));
    if !all || !said.iter().all(plain) {
        return None;
    }
    let ran = |term: &&Term| match term.text.as_str() {
        "git commit" => json!({ "committed": {} }),
        "git push" => json!({ "pushed": {} }),
        command => json!({ "ran": { "command": command } }),
    };
    Some(Occasion { sure: found.iter().map(ran).collect(), ..Occasion::default() })
}

pattern!(CLAUSE, r"\b(?:is|are|not|only|you)\b");

/// More names than this are a sentence.
const MOST_NAMES: usize = 4;

/// The paths that a piece names.
pub(crate) fn paths(masked: &str, terms: &[Term]) -> Vec<String> {
    numbers(masked)
        .into_iter()
        .filter_map(|number| terms.get(number))
        .filter(|term| term.kind == TermKind::Path)
        .map(|term| term.text.clone())
        .collect()
}

fn known(said: &Bag) -> Option<Occasion> {
    let mut best: Option<(usize, &super::words::Occasion)> = None;
    for occasion in &words().occasions {
        for phrase in &occasion.says {
            let wanted = bag::bag(phrase, &[]);
            let Some((_, left)) = bag::find(&wanted, said) else { continue };
            let harmless = |word: &String| {
                occasion.also.iter().any(|also| bag::stems(also).any(|stem| stem == *word))
                    || is_weak(word)
                    || is_language(word)
            };
            if !wanted.is_empty()
                && left.iter().all(harmless)
                && best.is_none_or(|(weight, _)| wanted.len() > weight)
            {
                best = Some((wanted.len(), occasion));
            }
        }
    }
    // "When changing TypeScript": code of that language.
    let language = words().languages.iter().find(|files| {
        files.name != "code"
            && files.called.iter().any(|name| said.contains(&root(name)) && is_language(&root(name)))
    });
    let of_language = |conditions: &[Value]| {
        language.map_or_else(
            || conditions.to_vec(),
            |language| manifests::in_language(&in_language(conditions, &language.name), language),
        )
    };
    let (_, known) = best?;
    let (sure, mut maybe) = (of_language(&known.is), of_language(&known.maybe));
    // "When reviewing changes": it is known, and leaves no trace.
    if sure.is_empty() && maybe.is_empty() {
        return None;
    }
    // "After significant changes": who decides which those are? Doing it counts, not doing it does not.
    let judged = words().judgement.iter().any(|word| said.contains(&root(word)));
    if judged {
        maybe.extend(sure);
        return Some(Occasion { sure: Vec::new(), maybe, lasts: known.lasts });
    }
    Some(Occasion { sure, maybe, lasts: known.lasts })
}

/// Conditions on code as conditions on code of one language.
pub(super) fn in_language(conditions: &[Value], language: &str) -> Vec<Value> {
    let written = json!(conditions).to_string().replace("\"@code\"", &format!("\"@{language}\""));
    serde_json::from_str(&written).unwrap_or_else(|_| conditions.to_vec())
}

/// A language or a noun that is written: "when working on python files".
fn thing(said: &Bag) -> Option<Occasion> {
    let files = named(said)?;
    Some(Occasion { sure: vec![json!({ "wrote": { "paths": files.paths } })], ..Occasion::default() })
}

/// The files that a bag names, when it names nothing else.
pub(crate) fn named(said: &Bag) -> Option<&'static Files> {
    let all = words().languages.iter().chain(&words().nouns);
    all.flat_map(|files| files.called.iter().map(move |name| (files, bag::bag(name, &[]))))
        .filter(|(_, wanted)| !wanted.is_empty())
        .filter_map(|(files, wanted)| {
            let (_, left) = bag::find(&wanted, said)?;
            let plain = |word: &String| {
                is_edit(word) || is_file_word(word) || is_weak(word) || words().term_nouns.contains(word)
            };
            left.iter().all(plain).then_some((files, wanted.len()))
        })
        .max_by_key(|(_, weight)| *weight)
        .map(|(files, _)| files)
}

/// Whether files or a language go by this very name: "end-to-end tests".
pub(crate) fn goes_by(piece: &str) -> bool {
    let all = words().languages.iter().chain(&words().nouns);
    all.flat_map(|files| &files.called).any(|name| name == piece)
}

fn is_language(word: &str) -> bool {
    words().languages.iter().any(|files| files.called.iter().any(|name| root(name) == word))
}

fn is_edit(word: &str) -> bool {
    words().acts(word).iter().any(|kind| matches!(kind.as_str(), "edit" | "write" | "use" | "place"))
}

fn is_weak(word: &str) -> bool {
    words().acts(word).iter().any(|kind| matches!(kind.as_str(), "use" | "write" | "edit"))
}

pub(crate) fn is_file_word(word: &str) -> bool {
    ["file", "code", "folder", "directory", "under", "source", "content", "something", "anything"]
        .iter()
        .any(|known| root(known) == word)
}
