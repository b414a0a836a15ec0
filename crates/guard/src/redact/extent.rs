//! Where a value begins and ends: in quotes, bare, in an indented block.

use std::ops::Range;

use super::chars::{Class, has_at, has_before, skip_blanks};
use super::judge::Join;
use super::names::{CREDENTIAL, SecretName};
use super::operator::{Joined, Operator};
use super::quote::{QUOTED_MAX_BYTES, Quote};
use super::work;

/// How much of a value is judged, in bytes. A secret goes on as far as it goes on.
pub(super) const JUDGED_MAX_BYTES: usize = 192;
/// How far back the beginning of a line is looked for, in bytes.
const LINE_MAX_BYTES: usize = 256;
/// The longest phrase, in bytes: twenty-four words.
const PHRASE_MAX_BYTES: usize = 512;
/// How many signs the brackets of Lua may have between them.
const BRACKET_LEVEL_MAX: usize = 4;
/// How far a value may go on behind a semicolon, in bytes.
const SEMICOLON_MAX_BYTES: usize = 64;
/// The deepest indentation that is followed, in bytes.
const INDENT_MAX_BYTES: usize = 200;

/// The inside of a quoted value. One that goes on over lines counts whole only if it holds no sentences.
pub(super) fn quoted_value(bytes: &[u8], at: usize, quote: Quote) -> Option<Range<usize>> {
    let start = at + quote.open_len();
    if quote.is_triple() {
        return Some(trimmed(bytes, start..quote.end(bytes, start)?));
    }
    if is_closing(bytes, start) {
        return None;
    }
    let line_end =
        |from: usize, limit: usize| memchr::memchr(b'\n', &bytes[from..limit]).map(|offset| from + offset);
    let Some(end) = quote.end(bytes, start) else {
        // Not closed: judged by its beginning, and only then followed to its end, see `whole_value`.
        let bare = bare_value(bytes, start, Join::Line, JUDGED_MAX_BYTES);
        return (!bare.is_empty()).then_some(bare);
    };
    match line_end(start, end) {
        Some(first_end)
            if bytes[start..end]
                .split(|byte| *byte == b'\n')
                .any(|line| line.trim_ascii().contains(&b' ')) =>
        {
            Some(start..first_end)
        }
        _ => (end > start).then_some(start..end),
    }
}

/// A text of several lines without the line ends at its beginning and end. A backslash takes its line end away.
fn trimmed(bytes: &[u8], text: Range<usize>) -> Range<usize> {
    let start = text.start + usize::from(has_at(bytes, text.start, b"\\\n"));
    let inner = &bytes[start..text.end.max(start)];
    let front = inner.len() - inner.trim_ascii_start().len();
    start + front..start + front + inner.trim_ascii().len()
}

/// A text between brackets that are quotes: `[[…]]` and `[==[…]==]` of Lua, `%q(…)` and `q{…}` of Ruby and Perl, `R"(…)"` of
/// C++. A list of lists holds quotes and commas.
pub(super) fn bracketed_value(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = bytes.get(at..)?;
    let level = rest.iter().skip(1).take(BRACKET_LEVEL_MAX).take_while(|byte| **byte == b'=').count();
    let (open, close) = match rest {
        [b'[', ..] if rest.get(level + 1) == Some(&b'[') => {
            (level + 2, [&b"]"[..], &rest[1..=level], b"]"].concat())
        }
        [b'R', b'"', b'(', ..] => (3, b")\"".to_vec()),
        [b'%', b'q' | b'Q', sign, ..] => (3, closing(*sign)?),
        [b'q', b'q', sign, ..] => (3, closing(*sign)?),
        [b'q', sign, ..] => (2, closing(*sign)?),
        _ => return None,
    };
    let start = at + open;
    let window = &bytes[start..bytes.len().min(start + JUDGED_MAX_BYTES)];
    work::note(window.len());
    let len = memchr::memmem::find(window, &close)?;
    let value = trimmed(bytes, start..start + len);
    let is_list = bytes[value.clone()].iter().any(|byte| b"\"',[]".contains(byte));
    (!is_list).then_some(value)
}

fn closing(open: u8) -> Option<Vec<u8>> {
    let close = match open {
        b'(' => b')',
        b'{' => b'}',
        b'[' => b']',
        _ => return None,
    };
    Some(vec![close])
}

