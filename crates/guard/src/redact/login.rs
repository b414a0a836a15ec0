//! Logins in one word: `scott/tiger@db` behind `sqlplus` or in an address of Oracle, `:pserver:bob:…@host` of CVS, `bob:…@tcp(host)` of
//! Go, `[host]:587 bob@host:…` of Postfix; and the private members of a JSON web key.

use std::ops::Range;

use super::chars::{Class, contains, has_at, skip_blanks, word_begins};
use super::command::is_surely_secret;
use super::placeholder::{is_placeholder, is_plain_data};
use super::quote::Quote;
use super::span::{Rank, Span};
use super::work;

/// What such logins stand behind or before, and the sign between user and password: anchors.
pub(super) const BEGINNINGS: &[(&str, u8)] = &[
    ("jdbc:oracle:thin:", b'/'),
    ("sqlplus ", b'/'),
    ("expdp ", b'/'),
    ("impdp ", b'/'),
    ("sqlldr ", b'/'),
    ("rman target ", b'/'),
    ("exp ", b'/'),
    ("imp ", b'/'),
    ("userid=", b'/'),
    ("bundle_", b':'),
    (":pserver:", b':'),
    ("@tcp(", b':'),
    ("@unix(", b':'),
    ("]:25 ", b':'),
    ("]:465 ", b':'),
    ("]:587 ", b':'),
];
const WEAK_BEGINNINGS: &[&str] = &["exp ", "imp ", "userid=", "bundle_"];
/// The longest login, in bytes.
const LOGIN_MAX_BYTES: usize = 160;
/// The longest margin before a login, in bytes.
const MARGIN_MAX_BYTES: usize = 64;
/// How far from the kind of a web key its members are looked for, in bytes: a key of 4096 bits with the margins of its lines.
const WEB_KEY_MAX_BYTES: usize = 4096;
/// The members of a web key that are private.
const PRIVATE_MEMBERS: &[&[u8]] =
    &[b"\"d\":", b"\"k\":", b"\"p\":", b"\"q\":", b"\"dp\":", b"\"dq\":", b"\"qi\":"];
/// A private member is at least this long, in bytes.
const MEMBER_MIN_BYTES: usize = 16;

/// The password of the login behind a beginning.
pub(super) fn find(bytes: &[u8], hit: &Range<usize>) -> Option<Span> {
    let found = BEGINNINGS.iter().find(|(text, _)| text.as_bytes().eq_ignore_ascii_case(&bytes[hit.clone()]));
    let (beginning, sign) = found?;
    // Users of a mail server have an `@` in their names.
    let is_mail = beginning.starts_with(']');
    // Words that other words end with, and that stand before other things.
    let is_weak = WEAK_BEGINNINGS.contains(beginning);
    let is_inside = hit.start > 0 && b"?&-./".contains(&bytes[hit.start - 1]);
    (!is_weak || (word_begins(bytes, hit.start) && !is_inside)).then_some(())?;
    let login = match *beginning {
        _ if beginning.starts_with('@') => before(bytes, hit.start),
        "bundle_" => behind(bytes, setting(bytes, hit.end)?, is_mail)?,
        _ => behind(bytes, hit.end + usize::from(matches!(bytes.get(hit.end), Some(b'"' | b'\''))), is_mail)?,
    };
    let is_of_user = |byte: &u8| Class::URL64.or(Class::DOT).has(*byte) || (is_mail && *byte == b'@');
    let user_end = login.start + bytes[login.clone()].iter().take_while(|byte| is_of_user(byte)).count();
    let has_user = user_end > login.start && bytes[login.start].is_ascii_alphabetic();
    let secret =
        (has_user && user_end < login.end && bytes[user_end] == *sign).then(|| user_end + 1..login.end)?;
    let text = &bytes[secret.clone()];
    let is_secret = (!is_weak || is_surely_secret(text))
        && text.len() >= 3
        && !is_placeholder(text)
        && !text.starts_with(b"/")
        && !is_plain_data(text);
    is_secret.then_some(Span {
        start: secret.start,
        end: secret.end,
        rule: "url-password",
        rank: Rank::Placed,
    })
}

/// `BUNDLE_GEMS__HOST__COM: bob:…`: where the value of a setting of Bundler begins.
fn setting(bytes: &[u8], at: usize) -> Option<usize> {
    let end = Class::WORD.run_end(bytes, at, LOGIN_MAX_BYTES);
    (contains(&bytes[at..end], b"__") && matches!(bytes.get(end), Some(b':' | b'='))).then_some(())?;
    let value = skip_blanks(bytes, end + 1, 8);
    Some(value + usize::from(matches!(bytes.get(value), Some(b'"' | b'\''))))
}

