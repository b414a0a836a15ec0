//! Holds checks against the facts of a turn.

mod atoms;
mod board;
mod index;
mod mark;
mod need;
mod ordered;
mod outcome;
mod past;
mod paths;
mod quote;
mod ready;
mod reproach;
mod verdict;

pub(crate) use atoms::of_expression as required_pieces;
pub use board::Board;
pub(crate) use mark::{Field, Mark, Trace, Way, is_odd};
pub(crate) use need::Need;
pub use past::Past;
pub(crate) use past::Reach;
pub(crate) use paths::need as path_need;
pub use ready::Ready;
pub(crate) use verdict::only_broken;
pub use verdict::{
    Activation, Bearing, Judged, RootCause, Verdict, judge, judge_after, judge_and_hear, judge_next,
    orders_work,
};
