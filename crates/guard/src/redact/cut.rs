//! Cutting a text to a length. Secrets go first: half a secret has no form by which it could be recognised.
//!
//! Whoever wants a part of a foreign text takes it from here, and so nothing can be cut before it is redacted.

use super::redactor::Redactor;
use super::span::{Mark, Side};

/// How much more of a text is looked at than is kept of it, in bytes. Longer than any secret, so that one that
/// stands across the cut is recognised; and not the whole text, so that a long one costs no more than a short one.
const LOOKED_BEYOND_BYTES: usize = 64 * 1024;
const LABEL_START: &str = "[REDACTED:";
/// The longest label, in bytes.
const LABEL_MAX_BYTES: usize = 64;

impl Redactor {
    /// The first `max_bytes` of a text at most, without its secrets. No label is cut in two.
    ///
    /// ```
    /// let redactor = subcortex_guard::Redactor::new();
    /// assert_eq!(redactor.front("PASSWORD=hunter2", 12), "PASSWORD=");
    /// ```
    pub fn front(&self, text: &str, max_bytes: usize) -> String {
        let window = &text[..text.floor_char_boundary(max_bytes.saturating_add(LOOKED_BEYOND_BYTES))];
        let mut mark = Mark { at: text.floor_char_boundary(max_bytes), side: Side::Front };
        let clean = self.text_with_mark(window, &mut mark);
        front(&clean, mark.at.min(max_bytes)).to_owned()
    }

    /// The last `max_bytes` of a text at most, without its secrets. No label is cut in two.
    pub fn tail(&self, text: &str, max_bytes: usize) -> String {
        let start = text.ceil_char_boundary(text.len().saturating_sub(max_bytes));
        let from = text.ceil_char_boundary(start.saturating_sub(LOOKED_BEYOND_BYTES));
        let mut mark = Mark { at: start - from, side: Side::Tail };
        let clean = self.text_with_mark(&text[from..], &mut mark);
        tail(&clean, mark.at.max(clean.len().saturating_sub(max_bytes))).to_owned()
    }
}

/// The text up to `end`, or up to the label that stands there.
fn front(text: &str, end: usize) -> &str {
    let end = text.floor_char_boundary(end);
    &text[..label_around(text, end).map_or(end, |(start, _)| start)]
}

/// The text from `start` on, or from behind the label that stands there.
fn tail(text: &str, start: usize) -> &str {
    let start = text.ceil_char_boundary(start);
    &text[label_around(text, start).map_or(start, |(_, end)| end)..]
}

/// Where the label begins and ends that stands on both sides of `at`. Bytes are compared, since the windows may begin or
/// end within a character; a label has only such of one byte.
fn label_around(text: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let from = at.saturating_sub(LABEL_MAX_BYTES);
    let window = &bytes[from..bytes.len().min(at + LABEL_START.len())];
    let start = from + memchr::memmem::rfind(window, LABEL_START.as_bytes())?;
    let rest = &bytes[start..bytes.len().min(at + LABEL_MAX_BYTES)];
    let end = start + memchr::memchr(b']', rest)? + 1;
    (start < at && at < end).then_some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";

    #[test]
    fn a_secret_across_the_cut_is_hidden_on_both_sides_of_it() {
        let redactor = Redactor::new();
        let text = format!("{} {TOKEN} {}", "a ".repeat(50), "b ".repeat(50));
        for max_bytes in 0..=text.len() {
            for part in [redactor.front(&text, max_bytes), redactor.tail(&text, max_bytes)] {
                assert!(part.len() <= max_bytes, "{part}");
                assert!(!part.contains("0123") && !part.contains("6789"), "{part}");
                assert_eq!(part.contains('['), part.contains("[REDACTED:github-token]"), "{part}");
                assert_eq!(part.contains('['), part.contains(']'), "{part}");
            }
        }
    }

    #[test]
    fn what_is_looked_at_beyond_the_cut_never_shows() {
        // The end of what is looked at stands in the middle of a token, and all before it is hidden.
        let redactor = Redactor::new();
        let hidden = format!("{TOKEN} ").repeat(LOOKED_BEYOND_BYTES / (TOKEN.len() + 1));
        for shift in 0..TOKEN.len() {
            let text = format!("{}{hidden}{hidden}{}", "x".repeat(shift), "y".repeat(100));
            assert!(!redactor.front(&text, 200).contains("0123"));
            assert!(!redactor.tail(&text, 200).contains("6789"));
        }
    }

    #[test]
    fn characters_of_several_bytes_can_be_cut_anywhere() {
        let redactor = Redactor::new();
        for unit in
            ["日", "├── a\n", "│   ├── src\n", "é", "🦀", "a日", "[REDACTED:日", "日]", "ab🦀[REDACTED:jwt]é"]
        {
            let text = unit.repeat(60);
            for max_bytes in 0..=text.len() {
                let (front, tail) = (redactor.front(&text, max_bytes), redactor.tail(&text, max_bytes));
                assert!(text.starts_with(&front) && text.ends_with(&tail), "{max_bytes}: {front} {tail}");
                assert!(front.len() <= max_bytes && tail.len() <= max_bytes);
            }
        }
    }

    #[test]
    fn a_label_that_was_there_is_not_cut() {
        let redactor = Redactor::new();
        assert_eq!(redactor.front("ab [REDACTED:jwt] cd", 8), "ab ");
        assert_eq!(redactor.front("ab [REDACTED:jwt] cd", 17), "ab [REDACTED:jwt]");
        assert_eq!(redactor.tail("ab [REDACTED:jwt] cd", 8), " cd");
        assert_eq!(redactor.tail("ab [REDACTED:jwt] cd", 17), "[REDACTED:jwt] cd");
        assert_eq!((redactor.front("aü", 2), redactor.tail("üa", 2)), ("a".to_owned(), "a".to_owned()));
    }
}
