//! A telling name that is itself a value, and its value beside it: `name: DB_PASSWORD` and `value: …` in either order, a field
//! of a form, an entry of XML, a property list or a page.

use std::ops::Range;

use super::assignment::judged;
use super::chars::{Class, contains, has_at, has_before, position, skip_blanks, skip_blanks_back};
use super::extent::{JUDGED_MAX_BYTES, bare_value, quoted_value};
use super::judge::Join;
use super::name_at::NameAt;
use super::names::SecretName;
use super::operator::{Operator, operator_after, skip_element};
use super::placeholder::Words;
use super::quote::Quote;
use super::span::Span;
use super::vocabulary::{LABEL_FIELDS, NAME_FIELDS, VALUE_FIELDS};
use super::work;

/// How far from the name its value may be announced, in bytes.
const DISTANCE_MAX_BYTES: usize = 200;
/// The longest word that announces one, in bytes.
const FIELD_MAX_BYTES: usize = 24;
/// How much may stand between the name of a part of a form and its value, in bytes.
const PART_HEAD_MAX_BYTES: usize = 160;
/// The longest tag that is looked at, in bytes.
const TAG_MAX_BYTES: usize = 200;
/// The longest value of an element, in bytes.
const ELEMENT_MAX_BYTES: usize = 512;
/// How many blanks may stand between two elements, in bytes.
const GAP_MAX_BYTES: usize = 64;
/// Elements that hold a name, and whether the next one is surely its value.
const NAME_ELEMENTS: &[(&str, Join)] = &[
    ("<key>", Join::Element),
    ("<name>", Join::Element),
    ("<dt>", Join::Prose),
    ("<th>", Join::Prose),
    ("<td>", Join::Prose),
];

/// Whether a field says what another one is called: `name`, `Key`, `env_name`, `ParameterKey`.
pub(super) fn is_name_field(field: &[u8]) -> bool {
    last_word(field).is_some_and(|word| NAME_FIELDS.has(word))
}

/// Whether a field holds what another one names: `value`, `Value`, `newValue`, `ParameterValue`.
pub(super) fn is_value_field(field: &[u8]) -> bool {
    last_word(field).is_some_and(|word| VALUE_FIELDS.has(word))
}

fn last_word(field: &[u8]) -> Option<&[u8]> {
    (field.len() <= FIELD_MAX_BYTES).then(|| Words::of(field).last())?
}

/// Whether a name stands behind `name:`, `"key":` or `name=`.
pub(super) fn is_value_of_a_name(bytes: &[u8], name: NameAt) -> bool {
    let quoted = name.start - Quote::before(bytes, name.start).map_or(0, Quote::open_len).min(name.start);
    let sign = skip_blanks_back(bytes, quoted, 8);
    if sign == 0 || !matches!(bytes[sign - 1], b':' | b'=') {
        return false;
    }
    let end = skip_blanks_back(bytes, sign - 1, 8);
    let end = end - Quote::before(bytes, end).map_or(0, Quote::open_len).min(end);
    let field = &bytes[Class::WORD.run_start(bytes, end, FIELD_MAX_BYTES)..end];
    is_name_field(field) || LABEL_FIELDS.has(field)
}

/// The value that stands behind the name, or before it in the same entry.
pub(super) fn find(bytes: &[u8], name: NameAt, secret: SecretName) -> Option<Span> {
    if is_part_of_form(bytes, name) {
        return judged(bytes, part_of_form(bytes, name)?, secret, Join::Json, /*is_quoted*/ true);
    }
    let at = value_in(bytes, entry_behind(bytes, name.end))
        .or_else(|| value_in(bytes, entry_before(bytes, name.start)))?;
    let (value, join, is_quoted) = match Quote::at(bytes, at) {
        Some(quote) => (quoted_value(bytes, at, quote)?, Join::Json, true),
        None => (bare_value(bytes, at, Join::Line, JUDGED_MAX_BYTES), Join::Line, false),
    };
    // A text in which the name stands, up to the name or beyond it, is none beside it.
    let between = &bytes[value.end.min(name.start)..name.start];
    let is_around = value.start < name.start && between.iter().all(|byte| b"\\\"'".contains(byte));
    (!is_around).then(|| judged(bytes, value, secret, join, is_quoted))?
}

/// What follows a name in its entry: up to a closing brace or the next item of a list.
fn entry_behind(bytes: &[u8], start: usize) -> Range<usize> {
    let limit = bytes.len().min(start + DISTANCE_MAX_BYTES);
    let end = (start..limit).find(|&at| bytes[at] == b'}' || begins_item(bytes, at)).unwrap_or(limit);
    start..end
}

