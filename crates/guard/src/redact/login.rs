//! Logins in one word: `scott/tiger@db` behind `sqlplus` or in an address of Oracle, `:pserver:bob:…@host` of CVS; and the
//! private members of a JSON web key.

use std::ops::Range;

use super::chars::{Class, has_at, position};
use super::placeholder::is_placeholder;
use super::quote::Quote;
use super::span::{Rank, Span};
use super::work;

/// What such logins stand behind, and the sign between user and password: anchors.
pub(super) const BEGINNINGS: &[(&str, u8)] =
    &[("jdbc:oracle:thin:", b'/'), ("sqlplus ", b'/'), (":pserver:", b':')];
/// The longest login, in bytes.
const LOGIN_MAX_BYTES: usize = 160;
/// How far from the kind of a web key its members are looked for, in bytes.
const WEB_KEY_MAX_BYTES: usize = 1024;
/// A private member is at least this long, in bytes.
const MEMBER_MIN_BYTES: usize = 16;

/// The password of the login behind a beginning.
pub(super) fn find(bytes: &[u8], hit: &Range<usize>) -> Option<Span> {
    let found = BEGINNINGS.iter().find(|(text, _)| text.as_bytes().eq_ignore_ascii_case(&bytes[hit.clone()]));
    let (_, sign) = found?;
    let window = &bytes[hit.end..bytes.len().min(hit.end + LOGIN_MAX_BYTES)];
    let window = &window
        [..window.iter().position(|byte| matches!(byte, b'\n' | b'"' | b'\'')).unwrap_or(window.len())];
    work::note(window.len());
    let end = memchr::memrchr(b'@', window)?;
    let word = window[..end].iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
    let user_end = word + Class::WORD.run_end(&window[word..end], 0, LOGIN_MAX_BYTES);
    let secret = (user_end > word && window.get(user_end) == Some(sign)).then(|| user_end + 1..end)?;
    let text = &window[secret.clone()];
    (text.len() >= 3 && !is_placeholder(text) && !text.starts_with(b"/")).then_some(Span {
        start: hit.end + secret.start,
        end: hit.end + secret.end,
        rule: "url-password",
        rank: Rank::Placed,
    })
}

/// `"d": "…"` and `"k": "…"` near the `"kty"` of a web key, in what is no whole JSON.
pub(super) fn find_web_key(bytes: &[u8], kind: &Range<usize>, spans: &mut Vec<Span>) {
    let start = kind.start.saturating_sub(WEB_KEY_MAX_BYTES);
    let around = &bytes[start..bytes.len().min(kind.end + WEB_KEY_MAX_BYTES)];
    for member in [&b"\"d\":"[..], b"\"k\":"] {
        let Some(offset) = position(around, member) else { continue };
        let at = start + offset + member.len();
        let at = at + usize::from(has_at(bytes, at, b" "));
        let Some(quote) = Quote::at(bytes, at) else { continue };
        let inner = at + quote.open_len();
        let end = Class::ANY64.run_end(bytes, inner, WEB_KEY_MAX_BYTES);
        if end - inner >= MEMBER_MIN_BYTES {
            spans.push(Span { start: inner, end, rule: "json-web-key", rank: Rank::Placed });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, beginning: &str, expect: Option<&str>) {
        let at = text.find(beginning).unwrap();
        let found = find(text.as_bytes(), &(at..at + beginning.len()));
        assert_eq!(found.map(|span| &text[span.start..span.end]), expect, "{text}");
    }

    #[test]
    fn a_login_in_one_word_gives_its_password_away() {
        check("sqlplus -s scott/hun!ter2@db", "sqlplus ", Some("hun!ter2"));
        check("jdbc:oracle:thin:scott/hunter2@h:1521:x", "jdbc:oracle:thin:", Some("hunter2"));
        check("cvs -d :pserver:bob:hunter2@h:/x co", ":pserver:", Some("hunter2"));
        check("jdbc:oracle:thin:@//h:1521/x", "jdbc:oracle:thin:", None);
        check("sqlplus /nolog @script.sql", "sqlplus ", None);
        check("sqlplus user/${PW}@db", "sqlplus ", None);
    }
}
