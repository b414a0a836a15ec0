//! One task's file: its content, its key, its stamp.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use subcortex_cadence::{ContentHash, FileStamp, TaskKey, TaskName};
use subcortex_store::durable::{self, ReadError};
use subcortex_store::{Disk, Stat};

use crate::{InboxError, names};

/// The longest body of a task, in bytes.
pub const MAX_TASK_BYTES: u64 = 1024 * 1024;
/// How often a file that changes while it is read is read again.
const MAX_READ_ATTEMPTS: usize = 3;

/// A task's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// The text; bytes that are no UTF-8 stand as `U+FFFD`.
    pub text: String,
    /// Whether there were such bytes.
    pub lossy: bool,
    /// The key of exactly this content: compare it with the one that the run took.
    pub key: TaskKey,
    /// Which file it was read from.
    pub stamp: FileStamp,
}

/// Reads one task. The file must be regular and not too long.
pub fn read_body(disk: &dyn Disk, dir: &Path, name: &TaskName) -> Result<Body, InboxError> {
    let name = names::check(name.as_str())?;
    let Content { stat, bytes } = read_content(disk, &dir.join(name))?;
    let key = task_key(name, &bytes);
    let (text, lossy) = match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
    };
    Ok(Body { text, lossy, key, stamp: stamp_of(&stat) })
}

/// The identity of a task: its name, and the BLAKE3 hash of name and body in hexadecimal.
///
/// The name is part of the hash, so that the hash alone can serve as the key of a task's effects.
#[must_use]
pub fn task_key(name: &str, body: &[u8]) -> TaskKey {
    let mut hasher = blake3::Hasher::new();
    // A name of one length and a body cannot be read as a longer name and a shorter body.
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name.as_bytes());
    hasher.update(body);
    TaskKey { name: TaskName::new(name), hash: ContentHash::new(hasher.finalize().to_hex().as_str()) }
}

/// Folds what tells two files of the same name and content apart.
#[must_use]
pub fn stamp_of(stat: &Stat) -> FileStamp {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&stat.inode.0.to_le_bytes());
    hasher.update(&stat.inode.1.to_le_bytes());
    hasher.update(&stat.mtime_ns.to_le_bytes());
    let mut folded = [0; 8];
    hasher.finalize_xof().fill(&mut folded);
    FileStamp(u64::from_le_bytes(folded))
}

/// What a file holds, with the facts about exactly that file.
pub(crate) struct Content {
    pub(crate) stat: Stat,
    pub(crate) bytes: Vec<u8>,
}

/// Reads a file and the facts about it, and makes sure that they belong together.
pub(crate) fn read_content(disk: &dyn Disk, path: &Path) -> Result<Content, InboxError> {
    for _ in 0..MAX_READ_ATTEMPTS {
        let stat = facts(disk, path)?;
        let bytes = durable::read(disk, path, MAX_TASK_BYTES)?;
        if facts(disk, path)? == stat {
            return Ok(Content { stat, bytes });
        }
    }
    Err(InboxError::Changing { shown: names::shown(path.file_name().unwrap_or(OsStr::new("it"))) })
}

fn facts(disk: &dyn Disk, path: &Path) -> Result<Stat, InboxError> {
    disk.stat(path).map_err(|source| {
        if source.kind() == io::ErrorKind::NotFound {
            return ReadError::Missing { path: path.to_owned() }.into();
        }
        InboxError::Look { path: path.to_owned(), source }
    })
}
