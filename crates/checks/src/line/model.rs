//! A line, taken apart: its code terms, its conditions, its directives.

use crate::text::pattern;

use super::code::{Code, CodeKind};

/// How a condition relates to the directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// "before …"
    Before,
    /// "after …", "once …", "at the end of …"
    After,
    /// "when …", "if …", "whenever …", "while …"
    When,
    /// "for …", "in …", "on …": where the directive holds.
    Within,
    /// "unless …", "except …", "only when …"
    Unless,
}

/// A condition of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct When {
    /// How it relates to the directive.
    pub relation: Relation,
    /// Its words; code terms stand as `§n§`.
    pub text: String,
}

/// One thing that a line says to do or not to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// Whether it is forbidden.
    pub negative: bool,
    /// The verb in its base form; empty for a statement of fact.
    pub verb: String,
    /// The rest; code terms stand as `§n§`.
    pub object: String,
    /// What is to be avoided for it ("instead of …", "over …", "not …").
    pub instead_of: Option<String>,
    /// What the statement was about, when the line states rather than orders.
    pub subject: Option<String>,
}

/// A line, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedLine {
    /// The line without list marks, with its code in backticks as written.
    pub text: String,
    /// The line in lower case with code terms masked as `§n§`.
    pub masked: String,
    /// The code terms, by number.
    pub codes: Vec<Code>,
    /// Its conditions.
    pub conditions: Vec<When>,
    /// Its directives.
    pub directives: Vec<Directive>,
    /// The headings that it stands under, outermost first.
    pub headings: Vec<String>,
}

pattern!(MASK, r"§(\d+)§");

impl ParsedLine {
    /// The code terms that a masked piece mentions.
    pub fn codes_in(&self, masked: &str) -> Vec<&Code> {
        MASK.find_all(masked)
            .iter()
            .filter_map(|found| found.as_str().trim_matches('§').parse::<usize>().ok())
            .filter_map(|number| self.codes.get(number))
            .collect()
    }

    /// A masked piece with its code written out again.
    pub fn unmask(&self, masked: &str) -> String {
        let mut text = masked.to_owned();
        for (number, code) in self.codes.iter().enumerate() {
            text = text.replace(&format!("§{number}§"), &code.text);
        }
        text
    }

    /// The words of a masked piece without its code.
    pub fn plain(masked: &str) -> String {
        let mut text = masked.to_owned();
        for found in MASK.find_all(masked) {
            text = text.replace(found.as_str(), " ");
        }
        text
    }

    /// Whether the masked line holds this word or phrase.
    pub fn says(&self, phrase: &str) -> bool {
        contains_phrase(&self.masked, phrase)
    }

    /// Whether the line holds any of these.
    pub fn says_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.says(phrase))
    }

    /// The code terms of a kind, asides last.
    pub fn codes_of(&self, kind: CodeKind) -> Vec<&Code> {
        let (asides, main): (Vec<&Code>, Vec<&Code>) =
            self.codes.iter().filter(|code| code.kind == kind).partition(|code| code.aside);
        main.into_iter().chain(asides).collect()
    }
}

/// Whether a phrase stands in a text as whole words. Asked hundreds of times a line, so that nothing is set up for the search.
pub(crate) fn contains_phrase(text: &str, phrase: &str) -> bool {
    let boundary = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    let stands_at = |at: usize| {
        let (head, tail) = text.split_at_checked(at)?;
        let behind = tail.strip_prefix(phrase)?;
        (boundary(head.chars().next_back()) && boundary(behind.chars().next())).then_some(())
    };
    let Some(first) = phrase.as_bytes().first() else { return false };
    let starts = text.bytes().enumerate().filter(|(_, byte)| byte == first);
    starts.into_iter().any(|(at, _)| stands_at(at).is_some())
}
