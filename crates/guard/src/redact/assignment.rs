//! Values that stand under a telling name: settings, programs, JSON, headers, flags, prose.

use std::ops::Range;

use super::chars::{Class, has_at, has_before, skip_blanks};
use super::extent::{
    JUDGED_MAX_BYTES, bare_end, bare_value, block_value, braced_part, bracketed_value, end_behind_semicolon,
    ends_line, login_value, property_default, quoted_value, rest_of_line, shell_default, whole_value,
};
use super::judge::{Candidate, Join, WORD_PASSWORD_MIN_BYTES, is_pass_phrase};
use super::name_at::{NAME_MAX_BYTES, NameAt, name_around, read_name_at};
use super::names::{KINDS_OF_AWS, Kind, PASSPHRASE, PASSWORD, SecretName, is_short_for_password};
use super::operator::{
    Joined, Operator, is_query_name, operator_after, skip_element, skip_node_properties, skip_program_text,
};
use super::placeholder::is_placeholder;
use super::quote::Quote;
use super::random::{Makeup, is_complex};
use super::span::{Rank, Span};
use super::{behind, chosen, fallback, header, margin, pair, prose, work, wrap};

/// How far back the parenthesis around arguments is looked for, in bytes.
const ARGUMENTS_MAX_BYTES: usize = 200;

/// A shorter beginning of a value says nothing about it, in bytes.
const GAP_MIN_BYTES: usize = 3;
/// What was drawn is at least this long, where nothing else says that it is a secret, in bytes.
const DRAWN_MIN_BYTES: usize = 20;
/// How long the hash of a commit is, in bytes.
const COMMIT_BYTES: usize = 40;
/// The longest beginning of a text that stands below, in bytes.
const HEREDOC_MAX_BYTES: usize = 40;

/// How many names within one refused value are looked at. More of them are no settings, and each would read
/// the same value again.
const CROWD_MAX: usize = 4;

/// How far a text has been read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Read {
    /// The end of the name that was looked at last.
    pub(super) name_end: usize,
    /// The end of the header that was looked at last: a name within it is not another header.
    pub(super) header_until: usize,
    /// The end of the value without quotes that was refused last, and how many names were met in it.
    refused_until: usize,
    crowd: usize,
    /// A name whose value begins on the next line.
    pub(super) loose_end: Option<usize>,
}

impl Read {
    /// Whether a name stands in a crowd of names that all claim the same value.
    fn is_crowded(&mut self, name: NameAt) -> bool {
        self.crowd = if name.start < self.refused_until { self.crowd + 1 } else { 0 };
        self.crowd > CROWD_MAX
    }
}

/// Looks at the name around a stem, and adds what it announces to `spans`.
pub(super) fn find(bytes: &[u8], stem: Range<usize>, read: &mut Read, spans: &mut Vec<Span>) {
    read.name_end = stem.end;
    let Some(name) = name_around(bytes, stem) else { return };
    read.name_end = name.end;
    if let Some(span) = behind::find(bytes, name) {
        spans.push(span);
        return;
    }
    if let Some(value) = fallback::find(bytes, name) {
        spans.extend(judged_fallback(bytes, name, value));
        return;
    }
    let joined = operator_after(bytes, name.outer_start, name.end);
    let name = NameAt { is_flag: name.is_flag && !is_removed_setting(bytes, name, joined), ..name };
    if joined.is_some_and(|joined| is_verdict(bytes, name, joined) || is_of_path(bytes, name, joined)) {
        return;
    }
    let is_named_value = pair::is_value_of_a_name(bytes, name);
    let is_key = has_at(bytes, name.end, b"</");
    if (joined.is_none() && !is_named_value && !is_key && !is_type(bytes, name)) || read.is_crowded(name) {
        return;
    }
    if is_key {
        // The line begins with the element.
        let tag = bytes[..name.start].iter().rev().take(NAME_MAX_BYTES).position(|byte| *byte == b'<');
        read.loose_end = tag.map(|len| name.start - len - 1);
    }
    let Some(secret) = read_name_at(bytes, name) else {
        spans.extend(joined.and_then(|joined| find_short(bytes, name, joined, read)));
        return;
    };
    if let Some(span) = pair::find_in_markup(bytes, name, secret) {
        spans.push(span);
        return;
    }
    if is_named_value && pair::is_part_of_form(bytes, name) {
        read.loose_end = Some(name.start);
    }
    let beside = if is_named_value { pair::find(bytes, name, secret) } else { None };
    match (beside, joined, secret.kind) {
        (Some(span), _, _) => spans.push(span),
        (None, None, _) => {}
        (None, Some(joined), Kind::Authorization | Kind::Cookie) => {
            if joined.value_at >= read.header_until {
                read.header_until = header::find(bytes, secret.kind, joined, spans);
            }
        }
        (None, Some(joined), _) => spans.extend(find_value(bytes, name, secret, joined, read)),
    }
}

