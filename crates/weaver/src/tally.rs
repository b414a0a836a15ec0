//! What all fragments together say: the numbers behind the ledger, and what the updater decides on.
//!
//! A tally does not depend on the order in which fragments are folded in: counts are sums, samples are the latest by
//! time and path, sessions are sets.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use subcortex_checks::{line_hash, rule_key};
use subcortex_memory::{LineHash, Origin, Rate, SignalKind, Trajectory};
use subcortex_model::EventId;

/// What all fragments say together.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// By line. Lines that are no longer in the broadcast stay as long as they have fragments.
    pub lines: BTreeMap<LineHash, LineTally>,
    /// What no line says, by (time, fragment path); bounded, newest kept.
    pub candidates: BTreeSet<Candidate>,
}

/// What the fragments say about one line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LineTally {
    /// Evidence that it was followed.
    pub strengthening: u64,
    /// Evidence that it was not, or was contradicted.
    pub weakening: u64,
    /// Evidence that nobody can read either way.
    pub neutral: u64,
    /// Of `weakening`: a person contradicts the line, or following it led to the fault (`direction-wrong`).
    pub against: u64,
    /// Of `against`: a person said so as a standing instruction.
    pub against_standing: u64,
    /// The sessions of `against`, at most [`LineTally::MAX_SESSIONS`], smallest first.
    pub against_sessions: BTreeSet<String>,
    /// Of `weakening`: a person sides with the line (it was right and was ignored).
    pub sided_with: u64,
    /// Of `weakening`: the dossier existed, was needed, and was not opened.
    pub recall_miss: u64,
    /// Of all these: what the line's check alone decided. It counts as long as that check is trusted.
    pub by_check: ByCheck,
    /// The latest evidence for each trajectory, at most [`LineTally::MAX_SAMPLES`] each, oldest first.
    pub samples: BTreeMap<Trajectory, BTreeSet<Sample>>,
    /// The latest contradictions by a person (at most [`LineTally::MAX_SAMPLES`]), oldest first.
    pub against_samples: BTreeSet<Sample>,
    /// The number under which the latest evidence knew the line.
    pub last_number: usize,
    /// The time of the latest evidence.
    pub last_ts: Option<Timestamp>,
}

impl LineTally {
    /// How many pieces of evidence are kept as samples.
    pub const MAX_SAMPLES: usize = 5;
    /// How many sessions are told apart: more than any decision needs.
    pub const MAX_SESSIONS: usize = 16;

    /// What is left when the line's check is not trusted: people's words, and what a model judged.
    #[must_use]
    pub fn without_check(&self) -> Self {
        let ByCheck { strengthening, weakening, neutral, recall_miss } = self.by_check;
        let mut left = self.clone();
        left.strengthening -= strengthening.min(left.strengthening);
        left.weakening -= weakening.min(left.weakening);
        left.neutral -= neutral.min(left.neutral);
        left.recall_miss -= recall_miss.min(left.recall_miss);
        left.by_check = ByCheck::default();
        left.samples.values_mut().for_each(|samples| samples.retain(|sample| !sample.by_check));
        left.samples.retain(|_, samples| !samples.is_empty());
        left
    }

    /// All evidence.
    pub fn total(&self) -> u64 {
        self.strengthening + self.weakening + self.neutral
    }

    /// How often the line was followed when it had an occasion.
    pub fn rate(&self) -> Rate {
        Rate { followed: self.strengthening, missed: self.weakening }
    }
}

/// How much of the evidence about a line its check alone decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ByCheck {
    /// That it was followed.
    pub strengthening: u64,
    /// That it was not.
    pub weakening: u64,
    /// That nobody can tell.
    pub neutral: u64,
    /// That its dossier was not opened.
    pub recall_miss: u64,
}

impl ByCheck {
    /// All of it.
    pub fn total(&self) -> u64 {
        self.strengthening + self.weakening + self.neutral
    }
}

/// A piece of evidence in short. Ordered by time, then path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Sample {
    /// When it happened.
    pub ts: Timestamp,
    /// The fragment, as a reference.
    pub path: String,
    /// The event that it quotes.
    pub event_id: String,
    /// Its session.
    pub session_key: Option<String>,
    /// The project directory.
    pub project: Option<String>,
    /// Why it was kept.
    pub signal: SignalKind,
    /// The words, verbatim (the whole quote).
    pub quote: String,
    /// The rule that a model made of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Whether the line's check alone decided.
    #[serde(default)]
    pub by_check: bool,
    /// Whether a model heard it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_model: bool,
    /// Whether its message holds more than the wish, as far as was looked: then it may be somebody else's words.
    #[serde(skip)]
    pub in_company: bool,
}

impl Sample {
    /// The moment that says whether it came before or after something that happened here. Whoever's clock is ahead says what they say
    /// when it arrives, so that nothing that was said outlasts what a person decided afterwards.
    pub fn moment(&self) -> Timestamp {
        moment_of(self.ts, &EventId::from_log(&*self.event_id))
    }
}

/// By how much a clock may be ahead of this machine's before it is not believed: 1 h.
const MAX_AHEAD: SignedDuration = SignedDuration::from_hours(1);

/// When something was said by the clock of this machine. A clock that is far ahead is not believed: then it was said when it was written down here.
pub(crate) fn moment_of(said: Timestamp, event: &EventId) -> Timestamp {
    let appended = event.appended_at().filter(|appended| said.duration_since(*appended) > MAX_AHEAD);
    appended.unwrap_or(said)
}

/// The sessions in which something was said. A session that was resumed or forked may repeat another one, record by record:
/// the same words at the same moment were said once.
pub(crate) fn sessions_of<'a>(
    said: impl IntoIterator<Item = (Timestamp, &'a str, &'a str)>,
) -> BTreeSet<&'a str> {
    let mut first_heard: BTreeMap<(Timestamp, &str), &str> = BTreeMap::new();
    for (ts, quote, session) in said {
        let heard = first_heard.entry((ts, quote)).or_insert(session);
        *heard = session.min(*heard);
    }
    first_heard.into_values().collect()
}

/// Something durable that no line says. Ordered by time, then path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Candidate {
    /// The evidence.
    pub sample: Sample,
    /// Whose words they are.
    pub origin: Origin,
    /// What is meant, as a key that other words of the same rule have too: worked out once, when the fragment is folded in.
    pub key: String,
}

impl Candidate {
    /// A candidate, with its meaning.
    pub fn new(sample: Sample, origin: Origin) -> Self {
        let key = meaning_of(sample.rule.as_ref().unwrap_or(&sample.quote));
        Self { sample, origin, key }
    }
}

/// What words mean, as a key: equal for two wordings of the same rule.
pub(crate) fn meaning_of(words: &str) -> String {
    let key = rule_key(words);
    // Words that the rules know nothing of (another script, say) must not all be the same.
    if key.ends_with(':') { format!("text:{}", line_hash(words)) } else { key }
}

impl Tally {
    /// How many candidates are kept: the newest.
    pub const MAX_CANDIDATES: usize = 1_000;
}
