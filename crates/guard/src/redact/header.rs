//! `Authorization` and `Cookie` in headers and programs; `Bearer …` and `Basic …` anywhere.

use std::ops::Range;

use super::base64;
use super::chars::{Class, has_at, skip_blanks};
use super::extent::JUDGED_MAX_BYTES;
use super::judge::is_strewn;
use super::names::Kind;
use super::operator::{Joined, Operator};
use super::placeholder::{is_identifier_path, is_patchwork, is_placeholder, is_plain_data, is_wordy};
use super::quote::Quote;
use super::random::{Makeup, is_uuid, looks_random};
use super::span::{Rank, Span};
use super::vocabulary::{ATTRIBUTES, SESSION_WORDS};
use super::work;

/// How much of a header is looked at, in bytes.
const HEADER_MAX_BYTES: usize = 8 * 1024;

/// The longest name of a cookie, in bytes.
const COOKIE_NAME_MAX_BYTES: usize = 128;
/// How far the parts of a signed header may reach, in bytes.
const PARTS_MAX_BYTES: usize = 1024;

/// Looks at the value of an `Authorization` or `Cookie` header, and says where it ends.
pub(super) fn find(bytes: &[u8], kind: Kind, joined: Joined, spans: &mut Vec<Span>) -> usize {
    if let Some((name, value)) = arguments(bytes, joined).filter(|_| kind == Kind::Cookie) {
        spans.extend(cookie(bytes, name, value.clone()));
        return value.end;
    }
    let Some(value) = value_range(bytes, joined) else { return joined.value_at };
    let end = value.end;
    if kind == Kind::Cookie {
        find_cookies(bytes, value, spans);
    } else {
        find_authorization(bytes, value, spans);
    }
    end
}

/// `set_cookie("session", "…")`: the two texts.
fn arguments(bytes: &[u8], joined: Joined) -> Option<(Range<usize>, Range<usize>)> {
    (joined.operator == Operator::Call).then_some(())?;
    let quoted = |at: usize| {
        let quote = Quote::at(bytes, at)?;
        let start = at + quote.open_len();
        let end = quote.end_before(bytes, start, start + HEADER_MAX_BYTES)?;
        Some((start..end, end + quote.closes_at(bytes, end)?))
    };
    let (name, comma) = quoted(joined.value_at)?;
    (bytes.get(comma) == Some(&b',')).then_some(())?;
    Some((name, quoted(skip_blanks(bytes, comma + 1, 8))?.0))
}

fn find_authorization(bytes: &[u8], value: Range<usize>, spans: &mut Vec<Span>) {
    let scheme_end = Class::ALNUM.or(Class::DASH).run_end(bytes, value.start, 24).min(value.end);
    let after = skip_blanks(bytes, scheme_end, 4);
    let has_scheme = after > scheme_end && after < value.end;
    let start = if has_scheme { after } else { value.start };
    let scheme = &bytes[value.start..scheme_end];
    if scheme.eq_ignore_ascii_case(b"AWS4-HMAC-SHA256") || scheme.eq_ignore_ascii_case(b"Digest") {
        let limit = bytes.len().min(start + PARTS_MAX_BYTES);
        let end = memchr::memchr2(b'\n', b'\r', &bytes[start..limit]).map_or(limit, |offset| start + offset);
        find_parts(bytes, start..end, spans);
        return;
    }
    let end = strewn_end(bytes, start, value.end).unwrap_or_else(|| credential_end(bytes, start, value.end));
    let credential = &bytes[start..end.min(start + JUDGED_MAX_BYTES)];
    let is_bearer = scheme.eq_ignore_ascii_case(b"Bearer");
    let accepted = match has_scheme {
        _ if is_placeholder(credential) || is_parameter(credential) => false,
        true => {
            credential.len() >= 6
                && (!is_wordy(credential) || is_patchwork(credential) || holds_user_and_password(credential))
                && !is_call(credential)
        }
        false => credential.len() >= 8 && is_lone_credential(credential),
    };
    if accepted {
        let rule = match (has_scheme, is_bearer) {
            (true, true) => "bearer-token",
            (true, false) if scheme.eq_ignore_ascii_case(b"Basic") => "basic-auth",
            _ => "authorization",
        };
        spans.push(Span { start, end, rule, rank: Rank::Placed });
    }
}

fn is_lone_credential(credential: &[u8]) -> bool {
    let credential = credential.strip_prefix(b"!").unwrap_or(credential);
    !is_wordy(credential)
        && !is_identifier_path(credential)
        && !is_plain_data(credential)
        && !is_call(credential)
}

