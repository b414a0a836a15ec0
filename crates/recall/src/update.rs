//! Bringing the index up to date, at the cost of what is new.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use subcortex_spine::{Item, Reader, list_days};
use subcortex_store::{DiskFile, OpenMode, durable};

use crate::index::Broken;
use crate::manifest::{Manifest, Of, Shelf};
use crate::segment::{Builder, Stored};
use crate::sources::{Dossiers, TurnReader, fragments, path_of_day, stamps};
use crate::words::Words;
use crate::{Places, RecallError};

/// How large a segment in the making grows, in bytes: this bounds the memory that reading a long log takes.
const MAX_BUILDER_BYTES: usize = 32 * 1024 * 1024;
/// A segment of turns is made one with those before it that are not so many times larger: so their number grows with the
/// logarithm of the log, and each turn is written again that often.
const MERGE_FACTOR: u64 = 3;
/// How large a segment may be and still be made one with others, in bytes: this bounds the memory that it takes.
const MAX_MERGED_BYTES: u64 = 128 * 1024 * 1024;

/// Whether what is there is built upon, or thrown away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    WhatIsThere,
    Nothing,
}

/// Brings the index up to date and says what it consists of. When somebody else is at it, what is there is used.
pub(crate) fn update(places: &Places, from: From, words: &mut Words) -> Result<Manifest, Broken> {
    durable::make_dirs(&*places.disk, &places.var, Path::new("index/recall"))?;
    let lock = lock(places)?;
    let known = places.read_manifest()?;
    let is_mine = lock.try_lock().map_err(places.io_error(&places.index()))?;
    if let (Some(manifest), false) = (&known, is_mine) {
        return Ok(manifest.clone());
    }
    if !is_mine {
        lock.lock().map_err(places.io_error(&places.index()))?;
    }
    // Somebody may have been faster.
    let known = if is_mine { known } else { places.read_manifest()? };
    let before = known.filter(|_| from == From::WhatIsThere || !is_mine).unwrap_or_default();
    let mut work = Work { places, manifest: before.clone(), words };
    work.dossiers()?;
    work.fragments()?;
    work.turns()?;
    if work.manifest != before || from == From::Nothing {
        places.write_manifest(&work.manifest)?;
        places.sweep(&work.manifest)?;
    }
    Ok(work.manifest)
}

fn lock(places: &Places) -> Result<Box<dyn DiskFile>, RecallError> {
    let path = places.index().join(".lock");
    places.disk.open(&path, OpenMode::ReadWrite).map_err(places.io_error(&path))
}

struct Work<'a> {
    places: &'a Places,
    manifest: Manifest,
    words: &'a mut Words,
}

impl Work<'_> {
    fn dossiers(&mut self) -> Result<(), Broken> {
        let now = Dossiers::look(self.places)?;
        let of = Of::Dossiers { stamp: now.stamp.clone() };
        if self.manifest.shelves.iter().any(|shelf| shelf.of == of) {
            return Ok(());
        }
        self.manifest.shelves.retain(|shelf| !matches!(shelf.of, Of::Dossiers { .. }));
        let builder = now.read(self.places, self.words);
        self.put(of, builder)
    }

    fn fragments(&mut self) -> Result<(), Broken> {
        let now: Vec<Of> =
            stamps(self.places)?.into_iter().map(|(day, stamp)| Of::Fragments { day, stamp }).collect();
        let stays = |shelf: &Shelf| !matches!(shelf.of, Of::Fragments { .. }) || now.contains(&shelf.of);
        self.manifest.shelves.retain(stays);
        for of in now {
            let Of::Fragments { day, .. } = &of else { continue };
            if !self.manifest.shelves.iter().any(|shelf| shelf.of == of) {
                let builder = fragments(self.places, day, self.words)?;
                self.put(of, builder)?;
            }
        }
        Ok(())
    }

    /// Reads the log on from where it was left.
    fn turns(&mut self) -> Result<(), Broken> {
        let places = self.places;
        self.drop_days_that_are_gone()?;
        let mut turns = TurnReader::new(self.manifest.open.clone());
        let mut reader = Reader::open(places.disk.clone(), &places.events, self.manifest.read_to.clone())?;
        loop {
            let words = &mut *self.words;
            let mut is_full = false;
            reader.read(|file, item| {
                if let Item::Record { envelope, .. } = &item {
                    turns.take(file, envelope, words);
                }
                is_full = turns.builder.bytes() > MAX_BUILDER_BYTES;
                if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            let builder = turns.finish();
            if !builder.is_empty() {
                self.put(Of::Turns, builder)?;
            }
            self.merge()?;
            self.manifest.open = turns.open.clone();
            self.manifest.read_to = reader.cursor().cloned();
            if !is_full {
                return Ok(());
            }
            // Whoever is stopped while a long log is read goes on here.
            places.write_manifest(&self.manifest)?;
        }
    }

    /// What is no longer kept in the log is not kept here either.
    fn drop_days_that_are_gone(&mut self) -> Result<(), Broken> {
        let (days, _) = list_days(&*self.places.disk, &self.places.events)?;
        let now = days.iter().map(|file| path_of_day(&file.day.file_name())).collect();
        let before = std::mem::replace(&mut self.manifest.days, now);
        if before.is_subset(&self.manifest.days) {
            return Ok(());
        }
        let is_kept = |line: &Vec<u8>, days: &BTreeSet<String>| {
            let stored: Option<Stored> = serde_json::from_slice(line).ok();
            stored.and_then(|stored| Some(days.contains(stored.path.split_once('#')?.0))).unwrap_or(false)
        };
        let (turns, others): (Vec<Shelf>, Vec<Shelf>) =
            std::mem::take(&mut self.manifest.shelves).into_iter().partition(|shelf| shelf.of == Of::Turns);
        self.manifest.shelves = others;
        for shelf in turns {
            let (opened, mut builder) = (self.places.open_segment(&shelf)?, Builder::default());
            let days = &self.manifest.days;
            let line = |doc| opened.line(doc).ok().filter(|line| is_kept(line, days));
            opened.segment.pour_into(&mut builder, line)?;
            if !builder.is_empty() {
                self.put(Of::Turns, builder)?;
            }
        }
        Ok(())
    }

    fn put(&mut self, of: Of, builder: Builder) -> Result<(), Broken> {
        let segment = self.manifest.next;
        self.manifest.next += 1;
        let bytes = self.places.write_segment(segment, &builder.finish())?;
        self.manifest.shelves.push(Shelf { of, segment, bytes });
        Ok(())
    }

    /// Makes the last segments of turns one while they are of about the same size.
    fn merge(&mut self) -> Result<(), Broken> {
        let turns: Vec<Shelf> =
            self.manifest.shelves.iter().filter(|shelf| shelf.of == Of::Turns).cloned().collect();
        let Some((last, before)) = turns.split_last() else { return Ok(()) };
        let mut together = vec![last];
        let mut bytes = last.bytes;
        for shelf in before.iter().rev().take_while(|shelf| shelf.bytes <= MAX_MERGED_BYTES) {
            if shelf.bytes > bytes.saturating_mul(MERGE_FACTOR) {
                break;
            }
            bytes += shelf.bytes;
            together.insert(0, shelf);
        }
        if together.len() < 2 {
            return Ok(());
        }
        let mut builder = Builder::default();
        for shelf in &together {
            let opened = self.places.open_segment(shelf)?;
            opened.segment.pour_into(&mut builder, |doc| opened.line(doc).ok())?;
        }
        self.manifest.shelves.retain(|shelf| !together.contains(&shelf));
        self.put(Of::Turns, builder)
    }
}
