//! The workers that ship, found by the name of their partition.
//!
//! A new one is a file here and a line in [`WORKERS`].

mod heartbeat;
mod memory_weaver;
#[cfg(test)]
mod toy;

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use subcortex_cadence::settle::{Ending, Work};
use subcortex_engine::Cancellation;
use subcortex_home::Home;
use subcortex_mind::AskNow;
use subcortex_store::Disk;
use subcortex_weaver::Settings;

use crate::Details;

/// All of them.
const WORKERS: &[&dyn Worker] = &[
    &heartbeat::Heartbeat,
    &memory_weaver::MemoryWeaver,
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

    /// Works on one task, or on nothing in particular.
    fn work(&self, call: Call) -> Done;
}

/// One call of a worker. It holds all that the worker needs, since it runs on a thread of its own.
#[derive(Debug)]
pub struct Call {
    /// The run.
    pub run_id: String,
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
    /// The model that serves the worker, if its engine has one.
    pub mind: Option<Arc<dyn AskNow>>,
}

/// The worker of a partition.
pub(crate) fn worker_of(partition: &str) -> Option<&'static dyn Worker> {
    WORKERS.iter().copied().find(|worker| worker.name() == partition)
}

/// Nobody of this name ships.
pub(crate) fn nobody(partition: &str) -> Done {
    let why = format!(
        "no worker called `{partition}` ships with subcortex; name an engine in subconscious/{partition}/CLAUDE.md, \
         such as `engine: command`"
    );
    (Work::ended(Ending::Refused(why)), Details::default())
}
