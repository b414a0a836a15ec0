//! Where a line or an address ends. Many anchors may stand before one end; it is looked for once.

use std::ops::Range;

use super::work;

/// The last end that was found.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// From where it was looked for, and where it is.
    known: Range<usize>,
    /// Whether nothing ended within the limit.
    is_cut: bool,
}

impl Reach {
    /// The first position from `start` on at which `ends` says so, `max` bytes away at most. Near a limit that
    /// an earlier anchor ran into, up to half of `max` may be missing.
    pub(super) fn end(
        &mut self,
        bytes: &[u8],
        start: usize,
        max: usize,
        ends: impl Fn(usize) -> bool,
    ) -> usize {
        let left = self.known.end.saturating_sub(start);
        let is_known = self.known.contains(&start) && (!self.is_cut || left >= max / 2);
        if !is_known {
            let limit = bytes.len().min(start + max);
            let found = (start..limit).find(|&at| ends(at));
            self.known = start..found.unwrap_or(limit);
            self.is_cut = found.is_none() && limit < bytes.len();
            work::note(self.known.len());
        }
        self.known.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_looked_for_once() {
        let bytes = b"aaaa;aaaa;";
        let mut reach = Reach::default();
        let mut end = |start| reach.end(bytes, start, 100, |at| bytes[at] == b';');
        assert_eq!(work::of(|| assert_eq!((end(0), end(2), end(3)), (4, 4, 4))), 4);
        assert_eq!((end(4), end(5), end(9)), (4, 9, 9));
    }

    #[test]
    fn a_limit_is_no_end_for_anchors_close_to_it() {
        let bytes = [b'a'; 100];
        let mut reach = Reach::default();
        let mut end = |start| reach.end(&bytes, start, 40, |_| false);
        assert_eq!((end(0), end(20), end(21)), (40, 40, 61));
    }
}
