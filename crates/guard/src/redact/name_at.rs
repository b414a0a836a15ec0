//! Where a name begins and ends that a stem was found in, and what it announces.

use std::ops::Range;

use super::chars::{Class, has_before, word_begins};
use super::margin;
use super::names::{Kind, PASSWORD, SecretName, is_short_for_password, may_be_head, read_name};
use super::vocabulary::USER_WORDS;

/// The longest name that is read, in bytes.
pub(super) const NAME_MAX_BYTES: usize = 64;

/// How many digits the number of a line has, and how many dashes of a name may stand behind one.
const LINE_NUMBER_MAX_DIGITS: usize = 6;
const DASHES_MAX: usize = 4;

/// How far before `pass` its user may stand, in bytes.
const USER_MAX_BYTES: usize = 120;
const NAME: Class = Class::WORD.or(Class::DASH);

/// A name in a text, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameAt {
    /// Where it begins, without the dashes of a flag.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where it begins with them.
    pub(super) outer_start: usize,
    /// Whether it is written as a flag, `--name`.
    pub(super) is_flag: bool,
}

/// The whole name around a stem that was found in it.
pub(super) fn name_around(bytes: &[u8], stem: Range<usize>) -> Option<NameAt> {
    // Some stems hold their operator, `sig=`, because without it they are too common.
    let is_operator = |byte: &&u8| byte.is_ascii() && !NAME.has(**byte);
    let operator_len = bytes[stem.clone()].iter().rev().take_while(is_operator).count();
    let stem = stem.start..stem.end - operator_len;
    let end = NAME.run_end(bytes, stem.end, NAME_MAX_BYTES);
    if !may_be_head(&bytes[stem.end..end], bytes[stem.end - 1]) {
        return None;
    }
    let mut start = NAME.or(Class::DOT).run_start(bytes, stem.start, NAME_MAX_BYTES);
    if end - stem.end == NAME_MAX_BYTES || has_before(bytes, start, b"[REDACTED:") {
        return None;
    }
    start = skip_escape(bytes, start).min(stem.start);
    start = behind_line_number(bytes, start, stem.start);
    let dashes = bytes[start..stem.end].iter().take_while(|byte| **byte == b'-').count();
    let dots = bytes[start + dashes..stem.start.max(start + dashes)]
        .iter()
        .take_while(|byte| **byte == b'.')
        .count();
    let stands_alone = start == 0 || !Class::ALNUM.has(bytes[start - 1]);
    let is_flag = (1..=2).contains(&dashes) && stands_alone;
    Some(NameAt { start: start + dashes + dots, end, outer_start: start, is_flag })
}

/// `conf/app.env-10-pass`: where the line begins that `grep` shows beside one that it found.
fn behind_line_number(bytes: &[u8], start: usize, end: usize) -> usize {
    let is_behind_number = |at: &usize| {
        let digits = Class::DIGIT.run_start(bytes, *at, LINE_NUMBER_MAX_DIGITS);
        digits > start && digits < *at && bytes[digits - 1] == b'-' && margin::ends_at(bytes, at + 1)
    };
    let dashes = memchr::memrchr_iter(b'-', &bytes[start..end]).map(|at| start + at);
    dashes.take(DASHES_MAX).find(is_behind_number).map_or(start, |dash| dash + 1)
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
        || text.eq_ignore_ascii_case(b"phrase")
        || is_short_for_password(text);
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
    let grown = if start == name.start { found } else { read_name(&bytes[start..name.end]) };
    grown.or_else(|| {
        (is_short_for_password(text) && stands_beside_user(bytes, name.start)).then_some(PASSWORD)
    })
}

/// Whether a user is named shortly before: then `pass` is a password.
fn stands_beside_user(bytes: &[u8], name_start: usize) -> bool {
    let before = bytes[name_start.saturating_sub(USER_MAX_BYTES)..name_start].to_ascii_lowercase();
    USER_WORDS.words().any(|word| {
        memchr::memmem::find_iter(&before, word).any(|at| {
            let begins = at == 0 || !before[at - 1].is_ascii_alphanumeric();
            let end = Class::LETTER.or(Class::UNDERSCORE).run_end(&before, at, USER_MAX_BYTES);
            // `test_login2` is the name of something else.
            begins && !before.get(end).is_some_and(u8::is_ascii_digit)
        })
    })
}
