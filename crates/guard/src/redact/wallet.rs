//! Private keys of wallets, which have no armour: sixty-four hexadecimal digits where accounts are made, and the lists of
//! numbers that Solana keeps its keys in.

use std::ops::Range;

use super::chars::{Class, has_at, skip_blanks, word_begins};
use super::quote::Quote;
use super::span::{Rank, Span};
use super::work;

/// Where a program or its settings make accounts of keys: anchors.
pub(super) const MAKERS: &[&str] = &[
    "accounts: [",
    "accounts:[",
    "accounts = [",
    "wallet(",
    "privatekeytoaccount(",
    "fromprivatekey(",
    "from_private_key(",
    "from_key(",
];
/// The heading under which local chains list the keys of their accounts: an anchor.
pub(super) const HEADING: &str = "private keys";
/// A private key in hexadecimal digits.
const KEY_DIGITS: usize = 64;
/// How many keys of one list are looked at.
const KEYS_MAX: usize = 64;
/// How many lines without a key may stand under the heading.
const RULES_MAX: usize = 2;
/// How far the first key may stand from its line's beginning, in bytes.
const MARGIN_MAX_BYTES: usize = 16;
/// How many bytes a key of Solana has, and how many of them differ at least if they were drawn.
const LIST_NUMBERS: usize = 64;
const LIST_DISTINCT_MIN: usize = 40;
/// The longest list of that many numbers, in bytes.
const LIST_MAX_BYTES: usize = 520;

/// The keys behind the opening bracket of a list, or of a call.
pub(super) fn find_made(bytes: &[u8], open_end: usize, spans: &mut Vec<Span>) {
    let mut at = open_end;
    for _ in 0..KEYS_MAX {
        let start = at + bytes[at..].iter().take(40).take_while(|byte| byte.is_ascii_whitespace()).count();
        let Some(quote) = Quote::at(bytes, start) else { return };
        let inner = start + quote.open_len();
        let Some(end) = key_end(bytes, inner).filter(|end| quote.closes_at(bytes, *end).is_some()) else {
            return;
        };
        spans.push(span(inner..end));
        at = end + quote.closes_at(bytes, end).unwrap_or(1);
        match bytes.get(at) {
            Some(b',') => at += 1,
            _ => return,
        }
    }
}

/// `(0) 0x…` on the lines under the heading.
pub(super) fn find_listed(bytes: &[u8], heading_end: usize, spans: &mut Vec<Span>) {
    let mut rules = 0;
    let mut at = heading_end;
    for _ in 0..KEYS_MAX {
        let Some(line) = next_line(bytes, at) else { return };
        let margin = &bytes[line..bytes.len().min(line + MARGIN_MAX_BYTES)];
        let key = margin.windows(2).position(|pair| pair == b"0x").map(|offset| line + offset);
        match key.and_then(|start| Some(start..key_end(bytes, start)?)) {
            Some(key) => {
                at = key.end;
                spans.push(span(key));
            }
            None if rules < RULES_MAX && spans.is_empty() => (at, rules) = (line, rules + 1),
            None => return,
        }
    }
}

/// Where the next line begins, if it is near.
fn next_line(bytes: &[u8], at: usize) -> Option<usize> {
    let window = &bytes[at..bytes.len().min(at + 80)];
    work::note(window.len());
    Some(at + memchr::memchr(b'\n', window)? + 1)
}

/// Where the key ends that begins at `start`.
fn key_end(bytes: &[u8], start: usize) -> Option<usize> {
    let digits = if has_at(bytes, start, b"0x") { start + 2 } else { start };
    let end = Class::HEX.run_end(bytes, digits, KEY_DIGITS + 1);
    let goes_on = bytes.get(end).is_some_and(|byte| Class::WORD.has(*byte));
    (end - digits == KEY_DIGITS && !goes_on).then_some(end)
}

/// Lists of sixty-four bytes that have a line of their own, as Solana writes its keys.
pub(super) fn find_lists(bytes: &[u8], spans: &mut Vec<Span>) {
    let mut from = 0;
    while let Some(open) = memchr::memchr(b'[', &bytes[from..]).map(|offset| from + offset) {
        from = open + 1;
        let window = &bytes[open + 1..bytes.len().min(open + 1 + LIST_MAX_BYTES)];
        if !window.first().is_some_and(u8::is_ascii_digit) || !begins_line(bytes, open) {
            continue;
        }
        let is_of_list = |byte: &&u8| byte.is_ascii_digit() || **byte == b',';
        let len = window.iter().take_while(is_of_list).count();
        work::note(len);
        from += len;
        let is_whole = window.get(len) == Some(&b']') && ends_line(bytes, open + len + 2);
        if is_whole && is_key(&window[..len]) {
            spans.push(span(open..open + len + 2));
        }
    }
}

/// Whether nothing but the margin of a listing stands before `at`.
fn begins_line(bytes: &[u8], at: usize) -> bool {
    let window = &bytes[at.saturating_sub(MARGIN_MAX_BYTES)..at];
    let line = window.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    line.len() < MARGIN_MAX_BYTES
        && (line.iter().all(|byte| !byte.is_ascii_alphabetic() && *byte != b'=')
            || word_begins(bytes, at) && line.ends_with(b"\\n"))
}

fn ends_line(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(skip_blanks(bytes, at, 4)), None | Some(b'\n' | b'\r' | b'\\' | b'"' | b'\''))
}

fn is_key(list: &[u8]) -> bool {
    let mut seen = [false; 256];
    let mut count = 0;
    for digits in list.split(|byte| *byte == b',') {
        let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<u8>().ok());
        let Some(number) = number else { return false };
        seen[usize::from(number)] = true;
        count += 1;
    }
    count == LIST_NUMBERS && seen.iter().filter(|seen| **seen).count() >= LIST_DISTINCT_MIN
}

fn span(range: Range<usize>) -> Span {
    Span { start: range.start, end: range.end, rule: "private-key", rank: Rank::Formed }
}
