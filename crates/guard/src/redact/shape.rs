//! Secrets that are recognised by their own form: a telling text (the anchor) and what must follow it.
//!
//! A shape is data. It is matched from left to right without backtracking, so its cost is bounded by its
//! own length, and there is nothing to compile when the program starts. A run without an upper limit may
//! only stand last: it is consumed once, and what is consumed is not looked at again.

use std::ops::Range;

use super::chars::{Class, word_begins};
use super::margin;
use super::random::looks_random;
use super::wrap;

/// A run that ends only where its class ends.
pub(super) const OPEN: usize = usize::MAX;
/// How much of a run is read to see whether it looks random, in bytes. The rest is read once it does: what is
/// read and then refused would be read again from the next anchor.
const SAMPLE_MAX_BYTES: usize = 64;

/// As many equal characters at its end show that a token is a placeholder.
const FILLED_BYTES: usize = 16;
/// One part of a shape.
#[derive(Debug, Clone, Copy)]
pub(super) enum Piece {
    /// Exactly this text.
    Text(&'static str),
    /// One of these texts; the first that fits is taken.
    OneOf(&'static [&'static str]),
    /// Between `min` and `max` characters of a class, as many as there are.
    Run { class: Class, min: usize, max: usize },
}

/// A piece of `min` to `max` characters of a class.
pub(super) const fn run(class: Class, min: usize, max: usize) -> Piece {
    Piece::Run { class, min, max }
}

/// How one kind of secret looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// The label, in kebab case.
    pub(super) rule: &'static str,
    /// Texts that the secret begins with (or holds, see [`Shape::after`]), in their exact case.
    pub(super) anchors: &'static [&'static str],
    before: Option<(Class, usize, usize)>,
    pieces: &'static [Piece],
    own_word: bool,
    own_text: bool,
    closed: bool,
    random: bool,
    anchor_is_kept: bool,
}

/// What stands at an anchor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Look {
    /// The secret.
    Found(Range<usize>),
    /// Something of its form that is made of words.
    NothingDrawn,
    /// Nothing of its form.
    Nothing,
}

/// A shape that begins with one of the anchors.
pub(super) const fn shape(
    rule: &'static str,
    anchors: &'static [&'static str],
    pieces: &'static [Piece],
) -> Shape {
    Shape {
        rule,
        anchors,
        before: None,
        pieces,
        own_word: false,
        own_text: false,
        closed: false,
        random: false,
        anchor_is_kept: false,
    }
}

impl Shape {
    /// The secret does not begin in the middle of a word. For anchors that occur by chance.
    pub(super) const fn word(mut self) -> Self {
        self.own_word = true;
        self
    }

    /// The secret does not begin in the middle of base64. For anchors that binary data is full of.
    pub(super) const fn apart(mut self) -> Self {
        self.own_text = true;
        self.own_word = true;
        self
    }

    /// The last run is not cut off by its maximum: more of the same means something else.
    pub(super) const fn closed(mut self) -> Self {
        self.closed = true;
        self
    }

    /// What follows the anchor looks random. For anchors that ordinary words begin with.
    pub(super) const fn random(mut self) -> Self {
        self.random = true;
        self
    }

    /// The anchor stands inside the secret, after a run of this class.
    pub(super) const fn after(mut self, class: Class, min: usize, max: usize) -> Self {
        self.before = Some((class, min, max));
        self
    }

    /// The anchor is no secret and stays readable (the address of a webhook).
    pub(super) const fn keep_anchor(mut self) -> Self {
        self.anchor_is_kept = true;
        self
    }

    /// Where the secret with this anchor begins, whatever follows the anchor.
    pub(super) fn beginning(&self, bytes: &[u8], anchor: &Range<usize>) -> Option<usize> {
        let found = bytes.get(anchor.clone())?;
        let is_anchor = self.anchors.iter().any(|text| text.as_bytes() == found);
        is_anchor.then(|| self.start(bytes, anchor.start))?
    }

    /// Looks whether the secret stands at an anchor, and where it begins and ends.
    pub(super) fn look(&self, bytes: &[u8], anchor: Range<usize>) -> Look {
        let Some(start) = self.beginning(bytes, &anchor) else { return Look::Nothing };
        if self.random {
            let Some(sample_end) = self.end(bytes, anchor.end, SAMPLE_MAX_BYTES) else {
                return Look::Nothing;
            };
            if !looks_random(&bytes[anchor.end..sample_end]) {
                return Look::NothingDrawn;
            }
        }
        match self.end(bytes, anchor.end, OPEN) {
            Some(end) if is_filled(&bytes[start..end]) => Look::Nothing,
            Some(end) if self.anchor_is_kept => Look::Found(anchor.end..end),
            Some(end) => Look::Found(start..end),
            None => Look::Nothing,
        }
    }

