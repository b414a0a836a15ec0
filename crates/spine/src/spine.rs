//! Appending to the log, from several processes at once.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;
use subcortex_guard::Redactor;
use subcortex_model::{Draft, EventId, Source, event_type};
use subcortex_store::durable::{self, Poison};
use subcortex_store::{Disk, DiskFile, OpenMode};

use crate::contest::{contesting, contests};
use crate::cursor::Cursor;
use crate::day::{Day, list_days};
use crate::dedup::{DedupIndex, SetAside};
use crate::error::{AppendError, ReadError};
use crate::record::Stamped;
use crate::repair::{Repair, Tail, sound_tail};

/// How long an append waits for other processes before it gives up, unless told otherwise.
const MAX_LOCK_WAIT: Duration = Duration::from_secs(10);
/// How many bytes go into one `write(2)` at most, unless a single record is longer.
const WRITE_BYTES: usize = 1024 * 1024;

/// Where the spine keeps its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpineDirs {
    /// The day files.
    pub events: PathBuf,
    /// Torn bytes that were cut off.
    pub quarantine: PathBuf,
    /// The index of dedup keys.
    pub dedup: PathBuf,
}

impl SpineDirs {
    /// The usual places below the `var` directory of a home.
    pub fn below(var: &Path) -> Self {
        Self {
            events: var.join("events"),
            quarantine: var.join("quarantine"),
            dedup: var.join("index").join("dedup"),
        }
    }
}

/// How safe an append is when it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Survives the death of this process.
    Written,
    /// Survives a power cut.
    Synced,
}

/// What became of one draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    /// It is on the spine under this id.
    New(EventId),
    /// An event with the same `dedup.source_id` was there already.
    Duplicate,
}

/// The writing end of the log. Each process has its own; a lock on a file keeps them apart.
#[derive(Debug)]
pub struct Spine {
    disk: Arc<dyn Disk>,
    dirs: SpineDirs,
    redactor: Redactor,
    poison: Poison,
    index: DedupIndex,
    /// The newest day this process has seen, so that a clock that is set back does not go back in the log.
    newest_day: Option<Day>,
    /// The end of the log as this process left it, so that it need not be looked at again.
    last_end: Option<LogEnd>,
    /// Days to which this process has appended without a sync.
    unsynced_days: BTreeSet<Day>,
    repairs: Vec<Repair>,
    max_lock_wait: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LogEnd {
    day: Day,
    len: u64,
    seq: u64,
}

impl Spine {
    /// Prepares for appending. Nothing is opened or made before the first append.
    ///
    /// `boot_id` tells this run of the kernel from the one before a power cut.
    pub fn new(disk: Arc<dyn Disk>, dirs: SpineDirs, boot_id: String) -> Self {
        let index = DedupIndex::new(Arc::clone(&disk), dirs.events.clone(), dirs.dedup.clone(), boot_id);
        Self {
            disk,
            dirs,
            redactor: Redactor::new(),
            poison: Poison::default(),
            index,
            newest_day: None,
            last_end: None,
            unsynced_days: BTreeSet::new(),
            repairs: Vec::new(),
            max_lock_wait: MAX_LOCK_WAIT,
        }
    }

    /// Sets how long an append waits for other processes before it gives up with [`AppendError::Busy`].
    pub fn wait_for_others(&mut self, at_most: Duration) {
        self.max_lock_wait = at_most;
    }

    /// Appends events in their order: all of them or, on an error, none.
    ///
    /// Secrets are replaced first. An event whose `source_id` is stored already is not stored again.
    pub fn append(
        &mut self,
        drafts: Vec<Draft>,
        now: Timestamp,
        durability: Durability,
    ) -> Result<Vec<Appended>, AppendError> {
        let events = drafts.into_iter().map(|draft| self.stamp(draft, now)).collect::<Result<Vec<_>, _>>()?;
        let lock = self.lock()?;
        let result = self.append_locked(events, now, durability);
        if result.is_err() {
            self.last_end = None; // look again next time
        }
        // The kernel also gives the lock back when the file closes, so a failure here changes nothing.
        drop(lock.unlock());
        result
    }

