//! Tells what a machine drew at random from what a person wrote.
//!
//! Entropy alone does not: English words have nearly as much of it per letter as hexadecimal digits. What
//! gives a drawn text away are neighbours that words do not have: a letter beside a digit, a capital after a
//! small letter that begins no word, two letters that rarely follow each other. About two thirds of the
//! neighbours in a drawn text are of that sort, and one in ten in a name or a sentence.

use super::work;

/// How much of a long value is looked at, in bytes.
const SAMPLE_BYTES: usize = 256;
/// A shorter text tells too little.
const LEN_MIN: usize = 10;
/// A password that somebody chose to be a good one is at least this long.
const CHOSEN_MIN: usize = 8;
/// Letters alone, and texts shorter than this, have to show more.
const LEN_SHORT: usize = 16;
/// The share of odd neighbours, in per cent of the letters and digits, above which a text counts as drawn.
const ODD_PER_CENT: usize = 27;
const ODD_PER_CENT_SHORT: usize = 36;
const ODD_PER_CENT_MIXED_CASE: usize = 33;
const ODD_PER_CENT_SCRAMBLED: usize = 22;
const ODD_PER_CENT_LETTERS: usize = 45;
/// Hexadecimal digits of this length are drawn, or a hash, even if nearly all of them are decimal.
const HEX_MIN: usize = 24;
/// The shortest keys that are written with them: 128 bits.
const HEX_KEY_MIN: usize = 32;

/// For each letter those that often follow it, in source code and in English: the 230 most common pairs of
/// 676, which make up nine tenths of what is written.
const FOLLOWERS: [&str; 26] = [
    "bcdgiklmnprstuvy",
    "aeilorsu",
    "acehiklorstu",
    "adeilorsu",
    "acdefgilmnpqrstvx",
    "aefilorsu",
    "aehinrsu",
    "aeior",
    "abcdefglmnoprstvz",
    "",
    "eis",
    "adeilostuy",
    "abeimopsu",
    "acdefgilnostuv",
    "bcdfgilmnoprstuvw",
    "aehiloprstu",
    "u",
    "acdegikmnoprstuy",
    "acehilopstuy",
    "acehilorstuy",
    "abceilmnprst",
    "aei",
    "aeir",
    "pt",
    "ps",
    "e",
];

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
    /// Hexadecimal digits.
    hex: usize,
    /// Neighbours that words do not have.
    odd_pairs: usize,
}

impl Makeup {
    /// Counts.
    pub(super) fn of(value: &[u8]) -> Self {
        let sample = &value[..value.len().min(SAMPLE_BYTES)];
        work::note(sample.len());
        let mut counts = [0_u16; SORTS];
        let (mut hex, mut odd_pairs) = (0_usize, 0_usize);
        let mut seen: u128 = 0;
        let mut left = Sort::Other as u8;
        let mut left_byte = 0;
        for (at, &byte) in sample.iter().enumerate() {
            let sort = SORT_OF[usize::from(byte)];
            counts[usize::from(sort)] += 1;
            hex += usize::from(byte.is_ascii_hexdigit());
            seen |= u128::from(byte.is_ascii()) << (byte & 127);
            if left <= ALNUM_MAX && sort <= ALNUM_MAX {
                let next = sample.get(at + 1).map_or(Sort::Other as u8, |next| SORT_OF[usize::from(*next)]);
                let begins_word = sort == Sort::Upper as u8 && next == Sort::Lower as u8;
                odd_pairs += usize::from(!begins_word && is_odd(left_byte, byte));
            }
            (left, left_byte) = (sort, byte);
        }
        let count = |sort: Sort| usize::from(counts[sort as usize]);
        Self {
            len: sample.len(),
            digits: count(Sort::Digit),
            lower: count(Sort::Lower),
            upper: count(Sort::Upper),
            joints: count(Sort::Joint),
            others: count(Sort::Other),
            distinct: seen.count_ones() as usize,
            hex,
            odd_pairs,
        }
    }

    /// Letters of both sizes.
    pub(super) fn letters(&self) -> usize {
        self.lower + self.upper
    }

