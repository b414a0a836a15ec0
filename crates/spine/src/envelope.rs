//! What a record says about itself, without its payload.
//!
//! The source gate stands here: the kind is known before anything of the payload is looked at. A line
//! with a valid checksum was written by us, in our order of keys, so its head is read in place and its
//! payload is not even scanned. Every other line takes the slow way through the JSON parser.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use jiff::Timestamp;
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, de};
use serde_json::value::RawValue;
use subcortex_model::{Dedup, Event, EventId, Gate, Source, SourceKind};

use crate::record::{Seal, seal};
use crate::salvage::Damage;

/// The head of one record; texts are borrowed from the line where they hold no escapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope<'a> {
    /// Unique name of the record.
    pub id: Cow<'a, str>,
    /// When it happened, as it stands in the log.
    pub ts: Cow<'a, str>,
    /// What happened.
    pub event_type: Cow<'a, str>,
    /// The source kind; `None` when it is missing, empty or not a text.
    pub kind: Option<Cow<'a, str>>,
    /// The sender's own name.
    pub name: Option<Cow<'a, str>>,
    /// The channel a person spoke through.
    pub channel_id: Option<Cow<'a, str>>,
    /// The conversation it belongs to.
    pub session_key: Option<Cow<'a, str>>,
    /// The turn within the session.
    pub turn: Option<Cow<'a, str>>,
    /// The project directory it happened in.
    pub cwd: Option<Cow<'a, str>>,
    /// The key by which a second report is recognised.
    pub source_id: Option<Cow<'a, str>>,
    /// The name under which everybody reports the same thing, where that is another one.
    pub key: Option<Cow<'a, str>>,
    /// The record's number within its file, on lines that subcortex wrote.
    pub seq: Option<u64>,
    /// The payload as JSON, not looked at yet: not even for being UTF-8.
    payload: &'a [u8],
}

impl<'a> Envelope<'a> {
    /// Reads the head of a line (without its newline).
    pub fn parse(line: &'a [u8]) -> Result<Self, Damage> {
        match seal(line) {
            Seal::Whole { seq, payload_end } => match Head::new(line).envelope(seq, payload_end) {
                Some(envelope) => Ok(envelope),
                None => Self::parse_any_order(line), // escapes in the head, say in a path
            },
            Seal::Broken => Err(Damage::Checksum),
            Seal::Absent => Self::parse_any_order(line),
        }
    }

    fn parse_any_order(line: &'a [u8]) -> Result<Self, Damage> {
        let loose: Loose<'a> = serde_json::from_slice(line).map_err(|error| Damage::of_json(line, &error))?;
        if loose.seq.is_some() && !matches!(seal(line), Seal::Whole { .. }) {
            return Err(Damage::Checksum); // one of ours that lost its seal
        }
        let source: LooseSource<'a> =
            loose.source.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        let required = |text: Option<Text<'a>>, what| match text {
            Some(Text(text)) if !text.is_empty() => Ok(text),
            _ => Err(Damage::Incomplete(what)),
        };
        let (source_id, key) = match loose.dedup {
            Some(dedup) => (dedup.source_id.map(|text| text.0), dedup.key.map(|text| text.0)),
            None => (None, None),
        };
        Ok(Self {
            id: required(loose.id, "id")?,
            ts: required(loose.ts, "ts")?,
            event_type: required(loose.event_type, "type")?,
            kind: source.kind.and_then(as_text).filter(|kind| !kind.is_empty()),
            name: source.name.and_then(as_text),
            channel_id: source.channel_id.and_then(as_text),
            session_key: loose.session_key.map(|text| text.0),
            turn: loose.turn.map(|text| text.0),
            cwd: loose.cwd.map(|text| text.0),
            source_id,
            key,
            seq: loose.seq,
            payload: loose.payload.map_or("{}", RawValue::get).as_bytes(),
        })
    }

    /// The names by which a second report is recognised.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        [self.source_id.as_deref(), self.key.as_deref()].into_iter().flatten()
    }

    /// What the source gate says.
    pub fn gate(&self) -> Gate {
        Gate::of(self.kind.as_deref())
    }

    /// The payload as JSON. Ask the gate first.
    pub fn payload(&self) -> &'a [u8] {
        self.payload
    }

    /// The whole event. Fails when the time or the payload is not what an event has.
    pub fn to_event(&self) -> Result<Event, Damage> {
        let owned = |text: &Option<Cow<'a, str>>| text.as_deref().map(str::to_owned);
        let kind = self.kind.as_deref().ok_or(Damage::Incomplete("source.kind"))?;
        Ok(Event {
            id: EventId::from_log(&*self.id),
            ts: self.ts.parse::<Timestamp>().map_err(|_| Damage::Incomplete("ts"))?,
            event_type: self.event_type.clone().into_owned(),
            source: Source {
                kind: SourceKind::from(kind),
                name: owned(&self.name),
                channel_id: owned(&self.channel_id),
            },
            session_key: owned(&self.session_key),
            turn: owned(&self.turn),
            cwd: owned(&self.cwd),
            dedup: owned(&self.source_id).map(|source_id| Dedup { source_id, key: owned(&self.key) }),
            payload: serde_json::from_slice(self.payload).map_err(|_| Damage::Incomplete("payload"))?,
        })
    }
}

