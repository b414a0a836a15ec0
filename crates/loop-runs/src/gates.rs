//! `verify` and `guard`: the commands that stand between a change and its branch.

use std::path::{Path, PathBuf};

use subcortex_engine::{Cancellation, CommandSpec, Limits, ProcessEnding};
use subcortex_loops::end::{Gate, LoopEnd};
use subcortex_work::redacted;

use crate::LoopRunner;
use crate::engines::ended_early;

/// How much of what a gate said is repeated, in characters.
const MAX_SAID_CHARS: usize = 200;

/// What the gates of a run have in common.
#[derive(Debug)]
pub(crate) struct Gates<'a> {
    pub(crate) runner: &'a LoopRunner,
    pub(crate) run_id: &'a str,
    pub(crate) worktree: &'a Path,
    /// Takes temporary files.
    pub(crate) scratch: &'a Path,
    pub(crate) cancellation: Cancellation,
    pub(crate) limit_ms: u64,
}

impl Gates<'_> {
    /// Runs one, in the worktree and behind the same fence as the engine: it runs what the engine wrote.
    pub(crate) async fn pass(&self, gate: Gate, line: &str) -> Result<(), LoopEnd> {
        let mut env = self.runner.worker.environment.clone();
        for (name, folder) in
            [("TMPDIR", self.scratch.to_owned()), ("XDG_CACHE_HOME", self.scratch.join("cache"))]
        {
            env.insert(name.into(), folder.into());
        }
        let spec = CommandSpec {
            run_id: self.run_id.to_owned(),
            program: "sh".into(),
            args: ["-c", line].map(Into::into).into(),
            cwd: self.worktree.to_owned(),
            env,
            stdin: Vec::new(),
            limits: Limits::within_ms(self.limit_ms),
            writable: Some([self.worktree, self.scratch].map(PathBuf::from).into()),
        };
        let stopped = |why: String| Err(LoopEnd::Stopped { gate, why });
        let finished = match self.runner.worker.launcher.launch(spec, self.cancellation.clone()).await {
            Ok(finished) => finished,
            Err(error) => return stopped(error.to_string()),
        };
        match finished.ending {
            ProcessEnding::Exited { code: 0 } => Ok(()),
            ProcessEnding::Exited { code } => {
                let said = format!("{}\n{}", finished.stdout.text_lossy(), finished.stderr.text_lossy());
                let said = redacted(said).await;
                let last =
                    said.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
                let last: String = last.chars().take(MAX_SAID_CHARS).collect();
                stopped(if last.is_empty() {
                    format!("exit code {code}")
                } else {
                    format!("exit code {code}: {last}")
                })
            }
            ProcessEnding::Signalled { signal } => stopped(format!("ended by signal {signal}")),
            ProcessEnding::DeadlineReached => stopped(format!("it did not end within {} ms", self.limit_ms)),
            ProcessEnding::Cancelled { reason } => Err(ended_early(reason)),
        }
    }
}
