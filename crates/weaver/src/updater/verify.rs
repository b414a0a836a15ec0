//! Whether a person really said what a fragment says: looked up on the spine, so that no file can vouch for itself.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use subcortex_checks::{
    Board, Kind, hear, is_typed, speech, stands_alone, stood_alone_in, stood_in, whole_sentences,
    words_of_others,
};
use subcortex_memory::{Forgotten, MadeHere, Origin, SignalKind};
use subcortex_model::{Event, EventId, Gate, Standing, event_type};
use subcortex_spine::{Cursor, Day, Envelope, Item, Reader, list_days};

use super::settled::{Flaw, Settled};
use crate::worded::{self, Footing};
use crate::{Candidate, LineTally, Sample, Tally, WeaveError, Workshop};

/// How many days of the log are read at most for one edit.
const MAX_DAYS: usize = 32;
/// How many of the newest days are searched for an event whose name does not tell its day.
const MAX_NEWEST_DAYS: usize = 7;
/// Fragments keep milliseconds.
const MAX_TIME_DIFFERENCE: SignedDuration = SignedDuration::from_millis(2);

/// What is known of the fragments that were looked into.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Fragments that hold.
    proven: BTreeSet<String>,
    /// Fragments that are no evidence, and why.
    refuted: BTreeMap<String, String>,
    /// Fragments that hold, but are no standing instruction.
    passing: BTreeSet<String>,
    /// Fragments that hold, but whose rule cannot be shown as the person's wish.
    unworded: BTreeSet<String>,
    /// Fragments that hold, but whose words do not stand alone in their message.
    in_company: BTreeSet<String>,
    /// Fragments that hold, but of which only a text says that a person said it.
    hearsay: BTreeSet<String>,
}

impl Findings {
    /// What earlier runs found out about what is there.
    pub(super) fn known(tally: &Tally, settled: &Settled) -> Self {
        let mut findings = Self::default();
        if settled.knows_no_flaw() {
            return findings;
        }
        let of_lines = tally
            .lines
            .values()
            .flat_map(|line| line.samples.values().flatten().chain(&line.against_samples));
        for sample in tally.candidates.iter().map(|candidate| &candidate.sample).chain(of_lines) {
            let path = || sample.path.clone();
            match settled.flaw(sample) {
                None => {}
                Some(Flaw::NoEvidence(why)) => _ = findings.refuted.insert(path(), why.clone()),
                Some(Flaw::Less { passing, unworded, in_company, hearsay }) => {
                    findings.passing.extend(passing.then(path));
                    findings.unworded.extend(unworded.then(path));
                    findings.in_company.extend(in_company.then(path));
                    findings.hearsay.extend(hearsay.then(path));
                }
            }
        }
        findings
    }

    /// The tally without what turned out to be no evidence.
    pub(super) fn applied_to(&self, tally: &Tally) -> Tally {
        let mut tally = tally.clone();
        let found = [&self.passing, &self.unworded, &self.in_company, &self.hearsay];
        if self.refuted.is_empty() && found.iter().all(|found| found.is_empty()) {
            return tally;
        }
        for LineTally { samples, against_samples, .. } in tally.lines.values_mut() {
            samples.values_mut().for_each(|samples| *samples = self.kept(samples));
            *against_samples = self.kept(against_samples);
        }
        let candidates = tally.candidates.into_iter().filter_map(|candidate| {
            let is_hearsay = self.hearsay.contains(&candidate.sample.path);
            let origin = if is_hearsay { Origin::Hearsay } else { candidate.origin };
            self.judged(&candidate.sample).map(|sample| Candidate { sample, origin, ..candidate })
        });
        Tally { candidates: candidates.collect(), lines: tally.lines }
    }

    /// Why fragments were no evidence: references only.
    pub(super) fn refusals(&self) -> impl Iterator<Item = String> {
        self.refuted.iter().map(|(path, why)| format!("{path} is no evidence: {why}"))
    }

    fn kept(&self, samples: &BTreeSet<Sample>) -> BTreeSet<Sample> {
        let first_hand = samples.iter().filter(|sample| !self.hearsay.contains(&sample.path));
        first_hand.filter_map(|sample| self.judged(sample)).collect()
    }

    fn judged(&self, sample: &Sample) -> Option<Sample> {
        if self.refuted.contains_key(&sample.path) {
            return None;
        }
        let mut sample = sample.clone();
        if self.passing.contains(&sample.path) && sample.signal == SignalKind::StandingInstruction {
            sample.signal = SignalKind::Correction;
        }
        if self.unworded.contains(&sample.path) {
            sample.rule = None;
        }
        sample.in_company = self.in_company.contains(&sample.path);
        Some(sample)
    }