    /// Whether an event with this `dedup.source_id` is on the spine.
    pub fn is_stored(&mut self, source_id: &str, now: Timestamp) -> Result<bool, AppendError> {
        let lock = self.lock()?;
        let result = self.is_stored_locked(source_id, now);
        drop(lock.unlock());
        result
    }

    fn is_stored_locked(&mut self, source_id: &str, now: Timestamp) -> Result<bool, AppendError> {
        let day = self.day_for(now)?;
        let path = self.dirs.events.join(day.file_name());
        let len = match self.disk.stat(&path) {
            Ok(stat) => stat.len,
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(AppendError::io("look at", &path)(error)),
        };
        self.index.catch_up((day, len))?;
        let source_id = self.redactor.text(source_id);
        Ok(self.index.contains(&source_id)?)
    }

    /// Makes durable what was appended with [`Durability::Written`], by this process or by one that died before
    /// it could.
    pub fn sync(&mut self, now: Timestamp) -> Result<(), AppendError> {
        let lock = self.lock()?;
        let result = self.sync_locked(now);
        drop(lock.unlock());
        result
    }

    fn sync_locked(&mut self, now: Timestamp) -> Result<(), AppendError> {
        let newest = self.day_for(now)?;
        let mut days = std::mem::take(&mut self.unsynced_days);
        days.insert(newest);
        for day in days {
            let path = self.dirs.events.join(day.file_name());
            match self.disk.open(&path, OpenMode::Read) {
                Ok(file) => self.poison.sync(&*file)?,
                // Nothing was appended today, or the day was compressed, which is durable by itself.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(AppendError::io("open", &path)(error)),
            }
        }
        Ok(self.poison.sync_dir(&*self.disk, &self.dirs.events)?)
    }

    /// What had to be repaired since this was last asked.
    pub fn take_repairs(&mut self) -> Vec<Repair> {
        std::mem::take(&mut self.repairs)
    }

    /// What stood in the place of an index and was set aside since this was last asked.
    pub fn take_set_aside(&mut self) -> Vec<SetAside> {
        self.index.take_set_aside()
    }

    /// Makes the index of dedup keys durable, so that a power cut does not cost a long catch-up.
    pub fn checkpoint_index(&mut self) -> Result<(), AppendError> {
        let lock = self.lock()?;
        let result = self.index.checkpoint().map_err(AppendError::from);
        drop(lock.unlock());
        result
    }

    /// Runs `work` while no process can append.
    pub(crate) fn while_locked<T>(
        &mut self,
        work: impl FnOnce(&Arc<dyn Disk>, &SpineDirs) -> T,
    ) -> Result<T, AppendError> {
        let lock = self.lock()?;
        let result = work(&self.disk, &self.dirs);
        drop(lock.unlock());
        Ok(result)
    }

    fn stamp(&self, mut draft: Draft, now: Timestamp) -> Result<Stamped, AppendError> {
        self.redactor.map(&mut draft.payload);
        for text in
            [&mut draft.session_key, &mut draft.turn, &mut draft.cwd, &mut draft.source_id, &mut draft.key]
        {
            redact(&self.redactor, text);
        }
        draft.event_type = self.redactor.text(&draft.event_type).into_owned();
        draft.source.kind = self.redactor.text(draft.source.kind.as_str()).into_owned().into();
        redact(&self.redactor, &mut draft.source.name);
        redact(&self.redactor, &mut draft.source.channel_id);
        Stamped::new(draft, now)
    }

    fn lock(&self) -> Result<Box<dyn DiskFile>, AppendError> {
        let path = self.dirs.events.join(".lock");
        self.disk.make_dir(&self.dirs.events).map_err(AppendError::io("make", &self.dirs.events))?;
        let file = self.disk.open(&path, OpenMode::ReadWrite).map_err(AppendError::io("open", &path))?;
        let mut waited = Duration::ZERO;
        let mut pause = Duration::from_micros(50);
        loop {
            if file.try_lock().map_err(AppendError::io("lock", &path))? {
                return Ok(file);
            }
            if waited >= self.max_lock_wait {
                return Err(AppendError::Busy { path, waited_ms: self.max_lock_wait.as_millis() as u64 });
            }
            std::thread::sleep(pause);
            waited += pause;
            pause = (pause * 2).min(Duration::from_millis(4));
        }
    }

