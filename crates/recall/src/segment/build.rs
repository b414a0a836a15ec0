//! Documents in, files out.

use std::collections::{BTreeMap, HashMap};

use super::bytes::push_number;
use super::{ENTRY_BYTES, MAGIC, Stored};

/// A segment in the making.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    docs: Vec<Doc>,
    shown: Vec<u8>,
    lists: HashMap<String, List>,
    list_bytes: usize,
}

#[derive(Debug)]
struct Doc {
    words: u32,
    from: u64,
    len: u32,
    crc: u32,
}

#[derive(Debug, Default)]
struct List {
    bytes: Vec<u8>,
    docs: u32,
    last: u32,
}

/// What a segment is on the disk.
#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) docs: Vec<u8>,
    pub(crate) words: Vec<u8>,
}

impl Builder {
    /// Takes a document in; what cannot be shown is not found either.
    pub(crate) fn add(&mut self, stored: &Stored, counts: &HashMap<String, u32>) {
        let Ok(line) = serde_json::to_vec(stored) else { return };
        let counts = counts.iter().map(|(word, &times)| (word.as_str(), times));
        self.add_line(&line, counts);
    }

    /// Takes a document in whose line is written already.
    pub(crate) fn add_line<'w>(&mut self, line: &[u8], counts: impl Iterator<Item = (&'w str, u32)>) {
        let number = self.docs.len() as u32;
        let mut words = 0_u32;
        for (word, times) in counts {
            words = words.saturating_add(times);
            let list = match self.lists.get_mut(word) {
                Some(list) => list,
                None => self.lists.entry(word.to_owned()).or_default(),
            };
            let before = list.bytes.len();
            push_number(&mut list.bytes, number - list.last);
            push_number(&mut list.bytes, times);
            self.list_bytes += list.bytes.len() - before;
            list.docs += 1;
            list.last = number;
        }
        let (from, crc) = (self.shown.len() as u64, crc32fast::hash(line));
        self.docs.push(Doc { words, from, len: line.len() as u32, crc });
        self.shown.extend_from_slice(line);
        self.shown.push(b'\n');
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// About how much memory it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.shown.len() + self.list_bytes + self.docs.len() * ENTRY_BYTES
    }

    /// The files.
    pub(crate) fn finish(self) -> Files {
        let lists: BTreeMap<String, List> = self.lists.into_iter().collect();
        let mut bytes =
            Vec::with_capacity(self.list_bytes + (self.docs.len() + lists.len()) * 2 * ENTRY_BYTES);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&(self.docs.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&(lists.len() as u32).to_le_bytes());
        for doc in &self.docs {
            bytes.extend_from_slice(&doc.words.to_le_bytes());
            bytes.extend_from_slice(&doc.from.to_le_bytes());
            bytes.extend_from_slice(&doc.len.to_le_bytes());
            bytes.extend_from_slice(&doc.crc.to_le_bytes());
        }
        let (mut name_at, mut list_at) = (0_u32, 0_u64);
        for (word, list) in &lists {
            bytes.extend_from_slice(&name_at.to_le_bytes());
            bytes.extend_from_slice(&(word.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&list_at.to_le_bytes());
            bytes.extend_from_slice(&list.docs.to_le_bytes());
            name_at += word.len() as u32;
            list_at += list.bytes.len() as u64;
        }
        bytes.extend_from_slice(&u64::from(name_at).to_le_bytes());
        lists.keys().for_each(|word| bytes.extend_from_slice(word.as_bytes()));
        bytes.extend_from_slice(&list_at.to_le_bytes());
        lists.values().for_each(|list| bytes.extend_from_slice(&list.bytes));
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        Files { docs: self.shown, words: bytes }
    }
}
