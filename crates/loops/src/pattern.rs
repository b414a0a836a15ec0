//! The patterns: kinds of loops that many repositories want.

mod catalogue;

pub use catalogue::PATTERNS;

use crate::config::Tier;

/// A kind of loop, with the values that a new one begins with. `<fill in …>` marks what only its person knows.
#[derive(Debug, Clone, Copy)]
pub struct Pattern {
    /// What `pattern:` says.
    pub name: &'static str,
    /// How much it may do.
    pub tier: Tier,
    /// How often it runs.
    pub cadence: &'static str,
    /// What it is after, and what it leaves alone.
    pub goal: &'static str,
    /// Which files it may touch or look at.
    pub scope: &'static str,
    /// When it stops and asks.
    pub escalation: &'static str,
    /// Output tokens that a run may use.
    pub budget_tokens: u64,
    /// What it needs from L2 on.
    pub gate: Option<Gate>,
    /// For its README: what it is for.
    pub about: &'static str,
    /// For its README: what one run does.
    pub run: &'static str,
    /// For its README: how to tell that it is not worth its money.
    pub doubt: &'static str,
}

/// What stands between the work of a loop and the repository.
#[derive(Debug, Clone, Copy)]
pub struct Gate {
    /// Says whether the result works.
    pub verify: &'static str,
    /// Says whether something was touched that must stay.
    pub guard: &'static str,
    /// How a result gets in.
    pub land_via: &'static str,
}

/// Their names, in the order of the list.
pub fn names() -> impl Iterator<Item = &'static str> {
    PATTERNS.iter().map(|pattern| pattern.name)
}

/// The pattern of a name.
pub fn named(name: &str) -> Option<&'static Pattern> {
    PATTERNS.iter().find(|pattern| pattern.name == name)
}
