//! Which names (`dedup.source_id`, `dedup.key`) are stored already: an index of hashes beside the log.
//!
//! # Files below `index/dedup/`
//!
//! | file | what |
//! |---|---|
//! | `00` … `ff` | one open-addressing table per first byte of the hash: 16 bytes a slot, hash and place, little-endian; the hash 0 is an empty slot |
//! | `head` | how far the log is covered, as the page cache knows it: valid for this boot only |
//! | `checkpoint` | how far it is covered for certain: the tables were synced before it was written |
//!
//! # Why it can be trusted
//!
//! - It only points: a hit is looked up in the log and compared, so an entry can never make an event
//!   disappear that is not there. (Compressed days are believed: they were synced long ago.)
//! - It only lags: whatever the log holds behind the covered position is indexed before the next look-up.
//!   A process that dies between append and index leaves such a gap; after a power cut (another boot) the gap
//!   begins at the checkpoint.
//! - It can be deleted: without a `head` and a `checkpoint` it is made anew from the whole log. Where something else stands in its
//!   place (a directory, a link, a FIFO, a file that cannot be opened), all of it is set aside, and it is made anew, too.
//!
//! A table doubles on its own, so that growth stays a matter of milliseconds also with 10 M events. The
//! caller holds the lock of the spine.

mod position;
mod table;

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use subcortex_model::{Event, event_type};
use subcortex_store::{Disk, OpenMode, Refusal, durable};

use crate::cursor::Cursor;
use crate::day::Day;
use crate::envelope::Envelope;
use crate::error::ReadError;
use crate::lines::{FileReader, Lines, RawLine};
use crate::reader::{Item, Reader};
use position::{Head, Positions};
use table::{Place, Table};

/// What Linux says of a link that leads to itself; the standard library has no stable name for it.
const ELOOP: i32 = 40;

/// What stood in the place of an index, and where it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Where it stood.
    pub path: PathBuf,
    /// Where it is.
    pub kept: PathBuf,
    /// Why it was no index, in words.
    pub reason: String,
}

/// An event that is on the spine.
#[derive(Debug)]
pub(crate) enum Stored {
    /// Its day is compressed, or gone.
    LongAgo,
    /// In the log; a message as it stands there.
    Here(Option<Box<Event>>),
}

/// The index of one spine, open in one process.
#[derive(Debug)]
pub(crate) struct DedupIndex {
    disk: Arc<dyn Disk>,
    events_dir: PathBuf,
    dir: PathBuf,
    positions: Positions,
    /// Open tables, by the first byte of the hash.
    tables: BTreeMap<u8, Table>,
    head: Head,
    set_aside: Vec<SetAside>,
}

impl DedupIndex {
    pub(crate) fn new(disk: Arc<dyn Disk>, events_dir: PathBuf, dir: PathBuf, boot_id: String) -> Self {
        let positions = Positions::new(dir.clone(), boot_id);
        let (tables, head, set_aside) = (BTreeMap::new(), Head::default(), Vec::new());
        Self { disk, events_dir, dir, positions, tables, head, set_aside }
    }

    /// What had to be set aside since this was last asked.
    pub(crate) fn take_set_aside(&mut self) -> Vec<SetAside> {
        std::mem::take(&mut self.set_aside)
    }

    /// Indexes whatever was appended since anyone last did; `end` is where the log ends now.
    pub(crate) fn catch_up(&mut self, end: (Day, u64)) -> Result<(), ReadError> {
        match self.catch_up_here(end) {
            Err(error) if self.begins_anew(&error) => self.catch_up_here(end),
            other => other,
        }
    }

    /// Sets the index aside if an error says that something else stands in its place; says whether it did.
    fn begins_anew(&mut self, error: &ReadError) -> bool {
        let ReadError::Io { path, source, .. } = error;
        let refused = Refusal::within(source).map(|refusal| refusal.path.as_path());
        let kinds =
            [io::ErrorKind::PermissionDenied, io::ErrorKind::NotADirectory, io::ErrorKind::IsADirectory];
        let is_foreign =
            refused.is_some() || kinds.contains(&source.kind()) || source.raw_os_error() == Some(ELOOP);
        if *path != self.dir || !is_foreign {
            return false; // the log itself, or a disk that is full
        }
        let above = self.dir.parent().filter(|above| refused == Some(*above));
        let place = above.unwrap_or(&self.dir).to_owned();
        let Ok(kept) = durable::set_aside(&*self.disk, &place) else { return false };
        self.set_aside.push(SetAside { path: place, kept, reason: source.to_string() });
        self.tables.clear();
        self.head = Head::default();
        true
    }

    fn catch_up_here(&mut self, end: (Day, u64)) -> Result<(), ReadError> {
        let head = self.positions.load(&*self.disk).map_err(ReadError::io("read", &self.dir))?;
        if head.as_ref().is_none_or(|head| head.generation != self.head.generation) {
            self.tables.clear(); // another process has replaced a table, or the index is gone
        }
        self.head = head.unwrap_or_default();
        let covered = self.head.covered.clone();
        if covered.as_ref().is_some_and(|at| at.day() == Some(end.0) && at.offset == end.1) {
            return Ok(()); // the usual case: no look at the days before
        }
        self.index_from(covered)
    }

