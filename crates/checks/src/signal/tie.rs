//! Ties a remark to the line that it concerns.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::hear::Stance;
use super::side::Sides;
use crate::clash::agree;
use crate::judge::{Board, Ready};
use crate::language::Check;
use crate::text;

/// A line and how well a remark fits it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tie {
    pub(crate) line: usize,
    pub(crate) score: f64,
}

/// What ties words to the lines of a board, gathered once.
#[derive(Debug, Default)]
pub(crate) struct Ties {
    /// How much two lines may share a word before it says little.
    weights: HashMap<String, f64>,
    /// For each line, the names of its code terms that consist of several parts, run together.
    names: Vec<Vec<String>>,
    by_stem: HashMap<String, Vec<usize>>,
    by_name: HashMap<[u8; NAME_START_BYTES], Vec<usize>>,
}

/// Bytes by which a name is filed; each of its parts has as many.
const NAME_START_BYTES: usize = 3;

impl Ties {
    /// Gathers them from the checks of a board.
    pub(crate) fn new(lines: &[(usize, Ready)]) -> Self {
        let mut ties = Self::default();
        let mut counts: HashMap<&str, f64> = HashMap::new();
        for (at, (_, ready)) in lines.iter().enumerate() {
            let check = ready.check();
            for stem in &check.cues.stems {
                *counts.entry(stem).or_default() += 1.0;
                ties.by_stem.entry(stem.clone()).or_default().push(at);
            }
            let names: Vec<String> = check.cues.code.iter().filter_map(|code| joined_name(code)).collect();
            for start in names.iter().filter_map(|name| name.as_bytes().first_chunk()) {
                ties.by_name.entry(*start).or_default().push(at);
            }
            ties.names.push(names);
        }
        let lines = lines.len().max(1) as f64;
        let weight = |count: f64| (1.0 + lines / count).ln() / (1.0 + lines).ln();
        ties.weights = counts.into_iter().map(|(stem, count)| (stem.to_owned(), weight(count))).collect();
        ties
    }

