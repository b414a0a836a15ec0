//! Secrets in sentences: `the password is …`, `password for the database: …`.

use std::ops::Range;

use super::assignment::judged;
use super::chars::{Class, contains, has_before, skip_blanks};
use super::command::is_surely_secret;
use super::extent::{JUDGED_MAX_BYTES, bare_value, ends_line, quoted_value};
use super::judge::{Join, is_user_and_password};
use super::name_at::NameAt;
use super::names::{CREDENTIAL, Kind, SecretName, TOKEN};
use super::operator::skip_literal_prefix;
use super::quote::Quote;
use super::random::{Makeup, is_complex};
use super::span::{Rank, Span};
use super::vocabulary::{DEVICE_FORMS, DEVICE_TAILS, DEVICE_WORDS, FILLERS, LINKS};
use super::work;
use super::wrap::BORDERS;

/// How many words may stand between the name and what links it to its value.
const WORDS_MAX: usize = 7;
/// A drawn secret that follows its name directly is at least this long, in bytes.
const DRAWN_MIN_BYTES: usize = 20;
/// The longest word that is read as one, in bytes.
const WORD_MAX_BYTES: usize = 48;
/// How many words say in which form a secret is.
const FORMS_MAX: usize = 2;
/// How far before `AUTH` its program may stand, and before a name the first word of its line, in bytes.
const LOGIN_MAX_BYTES: usize = 120;

/// Looks for a value after the name, whose next word begins at `at`.
pub(super) fn find(bytes: &[u8], name: NameAt, secret: SecretName, at: usize) -> Option<Span> {
    if let Some(value_at) = behind_link(bytes, at, |word| LINKS.has(word)) {
        // `token was created for bob: …`
        let behind_colon = || value(bytes, behind_link(bytes, value_at, |_| false)?, secret, Join::Prose);
        return value(bytes, value_at, secret, Join::Prose).or_else(behind_colon);
    }
    // `token (…)`
    let at = at + usize::from(bytes.get(at) == Some(&b'('));
    if let Some(span) = find_on_device(bytes, name, secret, at) {
        return Some(span);
    }
    if is_defined(bytes, name) {
        return (!is_of_macro(bytes, name, at)).then(|| value(bytes, at, secret, Join::Line))?;
    }
    // Without a link only what can hardly be anything else counts: SQL's `PASSWORD '…'`, a drawn key.
    let quote = Quote::at(bytes, at);
    let bare = match quote {
        Some(quote) => quoted_value(bytes, at, quote)?,
        None => bare_value(bytes, at, Join::Prose, JUDGED_MAX_BYTES),
    };
    let makeup = Makeup::of(&bytes[bare.clone()]);
    // `AUTH default …`
    let user_end = skip_blanks(bytes, bare.end, 8);
    let second = bare_value(bytes, user_end, Join::Prose, JUDGED_MAX_BYTES);
    if is_login(bytes, name, &second) && user_end > bare.end && is_surely_secret(&bytes[second.clone()]) {
        return Some(Span { start: second.start, end: second.end, rule: secret.rule, rank: Rank::Placed });
    }
    let is_quoted = quote.is_some();
    let is_drawn = makeup.is_random() && makeup.len >= DRAWN_MIN_BYTES;
    let counts = match secret.kind {
        Kind::Password => is_quoted || is_drawn || is_surely_password(&bytes[bare.clone()]),
        Kind::Secret => {
            is_quoted || is_drawn || (is_setting(&bytes[name.start..name.end]) && makeup.is_surely_secret())
        }
        Kind::Token if is_login(bytes, name, &bare) && is_surely_secret(&bytes[bare.clone()]) => {
            return Some(Span { start: bare.start, end: bare.end, rule: secret.rule, rank: Rank::Placed });
        }
        // `stats auth bob:…`
        Kind::Token if is_user_and_password(&bytes[bare.clone()]) && secret.rule == CREDENTIAL => {
            let start = bare.start + 1 + memchr::memchr(b':', &bytes[bare.clone()])?;
            let is_secret = is_surely_secret(&bytes[start..bare.end]) && bytes[start] != b'/';
            return (is_secret && ends_line(bytes, bare.end)).then_some(Span {
                start,
                end: bare.end,
                rule: secret.rule,
                rank: Rank::Placed,
            });
        }
        // What is called a token is not the hash of something.
        Kind::Token => is_drawn && (secret.rule == TOKEN || !bytes[bare].iter().all(u8::is_ascii_hexdigit)),
        Kind::Key | Kind::Authorization | Kind::Cookie | Kind::Phrase | Kind::Signature => false,
    };
    // SQL shouts its words.
    let is_sql = bytes[name.start..name.end].iter().all(u8::is_ascii_uppercase);
    let join = match is_quoted {
        true if is_sql => Join::Assign,
        true => Join::Loose,
        false => Join::Prose,
    };
    counts.then(|| value(bytes, at, secret, join))?
}

