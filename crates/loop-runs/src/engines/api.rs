//! The agent loop on a model's HTTP interface.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use subcortex_agent::{Exit, Identity, Job, Tools};
use subcortex_cadence::Definition;
use subcortex_loops::end::{Gate, LoopEnd};
use subcortex_scratchpad::State;
use subcortex_usage::Metered;
use subcortex_work::{Pages, redacted};

use super::budget::WithinBudget;
use super::{Assignment, EngineWork, ended_early};

/// How many steps a run has.
const MAX_STEPS: u32 = 30;
/// How long one call of a tool may take, in milliseconds.
const TOOL_MS: u64 = 60_000;

pub(super) async fn work(job: &Assignment<'_>) -> EngineWork {
    let worker = &job.runner.worker;
    let mut definition = Definition::default();
    if let Some(model) = job.config.text("model") {
        model.clone_into(&mut definition.model);
    }
    let mind = match worker.minds.api(&definition) {
        Ok(mind) => Metered::new(mind, Arc::clone(job.purse)),
        Err(why) => return EngineWork::none(LoopEnd::Refused { why }),
    };
    let mind = WithinBudget { mind, budget: job.config.budget_tokens(), written: AtomicU64::new(0) };
    let tools = Tools {
        disk: Arc::clone(&worker.disk),
        launcher: Arc::clone(&worker.launcher),
        fetch: Arc::new(Pages::default()),
        blackboard: None,
        letterbox: None,
        environment: job.environment(),
        run_id: job.run_id.to_owned(),
        step_limit_ms: TOOL_MS,
        cancellation: job.cancellation.clone(),
    };
    let identity = identity(job);
    let instructions = format!(
        "{}\nThe repository is {}. Your report is the summary of `done`.\n",
        job.prompt,
        job.dir.display()
    );
    let whole =
        Job { identity: &identity, instructions: &instructions, task: None, mind: &mind, tools: &tools };
    let mut state = State::default();
    let limit = std::time::Duration::from_millis(job.limit_ms);
    let worked = tokio::time::timeout(limit, subcortex_agent::work(&whole, &mut state)).await;
    let output_tokens = mind.written.load(Ordering::Relaxed);
    let is_over = job.config.budget_tokens().is_some_and(|budget| output_tokens >= budget);
    let said = match worked.map(|worked| (worked.exit, worked.output)) {
        Ok((Exit::Completed, output)) => Ok(redacted(output).await),
        Ok((Exit::Error(why), _)) if is_over => Err(LoopEnd::Stopped { gate: Gate::Budget, why }),
        Ok((Exit::Error(why), _)) => Err(LoopEnd::Failed { why }),
        Ok((Exit::MaxSteps { max_steps }, _)) => {
            Err(LoopEnd::Failed { why: format!("{max_steps} steps without `done`") })
        }
        Ok((Exit::Exception(why), _)) => Err(match job.cancellation.order() {
            Some(order) => ended_early(order.reason),
            None => LoopEnd::Failed { why },
        }),
        Err(_) => Err(LoopEnd::TimedOut),
    };
    EngineWork {
        said,
        output_tokens,
        commands: Vec::new(),
        errors: String::new(),
        denied: Vec::new(),
        survivors_killed: 0,
    }
}

/// Who it is: a worker that reads the repository, and from L2 on writes to its worktree.
fn identity(job: &Assignment<'_>) -> Identity {
    let home = &job.runner.worker.home;
    let mut tools = vec!["read_file", "http_get"];
    let writes: Vec<PathBuf> = if job.may_edit() {
        tools.push("write_file");
        vec![job.dir.to_owned()]
    } else {
        vec![job.scratch.to_owned()]
    };
    Identity {
        worker: job.key.to_owned(),
        engine: "api".into(),
        model: job.config.text("model").unwrap_or("inherit").to_owned(),
        home: home.root().to_owned(),
        memory: home.memory(),
        folder: job.place.dir.clone(),
        run_id: Some(job.run_id.to_owned()),
        mode: job.mode.word().to_owned(),
        reads: vec![job.dir.to_owned()],
        writes,
        tools: tools.into_iter().map(str::to_owned).collect(),
        max_steps: MAX_STEPS,
        tokens_per_run: job.config.budget_tokens(),
        ..Identity::default()
    }
}
