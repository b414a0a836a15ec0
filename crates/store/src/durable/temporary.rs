//! Temporary files: `.<name>.<pid>.<counter>.tmp` beside the file that they will become.
//!
//! Each process knows which of its own it is writing right now, and starts to count at a random number: so
//! what an earlier process with the same pid left (usual in containers, where a daemon is always pid 1)
//! neither gets in the way nor is taken for one of its own.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::error::{Operation, WriteError, parent};
use crate::advice::advice;
use crate::disk::{Disk, DiskFile, EntryKind, OpenMode};
use crate::process::is_running;
use crate::shown::Shown;

/// How much of the target's name a temporary name repeats: with pid and counter it must stay below the
/// 255 bytes that file systems allow.
const MAX_REPEATED_NAME_BYTES: usize = 200;
/// How many names are tried when they are taken.
const MAX_NAME_ATTEMPTS: usize = 8;
const SUFFIX: &[u8] = b".tmp";

/// The next number: 48 random bits, which leaves more to count in than anybody can use up.
static NEXT: LazyLock<AtomicU64> =
    LazyLock::new(|| AtomicU64::new(RandomState::new().build_hasher().finish() >> 16));
/// The numbers of the temporary files that this process is writing. One is entered before its file is made.
static IN_USE: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

fn in_use() -> MutexGuard<'static, BTreeSet<u64>> {
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file that holds the new content, synced; removed unless it was renamed.
pub(super) struct Temporary<'a> {
    disk: &'a dyn Disk,
    path: PathBuf,
    number: u64,
    exists: bool,
}

impl<'a> Temporary<'a> {
    /// Writes the content that `operation.path` is to have.
    pub(super) fn write(
        disk: &'a dyn Disk,
        operation: Operation<'_>,
        bytes: &[u8],
    ) -> Result<Temporary<'a>, WriteError> {
        Ok(Temporary::write_with(disk, operation, |file| write_all(file, bytes))?.0)
    }

    /// As [`Temporary::write`], but the caller syncs: one call for many files.
    pub(super) fn write_unsynced(
        disk: &'a dyn Disk,
        operation: Operation<'_>,
        bytes: &[u8],
    ) -> Result<Temporary<'a>, WriteError> {
        let (temporary, file) = Temporary::create(disk, operation)?;
        write_all(&*file, bytes).map_err(operation.failed("writing the new content"))?;
        Ok(temporary)
    }

    /// Lets the caller write the content that `operation.path` is to have.
    pub(super) fn write_with<T>(
        disk: &'a dyn Disk,
        operation: Operation<'_>,
        write: impl FnOnce(&dyn DiskFile) -> io::Result<T>,
    ) -> Result<(Temporary<'a>, T), WriteError> {
        let (temporary, file) = Temporary::create(disk, operation)?;
        let said = write(&*file).map_err(operation.failed("writing the new content"))?;
        file.sync().map_err(operation.failed("syncing the new content"))?;
        Ok((temporary, said))
    }

    fn create(
        disk: &'a dyn Disk,
        operation: Operation<'_>,
    ) -> Result<(Temporary<'a>, Box<dyn DiskFile>), WriteError> {
        let mut attempts_left = MAX_NAME_ATTEMPTS;
        loop {
            let mut temporary = Temporary::named(disk, operation.path);
            match disk.open(&temporary.path, OpenMode::CreateNew) {
                Ok(file) => {
                    temporary.exists = true;
                    return Ok((temporary, file));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempts_left > 1 => {
                    attempts_left -= 1;
                }
                Err(error) => return Err(operation.failed("making a temporary file")(error)),
            }
        }
    }

    /// Reserves a name.
    pub(super) fn named(disk: &'a dyn Disk, target: &Path) -> Temporary<'a> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        in_use().insert(number);
        Temporary { disk, path: name_for(target, number), number, exists: false }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The number in its name. It stays reserved as long as this lives.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The file has its final name now, and nothing is left to remove.
    pub(super) fn renamed(mut self) {
        self.exists = false;
    }

    /// The file has another name now, and whoever holds this cares for it; its number stays reserved.
    pub(super) fn set_aside(&mut self) {
        self.exists = false;
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if self.exists {
            // Best effort: what stays is found by `sweep_temporaries`.
            let _ = self.disk.remove(&self.path);
        }
        in_use().remove(&self.number);
    }
}

fn write_all(file: &dyn DiskFile, bytes: &[u8]) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let written = file.write(rest)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        rest = &rest[written.min(rest.len())..];
    }
    Ok(())
}