/// `;PWD={…};`: the braces of a connection string.
pub(super) fn braced_part(bytes: &[u8], name_start: usize, at: usize) -> Option<Range<usize>> {
    (has_before(bytes, name_start, b";") && bytes.get(at) == Some(&b'{')).then_some(())?;
    let value = braced(bytes, at + 1)?;
    matches!(bytes.get(value.end + 1), None | Some(b';' | b'"' | b'\'' | b'\n')).then_some(value)
}

/// Where a value goes on behind a `;` that is part of it: nothing like the next pair or statement follows.
pub(super) fn end_behind_semicolon(bytes: &[u8], end: usize) -> Option<usize> {
    let rest = bytes.get(end..bytes.len().min(end + SEMICOLON_MAX_BYTES))?;
    let len = rest
        .iter()
        .position(|byte| byte.is_ascii_whitespace() || b"\"'`\\".contains(byte))
        .unwrap_or(rest.len());
    work::note(len);
    let is_part = rest.first() == Some(&b';')
        && len > 1
        && rest[1] != b'$'
        && !rest[..len].iter().any(|byte| b"=:(){}[]<>,".contains(byte));
    let behind = skip_blanks(bytes, end + len, 40);
    (is_part && matches!(bytes.get(behind), None | Some(b'\n' | b'\r' | b'#' | b'"' | b'\'' | b'`' | b'\\')))
        .then_some(end + len)
}

/// Whether the quote before `at` ends a text rather than beginning one: `prompt("Password: ")`.
fn is_closing(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(|byte| byte.is_ascii_whitespace() || b",);]}".contains(byte))
}

/// `${NAME:-value}`: what a shell takes if the variable is not set.
pub(super) fn shell_default(bytes: &[u8], name_end: usize) -> Option<Range<usize>> {
    let is_default = has_at(bytes, name_end, b":-") || has_at(bytes, name_end, b":=");
    is_default.then(|| braced(bytes, name_end + 2))?
}

/// `${name:value}`: what Spring takes if the property is not set.
pub(super) fn property_default(bytes: &[u8], name_end: usize) -> Option<Range<usize>> {
    let is_default = bytes.get(name_end) == Some(&b':')
        && !bytes.get(name_end + 1).is_some_and(|byte| b"-=+?".contains(byte));
    is_default.then(|| braced(bytes, name_end + 1))?
}

/// What stands before the closing brace.
fn braced(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let window = bytes.get(start..bytes.len().min(start + JUDGED_MAX_BYTES))?;
    let end = window.iter().position(|byte| matches!(byte, b'}' | b'"' | b'\'' | b'\\' | b'\n'))?;
    (window[end] == b'}').then_some(start..start + end)
}

/// `auth=("bob", "…")`, `BasicAuth("bob", "…")`: the second of two quoted texts.
pub(super) fn login_value(bytes: &[u8], name: SecretName, joined: Joined) -> Option<Range<usize>> {
    let is_tuple = matches!(joined.operator, Operator::Equals | Operator::Colon)
        && bytes.get(joined.value_at) == Some(&b'(');
    if name.rule != CREDENTIAL || !(is_tuple || joined.operator == Operator::Call) {
        return None;
    }
    let open = joined.value_at + usize::from(is_tuple);
    let user_quote = Quote::at(bytes, open)?;
    let user = quoted_value(bytes, open, user_quote)?;
    let comma = user.end + user_quote.closes_at(bytes, user.end)?;
    let at = skip_blanks(bytes, comma + 1, 8);
    let quote = Quote::at(bytes, at).filter(|_| bytes.get(comma) == Some(&b','))?;
    quoted_value(bytes, at, quote)
}

