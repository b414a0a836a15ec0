//! What a text asks for or rules out, be it a rule that can be tested or not.

use crate::orders::is_order_word;
use crate::text::pattern;

use super::LONGEST_RULE_BYTES;
use super::cues;
use super::grammar;
use super::norm::{Norm, Polarity};
use super::project::Project;
use super::rules_file::without_mark;
use super::sentence::{Clause, Sentences};
use super::words::words;

/// Whether a line says to do or to leave something, rather than to tell how something is. `context` are its headings and parents, outermost
/// first.
pub fn instructs(line: &str, context: &[String]) -> bool {
    let sentences = Sentences::of(beginning(line), context, &Project::default());
    sentences.ask(&sentences.norms())
}

/// The words of a line that carry meaning, and whether any part of it forbids something.
pub(crate) fn words_and_side(line: &str) -> (Vec<String>, bool) {
    let line = beginning(line);
    let norms = Sentences::of(line, &[], &Project::default()).norms();
    (cues::content_stems(line), norms.iter().any(|norm| norm.polarity == Polarity::MustNot))
}

/// A line without its mark; of one that is a document, the beginning.
fn beginning(line: &str) -> &str {
    let end = line.floor_char_boundary(LONGEST_RULE_BYTES);
    without_mark(line.get(..end).unwrap_or(line))
}

impl Sentences {
    /// All that it says.
    pub(crate) fn norms(&self) -> Vec<Norm> {
        self.clauses.iter().flat_map(grammar::norms).collect()
    }

    /// Whether it asks for anything. `norms` are its own.
    pub(crate) fn ask(&self, norms: &[Norm]) -> bool {
        let asked_by = |clause: &Clause| {
            clause.forbids.is_some()
                || opens_order(&clause.text)
                || clause.labels.iter().any(|label| is_order(label))
        };
        !self.is_note() && (self.clauses.iter().any(asked_by) || norms.iter().any(asks))
    }
}

/// Whether a norm asks for something: by what it says, or because it names an occasion.
fn asks(norm: &Norm) -> bool {
    let orders = norm.polarity != Polarity::Must || !norm.act.is_empty() || norm.urged;
    !norm.stated && orders || !norm.when.is_empty()
}

/// Whether a clause begins with an order; of one that begins with a name, what is said of that tells.
fn opens_order(text: &str) -> bool {
    let said = NAMES.replace_all(text, "");
    // "Be kind": no verb of rules, and an order.
    let is_order = said.is_empty() || grammar::orders(&said) || text.starts_with("be ");
    // "Create/update the changelog".
    is_order || text.split_once('/').is_some_and(|(first, _)| is_order_word(first))
}

pattern!(NAMES, r"^(?:§\d+§[ ,/]*)+");

/// Whether a label is an order itself: "Follow layered design: …", and not "Test file names: …".
fn is_order(label: &str) -> bool {
    const LEAST_WORDS: usize = 3;
    let verb = label.split(' ').next().unwrap_or("");
    let is_thing = ["verify", "commit"].iter().any(|kind| words().is_act(verb, kind));
    label.split_whitespace().count() >= LEAST_WORDS && is_order_word(verb) && !is_thing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_is_told_from_a_description() {
        for line in [
            "Keep functions short.",
            "Be kind.",
            "Always retrieve documentation from the site.",
            "All unknown routes should redirect to `/projects`.",
            "For single-file tests, prefer `-e` over `tempDir`.",
            "Always follow the TDD cycle: red, green, refactor",
            "Create/update the changelog",
            "`any` is forbidden",
        ] {
            assert!(instructs(line, &[]), "{line}");
        }
        for line in [
            "The web client is written in React.",
            "`test/` — Vitest tests",
            "`*.test` matches any directory ending in .test",
            "Test file names: lower case",
        ] {
            assert!(!instructs(line, &[]), "{line}");
        }
        assert!(instructs("Hardcoded ports", &["Never".into()]));
    }

    #[test]
    fn of_a_line_that_is_a_document_only_the_beginning_is_read() {
        let long = format!("- Always run `make test` {}é never", "before you push and ".repeat(6_000));
        assert!(beginning(&long).len() <= LONGEST_RULE_BYTES && beginning(&long).starts_with("Always run"));
        assert!(!words_and_side(&long).1);
    }
}