fn name_for(target: &Path, number: u64) -> PathBuf {
    let name = target.file_name().unwrap_or(OsStr::new("file")).as_bytes();
    let mut end = name.len().min(MAX_REPEATED_NAME_BYTES);
    while name.get(end).is_some_and(|byte| byte & 0xC0 == 0x80) {
        end -= 1; // Not in the middle of a character: some file systems take UTF-8 only
    }
    let mut temporary = Vec::from(b".");
    temporary.extend_from_slice(&name[..end]);
    temporary.extend_from_slice(format!(".{}.{number}", std::process::id()).as_bytes());
    temporary.extend_from_slice(SUFFIX);
    parent(target).join(OsString::from_vec(temporary))
}

/// Why leftovers could not be removed. Nothing depends on them: they only take up space.
#[derive(Debug, thiserror::Error)]
#[error(
    "leftover temporary files stay for now: {} could not be dealt with ({source}): {}",
    Shown(path),
    advice(source)
)]
pub struct SweepError {
    /// Which file, or the directory.
    pub path: PathBuf,
    /// How it failed.
    pub source: io::Error,
}

/// Removes the temporary files that dead writers left in a directory, and returns which.
///
/// Whether a writer is dead is judged by the pid in the name, as seen from this process. A writer in another
/// container that shares the directory can be taken for dead; its rename then fails and it reports so.
pub fn sweep_temporaries(disk: &dyn Disk, dir: &Path) -> Result<Vec<PathBuf>, SweepError> {
    let names = match disk.list(dir) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(SweepError { path: dir.to_owned(), source }),
    };
    let mut removed = Vec::new();
    for name in names {
        let Some((pid, number)) = writer_of(&name) else { continue };
        if is_at_work(pid, number) {
            continue;
        }
        let path = dir.join(name);
        if !disk.stat(&path).is_ok_and(|stat| stat.kind == EntryKind::File) {
            continue;
        }
        match disk.remove(&path) {
            Ok(()) => removed.push(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(SweepError { path, source }),
        }
    }
    Ok(removed)
}

/// Whether whoever chose a name with this pid and number is still at it.
pub(super) fn is_at_work(pid: u32, number: u64) -> bool {
    if pid == std::process::id() { in_use().contains(&number) } else { is_running(pid) }
}

/// Whether a name is that of a temporary file which was to become a file of this name.
pub fn is_temporary_of(name: &OsStr, file: &OsStr) -> bool {
    parts_of(name).is_some_and(|(target, _, _)| target == file.as_bytes())
}

/// The pid and counter in a temporary name; `None` for every other name.
fn writer_of(name: &OsStr) -> Option<(u32, u64)> {
    parts_of(name).map(|(_, pid, counter)| (pid, counter))
}

/// The target, the pid and the counter in a temporary name; `None` for every other name.
fn parts_of(name: &OsStr) -> Option<(&[u8], u32, u64)> {
    let inner = name.as_bytes().strip_prefix(b".")?.strip_suffix(SUFFIX)?;
    let mut parts = inner.rsplitn(3, |byte| *byte == b'.');
    let counter = digits_only(parts.next()?)?;
    let pid = u32::try_from(digits_only(parts.next()?)?).ok()?;
    let target = parts.next().filter(|target| !target.is_empty())?;
    Some((target, pid, counter))
}

pub(super) fn digits_only(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expect: Option<(u32, u64)>) {
        assert_eq!(writer_of(OsStr::new(name)), expect, "{name}");
    }

    #[test]
    fn only_names_of_our_own_making_are_taken_for_temporary_files() {
        check(".CLAUDE.md.4711.12.tmp", Some((4711, 12)));
        check("..hidden.1.2.tmp", Some((1, 2)));
        for name in
            [".tmp", ".a.tmp", ".1.2.tmp", "..1.2.tmp", "a.1.2.tmp", ".a.1.2", ".a.x.2.tmp", ".a.1.+2.tmp"]
        {
            check(name, None);
        }
        check(".a.99999999999.2.tmp", None);
        check(".a.1.99999999999999999999.tmp", None);
    }

    #[test]
    fn the_name_that_is_given_is_the_name_that_is_recognised() {
        let long = ["n".repeat(255), format!("n{}", "ü".repeat(127))];
        for target in ["CLAUDE.md", &long[0], &long[1]].map(|name| format!("/home/x/{name}")) {
            let path = name_for(Path::new(&target), u64::MAX);
            let name = path.file_name().unwrap();
            assert!(name.len() <= 255 && name.to_str().is_some());
            assert_eq!(writer_of(name).unwrap().0, std::process::id());
            assert_eq!(path.parent(), Some(Path::new("/home/x")));
        }
    }
}
