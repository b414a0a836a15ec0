//! The file system of this machine.
//!
//! - A file is opened without following a link in the last component and without blocking, and must be a
//!   regular file: a FIFO planted under a known name can neither hang the program nor feed it.
//! - Files are created with mode 0600 and directories with 0700, whatever the umask is.
//! - Folders are different from files: people do keep `memory/` elsewhere and leave a link in its place.
//!   So `list`, `sync_dir` and `make_dir` accept a link that leads to a directory, and links in the middle
//!   of a path are followed. Whoever needs confinement checks the path before it gets here.
//! - A system call that a signal interrupted is made again.
//! - Not promised: locks and `rename` on network file systems, and disks that lie about what is durable.

mod attributes;
mod lease;

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{self as sys, AtFlags, CWD, FileType, FlockOperation, Mode, OFlags, RenameFlags};
use rustix::io::{Errno, retry_on_intr};

use crate::disk::{Disk, DiskFile, EntryKind, Lease, OpenMode, Stat};
use crate::refusal::Refusal;

const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);
const DIRECTORY_MODE: Mode = Mode::RWXU;
/// The bits of a mode that say who may do what.
const PERMISSION_BITS: u32 = 0o777;
/// How often an open is tried again when the file appears and disappears under it.
const MAX_OPEN_ATTEMPTS: usize = 16;

/// The real file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        let (file, appends) = match mode {
            OpenMode::Read => (open_existing(path, OFlags::RDONLY)?, false),
            OpenMode::Append => (open_or_create(path, OFlags::RDWR | OFlags::APPEND)?, true),
            OpenMode::ReadWrite => (open_or_create(path, OFlags::RDWR)?, false),
            OpenMode::CreateNew => (create(path, OFlags::RDWR)?, false),
        };
        Ok(Box::new(RealFile { file, appends, path: path.to_owned() }))
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let stat = retry_on_intr(|| sys::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW))?;
        Ok(facts(&stat))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        let mut names =
            std::fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>()?;
        names.sort_unstable();
        Ok(names)
    }

    fn make_dir(&self, dir: &Path) -> io::Result<()> {
        match retry_on_intr(|| sys::mkdirat(CWD, dir, DIRECTORY_MODE)) {
            Ok(()) => widen_to_owner(dir),
            Err(Errno::EXIST) if leads_to_directory(dir) => Ok(()),
            Err(Errno::EXIST) => {
                let stat = retry_on_intr(|| sys::statat(CWD, dir, AtFlags::SYMLINK_NOFOLLOW))?;
                Err(Refusal::not_a_directory(dir, &describe(&stat)).into())
            }
            Err(errno) => Err(errno.into()),
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        Ok(retry_on_intr(|| sys::renameat(CWD, from, CWD, to))?)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        match retry_on_intr(|| sys::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)) {
            // Old kernels and some file systems do not know the flag.
            Err(errno @ (Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)) => match link_then_unlink(from, to)
            {
                // Links are not possible either (a directory, or a file system without them): the first answer counts.
                Err(Errno::PERM | Errno::OPNOTSUPP) => Err(errno.into()),
                other => Ok(other?),
            },
            other => Ok(other?),
        }
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        match retry_on_intr(|| sys::renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Err(io::ErrorKind::Unsupported.into()),
            other => Ok(other?),
        }
    }

    fn behind_links(&self, path: &Path) -> io::Result<PathBuf> {
        path.canonicalize()
    }

    fn copy_attributes(&self, from: &Path, to: &Path) -> io::Result<()> {
        attributes::copy(&open_existing(from, OFlags::RDONLY)?, &open_existing(to, OFlags::RDONLY)?)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        Ok(retry_on_intr(|| sys::unlinkat(CWD, path, AtFlags::empty()))?)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = retry_on_intr(|| sys::openat(CWD, dir, flags, Mode::empty()))?;
        match retry_on_intr(|| sys::fsync(&handle)) {
            // Some network and FUSE file systems have no such operation for directories: nothing more can be done.
            Ok(()) | Err(Errno::INVAL) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    fn sync_file_system(&self, dir: &Path) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = retry_on_intr(|| sys::openat(CWD, dir, flags, Mode::empty()))?;
        Ok(retry_on_intr(|| sys::syncfs(&handle))?)
    }
}

/// An open regular file.
#[derive(Debug)]
struct RealFile {
    file: File,
    appends: bool,
    path: PathBuf,
}