    /// Looks into fragments that were not looked into yet. Says whether anything turned out otherwise than it seemed.
    pub(super) fn look_into(
        &mut self,
        shop: &Workshop,
        forgotten: &Forgotten,
        samples: &[Sample],
        settled: &mut Settled,
    ) -> Result<bool, WeaveError> {
        let mut wanted: BTreeMap<&str, Vec<&Sample>> = BTreeMap::new();
        let mut changed = false;
        for sample in samples {
            if self.proven.contains(&sample.path) || self.refuted.contains_key(&sample.path) {
                continue;
            }
            if forgotten.holds(&sample.event_id, sample.session_key.as_deref()) {
                self.refuted.insert(sample.path.clone(), "its origin was to be forgotten".into());
                changed = true;
                continue;
            }
            wanted.entry(&sample.event_id).or_default().push(sample);
        }
        let made_here = MadeHere::read(&*shop.disk, &shop.folder)?;
        for (event, samples) in search(shop, &wanted)? {
            for sample in samples {
                match judge(event.as_ref(), sample) {
                    Ok(mut held) => {
                        // What somebody else says of an event of ours may be asked about.
                        held.is_hearsay |= !made_here.holds(&*shop.disk, &shop.folder, &sample.path)?;
                        if let Some(flaw) = held.flaw() {
                            settled.found(sample, flaw);
                        }
                        changed |= !held.is_standing && self.passing.insert(sample.path.clone());
                        changed |= !held.is_worded && self.unworded.insert(sample.path.clone());
                        changed |= !held.stands_alone && self.in_company.insert(sample.path.clone());
                        changed |= held.is_hearsay && self.hearsay.insert(sample.path.clone());
                    }
                    Err(why) => {
                        settled.found(sample, Flaw::NoEvidence(why.to_owned()));
                        self.refuted.insert(sample.path.clone(), why.to_owned());
                        changed = true;
                        continue;
                    }
                }
                self.proven.insert(sample.path.clone());
            }
        }
        Ok(changed)
    }
}

/// What a sample turned out to be that holds.
struct Held {
    /// It is as lasting as it claims to be.
    is_standing: bool,
    /// Its rule may be shown as the person's wish.
    is_worded: bool,
    /// Nothing stands beside it that could make it somebody else's words.
    stands_alone: bool,
    /// Only a text says that a person said it, or what they meant.
    is_hearsay: bool,
}

impl Held {
    fn flaw(&self) -> Option<Flaw> {
        let (passing, unworded) = (!self.is_standing, !self.is_worded);
        let (in_company, hearsay) = (!self.stands_alone, self.is_hearsay);
        let is_less = passing || unworded || in_company || hearsay;
        is_less.then_some(Flaw::Less { passing, unworded, in_company, hearsay })
    }
}

/// Holds a sample against its event: why it is no evidence, or what it is.
fn judge(event: Option<&Found>, sample: &Sample) -> Result<Held, &'static str> {
    let (event, is_told) = match event {
        None => return Err("its event was not found on the spine"),
        Some(Found::Internal) => return Err("its event comes from inside"),
        Some(Found::Echo) => return Err("an agent, a tool or a file said it before in its session"),
        Some(Found::External { event, is_told }) => (event, is_told),
    };
    if event.standing() == Standing::Nobodys {
        return Err("its event is not what a person said");
    }
    if event.session_key != sample.session_key {
        return Err("its event belongs to another session");
    }
    if event.ts.duration_since(sample.ts).abs() > MAX_TIME_DIFFERENCE {
        return Err("its event happened at another time");
    }
    let text = event.text().unwrap_or("").replace('\r', "");
    let quote = sample.quote.replace('\r', "");
    if quote.trim().is_empty() || !text.contains(&quote) {
        return Err("its quote does not stand in the event");
    }
    if !is_typed(&text, &quote) {
        return Err("its quote is something that the person pasted");
    }
    if event.shown().is_some_and(|shown| is_said_in(&quote, shown)) {
        return Err("its quote stands in what was shown beside it");
    }
    // What a fragment leaves out of a sentence can turn it round.
    let whole = whole_sentences(&text, &quote).unwrap_or_default();
    let footing = sample.rule.as_ref().map(|rule| worded::footing(rule, whole, &text));
    // What is too short to be told from others' words may be theirs.
    let stands_alone = stands_alone(&text, &quote) && !is_told;
    Ok(Held {
        is_standing: match footing {
            Some(footing) => footing == Footing::Rests,
            None => {
                sample.signal != SignalKind::StandingInstruction
                    || (stands_alone && is_standing(&text, &quote))
            }
        },
        stands_alone,
        is_worded: !matches!(footing, Some(Footing::Unfit(_))),
        is_hearsay: event.standing() == Standing::Hearsay,
    })
}

