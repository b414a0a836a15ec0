//! Values that stand under a telling name: settings, programs, JSON, headers, flags, prose.

use std::ops::Range;

use super::chars::{Class, has_at, has_before, skip_blanks, word_begins};
use super::judge::{Candidate, Join};
use super::names::{Kind, SecretName, read_name};
use super::operator::{Joined, Operator, is_query_name, operator_after, skip_program_text};
use super::quote::Quote;
use super::span::{Rank, Span};
use super::{header, pair, prose};

/// The longest name that is read, in bytes.
const NAME_MAX_BYTES: usize = 64;
/// How much of a value is judged, in bytes. A secret goes on as far as it goes on.
const JUDGED_MAX_BYTES: usize = 512;

const NAME: Class = Class::WORD.or(Class::DASH);

/// A name in a text, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameAt {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether it is written as a flag, `--name`.
    pub(super) is_flag: bool,
}

/// Looks at the name around a stem, adds what it announces to `spans`, and says where the name ends.
pub(super) fn find(bytes: &[u8], stem: Range<usize>, spans: &mut Vec<Span>) -> usize {
    let Some(name) = name_around(bytes, stem.clone()) else { return stem.end };
    let joined = operator_after(bytes, name.start, name.end);
    let is_named_value = pair::is_value_of_a_name(bytes, name);
    if (joined.is_some() || is_named_value)
        && let Some(secret) = read_name_at(bytes, name)
    {
        let beside = if is_named_value { pair::find(bytes, name, secret) } else { None };
        match (beside, joined) {
            (Some(span), _) => spans.push(span),
            (None, Some(joined)) => find_behind(bytes, name, secret, joined, spans),
            (None, None) => {}
        }
    }
    name.end
}

fn find_behind(bytes: &[u8], name: NameAt, secret: SecretName, joined: Joined, spans: &mut Vec<Span>) {
    match secret.kind {
        Kind::Authorization => header::find_authorization(bytes, joined, spans),
        Kind::Cookie => header::find_cookies(bytes, joined, spans),
        Kind::Password | Kind::Secret | Kind::Token | Kind::Key | Kind::Phrase | Kind::Signature => {
            spans.extend(find_value(bytes, name, secret, joined));
        }
    }
}

/// The whole name around a stem that was found in it.
fn name_around(bytes: &[u8], stem: Range<usize>) -> Option<NameAt> {
    let end = NAME.run_end(bytes, stem.end, NAME_MAX_BYTES);
    let mut start = NAME.or(Class::DOT).run_start(bytes, stem.start, NAME_MAX_BYTES);
    if end - stem.end == NAME_MAX_BYTES || has_before(bytes, start, b"[REDACTED:") {
        return None;
    }
    start = skip_escape(bytes, start).min(stem.start);
    let dashes = bytes[start..stem.start].iter().take_while(|byte| **byte == b'-').count();
    let dots = bytes[start + dashes..stem.start].iter().take_while(|byte| **byte == b'.').count();
    let stands_alone = start == 0 || !Class::ALNUM.has(bytes[start - 1]);
    let is_flag = (1..=2).contains(&dashes) && stands_alone;
    Some(NameAt { start: start + dashes + dots, end, is_flag })
}

/// The end of an escape (`\n`, `\u0026`, `%3D`) is not part of the name behind it.
fn skip_escape(bytes: &[u8], start: usize) -> usize {
    let before = start.checked_sub(1).map(|at| bytes[at]);
    let is_hex = |from: usize, count: usize| {
        bytes.get(from..from + count).is_some_and(|part| Class::HEX.has_all(part))
    };
    match (before, bytes.get(start)) {
        (Some(b'\\'), Some(b'u')) if is_hex(start + 1, 4) => start + 5,
        (Some(b'\\'), Some(b'n' | b'r' | b't')) => start + 1,
        (Some(b'%'), _) if is_hex(start, 2) => start + 2,
        (Some(b'['), _) => {
            let digits = Class::DIGIT.run_end(bytes, start, 4);
            if digits > start && bytes.get(digits) == Some(&b'm') { digits + 1 } else { start }
        }
        _ => start,
    }
}

