//! What a crash left of a replacement: the table in `swap`.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::aside::{AsideName, hash_of, keep};
use super::read::{ReadError, read};
use super::swap::KEPT_ASIDE;
use super::temporary::{SweepError, is_at_work, sweep_temporaries};
use crate::disk::{Disk, Lease, OpenMode};

/// The largest file that is compared, in bytes. A larger one is somebody's: nothing of ours is as large.
const MAX_COMPARED_BYTES: u64 = 64 * 1024 * 1024;

/// Clears away what writers left in a directory that died: their temporary files go ([`sweep_temporaries`]), and their replacements
/// come to an end ([`finish_replacements`]). For whoever is about to write there: not everybody has a daemon that sweeps.
pub fn clear_up(disk: &dyn Disk, dir: &Path) -> Result<Vec<PathBuf>, SweepError> {
    sweep_temporaries(disk, dir)?;
    finish_replacements(disk, dir)
}

/// Brings replacements to an end whose makers died: what people saved keeps or gets back its name, and what nobody needs
/// goes. Returns the saves that are kept beside a later one (`<name>.kept-1`).
pub fn finish_replacements(disk: &dyn Disk, dir: &Path) -> Result<Vec<PathBuf>, SweepError> {
    let names = match disk.list(dir) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(SweepError { path: dir.to_owned(), source }),
    };
    let mut kept = Vec::new();
    for name in names {
        let Some(aside) = AsideName::of(&name).filter(|aside| !is_at_work(aside.pid, aside.number)) else {
            continue;
        };
        let path = dir.join(name);
        let finished = finish(disk, dir, &path, &aside);
        kept.extend(finished.map_err(|source| SweepError { path, source })?);
    }
    Ok(kept)
}

fn finish(disk: &dyn Disk, dir: &Path, path: &Path, aside: &AsideName) -> io::Result<Option<PathBuf>> {
    let target = dir.join(&aside.target);
    let Some(found) = content_hash(disk, path)? else { return Ok(None) };
    let mut kept = None;
    if found == aside.will || found == aside.was {
        if found == aside.was && may_be_written(disk, path)? {
            return Ok(None);
        }
        disk.remove(path)?;
    } else {
        match content_hash(disk, &target)? {
            None => disk.rename_new(path, &target)?,
            Some(there) if there == aside.will => {
                disk.exchange(path, &target)?;
                // A save that came in between is somebody's as well: the next call sees to it.
                if content_hash(disk, path)?.as_ref() == Some(&aside.will) {
                    disk.remove(path)?;
                }
            }
            Some(_) => kept = Some(keep(disk, path, &target)?),
        }
    }
    disk.sync_dir(dir)?;
    Ok(kept)
}

/// The hash of a file's content; `None` when there is no such file. What is no small regular file has a hash that
/// nothing of ours has.
fn content_hash(disk: &dyn Disk, path: &Path) -> io::Result<Option<String>> {
    match read(disk, path, MAX_COMPARED_BYTES) {
        Ok(content) => Ok(Some(hash_of(&content))),
        Err(ReadError::Missing { .. }) => Ok(None),
        Err(ReadError::Io { source, .. }) => Err(source),
        Err(
            ReadError::NotRegular(_)
            | ReadError::BrokenLink { .. }
            | ReadError::TooLarge { .. }
            | ReadError::NotUtf8 { .. },
        ) => Ok(Some(String::new())),
    }
}

/// Whether somebody may still write to a displaced file.
fn may_be_written(disk: &dyn Disk, path: &Path) -> io::Result<bool> {
    let file = disk.open(path, OpenMode::Read)?;
    Ok(match file.lease()? {
        Lease::Held => false,
        Lease::Writer => true,
        Lease::Unknown => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let aside_for_ns = i128::try_from(now.as_nanos()).unwrap_or(i128::MAX) - file.stat()?.changed_ns;
            (0..i128::try_from(KEPT_ASIDE.as_nanos()).unwrap_or(i128::MAX)).contains(&aside_for_ns)
        }
    })
}