/// `realm="x"`, `oauth_token=x`: parts with names of their own, which are judged by those.
fn is_parameter(credential: &[u8]) -> bool {
    let name_end = Class::LOWER.or(Class::UNDERSCORE).run_end(credential, 0, 32);
    let is_pair = name_end >= 3 && credential.get(name_end) == Some(&b'=');
    let value = credential.get(name_end + 1..).unwrap_or_default();
    is_pair && !value.starts_with(b"=") && !looks_random(value) && !holds_user_and_password(credential)
}

fn is_call(text: &[u8]) -> bool {
    text.iter().any(|byte| b"(){}[]<>$".contains(byte)) && !is_strewn(text)
}

/// Where a password with brackets and signs in it ends, which would otherwise end a credential.
fn strewn_end(bytes: &[u8], start: usize, limit: usize) -> Option<usize> {
    let window = &bytes[start..limit.min(start + JUDGED_MAX_BYTES).max(start)];
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'\\');
    let word = &window[..window.iter().position(is_end).unwrap_or(window.len())];
    work::note(word.len());
    is_strewn(word).then_some(start + word.len())
}

/// `Signature=…`, `response="…"` in a header of several parts.
fn find_parts(bytes: &[u8], value: Range<usize>, spans: &mut Vec<Span>) {
    for part in ["Signature=", "response=", "nonce=", "cnonce="] {
        let Some(offset) = super::chars::position(&bytes[value.clone()], part.as_bytes()) else { continue };
        let start = value.start + offset + part.len();
        let start = start
            + bytes[start..value.end].iter().take(3).take_while(|byte| matches!(byte, b'"' | b'\\')).count();
        let end = Class::ANY64.run_end(bytes, start, 256);
        if end - start >= 16 {
            spans.push(Span { start, end, rule: "authorization", rank: Rank::Placed });
        }
    }
}

/// Where the value of a header stands: inside its quotes, or up to the end of the line or of the text
/// that quotes the whole header.
fn value_range(bytes: &[u8], joined: Joined) -> Option<Range<usize>> {
    let at = joined.value_at;
    if let Some(quote) = Quote::at(bytes, at) {
        let start = at + quote.open_len();
        let end = quote.end(bytes, start).unwrap_or(bytes.len()).min(start + HEADER_MAX_BYTES);
        return (end > start).then_some(start..end);
    }
    if !matches!(joined.operator, Operator::Colon | Operator::Equals | Operator::Arrow) {
        return None;
    }
    let limit = bytes.len().min(at + HEADER_MAX_BYTES);
    let end = (at..limit)
        .find(|&end| matches!(bytes[end], b'\n' | b'\r' | b'"' | b'\'' | b'`') || is_line_escape(bytes, end))
        .unwrap_or(limit);
    (end > at).then_some(at..end)
}

fn is_line_escape(bytes: &[u8], at: usize) -> bool {
    bytes[at] == b'\\' && matches!(bytes.get(at + 1), Some(b'n' | b'r' | b'"' | b'\'' | b'\\'))
}

fn credential_end(bytes: &[u8], start: usize, limit: usize) -> usize {
    (start..limit)
        .find(|&at| {
            bytes[at].is_ascii_whitespace()
                || matches!(bytes[at], b'"' | b'\'' | b'`' | b',' | b';' | b'\\')
                || has_at(bytes, at, b"</")
                || has_at(bytes, at, b"]]>")
        })
        .unwrap_or(limit)
}

fn find_cookies(bytes: &[u8], value: Range<usize>, spans: &mut Vec<Span>) {
    let mut at = value.start;
    let mut is_any_pair = false;
    while at < value.end {
        let end = memchr::memchr(b';', &bytes[at..value.end]).map_or(value.end, |offset| at + offset);
        let start = skip_blanks(bytes, at, 8).min(end);
        if let Some(equals) = memchr::memchr(b'=', &bytes[start..end]) {
            is_any_pair = true;
            spans.extend(cookie(bytes, start..start + equals, start + equals + 1..end));
        }
        at = end + 1;
    }
    let text = &bytes[value.start..value.end.min(value.start + JUDGED_MAX_BYTES)];
    if !is_any_pair && !is_placeholder(text) && !is_call(text) && text.len() >= 16 && looks_random(text) {
        spans.push(Span { start: value.start, end: value.end, rule: "cookie", rank: Rank::Placed });
    }
}

fn cookie(bytes: &[u8], name: Range<usize>, value: Range<usize>) -> Option<Span> {
    let end = credential_end(bytes, value.start, value.end);
    is_cookie(&bytes[name], &bytes[value.start..end]).then_some(Span {
        start: value.start,
        end,
        rule: "cookie",
        rank: Rank::Placed,
    })
}

