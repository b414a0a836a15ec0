//! Wishes that were decided on before: as long as nothing that they rest on changes, nobody works them out again.
//!
//! ```json
//! {"version":1,"ground":"0123…","wishes":{"89ab…":{"rests_on":"cdef…","came_to":"nothing"}},"flaws":{"memory/fragments/…":["4567…",{"no_evidence":"why"}]}}
//! ```
//!
//! in `var/index/wishes.json`. There may be a thousand wishes, and a turn adds one at most; each costs the reading of all that was said.
//!
//! - What becomes of a wish follows from what was said (`rests_on`), and from what it is held against (`ground`): the lines, the edits, what a
//!   person rejected, where lines do their work, the program. Another ground, another version, another day: all are worked out anew.
//! - A wish that would change the broadcast is not remembered, and one that is to be put to a person is worked out once more before: what is
//!   remembered here can only keep something from being asked for, never vouch for it. The same holds for fragments that turned out to be
//!   no evidence.
//! - It holds no words of anybody's: wishes and what they rest on are hashes. It can be deleted.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_memory::{LineCheck, Trajectory, check_files};
use subcortex_store::durable;

use super::plan::Situation;
use crate::{Sample, WeaveError, Workshop};

const NAME: &str = "wishes.json";
/// The version of this file, and of the way in which wishes are decided on.
const VERSION: u32 = 1;
/// The largest index that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// How many digits of a hash stand for something.
const DIGITS: usize = 24;

/// What was decided, as far as it can be relied on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Settled {
    version: u32,
    ground: String,
    wishes: BTreeMap<String, Entry>,
    flaws: BTreeMap<String, (String, Flaw)>,
    /// The wishes that are there now: the others are forgotten.
    #[serde(skip)]
    met: BTreeSet<String>,
    /// The wishes that are worked out in this run, however often the plan is made anew: else two of them could take turns for ever.
    #[serde(skip)]
    due: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    rests_on: String,
    came_to: Fate,
}

/// What became of a wish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Fate {
    /// Nothing is to be done.
    Nothing,
    /// Nothing is done, and why: references only.
    Held(String),
    /// A person may be asked.
    Asked(Resting),
}

/// What is wrong with a sample that was held against the log. What is right with it is found out again whenever it is acted on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Flaw {
    /// It is no evidence, and why.
    NoEvidence(String),
    /// It is less than it says.
    Less {
        /// No standing instruction.
        passing: bool,
        /// Its rule cannot be shown as the person's wish.
        unworded: bool,
        /// Its words do not stand alone in their message.
        #[serde(default)]
        in_company: bool,
        /// Only a text says that a person said it.
        hearsay: bool,
        /// Others may have said it before, elsewhere.
        #[serde(default)]
        passed_on: bool,
    },
}

/// A proposal that is not worked out: enough to say whether there is room for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Resting {
    /// The wish.
    pub(super) wish: String,
    /// The name of the proposal.
    pub(super) id: String,
    /// How much speaks for it.
    pub(super) points: i32,
    /// Whether it is a new rule: only so many of these wait at once.
    pub(super) is_new_rule: bool,
    /// When the newest of what it rests on was said.
    pub(super) newest: Option<Timestamp>,
    /// Whether all that it wants is words that are a rule.
    pub(super) wants_words: bool,
}

impl Settled {
    /// What is remembered; nothing where there is no index, or a damaged one.
    pub(super) fn read(shop: &Workshop) -> Self {
        let text = durable::read_text(&*shop.disk, &shop.index_dir.join(NAME), MAX_BYTES).unwrap_or_default();
        let known = serde_json::from_str::<Self>(&text).ok();
        known.filter(|known| known.version == VERSION).unwrap_or_default()
    }

    /// Writes what is there now, if it is not what was read.
    pub(super) fn write(mut self, shop: &Workshop, before: &Self) -> Result<(), WeaveError> {
        let met = std::mem::take(&mut self.met);
        self.due.clear();
        self.wishes.retain(|wish, _| met.contains(wish));
        self.version = VERSION;
        if self == *before || shop.disk.stat(&shop.index_dir).is_err() {
            return Ok(()); // an index that has no place is made anew some other time
        }
        let json = serde_json::to_vec(&self).unwrap_or_default(); // plain data has a text
        Ok(durable::replace_derived(&*shop.disk, &shop.index_dir.join(NAME), &json)?)
    }

    /// Takes this for the ground; what was decided on another one is forgotten.
    pub(super) fn stand_on(&mut self, ground: String) {
        if self.ground != ground {
            *self = Self { version: VERSION, ground, ..Self::default() };
        }
    }

    /// What became of a wish that rests on this, if it is known.
    pub(super) fn fate(&mut self, wish: &str, rests_on: &str) -> Option<&Fate> {
        self.met.insert(wish.to_owned());
        if self.due.contains(wish) {
            return None;
        }
        self.wishes.get(wish).filter(|entry| entry.rests_on == rests_on).map(|entry| &entry.came_to)
    }

    /// Remembers what became of a wish; `None`: it is to be worked out again.
    pub(super) fn remember(&mut self, wish: String, rests_on: String, came_to: Option<Fate>) {
        match came_to {
            Some(came_to) => drop(self.wishes.insert(wish, Entry { rests_on, came_to })),
            None => drop(self.wishes.remove(&wish)),
        }
    }

