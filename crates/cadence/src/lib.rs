//! Who runs when, and what becomes of the tasks: the scheduler as a pure state machine.
//!
//! Everything the scheduler learns is an [`Event`], everything it wants done is an [`Effect`], and
//! [`step`] is the function between the two. It opens no file, reads no clock, starts no process and draws no
//! random number, so the simulator drives the very code that ships.
//!
//! Where to read on: [`readiness`] says whether a partition may run; [`step()`] takes in events;
//! [`settle`] says what becomes of a task; [`ack`] how a task ends in an order that survives a crash;
//! [`saved`] what survives a restart.

pub mod ack;
pub mod backoff;
mod clock;
mod cron;
pub mod definition;
mod effect;
mod ending;
mod event;
mod ids;
mod partition;
pub mod playlist;
pub mod readiness;
pub mod result;
mod roster;
pub mod saved;
pub mod settle;
mod starting;
mod state;
mod step;

pub use cron::{Cron, CronProblem};
pub use definition::Definition;
pub use effect::{
    Cause, Counts, DEADLINE_GRACE_MS, Effect, EndReason, Fact, PAUSE_GRACE_MS, Refused, StartRun,
};
pub use event::{Event, Pace, Scope, SeenPartition, SeenTask};
pub use ids::{
    BootMs, ContentHash, FileStamp, NameProblem, Now, PartitionId, RunId, TaskKey, TaskName, Tick, UnixMs,
};
pub use partition::{Asked, Partition, TaskState, TaskView};
pub use readiness::Readiness;
pub use saved::{Mark, RunTask, Saved, SavedProblem};
pub use state::{Settings, State};
pub use step::step;
