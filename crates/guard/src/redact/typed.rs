//! What a test of a page types into a field for a password: `cy.get("#password").type("…")`, `page.fill("#password", "…")`.

use std::ops::Range;

use super::assignment::judged;
use super::chars::{Class, contains, skip_blanks};
use super::extent::quoted_value;
use super::judge::Join;
use super::names::PASSWORD;
use super::quote::Quote;
use super::span::Span;
use super::work;

/// What types into a field: anchors.
pub(super) const ACTIONS: &[&str] = &[
    ".fill(",
    ".type(",
    "send_keys(",
    "sendkeys(",
    "setvalue(",
    "set_value(",
    "entertext(",
    "typetext(",
    "inputtext(",
    "fill_in(",
    "fill_in ",
];
/// How far before an action its field may be named, in bytes.
const FIELD_MAX_BYTES: usize = 160;
/// The longest description of a field among the arguments, in bytes.
const ARGUMENT_MAX_BYTES: usize = 120;
/// What a field for a password is called.
const FIELDS: &[&str] = &["passw", "pwd", "passphrase", "passcode", "kennwort"];

/// Looks at the arguments of the action at `hit`.
pub(super) fn find(bytes: &[u8], hit: &Range<usize>) -> Option<Span> {
    let first = skip_blanks(bytes, hit.end, 8);
    match field_argument(bytes, first) {
        Some(behind) => typed(bytes, skip_blanks(bytes, behind, 40)),
        None => names_password(field_before(bytes, hit.start)).then(|| typed(bytes, first))?,
    }
}

/// The position behind the first argument and its comma, if it names a field for a password and another one follows.
fn field_argument(bytes: &[u8], at: usize) -> Option<usize> {
    let window = &bytes[at..bytes.len().min(at + ARGUMENT_MAX_BYTES)];
    work::note(window.len());
    let len = match Quote::at(bytes, at) {
        Some(quote) => {
            let end = quote.end_before(bytes, at + quote.open_len(), at + window.len())?;
            end + quote.closes_at(bytes, end)? - at
        }
        None => window.iter().position(|byte| matches!(byte, b',' | b'\n'))?,
    };
    let behind = at + len;
    (bytes.get(behind) == Some(&b',') && names_password(&window[..len])).then_some(())?;
    let next = skip_blanks(bytes, behind + 1, 40);
    // `fill_in "Password", with: "…"`
    Some(if bytes[next..].starts_with(b"with:") { next + b"with:".len() } else { next })
}

/// What stands before an action on its line, back to the last one.
fn field_before(bytes: &[u8], end: usize) -> &[u8] {
    let window = &bytes[end.saturating_sub(FIELD_MAX_BYTES)..end];
    work::note(window.len());
    let line = window.rsplit(|byte| matches!(byte, b'\n' | b';')).next().unwrap_or_default();
    let last = ACTIONS.iter().filter_map(|action| memchr::memmem::rfind(line, action.as_bytes())).max();
    &line[last.unwrap_or(0)..]
}

fn names_password(text: &[u8]) -> bool {
    let small = text.to_ascii_lowercase();
    FIELDS.iter().any(|field| contains(&small, field.as_bytes()))
}

fn typed(bytes: &[u8], at: usize) -> Option<Span> {
    let quote = Quote::at(bytes, at)?;
    let value = quoted_value(bytes, at, quote)?;
    let is_key = bytes.get(value.start) == Some(&b'{') || Class::UPPER.has_all(&bytes[value.clone()]);
    (!is_key).then(|| judged(bytes, value, PASSWORD, Join::Loose, /*is_quoted*/ true))?
}
