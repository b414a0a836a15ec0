//! Logins in a sentence: `log in with "bob" and "…"`, `credentials: bob / …`.

use std::ops::Range;

use super::chars::{has_at, skip_blanks};
use super::command::argument;
use super::placeholder::is_placeholder;
use super::random::{Makeup, is_complex};
use super::span::{Rank, Span};
use super::work;

/// What says that a user and a password follow: anchors.
pub(super) const BEGINNINGS: &[&str] = &[
    "login with ",
    "log in with ",
    "logged in with ",
    "logs in with ",
    "logging in with ",
    "sign in with ",
    "login as ",
    "log in as ",
    "credentials: ",
    "credentials are ",
    "creds: ",
    "creds are ",
    "login: ",
    "login is ",
];
/// What stands between the user and the password.
const BETWEEN: &[&str] = &["/ ", "/", "and ", "with ", ": ", ":", ", ", "| ", "password ", "the password "];
/// The longest user and password, in bytes.
const LOGIN_MAX_BYTES: usize = 160;
/// How many words may stand between the two.
const BETWEEN_MAX: usize = 3;

/// The password of the login behind a beginning.
pub(super) fn find(bytes: &[u8], hit: &Range<usize>) -> Option<Span> {
    let limit = bytes.len().min(hit.end + LOGIN_MAX_BYTES);
    let line = memchr::memchr(b'\n', &bytes[hit.end..limit]).map_or(limit, |at| hit.end + at);
    work::note(line - hit.end);
    let (user_start, user_end) = argument(bytes, hit.end, line);
    (user_end > user_start).then_some(())?;
    let quoted = usize::from(user_start > hit.end);
    let at = skip_blanks(bytes, user_end + quoted, 4);
    let joined = (0..BETWEEN_MAX).fold(at, |at, _| {
        let sign = BETWEEN.iter().find(|sign| has_at(bytes, at, sign.as_bytes()));
        sign.map_or(at, |sign| skip_blanks(bytes, at + sign.len(), 4))
    });
    (joined > at && joined < line).then_some(())?;
    let (start, end) = argument(bytes, joined, line);
    let text = &bytes[start..end];
    let text = &text[..text.iter().rposition(|byte| !b".,;)".contains(byte)).map_or(0, |at| at + 1)];
    let is_secret = (Makeup::of(text).is_surely_secret() || is_complex(text)) && !is_placeholder(text);
    is_secret.then_some(Span { start, end: start + text.len(), rule: "password", rank: Rank::Placed })
}
