//! What does the work of a run: the same engines as for partitions, in a repository.

mod agents;
mod api;
mod budget;
mod command;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use subcortex_engine::{CancelReason, Cancellation, Canceller};
use subcortex_known_agents::AGENTS;
use subcortex_known_agents::headless::PermissionMode;
use subcortex_loops::LoopPlace;
use subcortex_loops::config::{LoopConfig, Tier};
use subcortex_loops::end::LoopEnd;
use subcortex_usage::Purse;

use crate::LoopRunner;

/// Where git writes down the commands that it is given in a run.
const GIT_TRACE: &str = "git-trace.jsonl";

/// What an engine is given.
#[derive(Debug)]
pub(crate) struct Assignment<'a> {
    pub(crate) runner: &'a LoopRunner,
    pub(crate) place: &'a LoopPlace,
    pub(crate) config: &'a LoopConfig,
    pub(crate) key: &'a str,
    pub(crate) tier: Tier,
    pub(crate) mode: PermissionMode,
    pub(crate) run_id: &'a str,
    /// Where it works: the repository, or from L2 on its worktree.
    pub(crate) dir: &'a Path,
    /// A folder of its own that is gone after the run.
    pub(crate) scratch: &'a Path,
    /// The state file, which only L1 may write.
    pub(crate) state_file: &'a Path,
    pub(crate) prompt: &'a str,
    /// The item of Priority, if there is one.
    pub(crate) item: Option<String>,
    pub(crate) purse: &'a Arc<Purse>,
    pub(crate) cancellation: Cancellation,
    /// Ends the run from inside, when it goes too far.
    pub(crate) canceller: &'a Canceller,
    pub(crate) limit_ms: u64,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct EngineWork {
    /// What it said, redacted; or why nothing of it counts.
    pub(crate) said: Result<String, LoopEnd>,
    /// Output tokens.
    pub(crate) output_tokens: u64,
    /// Command lines that are known to have been given.
    pub(crate) commands: Vec<String>,
    /// The end of its standard error, redacted.
    pub(crate) errors: String,
    /// Tools that it wanted and did not get.
    pub(crate) denied: Vec<String>,
    /// Processes that it left behind.
    pub(crate) survivors_killed: u32,
}

impl EngineWork {
    /// Nothing was done.
    fn none(end: LoopEnd) -> Self {
        Self {
            said: Err(end),
            output_tokens: 0,
            commands: Vec::new(),
            errors: String::new(),
            denied: Vec::new(),
            survivors_killed: 0,
        }
    }
}

/// Lets the engine of the config work.
pub(crate) async fn work(job: &Assignment<'_>) -> EngineWork {
    let mut worked = match job.config.text("engine") {
        Some("command") => command::work(job).await,
        Some("api") => api::work(job).await,
        Some(name) => match AGENTS.iter().find(|agent| agent.name == name && agent.cli.is_some()) {
            Some(agent) => agents::work(agent, job).await,
            None => EngineWork::none(LoopEnd::Refused {
                why: format!("`{name}` is no engine for loops: write command, api, claude or codex"),
            }),
        },
        None => EngineWork::none(LoopEnd::Refused {
            why: "nothing says what does the work: write `engine: claude`, or `engine: command` with `command: [program]`"
                .into(),
        }),
    };
    worked.commands.extend(traced(job));
    worked
}

/// How a run ends that was ended from outside.
pub(crate) fn ended_early(reason: CancelReason) -> LoopEnd {
    match reason {
        CancelReason::Deadline => LoopEnd::TimedOut,
        CancelReason::Paused => LoopEnd::Paused { why: "a kill switch was set".into() },
        CancelReason::Stopping | CancelReason::PartitionGone => LoopEnd::Interrupted,
    }
}

impl Assignment<'_> {
    /// What the kernel lets it write: nothing but its scratch folder, and the state (L1) or the worktree.
    fn writable(&self) -> Vec<PathBuf> {
        let own = match self.tier {
            Tier::L1 => self.state_file,
            Tier::L2 | Tier::L3 => self.dir,
        };
        vec![self.scratch.to_owned(), own.to_owned()]
    }

    /// Whether it may edit files.
    fn may_edit(&self) -> bool {
        self.tier > Tier::L1 && self.mode != PermissionMode::Plan
    }

    /// What a program finds in its environment. Git reaches no other repository from inside a run, and writes down what it
    /// is told to do.
    fn environment(&self) -> BTreeMap<OsString, OsString> {
        let home = &self.runner.worker.home;
        let mut env = self.runner.worker.environment.clone();
        let mut set = |name: &str, value: OsString| env.insert(name.into(), value);
        set("SUBCORTEX_HOME", home.root().into());
        set("SUBCORTEX_PARTITION", self.key.into());
        set("SUBCORTEX_RUN_ID", self.run_id.into());
        set("SUBCORTEX_MEMORY", home.memory().into());
        set("SUBCORTEX_TASK", self.item.clone().unwrap_or_default().into());
        set("SUBCORTEX_LOOP_DIR", self.place.dir.clone().into());
        set("SUBCORTEX_LOOP_STATE", self.state_file.into());
        set("SUBCORTEX_PERMISSION_MODE", self.mode.word().into());
        set("TMPDIR", self.scratch.into());
        set("XDG_CACHE_HOME", self.scratch.join("cache").into());
        set("GIT_ALLOW_PROTOCOL", "none".into());
        set("GIT_TERMINAL_PROMPT", "0".into());
        set("GIT_OPTIONAL_LOCKS", "0".into());
        set("GIT_TRACE2_EVENT", self.scratch.join(GIT_TRACE).into());
        env
    }
}

/// The commands that git wrote down. Lines that cannot be read are none of git's.
fn traced(job: &Assignment<'_>) -> Vec<String> {
    const MAX_TRACE_BYTES: u64 = 16 * 1024 * 1024;
    let path = job.scratch.join(GIT_TRACE);
    let Ok(bytes) = subcortex_store::durable::read(&*job.runner.worker.disk, &path, MAX_TRACE_BYTES) else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&bytes);
    text.lines().filter_map(|line| command_of(&serde_json::from_str(line).ok()?)).collect()
}

fn command_of(event: &serde_json::Value) -> Option<String> {
    let words =
        event.get("argv").filter(|_| event.get("event").is_some_and(|name| name == "start"))?.as_array()?;
    let words: Vec<&str> = words.iter().filter_map(serde_json::Value::as_str).collect();
    let (program, args) = words.split_first()?;
    let program = Path::new(program).file_name()?.to_string_lossy();
    Some(format!("{program} {}", args.join(" ")))
}
