//! How far the index covers the log: `head` for this boot, `checkpoint` for certain.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use subcortex_store::{Disk, OpenMode, durable};

use crate::cursor::Cursor;

/// Longest text of either file, in bytes.
const MAX_BYTES: usize = 4096;

/// What one process tells the next about the index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    /// Everything before it is indexed; `None` when nothing is.
    pub(super) covered: Option<Cursor>,
    /// Counts the times that a table was replaced by a larger one, so that others reopen theirs.
    pub(super) generation: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    boot_id: String,
    #[serde(flatten)]
    head: Head,
}

/// The two position files.
#[derive(Debug)]
pub(super) struct Positions {
    dir: PathBuf,
    boot_id: String,
}

impl Positions {
    pub(super) fn new(dir: PathBuf, boot_id: String) -> Self {
        Self { dir, boot_id }
    }

    /// Where to go on: the head of this boot, else the checkpoint, else `None`: from the beginning.
    pub(super) fn load(&self, disk: &dyn Disk) -> io::Result<Option<Head>> {
        if let Some(stored) = self.read(disk, "head")?
            && stored.boot_id == self.boot_id
        {
            return Ok(Some(stored.head));
        }
        Ok(self.read(disk, "checkpoint")?.map(|stored| stored.head))
    }

    /// Writes the head in place: one `pwrite` within one page, whole for every other process.
    pub(super) fn store(&self, disk: &dyn Disk, head: &Head) -> io::Result<()> {
        super::make_dirs(disk, &self.dir)?;
        let file = disk.open(&self.dir.join("head"), OpenMode::ReadWrite)?;
        let line = self.line(head)?;
        let written = file.write_at(&line, 0)?;
        if written != line.len() {
            return Err(io::ErrorKind::WriteZero.into());
        }
        Ok(())
    }

    /// Writes the checkpoint durably. The tables are synced already.
    pub(super) fn checkpoint(&self, disk: &dyn Disk, head: &Head) -> io::Result<()> {
        super::make_dirs(disk, &self.dir)?;
        durable::replace(disk, &self.dir.join("checkpoint"), &self.line(head)?).map_err(|error| {
            // Whoever sets the index aside has to know it from a disk that is full.
            if let durable::WriteError::NotRegular(refusal) = error {
                refusal.into()
            } else {
                io::Error::other(error)
            }
        })
    }

    /// JSON, checksum, newline. Shorter text over longer text is safe: what counts ends at the first newline.
    fn line(&self, head: &Head) -> io::Result<Vec<u8>> {
        let stored = Stored { boot_id: self.boot_id.clone(), head: head.clone() };
        let mut line = serde_json::to_vec(&stored)?;
        let crc = crc32fast::hash(&line);
        line.extend_from_slice(format!(" {crc:08x}\n").as_bytes());
        Ok(line)
    }

    /// Reads one of the two; whatever is not whole counts as absent, which only costs a longer catch-up.
    fn read(&self, disk: &dyn Disk, name: &str) -> io::Result<Option<Stored>> {
        let file = match disk.open(&self.dir.join(name), OpenMode::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        let mut buffer = vec![0; MAX_BYTES];
        let read = file.read_at(&mut buffer, 0)?;
        let text = buffer.get(..read).unwrap_or_default();
        Ok(decode(text))
    }
}

fn decode(text: &[u8]) -> Option<Stored> {
    let line = text.split(|byte| *byte == b'\n').next()?;
    let (json, crc) = line.split_at_checked(line.len().checked_sub(9)?)?;
    let expected = format!(" {:08x}", crc32fast::hash(json));
    if crc == expected.as_bytes() { serde_json::from_slice(json).ok() } else { None }
}
