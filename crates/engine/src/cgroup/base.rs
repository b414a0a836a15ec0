//! The place below which the cgroups of runs are made.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, Mode, access};

use super::group::Group;
use super::mounts::{mounts, own_directory};

/// How deep the search for groups of an earlier daemon goes, in directories.
const SEARCH_DEPTH_MAX: usize = 16;

/// A cgroup directory in which this process may make others and move its children into them.
#[derive(Debug, Clone)]
pub(crate) struct Base {
    dir: PathBuf,
}

impl Base {
    /// Finds the place, or says why there is none. `probe` is the name of a group that is made and removed.
    pub(crate) fn find(probe: &str) -> Result<Self, String> {
        let dir = mounts()
            .and_then(|mounts| own_directory(&mounts))
            .map_err(|error| format!("cannot read /proc/self: {error}"))?
            .ok_or("cgroup v2 is not mounted where this process can reach its own group")?;
        // Moving a process needs the right to write here too, in the common parent.
        access(dir.join("cgroup.procs"), Access::WRITE_OK)
            .map_err(|error| format!("{} is not delegated to this user: {error}", dir.display()))?;
        let base = Self { dir };
        let group = base.create(probe).map_err(|error| format!("{}: {error}", base.dir.display()))?;
        group.remove();
        Ok(base)
    }

    /// Makes a group. It is an error if one of this name is there already.
    pub(crate) fn create(&self, name: &str) -> io::Result<Group> {
        let dir = self.dir.join(name);
        rustix::fs::mkdir(&dir, Mode::from_raw_mode(0o755))?;
        Group::open(&dir).inspect_err(|_| {
            // Nothing can be in it yet; what matters is why it cannot be used.
            let _ = rustix::fs::rmdir(&dir);
        })
    }
}

/// All groups, anywhere in the hierarchy, whose name `wanted` accepts. Those inside of another are left out.
pub(crate) fn find_groups(wanted: impl Fn(&str) -> bool) -> Vec<Group> {
    let mut found = Vec::new();
    let mut open: Vec<(PathBuf, usize)> =
        mounts().unwrap_or_default().into_iter().map(|mount| (mount.point, 0)).collect();
    while let Some((dir, depth)) = open.pop() {
        for child in subdirectories(&dir) {
            if child.file_name().and_then(OsStr::to_str).is_some_and(&wanted) {
                found.extend(Group::open(&child));
            } else if depth < SEARCH_DEPTH_MAX {
                open.push((child, depth + 1));
            }
        }
    }
    found
}

/// The directories in a directory; none when it cannot be read.
pub(super) fn subdirectories(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let is_dir = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    entries.filter_map(Result::ok).filter(is_dir).map(|entry| entry.path()).collect()
}
