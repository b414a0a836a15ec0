//! Ties a remark to the line that it concerns.

use std::collections::HashMap;

use crate::check::Check;
use crate::judge::Board;
use crate::text::{self, pattern};

/// A line and how well a remark fits it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tie {
    pub(crate) line: usize,
    pub(crate) score: f64,
}

pattern!(
    TRUNK_FIRST,
    r"\b(?:back to (?:main|master|trunk|develop)|(?:pull(?: in)?(?: the)? latest|latest (?:main|master))|(?:off|from)(?: of)?(?: the)? (?:latest )?(?:main|master|develop)|switch to (?:main|master)|fresh branch|another branch|wrong branch)\b"
);

/// How much two lines may share a word before it says little.
fn weights(board: &Board) -> HashMap<&str, f64> {
    let mut counts: HashMap<&str, f64> = HashMap::new();
    for (_, ready) in board.lines() {
        for stem in &ready.check().cues.stems {
            *counts.entry(stem).or_default() += 1.0;
        }
    }
    let lines = board.lines().len().max(1) as f64;
    counts.into_iter().map(|(stem, count)| (stem, (1.0 + lines / count).ln() / (1.0 + lines).ln())).collect()
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

/// The line that these words concern most, if any.
pub(crate) fn best(words: &str, board: &Board) -> Option<Tie> {
    let words: &str =
        &words.split_whitespace().filter(|word| !word.contains("://")).collect::<Vec<_>>().join(" ");
    let weights = weights(board);
    let mut stems = text::content_stems(words);
    for part in text::parts(words) {
        let stem = text::stem(&part);
        if !text::is_common(&part) && !stems.contains(&stem) {
            stems.push(stem);
        }
    }
    let joined: String = text::parts(words).concat();
    let families: Vec<String> = text::sentences(words)
        .into_iter()
        .map(|sentence| crate::compile(sentence, &[]))
        .filter(|check| check.testable)
        .map(|check| check.family)
        .collect();
    let mut found: Vec<Tie> = board
        .lines()
        .iter()
        .map(|(line, ready)| Tie {
            line: *line,
            score: score(&stems, &joined, &words.to_lowercase(), &families, ready.check(), &weights),
        })
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let top = *found.first()?;
    (top.score >= LEAST_TIE).then_some(top)
}

fn score(
    stems: &[String],
    joined: &str,
    plain: &str,
    families: &[String],
    check: &Check,
    weights: &HashMap<&str, f64>,
) -> f64 {
    let shared: Vec<&String> = check.cues.stems.iter().filter(|stem| stems.contains(stem)).collect();
    let mut score: f64 =
        shared.iter().map(|stem| weights.get(stem.as_str()).copied().unwrap_or(1.0) * specific(stem)).sum();
    for code in &check.cues.code {
        let literal = code.split(['<', '{']).next().unwrap_or(code);
        let name = text::parts(literal.trim_end_matches('/').rsplit('/').next().unwrap_or(literal))
            .into_iter()
            .filter(|part| part.len() > 2 && !part.chars().all(|c| c.is_ascii_digit()))
            .filter(|part| {
                !matches!(
                    part.as_str(),
                    "ts" | "js" | "md" | "src" | "git" | "tsx" | "run" | "main" | "test" | "json"
                )
            })
            .collect::<Vec<_>>();
        if name.len() >= 2 && joined.contains(&name.concat()) {
            score += 1.2;
        }
    }
    let distinctive = [
        "branch-base",
        "protected-branch",
        "branch-name",
        "commit-message",
        "hook-bypass",
        "command-prefix",
        "no-comments",
        "no-emoji",
    ];
    if !shared.is_empty()
        && families.iter().any(|family| *family == check.family && distinctive.contains(&family.as_str()))
    {
        score += 0.6;
    }
    if check.family == "branch-base" && TRUNK_FIRST.is_match(plain) {
        score += 0.8;
    }
    let few_words = check.cues.stems.len() <= SHORT_LINE_STEMS;
    let names_its_tool = shared.iter().any(|stem| {
        (few_words || weights.get(stem.as_str()).copied().unwrap_or(0.0) >= UNIQUE_WEIGHT)
            && crate::line::is_program(stem)
            && !stem.starts_with("git")
            && !AMBIGUOUS_TOOLS.contains(&stem.as_str())
    });
    if names_its_tool {
        // A program that the line is about: "I told you to use pnpm".
        score = score.max(LEAST_TIE);
    }
    if shared.len() < 2 && score < 1.2 { 0.0 } else { score }
}

/// Words that stand in every talk about code weigh little.
fn specific(stem: &str) -> f64 {
    match stem {
        "chang" | "add" | "code" | "fil" | "work" | "run" | "updat" | "test" | "task" | "user" | "app"
        | "writ" | "creat" | "build" | "fix" | "set" | "check" | "mak" | "pass" | "start" | "option"
        | "nam" => 0.35,
        stem if stem.ends_with("ly") => 0.2,
        "pr" | "commit" | "push" | "pull" | "request" | "branch" | "main" | "api" | "server" | "docker" => {
            0.6
        }
        _ => 1.0,
    }
}
