//! What stands in the text at a position, in a few words for a message.

use granit_parser::Span;
use subcortex_guard::Redactor;

/// The longest piece of a person's text that a message repeats, in characters.
const MAX_QUOTED_CHARS: usize = 60;
/// The longest reason that comes from elsewhere: a type's own check, or the library.
const MAX_REASON_CHARS: usize = 300;

/// How much of a text is looked at for a message, in bytes: more than any message repeats.
const MAX_LOOKED_AT_BYTES: usize = 4 * 1024;

/// A position, and what stands there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
    kind: Kind,
    start: usize,
    len_bytes: usize,
}

/// The kind of value at a place.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// `[a]` or `- a`.
    List,
    /// `{a: b}` or `a: b`.
    Mapping,
    /// Nothing behind the colon.
    Nothing,
    /// One value.
    Scalar,
}

impl Place {
    pub(crate) const BEGINNING: Place =
        Place { line: 1, column: 1, kind: Kind::Nothing, start: 0, len_bytes: 0 };

    /// Translates the library's position.
    pub(crate) fn new(span: &Span, kind: Kind) -> Place {
        let bytes = span.byte_range().unwrap_or_default();
        Place {
            line: span.start.line(),
            column: span.start.col() + 1,
            kind,
            start: bytes.start,
            len_bytes: bytes.len(),
        }
    }

    /// What stands here, as an alias elsewhere repeats it.
    pub(crate) fn used_at(self, alias: Place) -> Place {
        Place { line: alias.line, column: alias.column, ..self }
    }
}

/// The value at a place.
#[derive(Debug, PartialEq)]
pub(crate) enum Found<'a> {
    List,
    Mapping,
    Nothing,
    /// One value, as written.
    Scalar(&'a str),
}

impl<'a> Found<'a> {
    pub(crate) fn at(text: &'a str, place: Place) -> Found<'a> {
        match place.kind {
            Kind::List => Found::List,
            Kind::Mapping => Found::Mapping,
            Kind::Nothing => Found::Nothing,
            Kind::Scalar => {
                let written = text.get(place.start..place.start + place.len_bytes);
                Found::Scalar(written.unwrap_or_default().trim_end())
            }
        }
    }

    /// How a message names it: a number as it is, other text in backticks.
    pub(crate) fn describe(&self) -> String {
        match self {
            Found::List => "a list".into(),
            Found::Mapping => "a mapping".into(),
            Found::Nothing => "empty".into(),
            Found::Scalar(text) if is_number(text) => shorten(text),
            Found::Scalar(text) => quoted(text),
        }
    }
}

/// Whether a scalar reads as a number to a person, also one too large to store.
pub(crate) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    digits.starts_with(|first: char| first.is_ascii_digit()) && digits.replace('_', "").parse::<f64>().is_ok()
}

/// A person's text in backticks: on one line, without control characters, and not longer than a message
/// can bear.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", shorten(text))
}

/// The same without backticks.
pub(crate) fn shorten(text: &str) -> String {
    one_line(text, MAX_QUOTED_CHARS)
}

/// A reason as it may stand in a message: on one line, without control characters.
pub(crate) fn reason(text: &str) -> String {
    one_line(text, MAX_REASON_CHARS)
}

fn one_line(text: &str, max_chars: usize) -> String {
    let mut line = String::new();
    let clean = Redactor::new().front(text, MAX_LOOKED_AT_BYTES);
    let words = clean.split_whitespace().flat_map(|word| [" ", word]).skip(1);
    for (count, letter) in words.flat_map(str::chars).enumerate() {
        if count == max_chars {
            line.push('…');
            break;
        }
        if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}') {
            line.extend(letter.escape_unicode());
        } else {
            line.push(letter);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_repeats_no_secret() {
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
        assert_eq!(quoted(secret), "`[REDACTED:github-token]`");
        assert!(!reason(&format!("{} {secret}", "x".repeat(290))).contains("ghp_0"));
        assert_eq!(shorten("a\n b"), "a b");
    }
}
