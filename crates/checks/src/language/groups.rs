//! Several conditions at once: all of them, any of them, none of them.

use serde::{Deserialize, Serialize};

use crate::judge::Need;

use super::Condition;
use super::matcher::Shared;
use super::sight::{Hit, Scene, Sight};
use super::words::joined;

/// Each of these holds in the turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct All(pub Vec<Condition>);

/// One of these holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Any(pub Vec<Condition>);

/// None of these holds in the turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Without(pub Vec<Condition>);

impl Condition {
    /// Whether it has a place in the turn where it is seen.
    pub(crate) fn has_place(&self) -> bool {
        self.sight().has_place()
    }

    fn holds(&self, scene: &Scene<'_>) -> bool {
        !self.sight().find(scene).is_empty()
    }
}

fn first_problem(parts: &[Condition]) -> Option<String> {
    if parts.is_empty() {
        return Some("it holds no condition; name at least one".into());
    }
    parts.iter().find_map(|part| part.sight().problem())
}

fn share(parts: &[Condition], shared: &mut Shared) {
    parts.iter().for_each(|part| part.sight().share(shared));
}

impl Sight for All {
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit> {
        let (placed, others): (Vec<&Condition>, Vec<&Condition>) =
            self.0.iter().partition(|part| part.has_place());
        let mut found = placed.iter().map(|part| part.sight().find(scene));
        let Some(first) = found.next().filter(|hits| !hits.is_empty()) else { return Vec::new() };
        let all = found.all(|hits| !hits.is_empty()) && others.iter().all(|part| part.holds(scene));
        if all { first } else { Vec::new() }
    }

    fn need(&self) -> Need {
        Need::All(self.0.iter().filter(|part| part.has_place()).map(|part| part.sight().need()).collect())
    }

    fn in_words(&self) -> String {
        joined(&self.0, " and ")
    }

    fn problem(&self) -> Option<String> {
        if !self.0.is_empty() && !self.0.iter().any(Condition::has_place) {
            return Some("`none` and `earlier` alone have no place in a turn; add what has to happen".into());
        }
        first_problem(&self.0)
    }

    fn share(&self, shared: &mut Shared) {
        share(&self.0, shared);
    }

    fn looks_back(&self) -> bool {
        self.0.iter().any(|part| part.sight().looks_back())
    }
}

impl Sight for Any {
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit> {
        let mut hits: Vec<Hit> = self.0.iter().flat_map(|part| part.sight().find(scene)).collect();
        hits.sort_by_key(|hit| hit.at);
        hits
    }

    fn need(&self) -> Need {
        Need::Any(self.0.iter().map(|part| part.sight().need()).collect())
    }

    fn in_words(&self) -> String {
        joined(&self.0, " or ")
    }

    fn problem(&self) -> Option<String> {
        if self.0.iter().any(|part| !part.has_place()) {
            return Some("`none` and `earlier` stand in `all`, beside what has to happen".into());
        }
        first_problem(&self.0)
    }

    fn share(&self, shared: &mut Shared) {
        share(&self.0, shared);
    }

    fn looks_back(&self) -> bool {
        self.0.iter().any(|part| part.sight().looks_back())
    }
}

impl Sight for Without {
    /// Nowhere in particular: it is given the start of the turn.
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit> {
        let seen = self.0.iter().any(|part| part.holds(scene));
        if seen { Vec::new() } else { vec![Hit { event: 0, at: 0, quote: String::new() }] }
    }

    fn need(&self) -> Need {
        Need::unknown()
    }

    fn in_words(&self) -> String {
        // "no run of the tests", not "no a run of the tests".
        let words = self.0.iter().map(|part| part.sight().in_words());
        let bare = |words: String| {
            let article = ["a ", "an ", "the "].iter().find(|article| words.starts_with(**article));
            words.get(article.map_or(0, |article| article.len())..).unwrap_or("").to_owned()
        };
        let mut named: Vec<String> = words.map(bare).collect();
        named.dedup();
        format!("no {}", named.join(" and no "))
    }

    fn problem(&self) -> Option<String> {
        first_problem(&self.0)
    }

    fn share(&self, shared: &mut Shared) {
        share(&self.0, shared);
    }

    fn looks_back(&self) -> bool {
        self.0.iter().any(|part| part.sight().looks_back())
    }

    fn has_place(&self) -> bool {
        false
    }
}
