//! The lines of a private key, whatever stands around them: a log in JSON, the cells of a table, `echo "…" >> file`.
//!
//! `pem` and `margin` know how keys are usually shown. Here only two things count: a line stands between the `BEGIN` and
//! the `END` of a private key, or right beside one of them, and holds a word that was drawn. Every part of a text belongs
//! to one stretch between two such marks and is read once.

use std::ops::Range;

use super::chars::Class;
use super::random::Makeup;
use super::span::{Rank, Span};
use super::work;

/// How far the two ends of a key may be apart, in bytes. Keys are shorter, but what stands around each line is not.
const STRETCH_MAX_BYTES: usize = 256 * 1024;
/// A word of a key is at least this long where both ends are seen, in bytes.
const WORD_MIN_BYTES: usize = 16;
/// The same where only one end is seen.
const LONE_WORD_MIN_BYTES: usize = 40;
/// From this length on a word of letters in both cases and digits is drawn, however it is made up.
const SURE_WORD_BYTES: usize = 40;
/// A line of this many groups of the same length is one word with blanks in it.
const GROUPS_MIN: usize = 4;
/// The longest of such groups, in bytes.
const GROUP_MAX_BYTES: usize = 16;
/// The longest rest of a key that need not look drawn, in bytes: a line of a narrow listing.
const REST_MAX_BYTES: usize = 80;
/// A word with `=` behind it is one of a key from this length on, in bytes.
const PADDED_MIN_BYTES: usize = 8;
/// The shortest word that fills its line and gives something away, in bytes.
const LONE_MIN_BYTES: usize = 4;
/// How many `=` may end a word.
const PADDING_MAX: usize = 2;

/// Which end of a key a mark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    First,
    Last,
}

/// The first or the last line of a key in a text.
#[derive(Debug, Clone)]
struct Mark {
    at: Range<usize>,
    end: End,
    rule: &'static str,
}

/// The ends of keys in a text, in their order.
#[derive(Debug, Default)]
pub(super) struct Armour {
    marks: Vec<Mark>,
}

impl Armour {
    /// A key begins behind `at`.
    pub(super) fn begins(&mut self, at: Range<usize>, rule: &'static str) {
        self.marks.push(Mark { at, end: End::First, rule });
    }

    /// A key ends before `at`.
    pub(super) fn ends(&mut self, at: Range<usize>, rule: &'static str) {
        self.marks.push(Mark { at, end: End::Last, rule });
    }

    /// The words of the keys.
    pub(super) fn find(&self, bytes: &[u8], spans: &mut Vec<Span>) {
        for (index, mark) in self.marks.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|before| self.marks.get(before));
            let next = self.marks.get(index + 1);
            let is_pair = |first: &Mark, last: &Mark| {
                (first.end, last.end) == (End::First, End::Last)
                    && last.at.start.saturating_sub(first.at.end) <= STRETCH_MAX_BYTES
            };
            let mut words = Words { bytes, rule: mark.rule, around: None, spans };
            let below = mark.at.end..next.map_or(bytes.len(), |next| next.at.start.max(mark.at.end));
            let above = before.map_or(0, |before| before.at.end.min(mark.at.start))..mark.at.start;
            match mark.end {
                End::First if next.is_some_and(|next| is_pair(mark, next)) => words.all_in(below),
                End::Last if before.is_some_and(|before| is_pair(before, mark)) => {
                    // Sorted lines: the two ends stand together.
                    if is_empty(&bytes[above]) {
                        words.below(below);
                    }
                }
                // The other end is missing, or the lines are in the opposite order.
                End::First => {
                    words.below(below);
                    if before.is_some_and(|before| before.end == End::Last) {
                        words.above(above);
                    }
                }
                End::Last => {
                    words.above(above);
                    if next.is_some_and(|next| next.end == End::First) {
                        words.below(below);
                    }
                }
            }
        }
    }
}

/// What stood around the last word that was found: the byte before it, and the rest of its line.
#[derive(Debug, Clone, Copy)]
struct Around<'a> {
    before: Option<u8>,
    behind: &'a [u8],
}

/// Looks for the words of one key.
struct Words<'a, 'b> {
    bytes: &'a [u8],
    rule: &'static str,
    around: Option<Around<'a>>,
    spans: &'b mut Vec<Span>,
}

impl Words<'_, '_> {
    /// All words of a stretch that has both its ends.
    fn all_in(&mut self, stretch: Range<usize>) {
        let mut start = stretch.start;
        while start < stretch.end {
            let line = start..self.line_end(start, stretch.end);
            start = line.end + 1;
            if !self.find_on(line.clone(), WORD_MIN_BYTES) && !self.find_rest(line.clone()) {
                self.find_lone(line);
            }
        }
    }

