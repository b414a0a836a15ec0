//! What a changed line of the broadcast has to pass before it is committed.
//!
//! | gate | refused |
//! |---|---|
//! | trigger and direction | a line that tells nobody to do anything |
//! | not about the memory itself | lines about this program and its files |
//! | a prohibition names the replacement | `Never use npm.` |
//! | no status, dates, tallies | what is true today only, or counts |
//! | backed by external evidence | what an edit of ours wrote without evidence; what a person wrote is its own |
//! | no claim without a dossier | a pointer that leads nowhere |
//!
//! No secret is committed either, in whatever file and whoever wrote it: see `held_back`.
//!
//! A gate refuses only what is plain: a line in doubt passes, since a file that is held back helps nobody.
//!
//! The gates are for what we wrote. A line in a person's own words ([`is_a_persons`]) is theirs, and what the gates say of
//! it is a note: one `Never force-push` must not keep a whole memory out of its history.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use subcortex_checks::compile;
use subcortex_memory::{Cause, Change, Edit, EvidenceRef, Journal, Line};

/// What the gates know besides the line itself.
pub struct Known<'a> {
    /// Every edit of the broadcast.
    pub journal: &'a Journal,
    /// Whether a pointer leads to a dossier.
    pub has_dossier: &'a dyn Fn(&str) -> bool,
    /// What a person said there, if it was a person.
    pub quote: &'a dyn Fn(&EvidenceRef) -> Option<String>,
}

impl std::fmt::Debug for Known<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Known").field("edits", &self.journal.edits.len()).finish_non_exhaustive()
    }
}

/// Why a line cannot be committed; `None` when it passes.
pub fn refusal(line: &Line, known: &Known<'_>) -> Option<String> {
    let text = line.text.trim_start_matches(['-', '*', '+', ' ']).trim();
    let lower = text.to_lowercase();
    let pointless = line.pointers.iter().find(|name| !(known.has_dossier)(name));
    let gates: [(bool, &str); 5] = [
        (!is_direction(line, &lower), "it says neither what to do nor when"),
        (OF_OUR_OWN.is_match(&lower), "it is about the memory itself"),
        (is_bare_prohibition(&lower), "it forbids something and does not say what to do instead"),
        (STATUS.is_match(&lower), "it holds a date, a count or a state, which will not stay true"),
        (!is_backed(line, known.journal), "no evidence from outside stands behind it"),
    ];
    let plain = gates.into_iter().find(|(is_refused, _)| *is_refused).map(|(_, why)| why.to_owned());
    plain.or_else(|| pointless.map(|name| format!("it points to [[{name}]], and there is no such dossier")))
}

/// Words that begin an order, or make one of a sentence.
static ORDER: LazyLock<Pattern> = LazyLock::new(|| {
    expression(
        r"\b(?:always|never|must|should|shall|may|can|cannot|can't|don't|do not|avoid|prefer|use|uses|keep|run|write|ask|stop|make|put|add|remove|check|read|see|open|follow|ensure|only|instead|needs?|requires?|before|after|when|whenever|unless|until|if|lives?|goes|belongs?|first|please|no|not|without)\b|[`→/]|\[\[",
    )
});
/// A sentence that says how something is.
static IS: LazyLock<Pattern> = LazyLock::new(|| expression(r"\b(?:is|are|was|were|has|have|had)\b"));
/// What a sentence begins with that is about somebody or something.
const DESCRIBING: &[&str] = &[
    "the", "a", "an", "this", "that", "these", "those", "he", "she", "they", "i", "we", "it", "my", "our",
    "his", "her",
];
static OF_OUR_OWN: LazyLock<Pattern> = LazyLock::new(|| {
    expression(
        r"\b(?:subcortex|memory-weaver|memory-committer|cadence-executor|pattern-tracker|spine-scanner|entity-crystallizer|intuition-updater|effectiveness ledger)\b|memory/(?:fragments|checks|state|effectiveness|journal|proposals)|\b(?:this|the) (?:memory|broadcast) (?:line|file|system)\b|\bthis line (?:was|is|has)\b",
    )
});
static PROHIBITION: LazyLock<Pattern> =
    LazyLock::new(|| expression(r"^(?:please )?(?:never|don't|do not|avoid|no|stop)\b"));
/// What makes a prohibition say what to do: another way, a condition, an exception, a second sentence.
static REPLACEMENT: LazyLock<Pattern> = LazyLock::new(|| {
    expression(
        r"\b(?:instead|rather|but|prefer|only|unless|without|until|before|except|other than|always|go through|then|so|since|because|when|if|while|after)\b|[;:—–→(]|, |\. \S",
    )
});
static STATUS: LazyLock<Pattern> = LazyLock::new(|| {
    expression(
        r"\b(?:19|20)\d\d-\d\d-\d\d\b|\bas of (?:today|now|this|last|19|20|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\b(?:todo|wip|tbd)\b:?|\b(?:in progress|work in progress|currently (?:broken|failing|down|blocked))\b|\b(?:seen|missed|followed|corrected|happened|mentioned|ignored|repeated) (?:\d+|once|twice) ?(?:times?)?\b|\b\d+ (?:sessions|corrections|occurrences|fragments|misses|violations)\b|\(\d+x\)|^status\b|\b(?:yesterday|last week|this week|today we)\b",
    )
});

