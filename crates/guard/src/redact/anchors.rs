//! Finds all anchors of all rules in one pass over a text.
//!
//! Each anchor is represented by its rarest three bytes (a *gram*). A table of bits says which grams occur in
//! any anchor; six positions are asked at once, and nearly all of a text ends there. What is left is looked
//! up and compared in full. An automaton over the same anchors takes milliseconds to build, more than a
//! short-lived process has to spare; this takes a quarter of one, needs 8 KiB of cache, and is faster.

/// How many bytes a gram has.
const GRAM_BYTES: usize = 3;
/// How many positions are asked at once: those whose gram lies in eight bytes.
const STEP: usize = 6;
/// Sets the bit in which small and capital letters differ. Some other characters become equal as well; the
/// full comparison tells them apart.
const FOLD: u64 = 0x2020_2020_2020_2020;
const GRAM_MASK: u64 = 0x00FF_FFFF;
/// The filter has two to the power of this many bits.
const FILTER_BITS: u32 = 16;
const FILTER_WORDS: usize = 1 << (FILTER_BITS - 6);
/// The table of grams has two to the power of this many places, several times as many as there are grams.
const TABLE_BITS: u32 = 11;

/// All anchors, ready to be looked for. `R` is what an anchor belongs to.
#[derive(Debug)]
pub(super) struct Anchors<R> {
    filter: [u64; FILTER_WORDS],
    /// For each place the gram plus one, and the first of its entries; zero is an empty place.
    table: Vec<(u32, u16)>,
    /// Sorted by gram.
    entries: Vec<Entry<R>>,
}

#[derive(Debug)]
struct Entry<R> {
    gram: u32,
    /// Where the gram stands in the text of the anchor.
    offset: usize,
    /// In small letters.
    text: String,
    rule: R,
}

impl<R: Copy> Anchors<R> {
    /// Prepares anchors. Those of fewer than three bytes are never found.
    pub(super) fn new(anchors: impl Iterator<Item = (String, R)>) -> Self {
        let mut entries: Vec<Entry<R>> = anchors.filter_map(|(text, rule)| Entry::new(text, rule)).collect();
        entries.sort_by_key(|entry| entry.gram);
        let mut filter = [0; FILTER_WORDS];
        let mut table = vec![(0_u32, 0_u16); 1 << TABLE_BITS];
        for (index, entry) in entries.iter().enumerate() {
            let bit = filter_bit(u64::from(entry.gram));
            filter[bit >> 6] |= 1 << (bit & 63);
            let place = place_of(&table, entry.gram);
            if table[place].0 == 0 {
                table[place] = (entry.gram + 1, u16::try_from(index).unwrap_or(u16::MAX));
            }
        }
        Self { filter, table, entries }
    }

    /// Calls `found` with each anchor in the text, and where it begins and ends.
    pub(super) fn find(&self, bytes: &[u8], mut found: impl FnMut(R, usize, usize)) {
        let mut at = 0;
        while let Some(chunk) = bytes.get(at..at + 8) {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            let word = u64::from_le_bytes(word) | FOLD;
            let mut hits = (0..STEP).fold(0, |hits, step| hits | self.is_known(word >> (8 * step)) << step);
            while hits != 0 {
                let step = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                self.compare(bytes, at + step, (word >> (8 * step) & GRAM_MASK) as u32, &mut found);
            }
            at += STEP;
        }
        while let Some(&[a, b, c]) = bytes.get(at..at + GRAM_BYTES) {
            let gram = u32::from_le_bytes([a, b, c, 0]) | (FOLD & GRAM_MASK) as u32;
            self.compare(bytes, at, gram, &mut found);
            at += 1;
        }
    }

    /// One if the lowest three bytes may be a gram of an anchor, else zero.
    fn is_known(&self, word: u64) -> u64 {
        let bit = filter_bit(word & GRAM_MASK);
        self.filter[(bit >> 6) % FILTER_WORDS] >> (bit & 63) & 1
    }

