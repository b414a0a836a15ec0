//! One owner of a home.
//!
//! The lock is `flock` on an open file, so that the kernel gives it back when its holder dies, however it
//! dies. The file is never removed. Its content is a courtesy for messages, one JSON object:
//!
//! ```json
//! {"pid":4121,"since":"2026-03-01T08:02:11Z","what":"daemon"}
//! ```
//!
//! | content           | lock held | meaning                                                    |
//! |-------------------|-----------|------------------------------------------------------------|
//! | empty             | no        | free: the last owner left properly                         |
//! | an object         | no        | free: the last owner was killed                            |
//! | an object         | yes       | owned by that process                                      |
//! | empty, or a dead pid | yes    | an owner that is about to write its name, or a short look, or an owner in another container |
//!
//! - Who looks ([`HomeLock::peek`]) holds the lock for an instant. So [`HomeLock::acquire`] tries for 200 ms
//!   before it gives up, and a look can never make a start fail.
//! - Not promised: network file systems. And if somebody deletes the file while it is held, the next one to
//!   come makes a new file and owns that one; the first owner sees it with [`HomeLock::is_still_held`].

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use subcortex_guard::escape_for_display;

use crate::advice::advice;
use crate::disk::{Disk, DiskFile, OpenMode};
use crate::process::is_running;
use crate::refusal::Refusal;
use crate::shown::Shown;

/// How often the lock is tried before it counts as taken: 200 ms with the pause.
const ACQUIRE_ATTEMPTS: u32 = 20;
/// How often the lock is tried after that while no living owner is named: 600 ms. On a busy disk an owner
/// can need that long to write its name.
const NAME_ATTEMPTS: u32 = 60;
/// How often a look is repeated while the lock is held and no living owner is named: 100 ms.
const PEEK_ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(10);
/// More than any holder writes; the rest of a longer file is not looked at.
const MAX_CONTENT_BYTES: usize = 4096;

/// Who holds a lock. What is not known (yet) is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process.
    pub pid: Option<u32>,
    /// Since when, in RFC 3339.
    pub since: Option<String>,
    /// What it is: `daemon`, or the name of a command.
    pub what: Option<String>,
}

impl Holder {
    /// This process.
    #[must_use]
    pub fn this_process(since: impl Into<String>, what: impl Into<String>) -> Holder {
        Holder { pid: Some(std::process::id()), since: Some(since.into()), what: Some(what.into()) }
    }

    fn is_running(&self) -> bool {
        self.pid.is_some_and(is_running)
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid {
            Some(pid) => write!(f, "pid {pid}")?,
            None => f.write_str(
                "an unknown process (it has not written its name yet, or runs in another container)",
            )?,
        }
        if let Some(since) = &self.since {
            write!(f, ", since {}", escape_for_display(since))?;
        }
        if let Some(what) = &self.what {
            write!(f, " ({})", escape_for_display(what))?;
        }
        Ok(())
    }
}

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody else holds it.
    #[error(
        "another process already serves this home: {0}; two would do the same work twice, so this one stopped \
         before it wrote anything: use the one that runs, or end it first"
    )]
    Taken(Holder),
    /// The path of the lock holds something else than a file.
    #[error(transparent)]
    NotRegular(Refusal),
    /// A system call failed.
    #[error("the lock {} could not be taken ({source}): {}", Shown(path), advice(source))]
    Io {
        /// Which file.
        path: PathBuf,
        /// How it failed.
        source: io::Error,
    },
}

/// The lock of a home, held. Dropping it gives it back.
#[derive(Debug)]
pub struct HomeLock {
    file: Box<dyn DiskFile>,
    path: PathBuf,
}

impl HomeLock {
    /// Takes the lock, or says who has it. The folder of `path` must exist.
    ///
    /// The holder's name is written as well as it goes: on a full disk the lock holds all the same, and
    /// others are told of an unknown owner.
    pub fn acquire(disk: &dyn Disk, path: &Path, holder: Holder) -> Result<HomeLock, LockError> {
        match take(disk, path) {
            Ok(Attempt::Got(file)) => {
                let _ = write_holder(&*file, &holder);
                Ok(HomeLock { file, path: path.to_owned() })
            }
            Ok(Attempt::Taken(holder)) => Err(LockError::Taken(holder)),
            Err(source) => match Refusal::within(&source) {
                Some(refusal) => Err(LockError::NotRegular(refusal.clone())),
                None => Err(LockError::Io { path: path.to_owned(), source }),
            },
        }
    }

    /// Who holds the lock now; `None` when nobody does. It makes no file and changes none.
    pub fn peek(disk: &dyn Disk, path: &Path) -> io::Result<Option<Holder>> {
        for attempt in 0..PEEK_ATTEMPTS {
            pause_unless_first(attempt);
            let file = match disk.open(path, OpenMode::Read) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            };
            if file.try_lock()? {
                return Ok(None); // closing the file gives the lock back
            }
            let found = read_holder(&*file)?;
            if found.is_running() {
                return Ok(Some(found));
            }
            // Perhaps only another look, beside the name of an owner that was killed.
        }
        Ok(Some(Holder::default()))
    }

    /// Whether the path still leads to the file that is locked. If not, somebody removed or replaced it and
    /// another process may own the home as well: stop.
    pub fn is_still_held(&self, disk: &dyn Disk) -> io::Result<bool> {
        is_same_file(disk, &self.path, &*self.file)
    }
}

impl Drop for HomeLock {
    fn drop(&mut self) {
        // Closing the file gives the lock back in any case; this only leaves no stale name behind.
        let _ = self.file.truncate(0);
        let _ = self.file.unlock();
    }
}

enum Attempt {
    Got(Box<dyn DiskFile>),
    Taken(Holder),
}

/// Tries for a while; the last tries wait only for the owner's name. A name that belongs to no living process
/// is that of an earlier owner, so it is never given.
fn take(disk: &dyn Disk, path: &Path) -> io::Result<Attempt> {
    for attempt in 0..ACQUIRE_ATTEMPTS + NAME_ATTEMPTS {
        pause_unless_first(attempt);
        let file = disk.open(path, OpenMode::ReadWrite)?;
        if file.try_lock()? {
            if is_same_file(disk, path, &*file)? {
                return Ok(Attempt::Got(file));
            }
            continue; // It was removed between open and lock: what we hold is nobody's lock.
        }
        let found = read_holder(&*file)?;
        if attempt + 1 >= ACQUIRE_ATTEMPTS && found.is_running() {
            return Ok(Attempt::Taken(found));
        }
    }
    Ok(Attempt::Taken(Holder::default()))
}

fn pause_unless_first(attempt: u32) {
    if attempt > 0 {
        std::thread::sleep(PAUSE);
    }
}

fn is_same_file(disk: &dyn Disk, path: &Path, file: &dyn DiskFile) -> io::Result<bool> {
    match disk.stat(path) {
        Ok(stat) => Ok(stat.inode == file.stat()?.inode),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn write_holder(file: &dyn DiskFile, holder: &Holder) -> io::Result<()> {
    let mut content = serde_json::to_vec(holder)?;
    content.push(b'\n');
    file.truncate(0)?;
    file.write_at(&content, 0)?;
    Ok(())
}

/// Reads the holder's name; what is not there or not yet whole is unknown.
fn read_holder(file: &dyn DiskFile) -> io::Result<Holder> {
    let mut buffer = [0; MAX_CONTENT_BYTES];
    let count = file.read_at(&mut buffer, 0)?;
    Ok(serde_json::from_slice(&buffer[..count]).unwrap_or_default())
}

#[cfg(test)]
mod tests;