/// `secret_access_key`: in a sentence one would write it with blanks.
fn is_setting(name: &[u8]) -> bool {
    name.contains(&b'_')
}

/// `AUTH …` on a line of its own, as one logs in to a server, or behind the program that does.
fn is_login(bytes: &[u8], name: NameAt, value: &Range<usize>) -> bool {
    let before = &bytes[name.start.saturating_sub(LOGIN_MAX_BYTES)..name.start];
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let begins = line.is_empty() || contains(line, b"redis-cli ") || line.ends_with(b"> ");
    begins && &bytes[name.start..name.end] == b"AUTH" && is_last(bytes, value.end)
}

/// Whether a value is the last word of its line, of a box or of an element.
fn is_last(bytes: &[u8], end: usize) -> bool {
    let behind = &bytes[skip_blanks(bytes, end, LOGIN_MAX_BYTES)..];
    ends_line(bytes, end) || BORDERS.iter().chain(&["</"]).any(|border| behind.starts_with(border.as_bytes()))
}

/// `P4ssword!` in a sentence: no word looks like that.
fn is_surely_password(text: &[u8]) -> bool {
    let makeup = Makeup::of(text);
    let has_digit_and_case = makeup.digits > 0 && makeup.upper > 0 && makeup.lower > 0;
    let is_chosen = is_complex(text)
        || (makeup.len >= 8
            && makeup.joints == 0
            && (has_digit_and_case || (makeup.others > 0 && makeup.digits > 0)));
    is_chosen && !is_pair(text)
}

/// `pass VERBOSE=1 to it`: a setting with its name.
pub(super) fn is_pair(text: &[u8]) -> bool {
    let name_end = Class::UPPER.or(Class::UNDERSCORE).run_end(text, 0, WORD_MAX_BYTES);
    name_end > 1 && text.get(name_end) == Some(&b'=') && text.len() > name_end + 1
}

/// `ENV DB_PASSWORD value`, `setenv`, `requirepass value`: settings whose operator is a blank.
fn is_defined(bytes: &[u8], name: NameAt) -> bool {
    let text = &bytes[name.start..name.end];
    let line = &bytes[name.start.saturating_sub(12)..name.start];
    let is_setting = text.eq_ignore_ascii_case(b"requirepass") || text.eq_ignore_ascii_case(b"masterauth");
    is_setting
        || ["ENV ", "ARG ", "setenv ", "setx ", "set -x ", "set -gx ", "define "]
            .iter()
            .any(|word| line.ends_with(word.as_bytes()))
}

/// `#define OBJ_password OBJ_X509,35L`: names stand in a macro of C, and texts in quotes.
fn is_of_macro(bytes: &[u8], name: NameAt, at: usize) -> bool {
    let end = Class::WORD.run_end(bytes, at, WORD_MAX_BYTES);
    has_before(bytes, name.start, b"#define ")
        && end > at
        && matches!(bytes.get(end), Some(b',' | b'(' | b'|'))
}

/// `enable secret 5 …`, `username bob password …`, ` password …` on a line of its own: so routers, switches and daemons are set up.
fn find_on_device(bytes: &[u8], name: NameAt, secret: SecretName, at: usize) -> Option<Span> {
    let before = &bytes[name.start.saturating_sub(LOGIN_MAX_BYTES)..name.start];
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    work::note(line.len());
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic();
    // In quotes, or behind the name of a file and a number.
    let whole_line = line;
    let begins = |at: &usize| match line[*at] {
        b'"' | b'`' => true,
        b':' => *at > 0 && line[at - 1].is_ascii_digit(),
        // A line end that is written out.
        b'n' => *at > 0 && line[at - 1] == b'\\',
        _ => false,
    };
    let line = &line[(0..line.len()).rev().find(begins).map_or(0, |at| at + 1)..];
    let is_quoted = bytes.get(name.end).is_some_and(|byte| matches!(byte, b'"' | b'`' | b'\\'));
    let is_own = !line.iter().any(is_letter) && secret.kind == Kind::Password && !is_quoted;
    let words =
        &bytes[name.start - line.len() + line.iter().position(is_letter).unwrap_or(line.len())..name.end];
    let is_device = words.split(|byte| *byte == b' ').next().is_some_and(|first| DEVICE_WORDS.has(first));
    let value_at = behind_forms(bytes, at);
    // Behind a time, a prompt or the name of a file.
    let is_device = is_device || {
        let value = bare_value(bytes, value_at, Join::Line, JUDGED_MAX_BYTES);
        Makeup::of(&bytes[value]).is_surely_secret()
            && speaks_of_device(&bytes[name.start - whole_line.len()..name.end])
    };
    (is_own || is_device).then_some(())?;
    let quote = Quote::at(bytes, value_at).filter(|_| is_device);
    let value = match quote {
        Some(quote) => quoted_value(bytes, value_at, quote)?,
        None => bare_value(bytes, value_at, Join::Line, JUDGED_MAX_BYTES),
    };
    let tail = word_at(bytes, skip_blanks(bytes, value.end, 8)).map_or(&b""[..], |(word, _)| word);
    let is_closed = is_device && (DEVICE_TAILS.has(tail) || bytes.get(value.end) == Some(&b';'));
    let is_whole = is_last(bytes, value.end) || is_closed;
    let is_kind = !matches!(secret.kind, Kind::Authorization | Kind::Cookie | Kind::Phrase | Kind::Signature);
    let name = SecretName { kind: Kind::Password, ..secret };
    let join = if value_at > at { Join::Line } else { Join::Prose };
    // On a line of its own a name may stand as well.
    let makeup = Makeup::of(&bytes[value.clone()]);
    let is_drawn = makeup.is_random() || is_complex(&bytes[value.clone()]);
    let is_value = is_device || value_at > at || makeup.joints == 0 || is_drawn;
    (is_whole && is_kind && is_value).then(|| judged(bytes, value, name, join, /*is_quoted*/ false))?
}

