//! Secrets inside base64: `user:token` of a registry, the data of a Kubernetes secret, a token that was
//! encoded to get it through something.

use std::ops::Range;

use super::base64::{decode, fixed_part};
use super::chars::{Class, skip_blanks};
use super::span::{Rank, Span};
use super::words::WordList;
use super::work;

/// Beginnings of secrets that are looked for inside base64, at each of the three offsets.
const PLAIN: WordList = WordList(
    "ghp_ gho_ ghs_ github_pat_ glpat- npm_ pypi- dckr_pat_ AKIA ASIA AIza GOCSPX- ya29. sk-ant- sk-proj- \
     sk-or- sk_live_ sk_test_ rk_live_ whsec_ xoxb- xoxp- xapp- hf_ gsk_ pplx- dop_v1_ shpat_ lin_api_ ntn_ \
     figd_ hvs. eyJhbGciOi -----BEGIN LS0tLS1CRUdJT PuTTY-User-Key-File UHVUVFktVXNlci Private-Lines: password PASSWORD passwd secret SECRET api_key API_KEY apiKey _token \
     _TOKEN Bearer AccountKey=",
);

/// The longest base64 text that is decoded, in bytes.
const ENCODED_MAX_BYTES: usize = 16 * 1024;
/// Shorter texts hold no secret that is worth decoding them.
const ENCODED_MIN_BYTES: usize = 24;
/// Lines of at least this many digits may have been broken because they were full.
const LINE_MIN_CHARS: usize = 60;
/// The deepest indentation of such lines, in bytes.
const INDENT_MAX_BYTES: usize = 64;
/// The digits, without padding.
const DIGITS: Class = Class::BASE64;
/// An anchor shorter than this occurs by chance.
const ANCHOR_MIN_CHARS: usize = 4;

/// The anchors.
pub(super) fn anchors() -> impl Iterator<Item = String> {
    PLAIN
        .words()
        .flat_map(|plain| (0..3).map(|offset| fixed_part(plain, offset)))
        .filter(|anchor| anchor.len() >= ANCHOR_MIN_CHARS)
}

/// The base64 text around an anchor, line by line, cut at the limit; padding is not part of it. Nothing before
/// `from` is looked at.
pub(super) fn block_around(bytes: &[u8], anchor_start: usize, from: usize) -> Vec<Range<usize>> {
    let line = line_around(bytes, anchor_start, from);
    let mut above = Vec::new();
    let mut first = line.clone();
    let mut width = line.len();
    while let Some(before) = line_above(bytes, first.start, from) {
        let is_full = before.len() >= LINE_MIN_CHARS && before.len() % 4 == 0;
        let fits = if above.is_empty() { before.len() >= width } else { before.len() == width };
        if !is_full || !fits || line.start - before.start > ENCODED_MAX_BYTES {
            break;
        }
        width = before.len();
        first = before.clone();
        above.push(before);
    }
    let mut lines: Vec<Range<usize>> = above.into_iter().rev().chain([line.clone()]).collect();
    let mut last = line.clone();
    while last.len() == width && width >= LINE_MIN_CHARS && last.end - line.start <= ENCODED_MAX_BYTES {
        let Some(next) = line_below(bytes, last.end).filter(|next| next.len() <= width) else { break };
        lines.push(next.clone());
        last = next;
    }
    lines
}

fn line_around(bytes: &[u8], at: usize, from: usize) -> Range<usize> {
    let start = DIGITS.run_start(bytes, at, ENCODED_MAX_BYTES.min(at - from.min(at)));
    start..DIGITS.run_end(bytes, at, ENCODED_MAX_BYTES)
}

