//! Settings in XML, property lists and HTML whose name is no element: `<entry key="db.password">…</entry>`,
//! `<key>Password</key><string>…</string>`, `<input type="password" value="…">`.

use std::ops::Range;

use super::assignment::{NameAt, judged};
use super::chars::{has_at, has_before, position};
use super::judge::Join;
use super::names::SecretName;
use super::quote::Quote;
use super::span::Span;

/// The longest tag that is looked at, in bytes.
const TAG_MAX_BYTES: usize = 200;
/// The longest value of an element, in bytes.
const VALUE_MAX_BYTES: usize = 512;
/// How many blanks may stand between two elements, in bytes.
const GAP_MAX_BYTES: usize = 64;

/// The value that belongs to a name in a tag or in an element for names.
pub(super) fn find(bytes: &[u8], name: NameAt, secret: SecretName) -> Option<Span> {
    if has_before(bytes, name.start, b"<key>") && has_at(bytes, name.end, b"</key>") {
        return next_element(bytes, name.end + b"</key>".len(), secret);
    }
    let quote = Quote::before(bytes, name.start)?;
    quote.closes_at(bytes, name.end)?;
    let tag = tag_around(bytes, name)?;
    if has_before(bytes, name.start - quote.open_len(), b" type=") {
        return attribute(bytes, tag, secret);
    }
    let is_name = [&b" name="[..], b" key="]
        .iter()
        .any(|field| has_before(bytes, name.start - quote.open_len(), field));
    let is_closed = bytes.get(tag.end.wrapping_sub(1)) == Some(&b'/');
    (is_name && !is_closed).then(|| element(bytes, tag.end + 1, secret))?
}

/// The tag that a name stands in, between `<` and `>`.
fn tag_around(bytes: &[u8], name: NameAt) -> Option<Range<usize>> {
    let from = name.start.saturating_sub(TAG_MAX_BYTES);
    let start = from + bytes[from..name.start].iter().rposition(|byte| matches!(byte, b'<' | b'>'))?;
    let window = &bytes[name.end..bytes.len().min(name.end + TAG_MAX_BYTES)];
    let end = name.end + window.iter().position(|byte| matches!(byte, b'<' | b'>' | b'\n'))?;
    (bytes[start] == b'<' && bytes[end] == b'>').then_some(start + 1..end)
}

/// `value="…"` of an input.
fn attribute(bytes: &[u8], tag: Range<usize>, secret: SecretName) -> Option<Span> {
    has_at(bytes, tag.start, b"input").then_some(())?;
    let at = tag.start + position(&bytes[tag.clone()], b" value=")? + b" value=".len();
    let quote = Quote::at(bytes, at)?;
    let start = at + quote.open_len();
    let end = quote.end_before(bytes, start, tag.end)?;
    judged(bytes, start..end, secret, Join::Json, /*is_quoted*/ true)
}

/// What stands in an element, up to its end.
fn element(bytes: &[u8], start: usize, secret: SecretName) -> Option<Span> {
    let window = bytes.get(start..bytes.len().min(start + VALUE_MAX_BYTES))?;
    let end = start + memchr::memchr(b'<', window)?;
    has_at(bytes, end, b"</").then_some(())?;
    judged(bytes, start..end, secret, Join::Element, /*is_quoted*/ false)
}

/// The element behind the one with the name.
fn next_element(bytes: &[u8], at: usize, secret: SecretName) -> Option<Span> {
    let window = &bytes[at..bytes.len().min(at + GAP_MAX_BYTES)];
    let gap = window.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    has_at(bytes, at + gap, b"<string>").then(|| element(bytes, at + gap + b"<string>".len(), secret))?
}
