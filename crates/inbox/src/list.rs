//! What is in an inbox, oldest first.
//!
//! An inbox may hold a hundred thousand files. Every one is looked at (its facts, not its content), and of the tasks
//! only the oldest are kept while walking, so that memory grows with what is asked for.

use std::collections::{BinaryHeap, HashMap};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use subcortex_cadence::settle::TaskMemory;
use subcortex_cadence::{ContentHash, FileStamp, RunTask, SeenTask, TaskKey, TaskName};
use subcortex_guard::check_basename;
use subcortex_store::durable::ReadError;
use subcortex_store::{Disk, EntryKind, Stat};

use crate::body::{MAX_TASK_BYTES, read_content, stamp_of, task_key};
use crate::{InboxError, names};

/// How many refused entries are listed one by one; the others are only counted.
pub const MAX_REFUSED_LISTED: usize = 100;
/// How many candidates are kept beyond those asked for, to stand in for files that turn out to be unreadable.
const SPARE_CANDIDATES: usize = 1_000;

/// One task in an inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its name and the hash of its content.
    pub key: TaskKey,
    /// Which file it is.
    pub stamp: FileStamp,
    /// Its length in bytes.
    pub size_bytes: u64,
    /// When it was dropped or last changed, in nanoseconds since 1970.
    pub mtime_ns: i128,
}

impl Task {
    /// The task as a run takes it, and as [`crate::ack`] wants it.
    #[must_use]
    pub fn taken(&self) -> RunTask {
        RunTask { key: self.key.clone(), stamp: self.stamp }
    }
}

/// An entry that no run may take. It stays where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its name, safe to show.
    pub shown_name: String,
    /// Why, and what to do.
    pub reason: String,
}

/// What an inbox holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// The oldest tasks: by time of change, then by name.
    pub tasks: Vec<Task>,
    /// What is refused, by name; at most [`MAX_REFUSED_LISTED`].
    pub refused: Vec<Refused>,
    /// How many tasks there are, listed or not.
    pub total: usize,
    /// How many entries are refused, listed or not.
    pub refused_total: usize,
}

impl Listing {
    /// The listing as the scheduler wants it.
    #[must_use]
    pub fn seen(&self) -> Vec<SeenTask> {
        let tasks = self.tasks.iter().map(|task| SeenTask {
            key: task.key.clone(),
            stamp: task.stamp,
            refused: None,
            before: TaskMemory::default(),
        });
        let refused = self.refused.iter().map(|refused| SeenTask {
            key: TaskKey { name: TaskName::new(refused.shown_name.as_str()), hash: ContentHash::new("") },
            stamp: FileStamp(0),
            refused: Some(refused.reason.clone()),
            before: TaskMemory::default(),
        });
        tasks.chain(refused).collect()
    }
}

/// Lists an inbox: the `limit` oldest tasks, and what is refused. A directory that is not there is an empty inbox.
///
/// Tasks that are held count against `limit` and are usually the oldest: ask for as many more as are held, or
/// they hide those behind them.
pub fn list(disk: &dyn Disk, dir: &Path, limit: usize) -> Result<Listing, InboxError> {
    Ok(walk(disk, dir, limit)?.read_oldest(Walk::read))
}

fn walk<'a>(disk: &'a dyn Disk, dir: &'a Path, limit: usize) -> Result<Walk<'a>, InboxError> {
    let names = match disk.list(dir) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(source) => return Err(InboxError::Look { path: dir.to_owned(), source }),
    };
    let mut walk = Walk::new(disk, dir, limit);
    for name in names.into_iter().filter(|name| !names::is_ignored(name)) {
        walk.meet(name);
    }
    Ok(walk)
}

/// What earlier listings found in files: one that is as it was is not read again.
#[derive(Debug, Default)]
pub struct Known {
    inboxes: HashMap<PathBuf, Contents>,
}

/// By name: the facts about a file, and what it held.
type Contents = HashMap<String, (Stat, Task)>;

/// As [`list`], and reads only files that an earlier listing of the same inbox did not read, or that have changed since.
///
/// Whoever takes a task reads it once more and compares ([`crate::read_body`]).
pub fn list_again(
    disk: &dyn Disk,
    dir: &Path,
    limit: usize,
    known: &mut Known,
) -> Result<Listing, InboxError> {
    let before = known.inboxes.remove(dir).unwrap_or_default();
    let mut now = Contents::new();
    let listing = walk(disk, dir, limit)?.read_oldest(|walk, name| {
        let stat = walk.disk.stat(&walk.dir.join(name)).ok();
        let same = before.get(name).filter(|(known, _)| Some(*known) == stat);
        let task = same.map_or_else(|| walk.read(name), |(_, task)| Ok(task.clone()))?;
        if let Some(stat) = stat.filter(|stat| stamp_of(stat) == task.stamp) {
            now.insert(name.to_owned(), (stat, task.clone()));
        }
        Ok(task)
    });
    if !now.is_empty() {
        known.inboxes.insert(dir.to_owned(), now);
    }
    Ok(listing)
}

