//! Events that evidence cites, looked up on the spine; and whether somebody else had said before what the person says in them.
//!
//! In the session itself such words are passed on, and no evidence. Elsewhere on the days before, and where they are only nearly the same,
//! they are a doubt, unless a person was the first to say them: agents repeat what people tell them.
//!
//! Before is what stands before in the log or happened before: a hook tells of a prompt at once, and what was said in front of it may be read
//! much later. Where place and time do not agree, neither helps whoever wrote them: a person was first only if both say so.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use regex::bytes::Regex;
use serde_json::Value;
use subcortex_guard::{folded, is_encoded};
use subcortex_model::{
    CONTESTS_FIELD, DISOWNED_PROMPT_FIELD, Event, EventId, Gate, REPEATS_FIELD, Standing, UNTIMED_FIELD, Via,
    event_type,
};
use subcortex_spine::{Cursor, Day, DayFile, Envelope, Item, Reader, list_days};

use super::likeness::{Like, Sentences};
use super::session_file::{Confirmed, confirmed};
use crate::{Sample, WeaveError, Workshop};

/// How many days of the log are read at most for one edit.
const MAX_DAYS: usize = 32;
/// How many of the newest days are searched for an event whose name does not tell its day.
const MAX_NEWEST_DAYS: usize = 7;
/// How many days before an event are searched for others who said the same.
const MAX_DAYS_BEFORE: usize = 7;
/// How many days behind an event are searched for what is told of it later: a daemon that was away reads a session when it is back.
const MAX_DAYS_AFTER: u32 = 7;
/// How much of the log these days may be, in bytes.
const MAX_BYTES_BEFORE: u64 = 256 * 1024 * 1024;
/// About how much longer a compressed day is than its file.
const COMPRESSION: u64 = 8;
/// How many sayings of people are kept for one event.
const MAX_PERSONS: usize = 256;
/// How far the clock of whoever wrote a record may be ahead.
const MAX_AHEAD: SignedDuration = SignedDuration::from_mins(10);
/// How long before an event others may have said the same, if it was read later.
const MAX_TIME_BEFORE: SignedDuration = SignedDuration::from_hours(24 * MAX_DAYS_BEFORE as i64);

/// An event that evidence cites.
#[derive(Debug)]
pub(super) enum Found {
    Internal,
    External {
        event: Box<Event>,
        /// Others may have said it before, elsewhere.
        is_passed_on: bool,
    },
    /// It says what somebody else had said before in the session.
    Echo,
    /// The file of its session says that no person typed it.
    NotTyped,
    /// The file of its session does not hold it yet; it is waited for until then.
    NotYet(Timestamp),
}

/// An event, if it was found, and the samples that cite it.
type Looked<'a> = (Option<Found>, Vec<&'a Sample>);
type Wanted<'s, 'a> = BTreeMap<&'s str, Vec<&'a Sample>>;

/// Finds events by their names: first on the days that the names and times tell, then on the newest ones.
pub(super) fn search<'a>(shop: &Workshop, wanted: &Wanted<'_, 'a>) -> Result<Vec<Looked<'a>>, WeaveError> {
    let mut found: BTreeMap<&str, Found> = BTreeMap::new();
    if !wanted.is_empty() {
        let (files, _) = list_days(&*shop.disk, &shop.events_dir)?;
        let there: BTreeSet<Day> = files.iter().map(|file| file.day).collect();
        let likely: BTreeSet<Day> =
            wanted.iter().flat_map(|(id, samples)| likely_days(id, samples)).collect();
        let likely: Vec<Day> = there.intersection(&likely).copied().collect();
        let newest = there.iter().rev().take(MAX_NEWEST_DAYS).filter(|day| !likely.contains(day)).copied();
        let days: Vec<Day> = likely.iter().rev().copied().chain(newest).take(MAX_DAYS).collect();
        for day in days {
            if found.len() < wanted.len() {
                read_until(shop, first_before(shop, &files, day), day, wanted, &mut found)?;
            }
        }
    }
    let looked = wanted.iter().map(|(id, samples)| {
        let event = found.remove(id).map(|found| in_file(shop, found, samples));
        (event, samples.clone())
    });
    Ok(looked.collect())
}