    /// A line between both ends that is nothing but one word, such as the end of a line that a terminal has broken. It need
    /// not look drawn, only not be written by hand.
    fn find_lone(&mut self, line: Range<usize>) {
        let text = self.bytes[line.clone()].trim_ascii();
        let start =
            line.start + self.bytes[line].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let is_of_key = Class::BASE64.or(Class::EQUALS).has_all(text);
        let small = text.iter().filter(|byte| byte.is_ascii_lowercase()).count();
        let capitals = text.iter().filter(|byte| byte.is_ascii_uppercase()).count();
        let is_name =
            small == text.len() || capitals == text.len() || (capitals == 1 && small + 1 == text.len());
        if is_of_key && !is_name && (LONE_MIN_BYTES..=REST_MAX_BYTES).contains(&text.len()) {
            self.add(start..start + text.len());
        }
    }

    /// The lines behind the first one, as long as each holds a word.
    fn below(&mut self, stretch: Range<usize>) {
        let limit = stretch.end.min(stretch.start.saturating_add(STRETCH_MAX_BYTES));
        let first_end = self.line_end(stretch.start, limit);
        self.find_on(stretch.start..first_end, LONE_WORD_MIN_BYTES);
        let mut start = first_end + 1;
        while start < limit {
            let line = start..self.line_end(start, limit);
            start = line.end + 1;
            if !self.find_on(line.clone(), LONE_WORD_MIN_BYTES) {
                self.find_rest(line);
                break;
            }
        }
    }

    /// The same upwards. The line above the last one is shorter than the others, and need not look drawn.
    fn above(&mut self, stretch: Range<usize>) {
        let from = stretch.start.max(stretch.end.saturating_sub(STRETCH_MAX_BYTES));
        let mut end = stretch.end;
        for count in 0.. {
            let start = self.line_start(end, from);
            let min_bytes = if count < 2 { WORD_MIN_BYTES } else { LONE_WORD_MIN_BYTES };
            let is_found = self.find_on(start..end, min_bytes);
            if (!is_found && count >= 2) || start == from {
                break;
            }
            end = start - 1;
        }
    }

    /// Where a line ends. One that is continued with a backslash goes on.
    fn line_end(&self, start: usize, limit: usize) -> usize {
        let is_end = |at: &usize| *at == 0 || self.bytes[at - 1] != b'\\';
        memchr::memchr_iter(b'\n', &self.bytes[start..limit])
            .map(|offset| start + offset)
            .find(is_end)
            .unwrap_or(limit)
    }

    fn line_start(&self, end: usize, from: usize) -> usize {
        let is_end = |at: &usize| *at == 0 || self.bytes[at - 1] != b'\\';
        memchr::memrchr_iter(b'\n', &self.bytes[from..end])
            .map(|offset| from + offset)
            .find(is_end)
            .map_or(from, |at| at + 1)
    }

    /// Hides the drawn words of a line, and says whether there were any.
    fn find_on(&mut self, line: Range<usize>, min_bytes: usize) -> bool {
        work::note(line.len());
        let mut at = line.start;
        let mut is_found = false;
        while at < line.end {
            let end = word_end(self.bytes, at, line.end);
            if end == at {
                at += 1;
                continue;
            }
            let word = &self.bytes[at..end];
            let is_long = word.len() >= min_bytes;
            let is_near_end = min_bytes == WORD_MIN_BYTES;
            if (is_long && is_drawn(word)) || (is_near_end && is_last_word(word, is_long)) {
                let before = (at > line.start).then(|| self.bytes[at - 1]);
                self.around = Some(Around { before, behind: &self.bytes[end..line.end] });
                self.add(at..end);
                is_found = true;
            }
            at = end;
        }
        is_found || self.find_groups(line)
    }

    /// `b3Bl bnNz aC1r`: a word with a blank behind every so many characters.
    fn find_groups(&mut self, line: Range<usize>) -> bool {
        let text = self.bytes[line.clone()].trim_ascii_end();
        let groups: Vec<&[u8]> =
            text.rsplit(|byte| *byte == b' ').take_while(|group| is_group(group)).collect();
        let Some(len) = groups.get(1).map(|group| group.len()).filter(|len| *len > 1) else { return false };
        let count = 1 + groups[1..].iter().take_while(|group| group.len() == len).count();
        let word = groups[..count].concat();
        let fits = count >= GROUPS_MIN && groups[0].len() <= len && is_drawn(&word);
        if fits {
            let bytes = word.len() + count - 1;
            self.add(line.start + text.len() - bytes..line.start + text.len());
        }
        fits
    }