/// Reads a name, with the words before it where it is one word only: `API key`, `secret access key`.
pub(super) fn read_name_at(bytes: &[u8], name: NameAt) -> Option<SecretName> {
    let text = &bytes[name.start..name.end];
    let found = read_name(text);
    let may_grow = found.is_some_and(|found| matches!(found.kind, Kind::Token | Kind::Key))
        || text.eq_ignore_ascii_case(b"phrase");
    if !may_grow {
        return found;
    }
    let mut start = name.start;
    for _ in 0..3 {
        let Some(blank) = start.checked_sub(1).filter(|at| bytes[*at] == b' ') else { break };
        let word = Class::ALNUM.run_start(bytes, blank, 20);
        if word == blank || !word_begins(bytes, word) {
            break;
        }
        start = word;
    }
    if start == name.start { found } else { read_name(&bytes[start..name.end]) }
}

fn find_value(bytes: &[u8], name: NameAt, secret: SecretName, joined: Joined) -> Option<Span> {
    if joined.operator == Operator::Blank && !name.is_flag {
        return prose::find(bytes, name, secret, joined.value_at);
    }
    let (at, is_wrapped) = skip_program_text(bytes, joined.value_at, joined.operator);
    if let Some(quote) = Quote::at(bytes, at) {
        let value = quoted_value(bytes, at, quote)?;
        let join = quoted_join(bytes, name, joined, is_wrapped);
        return judged(bytes, value, secret, join, /*is_quoted*/ true);
    }
    if let Some(value) = block_value(bytes, name, joined) {
        return judged(bytes, value, secret, Join::Json, /*is_quoted*/ true);
    }
    let join = bare_join(bytes, name, joined)?;
    let value = bare_value(bytes, joined.value_at, join, JUDGED_MAX_BYTES);
    let join = if is_argument(bytes, name, joined, &value, join) { Join::Argument } else { join };
    let span = judged(bytes, value, secret, join, /*is_quoted*/ false)?;
    let whole = bare_value(bytes, joined.value_at, join, usize::MAX);
    Some(Span { end: whole.end.max(span.end), ..span })
}

/// Judges a value and makes a span of it.
pub(super) fn judged(
    bytes: &[u8],
    value: Range<usize>,
    name: SecretName,
    join: Join,
    is_quoted: bool,
) -> Option<Span> {
    let text = &bytes[value.start..value.end.min(value.start + JUDGED_MAX_BYTES)];
    let candidate = Candidate { name, value: text, join, is_quoted };
    candidate.is_secret().then_some(Span {
        start: value.start,
        end: value.end,
        rule: name.rule,
        rank: Rank::Named,
    })
}

