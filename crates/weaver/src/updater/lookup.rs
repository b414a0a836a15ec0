//! Events that evidence cites, looked up on the spine; and whether somebody else had said before what the person says in them.
//!
//! In the session itself such words are passed on, and no evidence. Elsewhere on the days before they are a doubt, unless a person was
//! the first to say them: agents repeat what people tell them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use regex::bytes::Regex;
use serde_json::Value;
use subcortex_checks::{speech, stood_alone_in, stood_in, words_of_others};
use subcortex_model::{DISOWNED_PROMPT_FIELD, Event, EventId, Gate, ORDERS_CUT, Standing, Via, event_type};
use subcortex_spine::{Cursor, Day, DayFile, Envelope, Item, Reader, list_days};

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
/// From how many letters on a word is rare enough to look for records by it.
const MIN_TELLING_LETTERS: usize = 4;

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
    /// The file of its session does not hold it yet.
    NotYet,
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
        Confirmed::NoFile | Confirmed::Words => Found::External { event, is_passed_on },
        Confirmed::Doubtful => Found::External { event, is_passed_on: true },
        Confirmed::Nobodys => Found::NotTyped,
        Confirmed::Echo => Found::Echo,
        Confirmed::NotYet => Found::NotYet,
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

fn read_until<'s>(
    shop: &Workshop,
    first: Day,
    day: Day,
    wanted: &Wanted<'s, '_>,
    found: &mut BTreeMap<&'s str, Found>,
) -> Result<(), WeaveError> {
    let from = Some(Cursor::at_start_of(first));
    let mut reader = Reader::open(Arc::clone(&shop.disk), &shop.events_dir, from)?;
    let mut before = Before::of(wanted);
    reader.read(|file, item| {
        if file.day > day && (found.is_empty() || day.days_until(file.day) > MAX_DAYS_AFTER) {
            return ControlFlow::Break(());
        }
        let Item::Record { envelope, .. } = item else { return ControlFlow::Continue(()) };
        let Some((id, _)) = wanted.get_key_value(&*envelope.id) else {
            before.hear(&envelope, wanted, found);
            hear_later(&envelope, wanted, found);
            return ControlFlow::Continue(());
        };
        let event = match envelope.gate() {
            Gate::External => envelope.to_event().ok().map(|event| before.judge(id, event)),
            Gate::Internal | Gate::Unscannable => Some(Found::Internal),
        };
        if let Some(event) = event {
            found.entry(id).or_insert(event);
        }
        before.hear(&envelope, wanted, found); // somebody may cite a later message with the same words
        ControlFlow::Continue(())
    })?;
    Ok(())
}

/// Takes in a record that stands behind events that were found. A hook tells of a prompt at once, and of others' words, and of whose the
/// prompt is, the agent's own records tell, which may be read much later.
fn hear_later(envelope: &Envelope<'_>, wanted: &Wanted<'_, '_>, found: &mut BTreeMap<&str, Found>) {
    let session = envelope.session_key.as_deref();
    for (id, found) in found.iter_mut() {
        let Found::External { event, .. } = found else { continue };
        if session.is_none() || event.session_key.as_deref() != session {
            continue;
        }
        let Ok(later) = envelope.to_event() else { return };
        if later.event_type == event_type::PROMPT_DISOWNED {
            disown(event, &later);
            continue;
        }
        let own_call = call_of(event).filter(|_| later.event_type == event_type::AGENT_TOOL_RESULT);
        let is_its_own = own_call.is_some() && call_of(&later) == own_call;
        let samples = wanted.get(id).map(Vec::as_slice).unwrap_or_default();
        let says = |text: &str| samples.iter().any(|sample| is_said_in(&sample.quote, text));
        if later.ts < event.ts && !is_its_own && words_of_others(&later).as_deref().is_some_and(says) {
            *found = Found::Echo;
        }
    }
}

/// What a record says of a prompt that a hook told of before: the prompt came by that way.
fn disown(prompt: &mut Event, mark: &Event) {
    let names = prompt.dedup.iter().flat_map(|dedup| [dedup.key.as_deref(), Some(&*dedup.source_id)]);
    let name = mark.payload.get(DISOWNED_PROMPT_FIELD).and_then(Value::as_str);
    let is_it =
        name.is_some() && names.into_iter().any(|known| known == name) && prompt.text() == mark.text();
    let via = Via::of(&mark.payload);
    if is_it && via.standing() > Via::of(&prompt.payload).standing() {
        prompt.payload.extend(via.word().map(|word| (Via::FIELD.to_owned(), word.into())));
    }
}

/// By event, the call that each of some texts answers.
type Answers<'s> = BTreeMap<&'s str, BTreeSet<Option<String>>>;

