//! Private keys in armour: PEM, OpenSSH, PGP, PuTTY; on lines, with `\n` written out, cut off, or in base64.
//!
//! The body is read word by word and ends at the first word that is no base64. So a block whose end is
//! missing hides nothing behind it, and every byte is read once.

use std::ops::Range;

use super::chars::{Class, contains, has_at, has_before, skip_blanks};
use super::span::{Rank, Span};
use super::{base64, work};

/// How far before `PRIVATE KEY` the armour may begin, in bytes.
const HEADER_MAX_BYTES: usize = 48;
/// A word of the body is at least this long, unless it ends the block.
const WORD_MIN_BYTES: usize = 16;
/// A line of this length or more is a full one, which a shorter last line may follow.
const FULL_LINE_MIN_BYTES: usize = 40;
/// The digits of the body. Not the URL alphabet: its `-` is the armour here.
const DIGITS: Class = Class::BASE64.or(Class::EQUALS);
/// How many header lines may stand before the body.
const HEADER_LINES_MAX: usize = 16;
/// How much of an encoded key is decoded to recognise it, in characters.
const SAMPLE_CHARS: usize = 88;

/// Looks at a `PRIVATE KEY` that was found: does a block begin there?
pub(super) fn find(bytes: &[u8], anchor: Range<usize>) -> Option<Span> {
    let start = header_start(bytes, anchor.start)?;
    let mut at = anchor.end;
    if has_at(bytes, at, b" BLOCK") || has_at(bytes, at, b"+BLOCK") {
        at += b" BLOCK".len();
    }
    let dashes = skip_dashes(bytes, at);
    if dashes - at < 4 {
        return None;
    }
    let end = body_end(bytes, dashes)?;
    Some(Span { start, end, rule: "private-key", rank: Rank::Formed })
}

/// Where the dashes before `BEGIN … PRIVATE KEY` start.
fn header_start(bytes: &[u8], name_start: usize) -> Option<usize> {
    let window_start = name_start.saturating_sub(HEADER_MAX_BYTES);
    let window = &bytes[window_start..name_start];
    let begin = window_start + memchr::memmem::rfind(window, b"BEGIN")?;
    if !is_of_name(&bytes[begin + 5..name_start]) {
        return None;
    }
    let dashes_end = if has_before(bytes, begin, b" ") { begin - 1 } else { begin };
    let start = Class::DASH.run_start(bytes, dashes_end, 5);
    (dashes_end - start >= 4).then_some(start)
}

/// ` RSA `, `+RSA+`: what stands between `BEGIN` or `END` and `PRIVATE KEY`. A form has a `+` for every blank.
fn is_of_name(text: &[u8]) -> bool {
    let is_parted_by = |blank: u8| {
        let is_part = |byte: &u8| Class::UPPER_ALNUM.has(*byte) || *byte == blank;
        text.first() == Some(&blank) && text.last() == Some(&blank) && text.iter().all(is_part)
    };
    is_parted_by(b' ') || is_parted_by(b'+')
}

/// Where ` … PRIVATE KEY` behind `BEGIN` or `END` ends, if it goes on on the next line (lines of a fixed width), or has colours or
/// other blanks in it.
pub(super) fn broken_name_end(bytes: &[u8], at: usize) -> Option<usize> {
    let limit = bytes.len().min(at + HEADER_MAX_BYTES);
    let (mut end, mut name) = (at, Vec::new());
    let (mut has_line_end, mut is_broken) = (false, false);
    while end < limit {
        let len = match &bytes[end..limit] {
            [byte, ..] if Class::UPPER_ALNUM.has(*byte) => {
                // A line end behind the name does not break it.
                is_broken |= has_line_end;
                name.push(*byte);
                1
            }
            [byte, ..] if byte.is_ascii_whitespace() => {
                has_line_end |= *byte == b'\n';
                1
            }
            [0xC2, 0xA0, ..] => {
                is_broken = true;
                2
            }
            [0x1B, b'[', rest @ ..] => {
                is_broken = true;
                2 + memchr::memchr(b'm', rest).map_or(0, |len| len + 1)
            }
            _ => break,
        };
        end += len;
    }
    (is_broken && contains(&name, b"PRIVATEKEY")).then_some(end)
}

fn skip_dashes(bytes: &[u8], at: usize) -> usize {
    let at = if bytes.get(at) == Some(&b' ') { at + 1 } else { at };
    Class::DASH.run_end(bytes, at, 5)
}

