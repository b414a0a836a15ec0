//! Whole records inside damaged lines.
//!
//! When a write is cut off and somebody else appends behind it, two records share a line. The second one
//! was acknowledged, so it must not be lost with the first.

use std::fmt;
use std::ops::Range;

use memchr::memmem;

use crate::envelope::Envelope;
use crate::record::CRC_KEY;

/// How many beginnings are tried in one damaged line; hostile text must not make this quadratic.
const MAX_STARTS_TRIED: usize = 64;

/// What is wrong with a piece of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// The checksum does not match.
    Checksum,
    /// The line breaks off in the middle.
    CutShort,
    /// The line holds NUL bytes, as a file does that was extended and never filled.
    Nul,
    /// The line is not UTF-8.
    NotUtf8,
    /// The line is not the JSON of a record.
    NotJson,
    /// It is JSON, and the named field is missing or unusable.
    Incomplete(&'static str),
    /// The line is longer than any record may be.
    TooLong,
}

impl Damage {
    pub(crate) fn of_json(line: &[u8], error: &serde_json::Error) -> Self {
        if line.contains(&0) {
            Self::Nul
        } else if std::str::from_utf8(line).is_err() {
            Self::NotUtf8
        } else if error.is_eof() {
            Self::CutShort
        } else {
            Self::NotJson
        }
    }

    /// Whether somebody meant this line to be as it is: JSON, but no event.
    pub(crate) fn is_foreign(self) -> bool {
        matches!(self, Self::Incomplete(_))
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checksum => f.write_str("the checksum does not match"),
            Self::CutShort => f.write_str("the line breaks off in the middle"),
            Self::Nul => f.write_str("the line holds NUL bytes"),
            Self::NotUtf8 => f.write_str("the line is not UTF-8"),
            Self::NotJson => f.write_str("the line is not the JSON of a record"),
            Self::Incomplete(what) => write!(f, "the record has no usable `{what}`"),
            Self::TooLong => f.write_str("the line is longer than any record may be"),
        }
    }
}

/// Finds the whole records inside a damaged line, in order.
pub(crate) fn whole_records(line: &[u8]) -> Vec<Range<usize>> {
    let starts: Vec<usize> = memmem::find_iter(line, b"{\"").take(MAX_STARTS_TRIED * 64).collect();
    let mut found = Vec::new();
    let (mut from, mut tried) = (0, 0);
    for &start in &starts {
        if start < from {
            continue;
        }
        if tried == MAX_STARTS_TRIED {
            break;
        }
        if !looks_like_a_record(line.get(start..).unwrap_or_default()) {
            continue;
        }
        tried += 1;
        if let Some(end) = whole_record_at(line, start) {
            found.push(start..end);
            from = end;
        }
    }
    found
}

/// Our lines begin with `{"id":"`; those of others may begin with any key of an event.
fn looks_like_a_record(rest: &[u8]) -> bool {
    const KEYS: [&[u8]; 5] = [b"{\"id\":", b"{\"ts\":", b"{\"type\":", b"{\"source\":", b"{\"payload\":"];
    KEYS.iter().any(|key| rest.starts_with(key))
}

/// The end of the whole record that begins at `start`, if there is one.
fn whole_record_at(line: &[u8], start: usize) -> Option<usize> {
    let rest = line.get(start..)?;
    for crc_at in memmem::find_iter(rest, CRC_KEY).take(MAX_STARTS_TRIED) {
        let end = crc_at + crate::record::CRC_SUFFIX_BYTES;
        if rest.get(..end).is_some_and(|candidate| Envelope::parse(candidate).is_ok()) {
            return Some(start + end);
        }
    }
    let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<serde::de::IgnoredAny>();
    values.next()?.ok()?;
    let end = values.byte_offset();
    Envelope::parse(rest.get(..end)?).ok().map(|_| start + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(id: &str) -> String {
        let body = format!(
            r#"{{"id":"{id}","ts":"t","type":"x","source":{{"kind":"a"}},"payload":{{"id":"inner"}},"seq":4"#
        );
        format!("{body},\"crc\":\"{:08x}\"}}", crc32fast::hash(body.as_bytes()))
    }

    #[track_caller]
    fn check(line: &str, expect: &[&str]) {
        let found: Vec<_> = whole_records(line.as_bytes()).into_iter().map(|range| &line[range]).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn whole_records_behind_a_torn_one_are_found() {
        let (a, b) = (sealed("a"), sealed("b"));
        for cut in 0..a.len() {
            check(&format!("{}{b}", &a[..cut]), &[&b]);
        }
        check(&format!("{a}{b}"), &[&a, &b]);
        check(&format!("\0\0\0{b}trailing"), &[&b]);
    }

    #[test]
    fn plain_records_are_found_too() {
        let plain = r#"{"type":"x","id":"p","ts":"t","source":{"kind":"a"}}"#;
        check(&format!(r#"{{"id":"torn","ts":"20{plain}{plain}"#), &[plain, plain]);
    }

    #[test]
    fn hostile_text_is_given_up_after_a_bounded_number_of_tries() {
        let hostile = r#"{"id":"#.repeat(200_000);
        check(&hostile, &[]);
    }
}
