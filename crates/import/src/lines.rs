//! A stream of bytes as lines, in bounded memory.

use std::io::{self, Read};

use memchr::memchr;

/// How much is read at once, and how large the buffer stays between long lines.
const CHUNK_BYTES: usize = 256 * 1024;

/// One line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RawLine<'a> {
    /// It ended with a newline.
    Whole(&'a [u8]),
    /// The end of the stream came first.
    Last(&'a [u8]),
    /// Longer than the limit; it was passed over.
    TooLong,
}

/// Splits what `input` gives at its newlines.
pub(crate) struct Lines<R> {
    input: R,
    max_bytes: usize,
    buffer: Vec<u8>,
    /// `buffer[start..end]` was read and not handed out; the part before `searched` has no newline.
    start: usize,
    searched: usize,
    end: usize,
    /// Bytes that were handed out or passed over; and those of them up to the newest newline.
    passed_bytes: u64,
    ended_bytes: u64,
}

impl<R: Read> Lines<R> {
    /// Lines of at most `max_bytes`.
    pub(crate) fn new(input: R, max_bytes: usize) -> Self {
        Self {
            input,
            max_bytes,
            buffer: vec![0; CHUNK_BYTES],
            start: 0,
            searched: 0,
            end: 0,
            passed_bytes: 0,
            ended_bytes: 0,
        }
    }

    /// Where the line begins that comes next, or that has no end yet: counted from where reading began.
    pub(crate) fn ended_bytes(&self) -> u64 {
        self.ended_bytes
    }

    /// The next line, or nothing at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<RawLine<'_>>> {
        self.give_memory_back();
        let mut is_too_long = false;
        loop {
            let unsearched = self.buffer.get(self.searched..self.end).unwrap_or_default();
            if let Some(at) = memchr(b'\n', unsearched) {
                let newline = self.searched + at;
                let line = self.start..newline;
                self.passed_bytes += line.len() as u64 + 1;
                self.ended_bytes = self.passed_bytes;
                (self.start, self.searched) = (newline + 1, newline + 1);
                is_too_long |= line.len() > self.max_bytes;
                let line = self.buffer.get(line).unwrap_or_default();
                return Ok(Some(if is_too_long { RawLine::TooLong } else { RawLine::Whole(line) }));
            }
            self.searched = self.end;
            if is_too_long || self.end - self.start > self.max_bytes {
                is_too_long = true;
                self.passed_bytes += (self.end - self.start) as u64;
                (self.start, self.searched, self.end) = (0, 0, 0);
            }
            if !self.fill()? {
                let rest = self.buffer.get(self.start..self.end).unwrap_or_default();
                (self.start, self.searched) = (self.end, self.end);
                return Ok(match rest {
                    _ if is_too_long => Some(RawLine::TooLong),
                    [] => None,
                    rest => Some(RawLine::Last(rest)),
                });
            }
        }
    }

    /// Reads on; `false` at the end of the stream.
    fn fill(&mut self) -> io::Result<bool> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.searched -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            match self.input.read(self.buffer.get_mut(self.end..).unwrap_or_default()) {
                Ok(n) => {
                    self.end += n;
                    return Ok(n > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// A buffer that grew for one long line is not kept for the short ones.
    fn give_memory_back(&mut self) {
        if self.start == self.end && self.buffer.len() > CHUNK_BYTES {
            (self.start, self.searched, self.end) = (0, 0, 0);
            self.buffer.truncate(CHUNK_BYTES);
            self.buffer.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out one to seven bytes at a time.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = self.1 % 7 + 1;
            let room = self.1.min(buffer.len());
            self.0.read(buffer.get_mut(..room).unwrap_or_default())
        }
    }

    #[track_caller]
    fn check(bytes: &[u8], max_bytes: usize, expect: &[&str]) {
        let shown = |input: &mut dyn Read| {
            let mut lines = Lines::new(input, max_bytes);
            let mut seen = Vec::new();
            while let Some(line) = lines.next().unwrap() {
                seen.push(match line {
                    RawLine::Whole(line) => format!("{}$", String::from_utf8_lossy(line)),
                    RawLine::Last(line) => String::from_utf8_lossy(line).into_owned(),
                    RawLine::TooLong => "too long".to_owned(),
                });
            }
            seen
        };
        assert_eq!(shown(&mut &*bytes), expect);
        assert_eq!(shown(&mut Drops(bytes, 0)), expect);
    }

    #[test]
    fn lines_are_split_and_an_unfinished_one_is_marked() {
        check(b"", 9, &[]);
        check(b"one\n\ntwo", 9, &["one$", "$", "two"]);
        check(b"one\ntwo\n", 9, &["one$", "two$"]);
    }

    #[test]
    fn a_line_beyond_the_limit_is_passed_over_wherever_it_stands() {
        check(b"12345\n123456\n1\n1234567890123", 5, &["12345$", "too long", "1$", "too long"]);
    }

    #[test]
    fn a_line_longer_than_the_buffer_comes_whole_and_its_memory_goes() {
        let long = vec![b'x'; 3 * CHUNK_BYTES];
        let bytes = [&*long, b"\nshort\n"].concat();
        let mut lines = Lines::new(&*bytes, 4 * CHUNK_BYTES);
        assert_eq!(lines.next().unwrap(), Some(RawLine::Whole(&long)));
        assert_eq!(lines.next().unwrap(), Some(RawLine::Whole(b"short".as_slice())));
        assert_eq!(lines.next().unwrap(), None);
        assert_eq!(lines.buffer.len(), CHUNK_BYTES);
        check(&bytes, CHUNK_BYTES, &["too long", "short$"]);
    }

    #[test]
    fn the_end_of_the_last_whole_line_is_known_also_behind_long_ones() {
        let ends = |bytes: &[u8]| {
            let mut lines = Lines::new(bytes, 5);
            let mut ends = Vec::new();
            while lines.next().unwrap().is_some() {
                ends.push(lines.ended_bytes());
            }
            ends
        };
        assert_eq!(ends(b"one\n1234567\n\ntwo"), [4, 12, 13, 13]);
        assert_eq!(ends(b"one\n1234567"), [4, 4]);
        let long = [&vec![b'x'; 2 * CHUNK_BYTES][..], b"\nx\n"].concat();
        assert_eq!(ends(&long), [2 * CHUNK_BYTES as u64 + 1, 2 * CHUNK_BYTES as u64 + 3]);
    }
}
