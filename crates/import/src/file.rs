//! One session file, from its first line to its last.

use std::cell::Cell;
use std::io::{self, Read};
use std::path::Path;

use serde::de::IgnoredAny;
use subcortex_store::{Disk, DiskFile, OpenMode};
use subcortex_transcript as transcript;

use crate::Options;
use crate::find::{Problem, SourceFile};
use crate::lines::{Line, Lines};
use crate::outbox::{Batches, Stopped};
use crate::summary::{Summary, skipped};

/// A file that was not changed for this long is taken to be finished.
pub const QUIET_SECS: i64 = 600;

const NS_PER_SEC: i128 = 1_000_000_000;

/// Reads one file, counts what it holds and hands its drafts over. Trouble with the file ends up in the summary.
pub(crate) fn read(
    disk: &dyn Disk,
    source: &SourceFile,
    options: &Options<'_>,
    batches: &mut Batches,
    summary: &mut Summary,
    told: &mut dyn FnMut(u64),
) -> Result<(), Stopped> {
    let path = &source.path;
    let opened = disk.open(path, OpenMode::Read).and_then(|file| Ok((file.stat()?, file)));
    let (stat, file) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            summary.add_problem(Problem::of_io(path, &error));
            return Ok(());
        }
    };
    summary.files += 1;
    let position = Position::default();
    let stored = Stored { file, len_bytes: stat.len, position: &position };
    let reader = options.format.reader(transcript::Options {
        own_dirs: options.own_dirs.clone(),
        fallback_session: session_name(path),
    });
    let quiet_ns = i128::from((options.clock)().as_second()) * NS_PER_SEC - stat.mtime_ns;
    let mut session = Session { reader, may_grow: quiet_ns < i128::from(QUIET_SECS) * NS_PER_SEC, summary };
    let result = unpacked(path, stored)
        .map(|input| Lines::new(input, transcript::MAX_LINE_BYTES))
        .map(|mut lines| session.read(&mut lines, batches, &position, told));
    let problem = match result {
        Ok(Ok(problem)) => problem,
        Ok(Err(stopped)) => return Err(stopped),
        Err(error) => Some(error),
    };
    session.finish(batches)?;
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
    Ok(())
}

/// The name without its endings: what agents call the session.
fn session_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    let name = name.strip_suffix(".zst").unwrap_or(&name);
    Some(name.strip_suffix(".jsonl").unwrap_or(name).to_owned())
}

fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "zst")
}

fn unpacked<'a>(path: &Path, stored: Stored<'a>) -> io::Result<Box<dyn Read + 'a>> {
    Ok(if is_packed(path) { Box::new(zstd::Decoder::new(stored)?) } else { Box::new(stored) })
}

/// A file whose lines are being read.
struct Session<'a> {
    reader: Box<dyn transcript::Reader>,
    may_grow: bool,
    summary: &'a mut Summary,
}

impl Session<'_> {
    /// Reads to the end, or to the error that is given back.
    fn read(
        &mut self,
        lines: &mut Lines<impl Read>,
        batches: &mut Batches,
        position: &Position,
        told: &mut dyn FnMut(u64),
    ) -> Result<Option<io::Error>, Stopped> {
        let mut drafts = Vec::new();
        let mut told_bytes = 0;
        loop {
            match lines.next() {
                Ok(Some(Line::Whole(line))) => self.reader.line(line, &mut drafts),
                Ok(Some(Line::Last(line))) if self.is_unfinished(line) => {
                    self.summary.skip(skipped::UNFINISHED, 1);
                    self.summary.records += 1;
                }
                Ok(Some(Line::Last(line))) => self.reader.line(line, &mut drafts),
                Ok(Some(Line::TooLong)) => {
                    self.summary.skip(transcript::skipped::TOO_LONG, 1);
                    self.summary.records += 1;
                }
                Ok(None) => return Ok(None),
                Err(error) => return Ok(Some(error)),
            }
            batches.take(&mut drafts)?;
            if position.read_bytes.get() != told_bytes {
                told_bytes = position.read_bytes.get();
                told(told_bytes);
            }
        }
    }

    /// Whether a last line without its end is being written right now: the reader might make something of its
    /// beginning, and the whole line would then be taken for a duplicate.
    fn is_unfinished(&self, line: &[u8]) -> bool {
        self.may_grow
            && !line.iter().all(|byte| *byte == 0 || byte.is_ascii_whitespace())
            && serde_json::from_slice::<IgnoredAny>(line).is_err()
    }

    /// Words that wait for their delivery are told now, unless the delivery may still come: it would tell them a
    /// second time under another id.
    fn finish(mut self, batches: &mut Batches) -> Result<(), Stopped> {
        let mut waiting = Vec::new();
        self.reader.finish(&mut waiting);
        if self.may_grow {
            self.summary.skip(skipped::WAITING, waiting.len() as u64);
            waiting.clear();
        }
        self.summary.add_counts(self.reader.counts());
        batches.take(&mut waiting)
    }
}

/// How far a file was read, seen from outside of the decoder.
#[derive(Debug, Default)]
struct Position {
    read_bytes: Cell<u64>,
    shrank: Cell<bool>,
}

/// The bytes of a file up to the length that it had when it was opened.
struct Stored<'a> {
    file: Box<dyn DiskFile>,
    len_bytes: u64,
    position: &'a Position,
}

impl Read for Stored<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let offset = self.position.read_bytes.get();
        let left = usize::try_from(self.len_bytes - offset).unwrap_or(usize::MAX);
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