    fn start(&self, bytes: &[u8], anchor_start: usize) -> Option<usize> {
        let start = match self.before {
            None => anchor_start,
            Some((class, min, max)) => {
                let start = class.run_start(bytes, anchor_start, max);
                let is_cut = start > 0 && class.has(bytes[start - 1]) && !word_begins(bytes, start);
                if anchor_start - start < min || is_cut {
                    return None;
                }
                start
            }
        };
        let is_inside_base64 =
            start > 0 && matches!(bytes[start - 1], b'+' | b'/') && !margin::ends_at(bytes, start);
        let begins = !self.own_word || word_begins(bytes, start);
        (begins && !(self.own_text && is_inside_base64)).then_some(start)
    }

    /// Where the secret ends. Of an open run at most `open_max` bytes are read.
    fn end(&self, bytes: &[u8], mut at: usize, open_max: usize) -> Option<usize> {
        let mut last_class = None;
        for piece in self.pieces {
            last_class = None;
            at = match *piece {
                Piece::Text(text) => at + bytes[at..].starts_with(text.as_bytes()).then_some(text.len())?,
                Piece::OneOf(texts) => {
                    at + texts.iter().find(|text| bytes[at..].starts_with(text.as_bytes()))?.len()
                }
                Piece::Run { class, min, max } => {
                    last_class = Some(class);
                    wrap::run_end(bytes, at, class, min, if max == OPEN { open_max } else { max })?
                }
            };
        }
        let goes_on = last_class.zip(bytes.get(at)).is_some_and(|(class, &byte)| class.has(byte));
        (!(self.closed && goes_on)).then_some(at)
    }
}

/// `ghp_xxxx…`: a form that was filled in. Nothing drawn ends so.
fn is_filled(token: &[u8]) -> bool {
    let end = &token[token.len().saturating_sub(FILLED_BYTES)..];
    end.len() == FILLED_BYTES
        && matches!(end[0], b'x' | b'X' | b'*')
        && end.iter().all(|byte| *byte == end[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Shape = shape("t", &["tk_"], &[run(Class::ALNUM, 4, OPEN)]);

    fn check(shape: Shape, text: &str, anchor: &str, expect: Option<&str>) {
        let start = text.find(anchor).unwrap();
        let found = match shape.look(text.as_bytes(), start..start + anchor.len()) {
            Look::Found(range) => Some(&text[range]),
            Look::NothingDrawn | Look::Nothing => None,
        };
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn a_shape_takes_the_whole_run_and_needs_its_minimum() {
        check(PLAIN, "a tk_abcdef, b", "tk_", Some("tk_abcdef"));
        check(PLAIN, "a tk_abc, b", "tk_", None);
        check(PLAIN, "a TK_abcdef", "TK_", None);
    }

    #[test]
    fn a_closed_shape_refuses_a_longer_run() {
        const CLOSED: Shape = shape("t", &["AK"], &[run(Class::UPPER, 4, 4)]).closed().word();
        check(CLOSED, "AKABCD.", "AK", Some("AKABCD"));
        check(CLOSED, "AKABCDE", "AK", None);
        check(CLOSED, "xAKABCD", "AK", None);
    }

    #[test]
    fn an_anchor_may_stand_inside_the_secret() {
        const INSIDE: Shape = shape("t", &[".mid."], &[run(Class::ALNUM, 2, 4)]).after(Class::DIGIT, 3, 3);
        check(INSIDE, "x 123.mid.abcd", ".mid.", Some("123.mid.abcd"));
        check(INSIDE, "x 1234.mid.abcd", ".mid.", None);
        check(INSIDE, "x 12.mid.abcd", ".mid.", None);
    }

    #[test]
    fn the_address_of_a_webhook_stays_readable() {
        const HOOK: Shape = shape("t", &["hook.test/"], &[run(Class::WORD, 3, OPEN)]).keep_anchor();
        check(HOOK, "https://hook.test/abc_1 x", "hook.test/", Some("abc_1"));
    }
}
