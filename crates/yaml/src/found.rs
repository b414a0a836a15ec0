//! What stands in the text at a position, in a few words for a message.

use serde_yaml::Location;

/// The longest piece of a person's text that a message repeats, in characters.
const MAX_QUOTED_CHARS: usize = 60;
/// The longest reason that comes from elsewhere: a type's own check, or the library.
const MAX_REASON_CHARS: usize = 300;

/// A position and the stretch of text that it names.
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
    start: Option<usize>,
    len_bytes: usize,
}

impl Place {
    /// Translates the library's position; `None` if it has none.
    pub(crate) fn from_library(location: Location) -> Option<Place> {
        if location == Location::UNKNOWN {
            return None;
        }
        let byte = |number: Option<u64>| number.and_then(|number| usize::try_from(number).ok());
        Some(Place {
            line: usize::try_from(location.line()).ok()?,
            column: usize::try_from(location.column()).ok()?,
            start: byte(location.span().byte_offset()),
            len_bytes: byte(location.span().byte_len()).unwrap_or(0),
        })
    }

    /// The same position, without a claim about what stands there.
    pub(crate) fn without_text(self) -> Place {
        Place { start: None, ..self }
    }
}

/// The value at a place.
#[derive(Debug, PartialEq)]
pub(crate) enum Found<'a> {
    /// `[a]` or `- a`.
    List,
    /// `{a: b}` or `a: b`.
    Mapping,
    /// Nothing behind the colon.
    Nothing,
    /// One value, as written.
    Scalar(&'a str),
    /// The place names no text.
    Unknown,
}

impl<'a> Found<'a> {
    /// Looks at the text. The library gives the length 0 to a list or mapping without brackets, and to a
    /// missing value the position of the colon, so the first characters decide.
    pub(crate) fn at(text: &'a str, place: &Place) -> Found<'a> {
        let Some(rest) = place.start.and_then(|start| text.get(start..)) else { return Found::Unknown };
        let line = rest.lines().next().unwrap_or_default().trim();
        match rest.get(..place.len_bytes) {
            _ if rest.starts_with('[') => Found::List,
            _ if rest.starts_with('{') => Found::Mapping,
            Some("") if is_blank(line.strip_prefix(':').unwrap_or(line)) => Found::Nothing,
            Some("") if line == "-" || line.starts_with("- ") => Found::List,
            Some("") => Found::Mapping,
            Some(scalar) => Found::Scalar(scalar.trim_end()),
            None => Found::Unknown,
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
            Found::Unknown => "something else".into(),
        }
    }
}

/// Whether the rest of a line holds no value.
fn is_blank(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.is_empty() || rest.starts_with('#')
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
    let words = text.split_whitespace().flat_map(|word| [" ", word]).skip(1);
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
