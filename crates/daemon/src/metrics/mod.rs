//! What can be counted, as Prometheus reads it.
//!
//! What only a running daemon knows comes with its [`Schedule`](crate::Schedule); everything else is read from files at the moment
//! it is asked for.

mod collect;
mod counters;
mod text;

pub use collect::metrics;
pub use counters::Counters;
