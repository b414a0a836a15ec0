//! Server-sent events, read from bytes that come in pieces.
//!
//! A line ends with LF, CR or CR LF; an empty line ends an event; the lines `data:` of an event, joined by LF, are what
//! it says. All three interfaces repeat an event's name inside its data, so names, ids and comments are read over. An
//! event that the stream ends in is none. Bytes that are no UTF-8 become replacement characters.

/// The longest line, and the longest event, in bytes. The last event of a stream can repeat the whole answer.
pub(crate) const MAX_EVENT_BYTES: usize = 8 * 1024 * 1024;

/// A line or an event was longer than [`MAX_EVENT_BYTES`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Finds the events in a stream.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    line: Vec<u8>,
    /// The lines `data:` of the event that has begun; `None` before the first.
    data: Option<Vec<u8>>,
    /// The last byte was a CR, so that an LF right after it ends no second line.
    is_after_cr: bool,
    is_past_first_line: bool,
    has_seen_field: bool,
}

impl Reader {
    /// Reads on, and adds the data of each event that is now whole to `events`.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], events: &mut Vec<String>) -> Result<(), TooLong> {
        while let Some(&first) = bytes.first() {
            if std::mem::take(&mut self.is_after_cr) && first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let piece = &bytes[..end.unwrap_or(bytes.len())];
            if self.line.len() + piece.len() > MAX_EVENT_BYTES {
                return Err(TooLong);
            }
            self.line.extend_from_slice(piece);
            let Some(end) = end else { return Ok(()) };
            self.is_after_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            self.end_line(events)?;
        }
        Ok(())
    }

    /// Whether there was a line so far that belongs into a stream of events: else this is something else.
    pub(crate) fn has_seen_field(&self) -> bool {
        self.has_seen_field
    }

    fn end_line(&mut self, events: &mut Vec<String>) -> Result<(), TooLong> {
        let whole = std::mem::take(&mut self.line);
        let is_first = !std::mem::replace(&mut self.is_past_first_line, true);
        let line = if is_first { whole.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&whole) } else { &whole };
        if line.is_empty() {
            events.extend(self.data.take().map(|data| String::from_utf8_lossy(&data).into_owned()));
            return Ok(());
        }
        let (name, value) = match line.iter().position(|&byte| byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        self.has_seen_field |= matches!(name, b"" | b"data" | b"event" | b"id" | b"retry");
        if name == b"data" { self.add(value.strip_prefix(b" ").unwrap_or(value)) } else { Ok(()) }
    }

    fn add(&mut self, value: &[u8]) -> Result<(), TooLong> {
        match &mut self.data {
            Some(data) => {
                if data.len() + 1 + value.len() > MAX_EVENT_BYTES {
                    return Err(TooLong);
                }
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            none => *none = Some(value.to_vec()),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(pieces: &[&[u8]]) -> Result<Vec<String>, TooLong> {
        let (mut reader, mut events) = (Reader::default(), Vec::new());
        for piece in pieces {
            reader.feed(piece, &mut events)?;
        }
        Ok(events)
    }

    #[track_caller]
    fn check(stream: &str, expect: &[&str]) {
        assert_eq!(read(&[stream.as_bytes()]).unwrap(), expect, "{stream:?}");
    }

    #[test]
    fn every_line_end_ends_a_line() {
        check("data: a\n\ndata: b\n\n", &["a", "b"]);
        check("data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]);
        check("data: a\r\rdata: b\r\r", &["a", "b"]);
        check("data: a\r\n\ndata: b\n\r\n", &["a", "b"]);
        for end in ["\n", "\r", "\r\n"] {
            check(&["data: a", "data: b", "", ""].join(end), &["a\nb"]);
        }
    }

    #[test]
    fn data_of_several_lines_is_joined_and_other_fields_are_read_over() {
        check("event: x\ndata: a\ndata:b\ndata\nid: 7\n: a comment\n\n", &["a\nb\n"]);
        check("data:  two spaces\n\n", &[" two spaces"]);
        check(": only a comment\n\nevent: without data\n\n\n\n", &[]);
        check("\u{feff}data: behind a mark\n\n", &["behind a mark"]);
        check("data: not ended\n", &[]);
        check("database: is another field\n\n", &[]);
    }

    #[test]
    fn what_belongs_into_no_stream_of_events_is_recognised() {
        let mut reader = Reader::default();
        reader.feed(b"<html>\n<body>\nhello\n\n", &mut Vec::new()).unwrap();
        assert!(!reader.has_seen_field());
        reader.feed(b": hello\n", &mut Vec::new()).unwrap();
        assert!(reader.has_seen_field());
    }

    #[test]
    fn a_line_or_event_without_an_end_is_refused() {
        let megabyte = vec![b'x'; 1024 * 1024];
        let line: Vec<&[u8]> = (0..9).map(|_| &megabyte[..]).collect();
        assert_eq!(read(&line), Err(TooLong));
        let data = [b"data: ", &megabyte[..], b"\n"].concat();
        let event: Vec<&[u8]> = (0..9).map(|_| &data[..]).collect();
        assert_eq!(read(&event), Err(TooLong));
    }

    proptest! {
        #[test]
        fn any_split_of_the_bytes_gives_the_same_events(
            parts in prop::collection::vec(
                prop_oneof![
                    Just("data: ".to_owned()), Just("data".to_owned()), Just("\n".to_owned()), Just("\r".to_owned()),
                    Just("\r\n".to_owned()), Just("\n\n".to_owned()), Just(":".to_owned()), Just("\u{feff}".to_owned()),
                    "[a-zä日🦀\u{1b}\u{0}]{0,5}",
                ], 0..40),
            noise in prop::collection::vec(any::<u8>(), 0..20),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        ) {
            let bytes = [parts.concat().as_bytes(), b"\ndata: ", &noise, b"\n\n"].concat();
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
            at.extend([0, bytes.len()]);
            at.sort_unstable();
            let pieces: Vec<&[u8]> = at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(&pieces), read(&[&bytes]));
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(read(&single), read(&[&bytes]));
        }
    }
}