    /// Whether capitals and small letters are mixed as in no name. Weaker than [`Makeup::is_random`], for
    /// values whose name leaves little doubt.
    pub(super) fn is_scrambled(&self) -> bool {
        let counted = self.letters() + self.digits;
        counted >= LEN_SHORT
            && self.upper >= 3
            && self.lower >= 3
            && self.odd_pairs * 100 / counted >= ODD_PER_CENT_SCRAMBLED
    }

    /// Whether these are letters alone, capitals and small ones in no order: no name is written so.
    pub(super) fn is_jumbled(&self) -> bool {
        self.len >= LEN_MIN
            && self.letters() == self.len
            && self.upper >= 3
            && self.lower >= 3
            && self.odd_pairs * 100 / self.len >= ODD_PER_CENT_MIXED_CASE
    }

    /// Whether letters, digits and signs are mixed as in a password that somebody chose, and as in no name.
    pub(super) fn is_chosen(&self) -> bool {
        self.len >= CHOSEN_MIN
            && self.digits > 0
            && self.letters() > 0
            && self.joints == 0
            && (1..=self.len / 3).contains(&self.others)
    }

    /// Whether brackets and signs stand among capitals, small letters and digits in no order, as in `Xk7(mQ9vL2pR`. Programs put
    /// brackets around words.
    pub(super) fn is_strewn(&self) -> bool {
        self.joints == 0
            && self.digits >= 2
            && self.upper >= 2
            && self.lower >= 2
            && self.others > 0
            && self.is_random()
    }

    /// Whether these are hexadecimal digits that were drawn, as many as a key or a hash has.
    pub(super) fn is_drawn_hex(&self) -> bool {
        self.hex == self.len && self.len >= HEX_KEY_MIN && self.is_random()
    }

    /// Whether this can be nothing else than a secret, whatever weak word stands before it: one that somebody chose with
    /// care, or one that was drawn and is no hash.
    pub(super) fn is_surely_secret(&self) -> bool {
        let is_drawn = self.len >= LEN_MIN
            && self.digits > 0
            && self.joints == 0
            && self.hex < self.len
            && (self.is_random() || self.is_scrambled());
        self.is_chosen() || is_drawn
    }

    /// Whether this is the makeup of a drawn text of some length.
    pub(super) fn is_random(&self) -> bool {
        let counted = self.letters() + self.digits;
        if self.len < LEN_MIN || self.letters() < 3 || self.distinct < 6 || self.others > self.len / 3 {
            return false;
        }
        if self.hex == self.len && self.len >= HEX_MIN && self.distinct >= 8 && self.digits >= 4 {
            return true;
        }
        let per_cent = self.odd_pairs * 100 / counted;
        let is_mixed_case = self.upper >= 3 && self.lower >= 3;
        match self.digits {
            0 if counted < LEN_SHORT => false,
            0 | 1 if is_mixed_case => per_cent >= ODD_PER_CENT_MIXED_CASE,
            0 | 1 => per_cent >= ODD_PER_CENT_LETTERS,
            _ if counted < LEN_SHORT => per_cent >= ODD_PER_CENT_SHORT,
            _ => per_cent >= ODD_PER_CENT,
        }
    }
}

/// What sort of character a byte is. Values are looked at for nearly every anchor, so this is a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Digit,
    Lower,
    Upper,
    Joint,
    Other,
}

const SORTS: usize = 5;
/// The last sort that is a letter or a digit.
const ALNUM_MAX: u8 = Sort::Upper as u8;

static SORT_OF: [u8; 256] = sorts();
/// For each letter or digit, as bits, those that are odd behind it.
static ODD_BEHIND: [u128; 128] = odd_neighbours();

const fn sorts() -> [u8; 256] {
    let mut table = [Sort::Other as u8; 256];
    let mut at = 0;
    while at < 256 {
        table[at] = match at as u8 {
            b'0'..=b'9' => Sort::Digit as u8,
            b'a'..=b'z' => Sort::Lower as u8,
            b'A'..=b'Z' => Sort::Upper as u8,
            b'-' | b'_' | b'.' | b'/' | b':' | b' ' => Sort::Joint as u8,
            _ => Sort::Other as u8,
        };
        at += 1;
    }
    table
}