/// An expression that is a constant; a test compiles each.
struct Pattern(Option<Regex>);

fn expression(pattern: &str) -> Pattern {
    Pattern(Regex::new(pattern).ok())
}

impl Pattern {
    fn is_match(&self, text: &str) -> bool {
        self.0.as_ref().is_some_and(|pattern| pattern.is_match(text))
    }
}

fn is_direction(line: &Line, lower: &str) -> bool {
    let is_testable = || compile(&line.rule, &line.context).testable;
    ORDER.is_match(lower) || begins_with_a_verb(lower) || is_testable()
}

/// What describes begins with a name or with who it is about; an order begins with what to do.
fn begins_with_a_verb(lower: &str) -> bool {
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let describes = DESCRIBING.contains(&first);
    !describes && words.count() >= 2 && !IS.is_match(lower)
}

fn is_bare_prohibition(lower: &str) -> bool {
    PROHIBITION.is_match(lower) && !REPLACEMENT.is_match(lower)
}

/// Whether a line is in a person's own words: no edit of ours wrote it, or a person decided on that edit, or it says nothing
/// but what a person said.
pub fn is_a_persons(line: &Line, known: &Known<'_>) -> bool {
    let Some((edit, change)) = our_edit(line, known.journal) else { return true };
    match edit.cause {
        Cause::Person | Cause::Accepted | Cause::Reverted | Cause::Forgotten => true,
        Cause::Evidence | Cause::Task | Cause::Probation => {
            let said = words(&line.text);
            let holds_all = |quote: String| said.is_subset(&words(&quote));
            change.evidence.iter().filter_map(|evidence| (known.quote)(evidence)).any(holds_all)
        }
    }
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The edit of ours that wrote a line.
fn our_edit<'j>(line: &Line, journal: &'j Journal) -> Option<(&'j Edit, &'j Change)> {
    journal.edits.iter().rev().find_map(|edit| {
        let change = edit.changes.iter().find(|change| change.hash_after.as_ref() == Some(&line.hash))?;
        Some((edit, change))
    })
}

/// A line that no edit of ours wrote is a person's, which is evidence enough.
fn is_backed(line: &Line, journal: &Journal) -> bool {
    our_edit(line, journal).is_none_or(|(edit, change)| match edit.cause {
        Cause::Evidence | Cause::Probation => !change.evidence.is_empty() || edit.reverts.is_some(),
        Cause::Task | Cause::Accepted | Cause::Reverted | Cause::Forgotten | Cause::Person => true,
    })
}

#[cfg(test)]
mod tests {
    use subcortex_memory::Broadcast;

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let broadcast = Broadcast::parse(format!("- {text}\n"));
        let line = broadcast.lines.first().expect(text);
        let has_dossier = |name: &str| name == "topic-deploys";
        let known = Known { journal: &Journal::default(), has_dossier: &has_dossier, quote: &|_| None };
        let said = refusal(line, &known).unwrap_or("passes".into());
        assert_eq!(said, expect, "{text}");
    }

    #[test]
    fn every_expression_compiles() {
        for pattern in [&ORDER, &IS, &OF_OUR_OWN, &PROHIBITION, &REPLACEMENT, &STATUS] {
            assert!(pattern.0.is_some());
        }
    }

    #[test]
    fn lines_that_say_when_and_what_pass() {
        for text in [
            "Use pnpm, not npm.",
            "Never push to main; open a pull request.",
            "Don't commit without running the tests.",
            "Before a deploy, read [[topic-deploys]].",
            "Retry a failed request at most 3 times.",
            "Keep coverage above 80%.",
            "Never use `any`; use `unknown` instead.",
            "The API lives in `src/api`.",
            "Commit early and often.",
            "When a test fails, fix the code and not the test.",
        ] {
            check(text, "passes");
        }
    }

    #[test]
    fn each_gate_refuses_what_it_is_for() {
        check("The person is a senior engineer from Berlin.", "it says neither what to do nor when");
        check("Green buildings", "it says neither what to do nor when");
        check("Run subcortex status after each session.", "it is about the memory itself");
        check("Never use npm.", "it forbids something and does not say what to do instead");
        check("No console.log.", "it forbids something and does not say what to do instead");
        check(
            "The build is broken as of 2026-01-02, use the old one.",
            "it holds a date, a count or a state, which will not stay true",
        );
        check("Use pnpm (missed 3 times).", "it holds a date, a count or a state, which will not stay true");
        check(
            "Before a release, read [[topic-releases]].",
            "it points to [[topic-releases]], and there is no such dossier",
        );
    }
}
