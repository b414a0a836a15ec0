//! A file system in memory that can lose power. For tests.
//!
//! [`CrashDisk`] remembers what was synced and what was not. [`CrashDisk::power_cut`] gives the disk as it may
//! look after the power failed at this moment; the seed chooses one of the many ways, always the same for
//! the same calls:
//!
//! | not synced                          | after the cut                                                        |
//! |-------------------------------------|----------------------------------------------------------------------|
//! | a write to a file                   | whole, missing, cut short, zeros or noise in its place               |
//! | a change of a file's length         | kept or dropped                                                      |
//! | a name made, renamed or removed     | kept or dropped, each on its own; a rename is never half done        |
//!
//! A file's content is safe after its `sync`, a name after `sync_dir` of its directory (for a rename from one
//! directory to another: of both). This is harsher than any journaling file system, which keeps some order.
//! It is milder in one way: a write never harms bytes beside its own.
//!
//! A killed process alone loses nothing: drop its files, which frees their locks, and go on with the same disk.
//! Clones are handles of the same disk. Wrap one in a `FaultyDisk` to stop an operation at its N-th call.
//! There are no links, no devices and no permissions here.

mod cut;
mod state;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;

use crate::disk::{Disk, DiskFile, Lease, OpenMode, Stat};
use crate::refusal::Refusal;
use state::{Edit, Inode, Replace, State};

/// An in-memory disk that knows what a power cut would leave.
#[derive(Debug, Clone)]
pub struct CrashDisk {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Rings when a lock was given back.
    unlocked: Condvar,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CrashDisk {
    /// An empty disk on which only the directory `root` (absolute) and its parents exist.
    #[must_use]
    pub fn new(root: &Path) -> CrashDisk {
        let mut state = State::new();
        let mut dir = PathBuf::from("/");
        for part in root.components().skip(1) {
            dir.push(part);
            // It cannot fail: the parent was made one step before.
            let _ = state.make_dir(&dir);
        }
        state.settle();
        CrashDisk::of(state)
    }

    fn of(state: State) -> CrashDisk {
        CrashDisk { shared: Arc::new(Shared { state: Mutex::new(state), unlocked: Condvar::new() }) }
    }

    /// The disk after a power cut at this moment. This disk itself goes on as if nothing had happened.
    #[must_use]
    pub fn power_cut(&self, seed: u64) -> CrashDisk {
        CrashDisk::of(cut::cut(&self.shared.state(), seed))
    }
}

impl Disk for CrashDisk {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.shared.state();
        let inode = match state.find(path) {
            Ok(_) if mode == OpenMode::CreateNew => return Err(Errno::EXIST.into()),
            Ok(inode) => inode,
            Err(Errno::NOENT) if mode != OpenMode::Read => state.create(path)?,
            Err(errno) => return Err(errno.into()),
        };
        if state.is_dir(inode) {
            return Err(Refusal::not_a_file(path, "a directory").into());
        }
        let handle = CrashFile {
            shared: Arc::clone(&self.shared),
            inode,
            number: state.next_handle(),
            mode,
            position: AtomicU64::new(0),
            path: path.to_owned(),
        };
        Ok(Box::new(handle))
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let state = self.shared.state();
        Ok(state.stat(state.find(path)?))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        Ok(self.shared.state().list(dir)?)
    }

    fn make_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.shared.state();
        match state.find(dir) {
            Ok(inode) if state.is_dir(inode) => Ok(()),
            Ok(_) => Err(Refusal::not_a_directory(dir, "a regular file").into()),
            Err(Errno::NOENT) => Ok(state.make_dir(dir)?),
            Err(errno) => Err(errno.into()),
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        Ok(self.shared.state().rename(from, to, Replace::Always)?)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        Ok(self.shared.state().rename(from, to, Replace::Never)?)
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        Ok(self.shared.state().exchange(one, other)?)
    }

    fn behind_links(&self, path: &Path) -> io::Result<PathBuf> {
        self.shared.state().find(path)?;
        Ok(path.to_owned())
    }

    fn copy_attributes(&self, from: &Path, to: &Path) -> io::Result<()> {
        let state = self.shared.state();
        state.find(from)?;
        state.find(to)?;
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        Ok(self.shared.state().remove(path)?)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        Ok(self.shared.state().sync_dir(dir)?)
    }

    fn sync_file_system(&self, dir: &Path) -> io::Result<()> {
        Ok(self.shared.state().sync_file_system(dir)?)
    }
}

/// An open file. It stays usable when its name is gone.
#[derive(Debug)]
struct CrashFile {
    shared: Arc<Shared>,
    inode: Inode,
    /// Tells open files apart, for locks.
    number: u64,
    mode: OpenMode,
    /// Where the next `write` goes, unless it appends.
    position: AtomicU64,
    path: PathBuf,
}

impl CrashFile {
    fn edit(&self, edit: Edit) -> io::Result<()> {
        self.refuse_if_read_only()?;
        self.shared.state().edit(self.inode, edit);
        Ok(())
    }

    fn refuse_if_read_only(&self) -> io::Result<()> {
        if self.mode == OpenMode::Read { Err(Errno::BADF.into()) } else { Ok(()) }
    }
}

impl DiskFile for CrashFile {
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.refuse_if_read_only()?;
        if self.mode == OpenMode::Append {
            self.shared.state().append(self.inode, bytes);
        } else {
            let offset = self.position.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            self.edit(Edit::write(offset, bytes))?;
        }
        Ok(bytes.len())
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        if self.mode == OpenMode::Append {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.edit(Edit::write(offset, bytes))?;
        Ok(bytes.len())
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        Ok(self.shared.state().read(self.inode, buffer, offset))
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.stat()?.len)
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        if self.mode == OpenMode::Read {
            return Err(Errno::INVAL.into()); // as the real one
        }
        self.edit(Edit::Truncate { len })
    }

    fn sync(&self) -> io::Result<()> {
        self.shared.state().sync(self.inode);
        Ok(())
    }

    fn lock(&self) -> io::Result<()> {
        let mut state = self.shared.state();
        while !state.try_lock(self.inode, self.number) {
            state = self.shared.unlocked.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }

    fn try_lock(&self) -> io::Result<bool> {
        Ok(self.shared.state().try_lock(self.inode, self.number))
    }

    fn unlock(&self) -> io::Result<()> {
        self.shared.state().unlock(self.inode, self.number);
        self.shared.unlocked.notify_all();
        Ok(())
    }

    fn lease(&self) -> io::Result<Lease> {
        Ok(Lease::Held) // nobody else is here
    }

    fn lease_holds(&self) -> io::Result<bool> {
        Ok(true)
    }

    fn stat(&self) -> io::Result<Stat> {
        Ok(self.shared.state().stat(self.inode))
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for CrashFile {
    fn drop(&mut self) {
        let _ = self.unlock();
    }
}

#[cfg(test)]
mod tests;
