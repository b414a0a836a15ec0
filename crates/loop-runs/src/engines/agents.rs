//! Agents with a program of their own.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use subcortex_engine::CancelReason;
use subcortex_headless::{AgentEnding, Headless, Watch};
use subcortex_known_agents::Agent;
use subcortex_known_agents::headless::{Order, PermissionMode};
use subcortex_loops::end::{Gate, LoopEnd};
use subcortex_loops::escalation;
use subcortex_mind::FailureKind;
use subcortex_work::redacted;

use super::{Assignment, EngineWork, ended_early};

/// How many turns an agent has.
const MAX_TURNS: u32 = 50;
/// What reads.
const READING: [&str; 3] = ["Read", "Grep", "Glob"];
/// What edits.
const EDITING: [&str; 2] = ["Write", "Edit"];
/// Time between SIGTERM and SIGKILL for a run that went too far: what it is about to do should not be done.
const TOO_FAR_GRACE_MS: u64 = 200;

pub(super) async fn work(agent: &'static Agent, job: &Assignment<'_>) -> EngineWork {
    let minds = &job.runner.worker.minds;
    let mut environment = job.environment();
    environment.extend(minds.variables().of_agents());
    let writable = writable(agent, job, &environment);
    let launcher = Arc::clone(&job.runner.worker.launcher);
    let headless = Headless { agent, program: minds.program(agent).into(), environment, launcher };
    let watched = headless.run_watched(order(job, writable), job.cancellation.clone(), watch(job));
    let outcome = match watched.await {
        Ok(outcome) => outcome,
        Err(missing) => return EngineWork::none(LoopEnd::Refused { why: missing.to_string() }),
    };
    let model = outcome.model.as_deref().unwrap_or(agent.name);
    if outcome.usage.total() > 0 || outcome.cost_usd.is_some() {
        job.purse.enter(agent.name, model, outcome.usage, outcome.cost_usd);
    }
    let said = match outcome.ending {
        AgentEnding::Well => Ok(redacted(outcome.text).await),
        AgentEnding::Failed { kind: FailureKind::OverBudget, why } => {
            Err(LoopEnd::Stopped { gate: Gate::Budget, why })
        }
        AgentEnding::Failed { why, .. } => Err(LoopEnd::Failed { why }),
        AgentEnding::Process(subcortex_engine::ProcessEnding::DeadlineReached) => Err(LoopEnd::TimedOut),
        AgentEnding::Process(subcortex_engine::ProcessEnding::Cancelled { reason }) => {
            Err(ended_early(reason))
        }
        AgentEnding::Process(subcortex_engine::ProcessEnding::Signalled { signal }) => {
            Err(LoopEnd::Failed { why: format!("ended by signal {signal}") })
        }
        AgentEnding::Process(subcortex_engine::ProcessEnding::Exited { code }) => {
            Err(LoopEnd::Failed { why: format!("exit code {code}") })
        }
    };
    EngineWork {
        said,
        output_tokens: outcome.usage.output,
        commands: outcome.commands,
        errors: redacted(outcome.stderr).await,
        denied: outcome.denied,
        survivors_killed: outcome.survivors_killed,
    }
}

/// Ends the run as soon as it tells that it did what only a person may do, or wrote more than it may. Why it ended is
/// judged afterwards, from the same commands and tokens.
fn watch(job: &Assignment<'_>) -> Watch {
    let (canceller, budget) = (job.canceller.clone(), job.config.budget_tokens());
    let known = AtomicUsize::new(0);
    Arc::new(move |so_far| {
        let new = known.swap(so_far.commands().len(), Ordering::Relaxed);
        let mut commands = so_far.commands().iter().skip(new);
        let went_too_far = commands.any(|command| escalation::in_text(command).is_some())
            || budget.is_some_and(|budget| so_far.output_tokens() > budget);
        if went_too_far {
            canceller.cancel(CancelReason::Stopping, TOO_FAR_GRACE_MS);
        }
    })
}

/// What the kernel lets it write. A program with a sandbox of its own is left to that, but where the mode switches it off:
/// such a sandbox mounts, which nothing inside the fence can.
fn writable(
    agent: &Agent,
    job: &Assignment<'_>,
    environment: &BTreeMap<OsString, OsString>,
) -> Option<Vec<PathBuf>> {
    let has_own_sandbox = agent.cli.as_ref().is_some_and(|cli| cli.has_own_sandbox);
    match (has_own_sandbox, job.mode) {
        (false, _) => Some(job.writable()),
        (true, PermissionMode::BypassPermissions) => {
            Some(job.writable().into_iter().chain(own_folder(agent, environment)).collect())
        }
        (
            true,
            PermissionMode::Plan
            | PermissionMode::DontAsk
            | PermissionMode::Auto
            | PermissionMode::AcceptEdits,
        ) => None,
    }
}

fn own_folder(agent: &Agent, environment: &BTreeMap<OsString, OsString>) -> Option<PathBuf> {
    let named = environment.get(OsStr::new(agent.config_dir.variable)).map(PathBuf::from);
    let usual = || Some(Path::new(environment.get(OsStr::new("HOME"))?).join(agent.config_dir.usual));
    named.or_else(usual).filter(|folder| folder.is_dir())
}

fn order(job: &Assignment<'_>, writable: Option<Vec<PathBuf>>) -> Order {
    Order {
        run_id: job.run_id.to_owned(),
        cwd: job.dir.to_owned(),
        prompt: job.prompt.to_owned(),
        model: job.config.text("model").filter(|model| *model != "inherit").map(str::to_owned),
        tools: tools(job),
        max_turns: MAX_TURNS,
        max_usd: job.purse.left_usd(),
        max_output_tokens: job.config.budget_tokens(),
        gatekeeper: job.runner.gatekeeper.clone(),
        schema: None,
        subagents: None,
        readable: Vec::new(),
        changeable: Vec::new(),
        mode: job.mode,
        writable,
        max_duration_ms: job.limit_ms,
    }
}

/// What the mode gives an agent: `acceptEdits` edits, `auto` and `bypassPermissions` run commands too.
fn tools(job: &Assignment<'_>) -> Vec<String> {
    let runs_commands = matches!(job.mode, PermissionMode::Auto | PermissionMode::BypassPermissions);
    let mut tools = READING.to_vec();
    if job.may_edit() {
        tools.extend(EDITING);
        tools.extend(runs_commands.then_some("Bash"));
    }
    tools.into_iter().map(str::to_owned).collect()
}
