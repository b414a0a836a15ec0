//! A segment as it is searched.

use std::ops::Range;

use super::bytes::{place_at, take_number, u32_at};
use super::{Builder, Damaged, ENTRY_BYTES, MAGIC};

/// Where the entries of documents begin.
const DOCS_AT: usize = 16;

/// A word in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) doc: u32,
    pub(crate) times: u32,
}

/// The bytes of a `.words` file whose checksum holds.
#[derive(Debug)]
pub(crate) struct Segment {
    bytes: Vec<u8>,
    docs: u32,
    words: u32,
    names: Range<usize>,
    lists: Range<usize>,
}

impl Segment {
    pub(crate) fn parse(bytes: Vec<u8>) -> Result<Self, Damaged> {
        let end = bytes.len().checked_sub(4).ok_or(Damaged("it is too short"))?;
        let body = bytes.get(..end).unwrap_or_default();
        if crc32fast::hash(body) != u32_at(&bytes, end)? {
            return Err(Damaged("its checksum does not hold"));
        }
        if !body.starts_with(MAGIC) {
            return Err(Damaged("it is of another version"));
        }
        let (docs, words) = (u32_at(body, 8)?, u32_at(body, 12)?);
        let entries = (docs as usize + words as usize) * ENTRY_BYTES;
        let names = block(body, DOCS_AT + entries)?;
        let lists = block(body, names.end)?;
        Ok(Self { docs, words, names, lists, bytes })
    }

    pub(crate) fn docs(&self) -> u32 {
        self.docs
    }

    /// How many words a document has.
    pub(crate) fn length(&self, doc: u32) -> u32 {
        self.doc_field(doc, 0).unwrap_or(0)
    }

    /// How many words all documents have.
    pub(crate) fn total_length(&self) -> u64 {
        (0..self.docs).map(|doc| u64::from(self.length(doc))).sum()
    }

    /// Where the line of a document is in `.docs`, and its checksum.
    pub(crate) fn line_of(&self, doc: u32) -> Result<(u64, u32, u32), Damaged> {
        let entry = DOCS_AT + doc as usize * ENTRY_BYTES;
        let from = place_at(&self.bytes, entry + 4)? as u64;
        Ok((from, self.doc_field(doc, 12)?, self.doc_field(doc, 16)?))
    }

    fn doc_field(&self, doc: u32, field: usize) -> Result<u32, Damaged> {
        u32_at(&self.bytes, DOCS_AT + doc as usize * ENTRY_BYTES + field)
    }

    /// How many documents a word is in, and which.
    pub(crate) fn find(&self, word: &str) -> Option<(u32, impl Iterator<Item = Posting> + '_)> {
        let (mut low, mut high) = (0, self.words);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.name(middle)?.cmp(word.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.list(middle),
            }
        }
        None
    }

    fn word_entry(&self, word: u32) -> usize {
        DOCS_AT + (self.docs as usize + word as usize) * ENTRY_BYTES
    }

    fn name(&self, word: u32) -> Option<&[u8]> {
        let entry = self.word_entry(word);
        let from = u32_at(&self.bytes, entry).ok()? as usize;
        let len = u32_at(&self.bytes, entry + 4).ok()? as usize;
        self.bytes.get(self.names.clone())?.get(from..from + len)
    }

    fn list(&self, word: u32) -> Option<(u32, impl Iterator<Item = Posting> + '_)> {
        let entry = self.word_entry(word);
        let from = place_at(&self.bytes, entry + 8).ok()?;
        let count = u32_at(&self.bytes, entry + 16).ok()?;
        let mut rest = self.bytes.get(self.lists.clone())?.get(from..)?;
        let mut doc = 0_u32;
        let postings = (0..count).map_while(move |_| {
            doc = doc.checked_add(take_number(&mut rest)?)?;
            Some(Posting { doc, times: take_number(&mut rest)? })
        });
        Some((count, postings))
    }

    /// Every document with its words: for a segment that is made of others.
    pub(crate) fn pour_into(
        &self,
        builder: &mut Builder,
        mut line: impl FnMut(u32) -> Option<Vec<u8>>,
    ) -> Result<(), Damaged> {
        let mut words_of: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.docs as usize];
        for word in 0..self.words {
            for posting in self.list(word).into_iter().flat_map(|(_, postings)| postings) {
                let words = words_of.get_mut(posting.doc as usize).ok_or(Damaged("a list leads nowhere"))?;
                words.push((word, posting.times));
            }
        }
        for (doc, words) in words_of.iter().enumerate() {
            let Some(line) = line(doc as u32) else { continue };
            let named = words
                .iter()
                .filter_map(|&(word, times)| Some((std::str::from_utf8(self.name(word)?).ok()?, times)));
            builder.add_line(&line, named);
        }
        Ok(())
    }
}

/// A length and the bytes behind it.
fn block(bytes: &[u8], at: usize) -> Result<Range<usize>, Damaged> {
    let len = place_at(bytes, at)?;
    let end = (at + 8).checked_add(len).filter(|end| *end <= bytes.len());
    Ok(at + 8..end.ok_or(Damaged("it ends too early"))?)
}
