//! Holds checks against the facts of a turn.

mod about;
mod conditions;
mod quote;
mod ready;
mod verdict;

pub use ready::{Keys, Ready};
pub use verdict::{Activation, Board, RootCause, Trajectory, Verdict, judge};
