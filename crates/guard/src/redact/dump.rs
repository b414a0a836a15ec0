//! Secrets in a listing of bytes: `xxd`, `hexdump`, `hexdump -C`, `od -t x1`, `od -c`.

use std::ops::Range;

use super::chars::Class;
use super::span::Span;
use super::work;

/// The place at the beginning of a line, in digits: `od` writes six or seven, `xxd` eight.
const PLACE_MIN_DIGITS: usize = 6;
const PLACE_MAX_DIGITS: usize = 16;
/// How many bytes one line may list. Programs write 16, or what they are told.
const LISTED_MAX_BYTES: usize = 256;
/// How wide a character is in `od -c`.
const CHARACTER_COLUMNS: usize = 4;
/// No listing is without it: the first thousand lines or so, and most others, begin with zeros.
const MARK: &[u8] = b"0000";

/// Lines that list bytes one after the other.
#[derive(Debug, Default)]
pub(super) struct Dump {
    bytes: Vec<u8>,
    /// What each line adds begins here, and the line.
    lines: Vec<(usize, Range<usize>)>,
}

impl Dump {
    /// The bytes that are listed.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where the last line ends.
    pub(super) fn end(&self) -> usize {
        self.lines.last().map_or(0, |(_, line)| line.end)
    }

    /// A finding in the listed bytes as a finding in the text: whole lines, since most listings show each byte twice.
    pub(super) fn span_in_text(&self, span: Span) -> Option<Span> {
        let line_of = |at: usize| {
            let behind = self.lines.partition_point(|(start, _)| *start <= at);
            self.lines.get(behind.checked_sub(1)?)
        };
        let (_, first) = line_of(span.start)?;
        let (_, last) = line_of(span.end.saturating_sub(1))?;
        Some(Span { start: first.start, end: last.end, ..span })
    }

    fn add(&mut self, listed: &[u8], line: Range<usize>) {
        self.lines.push((self.bytes.len(), line));
        self.bytes.extend_from_slice(listed);
    }
}

/// How a key begins in listings without places, as `od -An` writes them, in small letters: anchors.
pub(super) const KEY_BEGINNINGS: [&str; 2] = ["b   e   g   i   n", "42 45 47 49 4e"];
/// What stands before it on its line is at most this long, in bytes.
const KEY_MARGIN_MAX_BYTES: usize = 64;

/// The listing without places in which a key begins at `anchor`.
pub(super) fn find_key(bytes: &[u8], anchor: usize) -> Option<Dump> {
    let from = anchor.saturating_sub(KEY_MARGIN_MAX_BYTES);
    let start = memchr::memrchr(b'\n', &bytes[from..anchor]).map_or(from, |offset| from + offset + 1);
    let dump = read_lines(bytes, start, read_line_without_place);
    (!dump.lines.is_empty()).then_some(dump)
}

/// All listings in a text.
pub(super) fn find(bytes: &[u8]) -> Vec<Dump> {
    let mut dumps = Vec::new();
    let mut seen_until = 0;
    for mark in memchr::memmem::find_iter(bytes, MARK) {
        if mark < seen_until {
            continue;
        }
        let Some(start) = line_start(bytes, mark) else { continue };
        let dump = read_lines(bytes, start, read_line);
        let Some((_, last)) = dump.lines.last() else { continue };
        seen_until = last.end;
        dumps.push(dump);
    }
    dumps
}

/// Where the line begins whose place the mark is part of.
fn line_start(bytes: &[u8], mark: usize) -> Option<usize> {
    let from = mark.saturating_sub(PLACE_MAX_DIGITS);
    let before = &bytes[from..mark];
    work::note(before.len());
    let start = match memchr::memrchr(b'\n', before) {
        Some(offset) => from + offset + 1,
        None if from == 0 => 0,
        None => return None,
    };
    Class::HEX.has_all(&bytes[start..mark]).then_some(start)
}

/// What one line lists, and how far it was read.
type ReadLine = fn(&[u8], usize) -> Option<(Vec<u8>, usize)>;

fn read_lines(bytes: &[u8], start: usize, read_line: ReadLine) -> Dump {
    let mut dump = Dump::default();
    let mut at = start;
    while at < bytes.len() {
        let Some((listed, read_until)) = read_line(bytes, at) else { break };
        let end =
            memchr::memchr(b'\n', &bytes[read_until..]).map_or(bytes.len(), |offset| read_until + offset);
        work::note(end - at);
        dump.add(&listed, at..end);
        at = end + 1;
    }
    dump
}

/// What a line lists that has no place at its beginning.
fn read_line_without_place(bytes: &[u8], start: usize) -> Option<(Vec<u8>, usize)> {
    (bytes.get(start) == Some(&b' ')).then_some(())?;
    read_numbers(bytes, start, /*is_xxd*/ false).or_else(|| read_characters(bytes, start))
}

