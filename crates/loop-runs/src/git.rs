//! Git, as the daemon calls it: without hooks, without prompts, and with a bounded output.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use subcortex_engine::{Cancellation, CommandSpec, Limits, ProcessEnding};
use subcortex_guard::escape_for_display;

use crate::LoopRunner;

/// How long one command may take, in milliseconds.
const MAX_GIT_MS: u64 = 300_000;
/// The longest output, in bytes. A longer diff cannot be judged, so it is not offered.
const MAX_OUTPUT_BYTES: usize = 32 * 1024 * 1024;
/// How much of an error is repeated, in characters.
const MAX_ERROR_CHARS: usize = 300;

/// Nothing that a repository brings along is run.
const SETTINGS: [&str; 5] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "advice.detachedHead=false",
];

/// One word of a command line.
pub(crate) type Word<'a> = &'a (dyn AsRef<OsStr> + Sync);

/// Why git did not do it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    /// It is not there, or did not start.
    #[error("git cannot be started: {0}")]
    NotStarted(String),
    /// It said no.
    #[error("git {command} failed: {said}")]
    Failed {
        /// The command.
        command: String,
        /// What it said.
        said: String,
    },
    /// It said more than is taken in.
    #[error("git {0} says more than {MAX_OUTPUT_BYTES} bytes: the change is too large to be judged")]
    TooLong(String),
}

/// Git in one folder.
#[derive(Debug)]
pub(crate) struct Git<'a> {
    pub(crate) runner: &'a LoopRunner,
    pub(crate) run_id: &'a str,
    /// Where it runs.
    pub(crate) dir: &'a Path,
    /// Set besides the usual environment.
    pub(crate) variables: BTreeMap<OsString, OsString>,
}

impl<'a> Git<'a> {
    pub(crate) fn new(runner: &'a LoopRunner, run_id: &'a str, dir: &'a Path) -> Self {
        Self { runner, run_id, dir, variables: BTreeMap::new() }
    }

    /// With a variable in its environment.
    pub(crate) fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// What it says, in bytes.
    pub(crate) async fn bytes(&self, args: &[Word<'_>]) -> Result<Vec<u8>, GitError> {
        let command =
            args.first().map(|word| word.as_ref().to_string_lossy().into_owned()).unwrap_or_default();
        let settings = SETTINGS.iter().flat_map(|setting| ["-c", *setting]).map(OsString::from);
        let args = settings.chain(args.iter().map(|word| word.as_ref().to_owned())).collect();
        let mut env = self.runner.worker.environment.clone();
        for (name, value) in [("GIT_TERMINAL_PROMPT", "0"), ("GIT_OPTIONAL_LOCKS", "0"), ("LC_ALL", "C")] {
            env.insert(name.into(), value.into());
        }
        env.extend(self.variables.clone());
        let spec = CommandSpec {
            run_id: self.run_id.to_owned(),
            program: "git".into(),
            args,
            cwd: self.dir.to_owned(),
            env,
            stdin: Vec::new(),
            limits: Limits { output_head_bytes: MAX_OUTPUT_BYTES, ..Limits::within_ms(MAX_GIT_MS) },
            writable: None,
        };
        // What a run has taken must be given back also when the run is ended, so nothing cancels this.
        let launching = self.runner.worker.launcher.launch(spec, Cancellation::never());
        let finished = launching.await.map_err(|error| GitError::NotStarted(error.to_string()))?;
        match finished.ending {
            ProcessEnding::Exited { code: 0 } => {
                finished.stdout.complete_bytes().ok_or(GitError::TooLong(command))
            }
            ProcessEnding::Exited { .. }
            | ProcessEnding::Signalled { .. }
            | ProcessEnding::DeadlineReached
            | ProcessEnding::Cancelled { .. } => {
                let said = finished.stderr.text_lossy();
                let said: String = said.trim().chars().take(MAX_ERROR_CHARS).collect();
                Err(GitError::Failed { command, said: escape_for_display(&said).into_owned() })
            }
        }
    }

    /// What it says, as text without white space at its ends.
    pub(crate) async fn text(&self, args: &[Word<'_>]) -> Result<String, GitError> {
        let bytes = self.bytes(args).await?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
    }
}
