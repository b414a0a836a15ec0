//! Who runs when, and what becomes of the tasks: the scheduler as a pure state machine.

pub mod backoff;
mod cron;
pub mod definition;
mod ids;
pub mod result;
#[cfg(test)]
mod testing;

pub use cron::{Cron, CronProblem};
pub use definition::Definition;
pub use ids::{
    BootMs, ContentHash, FileStamp, NameProblem, Now, PartitionId, RunId, TaskKey, TaskName, Tick, UnixMs,
};
