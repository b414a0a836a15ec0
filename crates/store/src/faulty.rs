//! A disk that fails on demand. For tests.
//!
//! [`FaultyDisk`] wraps another disk, numbers all calls on it and on its files from 1, and makes the N-th
//! one fail. A test runs the same operation with N = 1, 2, 3 … until it ends before its N-th call
//! ([`FaultyDisk::was_reached`]), and looks each time at what is left on the disk below. A call that fails
//! has no effect, save a short write, which writes half.
//!
//! A crash makes this and every later call fail without effect, as if the process had died right before it;
//! the locks of a dead process are free, so drop the files and open them anew on the disk below.
//!
//! Where a test knows the call by its name and not by its number, [`FaultyDisk::asking`] asks it before each one.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;

use crate::disk::{Disk, DiskFile, Lease, OpenMode, Stat};

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The disk reports a fault.
    Eio,
    /// The disk is full.
    Enospc,
    /// Half of the bytes are written, and the short count is returned. Calls that are no writes are not
    /// hit by it; from then on, writes fail as on a full disk.
    ShortWrite,
    /// A signal came in between.
    Eintr,
    /// The quota is used up.
    Edquot,
    /// The process is dead: this call and all later ones do nothing. Recognised by [`is_crash`].
    Crash,
}

impl FaultKind {
    /// All of them, for loops.
    pub const ALL: [FaultKind; 6] = [
        FaultKind::Eio,
        FaultKind::Enospc,
        FaultKind::ShortWrite,
        FaultKind::Eintr,
        FaultKind::Edquot,
        FaultKind::Crash,
    ];
}

/// How long a fault lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// For that one call. (A crash always lasts.)
    Once,
    /// For that call and all later ones.
    FromThenOn,
}

impl Then {
    /// Both, for loops.
    pub const ALL: [Then; 2] = [Then::Once, Then::FromThenOn];
}

/// Which call fails, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The number of the call, from 1.
    pub at_call: u64,
    /// How it fails.
    pub kind: FaultKind,
    /// How long.
    pub then: Then,
}

/// Whether an error is that of a simulated crash.
#[must_use]
pub fn is_crash(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Crashed>())
}

/// What a call after the crash gets.
#[derive(Debug, thiserror::Error)]
#[error("the process died here (simulated)")]
struct Crashed;

/// A disk whose N-th call fails.
#[derive(Debug)]
pub struct FaultyDisk {
    inner: Box<dyn Disk>,
    plan: Arc<Plan>,
}

/// What is common to the disk and its open files.
#[derive(Default)]
struct Plan {
    fault: Option<Fault>,
    interruption: Mutex<Option<Interruption>>,
    ask: Option<Ask>,
    calls: Mutex<Calls>,
}

/// Is told the name of a call and its path, and may wait, or refuse it.
type Ask = Box<dyn Fn(&str, &Path) -> io::Result<()> + Send + Sync>;

/// What somebody else does right before a call.
struct Interruption {
    at_call: u64,
    action: Box<dyn FnOnce() + Send>,
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan").field("fault", &self.fault).field("calls", &self.calls).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct Calls {
    log: Vec<String>,
    was_hit: bool,
}

/// What shall happen to a call.
enum Fate {
    Go,
    /// Write this many bytes.
    Short(usize),
}

impl FaultyDisk {
    /// A disk on which one fault will happen.
    #[must_use]
    pub fn new(inner: impl Disk + 'static, fault: Fault) -> FaultyDisk {
        FaultyDisk::with_plan(inner, Some(fault), None)
    }

    /// A disk that only counts.
    #[must_use]
    pub fn counting(inner: impl Disk + 'static) -> FaultyDisk {
        FaultyDisk::with_plan(inner, None, None)
    }

    /// A disk on which nothing fails, but somebody else does something right before the call with that number:
    /// a race whose outcome does not depend on luck.
    #[must_use]
    pub fn interrupted(
        inner: impl Disk + 'static,
        at_call: u64,
        action: impl FnOnce() + Send + 'static,
    ) -> FaultyDisk {
        FaultyDisk::with_plan(inner, None, Some(Interruption { at_call, action: Box::new(action) }))
    }

    /// A disk that asks before each call: what is told its name (`open Read`, `sync_dir`, as in [`FaultyDisk::log`]) and its
    /// path may wait, or refuse it with an error.
    #[must_use]
    pub fn asking(
        inner: impl Disk + 'static,
        ask: impl Fn(&str, &Path) -> io::Result<()> + Send + Sync + 'static,
    ) -> FaultyDisk {
        let plan = Plan { ask: Some(Box::new(ask)), ..Plan::default() };
        FaultyDisk { inner: Box::new(inner), plan: Arc::new(plan) }
    }

    fn with_plan(
        inner: impl Disk + 'static,
        fault: Option<Fault>,
        interruption: Option<Interruption>,
    ) -> FaultyDisk {
        let plan = Plan { fault, interruption: Mutex::new(interruption), ..Plan::default() };
        FaultyDisk { inner: Box::new(inner), plan: Arc::new(plan) }
    }

    /// How many calls were made so far, failed ones included.
    #[must_use]
    pub fn call_count(&self) -> u64 {
        self.plan.calls().log.len() as u64
    }

    /// Whether as many calls were made as the fault waits for. A loop over N ends where this is false.
    #[must_use]
    pub fn was_reached(&self) -> bool {
        self.plan.fault.is_some_and(|fault| self.call_count() >= fault.at_call)
    }

    /// Whether a call failed or was cut short: unlike [`FaultyDisk::was_reached`] not when a short write was
    /// to happen to a call that writes nothing.
    #[must_use]
    pub fn was_hit(&self) -> bool {
        self.plan.calls().was_hit
    }

