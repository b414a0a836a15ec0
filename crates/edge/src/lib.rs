//! Carries out what the scheduler wishes for, in an order that survives a crash between any two steps.
//!
//! The scheduler decides ([`subcortex_cadence::step`]); [`Edge`] keeps the order; [`Hands`] touch the world. The daemon's
//! hands are files, processes and the spine; the simulator's are made up, and die all the time. The code here is the same
//! for both.
//!
//! Events that are there at the same time are taken in together, and what follows from them is put on a list of deeds,
//! in this order, each durable before the next begins:
//!
//! 1. the results of tasks are recorded, one write a run: work that is done must not be done again because something else
//!    could not be written;
//! 2. the scheduler's state is saved, once;
//! 3. the tasks that are finished are acked: one append to the spine, then their files, one sync an inbox;
//! 4. everything else, one after the other.
//!
//! So a task that is alone costs what it always cost, and a thousand quick ones cost little more than one. What the
//! steps report back is taken in next. Runs are ended at once, whatever is on the list: that relies on nothing.
//!
//! A deed that cannot be done now, because the disk is full or no more files can be opened, stays first on the list with
//! all others behind it, and is tried again later ([`Trouble`]).

mod acked;
mod carry_out;
mod deed;
mod defect;
mod edge;
mod hands;
mod reports;
mod trouble;

pub use acked::Asked;
pub use deed::{Finished, Settled};
pub use defect::Defect;
pub use edge::Edge;
pub use hands::{Hands, Result};
pub use reports::Report;
pub use trouble::Trouble;