const fn odd_neighbours() -> [u128; 128] {
    let mut table = [0; 128];
    let mut left = 0;
    while left < 128 {
        let mut right = 0;
        while right < 128 {
            if are_odd(left as u8, right as u8) {
                table[left] |= 1 << right;
            }
            right += 1;
        }
        left += 1;
    }
    table
}

/// Whether two neighbours are rare in words.
const fn are_odd(left: u8, right: u8) -> bool {
    if !left.is_ascii_alphanumeric() || !right.is_ascii_alphanumeric() {
        return false;
    }
    match (left.is_ascii_digit(), right.is_ascii_digit()) {
        (true, true) => false,
        (true, false) | (false, true) => true,
        (false, false) => {
            let turns = left.is_ascii_lowercase() && right.is_ascii_uppercase();
            // `abcdef`: the alphabet is rarely drawn.
            turns || (!follows(left, right) && right != left + 1)
        }
    }
}

const fn follows(left: u8, right: u8) -> bool {
    let letters = FOLLOWERS[(left.to_ascii_lowercase() - b'a') as usize].as_bytes();
    let mut at = 0;
    while at < letters.len() {
        if letters[at] == right.to_ascii_lowercase() {
            return true;
        }
        at += 1;
    }
    false
}

/// Of two letters or digits.
fn is_odd(left: u8, right: u8) -> bool {
    ODD_BEHIND[usize::from(left & 127)] >> (right & 127) & 1 == 1
}

/// Whether a value looks as if a machine drew it.
pub(super) fn looks_random(value: &[u8]) -> bool {
    Makeup::of(value).is_random()
}

/// Whether a value is a password as rules for passwords ask for: `Winter-2024`. Where a name is as likely it says nothing.
pub(super) fn is_complex(value: &[u8]) -> bool {
    let makeup = Makeup::of(value);
    makeup.len >= CHOSEN_MIN
        && makeup.upper > 0
        && makeup.lower > 0
        && makeup.digits >= 2
        && makeup.others <= makeup.len / 3
        && !value.iter().any(|byte| b"./: ".contains(byte))
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
    use subcortex_testkit::Random;

    const DRAWN_COUNT: usize = 10_000;

    /// How many of ten thousand drawn texts are recognised, in per cent.
    fn recognised(alphabet: &str, len: usize) -> usize {
        let mut random = Random::seeded(1);
        let mut draw = || alphabet.as_bytes()[random.below(alphabet.len())];
        let count =
            (0..DRAWN_COUNT).filter(|_| looks_random(&(0..len).map(|_| draw()).collect::<Vec<u8>>())).count();
        count * 100 / DRAWN_COUNT
    }

    #[test]
    fn drawn_texts_look_random() {
        const HEX: &str = "0123456789abcdef";
        const BASE36: &str = "0123456789abcdefghijklmnopqrstuvwxyz";
        const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        const BASE62: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        for (alphabet, len, at_least) in [
            (HEX, 16, 90),
            (HEX, 32, 98),
            (HEX, 64, 99),
            (BASE36, 16, 95),
            (BASE36, 24, 98),
            (BASE32, 20, 95),
            (BASE32, 32, 98),
            (BASE62, 12, 80),
            (BASE62, 20, 97),
            (BASE62, 40, 99),
        ] {
            let found = recognised(alphabet, len);
            assert!(found >= at_least, "{found} % of {len} characters of {alphabet}");
        }
        assert!(looks_random(b"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"));
    }

    #[test]
    fn written_texts_do_not() {
        for text in [
            "authentication-token-provider",
            "getAccessTokenFromRequestHeader",
            "SslGeneratePreMasterKeyFn",
            "X509HardwareKeyUsageFlags",
            "x86_64-unknown-linux-gnu",
            "2024-01-01T12:00:00Z",
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "1.2.3-beta.1+build.5",
            "projects/my-project/secrets/db/versions/12",
            "utf8mb4_unicode_ci",
            "RFC3339Nano",
            "gpt-4o-mini-2024-07-18",
            "claude-sonnet-4-20250514",
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
