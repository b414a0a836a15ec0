//! `state/forgotten.json`: origins that a person had forgotten. Nothing of them becomes evidence again, also when
//! the log is read anew.
//!
//! ```json
//! {"events":["evt_…"],"sessions":["s1"]}
//! ```

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use subcortex_store::Disk;
use subcortex_store::durable::{self, ReadError};

use crate::{MemoryFolder, Trouble};

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

    /// Whether an event is forgotten, by itself or with its session.
    pub fn holds(&self, event_id: &str, session_key: Option<&str>) -> bool {
        self.events.contains(event_id) || session_key.is_some_and(|key| self.sessions.contains(key))
    }
}