/// Whether one of the words with which devices are set up stands somewhere on a line.
fn speaks_of_device(line: &[u8]) -> bool {
    let mut words = line.split(|byte| matches!(byte, b' ' | b':' | b'>'));
    words.any(|word| {
        DEVICE_WORDS.has(word)
            // `app.txt-12-username`
            || DEVICE_WORDS.words().any(|known| {
                word.strip_suffix(known).is_some_and(|before| {
                    let digits = before.strip_suffix(b"-").unwrap_or_default();
                    digits.last().is_some_and(u8::is_ascii_digit) && digits.contains(&b'-')
                })
            })
    })
}

/// Passes over what says in which form a secret is: `7`, `0`, `ascii`.
fn behind_forms(bytes: &[u8], mut at: usize) -> usize {
    for _ in 0..FORMS_MAX {
        match word_at(bytes, at) {
            Some((word, next)) if DEVICE_FORMS.has(word) => at = next,
            _ => break,
        }
    }
    at
}

fn value(bytes: &[u8], at: usize, secret: SecretName, join: Join) -> Option<Span> {
    let at = skip_literal_prefix(bytes, at).unwrap_or(at);
    match Quote::at(bytes, at) {
        Some(quote) => judged(bytes, quoted_value(bytes, at, quote)?, secret, join, /*is_quoted*/ true),
        None => judged(
            bytes,
            without_emphasis(bytes, bare_value(bytes, at, join, JUDGED_MAX_BYTES)),
            secret,
            join,
            /*is_quoted*/ false,
        ),
    }
}

/// `**the password is available**`: the marks of bold text are none of a value.
fn without_emphasis(bytes: &[u8], value: Range<usize>) -> Range<usize> {
    let marks = bytes[value.clone()].iter().rev().take_while(|byte| **byte == b'*').count();
    let end = if marks >= 2 { value.end - marks } else { value.end };
    value.start..end
}

/// Passes over words up to the one that links or ends with a colon, and over fillers behind it.
fn behind_link(bytes: &[u8], mut at: usize, links: impl Fn(&[u8]) -> bool) -> Option<usize> {
    for _ in 0..WORDS_MAX {
        let (word, next) = word_at(bytes, at)?;
        let (stem, ends_with_colon) = match word.strip_suffix(b":") {
            Some(stem) if !stem.is_empty() => (stem, true),
            _ => (word, false),
        };
        if ends_with_colon || links(stem) {
            return Some(behind_fillers(bytes, next));
        }
        // `VARCHAR2(30)`, `X(20)`: a type may hold digits.
        let is_type = stem.ends_with(b")");
        let is_of_word = |byte: &u8| {
            byte.is_ascii_alphabetic()
                || !byte.is_ascii()
                || b"-_./()'\"`@%".contains(byte)
                || (is_type && byte.is_ascii_digit())
        };
        if !stem.iter().all(is_of_word) {
            return None;
        }
        at = next;
    }
    None
}

fn behind_fillers(bytes: &[u8], mut at: usize) -> usize {
    for _ in 0..3 {
        match word_at(bytes, at) {
            Some((word, next)) if FILLERS.has(word.strip_suffix(b":").unwrap_or(word)) => at = next,
            _ => break,
        }
    }
    at
}

/// The word at a position, and where the next one begins on the same line.
fn word_at(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let window = bytes.get(at..bytes.len().min(at + WORD_MAX_BYTES))?;
    let len = window.iter().position(|byte| byte.is_ascii_whitespace())?;
    let next = skip_blanks(bytes, at + len, 8);
    (len > 0 && next > at + len).then_some((&window[..len], next))
}
