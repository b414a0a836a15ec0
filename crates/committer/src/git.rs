//! `git`, as a supervised process: nothing of its person's settings decides what is committed, and nothing asks questions.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use subcortex_engine::{Cancellation, CommandSpec, Launcher, Limits, ProcessEnding};
use tokio::runtime::Handle;

/// How long a command on this disk may take, in milliseconds.
const HERE_MS: u64 = 120_000;
/// How long one that talks to a remote may take, in milliseconds.
const REMOTE_MS: u64 = 180_000;
/// How much of an answer is kept, in bytes.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;
/// How much of what git says about a failure is told, in characters.
const MAX_TOLD_CHARS: usize = 400;

/// What holds for every call: no program of anybody's runs on the side.
const SETTINGS: [&str; 7] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "commit.gpgSign=false",
    "core.autocrlf=false",
    "core.quotePath=false",
    // Nobody else ever packs this repository, so git may; but within the call, and not behind its back.
    "gc.autoDetach=false",
    "maintenance.autoDetach=false",
];

/// Why git did not do it.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no such program, or it could not be started.
    #[error("git could not be started ({0}); install it, or disable memory-committer in its CLAUDE.md")]
    NotStarted(String),
    /// It said no.
    #[error("`git {command}` failed: {said}")]
    Failed {
        /// What was asked, in a word.
        command: String,
        /// What it said.
        said: String,
    },
    /// The run was ended.
    #[error("cancelled before it finished")]
    Cancelled,
    /// It took too long.
    #[error("`git {0}` did not finish in time")]
    TooSlow(String),
}

/// One repository, and how git is called for it.
#[derive(Debug, Clone)]
pub struct Git {
    /// Starts it.
    pub launcher: Arc<dyn Launcher>,
    /// Where its calls have their turns; the caller waits on a thread of its own.
    pub runtime: Handle,
    /// What it finds in its environment, besides what is added here.
    pub environment: BTreeMap<OsString, OsString>,
    /// The folder that is under git.
    pub folder: PathBuf,
    /// The moment that commits are of.
    pub moment: Timestamp,
    /// The run.
    pub run_id: String,
    /// Says when to end.
    pub cancellation: Cancellation,
}

/// What git answered, by its exit code.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) out: Vec<u8>,
    pub(crate) said: String,
}

impl Git {
    /// Where git keeps everything.
    pub(crate) fn dir(&self) -> PathBuf {
        self.folder.join(".git")
    }

    /// What it answers, if it went well.
    pub(crate) fn ask(&self, args: &[&str]) -> Result<Vec<u8>, GitError> {
        self.tell(args, Vec::new())
    }

    /// The same, as one line of text.
    pub(crate) fn ask_line(&self, args: &[&str]) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.ask(args)?).trim().to_owned())
    }

    /// The same, with something on its standard input.
    pub(crate) fn tell(&self, args: &[&str], stdin: Vec<u8>) -> Result<Vec<u8>, GitError> {
        let answer = self.call(args, stdin, &Manner::Here)?;
        well(args, answer).map(|answer| answer.out)
    }

    /// The same with another index than the repository's own.
    pub(crate) fn with_index(
        &self,
        index: &Path,
        args: &[&str],
        stdin: Vec<u8>,
    ) -> Result<Vec<u8>, GitError> {
        let answer = self.call(args, stdin, &Manner::WithIndex(index))?;
        well(args, answer).map(|answer| answer.out)
    }

    /// Whatever it answers.
    pub(crate) fn try_ask(&self, args: &[&str]) -> Result<Answer, GitError> {
        self.call(args, Vec::new(), &Manner::Here)
    }

    /// Talks to a remote. Its person's own settings count here: they say how to reach it.
    pub(crate) fn reach(&self, args: &[&str]) -> Result<Answer, GitError> {
        self.call(args, Vec::new(), &Manner::Remote)
    }

    fn call(&self, args: &[&str], stdin: Vec<u8>, manner: &Manner<'_>) -> Result<Answer, GitError> {
        let command = args.first().copied().unwrap_or_default().to_owned();
        let mut all: Vec<OsString> =
            SETTINGS.iter().flat_map(|setting| ["-c".into(), setting.into()]).collect();
        all.extend(args.iter().map(OsString::from));
        let limit_ms = if matches!(manner, Manner::Remote) { REMOTE_MS } else { HERE_MS };
        let spec = CommandSpec {
            run_id: self.run_id.clone(),
            program: "git".into(),
            args: all,
            cwd: self.folder.clone(),
            env: self.environment_for(manner),
            stdin,
            limits: Limits { output_head_bytes: MAX_ANSWER_BYTES, ..Limits::within_ms(limit_ms) },
            writable: None,
        };
        let finished = self
            .runtime
            .block_on(self.launcher.launch(spec, self.cancellation.clone()))
            .map_err(|error| GitError::NotStarted(error.to_string()))?;
        let said = finished.stderr.text_lossy().trim().chars().take(MAX_TOLD_CHARS).collect();
        match finished.ending {
            ProcessEnding::Exited { code } => {
                let too_long = || GitError::Failed { command, said: "its answer is too long".into() };
                Ok(Answer { code, out: finished.stdout.complete_bytes().ok_or_else(too_long)?, said })
            }
            ProcessEnding::Signalled { signal } => {
                Err(GitError::Failed { command, said: format!("ended by signal {signal}") })
            }
            ProcessEnding::DeadlineReached => Err(GitError::TooSlow(command)),
            ProcessEnding::Cancelled { .. } => Err(GitError::Cancelled),
        }
    }

    fn environment_for(&self, manner: &Manner<'_>) -> BTreeMap<OsString, OsString> {
        let mut env = self.environment.clone();
        let mut set = |name: &str, value: OsString| drop(env.insert(name.into(), value));
        match manner {
            Manner::Here => set("GIT_CONFIG_GLOBAL", "/dev/null".into()),
            Manner::WithIndex(index) => {
                set("GIT_CONFIG_GLOBAL", "/dev/null".into());
                set("GIT_INDEX_FILE", index.as_os_str().to_owned());
            }
            Manner::Remote => set("GIT_SSH_COMMAND", "ssh -oBatchMode=yes -oConnectTimeout=20".into()),
        }
        set("GIT_CONFIG_NOSYSTEM", "1".into());
        set("GIT_TERMINAL_PROMPT", "0".into());
        set("GIT_DIR", self.dir().into());
        set("GIT_WORK_TREE", self.folder.clone().into());
        set("LC_ALL", "C".into());
        for who in ["AUTHOR", "COMMITTER"] {
            set(&format!("GIT_{who}_NAME"), "subcortex".into());
            set(&format!("GIT_{who}_EMAIL"), "subcortex@localhost".into());
            // Seconds alone: the zone is that of the person who reads the history.
            set(&format!("GIT_{who}_DATE"), self.moment.as_second().to_string().into());
        }
        env
    }
}

/// How git is called.
enum Manner<'a> {
    /// On this disk, without its person's settings.
    Here,
    /// The same, with another index.
    WithIndex(&'a Path),
    /// To talk to a remote, with its person's settings.
    Remote,
}

fn well(args: &[&str], answer: Answer) -> Result<Answer, GitError> {
    if answer.code == 0 {
        return Ok(answer);
    }
    let command = args.first().copied().unwrap_or_default().to_owned();
    Err(GitError::Failed { command, said: answer.said })
}
