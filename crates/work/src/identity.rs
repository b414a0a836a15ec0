//! Who a worker is, for prompts, for `whoami`, and for the tools that hold to it.

use std::path::PathBuf;

use subcortex_agent::Identity;
use subcortex_cadence::Definition;
use subcortex_home::Home;

use crate::engines::{Allowed, Place, engine_of};

/// The folder of a prompt partition's own files, below the partition.
pub const FILES: &str = "files";

/// What is known of a run when it begins.
#[derive(Debug, Clone, Default)]
pub struct Occasion {
    /// The run, if there is one.
    pub run_id: Option<String>,
    /// The tick in which it began.
    pub tick: u64,
    /// What kind of run it is, in a word.
    pub mode: &'static str,
    /// The model, in words.
    pub model: String,
    /// How many tokens it may use.
    pub tokens_per_run: Option<u64>,
    /// How much money its day may cost.
    pub usd_per_day: Option<f64>,
}

/// Who a worker is, by its definition.
pub fn identity(home: &Home, worker: &str, definition: &Definition, occasion: Occasion) -> Identity {
    let folder = home.partition(worker);
    let own: Vec<PathBuf> = std::iter::once(folder.join(FILES))
        .chain(definition.agent.roots.iter().map(|root| home.root().join(root)))
        .collect();
    let reads = definition.agent.reads.iter().map(|folder| home.root().join(folder)).collect();
    let place = Place { memory: home.memory(), own, reads };
    // What code and programs may do is theirs: nothing of it is done by a model.
    let Allowed { reads, writes, tools, programs, max_steps } =
        engine_of(definition).allows(definition, &place);
    Identity {
        worker: worker.to_owned(),
        engine: definition.engine.name().to_owned(),
        model: occasion.model,
        home: home.root().to_owned(),
        memory: home.memory(),
        folder,
        run_id: occasion.run_id,
        tick: occasion.tick,
        mode: occasion.mode.to_owned(),
        reads,
        writes,
        programs,
        tools,
        max_steps,
        tokens_per_run: occasion.tokens_per_run,
        usd_per_day: occasion.usd_per_day,
    }
}
