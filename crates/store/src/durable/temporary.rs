//! Temporary files: `.<name>.<pid>.<counter>.tmp` beside the file that they will become.
//!
//! The counter starts at a random number in each process. So a leftover of an earlier process with the
//! same pid (usual in containers, where a daemon is always pid 1) is told from a file that a thread of this
//! process is writing right now.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::{Operation, WriteError, parent};
use crate::disk::{Disk, DiskFile, EntryKind, OpenMode};
use crate::process::is_running;

/// How much of the target's name a temporary name repeats: with pid and counter it must stay below the
/// 255 bytes that file systems allow.
const MAX_REPEATED_NAME_BYTES: usize = 200;
/// How many names are tried when they are taken.
const MAX_NAME_ATTEMPTS: usize = 8;
const SUFFIX: &[u8] = b".tmp";

/// Where this process began to count.
static FIRST: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish() >> 16);
/// How many names this process has given out.
static GIVEN: AtomicU64 = AtomicU64::new(0);

/// A temporary file that holds the new content, synced; removed unless it was renamed.
pub(super) struct Temporary<'a> {
    disk: &'a dyn Disk,
    path: PathBuf,
    is_renamed: bool,
}

impl<'a> Temporary<'a> {
    /// Writes the content that `operation.path` is to have.
    pub(super) fn write(
        disk: &'a dyn Disk,
        operation: Operation<'_>,
        bytes: &[u8],
    ) -> Result<Temporary<'a>, WriteError> {
        let (temporary, file) = Temporary::create(disk, operation)?;
        let mut rest = bytes;
        while !rest.is_empty() {
            let written = file.write(rest).map_err(operation.failed("writing the new content"))?;
            if written == 0 {
                return Err(operation.failed("writing the new content")(io::ErrorKind::WriteZero.into()));
            }
            rest = &rest[written.min(rest.len())..];
        }
        file.sync().map_err(operation.failed("syncing the new content"))?;
        Ok(temporary)
    }

    fn create(
        disk: &'a dyn Disk,
        operation: Operation<'_>,
    ) -> Result<(Temporary<'a>, Box<dyn DiskFile>), WriteError> {
        let mut outcome = Err(io::ErrorKind::AlreadyExists.into());
        for _ in 0..MAX_NAME_ATTEMPTS {
            let path = next_name(operation.path);
            outcome = disk.open(&path, OpenMode::CreateNew).map(|file| (path, file));
            if !matches!(&outcome, Err(error) if error.kind() == io::ErrorKind::AlreadyExists) {
                break;
            }
        }
        let (path, file) = outcome.map_err(operation.failed("making a temporary file"))?;
        Ok((Temporary { disk, path, is_renamed: false }, file))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The file has its final name now, and nothing is left to remove.
    pub(super) fn renamed(mut self) {
        self.is_renamed = true;
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_renamed {
            // Best effort: what stays is found by `sweep_temporaries`.
            let _ = self.disk.remove(&self.path);
        }
    }
}

fn next_name(target: &Path) -> PathBuf {
    let counter = *FIRST + GIVEN.fetch_add(1, Ordering::Relaxed);
    let name = target.file_name().unwrap_or(OsStr::new("file")).as_bytes();
    let mut temporary = Vec::from(b".");
    temporary.extend_from_slice(&name[..name.len().min(MAX_REPEATED_NAME_BYTES)]);
    temporary.extend_from_slice(format!(".{}.{counter}", std::process::id()).as_bytes());
    temporary.extend_from_slice(SUFFIX);
    parent(target).join(OsString::from_vec(temporary))
}

/// Removes the temporary files that dead writers left in a directory, and returns which.
///
/// Whether a writer is dead is judged by the pid in the name, as seen from this process. A writer in another
/// container that shares the directory can be taken for dead; its rename then fails and it reports so.
pub fn sweep_temporaries(disk: &dyn Disk, dir: &Path) -> io::Result<Vec<PathBuf>> {
    let names = disk.list(dir)?;
    // Read after the list: whatever is listed and ours was given out before.
    let ours = *FIRST..*FIRST + GIVEN.load(Ordering::Relaxed);
    let mut removed = Vec::new();
    for name in names {
        let Some((pid, counter)) = writer_of(&name) else { continue };
        let is_alive = if pid == std::process::id() { ours.contains(&counter) } else { is_running(pid) };
        if is_alive {
            continue;
        }
        let path = dir.join(name);
        if !disk.stat(&path).is_ok_and(|stat| stat.kind == EntryKind::File) {
            continue;
        }
        match disk.remove(&path) {
            Ok(()) => removed.push(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(removed)
}

/// The pid and counter in a temporary name; `None` for every other name.
fn writer_of(name: &OsStr) -> Option<(u32, u64)> {
    let inner = name.as_bytes().strip_prefix(b".")?.strip_suffix(SUFFIX)?;
    let mut parts = inner.rsplitn(3, |byte| *byte == b'.');
    let counter = number(parts.next()?)?;
    let pid = u32::try_from(number(parts.next()?)?).ok()?;
    let has_target = !parts.next()?.is_empty();
    has_target.then_some((pid, counter))
}

fn number(digits: &[u8]) -> Option<u64> {
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
        for target in ["/home/x/CLAUDE.md".to_owned(), format!("/home/x/{}", "n".repeat(255))] {
            let path = next_name(Path::new(&target));
            let name = path.file_name().unwrap();
            assert!(name.len() <= 255);
            assert_eq!(writer_of(name).unwrap().0, std::process::id());
            assert_eq!(path.parent(), Some(Path::new("/home/x")));
        }
    }
}
