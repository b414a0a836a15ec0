//! One session file, from its first line to its last.

use std::cell::Cell;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::de::IgnoredAny;
use subcortex_known_agents::{Agent, transcript};
use subcortex_model::Draft;
use subcortex_store::{Disk, DiskFile, OpenMode};

use crate::beside::Beside;
use crate::find::{Problem, SourceFile};
use crate::lines::{Lines, RawLine};
use crate::summary::{Summary, skipped};

/// A file that was not changed for this long is taken to be finished.
pub const QUIET_SECS: i64 = 600;

const NS_PER_SEC: i128 = 1_000_000_000;

/// What is known of a session file before it is read.
#[derive(Debug, Clone)]
pub struct FileOptions<'a> {
    /// Whose it may be; of several, its lines show which.
    pub agents: &'a [&'static Agent],
    /// Directories of subcortex itself: what was done below them is left out.
    pub own_dirs: Vec<PathBuf>,
    /// The time, to know whether the file may still grow.
    pub now: Timestamp,
    /// What becomes of what no draft tells.
    pub rest: transcript::Rest,
}

/// Takes the drafts that were read since the last call, and empties the list. [`ControlFlow::Break`] ends the reading.
pub type Taker<'a> = dyn FnMut(&mut Vec<Draft>) -> ControlFlow<()> + 'a;

/// Reads one session file line by line, counts what it holds and hands its drafts to `take`; `told` hears how many bytes
/// were read. Trouble with the file ends up in the summary. [`ControlFlow::Break`] if `take` said so; what was read of the
/// file is then not counted.
pub fn read_file(
    disk: &dyn Disk,
    source: &SourceFile,
    options: &FileOptions<'_>,
    summary: &mut Summary,
    take: &mut Taker<'_>,
    told: &mut dyn FnMut(u64),
) -> ControlFlow<()> {
    let path = &source.path;
    let opened = disk.open(path, OpenMode::Read).and_then(|file| Ok((file.stat()?, file)));
    let (stat, file) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            summary.add_problem(Problem::of_io(path, &error));
            return ControlFlow::Continue(());
        }
    };
    let position = Position::default();
    let stored = Stored { file: &*file, len_bytes: stat.len, position: &position };
    let reader_options =
        transcript::Options { rest: options.rest, ..reader_options(path, options.agents, &options.own_dirs) };
    let reader = transcript::reader_of(options.agents, reader_options);
    let may_grow = may_grow(options.now, stat.mtime_ns);
    let beside = Beside::new(path, options.agents, options.rest);
    let mut session = Session { disk, reader, beside, may_grow, counts: Summary::default() };
    let result = unpacked(path, stored)
        .map(|input| Lines::new(input, transcript::MAX_LINE_BYTES))
        .map(|mut lines| session.read(&mut lines, take, &position, told));
    let problem = match result {
        Ok(ControlFlow::Continue(problem)) => problem,
        Ok(ControlFlow::Break(())) => return ControlFlow::Break(()),
        Err(error) => Some(error),
    };
    summary.add(session.finish(take)?);
    summary.files += 1;
    if position.shrank.get() {
        summary.add_problem(Problem {
            path: path.clone(),
            reason: skipped::FILE_SHRANK,
            message: "became shorter while it was read".to_owned(),
        });
    } else if let Some(error) = problem {
        let reason = if is_packed(path) { skipped::FILE_DAMAGED } else { skipped::FILE_UNREADABLE };
        summary.add_problem(Problem { path: path.clone(), reason, message: error.to_string() });
    }
    ControlFlow::Continue(())
}

/// Whether a file that was last changed then may still be written to.
pub(crate) fn may_grow(now: Timestamp, mtime_ns: i128) -> bool {
    let quiet_ns = i128::from(now.as_second()) * NS_PER_SEC - mtime_ns;
    quiet_ns < i128::from(QUIET_SECS) * NS_PER_SEC
}

/// What a reader is told about a file.
pub(crate) fn reader_options(
    path: &Path,
    agents: &[&'static Agent],
    own_dirs: &[PathBuf],
) -> transcript::Options {
    transcript::Options {
        own_dirs: own_dirs.to_owned(),
        fallback_session: session_name(path),
        is_subagents: agents.iter().any(|agent| (agent.sessions.is_subagents)(path)),
        is_live: false,
        rest: transcript::Rest::default(),
    }
}

/// The name without its endings: what agents call the session.
fn session_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    let name = name.strip_suffix(".zst").unwrap_or(&name);
    Some(name.strip_suffix(".jsonl").unwrap_or(name).to_owned())
}

