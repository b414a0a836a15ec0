//! Files that stand aside while they are exchanged: `.<name>.<pid>.<counter>.<was>-<will>.aside`.
//!
//! `was` and `will` are the first digits of the hashes of the content that was read and of the content that was to be
//! written, so that whoever finds one after a crash knows what it holds ([`finish_replacements`](super::finish_replacements)).

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::error::parent;
use super::temporary::{Temporary, digits_only};
use crate::disk::Disk;

const SUFFIX: &[u8] = b".aside";
/// How many digits of a hash stand in a name: enough that no two contents of one file share them.
const HASH_DIGITS: usize = 16;
/// Stands for the hash of a file that is removed.
const NOTHING: &str = "0000000000000000";
/// How many names are tried for a file that is kept.
const MAX_KEPT: usize = 1_000;

/// The short hash of a content.
pub(super) fn hash_of(content: &[u8]) -> String {
    blake3::hash(content).to_hex().as_str().get(..HASH_DIGITS).unwrap_or(NOTHING).to_owned()
}

/// What a name says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AsideName {
    /// The file that it belongs to.
    pub(super) target: OsString,
    pub(super) pid: u32,
    pub(super) number: u64,
    /// The hash of what was read.
    pub(super) was: String,
    /// The hash of what was to be written.
    pub(super) will: String,
}

impl AsideName {
    /// Reads a name; `None` for every other one.
    pub(super) fn of(name: &OsStr) -> Option<AsideName> {
        let inner = name.as_bytes().strip_prefix(b".")?.strip_suffix(SUFFIX)?;
        let mut parts = inner.rsplitn(4, |byte| *byte == b'.');
        let (was, will) = std::str::from_utf8(parts.next()?).ok()?.split_once('-')?;
        let is_hash = |text: &str| text.len() == HASH_DIGITS && text.bytes().all(|b| b.is_ascii_hexdigit());
        let number = digits_only(parts.next()?)?;
        let pid = u32::try_from(digits_only(parts.next()?)?).ok()?;
        let target = parts.next().filter(|target| !target.is_empty())?;
        (is_hash(was) && is_hash(will)).then(|| AsideName {
            target: OsString::from_vec(target.to_vec()),
            pid,
            number,
            was: was.to_owned(),
            will: will.to_owned(),
        })
    }
}

/// A name for a file that stands aside; the file goes with it only if it is ours.
pub(super) struct Aside<'a> {
    disk: &'a dyn Disk,
    path: PathBuf,
    /// The file that we made, while it may stand here.
    ours: Option<(u64, u64)>,
    /// Keeps the number reserved, so that nobody takes the file for one that a dead process left.
    _reserved: Temporary<'a>,
}

impl<'a> Aside<'a> {
    /// Gives a new content, which is whole and durable, a name from which it can be exchanged.
    pub(super) fn of_new(
        disk: &'a dyn Disk,
        target: &Path,
        mut temporary: Temporary<'a>,
        expected: &[u8],
        bytes: &[u8],
    ) -> io::Result<Aside<'a>> {
        let path = name_for(target, temporary.number(), &hash_of(expected), &hash_of(bytes));
        let ours = Some(disk.stat(temporary.path())?.inode);
        disk.rename_new(temporary.path(), &path)?;
        temporary.set_aside();
        Ok(Aside { disk, path, ours, _reserved: temporary })
    }

    /// Moves a file that is to be removed aside.
    pub(super) fn of_old(disk: &'a dyn Disk, target: &Path, expected: &[u8]) -> io::Result<Aside<'a>> {
        let reserved = Temporary::named(disk, target);
        let path = name_for(target, reserved.number(), &hash_of(expected), NOTHING);
        disk.rename_new(target, &path)?;
        Ok(Aside { disk, path, ours: None, _reserved: reserved })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Our file has the name that it was made for.
    pub(super) fn renamed(&mut self) {
        self.ours = None;
    }
}

impl Drop for Aside<'_> {
    fn drop(&mut self) {
        // Best effort: what stays is found by `finish_replacements`. What is not ours only somebody may remove who has
        // looked at it.
        if self.ours.is_some_and(|ours| self.disk.stat(&self.path).is_ok_and(|stat| stat.inode == ours)) {
            let _ = self.disk.remove(&self.path);
        }
    }
}

/// Gives a file that somebody saved and nobody may lose a name that people see: `<name>.kept-1`.
pub(super) fn keep(disk: &dyn Disk, aside: &Path, target: &Path) -> io::Result<PathBuf> {
    let mut outcome = Err(io::ErrorKind::AlreadyExists.into());
    for number in 1..=MAX_KEPT {
        let mut name = target.file_name().unwrap_or(OsStr::new("file")).to_owned();
        name.push(format!(".kept-{number}"));
        let path = parent(target).join(name);
        outcome = disk.rename_new(aside, &path).map(|()| path);
        if !matches!(&outcome, Err(error) if error.kind() == io::ErrorKind::AlreadyExists) {
            break;
        }
    }
    outcome
}

/// Gives whatever stands in the place of a file that can be made anew (a directory, a link, a FIFO) a name beside it that people see.
/// Nothing of it is read, followed or removed. Says the name.
pub fn set_aside(disk: &dyn Disk, path: &Path) -> io::Result<PathBuf> {
    let kept = keep(disk, path, path)?;
    disk.sync_dir(parent(path))?;
    Ok(kept)
}

fn name_for(target: &Path, number: u64, was: &str, will: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or(OsStr::new("file")));
    name.push(format!(".{}.{number}.{was}-{will}", std::process::id()));
    name.push(OsStr::from_bytes(SUFFIX));
    parent(target).join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_is_given_is_the_name_that_is_read() {
        for target in ["CLAUDE.md", ".hidden", "a.1.2.3-4.aside", "ü"] {
            let (was, will) = (hash_of(b"old"), hash_of(b"new"));
            let path = name_for(&Path::new("/home/x").join(target), 7, &was, &will);
            assert_eq!(path.parent(), Some(Path::new("/home/x")));
            let (pid, number) = (std::process::id(), 7);
            let expect = AsideName { target: target.into(), pid, number, was, will };
            assert_eq!(AsideName::of(path.file_name().unwrap()), Some(expect));
        }
        for name in
            [".aside", ".a.1.2.tmp", ".a.1.2.x-y.aside", "a.1.2.0000000000000000-0000000000000000.aside"]
        {
            assert_eq!(AsideName::of(OsStr::new(name)), None, "{name}");
        }
    }
}
