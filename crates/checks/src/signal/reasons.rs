//! Why a person's words may be a wish that lasts: reasons for and against, each worth some points, and two bars.
//!
//! A wish that reaches [`ENTERS`] may become a line without asking, if its words are a rule that stands alone; one that reaches [`ASKED`] is
//! put to the person, the most points first; what is below is evidence and no more. The reasons stand in `data/reasons.yaml`: what finds
//! them, what each is worth, and sentences on which that is tried. They follow from the words alone, so that whoever decides later weighs
//! the words themselves and not what a file says about them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::code::is_program;
use crate::orders::is_order_word;
use crate::text::{self, Pattern, pattern};

use super::markers;
use super::side::Sides;

/// From so many points on a wish may become a line without asking.
pub const ENTERS: i32 = 10;
/// From so many points on a person is asked.
pub const ASKED: i32 = 3;
/// A sentence with fewer words says little.
const FEW_WORDS: usize = 4;
/// The reason that the words themselves say how long they hold.
const FOR_GOOD: &str = "for-good";

/// The reasons that the words order one piece of work or name one place: then neither a model nor that they come again makes a rule of them.
const ONE_TASK: &str = "one-task";
const ONE_PLACE: &str = "one-place";

/// One reason.
#[derive(Debug)]
pub struct Reason {
    /// Its name.
    pub name: String,
    /// What it is worth; less than nothing when it speaks against a wish.
    pub points: i32,
    /// What it is, said of the words: "it says it is meant to last".
    pub says: String,
    /// Whether it speaks for a wish only beside others: words for what is done and with what are in every message.
    beside: bool,
    words: Option<Pattern>,
    unless: Option<Pattern>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    points: i32,
    says: String,
    #[serde(default)]
    beside: bool,
    #[serde(default)]
    words: Vec<String>,
    #[serde(default)]
    unless: Vec<String>,
    #[serde(default)]
    #[cfg_attr(not(test), expect(dead_code, reason = "sentences for the test"))]
    holds: Vec<String>,
    #[serde(default)]
    #[cfg_attr(not(test), expect(dead_code, reason = "sentences for the test"))]
    fails: Vec<String>,
}

// Where words begin and end. What stands in a path or a name is not said.
const BEGIN: &str = r#"(?:^|[\s"“'‘(\[*,;:!?—–`])"#;
const END: &str = r#"(?:$|[\s"”'’)\]*,;:.!?—–…`])"#;
const DATA: &str = include_str!("../../data/reasons.yaml");

// A test makes sure that the data can be read.
static REASONS: LazyLock<Vec<Reason>> = LazyLock::new(|| {
    let entries: Vec<Entry> = subcortex_yaml::from_str(DATA).unwrap_or_default();
    entries.into_iter().map(Reason::of).collect()
});

impl Reason {
    fn of(entry: Entry) -> Self {
        let pattern = |words: &[String]| {
            (!words.is_empty()).then(|| Pattern::new(&format!("{BEGIN}(?:{}){END}", words.join("|"))))
        };
        Self {
            words: pattern(&entry.words),
            unless: pattern(&entry.unless),
            name: entry.name,
            points: entry.points,
            beside: entry.beside,
            says: entry.says,
        }
    }

    fn is_found_in(&self, lower: &str) -> bool {
        let found = |pattern: &Option<Pattern>| pattern.as_ref().is_some_and(|words| words.is_match(lower));
        found(&self.words) && !found(&self.unless)
    }
}

/// What is known of words besides themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Besides {
    /// The same was said in another session.
    Again,
    /// They answer what the agent had just done.
    Corrects,
    /// A model heard a wish that lasts, and its rule rests on the words.
    ModelIsSure,
    /// A model heard what may last.
    ModelMaybe,
}

impl Besides {
    fn name(self) -> &'static str {
        match self {
            Self::Again => "again",
            Self::Corrects => "corrects",
            Self::ModelIsSure => "model-sure",
            Self::ModelMaybe => "model-maybe",
        }
    }
}