/// Reads the head of a line in our own order of keys, in place. It is cut up first and checked for UTF-8 once, as a
/// whole: its texts are short, and a check of each would cost more than everything else.
#[derive(Debug)]
struct Head<'a> {
    line: &'a [u8],
    /// How far it has been read.
    at: usize,
}

impl<'a> Head<'a> {
    fn new(line: &'a [u8]) -> Self {
        Self { line, at: 0 }
    }

    fn envelope(mut self, seq: u64, payload_end: usize) -> Option<Envelope<'a>> {
        let id = self.text(b"{\"id\":\"")?;
        let ts = self.text(b",\"ts\":\"")?;
        let event_type = self.text(b",\"type\":\"")?;
        let kind = self.text(b",\"source\":{\"kind\":\"")?;
        let name = self.optional(b",\"name\":\"")?;
        let channel_id = self.optional(b",\"channel_id\":\"")?;
        self.expect(b"}")?;
        let session_key = self.optional(b",\"session_key\":\"")?;
        let turn = self.optional(b",\"turn\":\"")?;
        let cwd = self.optional(b",\"cwd\":\"")?;
        let source_id = self.optional(b",\"dedup\":{\"source_id\":\"")?;
        let mut key = None;
        if source_id.is_some() {
            key = self.optional(b",\"key\":\"")?;
            self.expect(b"}")?;
        }
        self.expect(b",\"payload\":")?;
        let payload = self.line.get(self.at..payload_end)?;
        let head = std::str::from_utf8(self.line.get(..self.at)?).ok()?;
        let text = |range: Range<usize>| head.get(range).map(Cow::Borrowed);
        let optional = |range: Option<Range<usize>>| range.and_then(text);
        (!id.is_empty() && !event_type.is_empty()).then_some(())?;
        Some(Envelope {
            id: text(id)?,
            ts: text(ts)?,
            event_type: text(event_type)?,
            kind: text(kind).filter(|kind| !kind.is_empty()),
            name: optional(name),
            channel_id: optional(channel_id),
            session_key: optional(session_key),
            turn: optional(turn),
            cwd: optional(cwd),
            source_id: optional(source_id),
            key: optional(key),
            seq: Some(seq),
            payload,
        })
    }

    fn rest(&self) -> &'a [u8] {
        self.line.get(self.at..).unwrap_or_default()
    }

    /// Whether this comes next. The length is known to the compiler, so that it is compared in a few instructions.
    fn is_next<const N: usize>(&self, literal: &[u8; N]) -> bool {
        self.rest().first_chunk() == Some(literal)
    }

    fn expect<const N: usize>(&mut self, literal: &[u8; N]) -> Option<()> {
        self.is_next(literal).then(|| self.at += N)
    }

    /// Where a text stands that must be there; `None` also when it holds an escape.
    fn text<const N: usize>(&mut self, opening: &[u8; N]) -> Option<Range<usize>> {
        self.expect(opening)?;
        let start = self.at;
        self.at += memchr::memchr2(b'"', b'\\', self.rest())?;
        let end = self.at;
        self.expect(b"\"")?;
        Some(start..end)
    }

    /// The same for a text that may be absent; the outer `None` means that it cannot be read in place.
    #[allow(clippy::option_option)]
    fn optional<const N: usize>(&mut self, opening: &[u8; N]) -> Option<Option<Range<usize>>> {
        if self.is_next(opening) { self.text(opening).map(Some) } else { Some(None) }
    }
}

