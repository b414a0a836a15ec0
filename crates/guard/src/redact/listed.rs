//! Private keys, also those of PuTTY, written byte by byte: `2d2d2d…`, `<Buffer 2d 2d …`, `0x2d, 0x2d, …`, `[45, 45, …`.

use std::ops::Range;

use super::chars::Class;
use super::span::{Rank, Span};
use super::work;

/// `-----BEGIN` and `PuTTY-User` in each of these forms, as anchors.
pub(super) const BEGINNINGS: &[&str] = &[
    "2d2d2d2d2d424547494e",
    "2d 2d 2d 2d 2d 42 45 47 49 4e",
    "2d:2d:2d:2d:2d:42:45:47:49:4e",
    "0x2d, 0x2d, 0x2d, 0x2d, 0x2d, 0x42",
    "0x2d,0x2d,0x2d,0x2d,0x2d,0x42",
    "45, 45, 45, 45, 45, 66, 69, 71, 73, 78",
    "45,45,45,45,45,66,69,71,73,78",
    "45 45 45 45 45 66 69 71 73 78",
    "50755454592d55736572",
    "50 75 54 54 59 2d 55 73 65 72",
    "50:75:54:54:59:2d:55:73:65:72",
    "0x50, 0x75, 0x54, 0x54, 0x59, 0x2d",
    "0x50,0x75,0x54,0x54,0x59,0x2d",
    "80, 117, 84, 84, 89, 45, 85",
    "80,117,84,84,89,45,85",
    "80 117 84 84 89 45 85",
];
/// How a key of PuTTY begins.
const PUTTY_FILE: &[u8] = b"PuTTY-User-Key-File";
/// How far into a block `PRIVATE KEY` stands at the latest, in bytes.
const HEADER_MAX_BYTES: usize = 48;
/// A number with what stands before the next one, in bytes.
const NUMBER_MAX_BYTES: usize = 8;

/// The list of numbers that begins at the anchor, if it is a private key. Only then it is read to its end.
pub(super) fn find(bytes: &[u8], anchor: Range<usize>) -> Option<Span> {
    let list = &bytes[anchor.start..];
    let beginning = &list[..list.len().min(HEADER_MAX_BYTES * NUMBER_MAX_BYTES)];
    work::note(beginning.len());
    let is_decimal = list.starts_with(b"45") || list.starts_with(b"80");
    let header = if is_decimal { decimals(beginning) } else { hexadecimals(beginning) };
    memchr::memmem::find(&header, b"PRIVATE KEY").or_else(|| memchr::memmem::find(&header, PUTTY_FILE))?;
    let len = list_len(list);
    work::note(len);
    let end = anchor.start + list[..len].trim_ascii_end().len();
    Some(Span { start: anchor.start, end, rule: "private-key", rank: Rank::Formed })
}

/// How far a list goes, also over ends of lines that are written as escapes. Those at its end are not part of it.
fn list_len(list: &[u8]) -> usize {
    let (mut len, mut at) = (0, 0);
    loop {
        at += list[at..].iter().take_while(|byte| is_of_list(**byte)).count();
        len = if at > len { at } else { len };
        let escapes = list[at..].iter().take_while(|byte| **byte == b'\\').count();
        let behind = at + escapes + 1;
        let is_blank = matches!(list.get(at + escapes), Some(b'n' | b'r' | b't'));
        let goes_on = list.get(behind).is_some_and(|byte| is_of_list(*byte) || *byte == b'\\');
        if escapes == 0 || !is_blank || !goes_on {
            return len;
        }
        at = behind;
    }
}

fn is_of_list(byte: u8) -> bool {
    Class::HEX.or(Class::COLON).has(byte) || matches!(byte, b' ' | b',' | b'\n' | b'\r' | b'\t' | b'x' | b'X')
}

fn decimals(list: &[u8]) -> Vec<u8> {
    let numbers = list.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty());
    numbers
        .take(HEADER_MAX_BYTES)
        .map_while(|digits| std::str::from_utf8(digits).ok()?.parse().ok())
        .collect()
}

fn hexadecimals(list: &[u8]) -> Vec<u8> {
    let is_prefixed = list.starts_with(b"0x") || list.starts_with(b"0X");
    let mut digits =
        list.split(|byte| !byte.is_ascii_hexdigit()).filter(|part| !(is_prefixed && *part == b"0")).flatten();
    let mut header = Vec::new();
    while let (Some(high), Some(low)) = (digits.next(), digits.next()) {
        let Some(byte) =
            std::str::from_utf8(&[*high, *low]).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok())
        else {
            break;
        };
        header.push(byte);
        if header.len() == HEADER_MAX_BYTES {
            break;
        }
    }
    header
}
