//! What was read, what came of it, and what was left out for which reason.

use std::collections::BTreeMap;

/// The reasons for which a record gives no event.
pub mod skipped {
    /// Not a JSON object, not even after lenient reading.
    pub const BROKEN: &str = "broken";
    /// Longer than [`crate::transcript::MAX_LINE_BYTES`].
    pub const TOO_LONG: &str = "too_long";
    /// Nothing but NUL bytes, as a crash or a preallocated file leaves them.
    pub const NUL_BYTES: &str = "nul_bytes";
    /// A record type that says nothing about the conversation.
    pub const BOOKKEEPING: &str = "bookkeeping";
    /// A record type that this version does not know.
    pub const UNKNOWN_TYPE: &str = "unknown_type";
    /// A line of a file that no known agent wrote.
    pub const UNKNOWN_FORMAT: &str = "unknown_format";
    /// A record that belongs to no session.
    pub const NO_SESSION: &str = "no_session";
    /// subcortex's own run.
    pub const OWN_RUN: &str = "own_run";
    /// A prompt that an agent wrote for its subagent.
    pub const SIDECHAIN_PROMPT: &str = "sidechain_prompt";
    /// Marked by the agent program as not the person's: meta records, summaries.
    pub const META: &str = "meta";
    /// A prompt from a notification, a peer, a scheduler.
    pub const OTHER_ORIGIN: &str = "other_origin";
    /// Nothing but what the agent program wrapped around its own output.
    pub const WRAPPER: &str = "wrapper";
    /// A picture without words.
    pub const IMAGE_ONLY: &str = "image_only";
    /// No content at all.
    pub const EMPTY: &str = "empty";
    /// Thinking, pictures, signatures: nothing that is kept.
    pub const NO_CONTENT: &str = "no_content";
    /// A step of the queue; its words come with their delivery.
    pub const QUEUE: &str = "queue";
    /// The same words were already reported by another record.
    pub const REPEATED: &str = "repeated";
}

/// What one reader has read so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines that were not blank.
    pub records: u64,
    /// Drafts that were handed out.
    pub events: u64,
    /// Records that gave no draft, by reason, see [`skipped`].
    pub skipped: BTreeMap<&'static str, u64>,
}

impl Counts {
    /// Counts one record that gives no draft.
    pub(crate) fn skip(&mut self, reason: &'static str) {
        *self.skipped.entry(reason).or_default() += 1;
    }

    /// Counts a line without a record: a blank one is nothing, one of NUL bytes was something once.
    pub(crate) fn blank(&mut self, line: &[u8]) {
        if line.contains(&0) {
            self.records += 1;
            self.skip(skipped::NUL_BYTES);
        }
    }

    /// Adds the counts of another file.
    pub fn add(&mut self, other: &Self) {
        self.records += other.records;
        self.events += other.events;
        for (reason, n) in &other.skipped {
            *self.skipped.entry(reason).or_default() += n;
        }
    }
}
