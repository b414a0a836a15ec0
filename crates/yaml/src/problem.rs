//! One thing that is wrong with a text, in words for the person who wrote it.

use std::fmt;

use crate::found::{Found, Place};
use crate::nearest::nearest;
use crate::read::Document;

/// What is wrong, where, why, and what to do about it. Lines and columns count from 1; columns count
/// characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line, if the problem has a place.
    pub line: Option<usize>,
    /// The column in that line.
    pub column: Option<usize>,
    /// What is there: `unknown key `cooldown``, `cadence.interval_ms is 10`.
    pub what: String,
    /// What should be there instead, as the end of a sentence: `it must be at least 1000`.
    pub why: Option<String>,
    /// What to do, as an instruction.
    pub hint: Option<String>,
    /// The key, if that is what nobody knows here: for callers who can say where it belongs.
    pub unknown_key: Option<Box<str>>,
}

impl Problem {
    /// A problem without a place, a reason or a hint yet.
    pub fn new(what: impl Into<String>) -> Problem {
        Problem { line: None, column: None, what: what.into(), why: None, hint: None, unknown_key: None }
    }

    /// A problem with the value of one key of a text that was read without complaint: for checks that
    /// hold one key against another. `path` names the key from the top, as in `spine.retention_days`.
    pub fn with_key(text: &str, path: &str, why: impl Into<String>) -> Problem {
        let document = Document::parse(text).ok();
        let Some(value) = document.as_ref().and_then(|document| document.root().below(path)) else {
            return Problem::new(format!("{path} is not set")).because(why);
        };
        Problem::new(format!("{path} is {}", Found::at(text, value.place).describe()))
            .because(why)
            .at_place(value.place)
    }

    /// A problem with the value of one key, which is none of the words that are known.
    pub fn with_word(text: &str, path: &str, word: &str, known: &[&'static str]) -> Problem {
        let problem = Problem::with_key(text, path, format!("it must be one of {}", known.join(", ")));
        match nearest(word, known) {
            Some(near) => problem.hinting(format!("did you mean `{near}`?")),
            None => problem,
        }
    }

    /// Adds the reason.
    pub fn because(mut self, why: impl Into<String>) -> Problem {
        self.why = Some(why.into());
        self
    }

    /// Adds a hint.
    pub fn hinting(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(hint.into());
        self
    }

    /// Sets the place.
    pub fn on(mut self, line: usize, column: usize) -> Problem {
        (self.line, self.column) = (Some(line), Some(column));
        self
    }

    pub(crate) fn at_place(self, place: Place) -> Problem {
        self.on(place.line, place.column)
    }

    /// Moves the place down, for a text that is a part of a larger one.
    pub(crate) fn below(mut self, lines: usize) -> Problem {
        self.line = self.line.map(|line| line.saturating_add(lines));
        self
    }

    /// The whole message, with the file's name: one line, and a second one for the hint.
    ///
    /// ```
    /// let problem = subcortex_yaml::Problem::new("unknown key `cooldown`").on(4, 3);
    /// assert_eq!(problem.at("notes/CLAUDE.md"), "unknown key `cooldown` at notes/CLAUDE.md:4:3");
    /// ```
    pub fn at(&self, file: &str) -> String {
        self.sentence(match (self.line, self.column) {
            (Some(line), Some(column)) => format!(" at {file}:{line}:{column}"),
            (Some(line), None) => format!(" at {file}:{line}"),
            (None, _) => format!(" in {file}"),
        })
    }

    fn sentence(&self, place: String) -> String {
        let mut text = format!("{}{place}", self.what);
        if let Some(why) = &self.why {
            text.push_str(", but ");
            text.push_str(why);
        }
        if let Some(hint) = &self.hint {
            text.push_str("\nhint: ");
            text.push_str(hint);
        }
        text
    }
}

impl fmt::Display for Problem {
    /// The message without a file's name; prefer [`Problem::at`] where the file is known.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.sentence(match (self.line, self.column) {
            (Some(line), Some(column)) => format!(" at line {line}, column {column}"),
            (Some(line), None) => format!(" at line {line}"),
            (None, _) => String::new(),
        }))
    }
}

impl std::error::Error for Problem {}
