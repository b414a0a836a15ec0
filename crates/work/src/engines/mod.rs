//! The engines: what thinks in a run, found by the name that a definition gives.
//!
//! A new one is a file here and a line in [`ENGINES`]. Agents with a program of their own are engines without one.

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
use crate::{Minds, Run, Surroundings, Task, Worked};

/// All of them but those that are agents' own programs.
const ENGINES: &[&dyn Engine] = &[
    &builtin::Builtin,
    &command::Command,
    &api::Api,
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

    /// Its model, for questions outside of any run.
    fn mind_alone(&self, _minds: &Minds, _around: &Surroundings) -> Result<Arc<dyn Mind>, String> {
        Err(format!("engine `{}` has no model; use `claude`, `codex` or `api`", self.name()))
    }

    /// What a worker on it may do.
    fn allows(&self, _definition: &Definition, _place: &Place) -> Allowed {
        Allowed::default()
    }

    /// What it would use for a partition, or why it cannot be used and what to do. Nothing is asked, and nothing started.
    fn usable(
        &self,
        _definition: &Definition,
        _partition: &str,
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
    /// What a person opened to it for reading.
    pub reads: Vec<PathBuf>,
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
    all().find(|engine| engine.name() == name).unwrap_or(&unknown::Unknown)
}

fn all() -> impl Iterator<Item = &'static dyn Engine> {
    let of_agents = agents::ALL.iter().map(|own| own as &dyn Engine);
    ENGINES.iter().copied().chain(of_agents)
}

/// The names that a definition may give.
pub fn engine_names() -> Vec<&'static str> {
    all().map(Engine::name).collect()
}

/// The engine of this name.
pub(crate) fn engine_named(name: &str) -> Option<&'static dyn Engine> {
    all().find(|engine| engine.name() == name)
}

/// Whether a partition's work is done by code of ours, whatever model serves it.
pub fn is_code(partition: &str, definition: &Definition) -> bool {
    let engine = engine_of(definition);
    let keeps = || worker_of(partition).is_some_and(|worker| worker.keeps_its_code());
    engine.name() == builtin::NAME || (engine.has_model() && keeps())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_has_a_name_of_its_own_and_can_be_named() {
        let names = engine_names();
        for name in ["builtin", "command", "api", "claude", "codex", "toy"] {
            assert_eq!(names.iter().filter(|known| **known == name).count(), 1, "{name}");
        }
        assert_eq!(names.len(), 6);
    }
}
