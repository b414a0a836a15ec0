//! Recall: what is remembered, found by words.
//!
//! Searched are the lines of the broadcast, fragments, dossiers and turns, ranked together by BM25 over stemmed words
//! ([`words`]). Each answer says where it stands.
//!
//! # Files
//!
//! | path below `var/index/recall/` | what |
//! |---|---|
//! | `manifest.json` | which segments there are, and how far the log has been read |
//! | `<n>.words`, `<n>.docs` | a segment: what is searched, and what is shown |
//! | `.lock` | held (`flock`) by whoever brings the index up to date |
//!
//! The index only follows what it is made of. It is brought up to date before each search, at the cost of what is new:
//! a day of fragments and the dossiers are read again when their folder or a file in it changed, the log is read on
//! from where it was left. It can be deleted at any time; a damaged one is thrown away and made anew. Files are replaced as a
//! whole and the manifest last, so whoever dies on the way leaves the index of before.
//!
//! What a person had forgotten, and turns of days that are no longer kept, are not shown.

mod error;
mod index;
mod manifest;
mod rank;
mod search;
mod segment;
mod snippet;
mod sources;
mod update;
pub mod words;

pub use error::RecallError;
pub use rank::Ranked;
pub use search::{Hit, MAX_HITS, recall};
pub use segment::Kind;

use std::path::PathBuf;
use std::sync::Arc;

use subcortex_memory::MemoryFolder;
use subcortex_store::Disk;

/// Where everything is.
#[derive(Debug, Clone)]
pub struct Places {
    /// The file system.
    pub disk: Arc<dyn Disk>,
    /// `memory/`.
    pub memory: MemoryFolder,
    /// `var/events/`.
    pub events: PathBuf,
    /// `var/`: the index is in `index/recall` below it.
    pub var: PathBuf,
}
