//! Whether anybody else can change what the daemon does: the rule that `ssh` has for its files.
//!
//! Settings, definitions and programs must belong to the user who runs the daemon, or to root, and nobody else may write to
//! them or to the folders that they stand in. Otherwise somebody else's words would run as this user.
//!
//! - A group may write where it is the owner's own: its number is that of the user, as systems number the private group
//!   that they make for each user. There a checkout made with the usual umask of 002 is writable by that group, which
//!   has nobody else in it. Every other group that may write is refused.
//! - Inboxes, `files/` and scratchpads are data: whoever may drop a task may drop a task.
//! - A link counts as what it leads to.

use std::fmt;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use subcortex_store::{Disk, EntryKind};

use crate::layout::Home;

/// What in a partition's folder is data, and no instruction.
const DATA: [&str; 4] = ["inbox", "files", "scratchpad", "PAUSED"];
/// How deep a partition's folder is looked at, and how many entries of it.
const MAX_DEPTH: usize = 4;
const MAX_ENTRIES: usize = 1_000;
/// Who may write besides the owner.
const GROUP_MAY_WRITE: u32 = 0o020;
const OTHERS_MAY_WRITE: u32 = 0o002;
const STICKY: u32 = 0o1000;

/// Something that others can change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} {how}, so that somebody else could decide what runs here: {}", path.display(), self.help())]
pub struct Untrusted {
    /// Which file or folder.
    pub path: PathBuf,
    /// In which way.
    pub how: How,
}

/// In which way something is not this user's alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It belongs to somebody else.
    OwnedBy(u32),
    /// A group may write to it.
    GroupMayWrite,
    /// Everybody may write to it.
    OthersMayWrite,
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            How::OwnedBy(user) => write!(f, "belongs to user {user}"),
            How::GroupMayWrite => f.write_str("is writable by its group"),
            How::OthersMayWrite => f.write_str("is writable by everybody"),
        }
    }
}

impl Untrusted {
    /// The command that mends it.
    fn help(&self) -> String {
        let path = self.path.display();
        match self.how {
            How::OwnedBy(_) => format!("look at it, then take it over with `chown $(id -u) '{path}'`"),
            How::GroupMayWrite | How::OthersMayWrite => {
                format!("look at it, then close it with `chmod go-w '{path}'`")
            }
        }
    }
}

/// Looks at the home, its settings, and the folder of the partitions.
pub fn check_home(disk: &dyn Disk, home: &Home) -> Result<(), Untrusted> {
    let config = home.config_file();
    let folder = config.parent().unwrap_or(&config).to_owned();
    [home.root().to_owned(), folder, config, home.subconscious()]
        .iter()
        .try_for_each(|path| check(disk, path))
}

/// Looks at everything in a partition's folder that says what it does.
pub fn check_partition(disk: &dyn Disk, home: &Home, name: &str) -> Result<(), Untrusted> {
    let folder = home.partition(name);
    check(disk, &folder)?;
    let mut left = MAX_ENTRIES;
    check_below(disk, &folder, MAX_DEPTH, &mut left, &DATA)
}

/// Looks at a loop's folder and at the file that says what it does.
pub fn check_loop(disk: &dyn Disk, folder: &Path, config: &Path) -> Result<(), Untrusted> {
    check(disk, folder)?;
    check(disk, config)
}

/// Looks at the program of a partition, and at the folders that it stands in: whoever may write to one of them may put
/// another program in its place. A bare name is looked for in `PATH` and is the system's.
pub fn check_program(disk: &dyn Disk, home: &Home, partition: &str, program: &str) -> Result<(), Untrusted> {
    if !program.contains('/') {
        return Ok(());
    }
    let path = home.partition(partition).join(program);
    check(disk, &path)?;
    path.ancestors()
        .skip(1)
        .filter(|folder| !keeps_owners_apart(folder))
        .try_for_each(|folder| check(disk, folder))
}

/// Whether only the owner of a file may replace it, although others may write to the folder: `/tmp` is such a folder.
fn keeps_owners_apart(folder: &Path) -> bool {
    std::fs::metadata(folder).is_ok_and(|found| found.mode() & STICKY != 0)
}

fn check_below(
    disk: &dyn Disk,
    folder: &Path,
    depth: usize,
    left: &mut usize,
    except: &[&str],
) -> Result<(), Untrusted> {
    for name in disk.list(folder).unwrap_or_default() {
        if *left == 0 || except.iter().any(|data| name == *data) {
            continue;
        }
        *left -= 1;
        let path = folder.join(name);
        check(disk, &path)?;
        let is_folder = disk.stat(&path).is_ok_and(|stat| stat.kind == EntryKind::Directory);
        if is_folder && depth > 1 {
            check_below(disk, &path, depth - 1, left, &[])?;
        }
    }
    Ok(())
}

/// Looks at one path. What is not there is nobody's; what cannot be looked at is found out by whoever needs it.
fn check(disk: &dyn Disk, path: &Path) -> Result<(), Untrusted> {
    match disk.stat(path) {
        Ok(stat) if stat.kind != EntryKind::Symlink && !may_anybody_write(stat.mode) && is_ours(stat.uid) => {
            Ok(())
        }
        Ok(_) => judge(path, std::fs::metadata(path)),
        Err(_) => Ok(()),
    }
}

fn judge(path: &Path, found: io::Result<std::fs::Metadata>) -> Result<(), Untrusted> {
    match found.ok().and_then(|found| how(&found)) {
        Some(how) => Err(Untrusted { path: path.to_owned(), how }),
        None => Ok(()),
    }
}

/// In which way something is not this user's alone, if it is not.
pub(crate) fn how(found: &std::fs::Metadata) -> Option<How> {
    let is_private_group = found.gid() == found.uid();
    if !is_ours(found.uid()) {
        Some(How::OwnedBy(found.uid()))
    } else if found.mode() & OTHERS_MAY_WRITE != 0 {
        Some(How::OthersMayWrite)
    } else if found.mode() & GROUP_MAY_WRITE != 0 && !is_private_group {
        Some(How::GroupMayWrite)
    } else {
        None
    }
}

/// Whether a path below the home only holds data, so that others may be let in.
pub(crate) fn is_data(below: &Path) -> bool {
    let mut names = below.components().map(|part| part.as_os_str());
    names.next().is_some_and(|top| top == "subconscious")
        && names.nth(1).is_some_and(|name| DATA.iter().any(|data| name == *data))
}

fn may_anybody_write(mode: u32) -> bool {
    mode & (GROUP_MAY_WRITE | OTHERS_MAY_WRITE) != 0
}

fn is_ours(user: u32) -> bool {
    user == 0 || user == rustix::process::geteuid().as_raw()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // a folder for the test
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use subcortex_store::RealDisk;

    use super::*;

    #[test]
    fn a_program_in_a_folder_that_everybody_may_write_to_is_refused_unless_its_owner_alone_may_replace_it() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, home) = (dir.path().join("open"), Home::at(dir.path().join("home")));
        fs::create_dir(&folder).unwrap();
        let program = folder.join("work.sh");
        fs::write(&program, "#!/bin/sh\n").unwrap();
        let look = |mode: u32| {
            fs::set_permissions(&folder, Permissions::from_mode(mode)).unwrap();
            check_program(&RealDisk, &home, "p", &program.to_string_lossy())
        };
        assert_eq!(look(0o755), Ok(()));
        assert_eq!(look(0o777), Err(Untrusted { path: folder.clone(), how: How::OthersMayWrite }));
        assert_eq!(look(0o1777), Ok(()));
    }
}
