//! One table of the index: a file of 16-byte slots.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use subcortex_store::{Disk, DiskFile, OpenMode};

use crate::day::Day;

const SLOT_BYTES: u64 = 16;
/// How many slots a new table has.
const FIRST_SLOTS: u64 = 64;
/// How many slots are read at once while looking for one.
const PROBE_SLOTS: usize = 32;
/// A table is doubled when a look-up had to pass over this many slots: it is getting full.
const MAX_PROBES: u64 = 64;

/// Where a record stands: the day in the upper 24 bits, the offset in the lower 40.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(u64);

impl Place {
    const OFFSET_BITS: u32 = 40;

    pub(super) fn new(day: Day, offset: u64) -> Self {
        Self(u64::from(day.number()) << Self::OFFSET_BITS | offset & ((1 << Self::OFFSET_BITS) - 1))
    }

    pub(super) fn day_and_offset(self) -> Option<(Day, u64)> {
        let day = Day::from_number(u32::try_from(self.0 >> Self::OFFSET_BITS).ok()?)?;
        Some((day, self.0 & ((1 << Self::OFFSET_BITS) - 1)))
    }
}

/// Which table a hash belongs to.
pub(super) fn number(hash: u64) -> u8 {
    hash.to_le_bytes()[7]
}

/// One open table.
#[derive(Debug)]
pub(super) struct Table {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    file: Box<dyn DiskFile>,
    slots: u64,
}

/// A slot as it stands in the file.
#[derive(Debug, Clone, Copy)]
struct Slot {
    hash: u64,
    place: Place,
}

impl Slot {
    fn decode(bytes: &[u8; 16]) -> Self {
        let (hash, place) = bytes.split_at(8);
        let number = |half: &[u8]| u64::from_le_bytes(half.first_chunk().copied().unwrap_or_default());
        Self { hash: number(hash), place: Place(number(place)) }
    }

    fn encode(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.hash.to_le_bytes());
        bytes[8..].copy_from_slice(&self.place.0.to_le_bytes());
        bytes
    }
}

/// What a search through a table ended with.
struct Found {
    places: Vec<Place>,
    /// The first empty slot behind them, if one was near enough.
    empty: Option<u64>,
}

impl Table {
    pub(super) fn open(disk: Arc<dyn Disk>, dir: &Path, number: u8) -> io::Result<Self> {
        let path = dir.join(format!("{number:02x}"));
        let file = disk.open(&path, OpenMode::ReadWrite)?;
        let slots = file.len()? / SLOT_BYTES;
        let mut table = Self { disk, path, file, slots };
        if !slots.is_power_of_two() || slots < FIRST_SLOTS {
            // New, or cut short by a crash while it was made: nothing was in it yet.
            table.file.truncate(0)?;
            table.file.truncate(FIRST_SLOTS * SLOT_BYTES)?;
            table.slots = FIRST_SLOTS;
        }
        Ok(table)
    }

    /// Opens a table only if there is one.
    pub(super) fn open_existing(disk: &dyn Disk, dir: &Path, number: u8) -> io::Result<Option<SyncOnly>> {
        match disk.open(&dir.join(format!("{number:02x}")), OpenMode::ReadWrite) {
            Ok(file) => Ok(Some(SyncOnly(file))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The places of all records with this hash.
    pub(super) fn places(&self, hash: u64) -> io::Result<Vec<Place>> {
        Ok(self.search(hash)?.places)
    }

    /// Puts a place into the table; says whether the file was replaced by a larger one.
    pub(super) fn insert(&mut self, hash: u64, place: Place) -> io::Result<bool> {
        let mut grown = false;
        loop {
            let found = self.search(hash)?;
            if found.places.contains(&place) {
                return Ok(grown);
            }
            if let Some(empty) = found.empty {
                write_slot(&*self.file, empty, Slot { hash, place })?;
                return Ok(grown);
            }
            self.grow()?;
            grown = true;
        }
    }

    fn search(&self, hash: u64) -> io::Result<Found> {
        let mut found = Found { places: Vec::new(), empty: None };
        let mut at = hash & (self.slots - 1);
        let mut passed = 0;
        let mut buffer = [0; PROBE_SLOTS * SLOT_BYTES as usize];
        // The bound only ends a look-up early where an insert would have grown the table first.
        while passed < MAX_PROBES.min(self.slots) {
            let read = self.file.read_at(&mut buffer, at * SLOT_BYTES)?;
            for bytes in buffer.get(..read).unwrap_or_default().as_chunks::<16>().0 {
                let slot = Slot::decode(bytes);
                if slot.hash == 0 {
                    found.empty = Some(at);
                    return Ok(found);
                }
                if slot.hash == hash {
                    found.places.push(slot.place);
                }
                at += 1;
                passed += 1;
            }
            at &= self.slots - 1;
            if read < SLOT_BYTES as usize {
                at = 0;
                passed += 1;
            }
        }
        Ok(found)
    }

    /// Replaces the file by one of twice the size, synced first: what it held may be older than any
    /// position from which a catch-up would begin.
    fn grow(&mut self) -> io::Result<()> {
        let mut old = vec![0; usize::try_from(self.slots * SLOT_BYTES).map_err(io::Error::other)?];
        read_exact_at(&*self.file, &mut old)?;
        let entries = old.as_chunks::<16>().0.iter().map(Slot::decode).filter(|slot| slot.hash != 0);
        let entries: Vec<Slot> = entries.collect();
        let mut slots = self.slots * 2;
        let bytes = loop {
            if let Some(bytes) = lay_out(&entries, slots) {
                break bytes;
            }
            slots *= 2;
        };
        let beside = self.path.with_extension("new");
        drop(self.disk.remove(&beside)); // left by a process that died here
        let file = self.disk.open(&beside, OpenMode::CreateNew)?;
        let mut written = 0;
        while written < bytes.len() {
            written += file.write_at(bytes.get(written..).unwrap_or_default(), written as u64)?;
        }
        file.sync()?;
        self.disk.rename(&beside, &self.path)?;
        (self.file, self.slots) = (file, slots);
        Ok(())
    }
}

/// A table that is only opened to be made durable.
pub(super) struct SyncOnly(Box<dyn DiskFile>);

impl SyncOnly {
    pub(super) fn sync(&self) -> io::Result<()> {
        self.0.sync()
    }
}

/// Places all entries in a table of so many slots, or says that one would stand too far from its place.
fn lay_out(entries: &[Slot], slots: u64) -> Option<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(slots * SLOT_BYTES).ok()?];
    let cells = bytes.as_chunks_mut::<16>().0;
    for entry in entries {
        let mut at = usize::try_from(entry.hash & (slots - 1)).ok()?;
        let mut passed = 0;
        while *cells.get(at)? != [0; 16] {
            at = (at + 1) & usize::try_from(slots - 1).ok()?;
            passed += 1;
            if passed >= MAX_PROBES - 1 {
                return None;
            }
        }
        *cells.get_mut(at)? = entry.encode();
    }
    Some(bytes)
}

fn write_slot(file: &dyn DiskFile, at: u64, slot: Slot) -> io::Result<()> {
    let bytes = slot.encode();
    let written = file.write_at(&bytes, at * SLOT_BYTES)?;
    if written == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

fn read_exact_at(file: &dyn DiskFile, mut buffer: &mut [u8]) -> io::Result<()> {
    let mut offset = 0;
    while !buffer.is_empty() {
        let read = file.read_at(buffer, offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        offset += read as u64;
        buffer = buffer.get_mut(read..).unwrap_or_default();
    }
    Ok(())
}
