//! Quotes in all the spellings in which a text arrives: plain, escaped once or more (JSON in JSON), as HTML
//! or URL entities, and the curly ones of word processors.

use super::chars::{escapes_before, has_at, has_before, position};
use super::work;

/// The longest quoted value that is followed to its end, in bytes.
pub(super) const QUOTED_MAX_BYTES: usize = 16 * 1024;

/// The same for quotes that are not one character; many may open here without one that closes.
const SPELLED_MAX_BYTES: usize = 1024;

/// More backslashes than this do not open a quote: six levels of nesting.
const ESCAPES_MAX: usize = 63;

/// Spellings other than the plain characters: how it opens and how it closes.
const SPELLED: &[(&str, &str)] = &[
    ("&quot;", "&quot;"),
    ("&#34;", "&#34;"),
    ("&#39;", "&#39;"),
    ("%22", "%22"),
    ("%27", "%27"),
    ("\\u0022", "\\u0022"),
    ("\\u0027", "\\u0027"),
    ("“", "”"),
    ("‘", "’"),
    ("„", "“"),
    ("«", "»"),
];

/// A quote that has been opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// One of `"`, `'` and the backtick, behind `escapes` backslashes, `times` in a row.
    Plain { mark: u8, escapes: usize, times: usize },
    /// Something longer, see `SPELLED`.
    Spelled { open: &'static str, close: &'static str },
}

impl Quote {
    /// The quote that begins at `at`.
    pub(super) fn at(bytes: &[u8], at: usize) -> Option<Self> {
        let rest = bytes.get(at..)?;
        let escapes = rest.iter().take(ESCAPES_MAX).take_while(|byte| **byte == b'\\').count();
        match rest.get(escapes) {
            Some(&mark @ (b'"' | b'\'' | b'`')) => {
                let is_triple = escapes == 0 && mark != b'`' && rest.starts_with(&[mark; 3]);
                Some(Self::Plain { mark, escapes, times: if is_triple { 3 } else { 1 } })
            }
            _ => SPELLED
                .iter()
                .find(|(open, _)| rest.starts_with(open.as_bytes()))
                .map(|(open, close)| Self::Spelled { open, close }),
        }
    }

    /// The quote that stands right before `end`.
    pub(super) fn before(bytes: &[u8], end: usize) -> Option<Self> {
        match bytes.get(end.checked_sub(1)?)? {
            &mark @ (b'"' | b'\'' | b'`') => {
                Some(Self::Plain { mark, escapes: escapes_before(bytes, end - 1), times: 1 })
            }
            _ => SPELLED
                .iter()
                .find(|(open, _)| has_before(bytes, end, open.as_bytes()))
                .map(|(open, close)| Self::Spelled { open, close }),
        }
    }

    /// The length of the opening quote.
    pub(super) fn open_len(self) -> usize {
        match self {
            Self::Plain { escapes, times, .. } => escapes + times,
            Self::Spelled { open, .. } => open.len(),
        }
    }

    /// The length of the closing quote, if it stands at `at`.
    pub(super) fn closes_at(self, bytes: &[u8], at: usize) -> Option<usize> {
        match self {
            Self::Plain { mark, escapes, .. } => {
                let found =
                    bytes.get(at..)?.iter().take(ESCAPES_MAX).take_while(|byte| **byte == b'\\').count();
                (found == escapes && bytes.get(at + found) == Some(&mark)).then_some(found + 1)
            }
            Self::Spelled { close, .. } => has_at(bytes, at, close.as_bytes()).then_some(close.len()),
        }
    }

    /// Where the quoted text that begins at `start` ends; `None` if it is not closed within the limit.
    pub(super) fn end(self, bytes: &[u8], start: usize) -> Option<usize> {
        self.end_before(bytes, start, bytes.len())
    }

