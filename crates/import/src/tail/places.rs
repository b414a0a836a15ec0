//! How far each file was read, kept across restarts.
//!
//! ```json
//! {"version": 1, "files": {"/…/a.jsonl": {"inode": [66306, 1311], "len_bytes": 700, "mtime_ns": 17, "told_bytes": 690,
//!   "hash": "<of the first bytes, and of those before told_bytes>", "finished_bytes": null, "is_done": false}}}
//! ```
//!
//! The file is an index: without it everything is read again, and the spine recognises what it has. It is written only
//! after the spine was synced, so that it never claims more than is there. Not promised: that it is current; after a
//! crash it may be behind, which again costs only time.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use subcortex_store::durable::{self, ReadError, WriteError};
use subcortex_store::{Disk, DiskFile, Stat};

use crate::find::SourceFile;

const VERSION: u32 = 1;
/// The longest file of places that is read: some hundred thousand session files.
const MAX_PLACES_BYTES: u64 = 256 * 1024 * 1024;
/// How many bytes at the beginning, and how many before the place, are compared.
const COMPARED_BYTES: u64 = 4096;
const HASH_HEX_DIGITS: usize = 32;

/// How far one file was read, and what it was then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) inode: (u64, u64),
    /// Length and time of its last change when it was read.
    pub(crate) len_bytes: u64,
    pub(crate) mtime_ns: i64,
    /// What the lines before this place say is on the spine.
    pub(crate) told_bytes: u64,
    /// Of the bytes before that place.
    pub(crate) hash: String,
    /// Where the reader was told that nothing more would come, because the file was quiet for long.
    pub(crate) finished_bytes: Option<u64>,
    /// Nothing is held back: the file matters again when it changes.
    pub(crate) is_done: bool,
}

impl Place {
    pub(crate) fn is_of(&self, source: &SourceFile) -> bool {
        self.inode == source.inode
            && self.len_bytes == source.len_bytes
            && self.mtime_ns == whole_mtime_ns(source.mtime_ns)
    }

    /// Whether the open file still has before this place what was read there.
    pub(crate) fn is_still_true(&self, file: &dyn DiskFile, stat: &Stat) -> io::Result<bool> {
        Ok(self.inode == stat.inode
            && self.told_bytes <= stat.len
            && self.hash == fingerprint(file, self.told_bytes)?)
    }
}

/// Times beyond the year 2262 are all the same.
pub(crate) fn whole_mtime_ns(mtime_ns: i128) -> i64 {
    i64::try_from(mtime_ns).unwrap_or(i64::MAX)
}

/// Tells the content before `told_bytes` from another: by its beginning and its end.
pub(crate) fn fingerprint(file: &dyn DiskFile, told_bytes: u64) -> io::Result<String> {
    let compared = told_bytes.min(COMPARED_BYTES);
    let mut hasher = blake3::Hasher::new();
    for start in [0, told_bytes - compared] {
        let mut bytes = vec![0; usize::try_from(compared).map_err(io::Error::other)?];
        read_all(file, &mut bytes, start)?;
        hasher.update(&bytes);
    }
    let hex = hasher.finalize().to_hex();
    Ok(hex.get(..HASH_HEX_DIGITS).unwrap_or_default().to_owned())
}

fn read_all(file: &dyn DiskFile, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let n = file.read_at(bytes, offset)?;
        if n == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        offset += n as u64;
        bytes = bytes.get_mut(n..).unwrap_or_default();
    }
    Ok(())
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Stored {
    version: u32,
    files: HashMap<PathBuf, Place>,
}

/// Reads the places; the text says why they had to be given up.
pub(crate) fn load(disk: &dyn Disk, path: &Path) -> (HashMap<PathBuf, Place>, Option<String>) {
    let bytes = match durable::read(disk, path, MAX_PLACES_BYTES) {
        Ok(bytes) => bytes,
        Err(ReadError::Missing { .. }) => return (HashMap::new(), None),
        Err(error) => return (HashMap::new(), Some(error.to_string())),
    };
    match serde_json::from_slice::<Stored>(&bytes) {
        Ok(stored) if stored.version == VERSION => (stored.files, None),
        Ok(stored) => (HashMap::new(), Some(format!("it is of version {}, not {VERSION}", stored.version))),
        Err(error) => (HashMap::new(), Some(error.to_string())),
    }
}

/// Writes the places. What they tell of has to be durable on the spine.
pub(crate) fn store(
    disk: &dyn Disk,
    path: &Path,
    places: &HashMap<PathBuf, Place>,
) -> Result<(), WriteError> {
    // A name that is no UTF-8 cannot be a key; such a file is read again after a restart.
    let files = places.iter().filter(|(path, _)| path.to_str().is_some());
    let files = files.map(|(path, place)| (path.clone(), place.clone())).collect();
    // Strings and numbers always become JSON.
    let bytes = serde_json::to_vec(&Stored { version: VERSION, files }).unwrap_or_default();
    durable::replace_derived(disk, path, &bytes)
}
