//! Things that people name again and again: files, code terms in backticks, and subjects whose names are two plain words.
//!
//! Most of what a person names is passing detail. What they name in a fourth session of a project is part of the work there, and each
//! further session that names it is a piece of evidence. A subject has to be named in another sentence each time: a text that is pasted
//! into every session names nothing. Subjects with other names are not recognised.
//!
//! What was named is remembered as hashes, in an index (`var/index/named/<two digits>.json`, subjects in `var/index/subjects/`, since there
//! are many of them). Without it counting begins anew.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_checks::{speech, subjects_in};
use subcortex_memory::{Fragment, SignalKind};
use subcortex_model::Event;
use subcortex_store::durable;

use super::evidence::Judge;
use super::others::Others;
use crate::crystallizer::{is_file, things_in};
use crate::{WeaveError, Workshop};

/// In how many sessions of a project people have to name a thing.
const MIN_SESSIONS: usize = 4;
/// How many sessions are kept for a thing: the last ones.
const MAX_SESSIONS: usize = 32;
/// How many things each of the [`PARTS`] keeps: those that were named last.
const MAX_THINGS: usize = 5_000 / PARTS;
/// The same for subjects: most of them are named once and never again.
const MAX_SUBJECTS: usize = 20_000 / PARTS;
/// How many subjects are counted of one message.
const MAX_SUBJECTS_A_MESSAGE: usize = 6;
/// In how many files they lie, by the first digits of their hashes.
const PARTS: usize = 256;
const PART_DIGITS: usize = 2;
const NAMED: &str = "named";
const SUBJECTS: &str = "subjects";
/// The longest index that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// How many digits of a hash stand for a thing or a session.
const DIGITS: usize = 12;

/// What people have named so far. It lies in [`PARTS`] files, and only those are read that a message asks for.
#[derive(Debug, Default)]
pub(super) struct Recurring {
    /// By folder and part.
    parts: BTreeMap<(&'static str, String), Part>,
}

#[derive(Debug, Default)]
struct Part {
    things: BTreeMap<Digits, Named>,
    is_changed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Named {
    last: Timestamp,
    /// The sessions that named it, the last at the end.
    sessions: Vec<Digits>,
    /// How many there were in all.
    count: usize,
    /// The sentences that named it, if it is a subject: as many as it takes to count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sentences: Vec<Digits>,
}

/// What stands for a thing, a session or a sentence: the first digits of its hash. A long history names very many, so they are kept as a
/// number; in files they are text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
struct Digits(u64);

impl Digits {
    fn of(text: &str) -> Self {
        let hash = blake3::hash(text.as_bytes());
        let first = hash.as_bytes().iter().take(DIGITS / 2);
        Self(first.fold(0, |digits, byte| digits << 8 | u64::from(*byte)))
    }
}

impl From<Digits> for String {
    fn from(digits: Digits) -> Self {
        format!("{:0DIGITS$x}", digits.0)
    }
}

impl TryFrom<String> for Digits {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digits = u64::from_str_radix(&text, 16).ok().filter(|_| text.len() == DIGITS);
        digits.map(Self).ok_or("not the digits of a hash")
    }
}

impl Part {
    /// What is remembered; nothing where there is no index, or a damaged one.
    fn read(shop: &Workshop, folder: &str, part: &str) -> Self {
        let text = durable::read_text(&*shop.disk, &path(shop, folder, part), MAX_BYTES).unwrap_or_default();
        Self { things: serde_json::from_str(&text).unwrap_or_default(), is_changed: false }
    }

    fn write(mut self, shop: &Workshop, folder: &str, part: &str) -> Result<(), WeaveError> {
        let most = if folder == SUBJECTS { MAX_SUBJECTS } else { MAX_THINGS };
        if let Some(surplus) = self.things.len().checked_sub(most).filter(|surplus| *surplus > 0) {
            let mut by_age: Vec<(Timestamp, Digits)> =
                self.things.iter().map(|(thing, named)| (named.last, *thing)).collect();
            by_age.sort();
            by_age.iter().take(surplus).for_each(|(_, thing)| drop(self.things.remove(thing)));
        }
        let json = serde_json::to_vec(&self.things).unwrap_or_default(); // plain data has a text
        Ok(durable::replace_derived(&*shop.disk, &path(shop, folder, part), &json)?)
    }
}

impl Recurring {
    /// Remembers what was named.
    pub(super) fn write(self, shop: &Workshop) -> Result<(), WeaveError> {
        let mut changed = self.parts.into_iter().filter(|(_, part)| part.is_changed).peekable();
        if changed.peek().is_none() || shop.disk.stat(&shop.index_dir).is_err() {
            return Ok(()); // an index that has no place is made anew some other time
        }
        for folder in [NAMED, SUBJECTS] {
            durable::make_dirs(&*shop.disk, &shop.index_dir, Path::new(folder))?;
        }
        changed.try_for_each(|((folder, name), part)| part.write(shop, folder, &name))
    }

