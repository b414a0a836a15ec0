//! What can be looked at, a module each. Views only read, on a thread of their own.

mod blackboards;
mod coverage;
mod days;
mod inboxes;
mod line;
mod metrics;
mod now;
mod ready;
mod review;
mod runs;
mod spend;
mod spine;

pub(crate) use blackboards::{blackboard, blackboards};
pub(crate) use coverage::coverage;
pub(crate) use days::Days;
pub(crate) use inboxes::{inboxes, task};
pub(crate) use line::{edits, line};
pub(crate) use metrics::metrics;
pub(crate) use now::now;
pub(crate) use ready::is_ready;
pub(crate) use review::review;
pub(crate) use runs::{run, runs};
pub(crate) use spend::spend;
pub(crate) use spine::spine;
