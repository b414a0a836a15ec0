//! The folder of fragments: written once, never changed, read by day.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use subcortex_store::durable;
use subcortex_store::{Disk, EntryKind};

use crate::{Broken, Fragment, MemoryFolder, Trouble};

/// The largest fragment that is read, in bytes.
pub const MAX_FRAGMENT_BYTES: u64 = 64 * 1024;

/// A fragment and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The path as it is written in references: `memory/fragments/…`.
    pub path: String,
    /// What it says.
    pub fragment: Fragment,
}

/// A file that is no fragment. It is left where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// The path as it is written in references.
    pub path: String,
    /// What is wrong with it.
    pub why: Broken,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.why)
    }
}

/// What a folder holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The fragments, by name.
    pub fragments: Vec<Stored>,
    /// What is none.
    pub rejected: Vec<Rejected>,
}

/// Writes fragments; one that is there already stays untouched. All are durable when this returns. Hands out the new ones,
/// in order.
pub fn write(disk: &dyn Disk, folder: &MemoryFolder, fragments: &[Fragment]) -> Result<Vec<Stored>, Trouble> {
    let root = folder.fragments();
    let mut files = Vec::new();
    let mut days = BTreeSet::new();
    for fragment in fragments {
        let file = fragment.file();
        if let Some((day, _)) = file.split_once('/')
            && days.insert(day.to_owned())
        {
            durable::make_dirs(disk, folder.root(), &Path::new("fragments").join(day))?;
        }
        files.push((root.join(file), fragment));
    }
    files.sort_by(|(one, _), (other, _)| one.cmp(other));
    files.dedup_by(|(one, _), (other, _)| one == other);
    files.retain(|(path, _)| disk.stat(path).is_err()); // most often a second scan; the writing itself makes sure
    let texts: Vec<(PathBuf, Vec<u8>)> =
        files.iter().map(|(path, fragment)| (path.clone(), fragment.to_text().into_bytes())).collect();
    let made = durable::create_many_new(disk, &texts)?;
    let new = files.into_iter().zip(made).filter(|(_, made)| *made);
    Ok(new
        .map(|((path, fragment), _)| Stored { path: folder.reference(&path), fragment: fragment.clone() })
        .collect())
}

/// The days that have a folder, sorted, with the time of their last change in nanoseconds: a folder whose time is the
/// same has gained and lost nothing.
pub fn days(disk: &dyn Disk, folder: &MemoryFolder) -> Result<Vec<(String, i128)>, Trouble> {
    let root = folder.fragments();
    let mut found = Vec::new();
    for name in list(disk, &root)? {
        let Some(day) = name.to_str().filter(|name| is_day(name)) else { continue };
        match disk.stat(&root.join(day)) {
            Ok(stat) if stat.kind == EntryKind::Directory => found.push((day.to_owned(), stat.mtime_ns)),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(Trouble::List { path: root.join(day), source }),
        }
    }
    Ok(found)
}

/// The names of the fragments of a day, sorted.
pub fn names(disk: &dyn Disk, folder: &MemoryFolder, day: &str) -> Result<Vec<String>, Trouble> {
    let names = list(disk, &folder.fragments().join(day))?;
    let is_fragment = |name: &OsStr| Path::new(name).extension() == Some(OsStr::new("md"));
    let names = names.into_iter().filter(|name| is_fragment(name) && !hidden(name));
    Ok(names.filter_map(|name| name.into_string().ok()).collect())
}

/// Reads one fragment.
pub fn read_one(
    disk: &dyn Disk,
    folder: &MemoryFolder,
    day: &str,
    name: &str,
) -> Result<Result<Stored, Rejected>, Trouble> {
    let path = folder.fragments().join(day).join(name);
    let reference = folder.reference(&path);
    let parsed = match durable::read_text(disk, &path, MAX_FRAGMENT_BYTES) {
        Ok(text) => Fragment::parse(&text),
        Err(error @ durable::ReadError::Io { .. }) => return Err(error.into()),
        Err(error) => Err(Broken::Unreadable(error.to_string())),
    };
    Ok(match parsed {
        Ok(fragment) => Ok(Stored { path: reference, fragment }),
        Err(why) => Err(Rejected { path: reference, why }),
    })
}

/// Reads all fragments of a day.
pub fn read_day(disk: &dyn Disk, folder: &MemoryFolder, day: &str) -> Result<Found, Trouble> {
    let mut found = Found::default();
    for name in names(disk, folder, day)? {
        match read_one(disk, folder, day, &name)? {
            Ok(stored) => found.fragments.push(stored),
            Err(rejected) => found.rejected.push(rejected),
        }
    }
    Ok(found)
}

/// Reads all fragments there are: for commands that a person waits for, not for every tick.
pub fn read_all(disk: &dyn Disk, folder: &MemoryFolder) -> Result<Found, Trouble> {
    let mut found = Found::default();
    for (day, _) in days(disk, folder)? {
        let of_day = read_day(disk, folder, &day)?;
        found.fragments.extend(of_day.fragments);
        found.rejected.extend(of_day.rejected);
    }
    Ok(found)
}

fn list(disk: &dyn Disk, dir: &Path) -> Result<Vec<std::ffi::OsString>, Trouble> {
    match disk.list(dir) {
        Ok(names) => Ok(names),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(Trouble::List { path: dir.to_owned(), source }),
    }
}

fn hidden(name: &OsStr) -> bool {
    name.to_str().is_none_or(|name| name.starts_with('.'))
}

fn is_day(name: &str) -> bool {
    name.parse::<jiff::civil::Date>().is_ok_and(|date| date.to_string() == name)
}
