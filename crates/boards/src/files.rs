//! Blackboards in files: `<thread>.jsonl`, one [`Record`] a line, mode 0600.
//!
//! - An append opens the file, takes its lock (`flock`), folds what others appended meanwhile, checks, and writes one line
//!   with one `write(2)`. Whoever dies gives the lock back.
//! - A line without its end was never answered: readers pass over it, and the next append cuts it off.
//! - An expired thread is removed under its lock; whoever waited for that lock sees that the file is no longer the one of that
//!   name and opens the new one.
//! - Not promised: a file that somebody edits by hand is not repaired. It is refused with the entry's number.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use subcortex_blackboard::{Author, Entry, Record, ThreadId};
use subcortex_store::durable::{self, Poison};
use subcortex_store::{Disk, DiskFile, OpenMode, locked};

use crate::boards::redacted;
use crate::files_watch::FileWatch;
use crate::{BoardError, Boards, Thread, Watch};

/// How long an append waits for others.
const MAX_LOCK_WAIT: Duration = Duration::from_secs(10);
/// The longest pause between two looks at a lock.
const MAX_LOCK_PAUSE: Duration = Duration::from_millis(2);
/// How many threads are kept in memory.
const MAX_KNOWN: usize = 64;
/// What files of threads end in.
const SUFFIX: &str = ".jsonl";

/// How safe an append is when it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Survives the death of this process.
    Written,
    /// Survives a power cut.
    Synced,
}

/// Blackboards in a folder.
#[derive(Debug)]
pub struct FileBoards {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    ttl_s: u64,
    durability: Durability,
    poison: Poison,
    known: Mutex<BTreeMap<ThreadId, Arc<Mutex<Known>>>>,
}

/// A thread as far as it was read.
#[derive(Debug, Default)]
struct Known {
    thread: Arc<Thread>,
    inode: (u64, u64),
    /// How many bytes of the file are folded.
    len: u64,
}

impl FileBoards {
    /// Keeps threads in a folder, each for some time after its last entry.
    pub fn new(disk: Arc<dyn Disk>, dir: PathBuf, ttl_s: u64, durability: Durability) -> Self {
        Self { disk, dir, ttl_s, durability, poison: Poison::default(), known: Mutex::default() }
    }

    /// Removes the threads that have expired; says how many.
    pub fn sweep(&self, now: Timestamp) -> Result<usize, BoardError> {
        let names = match self.disk.list(&self.dir) {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(BoardError::io("list", &self.dir)(error)),
        };
        let (mut removed, mut trouble) = (0, None);
        for name in names.iter().filter_map(|name| name.to_str()?.strip_suffix(SUFFIX)) {
            let Ok(thread) = ThreadId::new(name) else { continue };
            // One that cannot be looked at keeps no other from going; it is told of at the end.
            match self.sweep_one(&thread, now) {
                Ok(is_gone) => removed += usize::from(is_gone),
                Err(error) => trouble = trouble.or(Some(error)),
            }
        }
        trouble.map_or(Ok(removed), Err)
    }

    fn sweep_one(&self, thread: &ThreadId, now: Timestamp) -> Result<bool, BoardError> {
        let Some(file) = self.open(thread, OpenMode::Append)? else { return Ok(false) };
        self.lock(thread, &*file)?;
        let known = self.known(thread);
        let mut known = locked(&known);
        // A damaged thread is left for a person.
        let is_over = known.catch_up(&*file, thread).is_ok() && known.thread.is_expired(self.ttl_s, now);
        let goes = is_over && self.is_current(thread, &*file)?;
        if goes {
            durable::remove(&*self.disk, &self.path(thread))?;
            locked(&self.known).remove(thread);
        }
        Ok(goes)
    }

    fn path(&self, thread: &ThreadId) -> PathBuf {
        self.dir.join(format!("{thread}{SUFFIX}"))
    }

    fn known(&self, thread: &ThreadId) -> Arc<Mutex<Known>> {
        let mut all = locked(&self.known);
        if all.len() >= MAX_KNOWN && !all.contains_key(thread) {
            all.clear(); // whoever is at one keeps it; the others are read again
        }
        Arc::clone(all.entry(thread.clone()).or_default())
    }

