//! Reads single fields out of a record without trusting the rest of it.
//!
//! A record is first split into raw fields; each is decoded only when somebody asks for it. A field of an
//! unexpected type then costs that field, not the record. Texts may hold half of a surrogate pair (agents cut
//! strings in the middle of an emoji); such halves become U+FFFD.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A field as it stands in the file; `None` if it is absent or null.
pub(crate) type Raw<'a> = Option<&'a RawValue>;

/// The text of a field that is a string.
pub(crate) fn text(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    let json = raw?.get();
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(json)
        .or_else(|_| serde_json::from_str(&without_lone_surrogates(json)))
        .ok()
        .map(Cow::Owned)
}

/// The text of a field that is a string with something in it.
pub(crate) fn filled(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    text(raw).filter(|text| !text.trim().is_empty())
}

/// Whether a field is `true`.
pub(crate) fn flag(raw: Raw<'_>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

/// A field as a value; what cannot be read (nesting without end) stays the text that it is.
pub(crate) fn value(raw: Raw<'_>) -> Value {
    let Some(json) = raw.map(RawValue::get) else { return Value::Null };
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
pub(crate) fn object<'a, T: Deserialize<'a> + Default>(raw: Raw<'a>) -> T {
    raw.filter(|raw| raw.get().starts_with('{'))
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

/// The elements of a field, if it is an array.
pub(crate) fn array(raw: Raw<'_>) -> Vec<&RawValue> {
    raw.filter(|raw| raw.get().starts_with('['))
        .and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

/// Replaces escapes of unpaired surrogates by the escape of U+FFFD. `\ud83d\ude00` stays.
fn without_lone_surrogates(json: &str) -> String {
    let bytes = json.as_bytes();
    let mut out = String::with_capacity(json.len());
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
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
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let code = u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (0xD800..=0xDFFF).contains(&code).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expect: Option<&str>) {
        let raw: &RawValue = serde_json::from_str(json).unwrap();
        assert_eq!(text(Some(raw)).as_deref(), expect, "{json}");
    }

    #[test]
    fn texts_are_decoded_and_other_types_are_none() {
        check(r#""plain""#, Some("plain"));
        check(r#""a\nb""#, Some("a\nb"));
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
