//! A pass over whole day files on all cores.
//!
//! Plain files are cut into segments that begin and end with a line; a compressed file is one segment. Each
//! worker folds a segment into a summary, and the summaries are merged in the order of the log. Memory is
//! bounded by the buffers of the workers, whatever the size of the log.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use subcortex_store::Disk;

use crate::day::{DayFile, OddEntry, list_days};
use crate::error::ReadError;
use crate::lines::RawLine;
use crate::reader::{Item, items_of, open_day};

/// How much of a plain file one worker takes at once, in bytes.
const SEGMENT_BYTES: u64 = 16 * 1024 * 1024;

/// What a pass makes of the log.
pub(crate) trait Summary: Default + Send {
    /// Takes in the next item of a segment.
    fn take(&mut self, file: &DayFile, item: Item<'_>);
    /// Takes in what follows in the log.
    fn append(&mut self, later: Self);
}

#[derive(Debug, Clone, Copy)]
struct Segment {
    file: usize,
    from: u64,
    to: u64,
}

/// The files that a pass went over, and what it made of them.
#[derive(Debug)]
pub(crate) struct Scanned<S> {
    pub(crate) files: Vec<DayFile>,
    pub(crate) odd: Vec<OddEntry>,
    pub(crate) bytes: u64,
    pub(crate) summary: S,
}

/// Goes over the whole log.
pub(crate) fn scan<S: Summary>(disk: &dyn Disk, events_dir: &Path) -> Result<Scanned<S>, ReadError> {
    let (files, odd) = list_days(disk, events_dir)?;
    let (segments, bytes) = segments(disk, &files)?;
    let next = AtomicUsize::new(0);
    let done = Mutex::new(BTreeMap::new());
    let workers = thread::available_parallelism().map_or(1, usize::from).min(segments.len().max(1));
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((segment, file)) =
                        segments.get(index).and_then(|segment| Some((segment, files.get(segment.file)?)))
                    else {
                        return;
                    };
                    let summary = summarise::<S>(disk, file, *segment);
                    let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    done.insert(index, summary);
                }
            });
        }
    });
    let mut summary = S::default();
    for part in done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).into_values() {
        summary.append(part?);
    }
    Ok(Scanned { files, odd, bytes, summary })
}

fn segments(disk: &dyn Disk, files: &[DayFile]) -> Result<(Vec<Segment>, u64), ReadError> {
    let (mut segments, mut bytes) = (Vec::new(), 0);
    for (index, file) in files.iter().enumerate() {
        let len = disk.stat(&file.path).map_err(ReadError::io("look at", &file.path))?.len;
        bytes += len;
        let step = if file.compressed { u64::MAX } else { SEGMENT_BYTES };
        let mut from = 0;
        while from < len || file.compressed && from == 0 {
            let to = from.saturating_add(step);
            segments.push(Segment { file: index, from, to });
            from = to;
        }
    }
    Ok((segments, bytes))
}

/// A line belongs to the segment in which it begins.
fn summarise<S: Summary>(disk: &dyn Disk, file: &DayFile, segment: Segment) -> Result<S, ReadError> {
    let mut summary = S::default();
    // Beginning one byte early makes the first "line" end with the newline before the segment, so that what
    // follows is exactly what begins in it.
    let begin = segment.from.saturating_sub(1);
    let mut lines = open_day(disk, file, begin)?;
    if segment.from > 0 {
        lines.next().map_err(ReadError::io("read", &file.path))?;
    }
    while let Some(line) = lines.next().map_err(ReadError::io("read", &file.path))? {
        let (RawLine::Whole { offset, .. }
        | RawLine::Unfinished { offset, .. }
        | RawLine::TooLong { offset, .. }) = line;
        if offset >= segment.to {
            break;
        }
        let _flow = items_of(&line, &mut |item, _| {
            summary.take(file, item);
            ControlFlow::Continue(())
        });
    }
    Ok(summary)
}