    fn append_locked(
        &mut self,
        events: Vec<Stamped>,
        now: Timestamp,
        durability: Durability,
    ) -> Result<Vec<Appended>, AppendError> {
        let day = self.day_for(now)?;
        let path = self.dirs.events.join(day.file_name());
        let opened = self.open_day(&path, day)?;
        let mut batch = Batch { start: opened.end, ..Batch::default() };
        if let Some(repair) = opened.repair {
            batch.add_repair(&repair, now)?;
            self.repairs.push(repair);
        }
        let outcome = self.encode(events, &mut batch)?;
        if batch.is_empty() {
            return Ok(outcome);
        }
        self.write(&*opened.file, &batch)?;
        match durability {
            Durability::Written => drop(self.unsynced_days.insert(day)),
            Durability::Synced => {
                if let Err(error) = self.sync_day(&*opened.file, opened.end.len == 0) {
                    if !error.is_poisoned() {
                        // It was not even tried, and will be: whoever tries again appends all of it again.
                        drop(opened.file.truncate(opened.end.len));
                    }
                    return Err(error);
                }
            }
        }
        self.remember(batch);
        Ok(outcome)
    }

    /// Today, or the newest day there is: a clock that was set back must not write where readers have been.
    fn day_for(&mut self, now: Timestamp) -> Result<Day, ReadError> {
        let today = Day::of(now);
        let newest = match self.newest_day {
            Some(newest) if newest >= today => newest,
            _ => {
                let (days, _) = list_days(&*self.disk, &self.dirs.events)?;
                days.last().map_or(today, |file| file.day.max(today))
            }
        };
        self.newest_day = Some(newest);
        Ok(newest)
    }

    fn open_day(&self, path: &Path, day: Day) -> Result<OpenedDay, AppendError> {
        let file = self.disk.open(path, OpenMode::Append).map_err(AppendError::io("open", path))?;
        let len = file.len().map_err(AppendError::io("measure", path))?;
        if let Some(end) = self.last_end.filter(|end| end.day == day && end.len == len) {
            return Ok(OpenedDay { file, end, repair: None });
        }
        let Tail { len, seq, repair } = sound_tail(&*self.disk, &self.dirs, path, &*file)?;
        let replaced = repair.as_ref().is_some_and(|repair| repair.kept_records > 0);
        let file = if replaced {
            self.disk.open(path, OpenMode::Append).map_err(AppendError::io("open", path))?
        } else {
            file
        };
        Ok(OpenedDay { file, end: LogEnd { day, len, seq }, repair })
    }

    fn encode(&mut self, events: Vec<Stamped>, batch: &mut Batch) -> Result<Vec<Appended>, AppendError> {
        if events.iter().any(|event| event.names().next().is_some()) {
            self.index.catch_up((batch.start.day, batch.start.len))?;
        }
        let mut seen = HashSet::new();
        let mut outcome = Vec::with_capacity(events.len());
        for mut event in events {
            let (mut is_known, mut contested) = (false, None);
            for name in event.names() {
                if is_known {
                    break;
                }
                let stored = self.index.find(name)?;
                is_known = seen.contains(name) || stored.is_some();
                contested = stored.filter(|stored| contests(&event, stored)).map(|_| name.to_owned());
            }
            if let Some(name) = contested {
                event = contesting(event, name);
                is_known = false;
                for name in event.names() {
                    is_known = is_known || seen.contains(name) || self.index.contains(name)?;
                }
            }
            if is_known {
                outcome.push(Appended::Duplicate);
                continue;
            }
            seen.extend(event.names().map(str::to_owned));
            batch.add(&event)?;
            outcome.push(Appended::New(event.id));
        }
        Ok(outcome)
    }

