//! What was added, noted in the home.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use subcortex_home::Home;
use subcortex_known_agents::Agent;
use subcortex_store::durable::{self, ReadError};
use subcortex_store::{Disk, EntryKind};

use crate::edit::Piece;
use crate::{ConnectError, MAX_FILE_BYTES};

/// What was added to the files of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) agent: String,
    pub(crate) files: Vec<FileRecord>,
}

/// What was added to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    /// The file itself, behind all links.
    pub(crate) path: PathBuf,
    /// There was no such file before.
    pub(crate) made: bool,
    /// Of the content that it then had.
    pub(crate) hash: String,
    pub(crate) pieces: Vec<Piece>,
}

impl Record {
    pub(crate) fn of(&self, path: &Path) -> Option<&FileRecord> {
        self.files.iter().find(|file| file.path == path)
    }
}

/// Where it is noted what was added to an agent's files.
pub fn record_file(home: &Home, agent: &Agent) -> PathBuf {
    home.var().join("connect").join(format!("{}.json", agent.name))
}

/// Whether an agent is connected with a home, as far as the home knows.
pub fn is_connected(disk: &dyn Disk, home: &Home, agent: &Agent) -> bool {
    disk.stat(&record_file(home, agent)).is_ok_and(|stat| stat.kind == EntryKind::File)
}

pub(crate) fn load(disk: &dyn Disk, path: &Path) -> Result<Option<Record>, ConnectError> {
    let text = match durable::read_text(disk, path, MAX_FILE_BYTES) {
        Ok(text) => text,
        Err(ReadError::Missing { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let record = serde_json::from_str(&text)
        .map_err(|error| ConnectError::Record { path: path.to_owned(), message: error.to_string() })?;
    Ok(Some(record))
}

pub(crate) fn store(disk: &dyn Disk, home: &Home, path: &Path, record: &Record) -> Result<(), ConnectError> {
    durable::make_dirs(disk, home.root(), Path::new("var/connect"))?;
    let text = serde_json::to_vec(record)
        .map_err(|error| ConnectError::Record { path: path.to_owned(), message: error.to_string() })?;
    Ok(durable::replace(disk, path, &text)?)
}

pub(crate) fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
