//! Holds checks against the facts of a turn.

mod about;
mod conditions;
mod index;
mod quote;
mod ready;
mod verdict;

pub use index::Keys;
pub use ready::Ready;
pub(crate) use verdict::only_broken;
pub use verdict::{Activation, Board, RootCause, Trajectory, Verdict, judge};
