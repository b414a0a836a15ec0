//! Classes of bytes, and where a word begins.
//!
//! Everything here works on bytes. A byte of a multi-byte character belongs to no class, so a run never
//! ends in the middle of a character.

use super::work;

/// A set of ASCII characters, as bits that can be joined with [`Class::or`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Class(u16);

impl Class {
    pub(super) const DIGIT: Self = Self(1);
    const LOWER_A_TO_F: Self = Self(1 << 1);
    const LOWER_G_TO_Z: Self = Self(1 << 2);
    const UPPER_A_TO_F: Self = Self(1 << 3);
    const UPPER_G_TO_Z: Self = Self(1 << 4);
    pub(super) const UNDERSCORE: Self = Self(1 << 5);
    pub(super) const DASH: Self = Self(1 << 6);
    pub(super) const PLUS_SLASH: Self = Self(1 << 7);
    pub(super) const EQUALS: Self = Self(1 << 8);
    pub(super) const DOT: Self = Self(1 << 9);
    pub(super) const TILDE: Self = Self(1 << 10);
    pub(super) const PERCENT: Self = Self(1 << 11);
    pub(super) const COLON: Self = Self(1 << 12);
    pub(super) const DOLLAR: Self = Self(1 << 13);
    pub(super) const COMMA: Self = Self(1 << 14);

    pub(super) const LOWER: Self = Self::LOWER_A_TO_F.or(Self::LOWER_G_TO_Z);
    pub(super) const UPPER: Self = Self::UPPER_A_TO_F.or(Self::UPPER_G_TO_Z);
    pub(super) const LETTER: Self = Self::LOWER.or(Self::UPPER);
    pub(super) const ALNUM: Self = Self::LETTER.or(Self::DIGIT);
    pub(super) const UPPER_ALNUM: Self = Self::UPPER.or(Self::DIGIT);
    pub(super) const LOWER_ALNUM: Self = Self::LOWER.or(Self::DIGIT);
    pub(super) const LOWER_HEX: Self = Self::LOWER_A_TO_F.or(Self::DIGIT);
    pub(super) const HEX: Self = Self::LOWER_HEX.or(Self::UPPER_A_TO_F);
    pub(super) const WORD: Self = Self::ALNUM.or(Self::UNDERSCORE);
    /// Base64 in its URL alphabet, without padding.
    pub(super) const URL64: Self = Self::WORD.or(Self::DASH);
    /// Base64 in its standard alphabet, without padding.
    pub(super) const BASE64: Self = Self::ALNUM.or(Self::PLUS_SLASH);
    /// Either base64 alphabet, with padding.
    pub(super) const ANY64: Self = Self::URL64.or(Self::PLUS_SLASH).or(Self::EQUALS);
    /// What RFC 6750 allows in a bearer token.
    pub(super) const BEARER: Self = Self::ANY64.or(Self::DOT).or(Self::TILDE);

    /// The characters of both.
    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a byte belongs to the class.
    pub(super) const fn has(self, byte: u8) -> bool {
        CLASS_OF[byte as usize] & self.0 != 0
    }

    /// Where the run of this class that begins at `start` ends, looking at `max` bytes at most.
    pub(super) fn run_end(self, bytes: &[u8], start: usize, max: usize) -> usize {
        let limit = bytes.len().min(start.saturating_add(max));
        let end = (start..limit).find(|&at| !self.has(bytes[at])).unwrap_or(limit.max(start));
        work::note(end - start);
        end
    }

    /// Where the run of this class that ends at `end` begins, looking at `max` bytes at most.
    pub(super) fn run_start(self, bytes: &[u8], end: usize, max: usize) -> usize {
        let limit = end.saturating_sub(max);
        let start = (limit..end).rev().find(|&at| !self.has(bytes[at])).map_or(limit, |at| at + 1);
        work::note(end - start);
        start
    }

    /// Whether every byte belongs to the class.
    pub(super) fn has_all(self, bytes: &[u8]) -> bool {
        bytes.iter().all(|&byte| self.has(byte))
    }
}

static CLASS_OF: [u16; 256] = class_table();

const fn class_table() -> [u16; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        table[at] = match at as u8 {
            b'0'..=b'9' => Class::DIGIT.0,
            b'a'..=b'f' => Class::LOWER_A_TO_F.0,
            b'g'..=b'z' => Class::LOWER_G_TO_Z.0,
            b'A'..=b'F' => Class::UPPER_A_TO_F.0,
            b'G'..=b'Z' => Class::UPPER_G_TO_Z.0,
            b'_' => Class::UNDERSCORE.0,
            b'-' => Class::DASH.0,
            b'+' | b'/' => Class::PLUS_SLASH.0,
            b'=' => Class::EQUALS.0,
            b'.' => Class::DOT.0,
            b'~' => Class::TILDE.0,
            b'%' => Class::PERCENT.0,
            b':' => Class::COLON.0,
            b'$' => Class::DOLLAR.0,
            b',' => Class::COMMA.0,
            _ => 0,
        };
        at += 1;
    }
    table
}