/// What was found, as the file of its session has it.
fn in_file(shop: &Workshop, found: Found, samples: &[&Sample]) -> Found {
    let Found::External { event, is_passed_on } = found else { return found };
    let quotes: Vec<&str> = samples.iter().map(|sample| &*sample.quote).collect();
    match confirmed(shop, &event, &quotes) {
        Confirmed::ByRecord | Confirmed::Words => Found::External { event, is_passed_on },
        Confirmed::Doubtful => Found::External { event, is_passed_on: true },
        Confirmed::Nobodys => Found::NotTyped,
        Confirmed::Echo => Found::Echo,
        Confirmed::NotYet(until) => Found::NotYet(until),
    }
}

/// The days on which an event may have been appended.
fn likely_days(id: &str, samples: &[&Sample]) -> Vec<Day> {
    let moments = match EventId::from_log(id).appended_at() {
        Some(appended) => vec![appended],
        // A line that somebody else wrote, most often on the day on which it happened.
        None => samples.iter().map(|sample| sample.ts).collect(),
    };
    let next = |moment: Timestamp| moment.checked_add(SignedDuration::from_hours(24)).unwrap_or(moment);
    moments.into_iter().flat_map(|moment| [Day::of(moment), Day::of(next(moment))]).collect()
}

/// The first of the days that are looked at for what others said before this one.
fn first_before(shop: &Workshop, files: &[DayFile], day: Day) -> Day {
    let mut left = MAX_BYTES_BEFORE;
    let earlier = files.iter().rev().filter(|file| file.day < day).take(MAX_DAYS_BEFORE);
    let read = earlier.map_while(|file| {
        let bytes = shop.disk.stat(&file.path).map_or(u64::MAX, |stat| stat.len);
        left = left.checked_sub(if file.compressed { bytes.saturating_mul(COMPRESSION) } else { bytes })?;
        Some(file.day)
    });
    read.last().unwrap_or(day)
}

/// Reads the days around the events that are looked for, and judges those that it finds.
fn read_until<'s>(
    shop: &Workshop,
    first: Day,
    day: Day,
    wanted: &Wanted<'s, '_>,
    found: &mut BTreeMap<&'s str, Found>,
) -> Result<(), WeaveError> {
    let from = Some(Cursor::at_start_of(first));
    let mut reader = Reader::open(Arc::clone(&shop.disk), &shop.events_dir, from)?;
    let mut search = Search::new(wanted.iter().filter(|(id, _)| !found.contains_key(*id)));
    reader.read(|file, item| {
        if file.day > day && (!search.has_found() || day.days_until(file.day) > MAX_DAYS_AFTER) {
            return ControlFlow::Break(());
        }
        if let Item::Record { envelope, .. } = item {
            search.take(&envelope);
        }
        ControlFlow::Continue(())
    })?;
    found.extend(search.judged());
    Ok(())
}

/// Events that are looked for in one reading of the log.
struct Search<'s> {
    cases: BTreeMap<&'s str, Case>,
    /// Finds the words without which nobody says the same; `None` when there is nothing to look for that way.
    telling: Option<Regex>,
    /// How many records were read.
    place: usize,
}

impl<'s> Search<'s> {
    fn new<'w, 'a: 'w>(wanted: impl Iterator<Item = (&'w &'s str, &'w Vec<&'a Sample>)>) -> Self
    where
        's: 'w,
    {
        let cases: BTreeMap<&str, Case> = wanted.map(|(id, samples)| (*id, Case::of(samples))).collect();
        let words: BTreeSet<&str> = cases.values().flat_map(|case| case.sentences.telling()).collect();
        let source = words.into_iter().collect::<Vec<_>>().join("|");
        let telling = Some(source).filter(|source| !source.is_empty());
        let telling = telling.and_then(|source| Regex::new(&format!("(?i){source}")).ok());
        Self { cases, telling, place: 0 }
    }

    fn has_found(&self) -> bool {
        self.cases.values().any(|case| case.found.is_some())
    }

    /// Takes in the next record.
    fn take(&mut self, envelope: &Envelope<'_>) {
        self.place += 1;
        let session = envelope.session_key.as_deref();
        let is_wanted = self.cases.contains_key(&*envelope.id);
        let is_near = self.cases.values().any(|case| case.is_of(session));
        let may_hold = || self.telling.as_ref().is_none_or(|words| is_told_in(envelope.payload(), words));
        if !is_wanted && !is_near && !may_hold() {
            return;
        }
        let event = envelope.to_event().ok();
        if let Some(case) = self.cases.get_mut(&*envelope.id) {
            let new = match envelope.gate() {
                Gate::External => event.clone().map(Box::new).map(Cited::External),
                Gate::Internal | Gate::Unscannable => Some(Cited::Internal),
            };
            case.found = case.found.take().or(new);
        }
        let Some(event) = event else { return };
        // Somebody may cite a later message with the same words.
        let others = self.cases.iter_mut().filter(|(id, _)| **id != envelope.id);
        others.for_each(|(_, case)| case.hear(&event, self.place));
    }

