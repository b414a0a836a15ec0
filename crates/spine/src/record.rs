//! From a draft to the bytes of one line.

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use subcortex_model::{Dedup, Draft, EventId, Source};

use crate::error::AppendError;
use crate::lines::MAX_LINE_BYTES;

/// The longest record that is accepted for appending, in bytes: what every reader is able to hold.
pub const MAX_RECORD_BYTES: usize = MAX_LINE_BYTES;

/// What stands before the eight digits of the checksum.
pub(crate) const CRC_KEY: &[u8] = b",\"crc\":\"";
/// Length of `,"crc":"89abcdef"}`.
pub(crate) const CRC_SUFFIX_BYTES: usize = CRC_KEY.len() + 8 + 2;
/// What stands before the sequence number.
pub(crate) const SEQ_KEY: &[u8] = b",\"seq\":";

/// A draft with its id and time: everything of a record but `seq` and `crc`.
#[derive(Debug, Serialize)]
pub(crate) struct Stamped {
    pub(crate) id: EventId,
    #[serde(serialize_with = "with_milliseconds")]
    ts: Timestamp,
    #[serde(rename = "type")]
    event_type: String,
    source: Source,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dedup: Option<Dedup>,
    payload: Map<String, Value>,
}

/// A key alone is the source as well; one that is the same as the source says nothing.
fn dedup_of(source_id: Option<String>, key: Option<String>) -> Option<Dedup> {
    match (source_id, key) {
        (None, None) => None,
        (Some(source_id), None) | (None, Some(source_id)) => Some(Dedup { source_id, key: None }),
        (Some(source_id), Some(key)) => {
            let key = Some(key).filter(|key| *key != source_id);
            Some(Dedup { source_id, key })
        }
    }
}

impl Stamped {
    /// Gives a draft its id. Refuses what no reader could make sense of.
    pub(crate) fn new(draft: Draft, now: Timestamp) -> Result<Self, AppendError> {
        check_word("type", &draft.event_type)?;
        check_word("source kind", draft.source.kind.as_str())?;
        Ok(Self {
            id: EventId::generate(),
            ts: draft.ts.unwrap_or(now),
            event_type: draft.event_type,
            source: draft.source,
            session_key: draft.session_key,
            turn: draft.turn,
            cwd: draft.cwd,
            dedup: dedup_of(draft.source_id, draft.key),
            payload: draft.payload,
        })
    }

    pub(crate) fn event_type(&self) -> &str {
        &self.event_type
    }

    pub(crate) fn payload(&self) -> &Map<String, Value> {
        &self.payload
    }

    /// The same event by another name, with another payload.
    pub(crate) fn renamed(self, dedup: Dedup, payload: Map<String, Value>) -> Self {
        Self { dedup: Some(dedup), payload, ..self }
    }

    /// The names by which a second report is recognised.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.dedup.iter().flat_map(|dedup| [Some(dedup.source_id.as_str()), dedup.key.as_deref()]).flatten()
    }

    /// Appends the finished line, newline included, to `out`.
    pub(crate) fn encode(&self, seq: u64, out: &mut Vec<u8>) -> Result<(), AppendError> {
        let start = out.len();
        serde_json::to_writer(&mut *out, self).map_err(|source| AppendError::Encode { source })?;
        out.pop(); // the closing brace: seq and crc go inside
        out.extend_from_slice(SEQ_KEY);
        out.extend_from_slice(seq.to_string().as_bytes());
        let crc = crc32fast::hash(out.get(start..).unwrap_or_default());
        out.extend_from_slice(CRC_KEY);
        out.extend_from_slice(format!("{crc:08x}\"}}\n").as_bytes());
        let len = out.len() - start;
        if len > MAX_RECORD_BYTES {
            out.truncate(start);
            return Err(AppendError::TooLarge { len, max: MAX_RECORD_BYTES });
        }
        Ok(())
    }
}