/// The line before the one that begins at `start`, if it is of base64 alone.
fn line_above(bytes: &[u8], start: usize, from: usize) -> Option<Range<usize>> {
    let end =
        without_blanks(bytes, start, from).checked_sub(1).filter(|&end| bytes[end] == b'\n' && end > from)?;
    let end = if bytes[end - 1] == b'\r' { end - 1 } else { end };
    let before = DIGITS.run_start(bytes, end, ENCODED_MAX_BYTES.min(end - from));
    let line_start = without_blanks(bytes, before, from);
    let begins_line = line_start == 0 || matches!(bytes[line_start - 1], b'\n' | b'"');
    (begins_line && before < end).then_some(before..end)
}

/// The line behind the one that ends at `end`.
fn line_below(bytes: &[u8], end: usize) -> Option<Range<usize>> {
    let start = match bytes.get(end..)? {
        [b'\n', ..] => end + 1,
        [b'\r', b'\n', ..] => end + 2,
        _ => return None,
    };
    let start = skip_blanks(bytes, start, INDENT_MAX_BYTES);
    let next_end = DIGITS.run_end(bytes, start, ENCODED_MAX_BYTES);
    let ends_line = matches!(bytes.get(next_end), None | Some(b'\n' | b'\r' | b'=' | b'"'));
    (ends_line && next_end > start).then_some(start..next_end)
}

fn without_blanks(bytes: &[u8], at: usize, from: usize) -> usize {
    let blanks = bytes[from.min(at)..at].iter().rev().take(INDENT_MAX_BYTES);
    at - blanks.take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Decodes the lines of a base64 text, and asks `holds_secret` about what is inside.
pub(super) fn find(
    bytes: &[u8],
    lines: &[Range<usize>],
    holds_secret: impl Fn(&str) -> bool,
) -> Option<Span> {
    let (first, last) = (lines.first()?, lines.last()?);
    let is_cut = first.start > 0 && DIGITS.has(bytes[first.start - 1]);
    let mut text: Vec<u8> = lines.iter().flat_map(|line| bytes[line.clone()].iter().copied()).collect();
    if is_cut || text.len() < ENCODED_MIN_BYTES {
        return None;
    }
    // One digit too many means that the text was cut off.
    if text.len() % 4 == 1 {
        text.pop();
    }
    work::note(text.len());
    let plain = String::from_utf8(decode(&text)?).ok()?;
    let is_text = !plain.chars().any(|character| character.is_control() && !character.is_whitespace());
    let end = Class::EQUALS.run_end(bytes, DIGITS.run_end(bytes, last.end, usize::MAX), 2);
    (is_text && holds_secret(&plain)).then_some(Span {
        start: first.start,
        end,
        rule: "base64-secret",
        rank: Rank::Placed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_anchor_is_long_enough_to_be_rare() {
        assert!(anchors().all(|anchor| anchor.len() >= ANCHOR_MIN_CHARS));
        assert!(anchors().any(|anchor| anchor == "LS0tLS1CRUdJT"));
    }

    #[test]
    fn lines_of_one_width_are_one_text() {
        let wide = "A".repeat(64);
        let text = format!("x\n  {wide}\n  {wide}\n  {wide}\n  AAAA==\nAAAAAAAA\n");
        let at = text.find(&wide).unwrap() + 70;
        let lines = block_around(text.as_bytes(), at, 0);
        let lens: Vec<usize> = lines.iter().map(ExactSizeIterator::len).collect();
        assert_eq!(lens, [64, 64, 64, 4]);
    }

    #[test]
    fn the_whole_base64_text_is_taken() {
        // "user:ghp_" and a body of its own
        let text = "auth dXNlcjpnaHBfYWJjZGVmZ2hpamtsbW5vcHFyc3R1dg== end";
        let at = text.find("aHBf").unwrap();
        let span =
            find(text.as_bytes(), &block_around(text.as_bytes(), at, 0), |plain| plain.contains("ghp_"))
                .unwrap();
        assert_eq!(&text[span.start..span.end], "dXNlcjpnaHBfYWJjZGVmZ2hpamtsbW5vcHFyc3R1dg==");
    }
}
