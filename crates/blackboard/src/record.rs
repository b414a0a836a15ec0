//! An entry as it stands in a thread.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::limits::Malformed;
use crate::{Author, Entry, Role};

/// One appended entry. Its serde form is the format of both stores, so it cannot change later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Tells it from every other record, also of a thread that began anew.
    pub id: String,
    /// Its place in the thread, from 1.
    pub seq: u64,
    /// When it was appended.
    pub ts: Timestamp,
    /// What its author is.
    pub role: Role,
    /// Who that is.
    pub by: String,
    /// Whether somebody watched the author fetch the source; only of a VERIFIED.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub checked: bool,
    /// What it says.
    pub entry: Entry,
}

impl Record {
    /// Its author, as far as the thread knows.
    pub fn author(&self) -> Result<Author, Malformed> {
        Author::new(self.role, &self.by)
    }
}
