//! A private key in one of the two columns of a `diff -y`.

use std::ops::Range;

use super::chars::{Class, has_at};
use super::margin::line_around;
use super::pem;
use super::view::View;

/// How the lines of a key begin and end.
const BEGIN: &[u8] = b"-----BEGIN";
const END: &[u8] = b"-----END";

/// The column that a key stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Left,
    Right,
}

/// The column of the key that begins at `at` on the `line`, and which part of the text it was taken from.
pub(super) fn of_key(bytes: &[u8], at: usize, line: Range<usize>) -> Option<(View, Range<usize>)> {
    has_at(bytes, at, BEGIN).then_some(())?;
    let column = Column::at(bytes, at, &line)?;
    let part_start = line.start;
    let mut view = View::default();
    let mut next = line;
    let mut text = at..column.text(bytes, next.clone()).end.max(at);
    loop {
        // What stands in the other column becomes part of the line break, and so is hidden within a key.
        view.keep(bytes, text.clone());
        view.put(b"\n", text.end..next.end);
        if next.end >= bytes.len() || bytes[text.clone()].starts_with(END) {
            break;
        }
        let line = line_around(bytes, next.end + 1, next.end + 1);
        text = column.text(bytes, line.clone());
        if !is_of_key(&bytes[text.clone()]) {
            break;
        }
        next = line;
    }
    Some((view, part_start..next.end))
}

fn is_of_key(text: &[u8]) -> bool {
    Class::BASE64.or(Class::EQUALS).has_all(text)
        || text.starts_with(END)
        || pem::header_line(text, 0).is_some()
}

impl Column {
    /// The column of the text at `at`, if its line has two.
    fn at(bytes: &[u8], at: usize, line: &Range<usize>) -> Option<Self> {
        let behind = &bytes[at..line.end];
        if first_gutter(behind).is_some()
            || memchr::memmem::rfind(behind, BEGIN).is_some_and(|second| second > 0)
        {
            return Some(Self::Left);
        }
        let before = bytes[line.start..at].trim_ascii_end();
        (before.len() < at - line.start && last_gutter(before).is_some_and(|sign| sign + 1 == before.len()))
            .then_some(Self::Right)
    }

    /// What stands in the column on a line. Lines that are the same in both have no sign between them.
    fn text(self, bytes: &[u8], line: Range<usize>) -> Range<usize> {
        let text = &bytes[line.clone()];
        match self {
            Self::Left => {
                let is_wide = |pair: &[u8]| pair[0] == b'\t' || pair == b"  ";
                let end =
                    first_gutter(text).or_else(|| text.windows(2).position(is_wide)).unwrap_or(text.len());
                line.start..line.start + text[..end].trim_ascii_end().len()
            }
            Self::Right => {
                let same =
                    || memchr::memmem::rfind(text, END).or_else(|| memchr::memrchr2(b' ', b'\t', text));
                let start = last_gutter(text).map(|sign| sign + 1).or_else(same).unwrap_or(0);
                let end = line.start + text.trim_ascii_end().len();
                let blanks = text[start..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                (line.start + start + blanks).min(end)..end
            }
        }
    }
}

/// Whether a sign between two columns stands at `at`: changed, only left, only right. A key has none of them.
fn is_gutter(line: &[u8], at: usize) -> bool {
    let is_blank = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
    is_blank(line[..at].last()) && is_blank(line.get(at + 1))
}

fn first_gutter(line: &[u8]) -> Option<usize> {
    memchr::memchr3_iter(b'|', b'<', b'>', line).find(|&at| is_gutter(line, at))
}

fn last_gutter(line: &[u8]) -> Option<usize> {
    memchr::memrchr3_iter(b'|', b'<', b'>', line).find(|&at| is_gutter(line, at))
}