/// Where the body ends, with the `END` line if there is one; `None` if nothing like a key follows.
fn body_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut end, mut body_bytes, mut last_len, mut at) = (start, 0, 0, start);
    let mut header_lines = 0;
    loop {
        at = skip_gap(bytes, at);
        if let Some(armour_end) = end_line(bytes, at) {
            return (body_bytes > 0).then_some(armour_end);
        }
        if let Some(line_end) = header_line(bytes, at).filter(|_| header_lines < HEADER_LINES_MAX) {
            (at, header_lines) = (line_end, header_lines + 1);
            continue;
        }
        let word_end = DIGITS.run_end(bytes, at, usize::MAX);
        let len = word_end - at;
        let is_rest = len > 0 && body_bytes > 0 && ends_block(bytes, word_end, last_len);
        if (len < WORD_MIN_BYTES && !is_rest) || is_json_key(bytes, word_end) {
            return (body_bytes >= WORD_MIN_BYTES).then_some(end);
        }
        body_bytes += len;
        (end, at, last_len) = (word_end, word_end, len);
    }
}

/// Blanks, line ends (also written out), quotes and signs with which programs join lines.
fn skip_gap(bytes: &[u8], start: usize) -> usize {
    let end = gap_end(bytes, start);
    work::note(end - start);
    end
}

fn gap_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        at += match byte {
            // A line that a diff takes away.
            b'-' if has_before(bytes, at, b"\n") && bytes.get(at + 1) != Some(&b'-') => 1,
            b'\\' if matches!(bytes.get(at + 1), Some(b'n' | b'r' | b't' | b'\\')) => 2,
            b'\\' | b'"' | b'\'' | b'`' | b',' | b'>' | b'|' | b'#' | b'*' | b';' | b'.' => 1,
            // Between quotes a plus joins; within base64 it is a digit.
            b'+' if matches!(bytes.get(at + 1), Some(b' ' | b'\n' | b'\r' | b'"' | b'\'')) => 1,
            b'<' if has_at(bytes, at, b"<br") => 3,
            byte if byte.is_ascii_whitespace() => 1,
            _ => return at,
        };
    }
    at
}

/// `-----END … KEY-----`, and where it ends.
fn end_line(bytes: &[u8], at: usize) -> Option<usize> {
    let dashes = skip_dashes(bytes, at);
    let name = if bytes.get(dashes) == Some(&b' ') { dashes + 1 } else { dashes };
    if dashes - at < 4 || !has_at(bytes, name, b"END") {
        return None;
    }
    let text_end =
        (name..bytes.len().min(name + HEADER_MAX_BYTES)).find(|&end| bytes[end] == b'-').unwrap_or(name + 3);
    Some(skip_dashes(bytes, text_end))
}

/// `Proc-Type: 4,ENCRYPTED`, `Version: GnuPG v2`: lines before the body.
pub(super) fn header_line(bytes: &[u8], at: usize) -> Option<usize> {
    const NAMES: &[&str] =
        &["Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:", "Charset:", "MessageID:", "Subject:"];
    let name = NAMES.iter().find(|name| has_at(bytes, at, name.as_bytes()))?;
    let from = at + name.len();
    let limit = bytes.len().min(from + 200);
    Some((from..limit).find(|&end| bytes[end] == b'\n' || has_at(bytes, end, b"\\n")).unwrap_or(limit))
}

/// Whether the word that ends at `end` is a key of JSON, and so belongs to something else.
fn is_json_key(bytes: &[u8], end: usize) -> bool {
    let quote = end + bytes[end..].iter().take_while(|byte| **byte == b'\\').count();
    bytes.get(quote) == Some(&b'"') && bytes.get(skip_blanks(bytes, quote + 1, 4)) == Some(&b':')
}

/// Whether a short word is the rest of a block: it ends its line, and follows a full one or is followed by
/// the end of the armour.
fn ends_block(bytes: &[u8], at: usize, last_len: usize) -> bool {
    let follows_full_line = ends_line(bytes, at) && last_len >= FULL_LINE_MIN_BYTES;
    follows_full_line || end_line(bytes, skip_gap(bytes, at)).is_some()
}

/// Whether a block begins at this `PRIVATE KEY`, whatever follows.
pub(super) fn block_start(bytes: &[u8], anchor: Range<usize>) -> Option<usize> {
    header_start(bytes, anchor.start)
}

/// Where the dashes before `END … PRIVATE KEY` start.
pub(super) fn last_line_start(bytes: &[u8], anchor: Range<usize>) -> Option<usize> {
    let window_start = anchor.start.saturating_sub(HEADER_MAX_BYTES);
    let end = window_start + memchr::memmem::rfind(&bytes[window_start..anchor.start], b"END")?;
    let start = Class::DASH.run_start(bytes, end, 5);
    (end - start >= 4 && is_of_name(&bytes[end + 3..anchor.start])).then_some(start)
}

fn ends_line(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at), None | Some(b'\n' | b'\r' | b'"' | b'\'' | b'\\'))
}