    /// The file of a thread, if there is one or one is to be made.
    fn open(&self, thread: &ThreadId, mode: OpenMode) -> Result<Option<Box<dyn DiskFile>>, BoardError> {
        let path = self.path(thread);
        match self.disk.open(&path, mode) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(BoardError::io("open", &path)(error)),
        }
    }

    fn lock(&self, thread: &ThreadId, file: &dyn DiskFile) -> Result<(), BoardError> {
        let start = Instant::now();
        let mut pause = Duration::from_micros(20);
        while !file.try_lock().map_err(BoardError::io("lock", file.path()))? {
            if start.elapsed() > MAX_LOCK_WAIT {
                return Err(BoardError::Busy {
                    thread: thread.clone(),
                    waited_ms: MAX_LOCK_WAIT.as_millis(),
                });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(MAX_LOCK_PAUSE);
        }
        Ok(())
    }

    /// Whether an open file still has the thread's name.
    fn is_current(&self, thread: &ThreadId, file: &dyn DiskFile) -> Result<bool, BoardError> {
        let path = self.path(thread);
        let own = file.stat().map_err(BoardError::io("look at", &path))?;
        match self.disk.stat(&path) {
            Ok(stat) => Ok(stat.inode == own.inode),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(BoardError::io("look at", &path)(error)),
        }
    }

    /// One try under the lock; nothing when the file was removed meanwhile.
    fn append_locked(
        &self,
        thread: &ThreadId,
        known: &mut Known,
        file: &dyn DiskFile,
        said: (&Author, &Entry),
        now: Timestamp,
    ) -> Result<Option<Record>, BoardError> {
        if !self.is_current(thread, file)? {
            return Ok(None);
        }
        let len = known.catch_up(file, thread)?;
        if known.thread.is_expired(self.ttl_s, now) {
            durable::remove(&*self.disk, &self.path(thread))?;
            return Ok(None);
        }
        let record = known.thread.next(said.0, said.1, now)?;
        if len > known.len {
            file.truncate(known.len).map_err(BoardError::io("cut the torn end of", file.path()))?;
        }
        let mut line = serde_json::to_vec(&record).map_err(|error| BoardError::Io {
            what: "encode an entry for",
            path: self.path(thread),
            source: error.into(),
        })?;
        line.push(b'\n');
        durable::append(file, known.len, &line)?;
        if self.durability == Durability::Synced {
            self.poison.sync(file)?;
            if known.len == 0 {
                self.poison.sync_dir(&*self.disk, &self.dir)?;
            }
        }
        known.took(thread, file, record.clone(), line.len() as u64)?;
        Ok(Some(record))
    }
}

impl Boards for FileBoards {
    fn append(
        &self,
        thread: &ThreadId,
        author: &Author,
        entry: Entry,
        now: Timestamp,
    ) -> Result<Record, BoardError> {
        let entry = redacted(entry)?;
        let known = self.known(thread);
        let mut known = locked(&known);
        loop {
            let there = self.open(thread, OpenMode::Read)?.is_some();
            if !there {
                // No file is made for what is refused.
                Thread::default().next(author, &entry, now)?;
                self.make_dir()?;
            }
            let Some(file) = self.open(thread, OpenMode::Append)? else { continue };
            self.lock(thread, &*file)?;
            if let Some(record) = self.append_locked(thread, &mut known, &*file, (author, &entry), now)? {
                return Ok(record);
            }
        }
    }

    fn read(&self, thread: &ThreadId, now: Timestamp) -> Result<Arc<Thread>, BoardError> {
        let known = self.known(thread);
        let mut known = locked(&known);
        let Some(file) = self.open(thread, OpenMode::Read)? else { return Ok(Arc::default()) };
        known.catch_up(&*file, thread)?;
        Ok(if known.thread.is_expired(self.ttl_s, now) { Arc::default() } else { Arc::clone(&known.thread) })
    }

    fn threads(&self) -> Result<Vec<ThreadId>, BoardError> {
        let names = match self.disk.list(&self.dir) {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(BoardError::io("list", &self.dir)(error)),
        };
        let names = names.iter().filter_map(|name| name.to_str()?.strip_suffix(SUFFIX));
        Ok(names.filter_map(|name| ThreadId::new(name).ok()).collect())
    }

    fn watch(&self, thread: &ThreadId) -> Result<Box<dyn Watch>, BoardError> {
        self.make_dir()?;
        Ok(Box::new(FileWatch::new(&self.dir, &self.path(thread))?))
    }
}

impl FileBoards {
    fn make_dir(&self) -> Result<(), BoardError> {
        self.disk.make_dir(&self.dir).map_err(BoardError::io("make", &self.dir))
    }
}

impl Known {
    /// Folds what was appended since; gives the length of the file, which is more than what is folded when its end is torn.
    fn catch_up(&mut self, file: &dyn DiskFile, thread: &ThreadId) -> Result<u64, BoardError> {
        let stat = file.stat().map_err(BoardError::io("look at", file.path()))?;
        if stat.inode != self.inode || stat.len < self.len {
            *self = Known { inode: stat.inode, ..Known::default() };
        }
        if stat.len == self.len {
            return Ok(stat.len);
        }
        let bytes = read_range(file, self.len, stat.len)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let folded = Arc::make_mut(&mut self.thread);
        for line in bytes[..whole].split_inclusive(|byte| *byte == b'\n') {
            let seq = folded.records().len() as u64 + 1;
            if let Err(why) = folded.take_line(line) {
                *self = Known::default();
                let place = file.path().display().to_string();
                return Err(BoardError::Damaged { thread: thread.clone(), place, seq, why });
            }
            self.len += line.len() as u64;
        }
        Ok(stat.len)
    }

    fn took(
        &mut self,
        thread: &ThreadId,
        file: &dyn DiskFile,
        record: Record,
        len: u64,
    ) -> Result<(), BoardError> {
        let seq = record.seq;
        Arc::make_mut(&mut self.thread).take(record).map_err(|why| {
            let place = file.path().display().to_string();
            BoardError::Damaged { thread: thread.clone(), place, seq, why }
        })?;
        self.len += len;
        Ok(())
    }
}

fn read_range(file: &dyn DiskFile, from: u64, to: u64) -> Result<Vec<u8>, BoardError> {
    let mut bytes = vec![0; usize::try_from(to - from).unwrap_or(usize::MAX)];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], from + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) => return Err(BoardError::io("read", file.path())(error)),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}
