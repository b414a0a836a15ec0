//! Whose session file it is, told from its lines.
//!
//! The first lines are held back until one of them shows the format; then they are read as if it had been known
//! from the start.

use std::borrow::Cow;

use subcortex_model::Draft;

use super::counts::{Counts, skipped};
use super::json::{Json, Piece};
use super::{Options, Reader, raw, trimmed};
use crate::Agent;

/// How many lines are held back at most …
const MAX_HELD_LINES: usize = 256;
/// … and how many bytes. A file that shows no format until then is none that we know.
const MAX_HELD_BYTES: usize = 1024 * 1024;
/// Longer lines are not looked into: sessions begin with short ones, and a line has to be parsed to be looked into.
const MAX_TELLING_BYTES: usize = 1024 * 1024;

/// The fields of a line, for whoever wants to know whose it is.
#[derive(Debug, Default)]
pub struct Fields<'a>(Vec<(Cow<'a, str>, Piece<'a>)>);

impl<'a> Fields<'a> {
    fn of(json: &'a Json<'a>) -> Option<Self> {
        let entries = json.root().entries()?.map(|(key, value)| Some((key.decoded()?, value)));
        entries.collect::<Option<_>>().map(Self)
    }

    /// Of a field that stands there twice the last counts.
    fn get(&self, key: &str) -> Option<Piece<'a>> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// Whether there is such a field, and it is not null.
    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some_and(|raw| raw.get() != "null")
    }

    /// The text of a field; empty if it is none.
    pub fn text(&self, key: &str) -> Cow<'_, str> {
        raw::text(self.get(key)).unwrap_or_default()
    }
}

/// The agent that alone can have written this line; `None` if it shows none.
pub fn recognise(agents: &[&'static Agent], line: &[u8]) -> Option<&'static Agent> {
    let line = trimmed(line);
    if !line.starts_with(b"{") || line.len() > MAX_TELLING_BYTES {
        return None;
    }
    let line = String::from_utf8_lossy(line);
    let json = Json::parse(&line)?;
    let fields = Fields::of(&json)?;
    let mut theirs = agents.iter().copied().filter(|agent| (agent.sessions.is_record)(&fields));
    theirs.next().filter(|_| theirs.next().is_none())
}

/// A reader for a file of one of these agents. Where there are several, its lines show whose it is; a file that shows
/// nobody gives nothing, and its lines are counted.
pub fn reader_of(agents: &[&'static Agent], options: Options) -> Box<dyn Reader> {
    if let [only] = agents {
        return only.reader(options);
    }
    Box::new(Recognising::Looking(Looking {
        agents: agents.to_vec(),
        options,
        held: Vec::new(),
        held_bytes: 0,
        counts: Counts::default(),
    }))
}

/// A file that has not shown yet whose it is.
struct Looking {
    agents: Vec<&'static Agent>,
    options: Options,
    held: Vec<Vec<u8>>,
    held_bytes: usize,
    counts: Counts,
}

enum Recognising {
    Looking(Looking),
    Known(Box<dyn Reader>),
    Unknown(Counts),
}

impl Recognising {
    /// Lines that show nothing are counted once it is certain that no reader will count them.
    fn give_up(&mut self) {
        if let Self::Looking(looking) = self {
            let mut counts = std::mem::take(&mut looking.counts);
            looking.held.iter().for_each(|_| count_unknown(&mut counts));
            *self = Self::Unknown(counts);
        }
    }
}

fn count_unknown(counts: &mut Counts) {
    counts.records += 1;
    counts.skip(skipped::UNKNOWN_FORMAT);
}

impl Reader for Recognising {
    fn pause(&mut self, drafts: &mut Vec<Draft>) {
        if let Self::Known(reader) = self {
            reader.pause(drafts);
        }
    }

    fn line(&mut self, line: &[u8], drafts: &mut Vec<Draft>) {
        let looking = match self {
            Self::Known(reader) => return reader.line(line, drafts),
            Self::Unknown(counts) => {
                match trimmed(line) {
                    [] => counts.blank(line),
                    _ => count_unknown(counts),
                }
                return;
            }
            Self::Looking(looking) => looking,
        };
        if trimmed(line).is_empty() {
            return looking.counts.blank(line);
        }
        if let Some(agent) = recognise(&looking.agents, line) {
            let mut reader = agent.reader(looking.options.clone());
            (0..looking.counts.records).for_each(|_| reader.line(&[0], drafts));
            looking.held.iter().for_each(|line| reader.line(line, drafts));
            reader.line(line, drafts);
            *self = Self::Known(reader);
            return;
        }
        looking.held_bytes += line.len();
        looking.held.push(line.to_owned());
        if looking.held.len() > MAX_HELD_LINES || looking.held_bytes > MAX_HELD_BYTES {
            self.give_up();
        }
    }

    fn finish(&mut self, drafts: &mut Vec<Draft>) {
        match self {
            Self::Known(reader) => reader.finish(drafts),
            Self::Looking(_) | Self::Unknown(_) => self.give_up(),
        }
    }

    fn is_settled(&self) -> bool {
        match self {
            Self::Known(reader) => reader.is_settled(),
            // A reader that starts later would have to look for the format again.
            Self::Looking(_) | Self::Unknown(_) => false,
        }
    }

    fn counts(&self) -> &Counts {
        match self {
            Self::Known(reader) => reader.counts(),
            Self::Looking(Looking { counts, .. }) | Self::Unknown(counts) => counts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::told;
    use crate::{AGENTS, CLAUDE, CODEX};

    #[track_caller]
    fn check(line: &str, expect: Option<&Agent>) {
        assert_eq!(recognise(AGENTS, line.as_bytes()), expect, "{line}");
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
            check(claude, Some(&CLAUDE));
        }
        for codex in [
            r#"{"timestamp":"t","type":"session_meta","payload":{"id":"x"}}"#,
            r#"{"timestamp":"t","type":"event_msg","payload":{"type":"user_message"}}"#,
            r#"{"id":"x","timestamp":"t","instructions":null,"git":{}}"#,
            r#"{"type":"message","role":"user","content":[]}"#,
        ] {
            check(codex, Some(&CODEX));
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
        let (mut reader, mut drafts) = (reader_of(AGENTS, Options::default()), Vec::new());
        lines.iter().for_each(|line| reader.line(line.as_bytes(), &mut drafts));
        reader.finish(&mut drafts);
        assert_eq!(told(&drafts), ["u1 channel.message (prompt_text): use tabs"]);
        assert_eq!(reader.counts().records, 3);
    }

    #[test]
    fn a_run_of_nul_bytes_is_counted_as_left_out_wherever_it_stands() {
        let known =
            r#"{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"use tabs"}}"#;
        for lines in [["\0\0\0", known, "\0\0"], ["not json", "\0", "\0\0"]] {
            let (mut reader, mut drafts) = (reader_of(AGENTS, Options::default()), Vec::new());
            lines.iter().chain(&["", "  "]).for_each(|line| reader.line(line.as_bytes(), &mut drafts));
            reader.finish(&mut drafts);
            assert_eq!((reader.counts().records, reader.counts().skipped[skipped::NUL_BYTES]), (3, 2));
        }
    }

    #[test]
    fn a_file_of_no_known_format_gives_counts_and_is_not_kept_in_memory() {
        let (mut reader, mut drafts) = (reader_of(AGENTS, Options::default()), Vec::new());
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