/// What stands before a name in its entry.
fn entry_before(bytes: &[u8], end: usize) -> Range<usize> {
    let limit = end.saturating_sub(DISTANCE_MAX_BYTES);
    let ends = |at: &usize| {
        b"{}[]<>".contains(&bytes[*at]) || begins_item(bytes, *at) || has_at(bytes, *at, b"\n\n")
    };
    (limit..end).rev().find(ends).unwrap_or(limit)..end
}

/// Whether the next line is an item of a list, also one that a diff takes away. Such a diff indents what belongs to it.
fn begins_item(bytes: &[u8], at: usize) -> bool {
    let item = || &bytes[skip_blanks(bytes, at + 1, 40)..];
    bytes[at] == b'\n'
        && matches!(item(), [b'-', b' ', next, ..] | [b'-', b'-', b' ', next, ..] if *next != b' ')
}

/// Where the value begins that is announced in a part of the text.
fn value_in(bytes: &[u8], part: Range<usize>) -> Option<usize> {
    work::note(part.len());
    let mut at = part.start;
    while at < part.end {
        let end = Class::WORD.run_end(bytes, at, DISTANCE_MAX_BYTES);
        if end > at && is_value_field(&bytes[at..end]) {
            let joined = operator_after(bytes, at, end);
            let is_joined =
                |operator| matches!(operator, Operator::Colon | Operator::Equals | Operator::Arrow);
            if let Some(joined) =
                joined.filter(|joined| is_joined(joined.operator) && joined.value_at < bytes.len())
            {
                return Some(joined.value_at);
            }
        }
        at = end.max(at + 1);
    }
    None
}

/// `Content-Disposition: form-data; name="password"`
pub(super) fn is_part_of_form(bytes: &[u8], name: NameAt) -> bool {
    let before = &bytes[name.start.saturating_sub(TAG_MAX_BYTES)..name.start];
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    contains(line, b"form-data;")
}

/// What stands below the head of a part of a form.
fn part_of_form(bytes: &[u8], name: NameAt) -> Option<Range<usize>> {
    let head = &bytes[name.end..bytes.len().min(name.end + PART_HEAD_MAX_BYTES)];
    let (gap, len) =
        [&b"\r\n\r\n"[..], b"\n\n"].iter().find_map(|gap| Some((position(head, gap)?, gap.len())))?;
    (!contains(&head[..gap], b"filename=")).then_some(())?;
    let start = name.end + gap + len;
    let window = &bytes[start..bytes.len().min(start + JUDGED_MAX_BYTES)];
    let line = &window[..memchr::memchr(b'\n', window).unwrap_or(window.len())];
    work::note(head.len() + line.len());
    Some(start..start + line.trim_ascii_end().len())
}

/// The value that belongs to a name in a tag or in an element for names.
pub(super) fn find_in_markup(bytes: &[u8], name: NameAt, secret: SecretName) -> Option<Span> {
    if has_at(bytes, name.end, b"</") {
        let (_, join) =
            NAME_ELEMENTS.iter().find(|(tag, _)| has_before(bytes, name.start, tag.as_bytes()))?;
        return next_element(bytes, name.end, secret, *join);
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
    (is_name && !is_closed)
        .then(|| element(bytes, skip_element(bytes, tag.end + 1), secret, Join::Element))?
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
fn element(bytes: &[u8], start: usize, secret: SecretName, join: Join) -> Option<Span> {
    let window = bytes.get(start..bytes.len().min(start + ELEMENT_MAX_BYTES))?;
    let end = start + memchr::memchr(b'<', window)?;
    has_at(bytes, end, b"</").then_some(())?;
    judged(bytes, start..end, secret, join, /*is_quoted*/ false)
}

/// The element behind the one that ends at `at`.
fn next_element(bytes: &[u8], at: usize, secret: SecretName, join: Join) -> Option<Span> {
    let tag_end = |from: usize| {
        let window = bytes.get(from..bytes.len().min(from + GAP_MAX_BYTES))?;
        Some(from + 1 + memchr::memchr(b'>', window)?)
    };
    let behind = tag_end(at)?;
    let gap =
        bytes[behind..].iter().take(GAP_MAX_BYTES).take_while(|byte| byte.is_ascii_whitespace()).count();
    let open = behind + gap;
    let is_open = bytes.get(open) == Some(&b'<') && bytes.get(open + 1).is_some_and(u8::is_ascii_alphabetic);
    is_open.then(|| element(bytes, tag_end(open)?, secret, join))?
}
