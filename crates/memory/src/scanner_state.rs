//! `state/spine-scanner.json`: how far the log has been read. Positions only, nothing that anybody said.
//!
//! ```json
//! {"version":1,"cursor":{"file":"2026-01-02.jsonl","offset":1234,"last_id":"evt_…"},"last_event_ts":"…",
//!  "sessions":{"s1":{"from":{…},"to":{…},"last_ts":"…","judged":false}}}
//! ```

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_spine::Cursor;
use subcortex_store::Disk;
use subcortex_store::durable;

use crate::{MemoryFolder, Trouble, state_file};

const NAME: &str = "spine-scanner";
const VERSION: u32 = 1;
/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// How far the log has been read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ScannerState {
    /// The version of this format.
    #[serde(default)]
    pub version: u32,
    /// Behind the last event that was read.
    pub cursor: Option<Cursor>,
    /// When that event happened.
    #[serde(default)]
    pub last_event_ts: Option<Timestamp>,
    /// Where the last turn of each session stands.
    #[serde(default)]
    pub sessions: BTreeMap<String, SessionPosition>,
}

/// Where the last turn of a session stands in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionPosition {
    /// Before its first event; `None`: the beginning of the log.
    pub from: Option<Cursor>,
    /// Behind its last event so far.
    pub to: Cursor,
    /// When its last event happened.
    pub last_ts: Timestamp,
    /// Whether the turn has been judged, because it was over.
    pub judged: bool,
}

impl ScannerState {
    /// Reads the state. Without one that can be used the log is read from its beginning, and what was found before stays.
    pub fn read(disk: &dyn Disk, folder: &MemoryFolder) -> Result<Self, Trouble> {
        let path = folder.state(NAME);
        let understand = |text: &str| serde_json::from_str::<Self>(text).ok();
        let state = state_file::read(disk, &path, MAX_BYTES, understand)?;
        let state = state.unwrap_or_else(|| Self { version: VERSION, ..Self::default() });
        if state.version > VERSION {
            let why = format!("it is of version {}, and this program knows {VERSION}", state.version);
            return Err(Trouble::Content { path, why });
        }
        Ok(state)
    }

    /// Replaces the state, if it changed.
    pub fn write(&self, disk: &dyn Disk, folder: &MemoryFolder) -> Result<(), Trouble> {
        let path = folder.state(NAME);
        let mut text = serde_json::to_string(self)
            .map_err(|error| Trouble::Content { path: path.clone(), why: error.to_string() })?;
        text.push('\n');
        Ok(durable::replace(disk, &path, text.as_bytes())?)
    }
}
