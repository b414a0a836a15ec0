//! Bounded reading.

use std::io;
use std::path::{Path, PathBuf};

use crate::advice::advice;
use crate::disk::{Disk, DiskFile, EntryKind, OpenMode};
use crate::refusal::Refusal;
use crate::shown::Shown;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is nothing under that name.
    #[error("{} does not exist: make it, or correct the path", Shown(path))]
    Missing {
        /// Which path.
        path: PathBuf,
    },
    /// It is a link, a directory, a FIFO or a device.
    #[error(transparent)]
    NotRegular(Refusal),
    /// It holds more than the caller takes.
    #[error(
        "{} has {len} bytes, and at most {max} are read: make it smaller; it was left as it is",
        Shown(path)
    )]
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// How many bytes it has (at least: it may be growing).
        len: u64,
        /// How many bytes are allowed.
        max: u64,
    },
    /// It is not text.
    #[error("{} is not UTF-8 from byte {offset} on: save it as UTF-8", Shown(path))]
    NotUtf8 {
        /// Which file.
        path: PathBuf,
        /// Where the first wrong byte stands, counted from 0.
        offset: usize,
    },
    /// It is a link that leads nowhere.
    #[error("{} is a link that leads nowhere ({source}): mend it, or remove it", Shown(path))]
    BrokenLink {
        /// Which link.
        path: PathBuf,
        /// How following it failed.
        source: io::Error,
    },
    /// A system call failed.
    #[error("{} could not be read ({source}): {}", Shown(path), advice(source))]
    Io {
        /// Which file.
        path: PathBuf,
        /// How it failed.
        source: io::Error,
    },
}

/// The file behind a link that a person put in its place; every other path is handed back as it is.
pub fn follow_link(disk: &dyn Disk, path: &Path) -> Result<PathBuf, ReadError> {
    match disk.stat(path) {
        Ok(stat) if stat.kind == EntryKind::Symlink => {
            disk.behind_links(path).map_err(|source| ReadError::BrokenLink { path: path.to_owned(), source })
        }
        Ok(_) => Ok(path.to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(path.to_owned()),
        Err(source) => Err(ReadError::Io { path: path.to_owned(), source }),
    }
}

/// Reads a whole regular file of at most `max_bytes`.
pub fn read(disk: &dyn Disk, path: &Path, max_bytes: u64) -> Result<Vec<u8>, ReadError> {
    let failed = |source: io::Error| ReadError::Io { path: path.to_owned(), source };
    let file = match disk.open(path, OpenMode::Read) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(ReadError::Missing { path: path.to_owned() });
        }
        Err(error) => match Refusal::within(&error) {
            Some(refusal) => return Err(ReadError::NotRegular(refusal.clone())),
            None => return Err(failed(error)),
        },
    };
    read_open(&*file, path, max_bytes)
}

/// Reads the whole of an open file, whatever its path leads to by now.
pub(super) fn read_open(file: &dyn DiskFile, path: &Path, max_bytes: u64) -> Result<Vec<u8>, ReadError> {
    let failed = |source: io::Error| ReadError::Io { path: path.to_owned(), source };
    let too_large = |len| ReadError::TooLarge { path: path.to_owned(), len, max: max_bytes };
    let announced = file.len().map_err(failed)?;
    if announced > max_bytes {
        return Err(too_large(announced));
    }
    // One byte more than announced, so that the usual file is read with one call and its end with another.
    let mut bytes = vec![0; usize::try_from(announced).unwrap_or(usize::MAX).saturating_add(1)];
    let mut filled = 0;
    loop {
        let count = file.read_at(&mut bytes[filled..], filled as u64).map_err(failed)?;
        filled += count;
        if filled as u64 > max_bytes {
            return Err(too_large(filled as u64));
        }
        if count == 0 {
            bytes.truncate(filled);
            return Ok(bytes);
        }
        if filled == bytes.len() {
            // It grew while it was read.
            bytes.resize(bytes.len().saturating_mul(2), 0);
        }
    }
}

/// Reads a whole UTF-8 file of at most `max_bytes`.
pub fn read_text(disk: &dyn Disk, path: &Path, max_bytes: u64) -> Result<String, ReadError> {
    String::from_utf8(read(disk, path, max_bytes)?).map_err(|error| ReadError::NotUtf8 {
        path: path.to_owned(),
        offset: error.utf8_error().valid_up_to(),
    })
}