/// What stands on the line from `start`, or in the quotes around it.
pub(super) fn rest_of_line(bytes: &[u8], start: usize) -> Range<usize> {
    let limit = bytes.len().min(start + PHRASE_MAX_BYTES);
    let end = (start..limit)
        .find(|&at| matches!(bytes[at], b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\' | b'#'))
        .unwrap_or(limit);
    work::note(end - start);
    start..start + bytes[start..end].trim_ascii_end().len()
}

/// Whether nothing but blanks and a comment stand between `at` and the end of the line.
pub(super) fn ends_line(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(skip_blanks(bytes, at, 40)), None | Some(b'\n' | b'\r' | b'#' | b'"' | b'`' | b'\\'))
}

/// A value without quotes.
pub(super) fn bare_value(bytes: &[u8], start: usize, join: Join, max: usize) -> Range<usize> {
    let mut end = bare_end(bytes, start, join, max);
    let trimmed: &[u8] = if join == Join::Env { b"" } else { b".,;:)]}>" };
    while end > start && trimmed.contains(&bytes[end - 1]) {
        end -= 1;
    }
    start..end
}

pub(super) fn bare_end(bytes: &[u8], start: usize, join: Join, max: usize) -> usize {
    let limit = bytes.len().min(start.saturating_add(max));
    let end = (start..limit).find(|&at| ends_bare(bytes, at, join)).unwrap_or(limit);
    work::note(end - start);
    end
}

/// A value that was cut where judging ends, with the rest of it.
pub(super) fn whole_value(bytes: &[u8], value: Range<usize>) -> Range<usize> {
    let is_cut = value.len() == JUDGED_MAX_BYTES;
    let end = if is_cut { bare_end(bytes, value.end, Join::Line, usize::MAX) } else { value.end };
    value.start..end
}

fn ends_bare(bytes: &[u8], at: usize, join: Join) -> bool {
    let next = bytes.get(at + 1);
    match bytes[at] {
        byte if byte.is_ascii_whitespace() || byte.is_ascii_control() => true,
        b'"' | b'\'' | b'`' | b';' => true,
        b'&' => join == Join::Query || begins_pair(bytes, at + 1) || has_at(bytes, at, b"&quot;"),
        b'#' => join == Join::Query,
        b'<' => join == Join::Element || next == Some(&b'/'),
        b'|' => next.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'')),
        b',' => {
            next.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\''))
                || begins_pair(bytes, at + 1)
        }
        b'\\' => {
            matches!(next, None | Some(b'n' | b'r' | b't' | b'"' | b'\'' | b'u'))
                || bytes[at..].starts_with(b"\\\\\"")
        }
        b'%' => ["%22", "%26", "%27", "%0A"].iter().any(|code| has_at(bytes, at, code.as_bytes())),
        // The quotes of word processors.
        0xE2 => matches!(bytes.get(at + 1..at + 3), Some([0x80, 0x98..=0x9D | 0xA6])),
        _ => false,
    }
}

/// `name=`: the next pair of a list.
fn begins_pair(bytes: &[u8], at: usize) -> bool {
    let end = Class::URL64.or(Class::DOT).run_end(bytes, at, 40);
    end > at && bytes.get(end) == Some(&b'=')
}

/// `name: |` in YAML, and the indented lines below it. `name_start` says how deep the name is indented,
/// `at` is where the bar stands.
pub(super) fn block_value(bytes: &[u8], name_start: usize, at: usize) -> Option<Range<usize>> {
    if !matches!(bytes.get(at)?, b'|' | b'>') {
        return None;
    }
    let head_end = at + memchr::memchr(b'\n', bytes.get(at..bytes.len().min(at + 8))?)?;
    let indent = indent_of(bytes, name_start);
    let start = skip_blanks(bytes, head_end + 1, INDENT_MAX_BYTES);
    let limit = bytes.len().min(start + QUOTED_MAX_BYTES);
    let (mut line, mut end) = (start, start);
    while line < limit && depth_of(bytes, line) > indent {
        let line_end = memchr::memchr(b'\n', &bytes[line..limit]).map_or(limit, |offset| line + offset);
        work::note(line_end - line);
        // A line with blanks in it is prose or a program, not a secret.
        if bytes[line..line_end].trim_ascii().contains(&b' ') {
            return None;
        }
        end = line_end;
        line = skip_blanks(bytes, (line_end + 1).min(limit), INDENT_MAX_BYTES);
    }
    (end > start).then_some(start..end)
}

/// How deep the line of a name is indented.
fn indent_of(bytes: &[u8], name_start: usize) -> usize {
    let window_start = name_start.saturating_sub(LINE_MAX_BYTES);
    let line_start = memchr::memrchr(b'\n', &bytes[window_start..name_start])
        .map_or(window_start, |at| window_start + at + 1);
    skip_blanks(bytes, line_start, INDENT_MAX_BYTES) - line_start
}

/// How many blanks stand before `at` on its line; none if something else does.
fn depth_of(bytes: &[u8], at: usize) -> usize {
    let blanks = bytes[..at]
        .iter()
        .rev()
        .take(INDENT_MAX_BYTES)
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    let begins_line = bytes[..at - blanks].last().is_none_or(|byte| *byte == b'\n');
    if begins_line { blanks } else { 0 }
}