impl DiskFile for RealFile {
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(retry_on_intr(|| rustix::io::write(&self.file, bytes))?)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        if self.appends {
            // Linux would ignore the offset and append.
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "write_at on a file that was opened for appending: open it with OpenMode::ReadWrite",
            ));
        }
        Ok(retry_on_intr(|| rustix::io::pwrite(&self.file, bytes, offset))?)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        loop {
            match rustix::io::pread(&self.file, &mut *buffer, offset) {
                Err(Errno::INTR) => {}
                other => return Ok(other?),
            }
        }
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.stat()?.len)
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        Ok(retry_on_intr(|| sys::ftruncate(&self.file, len))?)
    }

    fn sync(&self) -> io::Result<()> {
        Ok(retry_on_intr(|| sys::fdatasync(&self.file))?)
    }

    fn lock(&self) -> io::Result<()> {
        Ok(retry_on_intr(|| sys::flock(&self.file, FlockOperation::LockExclusive))?)
    }

    fn try_lock(&self) -> io::Result<bool> {
        match retry_on_intr(|| sys::flock(&self.file, FlockOperation::NonBlockingLockExclusive)) {
            Ok(()) => Ok(true),
            Err(Errno::WOULDBLOCK) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }

    fn unlock(&self) -> io::Result<()> {
        Ok(retry_on_intr(|| sys::flock(&self.file, FlockOperation::Unlock))?)
    }

    fn lease(&self) -> io::Result<Lease> {
        lease::take(&self.file)
    }

    fn lease_holds(&self) -> io::Result<bool> {
        lease::holds(&self.file)
    }

    fn end_lease(&self) -> io::Result<()> {
        lease::end(&self.file)
    }

    fn stat(&self) -> io::Result<Stat> {
        Ok(facts(&retry_on_intr(|| sys::fstat(&self.file))?))
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// Opens what is there, if it is a regular file.
fn open_existing(path: &Path, access: OFlags) -> io::Result<File> {
    // Looked at first, because opening a device can already do something; and once more on the open file,
    // because the path may have changed in between.
    let stat = retry_on_intr(|| sys::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW))?;
    refuse_unless_regular(path, &stat)?;
    let file = open(path, access, Mode::empty())?;
    refuse_unless_regular(path, &sys::fstat(&file)?)?;
    Ok(file)
}

/// Creates a file that was not there, with exactly mode 0600.
fn create(path: &Path, access: OFlags) -> io::Result<File> {
    let file = open(path, access | OFlags::CREATE | OFlags::EXCL, FILE_MODE)?;
    if sys::fstat(&file)?.st_mode & PERMISSION_BITS != FILE_MODE.bits() {
        // A umask took bits away. File systems without modes refuse this, and the file is usable all the same.
        let _ = sys::fchmod(&file, FILE_MODE);
    }
    Ok(file)
}

/// Opens what is there or creates it; knowing which of the two it was, so that only our own files get a mode.
fn open_or_create(path: &Path, access: OFlags) -> io::Result<File> {
    let mut outcome = open_existing(path, access);
    for _ in 0..MAX_OPEN_ATTEMPTS {
        match outcome {
            Err(error) if error.kind() == io::ErrorKind::NotFound => outcome = create(path, access),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                outcome = open_existing(path, access)
            }
            settled => return settled,
        }
    }
    outcome
}

fn open(path: &Path, access: OFlags, mode: Mode) -> io::Result<File> {
    let flags = access | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    match retry_on_intr(|| sys::openat(CWD, path, flags, mode)) {
        Ok(handle) => Ok(File::from(handle)),
        Err(Errno::LOOP) => Err(Refusal::not_a_file(path, "a symbolic link").into()),
        Err(Errno::ISDIR) => Err(Refusal::not_a_file(path, "a directory").into()),
        Err(errno) => Err(errno.into()),
    }
}

fn refuse_unless_regular(path: &Path, stat: &sys::Stat) -> io::Result<()> {
    if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
        return Ok(());
    }
    Err(Refusal::not_a_file(path, &describe(stat)).into())
}

fn describe(stat: &sys::Stat) -> String {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => "a regular file".to_owned(),
        FileType::Directory => "a directory".to_owned(),
        FileType::Symlink => "a symbolic link".to_owned(),
        FileType::Fifo => "a FIFO".to_owned(),
        FileType::Socket => "a socket".to_owned(),
        FileType::CharacterDevice => "a character device".to_owned(),
        FileType::BlockDevice => "a block device".to_owned(),
        FileType::Unknown => format!("something of unknown type (mode {:o})", stat.st_mode),
    }
}

fn facts(stat: &sys::Stat) -> Stat {
    const NS_PER_S: i128 = 1_000_000_000;
    Stat {
        kind: match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Directory,
            FileType::Symlink => EntryKind::Symlink,
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => EntryKind::Other,
        },
        len: u64::try_from(stat.st_size).unwrap_or(0),
        mtime_ns: i128::from(stat.st_mtime) * NS_PER_S + i128::from(stat.st_mtime_nsec),
        mode: stat.st_mode & 0o7777,
        uid: stat.st_uid,
        links: stat.st_nlink,
        changed_ns: i128::from(stat.st_ctime) * NS_PER_S + i128::from(stat.st_ctime_nsec),
        inode: (stat.st_dev, stat.st_ino),
    }
}

fn leads_to_directory(path: &Path) -> bool {
    retry_on_intr(|| sys::statat(CWD, path, AtFlags::empty()))
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
}

/// Gives a directory that was just made the owner's bits which a umask took away.
fn widen_to_owner(dir: &Path) -> io::Result<()> {
    let stat = retry_on_intr(|| sys::statat(CWD, dir, AtFlags::SYMLINK_NOFOLLOW))?;
    let is_ours = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
    if is_ours && stat.st_mode & PERMISSION_BITS != DIRECTORY_MODE.bits() {
        // As with files: where modes do not exist there is nothing to widen.
        let _ = sys::chmodat(CWD, dir, DIRECTORY_MODE, AtFlags::empty());
    }
    Ok(())
}

/// Renames without replacing where the kernel cannot do it in one step. A crash in the middle leaves
/// both names for the same file, never none.
fn link_then_unlink(from: &Path, to: &Path) -> Result<(), Errno> {
    retry_on_intr(|| sys::linkat(CWD, from, CWD, to, AtFlags::empty()))?;
    retry_on_intr(|| sys::unlinkat(CWD, from, AtFlags::empty())).inspect_err(|_| {
        let _ = sys::unlinkat(CWD, to, AtFlags::empty());
    })
}

#[cfg(test)]
mod tests;
