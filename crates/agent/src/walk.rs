//! The way to a place, name by name, without following anything below the root.
//!
//! Each folder on the way is held open, and the next name is looked up in the folder that is held. So it does not matter
//! what becomes of the names meanwhile: a folder that somebody exchanges for a link is either refused, or was passed
//! already. The root itself may be reached through links: a person may keep a folder elsewhere.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};
use subcortex_store::{Disk, EntryKind, durable};

use crate::place::{Place, Purpose, Refused, shown};

/// A file whose folder is held.
#[derive(Debug)]
pub(crate) struct Found {
    folder: Held,
    /// Leads to the file as long as this lives.
    pub(crate) path: PathBuf,
    relative: PathBuf,
}

impl Found {
    /// What an error says, with the path that the model knows.
    pub(crate) fn explain(&self, error: impl ToString) -> String {
        self.folder.explain(error, &self.relative)
    }
}

/// Goes to a place. For writing, missing folders are made: where one is missing, nothing can be below it that would have
/// to be refused.
pub(crate) fn walk(disk: &dyn Disk, place: &Place, purpose: Purpose) -> Result<Found, Refused> {
    let mut relative = PathBuf::new();
    let mut folder = Held::open(CWD, &place.root, OFlags::empty())
        .map_err(|source| Refused::Io { shown: shown(&place.root.to_string_lossy()), source })?;
    let mut names = place.relative.iter().peekable();
    while let Some(name) = names.next() {
        relative.push(name);
        let way = Way { disk, folder: &folder, name, relative: &relative };
        if names.peek().is_none() {
            way.check_target(purpose)?;
            let path = folder.path().join(name);
            return Ok(Found { folder, path, relative });
        }
        folder = way.enter(purpose)?;
    }
    Err(Refused::Empty)
}

/// One name on the way.
struct Way<'a> {
    disk: &'a dyn Disk,
    folder: &'a Held,
    name: &'a OsStr,
    /// All names so far, for messages.
    relative: &'a Path,
}

impl Way<'_> {
    fn check_target(&self, purpose: Purpose) -> Result<(), Refused> {
        match (self.kind()?, purpose) {
            (Some(EntryKind::File), _) | (None, Purpose::Write) => Ok(()),
            (None, Purpose::Read) => Err(Refused::Missing { shown: self.shown() }),
            (Some(other), _) => Err(self.refused(other, "a regular file")),
        }
    }

    /// Opens the folder without following a link, and only then asks what stood in the way.
    fn enter(&self, purpose: Purpose) -> Result<Held, Refused> {
        let open = || Held::open(&self.folder.0, Path::new(self.name), OFlags::NOFOLLOW);
        let error = match (open(), purpose) {
            (Ok(held), _) => return Ok(held),
            (Err(error), Purpose::Write) if error.kind() == io::ErrorKind::NotFound => {
                durable::make_dirs(self.disk, &self.folder.path(), Path::new(self.name)).map_err(
                    |error| self.failed(io::Error::other(self.folder.explain(error, self.relative))),
                )?;
                return open().map_err(|error| self.failed(error));
            }
            (Err(error), _) => error,
        };
        Err(match self.kind()? {
            None => Refused::Missing { shown: self.shown() },
            Some(EntryKind::Directory) => self.failed(error),
            Some(other) => self.refused(other, "a folder"),
        })
    }

    /// What is there, if anything.
    fn kind(&self) -> Result<Option<EntryKind>, Refused> {
        match self.disk.stat(&self.folder.path().join(self.name)) {
            Ok(stat) => Ok(Some(stat.kind)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn refused(&self, kind: EntryKind, needed: &'static str) -> Refused {
        let is = match kind {
            EntryKind::File => "a file",
            EntryKind::Directory => "a folder",
            EntryKind::Symlink => "a symbolic link",
            EntryKind::Other => "a FIFO, socket or device",
        };
        Refused::Kind { shown: self.shown(), is, needed }
    }

    fn failed(&self, source: io::Error) -> Refused {
        Refused::Io { shown: self.shown(), source }
    }

    fn shown(&self) -> String {
        shown(&self.relative.to_string_lossy())
    }
}

/// A folder that is held open.
#[derive(Debug)]
struct Held(OwnedFd);

impl Held {
    fn open(below: impl std::os::fd::AsFd, path: &Path, more: OFlags) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC | more;
        Ok(Self(openat(below, path, flags, Mode::empty())?))
    }

    /// Leads to the folder that is held, whatever its name leads to by now.
    fn path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.0.as_raw_fd()).into()
    }

    /// What an error says about something in this folder, with the path that the model knows for it.
    fn explain(&self, error: impl ToString, relative: &Path) -> String {
        let known = relative.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
        error.to_string().replace(&*self.path().to_string_lossy(), &known.to_string_lossy())
    }
}