/// Whether the message itself says so in a lasting way: what a fragment calls its words is not enough, and neither is a part of what
/// was said, which can mean the opposite.
pub(super) fn is_standing(text: &str, quote: &str) -> bool {
    let heard = hear(text, None, &Board::new([]));
    heard.is_some_and(|signal| {
        let about_it = quote.contains(signal.quote.trim());
        signal.kind == Kind::StandingInstruction && signal.durable && about_it
    })
}

#[derive(Debug)]
enum Found {
    Internal,
    External {
        event: Box<Event>,
        /// Somebody else had said something as short before, word for word.
        is_told: bool,
    },
    /// It says what somebody else had said before, in the session and on that day.
    Echo,
}

/// An event, if it was found, and the samples that cite it.
type Looked<'a> = (Option<Found>, Vec<&'a Sample>);
type Wanted<'s, 'a> = BTreeMap<&'s str, Vec<&'a Sample>>;

/// Finds events by their names: first on the days that the names and times tell, then on the newest ones.
fn search<'a>(shop: &Workshop, wanted: &Wanted<'_, 'a>) -> Result<Vec<Looked<'a>>, WeaveError> {
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
                read_day(shop, day, wanted, &mut found)?;
            }
        }
    }
    Ok(wanted.iter().map(|(id, samples)| (found.remove(id), samples.clone())).collect())
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

/// By event, the calls that texts answer in which its words stand.
type Answers<'s> = BTreeMap<&'s str, BTreeSet<Option<String>>>;

/// Which events that are looked for repeat what others said before them in their sessions.
#[derive(Debug, Default)]
struct Echoes<'s> {
    said: Answers<'s>,
    /// The same for what is too short to be told apart.
    said_shortly: Answers<'s>,
}

impl<'s> Echoes<'s> {
    /// Takes in a record that is not looked for itself.
    fn hear(&mut self, envelope: &Envelope<'_>, wanted: &Wanted<'s, '_>, found: &BTreeMap<&'s str, Found>) {
        let Some(session) = envelope.session_key.as_deref() else { return };
        let of_session = |sample: &&Sample| sample.session_key.as_deref() == Some(session);
        let waiting =
            wanted.iter().filter(|(id, samples)| !found.contains_key(*id) && samples.iter().any(of_session));
        let waiting: Vec<_> = waiting.collect();
        if waiting.is_empty() {
            return;
        }
        let Ok(event) = envelope.to_event() else { return };
        let Some(words) = words_of_others(&event) else { return };
        let answers = call_of(&event).filter(|_| event.event_type == event_type::AGENT_TOOL_RESULT);
        for (id, samples) in waiting {
            let is_in = |find: fn(&str, &str) -> bool| {
                samples.iter().flat_map(|sample| speech(&sample.quote)).any(|part| find(part, &words))
            };
            if is_in(stood_in) {
                self.said.entry(id).or_default().insert(answers.clone());
            }
            if is_in(stood_alone_in) {
                self.said_shortly.entry(id).or_default().insert(answers.clone());
            }
        }
    }
}

/// Whether a message repeats one of these. A person's words in the answer of a tool are their own.
fn holds(said: &Answers<'_>, id: &str, message: &Event) -> bool {
    let own = call_of(message);
    let is_others = |answers: &Option<String>| own.is_none() || *answers != own;
    said.get(id).is_some_and(|said| said.iter().any(is_others))
}

/// The tool call that an event belongs to.
fn call_of(event: &Event) -> Option<String> {
    event.payload.get("tool_use_id")?.as_str().map(str::to_owned)
}

/// Whether one of the sentences of a quote stands in a text.
fn is_said_in(quote: &str, text: &str) -> bool {
    speech(quote).into_iter().any(|sentence| stood_in(sentence, text))
}

fn read_day<'s>(
    shop: &Workshop,
    day: Day,
    wanted: &Wanted<'s, '_>,
    found: &mut BTreeMap<&'s str, Found>,
) -> Result<(), WeaveError> {
    let from = Some(Cursor::at_start_of(day));
    let mut reader = Reader::open(Arc::clone(&shop.disk), &shop.events_dir, from)?;
    let mut echoes = Echoes::default();
    reader.read(|file, item| {
        if file.day != day {
            return ControlFlow::Break(());
        }
        let Item::Record { envelope, .. } = item else { return ControlFlow::Continue(()) };
        let Some((id, _)) = wanted.get_key_value(&*envelope.id) else {
            echoes.hear(&envelope, wanted, found);
            return ControlFlow::Continue(());
        };
        let event = match envelope.gate() {
            Gate::External => envelope.to_event().ok().map(|event| match holds(&echoes.said, id, &event) {
                true => Found::Echo,
                false => {
                    let is_told = holds(&echoes.said_shortly, id, &event);
                    Found::External { event: Box::new(event), is_told }
                }
            }),
            Gate::Internal | Gate::Unscannable => Some(Found::Internal),
        };
        if let Some(event) = event {
            found.entry(id).or_insert(event);
        }
        if found.len() == wanted.len() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(())
}
