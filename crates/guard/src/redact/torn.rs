//! Lines out of the middle of a private key: full lines of base64, one below the other, and no armour that says what they
//! are. Whoever reads a key from its fifth line on sees only these.
//!
//! Keys have lines of a fixed width, 64 characters or 70; mail and `base64` break at 76. Lines of a certificate look the
//! same. They are recognised by their armour; without it nobody can tell them from a key, and they are hidden too.

use std::ops::Range;

use super::armour::is_drawn;
use super::chars::{Class, contains};
use super::span::{Rank, Span};
use super::{base64, pem, work};

/// How wide the lines of keys are: PEM, OpenSSH.
const WIDTHS: [usize; 2] = [64, 70];
/// What may stand before such a line, in bytes: a number, the name of a file.
const MARGIN_MAX_BYTES: usize = 64;
/// How many `=` may end the last line.
const PADDING_MAX: usize = 2;
/// The marks of armour.
const BEGIN: &[u8] = b"-----BEGIN";
const END: &[u8] = b"-----END";
/// What says in the line above that something public follows: elements of XML, names of settings.
const PUBLIC: &[&str] = &["ertificate", "ignature", "igest", "ublic", "X509", "data:"];
/// What says beside a single line, in small letters, that it is one of a private key.
const PRIVATE: &[&str] = &[
    "private key",
    "private_key",
    "privatekey",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "id_dsa",
    ".key",
    "key.pem",
];
/// How much of a first line is decoded, in characters.
const SAMPLE_CHARS: usize = 48;
/// How files begin that are no keys.
const FILES: &[&[u8]] = &[
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"%PDF",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"RIFF",
    b"\x7fELF",
    b"\0asm",
    b"BZh",
    b"\x28\xb5\x2f\xfd",
    b"wOFF",
    b"wOF2",
    b"\x78\x9c",
    b"\x78\xda",
    b"\0\x01\0\0",
    b"OTTO",
    b"BM",
    b"ID3",
];
/// How much of the line above is looked at, in bytes.
const ABOVE_MAX_BYTES: usize = 256;

/// One line: where it begins, and the word that ends it.
struct KeyLine {
    start: usize,
    word: Range<usize>,
    /// The characters of the word, without its padding.
    width: usize,
}

/// The words of lines that stand together like those of a key.
pub(super) fn find(bytes: &[u8], spans: &mut Vec<Span>) {
    let mut block: Vec<KeyLine> = Vec::new();
    let mut marks = Marks::default();
    let mut at = 0;
    while at < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |offset| at + offset);
        let line = line(bytes, at..end);
        let width = block.last().map(|last| last.width);
        match line {
            Some(line) if WIDTHS.contains(&line.width) && width.is_none_or(|width| width == line.width) => {
                if is_drawn(&bytes[line.word.clone()]) {
                    block.push(line);
                } else {
                    close(bytes, &mut block, None, &mut marks, spans);
                }
            }
            other => close(bytes, &mut block, other, &mut marks, spans),
        }
        at = end + 1;
    }
    close(bytes, &mut block, None, &mut marks, spans);
}

/// The word that fills a line behind its margin.
fn line(bytes: &[u8], line: Range<usize>) -> Option<KeyLine> {
    let text = bytes[line.clone()].trim_ascii_end();
    let end = line.start + text.len();
    let padding = text.iter().rev().take(PADDING_MAX).take_while(|byte| **byte == b'=').count();
    let max = WIDTHS[1] + 1;
    let start = Class::BASE64.run_start(bytes, end - padding, max.min(text.len() - padding));
    let margin = &bytes[line.start..start];
    work::note(margin.len().min(MARGIN_MAX_BYTES));
    // A line that a diff adds.
    let is_added =
        start == line.start && bytes[start..end].starts_with(b"+") && WIDTHS.contains(&(end - start - 1));
    let start = start + usize::from(is_added);
    let width = end - padding - start;
    let is_named = || WIDTHS.contains(&width) && names_key(margin);
    let is_alone = || margin.len() <= MARGIN_MAX_BYTES && (is_margin(margin) || is_named());
    (width > 0 && is_alone()).then_some(KeyLine {
        start: line.start,
        word: start..end,
        width: width + padding,
    })
}

/// Nothing, a number, signs of a listing, or the name of a file with a colon.
fn is_margin(margin: &[u8]) -> bool {
    let ends_word = margin.last().is_none_or(|byte| !byte.is_ascii_alphanumeric());
    let is_of_program = |byte: &u8| b"\"'`=(){}[]<,;\\".contains(byte);
    let has_letters = margin.iter().any(u8::is_ascii_alphabetic);
    ends_word && !margin.iter().any(is_of_program) && (!has_letters || margin.ends_with(b":"))
}

/// `private key body …`
fn names_key(margin: &[u8]) -> bool {
    let lower = margin.to_ascii_lowercase();
    PRIVATE.iter().any(|word| contains(&lower, word.as_bytes()))
}

