//! A thread in memory.

use jiff::{SignedDuration, Timestamp};
use subcortex_blackboard::{Author, Board, Entry, Record, Refusal};
use uuid::Uuid;

/// The entries of a thread, and what they fold to.
#[derive(Debug, Clone, Default)]
pub struct Thread {
    records: Vec<Record>,
    board: Board,
}

impl Thread {
    /// What was appended, in order.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// What that folds to.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Its newest record.
    pub fn last(&self) -> Option<&Record> {
        self.records.last()
    }

    /// The record that would be appended.
    pub(crate) fn next(&self, author: &Author, entry: &Entry, now: Timestamp) -> Result<Record, Refusal> {
        self.board.check(author, entry)?;
        let is_verified = matches!(entry, Entry::Verified { .. });
        Ok(Record {
            id: Uuid::now_v7().simple().to_string(),
            seq: self.records.len() as u64 + 1,
            ts: now,
            role: author.role,
            by: author.id.clone(),
            checked: is_verified && author.fetched.is_some(),
            entry: entry.clone(),
        })
    }

    /// Takes over a record that was just stored, or that a store holds.
    pub(crate) fn take(&mut self, record: Record) -> Result<(), String> {
        let expected = self.records.len() as u64 + 1;
        if record.seq != expected {
            return Err(format!("it says that it is entry {}", record.seq));
        }
        self.board.replay(&record).map_err(|why| why.to_string())?;
        self.records.push(record);
        Ok(())
    }

    /// Takes over a stored line.
    pub(crate) fn take_line(&mut self, line: &[u8]) -> Result<(), String> {
        let record = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        self.take(record)
    }

    /// Whether so much time has passed since the last entry. A clock that was set back expires nothing.
    pub(crate) fn is_expired(&self, ttl_s: u64, now: Timestamp) -> bool {
        let ttl = SignedDuration::from_secs(i64::try_from(ttl_s).unwrap_or(i64::MAX));
        self.last().is_some_and(|last| now.duration_since(last.ts) > ttl)
    }
}