    /// The end of a key may be too short to look drawn: what stands where the word of the line before stood.
    fn find_rest(&mut self, line: Range<usize>) -> bool {
        let Some(around) = self.around else { return false };
        let Some(text) = self.bytes[line.clone()].strip_suffix(around.behind) else { return false };
        let end = line.start + text.len();
        let digits = text.len() - text.iter().rev().take_while(|byte| **byte == b'=').count();
        let start = Class::BASE64.run_start(self.bytes, line.start + digits, REST_MAX_BYTES);
        let before = (start > line.start).then(|| self.bytes[start.max(1) - 1]);
        let is_rest = start < end && start >= line.start && before == around.before;
        if is_rest {
            self.add(start..end);
        }
        is_rest
    }

    fn add(&mut self, word: Range<usize>) {
        self.spans.push(Span { start: word.start, end: word.end, rule: self.rule, rank: Rank::Formed });
    }
}

/// Whether nothing but the end of a line stands between the two ends of a key.
fn is_empty(stretch: &[u8]) -> bool {
    memchr::memchr_iter(b'\n', stretch).take(2).count() < 2 && stretch.len() < SURE_WORD_BYTES
}

fn word_end(bytes: &[u8], at: usize, limit: usize) -> usize {
    let end = Class::BASE64.run_end(bytes, at, limit - at);
    if end == at { at } else { Class::EQUALS.run_end(bytes, end, PADDING_MAX.min(limit - end)) }
}

/// The last line of a key is shorter than the others, and by chance may look like a name; but it is padded, or has capitals,
/// small letters and digits.
fn is_last_word(word: &[u8], is_long: bool) -> bool {
    let makeup = Makeup::of(word);
    let is_mixed = makeup.upper >= 2 && makeup.lower >= 2;
    let is_padded = word.ends_with(b"=") && word.len() >= PADDED_MIN_BYTES;
    is_mixed && (is_padded || (is_long && makeup.digits > 0))
}

fn is_group(group: &[u8]) -> bool {
    (1..=GROUP_MAX_BYTES).contains(&group.len()) && Class::BASE64.or(Class::EQUALS).has_all(group)
}

/// Whether a word was drawn, and is no hash: base64 has letters of both sizes.
pub(super) fn is_drawn(word: &[u8]) -> bool {
    let makeup = Makeup::of(word);
    let is_sure =
        word.len() >= SURE_WORD_BYTES && makeup.digits >= 2 && makeup.upper >= 3 && makeup.lower >= 3;
    makeup.upper > 0 && makeup.lower > 0 && (is_sure || makeup.is_random())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "MIIEpAIBAAKCAQEA7vB2kZ0pq3J9xY1sT5uW8zA4bC6dE7fG";

    fn hidden(text: &str, begin: Option<&str>, end: Option<&str>) -> String {
        let mut armour = Armour::default();
        let place = |mark: &str| text.find(mark).map(|at| at..at + mark.len()).unwrap();
        begin.into_iter().for_each(|mark| armour.begins(place(mark), "x"));
        end.into_iter().for_each(|mark| armour.ends(place(mark), "x"));
        let mut spans = Vec::new();
        armour.find(text.as_bytes(), &mut spans);
        super::super::span::replaced(text, spans)
    }

    #[test]
    fn words_between_both_ends_go_and_what_is_around_them_stays() {
        let text = format!("<b>FIRST</b>\n<b>{LINE}</b>\n[info] done\n<b>hI0=</b>\n<b>LAST</b>\n{LINE}");
        let expect = "<b>FIRST</b>\n<b>[REDACTED:x]</b>\n[info] done\n<b>[REDACTED:x]</b>\n<b>LAST</b>\n";
        assert_eq!(hidden(&text, Some("FIRST"), Some("LAST")), format!("{expect}{LINE}"));
    }

    #[test]
    fn one_end_tells_of_the_lines_beside_it() {
        let below = format!("FIRST;\n\"{LINE}\" +\n\"hI0=\" +\n\"{LINE}\"");
        let expect = "FIRST;\n\"[REDACTED:x]\" +\n\"[REDACTED:x]\" +\n";
        assert_eq!(hidden(&below, Some("FIRST"), None), format!("{expect}\"{LINE}\""));
        let above = format!("{LINE};\nprose\n{LINE};\n{LINE};\nLAST");
        let expect = format!("{LINE};\nprose\n[REDACTED:x];\n[REDACTED:x];\nLAST");
        assert_eq!(hidden(&above, None, Some("LAST")), expect);
    }

    #[test]
    fn a_word_may_stand_in_groups() {
        let groups: Vec<&str> = (0..LINE.len() / 4).map(|at| &LINE[4 * at..4 * at + 4]).collect();
        let text = format!("FIRST\n{}\nLAST", groups.join(" "));
        assert_eq!(hidden(&text, Some("FIRST"), Some("LAST")), "FIRST\n[REDACTED:x]\nLAST");
        let prose = "FIRST\nthat code then does this once more\nLAST";
        assert_eq!(hidden(prose, Some("FIRST"), Some("LAST")), prose);
    }
}