/// A block whose beginning was cut off: the lines before its last one, which begins at `end`. Nothing before
/// `from` belongs to it.
pub(super) fn find_torn(bytes: &[u8], end: usize, from: usize) -> Option<Span> {
    let from = from.min(end);
    let mut start = end;
    let mut body_bytes = 0;
    loop {
        let word_end = gap_start(bytes, start, from);
        let word_start = word_start(bytes, word_end, from);
        let len = word_end - word_start;
        let is_rest = body_bytes == 0 && len > 0 && start == end;
        if word_end == start || !(len >= WORD_MIN_BYTES || is_rest) || !stands_free(bytes, word_start, from) {
            break;
        }
        (start, body_bytes) = (word_start, body_bytes + len);
    }
    let line_end = end_line(bytes, end).unwrap_or(end);
    (body_bytes >= WORD_MIN_BYTES).then_some(Span {
        start,
        end: line_end,
        rule: "private-key",
        rank: Rank::Formed,
    })
}

/// Where a word of the body begins. A line end that is written out is not part of it.
fn word_start(bytes: &[u8], end: usize, from: usize) -> usize {
    let start = DIGITS.run_start(bytes, end, end - from);
    let follows_escape = start > from && bytes[start - 1] == b'\\' && start < end;
    if follows_escape && matches!(bytes[start], b'n' | b'r' | b't') { start + 1 } else { start }
}

/// Whether nothing but a gap stands before a word.
fn stands_free(bytes: &[u8], start: usize, from: usize) -> bool {
    start == from || gap_start(bytes, start, from) < start
}

/// As [`skip_gap`], from its end.
fn gap_start(bytes: &[u8], end: usize, from: usize) -> usize {
    let mut at = end;
    while at > from {
        let is_escape =
            at >= from + 2 && bytes[at - 2] == b'\\' && matches!(bytes[at - 1], b'n' | b'r' | b't');
        at -= match bytes[at - 1] {
            _ if is_escape => 2,
            byte if byte.is_ascii_whitespace() || b"\\\"'`,>|#*;.".contains(&byte) => 1,
            b'+' if matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'"' | b'\'')) => 1,
            _ => break,
        };
    }
    work::note(end - at);
    at
}

/// `Private-Lines: n` of a PuTTY key, and the lines after it.
pub(super) fn find_putty(bytes: &[u8], anchor_end: usize) -> Option<Span> {
    let at = skip_blanks(bytes, anchor_end, 4);
    let start = Class::DIGIT.run_end(bytes, at, 4);
    let end = body_end(bytes, start)?;
    (start > at).then_some(Span { start, end, rule: "putty-private-key", rank: Rank::Formed })
}

/// Base64 that begins like an armoured block; does it hold a private key?
pub(super) fn find_encoded(bytes: &[u8], anchor_start: usize) -> Option<Span> {
    let sample_end = Class::BASE64.run_end(bytes, anchor_start, SAMPLE_CHARS);
    let sample = &bytes[anchor_start..anchor_start + (sample_end - anchor_start) / 4 * 4];
    if !contains(&base64::decode(sample)?, b"PRIVATE KEY") {
        return None;
    }
    let end = encoded_end(bytes, anchor_start);
    Some(Span { start: anchor_start, end, rule: "private-key", rank: Rank::Formed })
}

/// Where base64 that goes on over lines ends.
fn encoded_end(bytes: &[u8], start: usize) -> usize {
    let mut end = DIGITS.run_end(bytes, start, usize::MAX);
    let mut last_len = end - start;
    loop {
        let next = skip_gap(bytes, end);
        let word_end = DIGITS.run_end(bytes, next, usize::MAX);
        let len = word_end - next;
        let is_rest = len > 0 && last_len >= FULL_LINE_MIN_BYTES && ends_line(bytes, word_end);
        if (len < WORD_MIN_BYTES && !is_rest) || is_json_key(bytes, word_end) {
            return end;
        }
        (end, last_len) = (word_end, len);
    }
}

/// What stands near the beginning of the body of a private key: the version of a key and what follows it (PKCS #1, PKCS #8, SEC 1,
/// Ed25519), how a key is encrypted, and the name of the OpenSSH format. As anchors of a body whose armour was cut off.
pub(super) const BODY_BEGINNINGS: &[&str] = &[
    "IBAAKCA",
    "IBADANBgkqhkiG9w0BAQEFAASC",
    "AgEAMBMGByqGSM49",
    "AgEAMBAGByqGSM49",
    "MC4CAQAwBQYDK2",
    "MHcCAQEE",
    "MIGkAgEBBD",
    "MIHcAgEBBE",
    "BgkqhkiG9w0BBQ0",
    "b3BlbnNzaC1rZXktdjE",
];
/// How far into a body such an anchor begins at the latest, in bytes.
const BODY_ANCHOR_MAX_BYTES: usize = 16;
/// A body without armour has at least this many bytes: the shortest keys have 64.
const BARE_MIN_BYTES: usize = 60;

