//! Whether a person really said what a fragment says: looked up on the spine, so that no file can vouch for itself.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use subcortex_checks::{Board, Kind, hear, is_typed, stands_alone, whole_sentences};
use subcortex_memory::{Forgotten, MadeHere, Origin, SignalKind};
use subcortex_model::Standing;

use super::likeness::is_said_in;
use super::lookup::{Found, search};
use super::settled::{Flaw, Settled};
use crate::worded::{self, Footing};
use crate::{Candidate, LineTally, Sample, Tally, WeaveError, Workshop};

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
    /// Fragments that hold, and whose words others had said elsewhere: they tell of lines, and make none without asking.
    passed_on: BTreeSet<String>,
    /// When the first of those is looked into again that nobody has confirmed yet.
    waits_until: Option<Timestamp>,
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
                Some(Flaw::Less { passing, unworded, in_company, hearsay, passed_on }) => {
                    findings.passing.extend(passing.then(path));
                    findings.unworded.extend(unworded.then(path));
                    findings.in_company.extend(in_company.then(path));
                    findings.hearsay.extend(hearsay.then(path));
                    findings.passed_on.extend(passed_on.then(path));
                }
            }
        }
        findings
    }

    /// The tally without what turned out to be no evidence.
    pub(super) fn applied_to(&self, tally: &Tally) -> Tally {
        let mut tally = tally.clone();
        let found = [&self.passing, &self.unworded, &self.in_company, &self.hearsay, &self.passed_on];
        if self.refuted.is_empty() && found.iter().all(|found| found.is_empty()) {
            return tally;
        }
        for LineTally { samples, against_samples, .. } in tally.lines.values_mut() {
            samples.values_mut().for_each(|samples| *samples = self.kept(samples));
            *against_samples = self.kept(against_samples);
        }
        let candidates = tally.candidates.into_iter().filter_map(|candidate| {
            let is_hearsay =
                [&self.hearsay, &self.passed_on].iter().any(|found| found.contains(&candidate.sample.path));
            let origin = if is_hearsay { Origin::Hearsay } else { candidate.origin };
            self.judged(&candidate.sample).map(|sample| Candidate { sample, origin, ..candidate })
        });
        Tally { candidates: candidates.collect(), lines: tally.lines }
    }

    /// Why fragments were no evidence: references only.
    pub(super) fn refusals(&self) -> impl Iterator<Item = String> {
        self.refuted.iter().map(|(path, why)| format!("{path} is no evidence: {why}"))
    }

    /// From when on there is something to look into again.
    pub(super) fn waits_until(&self) -> Option<Timestamp> {
        self.waits_until
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
            if forgotten.holds(&sample.event_id, sample.session_key.as_deref(), Some(sample.ts)) {
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
                        changed |= held.is_passed_on && self.passed_on.insert(sample.path.clone());
                    }
                    Err(why) => {
                        match &event {
                            Some(Found::NotYet(until)) => {
                                self.waits_until = self.waits_until.into_iter().chain([*until]).min();
                            }
                            _ => settled.found(sample, Flaw::NoEvidence(why.to_owned())),
                        }
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
    /// Others may have said it before, elsewhere.
    is_passed_on: bool,
}

impl Held {
    fn flaw(&self) -> Option<Flaw> {
        let (passing, unworded) = (!self.is_standing, !self.is_worded);
        let (in_company, hearsay, passed_on) = (!self.stands_alone, self.is_hearsay, self.is_passed_on);
        let is_less = passing || unworded || in_company || hearsay || passed_on;
        is_less.then_some(Flaw::Less { passing, unworded, in_company, hearsay, passed_on })
    }
}

/// Holds a sample against its event: why it is no evidence, or what it is.
fn judge(event: Option<&Found>, sample: &Sample) -> Result<Held, &'static str> {
    let (event, is_passed_on) = match event {
        None => return Err("its event was not found on the spine"),
        Some(Found::Internal) => return Err("its event comes from inside"),
        Some(Found::Echo) => return Err("an agent, a tool or a file said it before in its session"),
        Some(Found::NotTyped) => return Err("the file of its session says that no person typed it"),
        Some(Found::NotYet(_)) => return Err("the file of its session does not hold it yet"),
        Some(Found::External { event, is_passed_on }) => (event, *is_passed_on),
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
    let stands_alone = stands_alone(&text, &quote);
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
        // No field names a person: it tells of lines as far as it is one, and makes none without asking.
        is_passed_on: is_passed_on || event.standing() == Standing::Unsigned,
    })
}

/// Whether the message itself says so in a lasting way: what a fragment calls its words is not enough, and neither is a part of what
/// was said, which can mean the opposite.
pub(super) fn is_standing(text: &str, quote: &str) -> bool {
    let heard = hear(text, None, None, &Board::new([]));
    heard.is_some_and(|signal| {
        let about_it = quote.contains(signal.quote.trim());
        signal.kind == Kind::StandingInstruction && signal.durable && about_it
    })
}
