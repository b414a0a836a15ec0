//! `subcortex loop`: scheduled work in somebody's repository. Only `run` and `list` need a home, and none needs the daemon.

mod check;
mod doctor;
mod estimate;
mod judge;
mod list;
mod run;
mod scaffold;

pub(crate) use list::table;

use std::path::{Path, PathBuf};

use subcortex_config::Config;
use subcortex_loops::config::{ConfigError, LoopConfig};
use subcortex_loops::{LoopPlace, PlaceError};
use subcortex_store::RealDisk;

use crate::args::{Loop, LoopCommand};
use crate::commands::World;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::surroundings::Surroundings;

pub(crate) fn run(
    surroundings: &Surroundings,
    home: Option<&Path>,
    args: &Loop,
) -> Result<ExitCode, Failure> {
    match &args.command {
        LoopCommand::Scaffold(args) => scaffold::run(surroundings, args),
        LoopCommand::Run(args) => run::run(surroundings, home, args),
        LoopCommand::List(args) => list::run(surroundings, home, args),
        LoopCommand::Estimate(args) => estimate::run(surroundings, home, args),
        LoopCommand::Doctor(args) => doctor::run(surroundings, home, args),
        LoopCommand::Check(args) => check::run(surroundings, args),
        LoopCommand::Judge => judge::run(),
    }
}

/// Where the command was typed.
fn here(surroundings: &Surroundings) -> Result<PathBuf, Failure> {
    surroundings
        .current_dir
        .clone()
        .ok_or_else(|| Failure::refused("cannot determine the current folder; go to one that exists"))
}

/// The settings of the home; a person without a home has the defaults.
fn settings(surroundings: &Surroundings, home: Option<&Path>) -> Result<Config, Failure> {
    match surroundings.home(home) {
        Ok(home) => Ok(World::new(surroundings, home).setup().read_config()?),
        Err(_) => Ok(Config::default()),
    }
}

/// A loop that is there, and its config.
fn read(surroundings: &Surroundings, target: &Path) -> Result<(LoopPlace, LoopConfig), Failure> {
    let place = LoopPlace::find(&RealDisk, &here(surroundings)?, target)?;
    let config = LoopConfig::read(&RealDisk, &place.dir)?;
    Ok((place, config))
}

impl From<PlaceError> for Failure {
    fn from(error: PlaceError) -> Self {
        Self::refused(error.to_string())
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::refused(error.to_string())
    }
}