/// The word that ends at `end`.
fn before(bytes: &[u8], end: usize) -> Range<usize> {
    let is_of_word = |byte: &&u8| !byte.is_ascii_whitespace() && !b"\"'`=>[".contains(*byte);
    let len = bytes[..end].iter().rev().take(LOGIN_MAX_BYTES).take_while(is_of_word).count();
    work::note(len);
    let word = &bytes[end - len..end];
    // Behind the number of its line, with or without the name of its file, and the sign of a diff.
    let is_end =
        |at: &usize| !word[*at].is_ascii() || (word[*at] == b':' && *at > 0 && word[at - 1].is_ascii_digit());
    let margin = (0..len.min(MARGIN_MAX_BYTES)).rev().find(is_end).map_or(0, |at| at + 1);
    let margin = margin.max(file_len(word));
    let sign = usize::from(matches!(word.get(margin), Some(b'+' | b'-')));
    end - len + margin + sign..end
}

/// `conf/app.txt:`, `conf/app.txt-7-`: how long the name of a file before a login is, as `grep` writes it.
fn file_len(word: &[u8]) -> usize {
    let Some(colon) = memchr::memchr(b':', word) else { return 0 };
    let name = &word[..colon];
    match memchr::memchr(b'/', name) {
        None => 0,
        Some(_) if word[colon + 1..].contains(&b':') => colon + 1,
        Some(_) => memchr::memrchr(b'-', name).map_or(0, |at| at + 1),
    }
}

/// The login behind `start`: what stands before the last `@`, or the first word that is no flag.
fn behind(bytes: &[u8], start: usize, is_mail: bool) -> Option<Range<usize>> {
    let window = &bytes[start..bytes.len().min(start + LOGIN_MAX_BYTES)];
    let window = &window[..window.iter().position(|byte| b"\n\"'`\\".contains(byte)).unwrap_or(window.len())];
    work::note(window.len());
    if let Some(end) = memchr::memrchr(b'@', window).filter(|_| !is_mail) {
        let word = window[..end].iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
        return Some(start + word..start + end);
    }
    let mut at = 0;
    for word in window.split(|byte| *byte == b' ') {
        if !word.is_empty() && !word.starts_with(b"-") {
            return Some(start + at..start + at + word.len());
        }
        at += word.len() + 1;
    }
    None
}

/// `"d": "…"`, `"k": "…"` and the others near the `"kty"` of a web key, in what is no whole JSON. What stands before `read_until`
/// has been read for a key before it.
pub(super) fn find_web_key(bytes: &[u8], kind: &Range<usize>, read_until: &mut usize, spans: &mut Vec<Span>) {
    let start = kind.start.saturating_sub(WEB_KEY_MAX_BYTES).max(*read_until);
    let end = bytes.len().min(kind.end + WEB_KEY_MAX_BYTES);
    let Some(around) = bytes.get(start..end) else { return };
    work::note(around.len());
    for member in PRIVATE_MEMBERS {
        for offset in memchr::memmem::find_iter(around, member) {
            spans.extend(private_member(bytes, start + offset + member.len()));
        }
    }
    *read_until = end;
}

fn private_member(bytes: &[u8], at: usize) -> Option<Span> {
    let at = at + usize::from(has_at(bytes, at, b" "));
    let start = at + Quote::at(bytes, at)?.open_len();
    let end = Class::ANY64.run_end(bytes, start, WEB_KEY_MAX_BYTES);
    (end - start >= MEMBER_MIN_BYTES).then_some(Span { start, end, rule: "json-web-key", rank: Rank::Placed })
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
        check("sqlplus -s scott/hunter2 as sysdba", "sqlplus ", Some("hunter2"));
        check("dsn := \"bob:hun@ter2@tcp(h:3306)/x\"", "@tcp(", Some("hun@ter2"));
        check("[smtp.test]:587 bob@x.test:hunter2", "]:587 ", Some("hunter2"));
        check("connect to [::1]:587 failed: timeout2", "]:587 ", None);
        check("bob:${PW}@tcp(h:3306)/x", "@tcp(", None);
        check("jdbc:oracle:thin:@//h:1521/x", "jdbc:oracle:thin:", None);
        check("sqlplus /nolog @script.sql", "sqlplus ", None);
        check("sqlplus user/${PW}@db", "sqlplus ", None);
    }
}