    /// As [`Quote::end`], if it is closed before `limit`.
    pub(super) fn end_before(self, bytes: &[u8], start: usize, limit: usize) -> Option<usize> {
        let max_bytes = match self {
            Self::Plain { .. } => QUOTED_MAX_BYTES,
            Self::Spelled { .. } => SPELLED_MAX_BYTES,
        };
        let limit = bytes.len().min(limit).min(start.saturating_add(max_bytes));
        let window = bytes.get(start..limit)?;
        let end = match self {
            Self::Spelled { close, .. } => position(window, close.as_bytes()),
            Self::Plain { mark, times: 3, .. } => position(window, &[mark; 3]),
            Self::Plain { mark, escapes, .. } => memchr::memchr_iter(mark, window).find_map(|at| {
                let before = escapes_before(bytes, start + at).min(at);
                closing_escapes(before, escapes).map(|own| at - own)
            }),
        };
        work::note(end.unwrap_or(window.len()));
        let around =
            if self.is_double() { None } else { end_of_text_around(&window[..end.unwrap_or(window.len())]) };
        around.or(end).map(|at| start + at)
    }

    /// Whether the text may go on over lines.
    pub(super) fn is_triple(self) -> bool {
        matches!(self, Self::Plain { times: 3, .. })
    }

    fn is_double(self) -> bool {
        matches!(self, Self::Plain { mark: b'"', .. })
    }
}

/// Where a JSON string ends in which the quotes stand: at a `"` that something of JSON follows.
fn end_of_text_around(window: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'"', window).find(|&at| {
        let next = window.get(at + 1);
        escapes_before(window, at).is_multiple_of(2) && next.is_some_and(|byte| b",:}]".contains(byte))
    })
}

/// How many of `found` backslashes belong to the closing quote of a text that was opened behind `opened`, or
/// of a text around it. Each level of nesting doubles the backslashes and adds one, so a quote of level `n`
/// has `2^n - 1` of its own, behind a multiple of `2^(n+1)` that belong to escaped backslashes.
fn closing_escapes(found: usize, opened: usize) -> Option<usize> {
    let level = (opened + 1).ilog2();
    (0..=level).rev().map(|level| (1 << level) - 1).find(|own| found % (2 * (own + 1)) == *own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<&str>) {
        let quote = Quote::at(text.as_bytes(), 0).unwrap();
        let start = quote.open_len();
        let inner = quote.end(text.as_bytes(), start).map(|end| &text[start..end]);
        assert_eq!(inner, expect, "{text}");
    }

    #[test]
    fn quotes_close_at_their_own_level() {
        check(r#""abc" x"#, Some("abc"));
        check(r#""a\"b" x"#, Some(r#"a\"b"#));
        check(r#""a\\" x""#, Some(r"a\\"));
        check(r#"\"abc\" x"#, Some("abc"));
        check(r#"\"a\\\"b\" x"#, Some(r#"a\\\"b"#));
        check(r#"\\\"abc\\\" x"#, Some("abc"));
        check("'it' x", Some("it"));
        check("'open", None);
    }

    #[test]
    fn the_end_of_the_text_around_ends_the_value_too() {
        check(r#"\"cut" x"#, Some("cut"));
        check(r#"\"cut\\" x"#, Some(r"cut\\"));
    }

    #[test]
    fn other_spellings_are_quotes_as_well() {
        check("&quot;abc&quot;", Some("abc"));
        check("%22abc%22", Some("abc"));
        check("“abc”", Some("abc"));
        check("“abc\", x ”", Some("abc"));
        check("'abc\",\"k\":'", Some("abc"));
        check("'a\"bc'", Some("a\"bc"));
        check("\"\"\"a\"b\"\"\"", Some("a\"b"));
    }

    #[test]
    fn a_quote_is_recognised_from_behind() {
        let text = r#"{\"key\": 1}"#.as_bytes();
        let quote = Quote::before(text, 3).unwrap();
        assert_eq!(quote, Quote::Plain { mark: b'"', escapes: 1, times: 1 });
        assert_eq!(quote.closes_at(text, 6), Some(2));
    }
}
