//! The engines: what thinks in a run, found by the name that a definition gives.
//!
//! A new one is a file here, a line in [`ENGINES`], and its name in the list of names that a definition may give
//! ([`subcortex_cadence::definition::ENGINES`]).

mod agents;
mod api;
mod builtin;
mod command;
#[cfg(test)]
mod toy;
mod unknown;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Debug;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use subcortex_cadence::Definition;
use subcortex_home::Home;
use subcortex_mind::Mind;

use crate::builtin::worker_of;
use crate::{Minds, Run, Task, Worked};

/// All of them.
const ENGINES: &[&dyn Engine] = &[
    &builtin::Builtin,
    &command::Command,
    &api::Api,
    &agents::CLAUDE,
    &agents::CODEX,
    #[cfg(test)]
    &toy::Toy,
];

/// A piece of work under way.
pub type Working<'a> = Pin<Box<dyn Future<Output = Worked> + Send + 'a>>;

/// What thinks in a run.
pub trait Engine: Debug + Sync {
    /// Its name in definitions.
    fn name(&self) -> &'static str;

    /// Works on one task, or on nothing in particular.
    fn work<'a>(&'a self, run: &'a Run<'a>, task: Task<'a>) -> Working<'a>;

    /// Whether a model thinks in it. Then it also serves the workers that ship.
    fn has_model(&self) -> bool {
        false
    }

    /// Whether we see which pages it fetches, so that its sources can be checked.
    fn sees_fetches(&self) -> bool {
        false
    }

    /// The model that it uses by itself, in words.
    fn usual_model(&self, _minds: &Minds) -> String {
        "none".into()
    }

    /// Its model, for questions of a run; or why there is none and what to do.
    fn mind(&self, _run: &Run<'_>) -> Result<Arc<dyn Mind>, String> {
        Err("this engine has no model".into())
    }

    /// What a worker on it may do.
    fn allows(&self, _definition: &Definition, _place: &Place) -> Allowed {
        Allowed::default()
    }

    /// What it would use, or why it cannot be used and what to do. Nothing is asked, and nothing started.
    fn usable(
        &self,
        _definition: &Definition,
        _minds: &Minds,
        _home: &Home,
        _environment: &BTreeMap<OsString, OsString>,
    ) -> Result<String, String> {
        Ok(self.name().to_owned())
    }
}

/// The folders that a worker has to do with.
#[derive(Debug)]
pub struct Place {
    /// The memory.
    pub memory: PathBuf,
    /// Its own.
    pub own: Vec<PathBuf>,
}

/// What a worker may do through its engine.
#[derive(Debug, Default)]
pub struct Allowed {
    /// Where it may read.
    pub reads: Vec<PathBuf>,
    /// Where it may write.
    pub writes: Vec<PathBuf>,
    /// The tools that it has.
    pub tools: Vec<String>,
    /// The programs that it may start.
    pub programs: Vec<String>,
    /// How many steps it may take.
    pub max_steps: u32,
}

/// The engine of a definition.
pub fn engine_of(definition: &Definition) -> &'static dyn Engine {
    let name = definition.engine.name();
    ENGINES.iter().copied().find(|engine| engine.name() == name).unwrap_or(&unknown::Unknown)
}

/// Whether a partition's work is done by code of ours, whatever model serves it.
pub fn is_code(partition: &str, definition: &Definition) -> bool {
    let engine = engine_of(definition);
    engine.name() == builtin::NAME || (engine.has_model() && worker_of(partition).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_that_a_definition_may_name_is_there() {
        for name in subcortex_cadence::definition::ENGINES {
            assert!(ENGINES.iter().any(|engine| engine.name() == name), "{name}");
        }
    }
}