    /// The places of the lines that these words can be tied to at all, in order.
    fn meeting(&self, words: &Words) -> Vec<usize> {
        let by_stem = words.stems.iter().filter_map(|stem| self.by_stem.get(stem)).flatten();
        let mut found: Vec<usize> = by_stem.copied().collect();
        let starts = words.joined.as_bytes().windows(NAME_START_BYTES);
        found.extend(starts.filter_map(|start| self.by_name.get(start)).flatten());
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The last name of a code term as one word, when it has several parts that say something.
fn joined_name(code: &str) -> Option<String> {
    let literal = code.split(['<', '{']).next().unwrap_or(code);
    let name = text::parts(literal.trim_end_matches('/').rsplit('/').next().unwrap_or(literal))
        .into_iter()
        .filter(|part| part.len() >= NAME_START_BYTES && !part.chars().all(|c| c.is_ascii_digit()))
        .filter(|part| {
            !matches!(
                part.as_str(),
                "ts" | "js" | "md" | "src" | "git" | "tsx" | "run" | "main" | "test" | "json"
            )
        })
        .collect::<Vec<_>>();
    (name.len() >= 2).then(|| name.concat())
}

/// How many of a line's names of several parts are said, be they run together or not: "full schema" is `FullSchema.ts`.
pub(crate) fn names(said: &str, check: &Check) -> usize {
    let joined = text::parts(said).concat();
    check.cues.code.iter().filter_map(|code| joined_name(code)).filter(|name| joined.contains(name)).count()
}

/// The least score of a remark that is about a line.
pub(crate) const LEAST_TIE: f64 = 1.25;

/// A line with so few words is about each of them.
const SHORT_LINE_STEMS: usize = 3;
/// The weight of a word that stands in one line only.
const UNIQUE_WEIGHT: f64 = 0.95;
/// Programs whose names people say for other reasons.
const AMBIGUOUS_TOOLS: &[&str] =
    &["make", "go", "find", "task", "just", "next", "node", "docker", "cat", "stack", "wire", "air"];

/// What an entry of the rulebook is called by is no matter of chance.
const RULEBOOK: &str = "rulebook/";

/// Words are about a line if one in so many of them stands there, …
const LEAST_OF_THE_WORDS: usize = 5;
/// … or if one in so many words of the line is among them.
const LEAST_OF_THE_LINE: usize = 2;

/// A word that weighs so much has something to do with what a line is about, …
const TELLING: f64 = 0.6;
/// … and so many of them are no chance.
const LEAST_TELLING: usize = 2;

/// What somebody said, taken apart once.
#[derive(Debug)]
pub(super) struct Words {
    stems: Vec<String>,
    /// All parts of words without what stands between them.
    joined: String,
    /// As they were said, but for links.
    said: String,
    /// The rules that the sentences would be, once somebody asked: reading them takes longer than all the rest.
    rules: OnceCell<Vec<Check>>,
}

impl Words {
    /// Whether a sentence would be a rule of the same kind as a line, or says a part of it: "never push to main".
    fn say_rule(&self, line: &Check) -> bool {
        let rules = self.rules.get_or_init(|| {
            let sentences = text::sentences(&self.said).into_iter();
            sentences
                .map(|sentence| crate::reading::compile(sentence, &[]))
                .filter(|check| check.testable)
                .collect()
        });
        rules.iter().any(|said| said.family == line.family || (!said.forbid.is_empty() && agree(said, line)))
    }

    /// Takes words apart.
    pub(super) fn plain(words: &str) -> Self {
        let said = without_links(words);
        let mut stems = text::content_stems(&said);
        let parts = text::parts(&said);
        for part in &parts {
            let stem = text::stem(part);
            if !text::is_common(part) && !stems.contains(&stem) {
                stems.push(stem);
            }
        }
        Self { stems, joined: parts.concat(), said, rules: OnceCell::new() }
    }
}

fn without_links(words: &str) -> String {
    words.split_whitespace().filter(|word| !word.contains("://")).collect::<Vec<_>>().join(" ")
}

impl Words {
    /// Whether they are about a line, and do not merely share some words with it, as long messages and long lines do.
    pub(super) fn are_about(&self, check: &Check) -> bool {
        let shared = self.shared(check).len();
        shared * LEAST_OF_THE_WORDS >= self.stems.len()
            || shared * LEAST_OF_THE_LINE >= check.cues.stems.len()
    }

    /// Whether they have more in common with a line than one word of a long one: what runs its command is spoken of for many reasons.
    fn tell_of(&self, check: &Check) -> bool {
        let shared = self.shared(check);
        let telling = shared.iter().filter(|stem| specific(stem) >= TELLING).count();
        telling >= LEAST_TELLING
            || shared.len() * LEAST_OF_THE_LINE >= check.cues.stems.len()
            || shared.iter().any(|stem| check.is_about_program(stem))
            || names(&self.said, check) > 0
    }

    /// The telling words of a line that were said.
    pub(super) fn shared<'c>(&self, check: &'c Check) -> Vec<&'c str> {
        check.cues.stems.iter().filter(|stem| self.stems.contains(stem)).map(String::as_str).collect()
    }
}

/// How much the words weigh that lines share with what was said, by line; those without any are left out.
pub(super) fn weights(words: &Words, board: &Board) -> HashMap<usize, f64> {
    let weigh = |at: usize| {
        let ((line, ready), names) = (board.lines().get(at)?, board.ties().names.get(at)?);
        let weight = weight(words, ready.check(), names, &board.ties().weights);
        (weight > 0.0).then_some((*line, weight))
    };
    board.ties().meeting(words).into_iter().filter_map(weigh).collect()
}

impl Board {
    /// The line that holds in a directory and that somebody speaks of or near it: what is said has more in common with it than a word.
    pub fn line_near(&self, said: &str, cwd: Option<&str>) -> Option<usize> {
        let (board, words) = (self.for_words(), Words::plain(said));
        let weights = weights(&words, board);
        let near = board.lines().iter().filter(|(line, ready)| {
            let weight = weights.get(line).copied().unwrap_or(0.0);
            weight >= LEAST_SIDED && ready.holds_in(cwd) && words.tell_of(ready.check())
        });
        let weigh = |line: &usize| weights.get(line).copied().unwrap_or(0.0);
        // Of equals the first: `max_by` takes the last.
        near.map(|(line, _)| *line).rev().max_by(|one, other| weigh(one).total_cmp(&weigh(other)))
    }

