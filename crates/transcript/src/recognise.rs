//! Whose session file it is, told from its lines.
//!
//! The first lines are held back until one of them shows the format; then they are read as if it had been known
//! from the start.

use serde::Deserialize;
use serde_json::value::RawValue;
use subcortex_model::Draft;

use crate::counts::{Counts, skipped};
use crate::raw::{self, Raw};
use crate::{Format, Options, Reader, trimmed};

/// How many lines are held back at most …
const MAX_HELD_LINES: usize = 256;
/// … and how many bytes. A file that shows no format until then is none that we know.
const MAX_HELD_BYTES: usize = 1024 * 1024;
/// Longer lines are not looked into: sessions begin with short ones, and a line has to be parsed to be looked into.
const MAX_TELLING_BYTES: usize = 1024 * 1024;

/// The keys by which records are told apart.
#[derive(Debug, Default, Deserialize)]
struct Look<'a> {
    #[serde(borrow, rename = "type")]
    kind: Raw<'a>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    #[serde(borrow, rename = "sessionId")]
    session_id: Raw<'a>,
    #[serde(borrow)]
    uuid: Raw<'a>,
    #[serde(borrow, rename = "leafUuid")]
    leaf_uuid: Raw<'a>,
    #[serde(borrow, rename = "messageId")]
    message_id: Raw<'a>,
    #[serde(borrow)]
    message: Raw<'a>,
    #[serde(borrow)]
    id: Raw<'a>,
    #[serde(borrow)]
    role: Raw<'a>,
    #[serde(borrow)]
    timestamp: Raw<'a>,
    #[serde(borrow)]
    instructions: Raw<'a>,
    #[serde(borrow)]
    git: Raw<'a>,
}

impl Format {
    /// The format that this line can only belong to; `None` if it shows none.
    pub fn recognise(line: &[u8]) -> Option<Self> {
        let line = trimmed(line);
        if !line.starts_with(b"{") || line.len() > MAX_TELLING_BYTES {
            return None;
        }
        let repaired;
        let line = match std::str::from_utf8(line) {
            Ok(line) => line,
            Err(_) => {
                repaired = String::from_utf8_lossy(line);
                &repaired
            }
        };
        let look: Look<'_> = serde_json::from_str(line).ok()?;
        match &*raw::text(look.kind).unwrap_or_default() {
            "session_meta" | "response_item" | "event_msg" | "turn_context" if look.payload.is_some() => {
                Some(Self::Codex)
            }
            // Old rollouts have their items bare, and a first line without a type.
            "message" if look.role.is_some() => Some(Self::Codex),
            "" if look.id.is_some()
                && look.timestamp.is_some()
                && (look.instructions.is_some() || look.git.is_some()) =>
            {
                Some(Self::Codex)
            }
            "" => None,
            "user" | "assistant" if look.message.is_some() => Some(Self::Claude),
            "summary" if look.leaf_uuid.is_some() => Some(Self::Claude),
            "file-history-snapshot" if look.message_id.is_some() => Some(Self::Claude),
            _ if look.session_id.is_some() && (look.uuid.is_some() || look.timestamp.is_some()) => {
                Some(Self::Claude)
            }
            _ => None,
        }
    }
}

/// A reader for a file whose format is not known. A file of no known format gives nothing; its lines are counted.
pub fn recognising_reader(options: Options) -> Box<dyn Reader> {
    Box::new(Recognising::Looking { options, held: Vec::new(), held_bytes: 0, counts: Counts::default() })
}

enum Recognising {
    Looking { options: Options, held: Vec<Vec<u8>>, held_bytes: usize, counts: Counts },
    Known(Box<dyn Reader>),
    Unknown(Counts),
}

impl Recognising {
    /// Lines that show nothing are counted once it is certain that no reader will count them.
    fn give_up(&mut self) {
        if let Self::Looking { held, counts, .. } = self {
            let mut counts = std::mem::take(counts);
            held.iter().for_each(|_| count_unknown(&mut counts));
            *self = Self::Unknown(counts);
        }
    }
}

fn count_unknown(counts: &mut Counts) {
    counts.records += 1;
    counts.skip(skipped::UNKNOWN_FORMAT);
}

