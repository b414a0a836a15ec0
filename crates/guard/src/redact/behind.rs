//! A password whose name stands behind it: `… # db password`, `"…" as password`, `… is the password`.

use std::ops::Range;

use super::assignment::judged;
use super::chars::{Class, has_at, has_before, skip_blanks, skip_blanks_back};
use super::judge::Join;
use super::name_at::NameAt;
use super::names::{Kind, read_name};
use super::quote::Quote;
use super::random::{Makeup, is_complex};
use super::span::Span;
use super::vocabulary::OWNERS;
use super::work;

/// How far before its name a value may begin, in bytes.
const VALUE_MAX_BYTES: usize = 96;
/// How many words may stand between the link and the name: `the`, `db`.
const OWNERS_MAX: usize = 3;
/// What links a value with the name behind it. The first ones begin a comment.
const COMMENTS: &[&str] = &["#", "//", "--"];
const LINKS: &[&str] = &["<-", "←", "(", " as", " is"];
/// What may follow the name, which is then the last word about the value.
const ENDS: &[&str] =
    &["\n", "\r", ".", ",", ";", ")", "!", "\"", "'", "\\", " of ", " for ", " in ", " on "];

/// Looks for a value before the name.
pub(super) fn find(bytes: &[u8], name: NameAt) -> Option<Span> {
    let at = skip_owners(bytes, skip_blanks_back(bytes, name.start, 4));
    let ends_with = |link: &&&str| has_before(bytes, at, link.as_bytes());
    let is_apart = at < name.start && matches!(bytes[at], b' ' | b'\t');
    let comment = COMMENTS.iter().find(ends_with).filter(|_| is_apart);
    let link = comment.or_else(|| LINKS.iter().find(ends_with))?;
    let rest = skip_blanks(bytes, name.end, 4);
    let is_last = rest >= bytes.len() || ENDS.iter().any(|end| has_at(bytes, name.end, end.as_bytes()));
    let secret =
        read_name(&bytes[name.start..name.end]).filter(|name| name.kind == Kind::Password && is_last)?;
    // `" as"` brings its blank along.
    let link_start = at - link.trim_start().len();
    let end = skip_blanks_back(bytes, link_start, 40);
    (end < link_start).then_some(())?;
    if let Some(value) = quoted_before(bytes, end) {
        return judged(bytes, value, secret, Join::Loose, /*is_quoted*/ true);
    }
    let value = word_before(bytes, end);
    let is_value = comment.is_none() || begins_line(bytes, value.start);
    let text = &bytes[value.clone()];
    let is_name = Makeup::of(text).joints > 0 && !is_complex(text);
    (is_value && !is_name).then(|| judged(bytes, value, secret, Join::Prose, /*is_quoted*/ false))?
}

/// `the db` before `password`: where such words begin.
fn skip_owners(bytes: &[u8], mut at: usize) -> usize {
    for _ in 0..OWNERS_MAX {
        let start = Class::LETTER.run_start(bytes, at, 12);
        if !OWNERS.has(&bytes[start..at]) {
            break;
        }
        at = skip_blanks_back(bytes, start, 4);
    }
    at
}

/// The text between the quotes that close right before `end`.
fn quoted_before(bytes: &[u8], end: usize) -> Option<Range<usize>> {
    let mark = *bytes.get(end.checked_sub(1)?)?;
    matches!(Quote::before(bytes, end)?, Quote::Plain { .. }).then_some(())?;
    let from = end.saturating_sub(VALUE_MAX_BYTES);
    work::note(end - from);
    let start = from + 1 + memchr::memrchr2(mark, b'\n', &bytes[from..end - 1])?;
    (bytes[start - 1] == mark).then_some(start..end - 1)
}

fn word_before(bytes: &[u8], end: usize) -> Range<usize> {
    let is_of_word = |byte: &&u8| !byte.is_ascii_whitespace() && !matches!(**byte, b'"' | b'\'' | b'`');
    let len = bytes[..end].iter().rev().take(VALUE_MAX_BYTES).take_while(is_of_word).count();
    work::note(len);
    // Behind the number of its line.
    let margin = memchr::memmem::rfind(&bytes[end - len..end], "→".as_bytes()).map_or(0, |at| at + "→".len());
    end - len + margin..end
}

/// Whether a value is all that stands on its line before a comment, but for the mark of a list or the name of a setting.
fn begins_line(bytes: &[u8], start: usize) -> bool {
    let before = skip_blanks_back(bytes, start, 40);
    before == 0 || matches!(bytes[before - 1], b'\n' | b'-' | b'=' | b':' | b'+' | b'*')
}
