//! One file that is followed: from where it was left to its present end.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use subcortex_known_agents::{Agent, transcript};
use subcortex_model::Draft;
use subcortex_store::{Disk, DiskFile, Stat};

use super::places::{Place, fingerprint, whole_mtime_ns};
use crate::beside::Beside;
use crate::file::{Position, Stored, Taker, is_whole_record, may_grow, reader_options};
use crate::lines::{Lines, RawLine};

/// A reader that has seen a file up to some place, kept while the file grows.
pub(super) struct Live {
    reader: Box<dyn transcript::Reader>,
    beside: Beside,
    /// The beginning of the first line that it has not seen.
    offset: u64,
    /// Where it was last told that nothing more would come.
    finished_bytes: Option<u64>,
}

impl Live {
    pub(super) fn new(agent: &'static Agent, path: &Path, own_dirs: &[PathBuf]) -> Self {
        let options = reader_options(path, &[agent], own_dirs);
        let beside = Beside::new(path, &[agent], options.rest);
        Self { reader: agent.reader(options), beside, offset: 0, finished_bytes: None }
    }

    fn line(&mut self, disk: &dyn Disk, line: &[u8], drafts: &mut Vec<Draft>) {
        let made = drafts.len();
        self.reader.line(line, drafts);
        self.beside.tell(disk, line, drafts, made);
    }

    /// Whether it stands where this place is.
    pub(super) fn is_at(&self, place: &Place) -> bool {
        self.offset == place.told_bytes && self.finished_bytes == place.finished_bytes
    }
}

/// How reading ended, besides its place.
pub(super) enum Ended {
    /// At the end of the file.
    AtEnd { is_done: bool },
    /// Somewhere before, because it was asked to stop; or because the system says so.
    Before(Option<io::Error>),
    /// The file became shorter meanwhile.
    Shrank,
}

/// What was true of a file before this reading.
pub(super) struct Before<'a> {
    pub(super) disk: &'a dyn Disk,
    pub(super) file: &'a dyn DiskFile,
    pub(super) stat: &'a Stat,
    /// What is on the spine already; a reader that starts at the beginning of the file keeps it to itself.
    pub(super) told_bytes: u64,
    pub(super) finished_bytes: Option<u64>,
    pub(super) now: Timestamp,
}

/// Reads on. [`ControlFlow::Break`] if `take` says so: then the reader is ahead of what was taken.
pub(super) fn read_on(
    live: &mut Live,
    before: &Before<'_>,
    take: &mut Taker<'_>,
    go_on: &dyn Fn() -> bool,
) -> ControlFlow<(), Ended> {
    let start = live.offset;
    let position = Position::default();
    position.read_bytes.set(start);
    let stored = Stored { file: before.file, len_bytes: before.stat.len, position: &position };
    let mut lines = Lines::new(stored, transcript::MAX_LINE_BYTES);
    let is_quiet = !may_grow(before.now, before.stat.mtime_ns);
    let mut drafts = Vec::new();
    let mut rest_bytes = 0;
    loop {
        if !go_on() {
            return ControlFlow::Continue(Ended::Before(None));
        }
        match lines.next() {
            Ok(Some(RawLine::Whole(line))) => live.line(before.disk, line, &mut drafts),
            Ok(Some(RawLine::Last(line))) => {
                rest_bytes = line.len() as u64;
                if is_quiet && is_whole_record(line) {
                    live.line(before.disk, line, &mut drafts);
                    live.offset = start + lines.ended_bytes() + rest_bytes;
                    rest_bytes = 0;
                    tell(live, before, &mut drafts, take)?;
                }
                continue;
            }
            Ok(Some(RawLine::TooLong)) => {}
            Ok(None) if position.shrank.get() => return ControlFlow::Continue(Ended::Shrank),
            Ok(None) => break,
            Err(error) => return ControlFlow::Continue(Ended::Before(Some(error))),
        }
        live.offset = live.offset.max(start + lines.ended_bytes());
        tell(live, before, &mut drafts, take)?;
    }
    live.reader.pause(&mut drafts);
    tell(live, before, &mut drafts, take)?;
    let is_done = if is_quiet {
        live.reader.finish(&mut drafts);
        live.finished_bytes = Some(live.offset);
        if !drafts.is_empty() {
            take(&mut drafts)?;
        }
        true
    } else {
        live.reader.is_settled() && rest_bytes == 0
    };
    ControlFlow::Continue(Ended::AtEnd { is_done })
}

/// Hands over what the newest line said, unless it is known.
fn tell(
    live: &mut Live,
    before: &Before<'_>,
    drafts: &mut Vec<Draft>,
    take: &mut Taker<'_>,
) -> ControlFlow<()> {
    if live.offset <= before.told_bytes {
        live.reader.pause(drafts); // told as well, at the end of what there was
        drafts.clear();
    } else if !drafts.is_empty() {
        take(drafts)?;
        drafts.clear();
    }
    // Words that were told because the file was quiet are known words from here on.
    if live.finished_bytes.is_none()
        && let Some(finished_bytes) = before.finished_bytes
        && live.offset >= finished_bytes
    {
        live.reader.pause(drafts);
        if live.offset > before.told_bytes && !drafts.is_empty() {
            take(drafts)?;
        }
        drafts.clear();
        live.reader.finish(drafts);
        drafts.clear();
        live.finished_bytes = Some(finished_bytes);
    }
    ControlFlow::Continue(())
}

/// Where the reader stands now. A file that was not read to its end counts as one that has changed since.
pub(super) fn place_of(live: &Live, before: &Before<'_>, ended: &Ended) -> io::Result<Option<Place>> {
    let (len_bytes, is_done) = match ended {
        Ended::AtEnd { is_done } => (before.stat.len, *is_done),
        Ended::Before(_) => (live.offset, false),
        Ended::Shrank => return Ok(None),
    };
    Ok(Some(Place {
        inode: before.stat.inode,
        len_bytes,
        mtime_ns: whole_mtime_ns(before.stat.mtime_ns),
        told_bytes: live.offset,
        hash: fingerprint(before.file, live.offset)?,
        finished_bytes: live.finished_bytes,
        is_done,
    }))
}