    /// The calls so far, one text each, for messages: `3 sync /home/x/log: EIO`.
    #[must_use]
    pub fn log(&self) -> Vec<String> {
        self.plan.calls().log.clone()
    }
}

impl Plan {
    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call that writes no bytes and decides whether it happens.
    fn call(&self, name: &str, path: &Path) -> io::Result<()> {
        self.decide(name, path, None).map(|_| ())
    }

    fn interrupt(&self) {
        let next = self.calls().log.len() as u64 + 1;
        let mut interruption = self.interruption.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Interruption { action, .. }) = interruption.take_if(|planned| planned.at_call == next) {
            action();
        }
    }

    fn decide(&self, name: &str, path: &Path, write_len: Option<usize>) -> io::Result<Fate> {
        self.interrupt();
        let answer = self.ask.as_ref().map_or(Ok(()), |ask| ask(name, path));
        let mut calls = self.calls();
        let number = calls.log.len() as u64 + 1;
        let outcome = answer.and_then(|()| self.outcome(number, write_len));
        let note = match &outcome {
            Ok(Fate::Go) => String::new(),
            Ok(Fate::Short(len)) => format!(": only {len} bytes"),
            Err(error) => format!(": {error}"),
        };
        calls.was_hit |= !note.is_empty();
        calls.log.push(format!("{number} {name} {}{note}", path.display()));
        outcome
    }

    fn outcome(&self, number: u64, write_len: Option<usize>) -> io::Result<Fate> {
        let Some(Fault { at_call, kind, then }) = self.fault else { return Ok(Fate::Go) };
        let lasts = then == Then::FromThenOn || kind == FaultKind::Crash;
        if number < at_call || (number > at_call && !lasts) {
            return Ok(Fate::Go);
        }
        let errno = match kind {
            FaultKind::Eio => Errno::IO,
            FaultKind::Enospc => Errno::NOSPC,
            FaultKind::Eintr => Errno::INTR,
            FaultKind::Edquot => Errno::DQUOT,
            FaultKind::Crash => return Err(io::Error::other(Crashed)),
            FaultKind::ShortWrite => match write_len {
                None => return Ok(Fate::Go),
                Some(len) if number == at_call => return Ok(Fate::Short(len / 2)),
                Some(_) => Errno::NOSPC,
            },
        };
        Err(errno.into())
    }
}

impl Disk for FaultyDisk {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Box<dyn DiskFile>> {
        self.plan.call(&format!("open {mode:?}"), path)?;
        let inner = self.inner.open(path, mode)?;
        Ok(Box::new(FaultyFile { inner, path: path.to_owned(), plan: Arc::clone(&self.plan) }))
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.plan.call("stat", path)?;
        self.inner.stat(path)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<OsString>> {
        self.plan.call("list", dir)?;
        self.inner.list(dir)
    }

    fn make_dir(&self, dir: &Path) -> io::Result<()> {
        self.plan.call("make_dir", dir)?;
        self.inner.make_dir(dir)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.plan.call("rename to", to)?;
        self.inner.rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.plan.call("rename_new to", to)?;
        self.inner.rename_new(from, to)
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        self.plan.call("exchange with", other)?;
        self.inner.exchange(one, other)
    }

    fn behind_links(&self, path: &Path) -> io::Result<PathBuf> {
        self.plan.call("behind_links", path)?;
        self.inner.behind_links(path)
    }

    fn copy_attributes(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.plan.call("copy_attributes of", from)?;
        self.inner.copy_attributes(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.plan.call("remove", path)?;
        self.inner.remove(path)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.plan.call("sync_dir", dir)?;
        self.inner.sync_dir(dir)
    }

    fn sync_file_system(&self, dir: &Path) -> io::Result<()> {
        self.plan.call("sync_file_system", dir)?;
        self.inner.sync_file_system(dir)
    }
}

/// An open file on a [`FaultyDisk`].
#[derive(Debug)]
struct FaultyFile {
    inner: Box<dyn DiskFile>,
    path: PathBuf,
    plan: Arc<Plan>,
}

impl FaultyFile {
    fn call(&self, name: &str) -> io::Result<()> {
        self.plan.call(name, &self.path)
    }

    /// The part of the bytes that is to be written.
    fn allowed<'a>(&self, name: &str, bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        Ok(match self.plan.decide(name, &self.path, Some(bytes.len()))? {
            Fate::Go => bytes,
            Fate::Short(len) => &bytes[..len],
        })
    }
}

impl DiskFile for FaultyFile {
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.write(self.allowed("write", bytes)?)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        self.inner.write_at(self.allowed("write_at", bytes)?, offset)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.call("read_at")?;
        self.inner.read_at(buffer, offset)
    }

    fn len(&self) -> io::Result<u64> {
        self.call("len")?;
        self.inner.len()
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        self.call("truncate")?;
        self.inner.truncate(len)
    }

    fn sync(&self) -> io::Result<()> {
        self.call("sync")?;
        self.inner.sync()
    }

    fn lock(&self) -> io::Result<()> {
        self.call("lock")?;
        self.inner.lock()
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.call("try_lock")?;
        self.inner.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.call("unlock")?;
        self.inner.unlock()
    }

    fn lease(&self) -> io::Result<Lease> {
        self.call("lease")?;
        self.inner.lease()
    }

    fn lease_holds(&self) -> io::Result<bool> {
        self.call("lease_holds")?;
        self.inner.lease_holds()
    }

    fn end_lease(&self) -> io::Result<()> {
        self.call("end_lease")?;
        self.inner.end_lease()
    }

    fn stat(&self) -> io::Result<Stat> {
        self.call("stat of the open file")?;
        self.inner.stat()
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests;
