//! How people's words were understood, held against what they meant.

use std::collections::BTreeMap;

use subcortex_checks::RootCause;
use subcortex_memory::fragments::Found;
use subcortex_memory::{Fragment, Origin};

use crate::measure::Heard;
use crate::reading::asks;

/// What the broadcast said when a person corrected the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stood {
    /// Nothing about it.
    NoLine,
    /// A line says the same: it was forgotten.
    LineAgrees,
    /// A line says otherwise: it misled.
    LineDisagrees,
}

/// How a correction was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Taken {
    /// As it was meant: a new wish, on the side of a line, or against one.
    AsMeant,
    /// As a new wish, although a line is about it.
    NotTied,
    /// As speaking for a line that it contradicts.
    ForWrongly,
    /// As speaking against a line that it does not contradict.
    AgainstWrongly,
    /// Not as anything.
    NotHeard,
}

/// How people's words were understood.
#[derive(Debug, Clone, Default)]
pub struct Hearing {
    /// Corrections, by what stood there and how they were taken.
    pub corrections: BTreeMap<(Stood, Taken), usize>,
    /// The sentences that were not taken as meant, with how often.
    pub misheard: BTreeMap<(String, Stood, Taken), usize>,
    /// How often something was said that is no rule, and how often it was taken for one.
    pub no_rules: (usize, usize),
    /// What was taken for a rule and is none, with how often.
    pub taken_for_rules: BTreeMap<String, usize>,
}

impl Hearing {
    /// Adds up.
    pub fn add(&mut self, other: &Self) {
        for (key, count) in &other.corrections {
            *self.corrections.entry(*key).or_default() += count;
        }
        for (key, count) in &other.misheard {
            *self.misheard.entry(key.clone()).or_default() += count;
        }
        for (key, count) in &other.taken_for_rules {
            *self.taken_for_rules.entry(key.clone()).or_default() += count;
        }
        self.no_rules.0 += other.no_rules.0;
        self.no_rules.1 += other.no_rules.1;
    }

    /// The share of corrections that were taken as they were meant, in percent.
    pub fn percent_as_meant(&self) -> f64 {
        let all: usize = self.corrections.values().sum();
        let meant = self.corrections.iter().filter(|((_, taken), _)| *taken == Taken::AsMeant);
        meant.map(|(_, count)| count).sum::<usize>() as f64 * 100.0 / all.max(1) as f64
    }
}

pub(crate) fn hearing(
    heard: &[Heard],
    chats: &[(String, &'static str)],
    found: &Found,
    texts: &BTreeMap<String, String>,
) -> Hearing {
    let mut by_event: BTreeMap<&str, Vec<&Fragment>> = BTreeMap::new();
    for stored in &found.fragments {
        let fragment = &stored.fragment;
        if fragment.origin == Origin::Person && fragment.signal.is_a_wish() {
            by_event.entry(fragment.source_event_id.as_str()).or_default().push(fragment);
        }
    }
    let of = |event: &str| by_event.get(event).map(Vec::as_slice).unwrap_or_default();
    let mut hearing = Hearing::default();
    for heard in heard {
        let stood = match (heard.against.is_empty(), heard.with.is_empty()) {
            (false, _) => Stood::LineDisagrees,
            (true, false) => Stood::LineAgrees,
            (true, true) => Stood::NoLine,
        };
        let taken = taken(heard, stood, of(heard.event.as_deref().unwrap_or_default()), texts);
        *hearing.corrections.entry((stood, taken)).or_default() += 1;
        if taken != Taken::AsMeant {
            *hearing.misheard.entry((heard.message.clone(), stood, taken)).or_default() += 1;
        }
    }
    for (event, words) in chats {
        hearing.no_rules.0 += 1;
        if !of(event).is_empty() {
            hearing.no_rules.1 += 1;
            *hearing.taken_for_rules.entry((*words).to_owned()).or_default() += 1;
        }
    }
    hearing
}

fn taken(heard: &Heard, stood: Stood, fragments: &[&Fragment], texts: &BTreeMap<String, String>) -> Taken {
    let mut best = Taken::NotHeard;
    for fragment in fragments {
        let text = fragment.line.as_ref().and_then(|line| texts.get(line.hash.as_str()));
        let is_against = fragment.root_cause == Some(RootCause::DirectionWrong);
        let this = match text {
            None if stood == Stood::NoLine => Taken::AsMeant,
            None => Taken::NotTied,
            Some(text) if heard.against.contains(text) && is_against => Taken::AsMeant,
            Some(text) if heard.against.contains(text) => Taken::ForWrongly,
            Some(_) if is_against => Taken::AgainstWrongly,
            // Words that are looked at again when the turn is over may meet the line that they brought.
            Some(text) if asks(text) == Some((heard.topic, heard.wanted)) => Taken::AsMeant,
            Some(_) => Taken::NotTied,
        };
        best = best.min(this);
    }
    best
}
