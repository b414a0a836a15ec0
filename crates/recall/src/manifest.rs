//! `manifest.json`: which segments there are, and how far the log has been read.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_spine::Cursor;

/// Changes with whatever makes older segments useless: their format, what a word is, what of a turn is kept.
pub(crate) const VERSION: u32 = 1;

/// What the index consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) version: u32,
    /// The number of the next segment.
    pub(crate) next: u64,
    pub(crate) shelves: Vec<Shelf>,
    /// How far the log has been read.
    pub(crate) read_to: Option<Cursor>,
    /// The days of the log that turns come from.
    pub(crate) days: BTreeSet<String>,
    /// The turn that each session was in there.
    pub(crate) open: BTreeMap<String, OpenTurn>,
}

/// One segment and what it was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shelf {
    pub(crate) of: Of,
    /// Its number.
    pub(crate) segment: u64,
    /// How long both files are together.
    pub(crate) bytes: u64,
}

/// What a segment was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Of {
    /// All dossiers; the stamp changes with any of them.
    Dossiers { stamp: String },
    /// The fragments of a day; the stamp changes when one comes or goes.
    Fragments { day: String, stamp: String },
    /// Turns of the log, in its order.
    Turns,
}

/// The beginning of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenTurn {
    pub(crate) path: String,
    pub(crate) event: String,
    pub(crate) ts: Timestamp,
}

impl Default for Manifest {
    fn default() -> Self {
        let (shelves, days, open) = (Vec::new(), BTreeSet::new(), BTreeMap::new());
        Self { version: VERSION, next: 1, shelves, read_to: None, days, open }
    }
}