    /// Hears a message: what it names that people named in other sessions, at most one piece of evidence of a kind.
    pub(super) fn hear(
        &mut self,
        shop: &Workshop,
        message: &Event,
        others: &Others,
        judge: &Judge<'_>,
    ) -> Vec<Fragment> {
        let mut found: BTreeMap<SignalKind, Fragment> = BTreeMap::new();
        let (Some(session), Some(text)) = (message.session_key.as_deref(), message.text()) else {
            return Vec::new();
        };
        if !message.standing().is_a_persons() {
            return Vec::new();
        }
        let project = message.cwd.as_deref().unwrap_or_default();
        let mut subjects_left = MAX_SUBJECTS_A_MESSAGE;
        for sentence in speech(text).into_iter().filter(|sentence| !others.said(sentence, message)) {
            let things = things_in(sentence).into_iter().filter_map(|thing| Some((kind_of(&thing)?, thing)));
            let subjects = subjects_in(sentence).into_iter().take(subjects_left);
            let subjects: Vec<_> = subjects.map(|subject| (SignalKind::Topic, subject)).collect();
            subjects_left -= subjects.len();
            for (kind, thing) in things.chain(subjects) {
                let thing_there = Digits::of(&format!("{project}\0{thing}"));
                let is_subject = kind == SignalKind::Topic;
                let (folder, said) = if is_subject { (SUBJECTS, Some(sentence)) } else { (NAMED, None) };
                let part = self.part(shop, folder, thing_there);
                let Some(times) = part.name(thing_there, session, said, message.ts) else { continue };
                if times >= MIN_SESSIONS && !found.contains_key(&kind) {
                    let note = format!("people named `{thing}` in {times} sessions of this project by now");
                    found.extend(judge.named(message, kind, sentence, note).map(|fragment| (kind, fragment)));
                }
            }
        }
        found.into_values().collect()
    }

    /// The part that knows of a thing.
    fn part(&mut self, shop: &Workshop, folder: &'static str, thing: Digits) -> &mut Part {
        let digits = String::from(thing);
        let name = digits.get(..PART_DIGITS).unwrap_or_default();
        self.parts.entry((folder, name.to_owned())).or_insert_with(|| Part::read(shop, folder, name))
    }
}

impl Part {
    /// Counts a session; says how many there are when it is a new one, and said in other words than before if it matters how.
    fn name(&mut self, thing: Digits, session: &str, said: Option<&str>, at: Timestamp) -> Option<usize> {
        let session = Digits::of(session);
        let named = self.things.entry(thing).or_insert_with(|| Named {
            last: at,
            sessions: Vec::new(),
            count: 0,
            sentences: Vec::new(),
        });
        self.is_changed |= at > named.last || !named.sessions.contains(&session);
        named.last = named.last.max(at);
        let sentence = said.map(|said| Digits::of(&said.to_lowercase()));
        if named.sessions.contains(&session)
            || sentence.as_ref().is_some_and(|one| named.sentences.contains(one))
        {
            return None;
        }
        if named.sentences.len() < MIN_SESSIONS {
            named.sentences.extend(sentence);
        }
        if named.sessions.len() >= MAX_SESSIONS {
            named.sessions.remove(0);
        }
        named.sessions.push(session);
        named.count += 1;
        Some(named.count)
    }
}

/// What kind of thing a name is of. A plain word is nobody's name, backticks or not.
fn kind_of(thing: &str) -> Option<SignalKind> {
    if thing.contains(['#', '@', '=', '*', '?', '$', '\\', '"', '\'']) {
        return None;
    }
    let words: Vec<&str> = thing.split(' ').collect();
    match words.as_slice() {
        [one] if is_file(one) => Some(SignalKind::Artifact),
        [one] => {
            let is_marked = one.contains(|c: char| c.is_ascii_digit() || "-_/:.".contains(c))
                || one.chars().skip(1).any(char::is_uppercase) && one.chars().any(char::is_lowercase);
            (is_marked && one.chars().filter(|c| c.is_alphabetic()).count() >= 3)
                .then_some(SignalKind::Entity)
        }
        // A command with what it is given.
        [program, rest @ ..] => {
            let is_program = program.len() >= 2
                && program
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_./".contains(c));
            let is_plain = rest.iter().all(|word| word.chars().all(|c| c.is_ascii_graphic()));
            (is_program && is_plain).then_some(SignalKind::Workflow)
        }
        [] => None,
    }
}

fn path(shop: &Workshop, folder: &str, part: &str) -> PathBuf {
    shop.index_dir.join(folder).join(format!("{part}.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_kind_and_plain_words_have_none() {
        for (thing, kind) in [
            ("src/parser.rs", Some(SignalKind::Artifact)),
            ("pr.md", Some(SignalKind::Artifact)),
            ("git pr", Some(SignalKind::Workflow)),
            ("pnpm run build:web", Some(SignalKind::Workflow)),
            ("UserService", Some(SignalKind::Entity)),
            ("release-notes", Some(SignalKind::Entity)),
            ("description", None),
            ("Description", None),
            ("true", None),
            ("v1", None),
            ("Use it", None),
            ("#file:README.md", None),
            ("a = b", None),
        ] {
            assert_eq!(kind_of(thing), kind, "{thing}");
        }
    }

    #[test]
    fn digits_are_the_first_of_a_hash_and_come_back_from_their_text() {
        for text in ["", "a", "what was said"] {
            let digits = Digits::of(text);
            let hex = blake3::hash(text.as_bytes()).to_hex();
            assert_eq!(String::from(digits), hex[..DIGITS]);
            assert_eq!(Digits::try_from(String::from(digits)), Ok(digits));
        }
        assert!(Digits::try_from("0123".to_owned()).is_err());
    }

    #[test]
    fn a_session_counts_once_and_the_oldest_things_go() {
        let mut recurring = Part::default();
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let thing = Digits::of("a");
        assert_eq!(recurring.name(thing, "s1", None, at(1)), Some(1));
        assert_eq!(recurring.name(thing, "s1", None, at(2)), None);
        for number in 2..=100 {
            assert_eq!(recurring.name(thing, &format!("s{number}"), None, at(3)), Some(number));
        }
        assert_eq!(recurring.things[&thing].sessions.len(), MAX_SESSIONS);
    }
}