    fn judged(self) -> impl Iterator<Item = (&'s str, Found)> {
        self.cases.into_iter().filter_map(|(id, case)| Some((id, case.judged()?)))
    }
}

/// An event as it was found.
enum Cited {
    Internal,
    External(Box<Event>),
}

/// When something was said: its place in the log, and its time. Of several things, the earliest of each.
#[derive(Debug, Clone, Copy)]
struct When {
    place: usize,
    ts: Timestamp,
}

impl When {
    fn or_earlier(self, other: Self) -> Self {
        Self { place: self.place.min(other.place), ts: self.ts.min(other.ts) }
    }

    /// Whether this came first, whichever way one looks.
    fn is_before(self, other: Self) -> bool {
        self.place < other.place && self.ts <= other.ts
    }
}

/// What others said of the words, by the call that it answers, and when it was said first.
type Said = BTreeMap<(Option<String>, Like), When>;

/// One of the events that are looked for.
struct Case {
    sentences: Sentences,
    sessions: BTreeSet<String>,
    /// When it happened.
    ts: Timestamp,
    found: Option<Cited>,
    /// The calls whose answers hold its words in the session; `None` where they stand in anything else.
    same: BTreeSet<Option<String>>,
    /// What others said that may be the same, or is nearly the same, or stands elsewhere.
    alike: Said,
    /// Another message came by its name, and does not say it.
    is_contested: bool,
    /// What people said, and the names of these messages.
    persons: Vec<(Like, When)>,
    persons_names: BTreeSet<String>,
}

impl Case {
    fn of(samples: &[&Sample]) -> Self {
        Self {
            sentences: Sentences::of(samples.iter().map(|sample| &*sample.quote)),
            sessions: samples.iter().filter_map(|sample| sample.session_key.clone()).collect(),
            ts: samples.iter().map(|sample| sample.ts).min().unwrap_or_default(),
            found: None,
            same: BTreeSet::new(),
            alike: Said::new(),
            is_contested: false,
            persons: Vec::new(),
            persons_names: BTreeSet::new(),
        }
    }

    fn is_of(&self, session: Option<&str>) -> bool {
        session.is_some_and(|session| self.sessions.contains(session))
    }

    /// Takes in another event.
    fn hear(&mut self, event: &Event, place: usize) {
        if event.event_type == event_type::PROMPT_DISOWNED {
            return self.disown(event);
        }
        if self.is_told_again_by(event) {
            self.disown_as(Via::Unknown);
        }
        self.is_contested |= self.is_contested_by(event);
        let is_in_session = self.is_of(event.session_key.as_deref());
        let (is_behind, is_untimed) = (self.found.is_some(), is_untimed(event));
        let is_recent = is_in_session || self.ts.duration_since(event.ts) <= MAX_TIME_BEFORE;
        let is_earlier = !is_behind || event.ts < self.ts && is_recent;
        // Of what has no true time of its own nobody knows when it was said.
        if !is_earlier && !is_untimed {
            return;
        }
        let when = When { place, ts: event.ts };
        let like = self.sentences.likeness(event);
        let answers = answers(event);
        if like.is_same && is_in_session && is_earlier {
            self.same.insert(answers.clone());
        }
        let hidden = self.sentences.all().filter(|_| like.may_be && is_in_session);
        for one in like.alike.into_iter().chain(hidden) {
            let first = self.alike.entry((answers.clone(), one)).or_insert(when);
            *first = first.or_earlier(when);
        }
        let persons = self.sentences.said_by_person(event);
        if is_earlier && !is_untimed && !persons.is_empty() && self.persons.len() < MAX_PERSONS {
            self.persons.extend(persons.into_iter().map(|said| (said, when)));
            self.persons_names.extend(names_of(event).map(str::to_owned));
        }
    }

    /// Whether an event has the name of the one that is looked for, and other words.
    fn is_contested_by(&self, event: &Event) -> bool {
        let name = event.payload.get(CONTESTS_FIELD).and_then(Value::as_str);
        let is_its = |found: &Event| name.is_some_and(|name| names_of(found).any(|known| known == name));
        let Some(Cited::External(found)) = &self.found else { return false };
        is_its(found) && !event.text().is_some_and(|text| self.sentences.are_said_in(text))
    }

