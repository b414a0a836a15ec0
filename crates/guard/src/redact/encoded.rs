//! Secrets inside base64: `user:token` of a registry, the data of a Kubernetes secret, a token that was
//! encoded to get it through something.

use std::ops::Range;

use super::base64::{decode, fixed_part};
use super::chars::Class;
use super::span::{Rank, Span};
use super::words::WordList;

/// Beginnings of secrets that are looked for inside base64, at each of the three offsets.
const PLAIN: WordList = WordList(
    "ghp_ gho_ ghs_ github_pat_ glpat- npm_ pypi- dckr_pat_ AKIA ASIA AIza GOCSPX- ya29. sk-ant- sk-proj- \
     sk-or- sk_live_ sk_test_ rk_live_ whsec_ xoxb- xoxp- xapp- hf_ gsk_ pplx- dop_v1_ shpat_ lin_api_ ntn_ \
     figd_ hvs. eyJhbGciOi -----BEGIN password PASSWORD passwd secret SECRET api_key API_KEY apiKey _token \
     _TOKEN Bearer AccountKey=",
);

/// The longest base64 text that is decoded, in bytes.
const ENCODED_MAX_BYTES: usize = 16 * 1024;
/// Shorter texts hold no secret that is worth decoding them.
const ENCODED_MIN_BYTES: usize = 24;
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

/// The base64 text around an anchor, cut at the limit; padding is not part of it.
pub(super) fn text_around(bytes: &[u8], anchor_start: usize) -> Range<usize> {
    let start = DIGITS.run_start(bytes, anchor_start, ENCODED_MAX_BYTES);
    start..DIGITS.run_end(bytes, anchor_start, ENCODED_MAX_BYTES)
}

/// Decodes a base64 text, and asks `holds_secret` about what is inside.
pub(super) fn find(bytes: &[u8], text: Range<usize>, holds_secret: impl Fn(&str) -> bool) -> Option<Span> {
    let is_cut = text.start > 0 && DIGITS.has(bytes[text.start - 1]);
    if is_cut || text.len() < ENCODED_MIN_BYTES {
        return None;
    }
    // One digit too many means that the text was cut off.
    let sample = if text.len() % 4 == 1 { text.start..text.end - 1 } else { text.clone() };
    let plain = String::from_utf8(decode(&bytes[sample])?).ok()?;
    let is_text = !plain.chars().any(|character| character.is_control() && !character.is_whitespace());
    let end = Class::EQUALS.run_end(bytes, DIGITS.run_end(bytes, text.end, usize::MAX), 2);
    (is_text && holds_secret(&plain)).then_some(Span {
        start: text.start,
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
    fn the_whole_base64_text_is_taken() {
        // "user:ghp_" and a body of its own
        let text = "auth dXNlcjpnaHBfYWJjZGVmZ2hpamtsbW5vcHFyc3R1dg== end";
        let at = text.find("aHBf").unwrap();
        let span =
            find(text.as_bytes(), text_around(text.as_bytes(), at), |plain| plain.contains("ghp_")).unwrap();
        assert_eq!(&text[span.start..span.end], "dXNlcjpnaHBfYWJjZGVmZ2hpamtsbW5vcHFyc3R1dg==");
    }
}
