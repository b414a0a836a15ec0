//! Everything that a check can look for.

use serde::{Deserialize, Serialize};

use super::groups::{All, Any, Without};
use super::sight::Sight;
use super::{
    About, Added, BranchedAs, Committed, Earlier, Echoed, Pushed, Ran, Read, Refused, Said, Used, Wrote,
};

/// Something that can be seen in a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[allow(clippy::large_enum_variant, reason = "made once a line; a box would only add a look-up to each test")]
pub enum Condition {
    /// A command was run.
    Ran(Ran),
    /// A file was changed.
    Wrote(Wrote),
    /// A function, test, import, class or file was added that has something, or has not.
    Added(Added),
    /// A file was opened, or shown by a command.
    Read(Read),
    /// A tool, a skill or a slash command was used.
    Used(Used),
    /// A commit was made.
    Committed(Committed),
    /// A branch was pushed.
    Pushed(Pushed),
    /// A branch was created.
    Branched(BranchedAs),
    /// Something was said.
    Said(Said),
    /// The turn's work is about something: commit message, pull request title, name of a written file, branch.
    About(About),
    /// The agent says in its own words that it did what the line asks for.
    Echoed(Echoed),
    /// A tool's answer refused or failed with this text.
    Refused(Refused),
    /// Each of these holds in the turn; it is seen where the first one is.
    All(All),
    /// One of these holds.
    Any(Any),
    /// None of these holds in the turn. Only inside of `all`.
    None(Without),
    /// Something held earlier in the session. Only inside of `all`, and in `unless`.
    Earlier(Earlier),
}

impl Condition {
    /// Each of these.
    pub fn all(parts: impl Into<Vec<Self>>) -> Self {
        Self::All(All(parts.into()))
    }

    /// One of these.
    pub fn any(parts: impl Into<Vec<Self>>) -> Self {
        Self::Any(Any(parts.into()))
    }

    /// None of these.
    pub fn none(parts: impl Into<Vec<Self>>) -> Self {
        Self::None(Without(parts.into()))
    }

    /// What it looks for. The one place that knows all conditions.
    pub(crate) fn sight(&self) -> &dyn Sight {
        match self {
            Self::Ran(sight) => sight,
            Self::Wrote(sight) => sight,
            Self::Added(sight) => sight,
            Self::Read(sight) => sight,
            Self::Used(sight) => sight,
            Self::Committed(sight) => sight,
            Self::Pushed(sight) => sight,
            Self::Branched(sight) => sight,
            Self::Said(sight) => sight,
            Self::About(sight) => sight,
            Self::Echoed(sight) => sight,
            Self::Refused(sight) => sight,
            Self::All(sight) => sight,
            Self::Any(sight) => sight,
            Self::None(sight) => sight,
            Self::Earlier(sight) => sight,
        }
    }
}
