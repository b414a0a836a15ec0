//! `-p …` of programs that are not known: a password if a user is named beside it, or if it can be nothing else.

use std::ops::Range;

use super::chars::{contains, position, skip_blanks};
use super::command::{argument, is_surely_secret};
use super::placeholder::is_placeholder;
use super::random::Makeup;
use super::span::{Rank, Span};
use super::work;

/// The flag, small or capital: an anchor.
pub(super) const FLAG: &str = " -p ";
/// How far around the flag its user may stand, in bytes.
const LINE_MAX_BYTES: usize = 200;
/// The longest password, in bytes.
const PASSWORD_MAX_BYTES: usize = 128;
/// Without a user beside it a password is at least this long, in bytes.
const ALONE_MIN_BYTES: usize = 12;
/// How users are named.
const USERS: &[&str] =
    &[" -u ", " -U ", " --user ", " --user=", " --username ", " --username=", " -l ", " -n "];

/// Looks at what stands behind the flag.
pub(super) fn find(bytes: &[u8], flag: &Range<usize>) -> Option<Span> {
    let at = skip_blanks(bytes, flag.end, 8);
    let (start, end) = argument(bytes, at, bytes.len().min(at + PASSWORD_MAX_BYTES));
    // A line end that is written out.
    let end = start + position(&bytes[start..end], b"\\n").unwrap_or(end - start);
    let text = &bytes[start..end];
    let is_of_program = |byte: &u8| b" \t\n(){}[]<>|;=,\\".contains(byte);
    (!text.iter().any(is_of_program) && is_surely_secret(text)).then_some(())?;
    let makeup = Makeup::of(text);
    let is_sure = makeup.is_surely_secret()
        && makeup.len >= ALONE_MIN_BYTES
        && makeup.upper > 0
        && makeup.lower > 0
        && makeup.others == 0;
    let is_secret = !is_placeholder(text) && (is_sure || names_user(bytes, flag));
    is_secret.then_some(Span { start, end, rule: "command-password", rank: Rank::Placed })
}

/// Whether a user is named on the same line.
fn names_user(bytes: &[u8], flag: &Range<usize>) -> bool {
    let from = flag.start.saturating_sub(LINE_MAX_BYTES);
    let start = memchr::memrchr(b'\n', &bytes[from..flag.start]).map_or(from, |at| from + at + 1);
    let window = &bytes[flag.start..bytes.len().min(flag.end + LINE_MAX_BYTES)];
    let end = flag.start + memchr::memchr(b'\n', window).unwrap_or(window.len());
    work::note(end - start);
    USERS.iter().any(|user| contains(&bytes[start..end], user.as_bytes()))
}
