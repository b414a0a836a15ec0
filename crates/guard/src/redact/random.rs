//! Tells what a machine drew at random from what a person wrote.
//!
//! Entropy alone does not: English words have nearly as much of it per letter as hexadecimal digits. What
//! gives a drawn text away is how often it switches between digits, small and capital letters inside one
//! word, so that is what is counted here.

/// How much of a long value is looked at, in bytes.
const SAMPLE_BYTES: usize = 256;

/// What a text is made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Makeup {
    pub(super) len: usize,
    pub(super) digits: usize,
    pub(super) lower: usize,
    pub(super) upper: usize,
    /// `-`, `_`, `.`, `/`, `:` and blanks: what words are joined with.
    pub(super) joints: usize,
    /// Everything else, also bytes of other scripts.
    pub(super) others: usize,
    /// How many different bytes there are (of ASCII).
    pub(super) distinct: usize,
    /// Pairs of neighbours that are both letters or digits.
    pairs: usize,
    /// Pairs that switch between digit, small and capital; a capital that begins a word does not count.
    switches: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Digit,
    Lower,
    Upper,
    Joint,
    Other,
}

fn sort_of(byte: u8) -> Sort {
    match byte {
        b'0'..=b'9' => Sort::Digit,
        b'a'..=b'z' => Sort::Lower,
        b'A'..=b'Z' => Sort::Upper,
        b'-' | b'_' | b'.' | b'/' | b':' | b' ' => Sort::Joint,
        _ => Sort::Other,
    }
}

impl Makeup {
    /// Counts.
    pub(super) fn of(value: &[u8]) -> Self {
        let sample = &value[..value.len().min(SAMPLE_BYTES)];
        let mut makeup = Self { len: sample.len(), ..Self::default() };
        let mut seen: u128 = 0;
        let mut before = Sort::Joint;
        for &byte in sample {
            let sort = sort_of(byte);
            makeup.count(sort);
            makeup.count_pair(before, sort);
            before = sort;
            if byte.is_ascii() {
                seen |= 1 << byte;
            }
        }
        makeup.distinct = seen.count_ones() as usize;
        makeup
    }

    fn count(&mut self, sort: Sort) {
        match sort {
            Sort::Digit => self.digits += 1,
            Sort::Lower => self.lower += 1,
            Sort::Upper => self.upper += 1,
            Sort::Joint => self.joints += 1,
            Sort::Other => self.others += 1,
        }
    }

    fn count_pair(&mut self, left: Sort, right: Sort) {
        if matches!(left, Sort::Joint | Sort::Other) || matches!(right, Sort::Joint | Sort::Other) {
            return;
        }
        self.pairs += 1;
        let begins_word = left == Sort::Upper && right == Sort::Lower;
        if left != right && !begins_word {
            self.switches += 1;
        }
    }

    /// Letters of both sizes.
    pub(super) fn letters(&self) -> usize {
        self.lower + self.upper
    }

    /// Whether this is the makeup of a drawn text of some length.
    pub(super) fn is_random(&self) -> bool {
        if self.len < 10 || self.letters() < 3 || self.distinct < 6 || self.others > self.len / 3 {
            return false;
        }
        let per_cent = self.switches * 100 / self.pairs.max(1);
        if self.digits >= 2 {
            self.switches >= 3 && per_cent >= 18
        } else {
            // Letters alone: only much switching of case tells them from a name in camel case.
            self.len >= 20 && self.upper * 5 >= self.len && per_cent >= 19
        }
    }
}

/// Whether a value looks as if a machine drew it.
pub(super) fn looks_random(value: &[u8]) -> bool {
    Makeup::of(value).is_random()
}

/// Whether a value is a UUID.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_texts_look_random() {
        for text in [
            "9f86d081884c7d659a2feaa0c55ad015",
            "aB3dE5fG7hJ9kL1m",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "4eC39HqLyjWDarjtT1zdp7dc",
            "XkPqRzVtYwBnMcDfGhJkLqWe",
        ] {
            assert!(looks_random(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn written_texts_do_not() {
        for text in [
            "authentication-token-provider",
            "getAccessTokenFromRequestHeader",
            "x86_64-unknown-linux-gnu",
            "2024-01-01T12:00:00Z",
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "1.2.3-beta.1+build.5",
            "projects/my-project/secrets/db/versions/12",
            "hunter2",
            "12345678901234567890",
        ] {
            assert!(!looks_random(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_uuid_is_told_by_its_dashes_and_digits() {
        assert!(is_uuid(b"123e4567-e89b-12d3-a456-426614174000"));
        assert!(!is_uuid(b"123e4567-e89b-12d3-a456-42661417400g"));
        assert!(!is_uuid(b"123e4567xe89b-12d3-a456-426614174000"));
    }
}
