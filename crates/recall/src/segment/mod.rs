//! A segment: some documents and the words in them, written once and never changed.
//!
//! Two files. `<n>.docs` holds what is shown of each document, a JSON object a line ([`Stored`]). `<n>.words` is what is
//! searched; all numbers are little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `SCRECAL1` |
//! | 4, 4 | how many documents, how many words |
//! | 20 a document | how many words it has (4); where its line begins in `.docs` (8), its length (4), its CRC-32 (4) |
//! | 20 a word | where its name begins (4), its length (4); where its list begins (8); how many documents it is in (4) |
//! | 8, then so many | the names, one behind the other, sorted |
//! | 8, then so many | the lists: for each document the distance to the one before and how often, as variable-length numbers |
//! | 4 | CRC-32 of everything before |
//!
//! Nothing that a file says is believed before its checksum holds, and no number of it leads outside of it.

mod build;
mod bytes;
mod read;

pub(crate) use build::{Builder, Files};
pub(crate) use read::Segment;

use serde::{Deserialize, Serialize};

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A line of the broadcast.
    Line,
    /// A piece of evidence.
    Fragment,
    /// What is known of a thing or a subject.
    Dossier,
    /// A person's message and what the agent did.
    Turn,
}

/// What is shown of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stored {
    pub(crate) kind: Kind,
    /// Where it stands, as a path below the home.
    pub(crate) path: String,
    /// When it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ts: Option<jiff::Timestamp>,
    /// The event that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) event: Option<String>,
    /// The session that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    /// What it says, in parts: of a turn first the message, then what followed.
    pub(crate) parts: Vec<String>,
}

/// A file that is not what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Damaged(pub(crate) &'static str);

const MAGIC: &[u8; 8] = b"SCRECAL1";
/// How long the entry of a document is, and that of a word, in bytes.
const ENTRY_BYTES: usize = 20;

#[cfg(test)]
mod tests;