/// The body of a private key alone, such as the lines behind the first one of its file.
pub(super) fn find_bare(bytes: &[u8], anchor: Range<usize>) -> Option<Span> {
    let start = Class::BASE64.run_start(bytes, anchor.start, BODY_ANCHOR_MAX_BYTES);
    if start > 0 && DIGITS.has(bytes[start - 1]) {
        return None; // in the middle of something else
    }
    // A line that a diff adds.
    let start = if bytes[start] == b'+' { start + 1 } else { start };
    let sample_end = Class::BASE64.run_end(bytes, start, SAMPLE_CHARS);
    let sample = &bytes[start..start + (sample_end - start) / 4 * 4];
    if !is_private(&base64::decode(sample)?) {
        return None;
    }
    let end = encoded_end(bytes, start);
    let digits = bytes[start..end].iter().filter(|byte| DIGITS.has(**byte)).count();
    work::note(end - start);
    (digits >= BARE_MIN_BYTES).then_some(Span { start, end, rule: "private-key", rank: Rank::Formed })
}

/// Whether bytes begin like a private key: certificates and public keys have no version in front, signatures no such numbers.
pub(super) fn is_private(bytes: &[u8]) -> bool {
    const ENCRYPTED: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0d";
    if bytes.starts_with(b"openssh-key-v1") {
        return true;
    }
    let Some(inside) = inside_sequence(bytes) else { return false };
    match inside {
        [2, 1, 0, 2 | 0x30, ..] | [2, 1, 1, 4 | 0x30, ..] => true,
        _ => inside_sequence(inside).is_some_and(|inside| inside.starts_with(ENCRYPTED)),
    }
}

/// What stands in a sequence of DER.
fn inside_sequence(bytes: &[u8]) -> Option<&[u8]> {
    match bytes {
        [0x30, 0x82, _, _, inside @ ..] | [0x30, 0x81, _, inside @ ..] | [0x30, 0..=0x7f, inside @ ..] => {
            Some(inside)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "MIIEpAIBAAKCAQEA7vB2kZ0p\nq3J9xY1sT5uW8zA4bC6dE7fG\nhI0=";

    fn check(text: &str, expect: Option<&str>) {
        let at = text.find("PRIVATE KEY").unwrap();
        let found = find(text.as_bytes(), at..at + 11).map(|span| &text[span.start..span.end]);
        assert_eq!(found, expect, "{text}");
    }

    fn armour(kind: &str, body: &str) -> String {
        format!("-----BEGIN {kind}-----\n{body}\n-----END {kind}-----")
    }

    #[test]
    fn a_block_is_found_whole() {
        for kind in [
            "PRIVATE KEY",
            "RSA PRIVATE KEY",
            "OPENSSH PRIVATE KEY",
            "PGP PRIVATE KEY BLOCK",
            "ENCRYPTED PRIVATE KEY",
        ] {
            let block = armour(kind, BODY);
            check(&format!("a {block} b"), Some(&block));
            let escaped = block.replace('\n', "\\n");
            check(&format!("\"{escaped}\\n\""), Some(&escaped));
        }
    }

    #[test]
    fn lines_before_the_body_belong_to_it() {
        let block =
            armour("RSA PRIVATE KEY", &format!("Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n{BODY}"));
        check(&block, Some(&block));
    }

    #[test]
    fn a_block_without_an_end_stops_where_the_key_stops() {
        check(
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7vB2kZ0p\n(cut) and prose",
            Some("-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7vB2kZ0p"),
        );
    }

    #[test]
    fn a_block_that_is_cut_off_in_json_leaves_the_next_key_alone() {
        check(
            "{\"k\":\"-----BEGIN RSA PRIVATE KEY-----\\nMIIEpAIBAAKCAQEA7vB2kZ0p\",\"clientCertificateUrl\":\"x\"}",
            Some("-----BEGIN RSA PRIVATE KEY-----\\nMIIEpAIBAAKCAQEA7vB2kZ0p"),
        );
    }

    #[test]
    fn the_end_of_a_key_tells_of_the_lines_before_it() {
        let text = format!("prose\n{BODY}\n-----END PRIVATE KEY-----");
        let end = text.find("-----END").unwrap();
        let torn = |from| find_torn(text.as_bytes(), end, from).map(|span| &text[span.start..span.end]);
        assert_eq!(torn(0), Some(&text[6..]));
        assert_eq!(torn(end + 5), None);
    }

    #[test]
    fn a_mention_is_no_key() {
        for text in [
            "-----BEGIN PRIVATE KEY-----",
            "starts with \"-----BEGIN RSA PRIVATE KEY-----\" and so on",
            "the PRIVATE KEY of",
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        ] {
            check(text, None);
        }
    }
}
