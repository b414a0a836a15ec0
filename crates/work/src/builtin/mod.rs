//! The workers that ship, found by the name of their partition.
//!
//! A new one is a file here and a line in [`WORKERS`].

mod cadence_executor;
mod heartbeat;
mod memory_check;
mod memory_committer;
mod memory_weaver;
mod pattern_tracker;
#[cfg(test)]
mod toy;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use subcortex_cadence::Definition;
use subcortex_cadence::settle::{Ending, Work};
use subcortex_engine::{Cancellation, Launcher};
use subcortex_home::Home;
use subcortex_mind::AskNow;
use subcortex_store::Disk;
use subcortex_weaver::{Settings, WeaveError};
use tokio::runtime::Handle;

use crate::engines::is_code;
use crate::run::ending_of;
use crate::{Details, Peers};

/// All of them.
const WORKERS: &[&dyn Worker] = &[
    &cadence_executor::CadenceExecutor,
    &heartbeat::Heartbeat,
    &memory_committer::MemoryCommitter,
    &memory_weaver::MemoryWeaver,
    &pattern_tracker::PatternTracker,
    #[cfg(test)]
    &toy::Toy,
];

/// What a piece of work came to.
pub type Done = (Work, Details);

/// A partition whose work is done by code.
pub trait Worker: Debug + Sync {
    /// The name of its partition.
    fn name(&self) -> &'static str;

    /// Whether it does next to nothing: then a thread of its own costs more than the work, and tasks that end together
    /// can be settled together.
    fn is_instant(&self) -> bool {
        false
    }

    /// Whether its code does the work with every engine, and a model only serves it. Otherwise an engine with a model
    /// works on the prompt of the partition.
    fn keeps_its_code(&self) -> bool {
        false
    }

    /// Whether a change of the files that it wakes on gives it something to do. Asked by whoever looks at the home, so
    /// it only reads, and little.
    fn has_work(&self, _around: &Around<'_>) -> bool {
        true
    }

    /// Works on one task, or on nothing in particular.
    fn work(&self, call: Call) -> Done;
}

/// What a worker sees that is asked whether it has something to do.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// Where everything is.
    pub home: &'a Home,
    /// What it reads from.
    pub disk: &'a Arc<dyn Disk>,
    /// The other partitions.
    pub peers: &'a dyn Peers,
}

/// One call of a worker. It holds all that the worker needs, since it runs on a thread of its own.
#[derive(Debug)]
pub struct Call {
    /// The run.
    pub run_id: String,
    /// The tick in which it began.
    pub tick: u64,
    /// The basename and the body of its task, or nothing when something else woke it.
    pub task: Option<(String, String)>,
    /// Where everything is.
    pub home: Home,
    /// What it writes to.
    pub disk: Arc<dyn Disk>,
    /// What the weaver may do.
    pub settings: Settings,
    /// Says when to end.
    pub cancellation: Cancellation,
    /// Held by whoever changes the memory.
    pub memory: Arc<Mutex<()>>,
    /// The other partitions.
    pub peers: Arc<dyn Peers>,
    /// What starts programs.
    pub launcher: Arc<dyn Launcher>,
    /// Where programs have their turns.
    pub runtime: Handle,
    /// What they find in their environment.
    pub environment: BTreeMap<OsString, OsString>,
    /// The model that serves the worker, if its engine has one.
    pub mind: Option<Arc<dyn AskNow>>,
}

/// What a run says that was told to end.
fn ended_early(cancellation: &Cancellation) -> Done {
    let ending = cancellation.order().map_or(Ending::Stopped, |order| ending_of(order.reason));
    (Work::ended(ending), Details::default())
}

/// What a run says whose work on the memory came to nothing.
fn failed(error: &WeaveError, cancellation: &Cancellation) -> Done {
    if matches!(error, WeaveError::Cancelled) {
        return ended_early(cancellation);
    }
    let why = error.to_string();
    // That others were at work is not the task's fault: it costs it no attempt.
    let ending = if error.is_busy() { Ending::Refused(why) } else { Ending::Failed(why) };
    (Work::ended(ending), Details::default())
}

/// The worker of a partition.
pub(crate) fn worker_of(partition: &str) -> Option<&'static dyn Worker> {
    WORKERS.iter().copied().find(|worker| worker.name() == partition)
}

/// Whether a change of files gives a partition something to do. Only code of ours can tell beforehand.
pub fn has_work(partition: &str, definition: &Definition, around: &Around<'_>) -> bool {
    !is_code(partition, definition) || worker_of(partition).is_none_or(|worker| worker.has_work(around))
}

/// What a run says whose built-in partition does not exist.
pub(crate) fn nobody(partition: &str) -> Done {
    let why = format!(
        "no worker called `{partition}` ships with subcortex; name an engine in subconscious/{partition}/CLAUDE.md, \
         such as `engine: command`"
    );
    (Work::ended(Ending::Refused(why)), Details::default())
}
