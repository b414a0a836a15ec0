//! What a session did before a turn: for rules about a piece of work, which may take several turns.

use std::collections::VecDeque;

use subcortex_model::{EventId, Turn};

use crate::facts::{Act, ActKind, Apart, Facts};
use crate::language::{CommandEnd, Condition, Glob, Hit, Scene, Since, any_matches};

/// How many turns of a session are remembered.
const MAX_TURNS: usize = 100;
/// How much text of them is remembered, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// What a session did before a turn, in bounded memory.
#[derive(Debug, Default)]
pub struct Past {
    turns: VecDeque<(Facts<'static>, usize)>,
    bytes: usize,
    /// Whether nothing is missing at its beginning.
    whole: bool,
    /// The turn that was judged last: the words that open the next one speak of it.
    newest: Option<Newest>,
}

/// What was found in a turn, and the turn's first event and how many it has.
#[derive(Debug)]
struct Newest {
    facts: Apart,
    places: Vec<usize>,
    first: Option<EventId>,
    events: usize,
}

/// Whether something happened within a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reach {
    /// In this turn.
    Here(Hit),
    /// In an earlier one.
    Before,
    /// Not at all.
    Never,
    /// Nobody knows: it may have happened before what is remembered.
    Unknown,
}

impl Past {
    /// A session that begins now.
    pub fn start() -> Self {
        Self { whole: true, ..Self::default() }
    }

    /// A session of which nothing earlier is known.
    pub fn unknown() -> Self {
        Self::default()
    }

    /// About how much text it holds, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Remembers a turn that is over.
    pub fn add(&mut self, turn: &Turn) {
        self.add_facts(Facts::of(turn));
    }

    /// Remembers what a turn did that is over.
    pub(crate) fn add_facts(&mut self, facts: Facts<'_>) {
        let facts = facts.into_past();
        let bytes = facts.text_bytes();
        self.bytes += bytes;
        self.turns.push_back((facts, bytes));
        while self.turns.len() > MAX_TURNS || self.bytes > MAX_BYTES {
            let Some((_, bytes)) = self.turns.pop_front() else { break };
            self.bytes -= bytes;
            self.whole = false;
        }
    }

    /// Keeps what was found in the turn that was judged last, with the places of the checks that it may concern.
    pub(crate) fn keep_newest(&mut self, turn: &Turn, facts: Facts<'_>, places: Vec<usize>) {
        let first = turn.events.first().map(|event| event.id.clone());
        self.newest = Some(Newest { facts: Apart::of(facts), places, first, events: turn.events.len() });
    }

    /// What [`Past::keep_newest`] kept, if this is the turn.
    pub(crate) fn take_newest<'t>(&mut self, turn: &'t Turn) -> Option<(Facts<'t>, Vec<usize>)> {
        let Newest { facts, places, first, events } = self.newest.take()?;
        let is_it =
            events == turn.events.len() && first.as_ref() == turn.events.first().map(|event| &event.id);
        is_it.then(|| (facts.with(turn), places))
    }

    /// Whether an earlier turn wrote a file, as far as is remembered; its last `skipped` turns are still to come.
    pub(crate) fn wrote(&self, path: &str, skipped: usize) -> bool {
        let earlier = self.turns.iter().rev().skip(skipped);
        earlier.flat_map(|(facts, _)| facts.writes()).any(|(_, written)| written.path == path)
    }

    /// Whether an earlier turn brought the branch up to date, and none made a branch since; its last `skipped` turns are still to come.
    pub(crate) fn is_fresh(&self, skipped: usize) -> bool {
        let earlier = self.turns.iter().rev().skip(skipped);
        earlier.filter_map(|(facts, _)| facts.fresh).next() == Some(true)
    }

    /// The latest place before `end` where one of these conditions holds, not further back than the window.
    pub(crate) fn latest(
        &self,
        scene: &Scene<'_>,
        conditions: &[Condition],
        since: &Since,
        end: usize,
    ) -> Reach {
        let found = |scene: &Scene<'_>, start: usize, end: usize| {
            let hits = conditions.iter().flat_map(|condition| condition.sight().find(scene));
            hits.filter(|hit| hit.at >= start && hit.at <= end).max_by_key(|hit| hit.at)
        };
        let border = last_border(scene.facts, since, scene.code, end);
        if let Some(hit) = found(scene, border.map_or(0, |at| at + 1), end) {
            return Reach::Here(hit);
        }
        if border.is_some() || since.is_turn() {
            return Reach::Never;
        }
        for (facts, _) in self.turns.iter().rev().skip(scene.skipped) {
            let scene = Scene { facts, ..*scene };
            let border = last_border(facts, since, scene.code, facts.acts.len());
            if found(&scene, border.map_or(0, |at| at + 1), usize::MAX).is_some() {
                return Reach::Before;
            }
            if border.is_some() {
                return Reach::Never;
            }
        }
        if self.whole { Reach::Never } else { Reach::Unknown }
    }
}

/// The last act before a place at which the window begins.
fn last_border(facts: &Facts<'_>, since: &Since, code: &[Glob], end: usize) -> Option<usize> {
    let begins = |act: &Act<'_>| match (since, &act.kind) {
        (Since::Commit, ActKind::Committed(_)) => act.outcome == CommandEnd::Passed,
        (Since::Edit(globs), ActKind::Wrote(written)) => {
            let globs = if globs.is_empty() { code } else { globs };
            !act.failed && any_matches(globs, &written.path)
        }
        (Since::Turn | Since::Session | Since::Commit | Since::Edit(_), _) => false,
    };
    facts.acts.iter().take(end).rposition(|act| !act.refused && begins(act))
}