pub(crate) fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "zst")
}

fn unpacked<'a>(path: &Path, stored: Stored<'a>) -> io::Result<Box<dyn Read + 'a>> {
    Ok(if is_packed(path) { Box::new(zstd::Decoder::new(stored)?) } else { Box::new(stored) })
}

/// A file whose lines are being read.
struct Session<'d> {
    disk: &'d dyn Disk,
    reader: Box<dyn transcript::Reader>,
    beside: Beside,
    may_grow: bool,
    counts: Summary,
}

impl Session<'_> {
    /// Reads to the end, or to the error that is given back.
    fn read(
        &mut self,
        lines: &mut Lines<impl Read>,
        take: &mut Taker<'_>,
        position: &Position,
        told: &mut dyn FnMut(u64),
    ) -> ControlFlow<(), Option<io::Error>> {
        let mut drafts = Vec::new();
        let mut told_bytes = 0;
        loop {
            match lines.next() {
                Ok(Some(RawLine::Whole(line))) => self.line(line, &mut drafts),
                Ok(Some(RawLine::Last(line))) if self.is_unfinished(line) => {
                    self.counts.skip(skipped::UNFINISHED, 1);
                    self.counts.records += 1;
                }
                Ok(Some(RawLine::Last(line))) => self.line(line, &mut drafts),
                Ok(Some(RawLine::TooLong)) => {
                    self.counts.skip(transcript::skipped::TOO_LONG, 1);
                    self.counts.records += 1;
                }
                Ok(None) => {
                    self.reader.pause(&mut drafts);
                    if !drafts.is_empty() {
                        take(&mut drafts)?;
                    }
                    return ControlFlow::Continue(None);
                }
                Err(error) => return ControlFlow::Continue(Some(error)),
            }
            if !drafts.is_empty() {
                take(&mut drafts)?;
                drafts.clear();
            }
            if position.read_bytes.get() != told_bytes {
                told_bytes = position.read_bytes.get();
                told(told_bytes);
            }
        }
    }

    fn line(&mut self, line: &[u8], drafts: &mut Vec<Draft>) {
        let made = drafts.len();
        self.reader.line(line, drafts);
        self.beside.tell(self.disk, line, drafts, made);
    }

    /// Whether a last line without its end is being written right now: the reader might make something of its
    /// beginning, and the whole line would then be taken for a duplicate.
    fn is_unfinished(&self, line: &[u8]) -> bool {
        self.may_grow
            && !line.iter().all(|byte| *byte == 0 || byte.is_ascii_whitespace())
            && !is_whole_record(line)
    }

    /// Words that wait for their delivery are told now, unless the delivery may still come: it would tell them a
    /// second time under another id.
    fn finish(mut self, take: &mut Taker<'_>) -> ControlFlow<(), Summary> {
        let mut waiting = Vec::new();
        self.reader.finish(&mut waiting);
        if self.may_grow {
            self.counts.skip(skipped::WAITING, waiting.len() as u64);
            waiting.clear();
        }
        self.counts.add_counts(self.reader.counts());
        if !waiting.is_empty() {
            take(&mut waiting)?;
        }
        ControlFlow::Continue(self.counts)
    }
}

/// Whether a line is whole, though its end is missing.
pub(crate) fn is_whole_record(line: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

/// How far a file was read, seen from outside of the decoder.
#[derive(Debug, Default)]
pub(crate) struct Position {
    pub(crate) read_bytes: Cell<u64>,
    pub(crate) shrank: Cell<bool>,
}

/// The bytes of a file from a position up to the length that it had when it was opened.
pub(crate) struct Stored<'a> {
    pub(crate) file: &'a dyn DiskFile,
    pub(crate) len_bytes: u64,
    pub(crate) position: &'a Position,
}

impl Read for Stored<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let offset = self.position.read_bytes.get();
        let left = usize::try_from(self.len_bytes.saturating_sub(offset)).unwrap_or(usize::MAX);
        let room = buffer.len().min(left);
        let Some(buffer) = buffer.get_mut(..room).filter(|buffer| !buffer.is_empty()) else {
            return Ok(0);
        };
        let n = self.file.read_at(buffer, offset)?;
        if n == 0 {
            self.position.shrank.set(true);
        }
        self.position.read_bytes.set(offset + n as u64);
        Ok(n)
    }
}