    /// Whether an event tells the words of the record that is looked for as somebody else's: a copy of that record, in this file or another one,
    /// with a field that says so. It knows more.
    fn is_told_again_by(&self, event: &Event) -> bool {
        let Some(Cited::External(found)) = &self.found else { return false };
        let may_tell = matches!(&*event.event_type, event_type::CHANNEL_MESSAGE | event_type::AGENT_SHOWN);
        let may_repeat = event.payload.contains_key(REPEATS_FIELD);
        let is_nobodys = may_tell && !may_repeat && event.standing() == Standing::Nobodys;
        let same = |text: &str| {
            found.text().is_some_and(|words| words.split_whitespace().eq(text.split_whitespace()))
        };
        is_nobodys
            && record_of(event).is_some_and(|record| record_of(found) == Some(record))
            && event.text().is_some_and(same)
    }

    /// What was found came by this way, if that is a worse one.
    fn disown_as(&mut self, via: Via) {
        if let Some(Cited::External(prompt)) = &mut self.found
            && via.standing() > prompt.via().standing()
        {
            prompt.payload.extend(via.word().map(|word| (Via::FIELD.to_owned(), word.into())));
        }
    }

    /// What a record says of a prompt that a hook told of before: the prompt came by that way.
    fn disown(&mut self, mark: &Event) {
        let via = Via::of(&mark.payload);
        let Some(name) = mark.payload.get(DISOWNED_PROMPT_FIELD).and_then(Value::as_str) else { return };
        if self.persons_names.contains(name) {
            self.persons.clear(); // whoever said it first was no person
        }
        let Some(Cited::External(prompt)) = &self.found else { return };
        if names_of(prompt).any(|known| known == name) && prompt.text() == mark.text() {
            self.disown_as(via);
        }
    }

    /// What it turned out to be, if it was found.
    fn judged(self) -> Option<Found> {
        let event = match self.found? {
            Cited::Internal => return Some(Found::Internal),
            Cited::External(event) => event,
        };
        // A person's words in the answer of a tool are their own.
        let own = call_of(&event);
        let is_others = |answers: &Option<String>| own.is_none() || *answers != own;
        if self.same.iter().any(is_others) {
            return Some(Found::Echo);
        }
        let is_persons = |like: Like, when: When| {
            self.persons.iter().any(|(said, first)| said.covers(like) && first.is_before(when))
        };
        let mut doubts = self.alike.iter().filter(|((answers, _), _)| is_others(answers));
        let is_passed_on = self.is_contested || doubts.any(|((_, like), when)| !is_persons(*like, *when));
        Some(Found::External { event, is_passed_on })
    }
}

/// Whether one of these words stands in a text, however its letters are drawn.
fn is_told_in(text: &[u8], words: &Regex) -> bool {
    let is_drawn = || std::str::from_utf8(text).is_ok_and(|text| words.is_match(folded(text).as_bytes()));
    // How many letters a step back takes is seen in the text itself.
    let steps_back = || memchr::memmem::find(text, b"\\b").is_some();
    words.is_match(text) || (!text.is_ascii() || is_encoded(text)) && is_drawn() || steps_back()
}

/// Whether an event does not say when it happened, or says that it happened after it was told.
fn is_untimed(event: &Event) -> bool {
    let is_ahead = |appended: Timestamp| event.ts.duration_since(appended) > MAX_AHEAD;
    event.payload.contains_key(UNTIMED_FIELD) || event.id.appended_at().is_some_and(is_ahead)
}

fn names_of(event: &Event) -> impl Iterator<Item = &str> {
    event.dedup.iter().flat_map(|dedup| [dedup.key.as_deref(), Some(&*dedup.source_id)]).flatten()
}

/// The name of the record that an event came from, without that of its session: a copy has it, too.
fn record_of(event: &Event) -> Option<&str> {
    let (_, record) = event.dedup.as_ref()?.source_id.rsplit_once('/')?;
    let record = record.split_once('#').map_or(record, |(record, _)| record);
    (!record.starts_with('~')).then_some(record)
}

/// The tool call whose answer, or a part of it, an event tells.
pub(super) fn answers(event: &Event) -> Option<String> {
    let is_answer = matches!(&*event.event_type, event_type::AGENT_TOOL_RESULT | event_type::AGENT_SHOWN);
    call_of(event).filter(|_| is_answer)
}

/// The tool call that an event belongs to.
pub(super) fn call_of(event: &Event) -> Option<String> {
    event.payload.get("tool_use_id")?.as_str().map(str::to_owned)
}