/// Ends a block; `rest` is the line behind it.
fn close(
    bytes: &[u8],
    block: &mut Vec<KeyLine>,
    rest: Option<KeyLine>,
    marks: &mut Marks,
    spans: &mut Vec<Span>,
) {
    let lines = std::mem::take(block);
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return };
    let rest = rest.filter(|rest| rest.width < last.width && same_margin(bytes, last, rest));
    let is_last = rest.as_ref().is_some_and(|rest| bytes[rest.word.clone()].ends_with(b"="));
    let is_known = begins_something_else(&bytes[first.word.clone()])
        || marks.are_around(bytes, first.start, last.word.end)
        || is_public(bytes, first.start);
    let is_alone = lines.len() < 2 && !is_last;
    if is_known || (is_alone && !is_told(bytes, first)) {
        return;
    }
    let words = lines.iter().chain(rest.as_ref()).map(|line| line.word.clone());
    spans.extend(words.map(|word| Span {
        start: word.start,
        end: word.end,
        rule: "private-key",
        rank: Rank::Formed,
    }));
}

/// Whether the words before a line, or the line above it, say that it is one of a private key.
fn is_told(bytes: &[u8], line: &KeyLine) -> bool {
    let above = line_above(bytes, line.start);
    let texts = [&bytes[line.start..line.word.start], above];
    texts.iter().any(|text| {
        let text = text.to_ascii_lowercase();
        names_key(&text) && !contains(&text, b"cert")
    })
}

/// The line above the one that begins at `start`, as far as it is looked at.
fn line_above(bytes: &[u8], start: usize) -> &[u8] {
    let above = bytes[start.saturating_sub(ABOVE_MAX_BYTES)..start].trim_ascii_end();
    work::note(above.len());
    above.rsplit(|byte| *byte == b'\n').next().unwrap_or_default()
}

/// Whether a first line is that of a certificate, a public key, a picture, an archive or a text, seen from its beginning.
fn begins_something_else(word: &[u8]) -> bool {
    let Some(plain) = base64::decode(&word[..SAMPLE_CHARS.min(word.len())]) else { return false };
    let is_der = matches!(plain.as_slice(), [0x30, 0x81 | 0x82, ..]);
    let is_text = plain.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    let is_file = FILES.iter().any(|beginning| plain.starts_with(beginning));
    is_text || is_file || (is_der && !pem::is_private(&plain))
}

/// Whether both lines end their margin with the same sign, or have none.
fn same_margin(bytes: &[u8], one: &KeyLine, other: &KeyLine) -> bool {
    let last = |line: &KeyLine| bytes[line.start..line.word.start].last().copied();
    last(one) == last(other)
}

/// Where armour begins and ends in a text; looked for when the first lines are found.
#[derive(Default)]
struct Marks(Option<[Vec<usize>; 2]>);

impl Marks {
    /// Whether the lines between two places stand in armour, or what is left of it.
    fn are_around(&mut self, bytes: &[u8], start: usize, end: usize) -> bool {
        let [begins, ends] = self.0.get_or_insert_with(|| {
            work::note(2 * bytes.len());
            [BEGIN, END].map(|mark| memchr::memmem::find_iter(bytes, mark).collect())
        });
        let last = |marks: &[usize]| marks[..marks.partition_point(|at| *at < start)].last().copied();
        let next = |marks: &[usize]| marks.get(marks.partition_point(|at| *at < end)).copied();
        let is_begun = last(begins).is_some_and(|begin| last(ends).is_none_or(|end| end < begin));
        let is_ended = next(ends).is_some_and(|end| next(begins).is_none_or(|begin| end < begin));
        is_begun || is_ended
    }
}

/// Whether the line above says that something public follows.
fn is_public(bytes: &[u8], start: usize) -> bool {
    let above = line_above(bytes, start);
    PUBLIC.iter().any(|word| contains(above, word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "q3J9xY1sT5uW8zA4bC6dE7fGhI0kLmN2oPqR9sTuVw3xYz5AbCd7EfGh1IjKl+/4";

    fn hidden(text: &str) -> String {
        let mut spans = Vec::new();
        find(text.as_bytes(), &mut spans);
        super::super::span::replaced(text, spans)
    }

    #[test]
    fn full_lines_that_stand_together_go_with_their_rest() {
        let gone = "[REDACTED:private-key]";
        assert_eq!(hidden(&format!("{LINE}\n{LINE}\n")), format!("{gone}\n{gone}\n"));
        assert_eq!(
            hidden(&format!("     5→{LINE}\n     6→{LINE}\n     7→AbCd\n")),
            format!("     5→{gone}\n     6→{gone}\n     7→{gone}\n")
        );
        assert_eq!(hidden(&format!("k:{LINE}\nk:{LINE}\nmore\n")), format!("k:{gone}\nk:{gone}\nmore\n"));
        assert_eq!(hidden(&format!("{LINE}\nAbCdEf==\n")), format!("{gone}\n{gone}\n"));
    }

    #[test]
    fn one_line_or_other_widths_or_armour_of_something_else_stay() {
        let hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
        for text in [
            format!("{LINE}\n"),
            format!("{LINE}abcdefghijkl\n{LINE}abcdefghijkl\n"),
            format!("{hash}\n{hash}\n"),
            format!("\"{LINE}\"\n\"{LINE}\"\n"),
            format!("-----BEGIN CERTIFICATE-----\n{LINE}\n{LINE}\n-----END CERTIFICATE-----\n"),
            format!("<ds:X509Certificate>\n{LINE}\n{LINE}\n"),
            format!("MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkq{}\n{LINE}\n", &LINE[32..]),
            format!("iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB{}\n{LINE}\n", &LINE[32..]),
        ] {
            assert_eq!(hidden(&text), text);
        }
    }
}
