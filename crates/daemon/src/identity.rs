//! Who a worker is, for prompts, for `whoami`, and for the tools that hold to it.

use std::path::PathBuf;

use subcortex_agent::{Identity, TOOL_NAMES};
use subcortex_cadence::Definition;
use subcortex_cadence::definition::Engine;
use subcortex_home::Home;

/// The folder of a prompt partition's own files, below the partition.
pub(crate) const FILES: &str = "files";

/// What is known of a run when it begins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Occasion {
    pub(crate) run_id: Option<String>,
    pub(crate) tick: u64,
    pub(crate) mode: &'static str,
    pub(crate) model: String,
    pub(crate) tokens_per_run: Option<u64>,
    pub(crate) usd_per_day: Option<f64>,
}

/// Who a worker is, by its definition.
pub(crate) fn identity(home: &Home, worker: &str, definition: &Definition, occasion: Occasion) -> Identity {
    let folder = home.partition(worker);
    let agent = &definition.agent;
    let own: Vec<PathBuf> = std::iter::once(folder.join(FILES))
        .chain(agent.roots.iter().map(|root| home.root().join(root)))
        .collect();
    let (reads, writes, tools, programs, max_steps) = match &definition.engine {
        // What these may do is theirs: nothing of it is done by a model.
        Engine::Builtin => (Vec::new(), Vec::new(), Vec::new(), Vec::new(), 0),
        Engine::Command { argv } => {
            (Vec::new(), Vec::new(), Vec::new(), argv.iter().take(1).cloned().collect(), 0)
        }
        Engine::Api => {
            let tools = TOOL_NAMES.map(String::from).into();
            (vec![home.memory()], own, tools, agent.shell.clone(), agent.max_iterations)
        }
        Engine::Claude | Engine::Codex => {
            (vec![home.memory()], own, agent.tools.clone(), Vec::new(), agent.max_turns)
        }
    };
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