/// A type or kind is one word that a person may have typed.
fn check_word(what: &'static str, word: &str) -> Result<(), AppendError> {
    const MAX_WORD_BYTES: usize = 128;
    let problem = if word.is_empty() {
        "it is empty"
    } else if word.len() > MAX_WORD_BYTES {
        "it is longer than 128 bytes"
    } else if word.chars().any(|c| c.is_control() || c.is_whitespace()) {
        "it holds white space or control characters"
    } else {
        return Ok(());
    };
    Err(AppendError::BadWord { what, problem })
}

fn with_milliseconds<S: Serializer>(ts: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{ts:.3}"))
}

/// Why a line is not a whole record of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seal {
    /// The checksum stands where it belongs and is right.
    Whole {
        /// The record's number within its file.
        seq: u64,
        /// Where `,"seq":` begins: the end of the payload.
        payload_end: usize,
    },
    /// There is no checksum at the end of the line.
    Absent,
    /// There is one, and the line is not what was written.
    Broken,
}

/// Looks at the end of a line (without its newline) for `seq` and `crc`.
pub(crate) fn seal(line: &[u8]) -> Seal {
    let Some(body_len) = line.len().checked_sub(CRC_SUFFIX_BYTES) else { return Seal::Absent };
    let (body, suffix) = line.split_at(body_len);
    let Some(digits) = suffix.strip_prefix(CRC_KEY).and_then(|rest| rest.strip_suffix(b"\"}")) else {
        return Seal::Absent;
    };
    if parse_hex8(digits) != Some(crc32fast::hash(body)) {
        return Seal::Broken;
    }
    match sequence(body) {
        Some((seq, payload_end)) => Seal::Whole { seq, payload_end },
        None => Seal::Broken,
    }
}

fn parse_hex8(digits: &[u8]) -> Option<u32> {
    let digits: &[u8; 8] = digits.try_into().ok()?;
    digits.iter().try_fold(0, |number, digit| {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(number << 4 | u32::from(value))
    })
}

/// Reads `,"seq":<digits>` backwards from the end of the body.
fn sequence(body: &[u8]) -> Option<(u64, usize)> {
    let digits = body.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let digits_at = body.len() - digits;
    let payload_end = digits_at.checked_sub(SEQ_KEY.len())?;
    if body.get(payload_end..digits_at)? != SEQ_KEY {
        return None;
    }
    let seq = body
        .get(digits_at..)?
        .iter()
        .try_fold(0_u64, |number, digit| number.checked_mul(10)?.checked_add(u64::from(digit - b'0')))?;
    (digits > 0).then_some((seq, payload_end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(text: &str, seq: u64) -> Vec<u8> {
        let payload = json!({ "text": text }).as_object().cloned().unwrap();
        let draft = Draft::new("channel.message", Source::of("claude"), payload);
        let mut out = Vec::new();
        Stamped::new(draft, Timestamp::UNIX_EPOCH).unwrap().encode(seq, &mut out).unwrap();
        out
    }

    #[test]
    fn a_line_is_sealed_and_holds_no_second_newline() {
        let line = line("one\ntwo\u{2028}three", 7);
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        assert!(matches!(seal(&line[..line.len() - 1]), Seal::Whole { seq: 7, .. }));
        let value: Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(value["ts"], "1970-01-01T00:00:00.000Z");
        assert_eq!(value["payload"]["text"], "one\ntwo\u{2028}three");
        assert!(value["id"].as_str().unwrap().starts_with("evt_"));
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let line = line("flip me", 3);
        let body = &line[..line.len() - 1];
        for position in 0..body.len() * 8 {
            let mut damaged = body.to_vec();
            damaged[position / 8] ^= 1 << (position % 8);
            assert!(!matches!(seal(&damaged), Seal::Whole { .. }), "bit {position}");
        }
    }

    #[test]
    fn words_that_no_reader_could_use_are_refused() {
        for word in ["", "two words", "line\nbreak", &"x".repeat(129)] {
            let draft = Draft::new(word, Source::of("claude"), Map::new());
            assert!(Stamped::new(draft, Timestamp::UNIX_EPOCH).is_err(), "{word:?}");
        }
    }
}
