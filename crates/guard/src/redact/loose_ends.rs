//! Secrets of several lines that may go on behind a margin, or were written with escapes: the lines around each of them are looked
//! at once more, as they are meant to be read.

use std::ops::Range;

use super::margin::{self, Direction};
use super::span::{Span, between_quotes};
use super::view::View;
use super::{columns, disguise};

/// How far before a loose end its escapes are taken away, in bytes.
const UNESCAPED_BEFORE_BYTES: usize = 8 * 1024;

/// A secret of several lines that may go on behind a margin, or was written with escapes.
#[derive(Debug, Clone, Copy)]
pub(super) struct LooseEnd {
    pub(super) at: usize,
    pub(super) direction: Direction,
}

/// What `scan` finds in the lines around each loose end. No part of the text is looked at twice.
pub(super) fn follow(
    bytes: &[u8],
    mut ends: Vec<LooseEnd>,
    scan: impl Fn(&View) -> Vec<Span>,
    spans: &mut Vec<Span>,
) {
    ends.sort_unstable_by_key(|end| end.at);
    let mut seen_until = 0;
    for end in ends {
        if end.at < seen_until {
            continue;
        }
        let line = margin::line_around(bytes, end.at, seen_until);
        let mut next_seen = line.end;
        if let Some(part) = escaped_part(bytes, end, &line) {
            let found = scan(&disguise::unescaped(bytes, part));
            spans.extend(found.into_iter().flat_map(|span| between_quotes(bytes, span)));
        }
        let column = columns::of_key(bytes, end.at, line.clone());
        let listing = margin::without_margin(bytes, end.at, line, seen_until, end.direction);
        for (view, part) in column.into_iter().chain(listing) {
            spans.extend(scan(&view));
            next_seen = next_seen.max(part.end);
        }
        seen_until = next_seen;
    }
}

/// The part of a line around a loose end, if line ends are written out in it.
fn escaped_part(bytes: &[u8], end: LooseEnd, line: &Range<usize>) -> Option<Range<usize>> {
    let start = line.start.max(end.at.saturating_sub(UNESCAPED_BEFORE_BYTES));
    let searched = match end.direction {
        Direction::Down => end.at..line.end,
        Direction::Up => start..end.at,
        Direction::Both => start..line.end,
    };
    memchr::memmem::find(&bytes[searched], b"\\n").map(|_| start..line.end)
}