/// A record in any order of keys, with keys of any other name passed over.
#[derive(Deserialize)]
struct Loose<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    ts: Option<Text<'a>>,
    #[serde(borrow, rename = "type")]
    event_type: Option<Text<'a>>,
    #[serde(borrow)]
    source: Option<&'a RawValue>,
    #[serde(borrow)]
    session_key: Option<Text<'a>>,
    #[serde(borrow)]
    turn: Option<Text<'a>>,
    #[serde(borrow)]
    cwd: Option<Text<'a>>,
    #[serde(borrow)]
    dedup: Option<LooseDedup<'a>>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    seq: Option<u64>,
}

#[derive(Deserialize, Default)]
struct LooseSource<'a> {
    #[serde(borrow)]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    channel_id: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct LooseDedup<'a> {
    #[serde(borrow)]
    source_id: Option<Text<'a>>,
    #[serde(borrow)]
    key: Option<Text<'a>>,
}

fn as_text(raw: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Text<'_>>(raw.get()).ok().map(|text| text.0)
}

/// A text that borrows where it can; `Option<Cow<str>>` on its own would always copy.
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expect: &str) {
        let shown = match Envelope::parse(line.as_bytes()) {
            Ok(envelope) => format!(
                "{} {} {:?} {:?} {}",
                envelope.id,
                envelope.event_type,
                envelope.gate(),
                envelope.source_id.as_deref(),
                String::from_utf8_lossy(envelope.payload())
            ),
            Err(damage) => damage.to_string(),
        };
        assert_eq!(shown, expect);
    }

    fn sealed(body: &str) -> String {
        let crc = crc32fast::hash(body.as_bytes());
        format!("{body},\"crc\":\"{crc:08x}\"}}")
    }

    #[test]
    fn our_own_lines_are_read_in_place() {
        let line = sealed(
            r#"{"id":"evt_1","ts":"2026-01-01T00:00:00.000Z","type":"agent.result","source":{"kind":"claude","name":"cc"},"session_key":"s","cwd":"/p","dedup":{"source_id":"s/u"},"payload":{"text":"a \"b\" ,\"seq\":9"},"seq":4"#,
        );
        check(&line, r#"evt_1 agent.result External Some("s/u") {"text":"a \"b\" ,\"seq\":9"}"#);
    }

    #[test]
    fn escapes_in_the_head_take_the_slow_way_to_the_same_answer() {
        let line = sealed(
            r#"{"id":"evt_1","ts":"2026-01-01T00:00:00.000Z","type":"t","source":{"kind":"claude"},"cwd":"/a\"b","payload":{},"seq":4"#,
        );
        assert_eq!(Envelope::parse(line.as_bytes()).unwrap().cwd.as_deref(), Some("/a\"b"));
    }

    #[test]
    fn plain_lines_may_order_their_keys_as_they_like() {
        check(
            r#"{"payload":{"source":{"kind":"user"}}, "source" : {"kind":"cadence"},"type":"x","ts":"t","id":"7","extra":1}"#,
            r#"7 x Internal None {"source":{"kind":"user"}}"#,
        );
    }

    #[test]
    fn a_kind_that_is_no_text_is_unscannable() {
        for source in [r#""source":{"kind":5},"#, r#""source":{"kind":""},"#, r#""source":[],"#, ""] {
            check(&format!(r#"{{{source}"id":"7","ts":"t","type":"x"}}"#), "7 x Unscannable None {}");
        }
    }

    #[test]
    fn what_is_no_record_says_why() {
        check(r#"{"id":"7","ts":"t","type":"x","#, "the line breaks off in the middle");
        check("\0\0\0\0", "the line holds NUL bytes");
        check(r#"{"ts":"t","type":"x"}"#, "the record has no usable `id`");
        check(r#"{"id":7,"ts":"t","type":"x"}"#, "the line is not the JSON of a record");
        check(
            r#"{"id":"7","id":"8","ts":"t","type":"x","source":{"kind":"a"}}"#,
            "the line is not the JSON of a record",
        );
        check(r#"{"id":"7","ts":"t","type":"x","seq":1}"#, "the checksum does not match");
        let flipped =
            sealed(r#"{"id":"evt_1","ts":"t","type":"x","source":{"kind":"a"},"payload":{},"seq":4"#)
                .replace("evt_1", "evt_2");
        check(&flipped, "the checksum does not match");
    }
}
