//! Folding: each fragment is added to what all say together, in whatever order they come.
//!
//! Everything here is a sum, or the smallest or greatest few of a set. So neither the order nor the portions in which
//! fragments are folded can be seen in the result.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_checks::RootCause;
use subcortex_memory::fragments::Stored;
use subcortex_memory::{Fragment, JudgedBy, Origin, SignalKind, Trajectory};

use super::escape::MAX_QUOTE_CHARS;
use super::things::things_in;
use crate::{Candidate, LineTally, Sample, Tally};

/// Stands for the session of evidence that has none: all of it together counts as one session.
pub(super) const NO_SESSION: &str = "-";
/// How many mentions of things are kept: the newest.
const MAX_MENTIONS: usize = 2_000;

/// What all fragments say together, and what the tally has no place for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Totals {
    /// What the updater decides on.
    pub(super) tally: Tally,
    /// Things with a name in people's words; bounded, newest kept.
    pub(super) mentions: BTreeSet<Mention>,
}

/// A thing with a name, in the words of a person. Ordered by time, then path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Mention {
    pub(super) ts: Timestamp,
    /// The fragment, as a reference.
    pub(super) path: String,
    /// The thing, as it was written.
    pub(super) thing: String,
    pub(super) session: String,
    pub(super) signal: SignalKind,
    pub(super) project: Option<String>,
    /// The line that it was said about.
    pub(super) line: Option<String>,
    /// The beginning of the words: as much as is ever shown.
    pub(super) quote: String,
}

impl Totals {
    /// Adds a fragment. Nobody may add the same one twice.
    pub(super) fn fold(&mut self, stored: &Stored) {
        let Stored { path, fragment } = stored;
        let sample = sample_of(path, fragment);
        if fragment.origin == Origin::Person {
            self.mention(&sample, fragment);
        }
        match &fragment.line {
            Some(line) => {
                let tally = self.tally.lines.entry(line.hash.clone()).or_default();
                fold_line(tally, line.number, fragment, sample);
            }
            // What only recurs is no wish: it has a page, and nothing asks for a line.
            None if !fragment.signal.is_a_wish() => {}
            None => {
                let candidate = Candidate::new(sample, fragment.origin);
                insert_latest(&mut self.tally.candidates, candidate, Tally::MAX_CANDIDATES);
            }
        }
    }

    fn mention(&mut self, sample: &Sample, fragment: &Fragment) {
        for thing in things_in(&sample.quote) {
            let mention = Mention {
                ts: sample.ts,
                path: sample.path.clone(),
                thing,
                session: session_of(sample).to_owned(),
                signal: sample.signal,
                project: sample.project.clone(),
                line: fragment.line.as_ref().map(|line| line.hash.to_string()),
                quote: beginning(&sample.quote),
            };
            insert_latest(&mut self.mentions, mention, MAX_MENTIONS);
        }
    }
}

/// A little more than a page shows, so that it shows that there is more.
fn beginning(quote: &str) -> String {
    quote.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_QUOTE_CHARS + 1).collect()
}

/// The session of a piece of evidence.
pub(super) fn session_of(sample: &Sample) -> &str {
    sample.session_key.as_deref().unwrap_or(NO_SESSION)
}

fn sample_of(path: &str, fragment: &Fragment) -> Sample {
    Sample {
        ts: fragment.source_ts,
        path: path.to_owned(),
        event_id: fragment.source_event_id.as_str().to_owned(),
        session_key: fragment.session_key.clone(),
        project: fragment.project.clone(),
        signal: fragment.signal,
        quote: fragment.quote.clone(),
        rule: fragment.rule.clone(),
        by_check: fragment.line.is_some() && fragment.is_by_check(),
        by_model: fragment.judged_by == JudgedBy::Model,
        in_company: false,
    }
}

fn fold_line(tally: &mut LineTally, number: usize, fragment: &Fragment, sample: Sample) {
    let (seen, ts) = ((tally.last_ts, tally.last_number), Some(sample.ts));
    (tally.last_ts, tally.last_number) = seen.max((ts, number));
    let by_check = u64::from(sample.by_check);
    match fragment.trajectory {
        Trajectory::Strengthening => {
            tally.strengthening += 1;
            tally.by_check.strengthening += by_check;
        }
        Trajectory::Weakening => {
            tally.weakening += 1;
            tally.by_check.weakening += by_check;
            let is_recall_miss = fragment.root_cause == Some(RootCause::RecallMiss);
            tally.by_check.recall_miss += if is_recall_miss { by_check } else { 0 };
            fold_weakening(tally, fragment, &sample);
        }
        Trajectory::Neutral => {
            tally.neutral += 1;
            tally.by_check.neutral += by_check;
        }
        // A new signal has no line: such a fragment is rejected before it comes here.
        Trajectory::NewSignal => return,
    }
    let samples = tally.samples.entry(fragment.trajectory).or_default();
    insert_latest(samples, sample, LineTally::MAX_SAMPLES);
}

/// Whom the evidence sides with. Only a person can be against a line: what a page or a tool says must not take a line away.
fn fold_weakening(tally: &mut LineTally, fragment: &Fragment, sample: &Sample) {
    let person = fragment.origin == Origin::Person;
    match fragment.root_cause {
        Some(RootCause::DirectionWrong) if person => {
            tally.against += 1;
            tally.against_standing += u64::from(fragment.signal == SignalKind::StandingInstruction);
            insert_smallest(
                &mut tally.against_sessions,
                session_of(sample).to_owned(),
                LineTally::MAX_SESSIONS,
            );
            insert_latest(&mut tally.against_samples, sample.clone(), LineTally::MAX_SAMPLES);
        }
        Some(RootCause::DirectionWrong) => {}
        Some(RootCause::RecallMiss) => tally.recall_miss += 1,
        None => tally.sided_with += u64::from(person && fragment.signal.is_a_wish()),
    }
}

fn insert_latest<T: Ord>(set: &mut BTreeSet<T>, item: T, max: usize) {
    if set.len() >= max && set.first().is_some_and(|oldest| item < *oldest) {
        return;
    }
    set.insert(item);
    while set.len() > max {
        set.pop_first();
    }
}

fn insert_smallest<T: Ord>(set: &mut BTreeSet<T>, item: T, max: usize) {
    set.insert(item);
    while set.len() > max {
        set.pop_last();
    }
}