/// Who said before what is said in events that are looked for.
#[derive(Debug)]
struct Before<'s> {
    /// Texts of others in the session that hold its words.
    in_session: Answers<'s>,
    /// The same for words that are too few to be theirs for sure.
    shortly: Answers<'s>,
    /// Events whose words others said elsewhere, before any person.
    elsewhere: BTreeSet<&'s str>,
    /// Events whose words a person was the first to say.
    persons: BTreeSet<&'s str>,
    /// Finds the words without which nobody says the same; `None` when there is nothing to look for that way.
    telling: Option<Regex>,
}

impl<'s> Before<'s> {
    fn of(wanted: &Wanted<'s, '_>) -> Self {
        let quotes = wanted.values().flatten().map(|sample| &*sample.quote);
        let words: Option<BTreeSet<String>> = quotes.flat_map(speech).map(telling_word).collect();
        let source = words.map(|words| format!("(?i-u){}", words.into_iter().collect::<Vec<_>>().join("|")));
        let telling = source.and_then(|source| Regex::new(&source).ok());
        Self {
            in_session: BTreeMap::new(),
            shortly: BTreeMap::new(),
            elsewhere: BTreeSet::new(),
            persons: BTreeSet::new(),
            telling,
        }
    }

    /// Takes in a record.
    fn hear(&mut self, envelope: &Envelope<'_>, wanted: &Wanted<'s, '_>, found: &BTreeMap<&'s str, Found>) {
        let session = envelope.session_key.as_deref();
        let waiting: Vec<_> = wanted.iter().filter(|(id, _)| !found.contains_key(*id)).collect();
        let is_of = |samples: &[&Sample]| {
            session.is_some() && samples.iter().any(|sample| sample.session_key.as_deref() == session)
        };
        let may_hold = || self.telling.as_ref().is_none_or(|words| words.is_match(envelope.payload()));
        let is_near = waiting.iter().any(|(_, samples)| is_of(samples));
        if waiting.is_empty() || !is_near && !may_hold() {
            return;
        }
        let Ok(event) = envelope.to_event() else { return };
        let others = words_of_others(&event);
        let persons = persons_words(&event);
        let answers = call_of(&event).filter(|_| event.event_type == event_type::AGENT_TOOL_RESULT);
        for (id, samples) in waiting {
            let says = |text: &str| samples.iter().any(|sample| is_said_in(&sample.quote, text));
            if let Some(text) = others.as_deref() {
                if is_of(samples) && says(text) {
                    self.in_session.entry(id).or_default().insert(answers.clone());
                }
                let quotes = || samples.iter().flat_map(|sample| speech(&sample.quote));
                if is_of(samples) && quotes().any(|sentence| stood_alone_in(sentence, text)) {
                    self.shortly.entry(id).or_default().insert(answers.clone());
                }
                let may_have = is_of(samples) && text.contains(ORDERS_CUT);
                if may_have || !is_of(samples) && !self.persons.contains(id) && says(text) {
                    self.elsewhere.insert(id);
                }
            }
            if !self.elsewhere.contains(id) && persons.as_deref().is_some_and(says) {
                self.persons.insert(id);
            }
        }
    }

    /// What an event that was looked for is.
    fn judge(&self, id: &str, event: Event) -> Found {
        if holds(&self.in_session, id, &event) {
            return Found::Echo;
        }
        let is_passed_on = self.elsewhere.contains(id) || holds(&self.shortly, id, &event);
        Found::External { event: Box::new(event), is_passed_on }
    }
}

/// Whether a message repeats one of these texts. A person's words in the answer of a tool are their own.
fn holds(said: &Answers<'_>, id: &str, message: &Event) -> bool {
    let own = call_of(message);
    let is_others = |answers: &Option<String>| own.is_none() || *answers != own;
    said.get(id).is_some_and(|said| said.iter().any(is_others))
}

/// What a person says in an event, and does not pass on.
fn persons_words(event: &Event) -> Option<String> {
    let is_theirs = event.event_type == event_type::CHANNEL_MESSAGE && event.standing() == Standing::Words;
    event.text().filter(|_| is_theirs).map(|text| speech(text).join("\n"))
}

/// The tool call that an event belongs to.
fn call_of(event: &Event) -> Option<String> {
    event.payload.get("tool_use_id")?.as_str().map(str::to_owned)
}

/// Whether one of the sentences of a quote stands in a text.
pub(super) fn is_said_in(quote: &str, text: &str) -> bool {
    speech(quote).into_iter().any(|sentence| stood_in(sentence, text))
}

/// The longest plain word of a sentence.
fn telling_word(sentence: &str) -> Option<String> {
    let words = sentence.split(|letter: char| !letter.is_alphanumeric());
    let plain = words.filter(|word| word.len() >= MIN_TELLING_LETTERS && word.is_ascii());
    plain.max_by_key(|word| word.len()).map(str::to_owned)
}