/// As [`list`], for people: only tasks that `is_read` asks for are read; the hash of the others is left open.
pub fn survey(
    disk: &dyn Disk,
    dir: &Path,
    limit: usize,
    is_read: &dyn Fn(&str) -> bool,
) -> Result<Listing, InboxError> {
    Ok(walk(disk, dir, limit)?
        .read_oldest(|walk, name| if is_read(name) { walk.read(name) } else { Ok(unread(name)) }))
}

fn unread(name: &str) -> Task {
    let key = TaskKey { name: TaskName::new(name), hash: ContentHash::new("") };
    Task { key, stamp: FileStamp(0), size_bytes: 0, mtime_ns: 0 }
}

/// Compares by age, then by name.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    mtime_ns: i128,
    name: String,
}

struct Walk<'a> {
    disk: &'a dyn Disk,
    dir: &'a Path,
    limit: usize,
    /// The youngest of those that are kept is on top and goes first.
    oldest: BinaryHeap<Candidate>,
    /// One buffer for all paths.
    path: PathBuf,
    listing: Listing,
}

impl<'a> Walk<'a> {
    fn new(disk: &'a dyn Disk, dir: &'a Path, limit: usize) -> Walk<'a> {
        Walk {
            disk,
            dir,
            limit,
            oldest: BinaryHeap::new(),
            path: dir.to_owned(),
            listing: Listing::default(),
        }
    }

    fn meet(&mut self, name: OsString) {
        self.path.push(&name);
        let found = self.disk.stat(&self.path);
        self.path.pop();
        match found {
            Ok(stat) => match refusal(&name, &stat) {
                Some(reason) => self.refuse(&name, reason),
                None => self.keep_if_old(Candidate {
                    mtime_ns: stat.mtime_ns,
                    name: name.to_string_lossy().into_owned(),
                }),
            },
            // Removed since its name was read.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.refuse(&name, unreadable(&error)),
        }
    }

    fn keep_if_old(&mut self, candidate: Candidate) {
        self.listing.total += 1;
        self.oldest.push(candidate);
        if self.oldest.len() > self.limit.saturating_add(SPARE_CANDIDATES) {
            self.oldest.pop();
        }
    }

    fn refuse(&mut self, name: &OsStr, reason: String) {
        self.listing.refused_total += 1;
        if self.listing.refused.len() < MAX_REFUSED_LISTED {
            self.listing.refused.push(Refused { shown_name: names::shown(name), reason });
        }
    }

    fn read_oldest(mut self, mut read: impl FnMut(&Self, &str) -> Result<Task, InboxError>) -> Listing {
        for Candidate { name, .. } in std::mem::take(&mut self.oldest).into_sorted_vec() {
            if self.listing.tasks.len() == self.limit {
                break;
            }
            match read(&self, &name) {
                Ok(task) => self.listing.tasks.push(task),
                // Gone, or being written to: the next listing sees what becomes of it.
                Err(InboxError::Read(ReadError::Missing { .. })) => self.listing.total -= 1,
                Err(InboxError::Changing { .. }) => {}
                Err(error) => {
                    self.listing.total -= 1;
                    self.refuse(OsStr::new(&name), why_unreadable(&error));
                }
            }
        }
        self.listing
    }

    fn read(&self, name: &str) -> Result<Task, InboxError> {
        let content = read_content(self.disk, &self.dir.join(name))?;
        Ok(Task {
            key: task_key(name, &content.bytes),
            stamp: stamp_of(&content.stat),
            size_bytes: content.bytes.len() as u64,
            mtime_ns: content.stat.mtime_ns,
        })
    }
}

/// Why an entry is no task, as far as that can be said without opening it.
fn refusal(name: &OsStr, stat: &Stat) -> Option<String> {
    if let Err(problem) = check_basename(name) {
        return Some(problem.to_string());
    }
    let is = match stat.kind {
        EntryKind::File if stat.len <= MAX_TASK_BYTES => return None,
        EntryKind::File => return Some(InboxError::TooLarge { len_bytes: stat.len }.to_string()),
        EntryKind::Directory => "a directory",
        EntryKind::Symlink => "a symbolic link",
        EntryKind::Other => "a FIFO, socket or device",
    };
    Some(format!("it is {is}, and only regular files are tasks: put the file itself here"))
}

fn why_unreadable(error: &InboxError) -> String {
    match error {
        InboxError::Look { source, .. } | InboxError::Read(ReadError::Io { source, .. }) => {
            unreadable(source)
        }
        InboxError::Read(ReadError::TooLarge { len, .. }) => {
            InboxError::TooLarge { len_bytes: *len }.to_string()
        }
        InboxError::Name(_)
        | InboxError::Ignored { .. }
        | InboxError::TooLarge { .. }
        | InboxError::Changing { .. }
        | InboxError::Read(_)
        | InboxError::Write(_)
        | InboxError::Remove { .. }
        | InboxError::Sync { .. } => error.to_string(),
    }
}

fn unreadable(error: &io::Error) -> String {
    format!("it cannot be read ({error}): give the daemon's user the right to read it, or drop it again")
}
