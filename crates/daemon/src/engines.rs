//! Whether the engines that partitions name can be used, for `doctor` and `status`: nothing is asked, and nothing started.

use subcortex_work::engine_of;

use crate::setup::{ServeError, Setup};

/// One partition whose engine needs something from outside: a model, or a program.
#[derive(Debug)]
pub struct EngineState {
    /// The partition.
    pub partition: String,
    /// Its engine.
    pub engine: &'static str,
    /// Whether it runs by itself.
    pub enabled: bool,
    /// What it would use, or why it cannot and what to do.
    pub usable: Result<String, String>,
}

/// Looks at every partition whose engine needs something from outside.
pub fn engines(setup: &Setup) -> Result<Vec<EngineState>, ServeError> {
    let config = setup.read_config()?;
    let minds = setup.minds(&config);
    let partitions = setup.eyes().partitions().unwrap_or_default();
    let needing = partitions.into_iter().filter_map(|seen| {
        let definition = seen.definition.ok()?;
        let engine = engine_of(&definition);
        if !engine.has_model() && definition.engine.argv().is_empty() {
            return None;
        }
        let partition = seen.id.to_string();
        let usable = engine.usable(&definition, &partition, &minds, &setup.home, &setup.environment);
        let enabled = definition.schedule.enabled;
        Some(EngineState { partition, engine: engine.name(), enabled, usable })
    });
    Ok(needing.collect())
}