/// `-PresharedKey = …`, `-DB_PASSWORD=…` at the beginning of a line: a setting that a diff takes away, and no flag.
fn is_removed_setting(bytes: &[u8], name: NameAt, joined: Option<Joined>) -> bool {
    let text = &bytes[name.start..name.end];
    joined.is_some_and(|joined| {
        joined.operator == Operator::Equals
            && name.outer_start + 1 == name.start
            && (joined.is_spaced || (is_env_name(text) && text.contains(&b'_')))
            && margin::ends_at(bytes, name.outer_start)
    })
}

/// A fallback is a setting like any other; but a short word stands there to say that nothing was set (`insecure`, `local`).
fn judged_fallback(bytes: &[u8], name: NameAt, value: Range<usize>) -> Option<Span> {
    let secret = read_name_at(bytes, name)?;
    let text = &bytes[value.clone()];
    let is_remark = Class::LOWER.has_all(text) && text.len() < WORD_PASSWORD_MIN_BYTES;
    let counts = secret.kind == Kind::Password || !is_remark;
    counts.then(|| judged(bytes, value, secret, Join::Json, /*is_quoted*/ true))?
}

/// `--- PASS: TestLogin2FA`: so test runners say that a test passed.
fn is_verdict(bytes: &[u8], name: NameAt, joined: Joined) -> bool {
    &bytes[name.start..name.end] == b"PASS" && matches!(joined.operator, Operator::Colon | Operator::Blank)
}

/// `arn:aws:secretsmanager:us-west-2:123456789012:secret:…`, `AWS::ApiGateway::ApiKey`: the name of a thing.
fn is_of_path(bytes: &[u8], name: NameAt, joined: Joined) -> bool {
    let before = &bytes[..name.start];
    match before {
        [.., b':', b':'] => {
            let start = Class::WORD.or(Class::COLON).run_start(bytes, name.start, NAME_MAX_BYTES);
            has_at(bytes, start, KINDS_OF_AWS)
        }
        [.., b'0'..=b'9', b':'] => {
            joined.operator == Operator::Colon
                && !joined.is_spaced
                && &bytes[name.start..name.end] == b"secret"
        }
        _ => false,
    }
}

/// `type="password"`
fn is_type(bytes: &[u8], name: NameAt) -> bool {
    has_before(bytes, name.start, b"type=\"") || has_before(bytes, name.start, b"type='")
}

/// `pass: …`, `"pw": "…"`, `--pass …`. `pass` may be a verb and `pw` a width, so the value has to tell.
fn find_short(bytes: &[u8], name: NameAt, joined: Joined, read: &mut Read) -> Option<Span> {
    is_short_for_password(&bytes[name.start..name.end]).then_some(())?;
    let may_announce = matches!(
        joined.operator,
        Operator::Colon | Operator::Equals | Operator::Arrow | Operator::Blank | Operator::Cell
    );
    let quote = Quote::at(bytes, joined.value_at).filter(|_| may_announce);
    let value = match quote {
        Some(quote) => quoted_value(bytes, joined.value_at, quote)?,
        None => bare_value(bytes, joined.value_at, Join::Line, JUDGED_MAX_BYTES),
    };
    let text = &bytes[value.start..value.end.min(value.start + JUDGED_MAX_BYTES)];
    let is_flag = (name.is_flag || quote.is_some()) && is_complex(text);
    let makeup = Makeup::of(text);
    let is_drawn = makeup.len >= DRAWN_MIN_BYTES
        && makeup.is_random()
        && is_complex(text)
        && joined.operator == Operator::Equals;
    let is_setting = name.is_flag || !matches!(joined.operator, Operator::Blank | Operator::Cell);
    // `pass: 9f86d0…`: tests passed at a commit.
    let is_commit = joined.operator == Operator::Colon && quote.is_none() && text.len() == COMMIT_BYTES;
    let is_key = is_setting && !is_commit && makeup.is_drawn_hex();
    let is_pair = joined.operator == Operator::Blank && !name.is_flag && prose::is_pair(text);
    if !may_announce || is_pair || !(makeup.is_surely_secret() || is_drawn || is_flag || is_key) {
        read.refused_until = read.refused_until.max(value.end);
        return None;
    }
    judged(bytes, value, PASSWORD, Join::Line, quote.is_some())
}

