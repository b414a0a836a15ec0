//! What the session did before this turn.

use serde::{Deserialize, Serialize};

use crate::judge::{Need, Reach};

use super::Condition;
use super::matcher::{Glob, Shared};
use super::sight::{Hit, Scene, Sight};
use super::words::any_in_words;

/// How far back something counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Since {
    /// In this turn only.
    #[default]
    Turn,
    /// In the session so far.
    Session,
    /// Since the last commit before the occasion.
    Commit,
    /// Since the last change of such files before the occasion; without a glob: of code.
    Edit(Vec<Glob>),
}

impl Since {
    /// Whether it is the turn alone.
    pub fn is_turn(&self) -> bool {
        *self == Self::Turn
    }

    /// In words that fit behind what was looked for; empty for the turn.
    pub(crate) fn in_words(&self) -> &'static str {
        match self {
            Self::Turn => "",
            Self::Session => " in the session",
            Self::Commit => " since the last commit",
            Self::Edit(_) => " since the last edit",
        }
    }

    pub(crate) fn share(&self, shared: &mut Shared) {
        if let Self::Edit(globs) = self {
            globs.iter().for_each(|glob| glob.share(shared));
        }
    }
}

/// Something held earlier in the session, in this turn or in one before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Earlier {
    /// One of these.
    pub any: Vec<Condition>,
    /// How far back.
    #[serde(default = "session")]
    pub since: Since,
}

fn session() -> Since {
    Since::Session
}

impl Sight for Earlier {
    /// Nowhere in particular: it is given the start of the turn.
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit> {
        let end = scene.facts.acts.len();
        match scene.past.latest(scene, &self.any, &self.since, end) {
            Reach::Here(_) | Reach::Before => vec![Hit { event: 0, at: 0, quote: String::new() }],
            Reach::Never | Reach::Unknown => Vec::new(),
        }
    }

    fn need(&self) -> Need {
        Need::unknown()
    }

    fn in_words(&self) -> String {
        format!("{}{}", any_in_words(&self.any), self.since.in_words())
    }

    fn problem(&self) -> Option<String> {
        if self.any.is_empty() {
            return Some("it holds no condition; name at least one under `any`".into());
        }
        if self.any.iter().any(|part| !part.has_place()) {
            return Some("`none` and `earlier` cannot stand in `earlier`".into());
        }
        self.any.iter().find_map(|part| part.sight().problem())
    }

    fn has_place(&self) -> bool {
        false
    }

    fn looks_back(&self) -> bool {
        true
    }

    fn share(&self, shared: &mut Shared) {
        self.any.iter().for_each(|part| part.sight().share(shared));
        self.since.share(shared);
    }
}
