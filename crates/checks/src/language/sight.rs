//! What every condition can do.

use std::fmt::Debug;

use crate::facts::{Act, Facts};
use crate::judge::{Need, Past};

use super::matcher::{Expression, Glob, Name, Shared};
use super::role::Roles;

/// How much of a text is quoted, in characters.
pub(crate) const QUOTE_CHARS: usize = 160;

/// A place in a turn where a condition holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    /// Index of the event.
    pub(crate) event: usize,
    /// Position among the acts, for questions of order.
    pub(crate) at: usize,
    /// Verbatim from the event, as far as it is known here; the caller makes sure of it.
    pub(crate) quote: String,
}

/// What conditions are held against: one turn, and what is known besides.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) facts: &'a Facts<'a>,
    /// Which commands test, lint, build, …
    pub(crate) roles: &'a Roles,
    /// What the session did before this turn.
    pub(crate) past: &'a Past,
    /// How many of its last turns are still to come, seen from this one.
    pub(crate) skipped: usize,
    /// The files that the line is about, or code.
    pub(crate) code: &'a [Glob],
    /// Whether what a person refused counts: trying it is a breach, and nothing else.
    pub(crate) tried: bool,
}

impl<'a> Scene<'a> {
    /// What was done, in order, with the position of each.
    pub(crate) fn acts(&self) -> impl Iterator<Item = (usize, &'a Act<'a>)> {
        let tried = self.tried;
        self.facts.acts.iter().enumerate().filter(move |(_, act)| tried || !act.refused)
    }
}

/// Something that can be seen in a turn.
pub(crate) trait Sight: Debug {
    /// All places of a turn where it holds.
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit>;

    /// What a turn must have before it can hold there. It may ask for less, never for more.
    fn need(&self) -> Need;

    /// What it looks for, in words that fit behind "on": "a commit".
    fn in_words(&self) -> String;

    /// Why it can never hold, and what to write instead.
    fn problem(&self) -> Option<String>;

    /// Compiles its expressions, unless another check of the board has them.
    fn share(&self, shared: &mut Shared);

    /// Whether it excuses a breach or an omission in this turn.
    fn excuses(&self, scene: &Scene<'_>) -> bool {
        !self.find(scene).is_empty()
    }

    /// Whether it has a place in the turn where it is seen.
    fn has_place(&self) -> bool {
        true
    }

    /// Whether it asks for more than one turn.
    fn looks_back(&self) -> bool {
        false
    }

    /// A name that conditions share when the same deed meets them.
    fn deed(&self) -> String {
        format!("{self:?}")
    }
}

/// The position among the acts of something that was said in this event.
pub(crate) fn position(facts: &Facts<'_>, event: usize) -> usize {
    facts.acts.iter().position(|act| act.event >= event).unwrap_or(facts.acts.len())
}

/// Whether a text has what is looked for, if anything is.
pub(super) fn fits(pattern: Option<&Expression>, text: &str) -> bool {
    pattern.is_none_or(|pattern| pattern.is_match(text))
}

/// Whether a text has nothing of what must not be there.
pub(super) fn avoids(pattern: Option<&Expression>, text: &str) -> bool {
    pattern.is_none_or(|pattern| !pattern.is_match(text))
}

/// Whether a name is known and fits; of a name that nobody knows nothing can be said.
pub(super) fn is_named(wanted: Option<&Name>, unwanted: Option<&Name>, name: Option<&str>) -> bool {
    wanted.is_none_or(|pattern| name.is_some_and(|name| pattern.is_match(name)))
        && unwanted.is_none_or(|pattern| name.is_some_and(|name| !pattern.is_match(name)))
}