    /// The line that holds in a directory and shares the most telling words with what was said, and these words.
    pub fn nearest_line(&self, said: &str, cwd: Option<&str>) -> Option<(usize, Vec<String>)> {
        let (board, words) = (self.for_words(), Words::plain(said));
        let weights = weights(&words, board);
        let holding = board.lines().iter().filter(|(_, ready)| ready.holds_in(cwd));
        let weighed = holding.filter_map(|(line, ready)| Some((*line, ready, *weights.get(line)?)));
        // Of equals the first: `max_by` takes the last.
        let best = weighed.rev().max_by(|one, other| one.2.total_cmp(&other.2));
        let (line, ready, _) = best?;
        let known = |word: &String| ready.check().cues.stems.contains(&text::stem(word));
        let mut shared: Vec<String> =
            text::words(said).into_iter().filter(known).filter(|word| !text::is_common(word)).collect();
        shared.dedup();
        (!shared.is_empty()).then_some((line, shared))
    }
}

/// What the shared words and names weigh together.
fn weight(words: &Words, check: &Check, names: &[String], weights: &HashMap<String, f64>) -> f64 {
    let shared = check.cues.stems.iter().filter(|stem| words.stems.contains(stem));
    let stems: f64 =
        shared.map(|stem| weights.get(stem.as_str()).copied().unwrap_or(1.0) * specific(stem)).sum();
    stems + names.iter().filter(|name| words.joined.contains(name.as_str())).count() as f64 * NAME_WEIGHT
}

/// What the name of a code term weighs.
const NAME_WEIGHT: f64 = 1.2;

/// The line that these words concern most, of those that hold in a directory; the first of those that they concern equally.
pub(crate) fn best(said: &str, board: &Board, cwd: Option<&str>) -> Option<Tie> {
    let words = Words::plain(said);
    best_at(board.ties().meeting(&words).into_iter(), &words, board, cwd)
}

/// What the words have to weigh on which a line and a remark take sides: one that is about little else.
const LEAST_SIDED: f64 = 0.95;
/// What it weighs that somebody wants another thing for the same work.
const RIVAL_WEIGHT: f64 = 1.0;

/// The line in whose matter somebody takes a side, and which: first of all one that they contradict.
pub(crate) fn sided(said: &str, board: &Board, cwd: Option<&str>) -> Option<(usize, Stance)> {
    let (sides, words) = (Sides::of(said), Words::plain(said));
    let weights = &board.ties().weights;
    let weigh = |stem: &str| weights.get(stem).copied().unwrap_or(1.0) * specific(stem);
    let mut best: Option<(f64, usize, Stance)> = None;
    for (line, ready) in board.lines().iter().filter(|(_, ready)| ready.holds_in(cwd)) {
        let Some(own) = &ready.sides else { continue };
        let met: f64 = own.met_by(&sides).map(|stem| weigh(stem)).sum();
        // The occasion takes no side, and says what a remark is about.
        let shared: f64 = words.shared(ready.check()).into_iter().map(weigh).sum();
        let mut weight = met.max(shared);
        if own.is_rivalled_by(&sides) {
            weight += RIVAL_WEIGHT;
        }
        if weight < LEAST_SIDED {
            continue;
        }
        let Some(stance) = own.taken_by(&sides) else { continue };
        // Who is of the same mind may speak of anything that shares a word with the line.
        let is_about =
            || weight >= LEAST_TIE && words.are_about(ready.check()) && words.tell_of(ready.check());
        if stance == Stance::With && !is_about() && !own.says_all_of(&sides) {
            continue;
        }
        let is_better = best.is_none_or(|(most, _, before)| {
            let (turns, turned) = (stance == Stance::Against, before == Stance::Against);
            (turns, weight) > (turned, most)
        });
        if is_better {
            best = Some((weight, *line, stance));
        }
    }
    best.map(|(_, line, stance)| (line, stance))
}

