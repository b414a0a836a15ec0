//! The few operations on files that everything durable is made of.
//!
//! [`Disk`] is the seam between the program and the file system: [`RealDisk`](crate::RealDisk) in
//! production, `FaultyDisk` (feature `faults`) in tests that make the N-th call fail. No operation on a
//! file follows a symbolic link in the last component of its path, and only regular files can be opened.
//! Directories may be reached through a link, since people do keep a folder elsewhere and link to it.

use std::ffi::OsString;
use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};

/// How a file is opened. Files are created with mode 0600.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenMode {
    /// For reading; it must exist.
    Read,
    /// For reading and appending; created when missing.
    Append,
    /// For reading and writing anywhere; created when missing.
    ReadWrite,
    /// For reading and writing; it must not exist yet.
    CreateNew,
}

/// What kind of thing a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, whatever it points to.
    Symlink,
    /// A FIFO, socket or device.
    Other,
}

/// Facts about one path, without following a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: EntryKind,
    /// Its length in bytes.
    pub len: u64,
    /// When its content last changed, in nanoseconds since 1970.
    pub mtime_ns: i128,
    /// Its permission bits.
    pub mode: u32,
    /// Who owns it.
    pub uid: u32,
    /// How many names it has: more than one means hard links.
    pub links: u64,
    /// When anything about it last changed, its name included, in nanoseconds since 1970.
    pub changed_ns: i128,
    /// Its identity: two paths with the same one are the same file.
    pub inode: (u64, u64),
}

/// What the kernel says when a file is asked to stay as it is for a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lease {
    /// Nobody has it open for writing, and whoever opens it for writing waits until the lease is given back.
    Held,
    /// Somebody has it open for writing.
    Writer,
    /// The kernel cannot tell: another's file, or a file system without leases.
    Unknown,
}

/// A file system. All paths are used as given; callers join them to their home first.
pub trait Disk: Send + Sync + Debug {
    /// Opens a regular file; anything else is refused with an error that says what it is.
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DiskFile>>;
    /// Looks at a path without following a link.
    fn stat(&self, path: &Path) -> io::Result<Stat>;
    /// The names in a directory, sorted.
    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>>;
    /// Makes one directory with mode 0700; one that is there already is fine, also as a link that leads to one.
    fn make_dir(&self, dir: &Path) -> io::Result<()>;
    /// Renames, replacing what is there.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Renames; `AlreadyExists` when the target is there.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives each of two files the other's name, in one step; `Unsupported` where the file system cannot.
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()>;
    /// The path of the same file behind all links.
    fn behind_links(&self, path: &Path) -> io::Result<PathBuf>;
    /// Gives `to` the mode, owner, group and access list of `from`; an error when one of them cannot be kept.
    fn copy_attributes(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes one file (never a directory).
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes the entries of a directory durable.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;
    /// Makes everything durable that was written so far to the file system that holds a directory (`syncfs`): one
    /// call for many small files.
    fn sync_file_system(&self, dir: &Path) -> io::Result<()>;
}

/// One open file. Each method is one system call.
pub trait DiskFile: Send + Sync + Debug {
    /// One `write(2)`: at the end for [`OpenMode::Append`]. May write less than asked.
    fn write(&self, bytes: &[u8]) -> io::Result<usize>;
    /// One `pwrite(2)`; `InvalidInput` for [`OpenMode::Append`], where Linux would ignore the offset.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize>;
    /// One `pread(2)`; 0 means the end of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
    /// The length in bytes.
    fn len(&self) -> io::Result<u64>;
    /// Whether the file holds nothing.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }
    /// Cuts or extends to a length.
    fn truncate(&self, len: u64) -> io::Result<()>;
    /// Makes content and length durable (`fdatasync`).
    fn sync(&self) -> io::Result<()>;
    /// Waits for the exclusive lock on this file (`flock`); the kernel frees it when the holder dies.
    fn lock(&self) -> io::Result<()>;
    /// Takes the exclusive lock if nobody holds it.
    fn try_lock(&self) -> io::Result<bool>;
    /// Gives the lock back.
    fn unlock(&self) -> io::Result<()>;
    /// Asks for a lease. It is given back by [`DiskFile::end_lease`], by closing the file, and by the kernel after a while.
    fn lease(&self) -> io::Result<Lease> {
        Ok(Lease::Unknown)
    }
    /// Whether the lease is still held and nobody waits for its end in order to write.
    fn lease_holds(&self) -> io::Result<bool> {
        Ok(false)
    }
    /// Gives the lease back.
    fn end_lease(&self) -> io::Result<()> {
        Ok(())
    }
    /// Facts about the open file itself, whatever its path leads to by now.
    fn stat(&self) -> io::Result<Stat> {
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Under which path it was opened, for messages.
    fn path(&self) -> &Path {
        Path::new("(an open file)")
    }
}