/// What one line lists behind its place.
fn read_line(bytes: &[u8], start: usize) -> Option<(Vec<u8>, usize)> {
    let place_end = Class::HEX.run_end(bytes, start, PLACE_MAX_DIGITS);
    (place_end - start >= PLACE_MIN_DIGITS).then_some(())?;
    let is_xxd = bytes.get(place_end) == Some(&b':');
    let groups_start = place_end + usize::from(is_xxd);
    (bytes.get(groups_start) == Some(&b' ')).then_some(())?;
    read_numbers(bytes, groups_start, is_xxd).or_else(|| read_characters(bytes, groups_start))
}

/// `2d2d 2d2d`, `2d 2d  2d 2d`; `hexdump` without `-C` writes the two bytes of a number the other way round.
fn read_numbers(bytes: &[u8], start: usize, is_xxd: bool) -> Option<(Vec<u8>, usize)> {
    let (mut listed, mut at, mut group_digits) = (Vec::new(), start, 0);
    while listed.len() < LISTED_MAX_BYTES {
        let blanks_end =
            at + bytes[at..].iter().take(CHARACTER_COLUMNS).take_while(|byte| **byte == b' ').count();
        // In `xxd` two blanks end the numbers.
        if blanks_end == at || (is_xxd && blanks_end > at + 1 && !listed.is_empty()) {
            break;
        }
        let end = Class::HEX.run_end(bytes, blanks_end, LISTED_MAX_BYTES);
        let digits = end - blanks_end;
        let is_last = group_digits > 0 && digits < group_digits;
        let ends_well = bytes.get(end).is_none_or(u8::is_ascii_whitespace);
        if digits == 0 || digits % 2 == 1 || (group_digits > 0 && digits > group_digits) || !ends_well {
            break;
        }
        group_digits = group_digits.max(digits);
        let from = listed.len();
        listed.extend(bytes[blanks_end..end].chunks_exact(2).map(byte_of));
        if !is_xxd && digits == 4 {
            listed[from..].reverse();
        }
        at = end;
        if is_last {
            break;
        }
    }
    work::note(at - start);
    (!listed.is_empty()).then_some((listed, at))
}

fn byte_of(digits: &[u8]) -> u8 {
    digits.iter().fold(0_u8, |value, digit| {
        let digit = char::from(*digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok()).unwrap_or(0);
        (value << 4) | digit
    })
}

/// `od -c`: each byte in four columns, those that are not seen by name or number.
fn read_characters(bytes: &[u8], start: usize) -> Option<(Vec<u8>, usize)> {
    let mut listed = Vec::new();
    let mut at = start;
    while let Some(cell) = bytes.get(at..at + CHARACTER_COLUMNS).filter(|_| listed.len() < LISTED_MAX_BYTES) {
        let byte = match cell {
            [b' ', b' ', b' ', byte] if !byte.is_ascii_whitespace() || *byte == b' ' => *byte,
            [b' ', b' ', b'\\', b'n'] => b'\n',
            [b' ', b' ', b'\\', b't'] => b'\t',
            [b' ', b' ', b'\\', _] | [b' ', b'0'..=b'3', b'0'..=b'7', b'0'..=b'7'] => b'\0',
            _ => break,
        };
        listed.push(byte);
        at += CHARACTER_COLUMNS;
    }
    work::note(at - start);
    (!listed.is_empty()).then_some((listed, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let listed: Vec<u8> = find(text.as_bytes()).iter().flat_map(|dump| dump.bytes().to_vec()).collect();
        assert_eq!(String::from_utf8_lossy(&listed), expect, "{text}");
    }

    #[test]
    fn listings_of_all_programs_are_read() {
        check(
            "00000000: 7365 6372 6574 3d61  secret=a\n00000008: 6263 0a              bc.\n",
            "secret=abc\n",
        );
        check(
            "00000000  73 65 63 72 65 74 3d 61  62 63 0a                 |secret=abc.|\n0000000b\n",
            "secret=abc\n",
        );
        check("0000000 6573 7263 7465 613d 6362 000a\n000000b\n", "secret=abc\n\0");
        check("0000000 73 65 63 72 65 74 3d 61 62 63 0a\n0000013\n", "secret=abc\n");
        check("0000000   s   e   c   r   e   t   =   a   b   c  \\n\n0000013\n", "secret=abc\n");
    }

    #[test]
    fn other_text_is_not() {
        for text in [
            "0000",
            "00000000",
            "100000 items",
            "1700000000: ok",
            "id 00000000-0000",
            "x = 0x00000000;",
            "000000: zero\n",
        ] {
            check(text, "");
        }
    }
}