    fn index_from(&mut self, from: Option<Cursor>) -> Result<(), ReadError> {
        let mut reader = Reader::open(Arc::clone(&self.disk), &self.events_dir, from)?;
        let mut failed = None;
        reader.read(|file, item| {
            let Item::Record { envelope, offset, .. } = item else { return ControlFlow::Continue(()) };
            for name in envelope.names() {
                if let Err(error) = self.insert(name, file.day, offset) {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })?;
        match failed {
            Some(error) => Err(ReadError::io("write", &self.dir)(error)),
            None => self.cover(reader.cursor().cloned()).map_err(ReadError::io("write", &self.dir)),
        }
    }

    /// Whether an event with this key is on the spine.
    pub(crate) fn contains(&mut self, source_id: &str) -> Result<bool, ReadError> {
        Ok(self.find(source_id)?.is_some())
    }

    /// The event with this key, if it is on the spine.
    pub(crate) fn find(&mut self, source_id: &str) -> Result<Option<Stored>, ReadError> {
        match self.find_here(source_id) {
            Err(error) if self.begins_anew(&error) => {
                self.index_from(None)?;
                self.find_here(source_id)
            }
            other => other,
        }
    }

    fn find_here(&mut self, source_id: &str) -> Result<Option<Stored>, ReadError> {
        let hash = hash_of(source_id);
        let places = self.table(hash).and_then(|table| table.places(hash));
        for place in places.map_err(ReadError::io("read", &self.dir))? {
            if let Some(stored) = self.stored_at(place, source_id)? {
                return Ok(Some(stored));
            }
        }
        Ok(None)
    }

    /// Remembers where an event with this key stands.
    pub(crate) fn insert(&mut self, source_id: &str, day: Day, offset: u64) -> io::Result<()> {
        let hash = hash_of(source_id);
        let replaced = self.table(hash)?.insert(hash, Place::new(day, offset))?;
        if replaced {
            self.head.generation += 1;
        }
        Ok(())
    }

    /// Says that the log is indexed up to here.
    pub(crate) fn cover(&mut self, covered: Option<Cursor>) -> io::Result<()> {
        self.head.covered = covered;
        self.positions.store(&*self.disk, &self.head)
    }

    /// Makes the index durable up to where it is now, so that a power cut does not cost a long catch-up.
    pub(crate) fn checkpoint(&mut self) -> Result<(), ReadError> {
        match self.checkpoint_here().map_err(ReadError::io("sync", &self.dir)) {
            // The next append makes it anew.
            Err(error) if self.begins_anew(&error) => Ok(()),
            other => other,
        }
    }

    fn checkpoint_here(&mut self) -> io::Result<()> {
        for number in 0..=u8::MAX {
            if let Some(table) = Table::open_existing(&*self.disk, &self.dir, number)? {
                table.sync()?;
            }
        }
        self.positions.checkpoint(&*self.disk, &self.head)
    }

    fn table(&mut self, hash: u64) -> io::Result<&mut Table> {
        let number = table::number(hash);
        if !self.tables.contains_key(&number) {
            make_dirs(&*self.disk, &self.dir)?;
            let table = Table::open(Arc::clone(&self.disk), &self.dir, number)?;
            self.tables.insert(number, table);
        }
        self.tables.get_mut(&number).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Looks into the log whether the record at this place has this key.
    fn stored_at(&self, place: Place, name: &str) -> Result<Option<Stored>, ReadError> {
        let Some((day, offset)) = place.day_and_offset() else { return Ok(None) };
        let path = self.events_dir.join(day.file_name());
        let file = match self.disk.open(&path, OpenMode::Read) {
            // Compressed, or removed by retention: it was stored, and that is what counts.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(Stored::LongAgo)),
            other => other.map_err(ReadError::io("open", &path))?,
        };
        let mut lines = Lines::new(FileReader::new(file, offset), offset);
        let line = lines.next().map_err(ReadError::io("read", &path))?;
        Ok(match line {
            Some(RawLine::Whole { bytes, .. }) => {
                let envelope = Envelope::parse(bytes).ok();
                envelope.filter(|envelope| envelope.names().any(|known| known == name)).map(|envelope| {
                    let is_message = envelope.event_type == event_type::CHANNEL_MESSAGE;
                    Stored::Here(is_message.then(|| envelope.to_event().ok().map(Box::new)).flatten())
                })
            }
            Some(RawLine::Unfinished { .. } | RawLine::TooLong { .. }) | None => None,
        })
    }
}

/// The index lies two directories below `var`, which exists.
fn make_dirs(disk: &dyn Disk, dir: &Path) -> io::Result<()> {
    if let Some(parent) = dir.parent() {
        disk.make_dir(parent)?;
    }
    disk.make_dir(dir)
}

fn hash_of(source_id: &str) -> u64 {
    let mut first = [0; 8];
    first
        .copy_from_slice(blake3::hash(source_id.as_bytes()).as_bytes().first_chunk::<8>().unwrap_or(&[0; 8]));
    u64::from_le_bytes(first).max(1)
}
