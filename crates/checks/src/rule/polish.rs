//! When other words say the same rule and nothing besides.
//!
//! A test holds a part of what a line says; so the same test is not yet the same line. "Use pnpm, not npm, and delete the
//! cache" tests the same as "Use pnpm, not npm".

use serde_json::{Value, json};

use crate::text;

/// Whether other words are nothing but polish of a rule: the words that carry its meaning are the same in the same order, or
/// both are the same test, that test is all that the rule says, and nothing is hedged or denied that was not.
pub fn is_polish_of(new: &str, rule: &str) -> bool {
    let (mine, theirs) = (bearing_words(new), bearing_words(rule));
    if mine == theirs {
        return true;
    }
    let turns = |words: &[Bearing]| words.iter().filter(|word| matches!(word, Bearing::Turn)).count();
    let content = |words: &[Bearing]| words.iter().filter(|word| matches!(word, Bearing::Content(_))).count();
    let known = mine.iter().all(|word| matches!(word, Bearing::Turn) || theirs.contains(word));
    let related = theirs.iter().all(|word| !matches!(word, Bearing::Relation(_)) || mine.contains(word));
    known
        && related
        && turns(&mine) <= turns(&theirs)
        && content(&mine) > 0
        && super::same_rule(new, rule)
        && is_nothing_but_its_test(rule, &theirs)
}

/// A word that carries meaning.
#[derive(Debug, PartialEq, Eq)]
enum Bearing {
    /// What the rule is about, as a stem.
    Content(String),
    /// When and for what it holds.
    Relation(String),
    /// It turns against something.
    Turn,
}

const DENYING: &[&str] = &[
    "no", "not", "never", "dont", "cannot", "none", "nothing", "nobody", "neither", "nor", "avoid", "without",
];
/// They deny what follows as well: "rather than", "instead of", "over".
const PREFERRING: &[&str] = &["instead", "over", "rather"];
const RELATING: &[&str] = &[
    "after", "alone", "any", "because", "before", "between", "during", "each", "either", "every", "except",
    "first", "if", "last", "may", "might", "only", "or", "should", "since", "than", "then", "unless",
    "until", "when", "whenever", "while",
];

fn bearing_words(line: &str) -> Vec<Bearing> {
    let words = text::words(line).into_iter().filter_map(|word| {
        let is = |list: &[&str]| list.contains(&word.as_str());
        if is(DENYING) || is(PREFERRING) || word.ends_with("n't") {
            Some(Bearing::Turn)
        } else if is(RELATING) {
            Some(Bearing::Relation(word))
        } else {
            (!text::is_common(&word)).then(|| Bearing::Content(text::stem(&word)))
        }
    });
    words.collect()
}

/// Words that stand in the test by what it does with the others.
const IMPLIED: &[&str] = &["run", "writ"];

fn is_nothing_but_its_test(rule: &str, words: &[Bearing]) -> bool {
    let check = crate::reading::compile(rule, &[]);
    let mut held = String::new();
    let test = json!([check.trigger, check.maybe, check.expect, check.forbid, check.unless]);
    collect(&test, &mut held);
    let holds = |stem: &str| IMPLIED.contains(&stem) || held.contains(stem);
    check.testable && words.iter().all(|word| !matches!(word, Bearing::Content(stem) if !holds(stem)))
}

/// The texts of a test, and the deeds that say what they are by their names.
fn collect(test: &Value, held: &mut String) {
    match test {
        Value::String(text) => {
            held.push_str(&text.to_lowercase());
            held.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, held)),
        Value::Object(fields) => {
            for (name, field) in fields {
                if matches!(name.as_str(), "committed" | "pushed" | "branched") {
                    held.push_str(name);
                    held.push('\n');
                }
                collect(field, held);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polish_is_told_from_another_rule() {
        for (new, rule) in [
            ("Use pnpm, not npm.", "Always use pnpm instead of npm."),
            ("Keep the functions small.", "functions: small"),
            ("Before committing, run `make lint`.", "Always run make lint before commits."),
            ("Don't push to `main`.", "Never push to main."),
            ("When you install stuff, use pnpm, not npm.", "When you install stuff use pnpm instead of npm"),
        ] {
            assert!(is_polish_of(new, rule), "{new} / {rule}");
        }
        for (new, rule) in [
            ("Use npm, not pnpm.", "Use pnpm, not npm."),
            ("Use pnpm, not npm, and delete files.", "Use pnpm, not npm."),
            ("Use pnpm, not npm, or don't.", "Use pnpm, not npm."),
            ("Use pnpm, not npm, if any.", "Use pnpm, not npm."),
            ("Use pnpm, not npm, not.", "Use pnpm, not npm."),
            ("Use pnpm, not npm.", "When you install stuff use pnpm instead of npm."),
            ("Never use npm, use pnpm and delete files.", "Use pnpm, not npm, and never delete files."),
            (
                "Keep functions small, never prefer long names.",
                "Never keep functions small, prefer long names.",
            ),
            ("Run `make lint` after each commit.", "Run `make lint` before each commit."),
            ("Keep functions long.", "Keep functions small."),
            ("Write tests.", "Write tests first."),
            ("", "Use pnpm, not npm."),
        ] {
            assert!(!is_polish_of(new, rule), "{new} / {rule}");
        }
    }
}
