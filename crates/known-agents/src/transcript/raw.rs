//! Reads single fields out of a record without trusting the rest of it.
//!
//! A record is first split into raw fields; each is decoded only when somebody asks for it. A field of an
//! unexpected type then costs that field, not the record. Texts may hold half of a surrogate pair (agents cut
//! strings in the middle of an emoji); such halves become U+FFFD.

use std::borrow::Cow;
use std::collections::BTreeMap;

use memchr::memchr;
use serde_json::Value;

use super::json::{Fields, Piece};

/// A field as it stands in the file; `None` if it is absent or null.
pub(crate) type Raw<'a> = Option<Piece<'a>>;

/// A line as a text. Bytes that are no UTF-8 become U+FFFD.
pub(crate) fn line(bytes: &[u8]) -> Cow<'_, str> {
    // A check of the whole is quicker than the search for what has to be replaced.
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// The text of a field that is a string.
pub(crate) fn text(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    Some(match raw?.without_escapes()? {
        Ok(inner) => Cow::Borrowed(inner),
        Err(escaped) => Cow::Owned(decoded(escaped)),
    })
}

/// A string without its escapes. One that is none stands for its mark.
pub(crate) fn decoded(mut escaped: &str) -> String {
    let mut text = String::with_capacity(escaped.len());
    while let Some(at) = memchr(b'\\', escaped.as_bytes()) {
        let (before, escape) = escaped.split_at(at);
        text.push_str(before);
        let (decoded, length) = match escape.as_bytes().get(1) {
            Some(b'n') => ('\n', 2),
            Some(b't') => ('\t', 2),
            Some(b'r') => ('\r', 2),
            Some(b'b') => ('\u{8}', 2),
            Some(b'f') => ('\u{c}', 2),
            Some(b'u') => by_code(escape.as_bytes()),
            Some(mark) => (char::from(*mark), 2),
            None => break,
        };
        text.push(decoded);
        escaped = escape.get(length..).unwrap_or_default();
    }
    text.push_str(escaped);
    text
}

/// The character whose code an escape holds, and how long the escape is. Half of a surrogate pair is U+FFFD.
fn by_code(escape: &[u8]) -> (char, usize) {
    match (code_at(escape, 0), code_at(escape, 6)) {
        (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) => {
            let code = 0x1_0000 + (u32::from(high - 0xD800) << 10) + u32::from(low - 0xDC00);
            (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
        }
        (code, _) => {
            (code.and_then(|code| char::from_u32(code.into())).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
        }
    }
}

/// The text of a field that is a string with something in it.
pub(crate) fn filled(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    text(raw).filter(|text| !text.trim().is_empty())
}

/// All fields of an object by their names; none if it is no object. One that is null is there and has no value, and one that comes
/// twice has no name that anybody knows.
pub(crate) fn all_fields(raw: Raw<'_>) -> BTreeMap<String, Raw<'_>> {
    let mut found = BTreeMap::new();
    for (key, value) in raw.and_then(Piece::entries).into_iter().flatten() {
        let mut name = key.decoded().map_or_else(|| key.get().to_owned(), Cow::into_owned);
        while found.contains_key(&name) {
            name.push_str(" again");
        }
        found.insert(name, (value.get() != "null").then_some(value));
    }
    found
}

/// Whether a field is `true`.
pub(crate) fn flag(raw: Raw<'_>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

/// A field as a value; what cannot be read (nesting without end) stays the text that it is.
pub(crate) fn value(raw: Raw<'_>) -> Value {
    let Some(json) = raw.map(Piece::get) else { return Value::Null };
    serde_json::from_str(json)
        .or_else(|_| serde_json::from_str(&without_lone_surrogates(json)))
        .unwrap_or_else(|_| Value::String(json.to_owned()))
}

/// What agent programs write as JSON: bytes that are no UTF-8 and halves of surrogate pairs become U+FFFD.
pub fn lenient_json(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let text = String::from_utf8_lossy(bytes);
    serde_json::from_str(&text)
        .or_else(|error| serde_json::from_str(&without_lone_surrogates(&text)).map_err(|_| error))
}

/// A field split into fields of its own, if it is an object.
pub(crate) fn object<'a, T: Fields<'a>>(raw: Raw<'a>) -> T {
    raw.and_then(Piece::object).unwrap_or_default()
}

/// The elements of a field, if it is an array.
pub(crate) fn array(raw: Raw<'_>) -> Vec<Piece<'_>> {
    raw.and_then(Piece::elements).into_iter().flatten().collect()
}

/// Replaces escapes of unpaired surrogates by the escape of U+FFFD. `\ud83d\ude00` stays.
fn without_lone_surrogates(json: &str) -> String {
    let bytes = json.as_bytes();
    let mut out = String::with_capacity(json.len());
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = memchr(b'\\', &bytes[at..]) {
        let escape = at + found;
        match (surrogate_at(bytes, escape), surrogate_at(bytes, escape + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at = escape + 12,
            (Some(_), _) => {
                out.push_str(&json[copied..escape]);
                out.push_str("\\ufffd");
                at = escape + 6;
                copied = at;
            }
            (None, _) => at = bytes.len().min(escape + 2),
        }
    }
    out.push_str(&json[copied..]);
    out
}

/// The code of the surrogate whose escape starts at `at`.
fn surrogate_at(bytes: &[u8], at: usize) -> Option<u16> {
    code_at(bytes, at).filter(|code| (0xD800..=0xDFFF).contains(code))
}

/// The code that an escape holds which starts at `at`.
fn code_at(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::json::Json;

    #[track_caller]
    fn check(json: &str, expect: Option<&str>) {
        let parsed = Json::parse(json).unwrap();
        assert_eq!(text(Some(parsed.root())).as_deref(), expect, "{json}");
    }

    #[test]
    fn texts_are_decoded_and_other_types_are_none() {
        check(r#""plain""#, Some("plain"));
        check(r#""a\nb""#, Some("a\nb"));
        check(r#""\b\f\n\r\t\/\\\"\u00e4\u20AC.""#, Some("\u{8}\u{c}\n\r\t/\\\"ä€."));
        check(r#""\ud83d\ude00!""#, Some("😀!"));
        check("7", None);
        check("{}", None);
    }

    #[test]
    fn half_a_surrogate_pair_costs_one_character() {
        check(r#""cut \ud83d""#, Some("cut \u{fffd}"));
        check(r#""\ude00 \ud83d\ude00 \\ud83d""#, Some("\u{fffd} 😀 \\ud83d"));
        check(r#""\ud83d\ud83d\ude00""#, Some("\u{fffd}😀"));
    }
}