    /// Writes whole records only, at most [`WRITE_BYTES`] at once; a failure takes all of them back.
    fn write(&self, file: &dyn DiskFile, batch: &Batch) -> Result<(), AppendError> {
        let mut written = 0;
        for end in batch.write_ends() {
            let piece = batch.bytes.get(written..end).unwrap_or_default();
            let at = batch.start.len + written as u64;
            if let Err(error) = durable::append(file, at, piece) {
                // Pieces before this one were whole: take them back too.
                drop(file.truncate(batch.start.len));
                return Err(error.into());
            }
            written = end;
        }
        Ok(())
    }

    fn sync_day(&self, file: &dyn DiskFile, is_new: bool) -> Result<(), AppendError> {
        self.poison.sync(file)?;
        if is_new {
            self.poison.sync_dir(&*self.disk, &self.dirs.events)?;
        }
        Ok(())
    }

    /// Notes where the log ends now, and indexes what was appended. The events are safe at this point, so a
    /// failing index only means that the next append catches up.
    fn remember(&mut self, batch: Batch) {
        let end = batch.end();
        self.last_end = Some(end);
        let mut indexed = Ok(());
        for (source_id, offset) in &batch.keys {
            indexed = indexed.and_then(|()| self.index.insert(source_id, end.day, *offset));
        }
        if indexed.is_ok() && !batch.keys.is_empty() {
            let covered = Cursor { file: end.day.file_name(), offset: end.len, last_id: batch.last_id };
            drop(self.index.cover(Some(covered)));
        }
    }
}

fn redact(redactor: &Redactor, text: &mut Option<String>) {
    if let Some(text) = text
        && let std::borrow::Cow::Owned(clean) = redactor.text(text)
    {
        *text = clean;
    }
}

/// A day file that is ready for the next record.
#[derive(Debug)]
struct OpenedDay {
    file: Box<dyn DiskFile>,
    end: LogEnd,
    repair: Option<Repair>,
}

/// The records of one append, encoded.
#[derive(Debug)]
struct Batch {
    start: LogEnd,
    bytes: Vec<u8>,
    /// Where each record ends in `bytes`.
    ends: Vec<usize>,
    /// The dedup keys, with the offset of their record in the file.
    keys: Vec<(String, u64)>,
    last_id: Option<String>,
}

impl Default for Batch {
    fn default() -> Self {
        let start = LogEnd { day: Day::of(Timestamp::UNIX_EPOCH), len: 0, seq: 0 };
        Self { start, bytes: Vec::new(), ends: Vec::new(), keys: Vec::new(), last_id: None }
    }
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn add(&mut self, event: &Stamped) -> Result<(), AppendError> {
        let offset = self.start.len + self.bytes.len() as u64;
        event.encode(self.end().seq + 1, &mut self.bytes)?;
        self.ends.push(self.bytes.len());
        self.last_id = Some(event.id.as_str().to_owned());
        self.keys.extend(event.names().map(|name| (name.to_owned(), offset)));
        Ok(())
    }

    fn add_repair(&mut self, repair: &Repair, now: Timestamp) -> Result<(), AppendError> {
        let payload = json!({
            "file": repair.file.file_name().map(|name| name.to_string_lossy()),
            "offset": repair.offset,
            "cut_bytes": repair.cut_bytes,
            "kept_records": repair.kept_records,
            "quarantined": repair.quarantined.as_ref().and_then(|path| path.file_name()).map(|n| n.to_string_lossy()),
            "reason": repair.reason,
        });
        let payload = payload.as_object().cloned().unwrap_or_default();
        self.add(&Stamped::new(Draft::new(event_type::SPINE_REPAIRED, Source::of("system"), payload), now)?)
    }

    fn end(&self) -> LogEnd {
        LogEnd {
            day: self.start.day,
            len: self.start.len + self.bytes.len() as u64,
            seq: self.start.seq + self.ends.len() as u64,
        }
    }

    /// The ends of the pieces that are written at once.
    fn write_ends(&self) -> Vec<usize> {
        let mut pieces = Vec::new();
        let mut piece_start = 0;
        for (index, &end) in self.ends.iter().enumerate() {
            let next = self.ends.get(index + 1);
            if next.is_none_or(|&next| next - piece_start > WRITE_BYTES) {
                pieces.push(end);
                piece_start = end;
            }
        }
        pieces
    }
}
