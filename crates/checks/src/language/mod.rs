//! The language of checks: what a person, a model or the rules can say about a turn.
//!
//! One file a condition: its fields, where it holds in a turn, what a turn must have for that, its words, and what can be wrong with
//! it. A new one is a variant of [`Condition`] and a file; the compiler names what is missing.

mod about;
mod added;
mod branched;
mod check;
mod committed;
mod condition;
mod earlier;
mod echoed;
mod groups;
mod json;
mod matcher;
mod pushed;
mod ran;
mod read;
mod refused;
mod role;
mod said;
mod sight;
mod used;
mod words;
mod wrote;

pub use about::About;
pub use added::{Added, Unit};
pub use branched::BranchedAs;
pub use check::{Check, Cues, Expect, Mixed, Order, Scope, Unmet};
pub use committed::Committed;
pub use condition::Condition;
pub use earlier::{Earlier, Since};
pub use echoed::Echoed;
pub use groups::{All, Any, Without};
pub use matcher::{Anywhere, Entire, Expression, Form, Glob, Matcher, Name, Path, Stars, Wildcard, globs};
pub use pushed::Pushed;
pub use ran::{CommandEnd, Ran};
pub use read::Read;
pub use refused::Refused;
pub use role::{Role, Roles};
pub use said::{By, Said};
pub use used::Used;
pub use words::in_words;
pub use wrote::Wrote;

pub(crate) use matcher::{Shared, any_matches};
pub(crate) use ran::{MOST_WRAPPER_WORDS, shows_files};
pub(crate) use sight::{Hit, Scene, Sight};
pub(crate) use words::any_in_words;
