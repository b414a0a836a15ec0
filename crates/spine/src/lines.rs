//! Lines out of a file of any size, in bounded memory.

use std::io::{self, Read};
use std::ops::Deref;

use subcortex_store::DiskFile;

/// The longest line that is held in memory, in bytes. A longer one is reported and passed over.
pub const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;

/// How much is read at once: large enough for speed, small enough to stay in the processor's cache.
const READ_BYTES: usize = 256 * 1024;

/// One line and where it begins.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RawLine<'a> {
    /// A line that ended with a newline (which is not part of `bytes`).
    Whole { offset: u64, bytes: &'a [u8] },
    /// The file ended before the newline: half a record, or one that is being written.
    Unfinished { offset: u64, bytes: &'a [u8] },
    /// Longer than [`MAX_LINE_BYTES`]; `len` counts without the newline.
    TooLong { offset: u64, len: u64, finished: bool },
}

/// Splits what a reader gives into lines.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// `buffer[start..end]` is read and not yet handed out.
    start: usize,
    end: usize,
    /// Where in the file `buffer[start]` stands.
    offset: u64,
    at_end: bool,
}

impl<R: Read> Lines<R> {
    /// Begins at `offset`, which is where `reader` stands and where a line begins.
    pub(crate) fn new(reader: R, offset: u64) -> Self {
        Self { reader, buffer: vec![0; READ_BYTES], start: 0, end: 0, offset, at_end: false }
    }

    /// The next line, or `None` at the end of the file.
    pub(crate) fn next(&mut self) -> io::Result<Option<RawLine<'_>>> {
        let mut searched = 0;
        loop {
            let held = self.buffer.get(self.start + searched..self.end).unwrap_or_default();
            if let Some(found) = memchr::memchr(b'\n', held) {
                return Ok(Some(self.take(searched + found)));
            }
            searched = self.end - self.start;
            if self.at_end {
                return Ok(self.take_rest());
            }
            if searched > MAX_LINE_BYTES {
                return self.pass_over().map(Some);
            }
            self.fill()?;
        }
    }

    /// Hands out a line of `len` bytes and steps over its newline.
    fn take(&mut self, len: usize) -> RawLine<'_> {
        let (offset, start) = (self.offset, self.start);
        self.start += len + 1;
        self.offset += len as u64 + 1;
        if len > MAX_LINE_BYTES {
            return RawLine::TooLong { offset, len: len as u64, finished: true };
        }
        RawLine::Whole { offset, bytes: self.buffer.get(start..start + len).unwrap_or_default() }
    }

    fn take_rest(&mut self) -> Option<RawLine<'_>> {
        let (offset, start, end) = (self.offset, self.start, self.end);
        self.start = end;
        self.offset += (end - start) as u64;
        let bytes = self.buffer.get(start..end).unwrap_or_default();
        (!bytes.is_empty()).then_some(RawLine::Unfinished { offset, bytes })
    }

    /// Steps to the end of a line that is too long to hold.
    fn pass_over(&mut self) -> io::Result<RawLine<'_>> {
        let offset = self.offset;
        loop {
            let held = self.buffer.get(self.start..self.end).unwrap_or_default();
            if let Some(found) = memchr::memchr(b'\n', held) {
                self.start += found + 1;
                self.offset += found as u64 + 1;
                return Ok(RawLine::TooLong { offset, len: self.offset - offset - 1, finished: true });
            }
            self.offset += held.len() as u64;
            (self.start, self.end) = (0, 0);
            if self.at_end {
                return Ok(RawLine::TooLong { offset, len: self.offset - offset, finished: false });
            }
            self.fill()?;
        }
    }

    /// Reads more behind what is held, making room first.
    fn fill(&mut self) -> io::Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        let read = self.reader.read(room)?;
        self.end += read;
        self.at_end = read == 0;
        Ok(())
    }
}

/// Reads a [`DiskFile`] from a position on.
#[derive(Debug)]
pub(crate) struct FileReader<F> {
    file: F,
    position: u64,
}

impl<F: Deref<Target: DiskFile>> FileReader<F> {
    pub(crate) fn new(file: F, position: u64) -> Self {
        Self { file, position }
    }
}

impl<F: Deref<Target: DiskFile>> Read for FileReader<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.position).map_err(final_error)?;
        self.position += read as u64;
        Ok(read)
    }
}

/// The disk has retried an interrupted call by itself; std's helpers would do so for ever.
pub(crate) fn final_error(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::Interrupted { io::Error::other(error) } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &[u8], expect: &str) {
        let mut lines = Lines::new(text, 0);
        let mut seen = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            seen.push(match line {
                RawLine::Whole { offset, bytes } => format!("{offset}:{}", String::from_utf8_lossy(bytes)),
                RawLine::Unfinished { offset, bytes } => {
                    format!("{offset}?{}", String::from_utf8_lossy(bytes))
                }
                RawLine::TooLong { offset, len, finished } => format!("{offset}!{len} {finished}"),
            });
        }
        assert_eq!(seen.join("|"), expect);
    }

    #[test]
    fn lines_come_with_their_offsets() {
        check(b"", "");
        check(b"a\n\nbc\n", "0:a|2:|3:bc");
        check(b"a\nb", "0:a|2?b");
        check("a\u{2028}b\n".as_bytes(), "0:a\u{2028}b");
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_the_next_is_read() {
        let mut text = vec![b'x'; MAX_LINE_BYTES * 3];
        text.extend_from_slice(b"\nnext\n");
        check(&text, &format!("0!{} true|{}:next", MAX_LINE_BYTES * 3, MAX_LINE_BYTES * 3 + 1));
        text.truncate(MAX_LINE_BYTES * 3);
        check(&text, &format!("0!{} false", MAX_LINE_BYTES * 3));
    }

    #[test]
    fn lines_longer_than_one_read_are_whole() {
        let long = "y".repeat(READ_BYTES * 2 + 17);
        check(format!("a\n{long}\nb\n").as_bytes(), &format!("0:a|2:{long}|{}:b", long.len() + 3));
    }
}
