//! Whether the engines that partitions name can be used, for `doctor`: nothing is asked, and nothing started.

use subcortex_work::engine_of;

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
    let minds = setup.minds(&config);
    let partitions = setup.eyes().partitions().unwrap_or_default();
    let with_model = partitions.into_iter().filter_map(|seen| {
        let definition = seen.definition.ok()?;
        let engine = engine_of(&definition);
        if !engine.has_model() {
            return None;
        }
        let usable = engine.usable(&definition, &minds, &setup.home, &setup.environment);
        Some(EngineState { partition: seen.id.to_string(), engine: engine.name(), usable })
    });
    Ok(with_model.collect())
}