fn best_at(
    places: impl Iterator<Item = usize>,
    words: &Words,
    board: &Board,
    cwd: Option<&str>,
) -> Option<Tie> {
    let ties = places.filter_map(|at| {
        let ((line, ready), names) = (board.lines().get(at)?, board.ties().names.get(at)?);
        if !ready.holds_in(cwd) {
            return None;
        }
        let score = score(words, ready.check(), names, &board.ties().weights);
        let score = if words.are_about(ready.check()) { score } else { 0.0 };
        Some(Tie { line: *line, score })
    });
    let better = |best: Tie, tie: Tie| if tie.score.total_cmp(&best.score).is_gt() { tie } else { best };
    ties.reduce(better).filter(|top| top.score >= LEAST_TIE)
}

fn score(words: &Words, check: &Check, names: &[String], weights: &HashMap<String, f64>) -> f64 {
    let shared: Vec<&String> = check.cues.stems.iter().filter(|stem| words.stems.contains(stem)).collect();
    let mut score = weight(words, check, names, weights);
    if !shared.is_empty() && check.family.starts_with(RULEBOOK) && words.say_rule(check) {
        score += 0.6;
    }
    let few_words = check.cues.stems.len() <= SHORT_LINE_STEMS;
    let names_its_tool = shared.iter().any(|stem| {
        let is_its_own = || weights.get(stem.as_str()).copied().unwrap_or(0.0) >= UNIQUE_WEIGHT;
        (few_words || check.is_about_program(stem) && is_its_own())
            && crate::code::is_program(stem)
            && !stem.starts_with("git")
            && !AMBIGUOUS_TOOLS.contains(&stem.as_str())
    });
    if names_its_tool {
        // A program that the line is about: "I told you to use pnpm".
        score = score.max(LEAST_TIE);
    }
    let is_telling = |stem: &&&String| {
        weights.get(stem.as_str()).copied().unwrap_or(0.0) >= UNIQUE_WEIGHT && specific(stem) >= 1.0
    };
    let says_nothing_else = !words.stems.is_empty() && shared.len() == words.stems.len();
    if says_nothing_else && words.tell_of(check) && shared.iter().any(|stem| is_telling(&stem)) {
        // "I said no comments" is about nothing else.
        score = score.max(LEAST_TIE);
    }
    if shared.len() < 2 && score < 1.2 { 0.0 } else { score }
}

/// What stands in every path says nothing about a line.
const PATH_PARTS: [&str; 17] = [
    "src", "lib", "rs", "py", "ts", "tsx", "js", "jsx", "go", "md", "json", "yaml", "yml", "toml", "html",
    "css", "index",
];

/// Words that stand in every talk about code weigh little.
fn specific(stem: &str) -> f64 {
    match stem {
        "chang" | "add" | "code" | "fil" | "work" | "run" | "updat" | "test" | "task" | "user" | "app"
        | "writ" | "creat" | "build" | "fix" | "set" | "check" | "mak" | "pass" | "start" | "option"
        | "nam" | "reason" | "exist" | "exampl" | "handl" | "plac" | "need" | "issu" => 0.35,
        stem if stem.ends_with("ly") || PATH_PARTS.contains(&stem) => 0.2,
        "pr" | "commit" | "push" | "pull" | "request" | "branch" | "main" | "api" | "server" | "docker" => {
            0.6
        }
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::Random;

    #[test]
    fn words_are_tied_as_if_every_line_had_been_scored() {
        let mut tied = 0;
        for seed in 0..12 {
            let mut random = Random::new(seed);
            let board = random.board();
            for _ in 0..100 {
                let message = random.message();
                let plain = best_at(0..board.lines().len(), &Words::plain(&message), &board, None);
                assert_eq!(best(&message, &board, None), plain, "seed {seed}: {message}");
                tied += usize::from(plain.is_some());
            }
        }
        assert!(tied > 60, "{tied} messages were tied to a line");
    }
}