/// Whether the value of a cookie is a secret.
pub(super) fn is_cookie(name: &[u8], value: &[u8]) -> bool {
    let name = name[..name.len().min(COOKIE_NAME_MAX_BYTES + 1)].to_ascii_lowercase();
    let text = &value[..value.len().min(JUDGED_MAX_BYTES)];
    let is_none = name.is_empty() || name.len() > COOKIE_NAME_MAX_BYTES || ATTRIBUTES.has(&name);
    if is_none || is_placeholder(text) || is_call(text) {
        return false;
    }
    let makeup = Makeup::of(text);
    (SESSION_WORDS.any_in(&name) && makeup.len >= 6 && !is_wordy(text))
        || (makeup.len >= 16 && makeup.is_random())
        || is_uuid(text)
}

/// `Bearer …` outside a header.
pub(super) fn find_bearer(bytes: &[u8], anchor_end: usize) -> Option<Span> {
    let start = skip_blanks(bytes, anchor_end, 4);
    let judged_end = Class::BEARER.run_end(bytes, start, JUDGED_MAX_BYTES);
    let token = &bytes[start..judged_end];
    let is_token = token.len() >= 12 && !is_placeholder(token) && (looks_random(token) || is_uuid(token));
    let strewn_end = if is_token { None } else { strewn_end(bytes, start, bytes.len()) };
    if let Some(end) = strewn_end {
        return Some(Span { start, end, rule: "bearer-token", rank: Rank::Placed });
    }
    let end = Class::BEARER.run_end(bytes, start, usize::MAX);
    is_token.then_some(Span { start, end, rule: "bearer-token", rank: Rank::Placed })
}

/// `Basic …` outside a header: base64 of a user, a colon and a password.
pub(super) fn find_basic(bytes: &[u8], anchor_end: usize) -> Option<Span> {
    let start = skip_blanks(bytes, anchor_end, 4);
    let end = Class::BASE64.or(Class::EQUALS).run_end(bytes, start, JUDGED_MAX_BYTES);
    (end - start >= 8 && holds_user_and_password(&bytes[start..end])).then_some(Span {
        start,
        end,
        rule: "basic-auth",
        rank: Rank::Placed,
    })
}

/// Whether base64 holds `user:password`.
pub(super) fn holds_user_and_password(encoded: &[u8]) -> bool {
    let Some(decoded) = base64::decode(encoded) else { return false };
    let is_text = |text: &[u8]| text.iter().all(|byte| (b' '..=b'~').contains(byte));
    // `\0user\0password`, as mail servers are told.
    if let [_, user, password] = decoded.split(|byte| *byte == 0).collect::<Vec<_>>()[..] {
        return !user.is_empty() && password.len() >= 3 && is_text(user) && is_text(password);
    }
    is_text(&decoded)
        && decoded.iter().position(|byte| *byte == b':').is_some_and(|at| at > 0 && at + 3 < decoded.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::operator::operator_after;

    fn authorization(text: &str) -> Vec<&str> {
        let mut spans = Vec::new();
        let start = text.to_lowercase().find("authorization").unwrap();
        let joined = operator_after(text.as_bytes(), start, start + 13).unwrap();
        find(text.as_bytes(), Kind::Authorization, joined, &mut spans);
        spans.iter().map(|span| &text[span.start..span.end]).collect()
    }

    #[test]
    fn the_scheme_stays_and_the_credential_goes() {
        assert_eq!(authorization("Authorization: Bearer abc123def"), ["abc123def"]);
        assert_eq!(authorization("'Authorization': 'Basic dXNlcjpwYXNz'"), ["dXNlcjpwYXNz"]);
        assert_eq!(authorization("Authorization: 9f86d081884c7d65"), ["9f86d081884c7d65"]);
        assert_eq!(authorization("{\\\"Authorization\\\":\\\"token abc123\\\"}"), ["abc123"]);
    }

    #[test]
    fn templates_and_programs_stay() {
        for text in [
            "Authorization: Bearer $TOKEN",
            "Authorization: Bearer {token}",
            "Authorization: Bearer <token>",
            "Authorization: authHeader",
            "Authorization = build(x)",
            "Authorization: Bearer token",
        ] {
            assert!(authorization(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn basic_needs_a_user_and_a_password_inside() {
        assert!(holds_user_and_password(b"dXNlcjpwYXNzd29yZA=="));
        assert!(!holds_user_and_password(b"authentication"));
    }
}
