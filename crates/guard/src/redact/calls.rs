//! Logins in programs whose arguments have no names: `connect(host, "bob", "…")`.

use super::chars::skip_blanks;
use super::extent::JUDGED_MAX_BYTES;
use super::placeholder::{is_placeholder, is_plain_data};
use super::quote::Quote;
use super::random::Makeup;
use super::span::{Rank, Span};
use super::work;

/// What functions that log in are called: anchors.
pub(super) const NAMES: &[&str] = &["connect(", "connection(", "login(", "authenticate(", "db.auth("];
/// How much of a call is looked at, in bytes.
const CALL_MAX_BYTES: usize = 256;

/// Looks at the arguments of a call: the last of them is a password if it can be nothing else, behind another text.
pub(super) fn find(bytes: &[u8], open_end: usize) -> Option<Span> {
    let limit = bytes.len().min(open_end + CALL_MAX_BYTES);
    let mut at = skip_blanks(bytes, open_end, 8);
    let mut last = None;
    while at < limit {
        if let Some(quote) = Quote::at(bytes, at) {
            let start = at + quote.open_len();
            let end = quote.end_before(bytes, start, limit)?;
            at = skip_blanks(bytes, end + quote.closes_at(bytes, end)?, 8);
            let is_next = last.is_some();
            last = Some(start..end);
            match bytes.get(at)? {
                b')' if is_next => break,
                b',' => {}
                _ => return None,
            }
        } else {
            let name = &bytes[at..limit];
            at += name.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b"._ ".contains(byte)))?;
            (bytes[at] == b',').then_some(())?;
        }
        at = skip_blanks(bytes, at + 1, 8);
    }
    work::note(at.saturating_sub(open_end));
    let secret = last.filter(|_| bytes.get(at) == Some(&b')'))?;
    let text = &bytes[secret.clone()];
    (is_chosen(text) && !is_placeholder(text) && !is_plain_data(text)).then_some(Span {
        start: secret.start,
        end: secret.end,
        rule: "password",
        rank: Rank::Placed,
    })
}

/// Letters, digits and a sign, or drawn: no name of a database is made so.
fn is_chosen(text: &[u8]) -> bool {
    text.len() <= JUDGED_MAX_BYTES
        && Makeup::of(text).is_surely_secret()
        && !text.iter().any(|byte| b"(){}[]<>=,;\\".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<&str>) {
        let open = text.find('(').unwrap() + 1;
        assert_eq!(find(text.as_bytes(), open).map(|span| &text[span.start..span.end]), expect, "{text}");
    }

    #[test]
    fn the_last_argument_of_a_login_is_a_password() {
        check("connect(host, \"bob\", \"hun!ter2\")", Some("hun!ter2"));
        check("client.login('bob@x.org', 'hun!ter2')", Some("hun!ter2"));
        check("connect(\"localhost\", 5432, \"app2\")", None);
        check("login(user, \"hun!ter2\")", None);
        check("connect(\"a\", f(\"hun!ter2\"))", None);
        check("getConnection(url, \"sa\", \"${PASSWORD}\")", None);
    }
}