fn find_value(
    bytes: &[u8],
    name: NameAt,
    secret: SecretName,
    joined: Joined,
    read: &mut Read,
) -> Option<Span> {
    // `variable "db_password" { default = "…" }`
    if joined.name_is_quoted
        && joined.operator == Operator::Blank
        && bytes.get(joined.value_at) == Some(&b'{')
    {
        return pair::find(bytes, name, secret);
    }
    if joined.operator == Operator::Blank && !name.is_flag {
        return prose::find(bytes, name, secret, joined.value_at);
    }
    if has_before(bytes, name.start, b"${") {
        return match shell_default(bytes, name.end) {
            Some(value) => judged(bytes, value, secret, Join::Env, /*is_quoted*/ false),
            None => judged(
                bytes,
                property_default(bytes, name.end)?,
                secret,
                Join::Line,
                /*is_quoted*/ false,
            ),
        };
    }
    if let Some(value) = login_value(bytes, secret, joined) {
        let name = SecretName { kind: Kind::Password, ..secret };
        return judged(bytes, value, name, Join::Loose, /*is_quoted*/ true);
    }
    let (at, is_wrapped) = skip_program_text(bytes, joined.value_at, joined.operator);
    let is_below = if bytes.get(at) == Some(&b'(') {
        matches!(joined.operator, Operator::Colon | Operator::Equals) && begins_below(bytes, at + 1)
    } else {
        joined.operator == Operator::Colon && begins_below(bytes, at)
    };
    if is_below {
        read.loose_end = Some(name.start);
    }
    let is_continued = joined.operator == Operator::Equals;
    if let Some(value) = value_below(bytes, at, is_continued).filter(|_| secret.kind == Kind::Password) {
        return judged(bytes, value, secret, Join::Line, /*is_quoted*/ false);
    }
    if joined.name_is_quoted && joined.operator == Operator::Colon && bytes.get(at) == Some(&b'{') {
        return pair::find(bytes, name, secret);
    }
    let at = if joined.operator == Operator::Element { skip_element(bytes, at) } else { at };
    let at = if joined.operator == Operator::Colon { skip_node_properties(bytes, at) } else { at };
    let bracketed = if joined.operator == Operator::Equals {
        bracketed_value(bytes, joined.value_at).or_else(|| braced_part(bytes, name.start, at))
    } else {
        None
    };
    if let Some(value) = bracketed {
        return judged(bytes, value, secret, Join::Assign, /*is_quoted*/ true);
    }
    if let Some(quote) = Quote::at(bytes, at) {
        let value = quoted_value(bytes, at, quote)?;
        let join = quoted_join(bytes, name, joined, is_wrapped);
        return judged(bytes, value, secret, join, /*is_quoted*/ true)
            .map(|span| wrap::with_literals(bytes, span));
    }
    let block = if joined.operator == Operator::Colon { block_value(bytes, name.start, at) } else { None };
    if let Some(value) = block {
        return judged(bytes, value, secret, Join::Json, /*is_quoted*/ true);
    }
    if secret.kind == Kind::Phrase {
        return judged(bytes, rest_of_line(bytes, at), secret, Join::Line, /*is_quoted*/ false);
    }
    if secret.rule == PASSPHRASE && matches!(joined.operator, Operator::Colon | Operator::Equals) {
        let Range { start, end } = rest_of_line(bytes, at);
        if is_pass_phrase(&bytes[start..end]) {
            return Some(Span { start, end, rule: secret.rule, rank: Rank::Named });
        }
    }
    let joined = Joined { value_at: at, ..joined };
    let join = bare_join(bytes, name, joined)?;
    let value = bare_value(bytes, at, join, JUDGED_MAX_BYTES);
    // `KEY: &[u8] = include_bytes!("…")`
    if bytes[value.clone()].ends_with(b"(") && Quote::at(bytes, value.end).is_some() {
        return alternative(bytes, at, secret);
    }
    let may_go_on = matches!(join, Join::Line | Join::Pair | Join::Env | Join::Flag);
    let behind = end_behind_semicolon(bytes, value.end).filter(|_| may_go_on);
    let is_argument = behind.is_none() && is_argument(bytes, name, joined, &value, join);
    let join = if is_argument { Join::Argument } else { join };
    let value_end = value.end;
    let judge = |end: usize| judged(bytes, at..end, secret, join, /*is_quoted*/ false);
    let first = judge(value_end);
    let is_gap = || value_end - at >= GAP_MIN_BYTES && is_placeholder(&bytes[at..value_end]);
    let is_chosen = || chosen::is_chosen(bytes, name, secret, joined, join, &value);
    let word =
        || is_chosen().then_some(Span { start: at, end: value_end, rule: secret.rule, rank: Rank::Named });
    let Some(span) = first.or_else(|| judge(behind.filter(|_| !is_gap())?)).or_else(word) else {
        read.refused_until = read.refused_until.max(value_end);
        return alternative(bytes, at, secret);
    };
    let whole = bare_value(bytes, at, join, usize::MAX);
    let end = whole.end.max(span.end).max(behind.unwrap_or(0));
    Some(wrap::with_literals(bytes, Span { end, ..span }))
}

