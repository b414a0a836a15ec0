//! `state/forgotten.json`: origins that a person had forgotten. Nothing of them becomes evidence again, also when
//! the log is read anew. And the lines that went with each, as hashes: where an editor's buffer, or a person, puts one back, it
//! stays, and forgetting the same origin again takes it out.
//!
//! ```json
//! {"events":["evt_…"],"sessions":["s1"],"lines":{"s1":["0123456789abcdef"]}}
//! ```

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use subcortex_store::Disk;
use subcortex_store::durable::{self, ReadError};

use crate::{LineHash, MemoryFolder, Trouble};

const NAME: &str = "forgotten";
/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Origins that are never evidence.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Forgotten {
    /// Single events.
    pub events: BTreeSet<String>,
    /// Whole sessions.
    pub sessions: BTreeSet<String>,
    /// The lines that went, by origin, as [`LineHash::of_words`](crate::LineHash::of_words).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub lines: BTreeMap<String, BTreeSet<String>>,
}

impl Forgotten {
    /// Reads the list; a missing file is an empty one.
    pub fn read(disk: &dyn Disk, folder: &MemoryFolder) -> Result<Self, Trouble> {
        let path = folder.state(NAME);
        match durable::read_text(disk, &path, MAX_BYTES) {
            Ok(text) => serde_json::from_str(&text)
                .map_err(|error| Trouble::Forgotten { path, why: error.to_string() }),
            Err(ReadError::Missing { .. }) => Ok(Self::default()),
            Err(error) => Err(error.into()),
        }
    }

    /// Replaces the list.
    pub fn write(&self, disk: &dyn Disk, folder: &MemoryFolder) -> Result<(), Trouble> {
        let path = folder.state(NAME);
        let mut text = serde_json::to_string(self)
            .map_err(|error| Trouble::Content { path: path.clone(), why: error.to_string() })?;
        text.push('\n');
        Ok(durable::replace(disk, &path, text.as_bytes())?)
    }

    /// Whether a line went when this origin was forgotten before.
    pub fn went_with(&self, origin: &str, line: &LineHash) -> bool {
        self.lines.get(origin).is_some_and(|lines| lines.contains(line.of_words()))
    }

    /// Whether an event is forgotten, by itself or with its session.
    pub fn holds(&self, event_id: &str, session_key: Option<&str>) -> bool {
        self.events.contains(event_id) || session_key.is_some_and(|key| self.sessions.contains(key))
    }
}
