//! The part of an output stream that is kept: its beginning and its end.

use std::collections::VecDeque;

/// How much of a word that the gap tore in two is left out with it, in bytes. Half a token would not be recognised as
/// one, and so would be kept where tokens are hidden.
const TORN_MAX_BYTES: usize = 1024;

/// What is kept of one output stream. Memory is bounded by the two limits, whatever the program writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_max_bytes: usize,
    tail_max_bytes: usize,
    dropped_bytes: u64,
    reached_end: bool,
}

impl Captured {
    /// Nothing yet.
    pub fn new(head_max_bytes: usize, tail_max_bytes: usize) -> Self {
        Self { head_max_bytes, tail_max_bytes, ..Self::default() }
    }

    /// A stream that was read to its end and held this; for stand-ins of a real run.
    pub fn whole(bytes: impl Into<Vec<u8>>) -> Self {
        let head = bytes.into();
        Self { head_max_bytes: head.len(), head, reached_end: true, ..Self::default() }
    }

    /// Takes the next piece of the stream.
    pub fn push(&mut self, piece: &[u8]) {
        let room = self.head_max_bytes - self.head.len();
        let (first, rest) = piece.split_at(room.min(piece.len()));
        self.head.extend_from_slice(first);
        let kept = &rest[rest.len().saturating_sub(self.tail_max_bytes)..];
        let surplus = (self.tail.len() + kept.len()).saturating_sub(self.tail_max_bytes);
        self.tail.drain(..surplus);
        self.tail.extend(kept);
        self.dropped_bytes += (surplus + rest.len() - kept.len()) as u64;
    }

    /// Notes that the stream ended; without it somebody outside the run still held it open.
    pub(crate) fn mark_end(&mut self) {
        self.reached_end = true;
    }

    /// How many bytes between the beginning and the end were not kept.
    pub fn dropped_bytes(&self) -> u64 {
        self.dropped_bytes
    }

    /// How many bytes were written in all.
    pub fn total_bytes(&self) -> u64 {
        self.dropped_bytes + (self.head.len() + self.tail.len()) as u64
    }

    /// Whether the stream was read to its end.
    pub fn reached_end(&self) -> bool {
        self.reached_end
    }

    /// The bytes, when all of them were kept.
    pub fn complete_bytes(&self) -> Option<Vec<u8>> {
        (self.dropped_bytes == 0).then(|| self.head.iter().chain(&self.tail).copied().collect())
    }

    /// The text for a person: invalid UTF-8 replaced, a mark where bytes were left out.
    pub fn text_lossy(&self) -> String {
        if let Some(bytes) = self.complete_bytes() {
            return lossy(&bytes);
        }
        let tail = self.tail_bytes();
        let head_end = self.head.len() - torn_bytes(self.head.iter().rev());
        let tail_start = torn_bytes(tail.iter());
        let left_out = self.dropped_bytes + (self.head.len() - head_end + tail_start) as u64;
        let gap = format!("\n[... {left_out} bytes left out ...]\n");
        lossy(&self.head[..head_end]) + &gap + &lossy(&tail[tail_start..])
    }

    /// The last line that is not blank, trimmed. `None` when there is none, or when its beginning was
    /// not kept: half a line must not be taken for a result.
    pub fn last_line_lossy(&self) -> Option<String> {
        let complete = self.complete_bytes();
        let starts_whole = complete.is_some();
        let text = lossy(&complete.unwrap_or_else(|| self.tail_bytes()));
        let body = text.trim_end();
        match body.rfind('\n') {
            Some(newline) => Some(body[newline..].trim().to_owned()),
            None if starts_whole && !body.trim().is_empty() => Some(body.trim().to_owned()),
            None => None,
        }
    }

    fn tail_bytes(&self) -> Vec<u8> {
        self.tail.iter().copied().collect()
    }
}

/// How many bytes belong to the word at the gap. A text without blanks gives up no more than the limit.
fn torn_bytes<'a>(from_gap: impl Iterator<Item = &'a u8>) -> usize {
    from_gap.take(TORN_MAX_BYTES).take_while(|byte| !byte.is_ascii_whitespace()).count()
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pieces: &[&str], text: &str, last_line: Option<&str>) {
        let mut captured = Captured::new(/*head_max_bytes*/ 4, /*tail_max_bytes*/ 6);
        for piece in pieces {
            captured.push(piece.as_bytes());
        }
        assert_eq!(captured.text_lossy(), text);
        assert_eq!(captured.last_line_lossy().as_deref(), last_line);
        assert_eq!(captured.total_bytes(), pieces.iter().map(|piece| piece.len() as u64).sum::<u64>());
    }

    #[test]
    fn short_output_is_kept_whole() {
        check(&[], "", None);
        check(&["ab"], "ab", Some("ab"));
        check(&["abcd", "efghij"], "abcdefghij", Some("abcdefghij"));
        check(&["a\n", "b\n", " \n"], "a\nb\n \n", Some("b"));
    }

    #[test]
    fn long_output_keeps_its_beginning_and_its_end() {
        check(&["ab\ncdefghi\n"], "ab\n\n[... 7 bytes left out ...]\n\n", None);
        check(&["abc\nefgh", "i", "j\nOK\n"], "abc\n\n[... 6 bytes left out ...]\n\nOK\n", Some("OK"));
        check(&["abc\n", "12\n34\n", "x\n"], "abc\n\n[... 2 bytes left out ...]\n\n34\nx\n", Some("x"));
    }

    #[test]
    fn a_token_that_the_gap_tears_in_two_is_left_out_whole() {
        let mut captured = Captured::new(/*head_max_bytes*/ 100, /*tail_max_bytes*/ 100);
        captured.push(format!("{}ghp_0123{}6789 end\n", "a ".repeat(48), "x".repeat(300)).as_bytes());
        let text = captured.text_lossy();
        assert!(text.starts_with("a a ") && text.ends_with(" end\n"), "{text}");
        assert!(!text.contains("0123") && !text.contains("6789"), "{text}");
        assert_eq!(captured.total_bytes(), 96 + 8 + 300 + 9);
    }

    #[test]
    fn half_a_line_is_not_taken_for_the_last_line() {
        check(&["abcdefg UPDATED: x"], "\n[... 16 bytes left out ...]\n x", None);
    }

    #[test]
    fn a_character_across_head_and_tail_survives() {
        check(&["abc\u{e9}!"], "abc\u{e9}!", Some("abc\u{e9}!"));
    }

    #[test]
    fn invalid_utf8_is_replaced_when_shown_and_kept_as_bytes() {
        let mut captured = Captured::new(8, 8);
        captured.push(b"a\xffb");
        assert_eq!(captured.text_lossy(), "a\u{fffd}b");
        assert_eq!(captured.complete_bytes().as_deref(), Some(&b"a\xffb"[..]));
    }

    #[test]
    fn memory_stays_bounded_by_the_limits() {
        let mut captured = Captured::new(1024, 4096);
        for _ in 0..1000 {
            captured.push(&[b'x'; 65_536]);
        }
        assert!(captured.head.capacity() <= 2 * 1024);
        assert!(captured.tail.capacity() <= 4 * 4096);
        assert_eq!(captured.dropped_bytes(), 65_536_000 - 1024 - 4096);
    }
}