/// The reasons that speak for and against a wish.
#[derive(Debug, Clone, Default)]
pub struct Weighed(Vec<&'static Reason>);

/// The same reasons are the same, wherever they were found.
impl PartialEq for Weighed {
    fn eq(&self, other: &Self) -> bool {
        let names = |weighed: &Self| weighed.0.iter().map(|reason| &reason.name).collect::<Vec<_>>();
        names(self) == names(other)
    }
}

impl Eq for Weighed {}

impl Weighed {
    /// All points together. What nobody said to be for good, and what a model that saw the message is not sure of, has to be asked,
    /// however much else speaks for it; so has what reads as one piece of work or names one place of it, however sure a model is and however often it is said. What such a model heard is asked, however much speaks against it.
    pub fn points(&self) -> i32 {
        let all: i32 = self.0.iter().map(|reason| reason.points).sum();
        let has = |name: &str| self.0.iter().any(|reason| reason.name == name);
        let is_passing = has(ONE_TASK) || has(ONE_PLACE);
        let comes_again = has(Besides::Again.name()) && !is_passing;
        let is_explicit = has(Besides::ModelIsSure.name()) && !is_passing || has(FOR_GOOD) || comes_again;
        let may_enter = is_explicit && !has(Besides::ModelMaybe.name());
        let was_heard = [Besides::ModelIsSure, Besides::ModelMaybe].iter().any(|heard| has(heard.name()));
        let all = if was_heard { all.max(ASKED) } else { all };
        if may_enter { all } else { ENTERS.saturating_sub(1).min(all) }
    }

    /// Whether anything says by itself that the words may be meant for more than the work at hand.
    pub fn has_ground(&self) -> bool {
        self.0.iter().any(|reason| reason.points > 0 && !reason.beside)
    }

    /// Whether the words order one piece of work, or name one place of it, and do not say that they are for good.
    pub fn is_passing(&self) -> bool {
        let has = |name: &str| self.0.iter().any(|reason| reason.name == name);
        (has(ONE_TASK) || has(ONE_PLACE)) && !has(FOR_GOOD)
    }

    /// The reasons, the weightiest first.
    pub fn reasons(&self) -> &[&'static Reason] {
        &self.0
    }

    /// The reasons in words, with what each is worth, the weightiest first.
    pub fn in_words(&self) -> Vec<String> {
        self.0.iter().map(|reason| format!("{} ({:+})", reason.says, reason.points)).collect()
    }
}

// A function or a variable, in which something is to be done.
pattern!(IN_ONE_PLACE, r"\b(?:in|at|of|from|to) `?(?:[a-z]+[A-Z]\w*|[a-z]+_[a-z_]+|\w+\(\))");
// Three words or more between backticks are shown, not said: "what is `always use npm` for?"
pattern!(SHOWN_CODE, r"`+[^`\s]+\s+[^`\s]+\s+[^`]+`+");

/// Weighs a sentence.
pub fn weigh(sentence: &str, besides: &BTreeSet<Besides>) -> Weighed {
    let lower = SHOWN_CODE.replace_all(sentence, "` `").to_lowercase().replace('’', "'");
    let words = text::words(&lower);
    let by_program = |reason: &Reason| match reason.name.as_str() {
        "names-tool" => names_tool(&words),
        "one-place" => IN_ONE_PLACE.is_match(sentence),
        "swaps-tools" => Sides::of(&lower).swaps_tools(),
        "shouted" => is_shouted(sentence),
        "few-words" => words.len() < FEW_WORDS,
        "asks" => is_question(&lower),
        name => besides.iter().any(|known| known.name() == name),
    };
    let mut found: Vec<&Reason> =
        REASONS.iter().filter(|reason| reason.is_found_in(&lower) || by_program(reason)).collect();
    found.sort_by_key(|reason| std::cmp::Reverse(reason.points.abs()));
    Weighed(found)
}

/// A program that people mention for no other reason; everything is done with git.
fn names_tool(words: &[String]) -> bool {
    let is_telling = |word: &String| {
        is_program(word) && !word.starts_with("git") && !is_order_word(word) && !text::is_common(word)
    };
    words.iter().any(is_telling)
}

// Words of an order in capitals among others that are not, or more than one exclamation mark.
pattern!(SHOUTED, r"(?-i:\b(?:DO NOT|DON['’]T|NEVER|ALWAYS|MUST|NOT|ONLY|STOP|NO|ALL|EVERY)\b)|!!");

fn is_shouted(sentence: &str) -> bool {
    SHOUTED.is_match(sentence)
}

// "Do not …" orders, although it begins as questions do; "what's with all the comments" asks nothing.
pattern!(
    ORDERS_AS_IF_ASKED,
    r"^(?:(?:ok|okay|so|and|but|please|well|hey)\b[\s,]*)*(?:do not|don't|dont|no any|what'?s with|whats with)\b"
);

/// A question, unless it asks the agent why: that is a complaint.
fn is_question(lower: &str) -> bool {
    let bare = lower.get(markers::LEAD_IN.find(lower).map_or(0, |found| found.end())..).unwrap_or(lower);
    // A mark that stands alone is the operator: "use ?".
    let ends = lower.trim_end().strip_suffix('?').is_some_and(|rest| !rest.ends_with(char::is_whitespace));
    let orders = [lower, bare].iter().any(|words| ORDERS_AS_IF_ASKED.is_match(words));
    let opens = markers::TASK_QUESTION.is_match(bare) && !orders;
    (ends || opens) && !bare.starts_with("why")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_found_where_it_should_be_and_nowhere_else() {
        let entries: Vec<Entry> = subcortex_yaml::from_str(DATA).unwrap();
        assert!(entries.len() > 20);
        for entry in entries {
            let has = |sentence: &str| {
                weigh(sentence, &BTreeSet::new()).reasons().iter().any(|reason| reason.name == entry.name)
            };
            for source in entry.words.iter().chain(&entry.unless) {
                assert!(regex::Regex::new(source).is_ok(), "{}: {source}", entry.name);
            }
            for sentence in &entry.holds {
                assert!(has(sentence), "{} is not found: {sentence}", entry.name);
            }
            for sentence in &entry.fails {
                assert!(!has(sentence), "{} is found: {sentence}", entry.name);
            }
            assert!(entry.words.is_empty() || !entry.holds.is_empty(), "{} is not tried", entry.name);
        }
    }

    #[test]
    fn a_ban_behind_a_no_is_no_question() {
        for sentence in [
            "No, do not use mocks in the tests, use the real database.",
            "no, don't touch the generated files",
            "wait, do not commit the lock file",
        ] {
            assert!(weigh(sentence, &BTreeSet::new()).points() >= ASKED, "{sentence}");
        }
        assert!(!weigh("docker is running but the script returns", &BTreeSet::new()).has_ground());
        assert!(weigh("i commit by hand, leave git alone", &BTreeSet::new()).has_ground());
    }

    #[test]
    fn what_is_known_besides_counts() {
        let with = |besides: &[Besides]| weigh("use pnpm", &besides.iter().copied().collect()).points();
        assert_eq!(with(&[Besides::Again]), with(&[]) + 10);
        assert!(with(&[Besides::ModelIsSure]) >= ENTERS);
        assert!((ASKED..ENTERS).contains(&with(&[Besides::ModelMaybe, Besides::Again])));
    }

    #[test]
    fn what_a_model_heard_is_asked_about_whatever_speaks_against_it() {
        let sentence = "maybe put this button on the first page for now?";
        assert!(weigh(sentence, &BTreeSet::new()).points() < 0);
        assert_eq!(weigh(sentence, &[Besides::ModelMaybe].into()).points(), ASKED);
        let task = "run the tests inside the container";
        assert!((ASKED..ENTERS).contains(&weigh(task, &[Besides::ModelIsSure].into()).points()));
    }
}
