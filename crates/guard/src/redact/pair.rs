//! A telling name that is itself a value: `name: DB_PASSWORD`, and `value: …` beside it.

use super::assignment::{NameAt, judged};
use super::chars::{Class, has_at, skip_blanks};
use super::extent::{JUDGED_MAX_BYTES, bare_value, quoted_value};
use super::judge::Join;
use super::names::SecretName;
use super::operator::operator_after;
use super::quote::Quote;
use super::span::Span;

/// How far behind the name its value may be announced, in bytes.
const DISTANCE_MAX_BYTES: usize = 120;

/// What a name is announced with.
const NAME_FIELDS: &[&str] = &["name", "key", "variable", "field", "property", "id", "ParameterKey"];
/// What its value is announced with.
const VALUE_FIELDS: &[&str] = &["value", "val", "default", "content", "current", "ParameterValue"];

/// Whether a name stands behind `name:`, `"key":` or `name=`.
pub(super) fn is_value_of_a_name(bytes: &[u8], name: NameAt) -> bool {
    let mut at = name.start - Quote::before(bytes, name.start).map_or(0, Quote::open_len).min(name.start);
    let blank = |byte: u8| matches!(byte, b' ' | b'\t');
    while at > 0 && name.start - at < 8 && blank(bytes[at - 1]) {
        at -= 1;
    }
    if at == 0 || !matches!(bytes[at - 1], b':' | b'=') {
        return false;
    }
    at -= 1;
    at -= Quote::before(bytes, at).map_or(0, Quote::open_len).min(at);
    let start = Class::LETTER.run_start(bytes, at, 12);
    NAME_FIELDS.iter().any(|field| field.as_bytes().eq_ignore_ascii_case(&bytes[start..at]))
}

/// Looks for `value:` or `value=` behind the name.
pub(super) fn find(bytes: &[u8], name: NameAt, secret: SecretName) -> Option<Span> {
    let limit = bytes.len().min(name.end + DISTANCE_MAX_BYTES);
    let field = (name.end..limit).find_map(|at| {
        let begins = !Class::WORD.has(bytes[at - 1]);
        let field = VALUE_FIELDS.iter().find(|field| begins && has_at(bytes, at, field.as_bytes()))?;
        let end = at + field.len();
        (!bytes.get(end).is_some_and(|byte| Class::WORD.has(*byte))).then_some((at, end))
    })?;
    // A closing brace between the two means that they belong to different things.
    if bytes[name.end..field.0].contains(&b'}') {
        return None;
    }
    let at = operator_after(bytes, field.0, field.1)?.value_at;
    let at = skip_blanks(bytes, at, 8);
    match Quote::at(bytes, at) {
        Some(quote) => {
            judged(bytes, quoted_value(bytes, at, quote)?, secret, Join::Json, /*is_quoted*/ true)
        }
        None => judged(
            bytes,
            bare_value(bytes, at, Join::Line, JUDGED_MAX_BYTES),
            secret,
            Join::Line,
            /*is_quoted*/ false,
        ),
    }
}
