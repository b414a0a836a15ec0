//! What every store can do.

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use subcortex_blackboard::{Author, Entry, Record, Refusal, ThreadId};
use subcortex_guard::Redactor;
use subcortex_store::Disk;

use crate::{BoardError, Durability, FileBoards, RedisBoards, Thread};

/// A place for blackboards. Several processes, and with a server several machines, use it at once.
pub trait Boards: Send + Sync + Debug {
    /// Checks an entry against the thread and appends it, in one step; a refused one leaves no trace.
    fn append(
        &self,
        thread: &ThreadId,
        author: &Author,
        entry: Entry,
        now: Timestamp,
    ) -> Result<Record, BoardError>;

    /// The thread as it is now; one that never began or has expired has no entries.
    fn read(&self, thread: &ThreadId, now: Timestamp) -> Result<Arc<Thread>, BoardError>;

    /// The threads that there are; those that have expired may still be named.
    fn threads(&self) -> Result<Vec<ThreadId>, BoardError>;

    /// Begins to listen for what is appended. What was there before has to be read after this call.
    fn watch(&self, thread: &ThreadId) -> Result<Box<dyn Watch>, BoardError>;
}

/// Tells that a thread may have grown.
pub trait Watch: Send + Debug {
    /// Waits until the thread may have grown, but not longer than this. What is new has to be read: a wake-up carries nothing,
    /// so that a lost one costs time and no entry.
    fn wait(&mut self, at_most: Duration) -> Result<(), BoardError>;
}

/// The store that the settings name: `files`, or the URL of a Redis server.
pub fn open(
    store: &str,
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    ttl_s: u64,
) -> Result<Arc<dyn Boards>, BoardError> {
    if store == "files" {
        return Ok(Arc::new(FileBoards::new(disk, dir, ttl_s, Durability::Synced)));
    }
    Ok(Arc::new(RedisBoards::new(store, ttl_s)?))
}

/// The entry without secrets, as it is checked and stored.
pub(crate) fn redacted(entry: Entry) -> Result<Entry, BoardError> {
    let unreadable =
        |error: serde_json::Error| BoardError::Refused(Box::new(Refusal::Malformed(unreadable(&error))));
    let mut value: Value = serde_json::to_value(&entry).map_err(unreadable)?;
    let before = value.clone();
    Redactor::new().value(&mut value);
    if value == before {
        return Ok(entry);
    }
    let entry: Entry = serde_json::from_value(value).map_err(unreadable)?;
    entry.checked().map_err(|why| BoardError::Refused(Box::new(why.into())))
}

fn unreadable(error: &serde_json::Error) -> subcortex_blackboard::Malformed {
    subcortex_blackboard::Malformed::Unreadable { why: error.to_string() }
}
