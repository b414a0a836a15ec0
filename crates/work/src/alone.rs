//! A model outside of any run: for a command that asks a few questions and is done.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use subcortex_engine::Launcher;
use subcortex_mind::{AskNow, Failure, Mind, Question, Reply};
use subcortex_usage::{Metered, Purse};
use tokio::runtime::Runtime;

use crate::Minds;
use crate::engines::engine_named;
use crate::waits::{QUESTION_WITHIN, too_late};

/// What a model outside of a run needs.
#[derive(Debug)]
pub struct Surroundings {
    /// Starts the agents' own programs.
    pub launcher: Arc<dyn Launcher>,
    /// What they find in their environment.
    pub environment: BTreeMap<OsString, OsString>,
    /// Where they are started.
    pub cwd: PathBuf,
}

/// A model that is asked by a command.
#[derive(Debug)]
pub struct Alone {
    mind: Metered,
    runtime: Runtime,
}

impl Alone {
    /// The model of an engine, paid from the account of a home under this name; or why there is none and what to do.
    pub fn new(engine: &str, minds: &Minds, around: &Surroundings, payer: &str) -> Result<Self, String> {
        let mind = engine_named(engine)
            .ok_or_else(|| format!("there is no engine `{engine}`; use `claude`, `codex` or `api`"))?
            .mind_alone(minds, around)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("cannot make a place for questions: {error}"))?;
        let purse = Purse::new(Arc::clone(&minds.account), payer, payer, minds.tokens_per_run(), None);
        Ok(Self { mind: Metered::new(mind, Arc::new(purse)), runtime })
    }
}

impl AskNow for Alone {
    fn model(&self) -> &str {
        self.mind.model()
    }

    fn ask_now(&self, question: &Question) -> Result<Reply, Failure> {
        self.runtime.block_on(async {
            tokio::time::timeout(QUESTION_WITHIN, self.mind.ask(question))
                .await
                .unwrap_or_else(|_| Err(too_late()))
        })
    }
}
