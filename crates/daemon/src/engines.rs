//! Whether the engines that partitions name can be used, for `doctor`: nothing is asked, and nothing started.

use subcortex_cadence::Definition;
use subcortex_cadence::definition::Engine;
use subcortex_engine::{CommandSpec, Limits, resolve};

use crate::minds::{Minds, model_of};
use crate::setup::{ServeError, Setup};

/// One partition whose engine has a model.
#[derive(Debug)]
pub struct EngineState {
    /// The partition.
    pub partition: String,
    /// Its engine.
    pub engine: &'static str,
    /// What it would use, or why it cannot and what to do.
    pub usable: Result<String, String>,
}

/// Looks at every partition whose engine has a model.
pub fn engines(setup: &Setup) -> Result<Vec<EngineState>, ServeError> {
    let config = setup.read_config()?;
    let minds = Minds::of(setup, &config);
    let partitions = setup.eyes().partitions().unwrap_or_default();
    let with_model = partitions.into_iter().filter_map(|seen| {
        let definition = seen.definition.ok()?;
        let usable = match definition.engine {
            Engine::Builtin | Engine::Command { .. } => return None,
            Engine::Api => minds.api(&definition).map(|mind| mind.model().to_owned()),
            Engine::Claude => program(setup, &minds.programs().claude, &definition),
            Engine::Codex => program(setup, &minds.programs().codex, &definition),
        };
        Some(EngineState { partition: seen.id.to_string(), engine: definition.engine.name(), usable })
    });
    Ok(with_model.collect())
}

fn program(setup: &Setup, program: &str, definition: &Definition) -> Result<String, String> {
    let spec = CommandSpec {
        run_id: "doctor".into(),
        program: program.into(),
        args: Vec::new(),
        cwd: setup.home.root().to_owned(),
        env: setup.environment.clone(),
        stdin: Vec::new(),
        writable: None,
        limits: Limits::within_ms(0),
    };
    let name = definition.engine.name();
    let found = resolve(&spec).map_err(|error| {
        let what = error.to_string();
        let what = what.split("\nhint:").next().unwrap_or_default();
        format!(
            "{what}; install `{name}` and log in, or set `agents.{name}` in config/subcortex.yaml to its path"
        )
    })?;
    let model = model_of(definition).unwrap_or_else(|| "its own model".into());
    Ok(format!("{} with {model}", found.display()))
}