/// Whether a new word may begin at `at`: nothing alphanumeric stands before it, or what does is the end
/// of an escape (`\n`, `\u0026`, `%3D`, `=3D` of mail, a terminal colour) and not part of the word.
pub(super) fn word_begins(bytes: &[u8], at: usize) -> bool {
    let Some(&before) = at.checked_sub(1).and_then(|last| bytes.get(last)) else { return true };
    if !Class::ALNUM.has(before) {
        return true;
    }
    let tail = &bytes[at.saturating_sub(LONGEST_ESCAPE)..at];
    let last = |count: usize| tail.len().checked_sub(count).map(|from| &tail[from..]);
    let is_hex = |digits: &[u8]| Class::HEX.has_all(digits);
    last(2).is_some_and(|end| end[0] == b'\\' && b"nrtfb0".contains(&end[1]))
        || last(3).is_some_and(|end| end == b"=3D" || (end[0] == b'%' && is_hex(&end[1..])))
        || last(6).is_some_and(|end| end.starts_with(b"\\u") && is_hex(&end[2..]))
        || ends_terminal_colour(tail)
}

/// The longest escape that is recognised before a word, in bytes.
const LONGEST_ESCAPE: usize = 10;

/// Whether the bytes end like `ESC [ 0;32 m` does; the escape itself may have been lost on the way.
fn ends_terminal_colour(tail: &[u8]) -> bool {
    let Some((b'm', body)) = tail.split_last() else { return false };
    let digits = body.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    body.len() > digits && body[body.len() - 1 - digits] == b'['
}

/// Whether `bytes` begins with `prefix` at `at`, ignoring ASCII case.
pub(super) fn has_at(bytes: &[u8], at: usize, prefix: &[u8]) -> bool {
    // Nearly always the first byte tells.
    let (Some(here), Some(first)) = (bytes.get(at), prefix.first()) else { return prefix.is_empty() };
    here.eq_ignore_ascii_case(first)
        && bytes
            .get(at..at.saturating_add(prefix.len()))
            .is_some_and(|part| part.eq_ignore_ascii_case(prefix))
}

/// Whether `prefix` stands right before `end`, ignoring ASCII case.
pub(super) fn has_before(bytes: &[u8], end: usize, prefix: &[u8]) -> bool {
    end.checked_sub(prefix.len()).is_some_and(|start| has_at(bytes, start, prefix))
}

/// Skips blanks (space and tab), `max` at most.
pub(super) fn skip_blanks(bytes: &[u8], mut at: usize, max: usize) -> usize {
    let limit = bytes.len().min(at.saturating_add(max));
    while at < limit && matches!(bytes[at], b' ' | b'\t') {
        at += 1;
    }
    at
}

/// Where the blanks begin that end at `end`, `max` at most.
pub(super) fn skip_blanks_back(bytes: &[u8], end: usize, max: usize) -> usize {
    let blanks = bytes[..end].iter().rev().take(max).take_while(|byte| matches!(byte, b' ' | b'\t'));
    end - blanks.count()
}

/// How many backslashes stand right before `at`.
pub(super) fn escapes_before(bytes: &[u8], at: usize) -> usize {
    let count = bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
    work::note(count);
    count
}

/// Where `needle` first stands in `haystack`.
pub(super) fn position(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    work::note(haystack.len());
    memchr::memmem::find(haystack, needle)
}

/// Whether `needle` stands in `haystack`.
pub(super) fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    position(haystack, needle).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_begins_after_an_escape_but_not_inside_a_word() {
        for (text, expect) in [
            ("key", true),
            (" key", true),
            ("\\nkey", true),
            ("%3Dkey", true),
            ("\\u0026key", true),
            ("\u{1b}[0;32mkey", true),
            ("xkey", false),
            ("monkey", false),
            ("mkey", false),
            ("\u{e9}key", true),
        ] {
            assert_eq!(word_begins(text.as_bytes(), text.len() - 3), expect, "{text:?}");
        }
    }

    #[test]
    fn runs_stop_at_their_limit_in_both_directions() {
        assert_eq!(Class::DIGIT.run_end(b"12345x", 0, 3), 3);
        assert_eq!(Class::DIGIT.run_end(b"12345x", 0, 9), 5);
        assert_eq!(Class::DIGIT.run_start(b"x12345", 6, 3), 3);
        assert_eq!(Class::DIGIT.run_start(b"x12345", 6, 9), 1);
        assert_eq!(Class::DIGIT.run_end(b"12", 2, 9), 2);
    }
}
