//! A text as it is meant to be read, without what stands in the way of reading it: line numbers, escapes,
//! colours. Rules look at the view, and what they find is hidden in the text itself.

use std::ops::Range;

use super::span::Span;

/// Parts of a text, decoded, and where each of them stands in it.
#[derive(Debug, Default)]
pub(super) struct View {
    bytes: Vec<u8>,
    /// Where a part begins in the view and in the text, in order.
    parts: Vec<(usize, usize)>,
    /// Where the last part ends in the text.
    source_end: usize,
}

impl View {
    /// Adds a part of the text as it is.
    pub(super) fn keep(&mut self, source: &[u8], part: Range<usize>) {
        if !self.goes_on_at(part.start) {
            self.parts.push((self.bytes.len(), part.start));
        }
        self.bytes.extend_from_slice(&source[part.clone()]);
        self.source_end = part.end;
    }

    /// Adds what a part of the text stands for.
    pub(super) fn put(&mut self, decoded: &[u8], part: Range<usize>) {
        self.parts.push((self.bytes.len(), part.start));
        self.bytes.extend_from_slice(decoded);
        self.source_end = part.end;
    }

    fn goes_on_at(&self, source_start: usize) -> bool {
        self.parts.last().is_some_and(|(view, source)| {
            source + (self.bytes.len() - view) == source_start && self.source_end == source_start
        })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A finding in the view as a finding in the text.
    pub(super) fn span_in_text(&self, span: Span) -> Span {
        Span { start: self.source_of(span.start), end: self.source_of(span.end), ..span }
    }

    fn source_of(&self, at: usize) -> usize {
        if at >= self.bytes.len() {
            return self.source_end;
        }
        let part = self.parts.partition_point(|(view, _)| *view <= at);
        self.parts.get(part.wrapping_sub(1)).map_or(0, |(view, source)| source + (at - view))
    }
}

#[cfg(test)]
mod tests {
    use super::super::span::Rank;
    use super::*;

    #[test]
    fn a_finding_covers_what_was_left_out_within_it() {
        let text = b"1 abc\n2 def\n3 ghi";
        let mut view = View::default();
        for part in [2..6, 8..12, 14..17] {
            view.keep(text, part);
        }
        assert_eq!(view.bytes(), b"abc\ndef\nghi");
        let found = |start, end| {
            let span = view.span_in_text(Span { start, end, rule: "x", rank: Rank::Formed });
            std::str::from_utf8(&text[span.start..span.end]).unwrap()
        };
        assert_eq!(found(0, 3), "abc");
        assert_eq!(found(1, 6), "bc\n2 de");
        assert_eq!(found(8, 11), "ghi");
    }

    #[test]
    fn a_finding_covers_escapes_whole() {
        let mut view = View::default();
        view.keep(b"ab\\u0063d", 0..2);
        view.put(b"c", 2..8);
        view.keep(b"ab\\u0063d", 8..9);
        assert_eq!(view.bytes(), b"abcd");
        let span = |start, end| view.span_in_text(Span { start, end, rule: "x", rank: Rank::Formed });
        assert_eq!((span(2, 3).start, span(2, 3).end), (2, 8));
        assert_eq!((span(0, 4).start, span(0, 4).end), (0, 9));
    }
}