/// The inside of a quoted value. One that goes on over lines counts whole only if it holds no sentences.
pub(super) fn quoted_value(bytes: &[u8], at: usize, quote: Quote) -> Option<Range<usize>> {
    let start = at + quote.open_len();
    let line_end =
        |from: usize, limit: usize| memchr::memchr(b'\n', &bytes[from..limit]).map(|offset| from + offset);
    let Some(end) = quote.end(bytes, start) else {
        let limit = bytes.len().min(start + JUDGED_MAX_BYTES);
        let end = line_end(start, limit).unwrap_or(limit);
        return (end > start).then_some(start..end);
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

fn quoted_join(bytes: &[u8], name: NameAt, joined: Joined, is_wrapped: bool) -> Join {
    let is_env = is_env_name(&bytes[name.start..name.end]) && !joined.is_spaced;
    match joined.operator {
        _ if is_wrapped => Join::Loose,
        Operator::Equals | Operator::Blank | Operator::Comma if name.is_flag => Join::Flag,
        Operator::Equals if is_env => Join::Env,
        Operator::Colon | Operator::Equals | Operator::Arrow if joined.name_is_quoted => Join::Json,
        Operator::Colon | Operator::Equals | Operator::Arrow => Join::Assign,
        Operator::Loose | Operator::Comma | Operator::Call | Operator::Blank => Join::Loose,
        Operator::Element => Join::Element,
    }
}

fn bare_join(bytes: &[u8], name: NameAt, joined: Joined) -> Option<Join> {
    let is_env = is_env_name(&bytes[name.start..name.end]);
    match joined.operator {
        Operator::Element => Some(Join::Element),
        Operator::Equals | Operator::Blank if name.is_flag => Some(Join::Flag),
        Operator::Equals if !joined.is_spaced && is_query_name(bytes, name.start) => Some(Join::Query),
        Operator::Equals if !joined.is_spaced && is_env => Some(Join::Env),
        Operator::Colon
            if is_env && ends_line(bytes, bare_end(bytes, joined.value_at, Join::Line, JUDGED_MAX_BYTES)) =>
        {
            Some(Join::Env)
        }
        Operator::Colon if joined.name_is_quoted => Some(Join::Argument),
        Operator::Colon => Some(Join::Line),
        Operator::Equals if joined.is_spaced => Some(Join::Line),
        Operator::Equals => Some(Join::Pair),
        Operator::Arrow => Some(Join::Argument),
        Operator::Loose | Operator::Comma | Operator::Call | Operator::Blank => None,
    }
}

/// `f(name=value)`, `name: value,`: places where a program puts another name.
fn is_argument(bytes: &[u8], name: NameAt, joined: Joined, value: &Range<usize>, join: Join) -> bool {
    if !matches!(join, Join::Line | Join::Pair) {
        return false;
    }
    let before = bytes[..name.start].iter().rposition(|byte| *byte != b' ');
    let is_first = before.is_some_and(|at| bytes[at] == b'(' && at + 1 == name.start);
    let is_next = before.is_some_and(|at| bytes[at] == b',' && at + 1 < name.start);
    let after = skip_blanks(bytes, value.end, 8);
    let ends_statement = joined.is_spaced && matches!(bytes.get(after), Some(b',' | b';' | b')' | b'}'));
    is_first || is_next || ends_statement
}

fn is_env_name(name: &[u8]) -> bool {
    name.iter().any(u8::is_ascii_uppercase) && Class::UPPER_ALNUM.or(Class::UNDERSCORE).has_all(name)
}

fn ends_line(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(skip_blanks(bytes, at, 40)), None | Some(b'\n' | b'\r' | b'#' | b'"' | b'\\'))
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

fn bare_end(bytes: &[u8], start: usize, join: Join, max: usize) -> usize {
    let limit = bytes.len().min(start.saturating_add(max));
    (start..limit).find(|&at| ends_bare(bytes, at, join)).unwrap_or(limit)
}

fn ends_bare(bytes: &[u8], at: usize, join: Join) -> bool {
    let next = bytes.get(at + 1);
    match bytes[at] {
        byte if byte.is_ascii_whitespace() || byte.is_ascii_control() => true,
        b'"' | b'\'' | b'`' | b';' => true,
        b'&' => join == Join::Query || begins_pair(bytes, at + 1) || has_at(bytes, at, b"&quot;"),
        b'#' => join == Join::Query,
        b'<' => join == Join::Element || next == Some(&b'/'),
        b'|' => next.is_none_or(|byte| byte.is_ascii_whitespace()),
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
    let end = NAME.or(Class::DOT).run_end(bytes, at, 40);
    end > at && bytes.get(end) == Some(&b'=')
}

/// `name: |` in YAML, and the indented lines below it.
fn block_value(bytes: &[u8], name: NameAt, joined: Joined) -> Option<Range<usize>> {
    if joined.operator != Operator::Colon || !matches!(bytes.get(joined.value_at)?, b'|' | b'>') {
        return None;
    }
    let head_end = joined.value_at
        + memchr::memchr(b'\n', bytes.get(joined.value_at..bytes.len().min(joined.value_at + 8))?)?;
    let line_start = memchr::memrchr(b'\n', &bytes[name.start.saturating_sub(256)..name.start])
        .map_or(name.start.saturating_sub(256), |at| name.start.saturating_sub(256) + at + 1);
    let indent = skip_blanks(bytes, line_start, 200) - line_start;
    let start = skip_blanks(bytes, head_end + 1, 200);
    if start - (head_end + 1) <= indent {
        return None;
    }
    let mut end = start;
    let limit = bytes.len().min(start + super::quote::QUOTED_MAX_BYTES);
    let mut at = start;
    while at < limit {
        let line_end = memchr::memchr(b'\n', &bytes[at..limit]).map_or(limit, |offset| at + offset);
        if bytes[at..line_end].trim_ascii().contains(&b' ') {
            return None;
        }
        end = line_end;
        let next = skip_blanks(bytes, (line_end + 1).min(limit), 200);
        if line_end + 1 >= limit || next - (line_end + 1) <= indent {
            break;
        }
        at = next;
    }
    (end > start).then_some(start..end)
}
