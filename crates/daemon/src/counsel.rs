//! A model for a command that asks by itself, under the same settings, budget and kill switch as a run.

use std::path::PathBuf;
use std::sync::Arc;

use subcortex_config::Config;
use subcortex_engine::ProcessLauncher;
use subcortex_work::{Alone, Surroundings};

use crate::setup::{ServeError, Setup};

/// The model of an engine for a command; `cwd` is where an agent's own program is started.
pub fn counsel(setup: &Setup, engine: &str, payer: &str, cwd: PathBuf) -> Result<Alone, ServeError> {
    let has_home = setup.home.root().is_dir();
    let config = if has_home { setup.read_trusted_config()? } else { Config::default() };
    if has_home && setup.disk.stat(&setup.home.kill_switch()).is_ok() {
        return Err(ServeError::Config(format!(
            "everything is paused, so no model is asked; remove {} when work may go on",
            setup.home.kill_switch().display()
        )));
    }
    let launcher = Arc::new(ProcessLauncher::new(setup.group_prefix()?)?);
    let around = Surroundings { launcher, environment: setup.environment.clone(), cwd };
    Alone::new(engine, &setup.minds(&config), &around, payer).map_err(ServeError::Config)
}
