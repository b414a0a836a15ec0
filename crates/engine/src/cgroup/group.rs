//! The cgroup of one run.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::base::subdirectories;
use super::mounts::own_path;
use crate::process::Process;

/// How long to wait for a killed group to become empty before others look at it.
const EMPTY_WITHIN_MS: u64 = 2_000;
/// How long to wait between two looks.
const EMPTY_POLL_MS: u64 = 1;
/// How often removal is tried again; the kernel may still be letting go of the last process.
const REMOVE_TRIES: u32 = 50;

/// A cgroup directory. It is not removed on drop, since it may still hold processes.
#[derive(Debug)]
pub(crate) struct Group {
    dir: PathBuf,
    name: OsString,
    /// Open from the start, so that a lack of file slots cannot keep a run alive.
    kill_switch: File,
}

/// How a process gets into a group.
#[derive(Debug)]
pub(crate) struct Cradle {
    /// The directory, in which it can be born.
    pub(crate) directory: OwnedFd,
    /// The file through which it moves in by writing `0`.
    pub(crate) entrance: OwnedFd,
}

#[allow(clippy::disallowed_methods, reason = "the files of a group are switches of the kernel, not files")]
impl Group {
    /// Takes an existing group over.
    pub(super) fn open(dir: &Path) -> io::Result<Self> {
        let kill_switch = OpenOptions::new().write(true).open(dir.join("cgroup.kill"))?;
        Ok(Self { dir: dir.into(), name: dir.file_name().unwrap_or(OsStr::new("")).into(), kill_switch })
    }

    /// The ways into it.
    pub(crate) fn cradle(&self) -> io::Result<Cradle> {
        let entrance = OpenOptions::new().write(true).open(self.dir.join("cgroup.procs"))?.into();
        Ok(Cradle { directory: File::open(&self.dir)?.into(), entrance })
    }

    /// Whether a process is in this group or below it; also true for one that has ended and is not reaped.
    pub(crate) fn holds(&self, pid: i32) -> bool {
        let Ok(membership) = fs::read_to_string(format!("/proc/{pid}/cgroup")) else { return false };
        own_path(&membership).is_some_and(|path| path.iter().any(|part| part == self.name))
    }

    /// The processes in this group and below it.
    pub(crate) fn members(&self) -> Vec<Process> {
        let pids = members_below(&self.dir).into_iter();
        let processes = pids.filter_map(|pid| Process::read(pid).ok().flatten());
        // Asked again afterwards: the pid may have passed on to a stranger between the two reads.
        processes.filter(|process| self.holds(process.stamp.pid)).collect()
    }

    /// Whether no process is left in it or below it.
    pub(crate) fn is_empty(&self) -> bool {
        match fs::read_to_string(self.dir.join("cgroup.events")) {
            Ok(events) => events.lines().any(|line| line == "populated 0"),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    /// Kills everything in it and waits until it is empty. Returns the processes that were there.
    pub(crate) fn kill(&self) -> Vec<Process> {
        let members = self.members();
        let until = Instant::now() + Duration::from_millis(EMPTY_WITHIN_MS);
        while !self.is_empty() && Instant::now() < until {
            // Again each time: a process that is only now moved in by its writer must not stay.
            let _ = (&self.kill_switch).write(b"1");
            std::thread::sleep(Duration::from_millis(EMPTY_POLL_MS));
        }
        members
    }

    /// Removes the directory and those below it; says whether it is gone.
    pub(crate) fn remove(&self) -> bool {
        for _ in 0..REMOVE_TRIES {
            remove_below(&self.dir);
            match rustix::fs::rmdir(&self.dir) {
                Ok(()) | Err(rustix::io::Errno::NOENT) => return true,
                Err(_) if self.is_empty() => std::thread::sleep(Duration::from_millis(EMPTY_POLL_MS)),
                Err(_) => return false,
            }
        }
        false
    }
}

fn members_below(dir: &Path) -> Vec<i32> {
    let list = fs::read_to_string(dir.join("cgroup.procs")).unwrap_or_default();
    // A process of another pid namespace is listed as 0 and cannot be named from here.
    let own = list.lines().filter_map(|line| line.parse().ok()).filter(|pid| *pid > 0);
    own.chain(subdirectories(dir).iter().flat_map(|child| members_below(child))).collect()
}

fn remove_below(dir: &Path) {
    for child in subdirectories(dir) {
        remove_below(&child);
        // What cannot be removed keeps its parent, whose removal then says so.
        let _ = rustix::fs::rmdir(&child);
    }
}