impl Reader for Recognising {
    fn line(&mut self, line: &[u8], drafts: &mut Vec<Draft>) {
        let (options, held, held_bytes) = match self {
            Self::Known(reader) => return reader.line(line, drafts),
            Self::Unknown(counts) => {
                if !trimmed(line).is_empty() {
                    count_unknown(counts);
                }
                return;
            }
            Self::Looking { options, held, held_bytes, .. } => (options, held, held_bytes),
        };
        if trimmed(line).is_empty() {
            return;
        }
        if let Some(format) = Format::recognise(line) {
            let mut reader = format.reader(options.clone());
            held.iter().for_each(|line| reader.line(line, drafts));
            reader.line(line, drafts);
            *self = Self::Known(reader);
            return;
        }
        *held_bytes += line.len();
        held.push(line.to_owned());
        if held.len() > MAX_HELD_LINES || *held_bytes > MAX_HELD_BYTES {
            self.give_up();
        }
    }

    fn finish(&mut self, drafts: &mut Vec<Draft>) {
        match self {
            Self::Known(reader) => reader.finish(drafts),
            Self::Looking { .. } | Self::Unknown(_) => self.give_up(),
        }
    }

    fn is_settled(&self) -> bool {
        match self {
            Self::Known(reader) => reader.is_settled(),
            // A reader that starts later would have to look for the format again.
            Self::Looking { .. } | Self::Unknown(_) => false,
        }
    }

    fn counts(&self) -> &Counts {
        match self {
            Self::Known(reader) => reader.counts(),
            Self::Looking { counts, .. } | Self::Unknown(counts) => counts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::told;

    #[track_caller]
    fn check(line: &str, expect: Option<Format>) {
        assert_eq!(Format::recognise(line.as_bytes()), expect, "{line}");
    }

    #[test]
    fn records_of_each_agent_are_told_apart() {
        for claude in [
            r#"{"type":"user","message":{"role":"user","content":"hi"}}"#,
            r#"{"parentUuid":null,"type":"system","uuid":"u","sessionId":"s"}"#,
            r#"{"type":"summary","summary":"x","leafUuid":"u"}"#,
            r#"{"type":"queue-operation","operation":"enqueue","timestamp":"t","sessionId":"s"}"#,
            r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{}}"#,
        ] {
            check(claude, Some(Format::Claude));
        }
        for codex in [
            r#"{"timestamp":"t","type":"session_meta","payload":{"id":"x"}}"#,
            r#"{"timestamp":"t","type":"event_msg","payload":{"type":"user_message"}}"#,
            r#"{"id":"x","timestamp":"t","instructions":null,"git":{}}"#,
            r#"{"type":"message","role":"user","content":[]}"#,
        ] {
            check(codex, Some(Format::Codex));
        }
    }

    #[test]
    fn what_could_be_anything_shows_nothing() {
        for line in
            ["", "{", "[1]", "null", "{}", r#"{"type":"user"}"#, r#"{"type":"event_msg"}"#, r#"{"a":1}"#]
        {
            check(line, None);
        }
    }

    #[test]
    fn lines_before_the_first_telling_one_are_not_lost() {
        let lines = [
            "not json",
            r#"{"type":"user"}"#,
            r#"{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"use tabs"}}"#,
        ];
        let (mut reader, mut drafts) = (recognising_reader(Options::default()), Vec::new());
        lines.iter().for_each(|line| reader.line(line.as_bytes(), &mut drafts));
        reader.finish(&mut drafts);
        assert_eq!(told(&drafts), ["u1 channel.message: use tabs"]);
        assert_eq!(reader.counts().records, 3);
    }

    #[test]
    fn a_file_of_no_known_format_gives_counts_and_is_not_kept_in_memory() {
        let (mut reader, mut drafts) = (recognising_reader(Options::default()), Vec::new());
        for _ in 0..=MAX_HELD_LINES * 2 {
            reader.line(b"{\"some\":\"log\"}", &mut drafts);
            reader.line(b"\n", &mut drafts);
        }
        let late = br#"{"type":"user","message":{"role":"user","content":"hi"}}"#;
        reader.line(late, &mut drafts);
        reader.finish(&mut drafts);
        assert_eq!(drafts, []);
        let expect = MAX_HELD_LINES as u64 * 2 + 2;
        assert_eq!(reader.counts().records, expect);
        assert_eq!(reader.counts().skipped[skipped::UNKNOWN_FORMAT], expect);
    }
}
