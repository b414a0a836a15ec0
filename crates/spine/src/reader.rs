//! Reads the log in order from a position, in bounded memory.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use subcortex_store::{Disk, DiskFile, OpenMode};

use crate::cursor::Cursor;
use crate::day::{DayFile, list_days};
use crate::envelope::Envelope;
use crate::error::ReadError;
use crate::lines::{FileReader, Lines, RawLine};
use crate::salvage::{Damage, whole_records};

/// What stands in the log.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // handed to a visitor, never kept
pub enum Item<'a> {
    /// A whole record.
    Record {
        /// Its head; the payload only on demand.
        envelope: Envelope<'a>,
        /// Where it begins, in the uncompressed file.
        offset: u64,
        /// Its bytes, without the newline.
        line: &'a [u8],
    },
    /// Something that is no record. It is reported, and reading goes on behind it.
    Damaged {
        /// Where it begins.
        offset: u64,
        /// How long it is in bytes.
        len: u64,
        /// What is wrong with it.
        damage: Damage,
    },
}

/// Reads record after record, day after day.
#[derive(Debug)]
pub struct Reader {
    disk: Arc<dyn Disk>,
    days: VecDeque<DayFile>,
    open: Option<OpenDay>,
    cursor: Option<Cursor>,
}

#[derive(Debug)]
struct OpenDay {
    file: DayFile,
    lines: Lines<DayReader>,
}

impl Reader {
    /// Opens the log behind `from`, or at its beginning.
    pub fn open(disk: Arc<dyn Disk>, events_dir: &Path, from: Option<Cursor>) -> Result<Self, ReadError> {
        let (days, _) = list_days(&*disk, events_dir)?;
        let start = from.as_ref().and_then(Cursor::day);
        let days = days.into_iter().filter(|file| start.is_none_or(|day| file.day >= day)).collect();
        Ok(Self { disk, days, open: None, cursor: from })
    }

    /// The position behind the last whole record that was handed out. It never stands behind a damaged
    /// tail: that will be repaired, and what is then appended in its place must not be missed.
    pub fn cursor(&self) -> Option<&Cursor> {
        self.cursor.as_ref()
    }

    /// Hands out everything that is there now, file by file, until `visit` breaks off.
    pub fn read(
        &mut self,
        mut visit: impl FnMut(&DayFile, Item<'_>) -> ControlFlow<()>,
    ) -> Result<(), ReadError> {
        loop {
            let Some(open) = &mut self.open else {
                if self.open_next_day()? { continue } else { return Ok(()) }
            };
            let file = &open.file;
            let Some(line) = open.lines.next().map_err(ReadError::io("read", &file.path))? else {
                self.open = None;
                continue;
            };
            let cursor = &mut self.cursor;
            let flow = items_of(&line, &mut |item, end| {
                if let Item::Record { envelope, .. } = &item {
                    let last_id = Some(envelope.id.clone().into_owned());
                    *cursor = Some(Cursor { file: file.day.file_name(), offset: end, last_id });
                }
                visit(file, item)
            });
            if flow.is_break() {
                return Ok(());
            }
        }
    }

    /// Opens the next day at the position where reading goes on.
    fn open_next_day(&mut self) -> Result<bool, ReadError> {
        let Some(file) = self.days.pop_front() else { return Ok(false) };
        let offset = match &self.cursor {
            Some(cursor) if cursor.day() == Some(file.day) => cursor.offset,
            _ => 0,
        };
        let lines = open_day(&*self.disk, &file, offset)?;
        self.open = Some(OpenDay { file, lines });
        Ok(true)
    }
}

/// Says what a line holds: one record, or damage with perhaps whole records inside it. The second argument
/// of `visit` is where reading goes on behind the item.
pub(crate) fn items_of(
    line: &RawLine<'_>,
    visit: &mut dyn FnMut(Item<'_>, u64) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (offset, bytes, newline) = match *line {
        RawLine::Whole { bytes: [], .. } => return ControlFlow::Continue(()),
        RawLine::Whole { offset, bytes } => (offset, bytes, 1),
        RawLine::Unfinished { offset, bytes } => {
            let item = Item::Damaged { offset, len: bytes.len() as u64, damage: Damage::CutShort };
            return visit(item, offset);
        }
        RawLine::TooLong { offset, len, .. } => {
            return visit(Item::Damaged { offset, len, damage: Damage::TooLong }, offset);
        }
    };
    let damage = match Envelope::parse(bytes) {
        Ok(envelope) => {
            let end = offset + bytes.len() as u64 + newline;
            return visit(Item::Record { envelope, offset, line: bytes }, end);
        }
        Err(damage) => damage,
    };
    visit(Item::Damaged { offset, len: bytes.len() as u64, damage }, offset)?;
    for range in whole_records(bytes) {
        let start = offset + range.start as u64;
        let end = offset + range.end as u64 + if range.end == bytes.len() { newline } else { 0 };
        let record = bytes.get(range).unwrap_or_default();
        if let Ok(envelope) = Envelope::parse(record) {
            visit(Item::Record { envelope, offset: start, line: record }, end)?;
        }
    }
    ControlFlow::Continue(())
}

type PlainReader = FileReader<Box<dyn DiskFile>>;

/// A day file, plain or compressed, as a stream of its uncompressed bytes.
pub(crate) enum DayReader {
    Plain(PlainReader),
    Compressed(Box<zstd::Decoder<'static, io::BufReader<PlainReader>>>),
}

impl Read for DayReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(reader) => reader.read(buffer),
            Self::Compressed(reader) => reader.read(buffer),
        }
    }
}

impl std::fmt::Debug for DayReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Plain(_) => "Plain",
            Self::Compressed(_) => "Compressed",
        })
    }
}

/// Opens a day file for its lines from `offset` on, which must be the beginning of a line.
pub(crate) fn open_day(disk: &dyn Disk, file: &DayFile, offset: u64) -> Result<Lines<DayReader>, ReadError> {
    let handle = disk.open(&file.path, OpenMode::Read).map_err(ReadError::io("open", &file.path))?;
    if !file.compressed {
        return Ok(Lines::new(DayReader::Plain(FileReader::new(handle, offset)), offset));
    }
    let mut decoder =
        zstd::Decoder::new(FileReader::new(handle, 0)).map_err(ReadError::io("read", &file.path))?;
    io::copy(&mut decoder.by_ref().take(offset), &mut io::sink())
        .map_err(ReadError::io("read", &file.path))?;
    Ok(Lines::new(DayReader::Compressed(Box::new(decoder)), offset))
}
