//! Which files there are to read.

use std::io;
use std::path::{Path, PathBuf};

use subcortex_known_agents::Agent;
use subcortex_store::{Disk, EntryKind, Stat};
use walkdir::WalkDir;

use crate::summary::skipped;

/// What the names of session files end with.
const ENDINGS: [&str; 2] = [".jsonl", ".jsonl.zst"];

/// One file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Where it is, with all links resolved.
    pub path: PathBuf,
    /// How long it was when it was found.
    pub len_bytes: u64,
    /// When its content last changed, in nanoseconds since 1970.
    pub mtime_ns: i128,
    /// Its identity: a file that takes its place has another.
    pub inode: (u64, u64),
}

/// A file or folder that is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which.
    pub path: PathBuf,
    /// Under which word it is counted, see [`skipped`].
    pub reason: &'static str,
    /// What is wrong with it, for people.
    pub message: String,
}

impl Problem {
    pub(crate) fn of_io(path: &Path, error: &io::Error) -> Self {
        let reason = if error.kind() == io::ErrorKind::NotFound {
            skipped::FILE_GONE
        } else {
            skipped::FILE_UNREADABLE
        };
        Self { path: path.to_owned(), reason, message: error.to_string() }
    }
}

/// The files of an import, oldest first, and what had to be left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// The files, each once.
    pub files: Vec<SourceFile>,
    /// What cannot be read.
    pub problems: Vec<Problem>,
}

impl Sources {
    /// Looks for session files: each path is a file of any name that does not lie where tools write, or a folder of files that end in `.jsonl` or
    /// `.jsonl.zst` and lie where one of the agents keeps sessions. A path that is given may be a link; links inside folders
    /// are not followed.
    pub fn find(disk: &dyn Disk, agents: &[&'static Agent], paths: &[PathBuf]) -> Self {
        let mut found = Self::default();
        for path in paths {
            match path.canonicalize() {
                Ok(path) => found.add(disk, agents, &path),
                Err(error) => found.problems.push(Problem::of_io(path, &error)),
            }
        }
        found.in_order()
    }

    fn in_order(mut self) -> Self {
        // Old sessions first: the spine then tells them in about the order in which they happened, and of a session
        // that was continued in another file the original is stored.
        self.files.sort_by(|a, b| (a.mtime_ns, &a.path).cmp(&(b.mtime_ns, &b.path)));
        self.files.dedup_by(|a, b| a.path == b.path);
        self
    }

    /// These files, which somebody has looked for.
    pub(crate) fn of_files(disk: &dyn Disk, files: &[PathBuf]) -> Self {
        let mut found = Self::default();
        for file in files {
            match file.canonicalize() {
                Ok(file) => found.add_file(disk, &file),
                Err(error) => found.problems.push(Problem::of_io(file, &error)),
            }
        }
        found.in_order()
    }

    fn add(&mut self, disk: &dyn Disk, agents: &[&'static Agent], root: &Path) {
        if !root.is_dir() {
            return self.add_named(disk, agents, root);
        }
        let is_session = |path: &Path| {
            is_session_name(path) && agents.iter().any(|agent| (agent.sessions.is_session)(root, path))
        };
        for entry in WalkDir::new(root).follow_links(false) {
            match entry {
                Ok(entry) if entry.file_type().is_dir() || !is_session(entry.path()) => {}
                Ok(entry) => self.add_file(disk, entry.path()),
                Err(error) => {
                    let path = error.path().unwrap_or(root).to_owned();
                    self.problems.push(Problem::of_io(&path, &error.into()));
                }
            }
        }
    }

    /// A file that somebody named: it need not be called or lie like a session, but where tools write, anybody's words may stand in it.
    fn add_named(&mut self, disk: &dyn Disk, agents: &[&'static Agent], path: &Path) {
        if !agents.is_empty() && agents.iter().all(|agent| (agent.sessions.is_others)(path)) {
            let message = "lies where the agent or its tools write, so nobody knows whose words it holds; if it is a session of yours, copy it \
                           elsewhere first";
            let (path, reason) = (path.to_owned(), skipped::FILE_OF_OTHERS);
            return self.problems.push(Problem { path, reason, message: message.to_owned() });
        }
        self.add_file(disk, path);
    }

    fn add_file(&mut self, disk: &dyn Disk, path: &Path) {
        let stat = match disk.stat(path) {
            Ok(stat) => stat,
            Err(error) => return self.problems.push(Problem::of_io(path, &error)),
        };
        let (reason, message) = match stat.kind {
            EntryKind::File => {
                let path = path.to_owned();
                let Stat { len: len_bytes, mtime_ns, inode, .. } = stat;
                return self.files.push(SourceFile { path, len_bytes, mtime_ns, inode });
            }
            EntryKind::Symlink => {
                (skipped::FILE_LINK, "is a link, and links inside folders are not followed")
            }
            EntryKind::Directory | EntryKind::Other => (skipped::FILE_UNREADABLE, "is not a regular file"),
        };
        self.problems.push(Problem { path: path.to_owned(), reason, message: message.to_owned() });
    }
}

/// Whether it is called as the session files in a folder are.
pub fn is_session_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    ENDINGS.iter().any(|ending| name.ends_with(ending.as_bytes()))
}