    fn compare(&self, bytes: &[u8], at: usize, gram: u32, found: &mut impl FnMut(R, usize, usize)) {
        let (known, first) = self.table[place_of(&self.table, gram)];
        if known == 0 {
            return;
        }
        for entry in self.entries[usize::from(first)..].iter().take_while(|entry| entry.gram == gram) {
            let Some(start) = at.checked_sub(entry.offset) else { continue };
            let end = start + entry.text.len();
            if bytes.get(start..end).is_some_and(|text| text.eq_ignore_ascii_case(entry.text.as_bytes())) {
                found(entry.rule, start, end);
            }
        }
    }
}

impl<R> Entry<R> {
    fn new(text: String, rule: R) -> Option<Self> {
        let offset = (0..(text.len() + 1).checked_sub(GRAM_BYTES)?)
            .min_by_key(|&at| commonness(&text.as_bytes()[at..at + GRAM_BYTES]))?;
        let gram = text.as_bytes()[offset..offset + GRAM_BYTES]
            .iter()
            .rev()
            .fold(0, |gram, byte| gram << 8 | u32::from(byte | 0x20));
        Some(Self { gram, offset, text, rule })
    }
}

/// How common a gram is in source code and prose, roughly: by how common its letters are.
fn commonness(gram: &[u8]) -> u32 {
    const BY_FREQUENCY: &[u8] = b" etasrnoilcdupmfg_.hbyvkw-/:=1x0";
    let of_byte =
        |byte: &u8| BY_FREQUENCY.iter().position(|known| known == byte).map_or(1, |rank| 34 - rank as u32);
    gram.iter().map(of_byte).sum()
}

fn hash(gram: u64, bits: u32) -> usize {
    // The middle of a product depends on all bits of its factors.
    ((gram.wrapping_mul(0x9E37_79B1) & 0xFFFF_FFFF) >> (32 - bits)) as usize
}

fn filter_bit(gram: u64) -> usize {
    hash(gram, FILTER_BITS)
}

/// The place of a gram, or the empty one where it would be.
fn place_of(table: &[(u32, u16)], gram: u32) -> usize {
    let mut place = hash(u64::from(gram), TABLE_BITS);
    while table[place].0 != 0 && table[place].0 != gram + 1 {
        place = (place + 1) % table.len();
    }
    place
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(anchors: &[&str], text: &str) -> Vec<(usize, usize, usize)> {
        let table =
            Anchors::new(anchors.iter().enumerate().map(|(index, anchor)| ((*anchor).to_owned(), index)));
        let mut found = Vec::new();
        table.find(text.as_bytes(), |index, start, end| found.push((index, start, end)));
        found.sort_unstable();
        found
    }

    #[test]
    fn anchors_are_found_in_any_case_and_at_both_ends() {
        assert_eq!(found(&["key"], "key KEY Key"), [(0, 0, 3), (0, 4, 7), (0, 8, 11)]);
        assert_eq!(found(&["token", "oke"], "xtoken"), [(0, 1, 6), (1, 2, 5)]);
        assert_eq!(found(&["key"], "ke"), []);
        assert_eq!(found(&["a-b"], "a\rb"), []);
    }

    proptest! {
        #[test]
        fn every_occurrence_is_found_and_no_other(
            text in "[abkey:_-]{0,60}",
            anchors in prop::collection::vec("[abkey:_-]{3,6}", 1..8),
        ) {
            let anchors: Vec<&str> = anchors.iter().map(String::as_str).collect();
            let mut expect = Vec::new();
            for (index, anchor) in anchors.iter().enumerate() {
                let starts = (0..text.len()).filter(|&at| text[at..].starts_with(anchor));
                expect.extend(starts.map(|at| (index, at, at + anchor.len())));
            }
            prop_assert_eq!(found(&anchors, &text), expect);
        }
    }
}
