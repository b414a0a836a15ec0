//! Holds checks against the facts of a turn.

mod about;
mod atoms;
mod board;
mod conditions;
mod index;
mod mark;
mod need;
mod paths;
mod quote;
mod ready;
mod verdict;

pub use board::Board;
pub use ready::Ready;
pub(crate) use verdict::only_broken;
pub use verdict::{Activation, RootCause, Trajectory, Verdict, judge};