    /// Has these worked out, in all of this run.
    pub(super) fn work_out<'a>(&mut self, wishes: impl IntoIterator<Item = &'a Resting>) {
        self.due.extend(wishes.into_iter().map(|remembered| remembered.wish.clone()));
    }

    /// What was found out about a sample, if it is the same.
    pub(super) fn flaw(&self, sample: &Sample) -> Option<&Flaw> {
        let (looked_at, flaw) = self.flaws.get(&sample.path)?;
        (*looked_at == digest_of([sample])).then_some(flaw)
    }

    /// Remembers what was found out about a sample.
    pub(super) fn found(&mut self, sample: &Sample, flaw: Flaw) {
        self.flaws.insert(sample.path.clone(), (digest_of([sample]), flaw));
    }

    /// Whether nothing was found out about any sample.
    pub(super) fn knows_no_flaw(&self) -> bool {
        self.flaws.is_empty()
    }
}

/// The name of a wish: no word of it.
pub(super) fn name_of(key: &str) -> String {
    shortened(&blake3::hash(key.as_bytes()))
}

/// What a wish rests on, as one hash.
pub(super) fn digest_of<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> String {
    let mut parts = Parts::default();
    for sample in samples {
        parts.text(&sample.path);
        parts.text(&sample.ts.as_nanosecond().to_string());
        parts.text(&sample.event_id);
        parts.text(sample.session_key.as_deref().unwrap_or_default());
        parts.text(sample.project.as_deref().unwrap_or_default());
        parts.text(sample.signal.as_str());
        parts.text(&sample.quote);
        parts.text(sample.rule.as_deref().unwrap_or_default());
        parts.text(if sample.by_model { "model" } else { "" });
        parts.text(if sample.in_company { "in company" } else { "" });
    }
    parts.finish()
}

/// What wishes are held against, as one hash.
pub(super) fn ground_of(situation: &Situation<'_>) -> String {
    let mut parts = Parts::default();
    parts.text(env!("CARGO_PKG_VERSION"));
    parts.text(&situation.now.strftime("%Y-%m-%d").to_string());
    parts.text(&format!("{:?} {:?}", situation.settings.mode, situation.began));
    for (line, LineCheck { check, by }) in situation.compiled.lines() {
        parts.text(line.hash.as_str());
        parts.text(&line.text);
        parts.text(line.project.as_deref().unwrap_or_default());
        parts.text(&format!("{by:?} {}", check_files::digest(check)));
        // Where a line does its work decides whether words against it are a rule of their own.
        let tally = situation.tally.lines.get(&line.hash);
        let works =
            tally.and_then(|tally| tally.samples.get(&Trajectory::Strengthening)).into_iter().flatten();
        let projects: BTreeSet<&str> = works.filter_map(|sample| sample.project.as_deref()).collect();
        projects.into_iter().for_each(|project| parts.text(project));
    }
    for edit in &situation.journal.edits {
        parts.text(&format!("{} {} {:?}", edit.id, edit.ts, edit.cause));
        for change in &edit.changes {
            parts.text(&format!("{:?}", change.kind));
            let hashes = [&change.hash_before, &change.hash_after];
            hashes.iter().for_each(|hash| parts.text(hash.as_ref().map_or("", |hash| hash.as_str())));
            for words in [&change.before, &change.after, &change.project] {
                parts.text(words.as_deref().unwrap_or_default());
            }
            let seen =
                change.hash_after.as_ref().zip(situation.stood).map(|(hash, stood)| stood.has_seen(hash));
            parts.text(&format!("{seen:?}"));
        }
    }
    for (rule, at) in situation.rejected_rules {
        parts.text(&format!("{rule} {at}"));
    }
    parts.finish()
}

#[derive(Debug, Default)]
struct Parts(blake3::Hasher);

impl Parts {
    fn text(&mut self, text: &str) {
        self.0.update(&(text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
    }

    fn finish(&self) -> String {
        shortened(&self.0.finalize())
    }
}

fn shortened(hash: &blake3::Hash) -> String {
    hash.to_hex().get(..DIGITS).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two wishes that both look as if they were to be asked while they rest, and there is room for one: each time one of them is
    /// worked out and turns out to be less than it seemed, the other takes its place.
    #[test]
    fn two_remembered_wishes_do_not_take_turns_for_ever() {
        let resting = |wish: &str| Resting {
            wish: wish.to_owned(),
            id: format!("prop_{wish}"),
            points: 5,
            is_new_rule: true,
            newest: None,
            wants_words: false,
        };
        let mut settled = Settled::default();
        settled.stand_on("the same ground".into());
        for wish in ["one", "other"] {
            settled.remember(wish.into(), "words".into(), Some(Fate::Asked(resting(wish))));
        }
        for plans in 1.. {
            assert!(plans <= 3, "the plan is made anew for ever");
            let rests: Vec<&str> = ["one", "other"]
                .into_iter()
                .filter(|wish| matches!(settled.fate(wish, "words"), Some(Fate::Asked(_))))
                .collect();
            for wish in ["one", "other"].iter().filter(|wish| !rests.contains(wish)) {
                settled.remember((*wish).into(), "words".into(), Some(Fate::Asked(resting(wish))));
            }
            let Some(due) = rests.first() else { break };
            settled.work_out([&resting(due)]);
        }
        assert!(settled.fate("one", "words").is_none(), "what was worked out in a run stays so in that run");
    }
}