/// What the value at `at` is if the program takes another one.
fn alternative(bytes: &[u8], at: usize, secret: SecretName) -> Option<Span> {
    judged(bytes, fallback::alternative(bytes, at)?, secret, Join::Loose, /*is_quoted*/ true)
}

/// Whether a value begins on the next line: `name:`, `name: |`, `name: >-`.
fn begins_below(bytes: &[u8], at: usize) -> bool {
    let sign = match bytes.get(at..).unwrap_or_default() {
        [b'|' | b'>', b'-' | b'+', ..] => 2,
        [b'|' | b'>' | b'\\', ..] => 1,
        _ => 0,
    };
    let ends = |at: usize| matches!(bytes.get(at), Some(b'\n' | b'\r')) || has_at(bytes, at, b"\\n");
    ends(at) || ends(at + sign)
}

/// A password on a line of its own, behind `password:`, `password =` or `password = <<EOF`. Below a colon there may be anything,
/// so it has to be a chosen one there.
fn value_below(bytes: &[u8], at: usize, is_continued: bool) -> Option<Range<usize>> {
    let rest = &bytes[at..bytes.len().min(at + HEREDOC_MAX_BYTES)];
    let line_end = at + memchr::memchr(b'\n', rest)?;
    let head = bytes[at..line_end].trim_ascii_end();
    (head.is_empty() || head.starts_with(b"<<")).then_some(())?;
    let start = skip_blanks(bytes, line_end + 1, 40);
    let end = bare_end(bytes, start, Join::Env, JUDGED_MAX_BYTES);
    let is_alone =
        end > start && ends_line(bytes, end) && (start > line_end + 1 || !head.is_empty() || !is_continued);
    (is_alone && (is_continued || Makeup::of(&bytes[start..end]).is_chosen())).then_some(start..end)
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
    work::note(text.len());
    let candidate = Candidate { name, value: text, join, is_quoted };
    candidate.is_secret().then(|| {
        let Range { start, end } = whole_value(bytes, value);
        Span { start, end, rule: name.rule, rank: Rank::Named }
    })
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
        Operator::Cell => Join::Prose,
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
        Operator::Cell => Some(Join::Prose),
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
    let is_next =
        before.is_some_and(|at| bytes[at] == b',' && at + 1 < name.start && is_in_parentheses(bytes, at));
    let after = skip_blanks(bytes, value.end, 8);
    let ends_statement = joined.is_spaced && matches!(bytes.get(after), Some(b',' | b';' | b')' | b'}'));
    is_first || is_next || ends_statement
}

/// Whether a parenthesis was opened on this line before `at` and not closed.
fn is_in_parentheses(bytes: &[u8], at: usize) -> bool {
    let window = &bytes[at.saturating_sub(ARGUMENTS_MAX_BYTES)..at];
    window.iter().rev().take_while(|byte| **byte != b'\n').find(|byte| matches!(byte, b'(' | b')'))
        == Some(&b'(')
}

fn is_env_name(name: &[u8]) -> bool {
    name.iter().any(u8::is_ascii_uppercase) && Class::UPPER_ALNUM.or(Class::UNDERSCORE).has_all(name)
}
