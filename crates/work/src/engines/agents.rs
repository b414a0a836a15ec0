//! Agents with a program of their own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use subcortex_agent::{Exit, prompt};
use subcortex_cadence::Definition;
use subcortex_cadence::settle::{Ending, Work};
use subcortex_engine::{Cancellation, CommandSpec, Limits, ProcessEnding, resolve};
use subcortex_headless::{AgentEnding, AgentOutcome, Headless};
use subcortex_home::Home;
use subcortex_known_agents::headless::{Order, PermissionMode};
use subcortex_known_agents::{AGENTS, Agent};
use subcortex_mind::{FailureKind, Mind};

use super::{Allowed, Engine, Place, Working};
use crate::aside::redacted;
use crate::clock::remaining_ms;
use crate::exit::{Left, REMEMBER_MS, is_the_engine_s};
use crate::run::{DEADLINE_SPARE_MS, ending_of};
use crate::{Details, Minds, Run, Surroundings, Task, Worked, model_of};

/// Where a partition keeps its subagents' definitions.
const SUBAGENTS: &str = ".claude/agents";

/// What questions outside of any run are known by.
const ALONE: &str = "audit";
/// How long one of them may take, in milliseconds.
const QUESTION_MS: u64 = 600_000;

/// An agent's own program.
#[derive(Debug)]
pub(super) struct Own(&'static Agent);

/// One for each agent whose program runs without a terminal.
pub(super) static ALL: LazyLock<Vec<Own>> =
    LazyLock::new(|| AGENTS.iter().filter(|agent| agent.cli.is_some()).map(|agent| Own(agent)).collect());

impl Engine for Own {
    fn name(&self) -> &'static str {
        self.0.name
    }

    fn work<'a>(&'a self, run: &'a Run<'a>, task: Task<'a>) -> Working<'a> {
        Box::pin(run_agent(self.0, run, task))
    }

    fn has_model(&self) -> bool {
        true
    }

    fn usual_model(&self, _minds: &Minds) -> String {
        "its own".into()
    }

    fn mind(&self, run: &Run<'_>) -> Result<Arc<dyn Mind>, String> {
        Ok(Arc::new(Arc::new(headless(self.0, run, None)).as_mind(
            run.start.run.as_str().to_owned(),
            run.files()?,
            model_of(run.definition),
            remaining_ms(run.start.deadline).max(REMEMBER_MS),
            Cancellation::never(), // whoever asks drops the question, and that ends the program
        )))
    }

    fn mind_alone(&self, minds: &Minds, around: &Surroundings) -> Result<Arc<dyn Mind>, String> {
        let mut environment = around.environment.clone();
        environment.extend(minds.variables().of_agents());
        // With this variable set, the agent's hooks report nothing: what it does here is no evidence.
        environment.insert("SUBCORTEX_RUN_ID".into(), ALONE.into());
        let program = minds.program(self.0);
        found(&program, self.0.name, Path::new("/"), &environment)
            .map_err(|why| format!("engine `{}` cannot be asked: {why}", self.0.name))?;
        let program = program.into();
        let headless =
            Headless { agent: self.0, program, environment, launcher: Arc::clone(&around.launcher) };
        Ok(Arc::new(Arc::new(headless).as_mind(
            ALONE.to_owned(),
            around.cwd.clone(),
            None,
            QUESTION_MS,
            Cancellation::never(),
        )))
    }

    fn allows(&self, definition: &Definition, place: &Place) -> Allowed {
        let agent = &definition.agent;
        Allowed {
            reads: std::iter::once(place.memory.clone()).chain(place.reads.iter().cloned()).collect(),
            writes: place.own.clone(),
            tools: agent.tools.clone(),
            programs: Vec::new(),
            max_steps: agent.max_turns,
        }
    }

    fn usable(
        &self,
        definition: &Definition,
        _partition: &str,
        minds: &Minds,
        home: &Home,
        environment: &BTreeMap<OsString, OsString>,
    ) -> Result<String, String> {
        resolved(&minds.program(self.0), definition, home, environment)
    }
}

/// Runs the prompt on an agent's own program.
async fn run_agent(agent: &'static Agent, run: &Run<'_>, task: Task<'_>) -> Worked {
    let ready = || Ok((run.instructions()?, run.files()?));
    let (instructions, files) = match ready() {
        Ok(ready) => ready,
        Err(why) => return Worked::ended(Ending::Refused(why)),
    };
    if let Err(failure) = run.purse.may_begin() {
        return Worked::ended(Ending::Refused(failure.message));
    }
    let named = task.map(|(task, body)| (task.key.name.as_str(), body));
    let identity = &run.desk.identity;
    let subagents = identity.folder.join(SUBAGENTS);
    let order = Order {
        run_id: run.start.run.as_str().to_owned(),
        cwd: files,
        prompt: prompt(identity, &run.desk.state(), &instructions, named),
        model: model_of(run.definition),
        tools: run.definition.agent.tools.clone(),
        max_turns: run.definition.agent.max_turns,
        max_usd: run.purse.left_usd(),
        max_output_tokens: None,
        gatekeeper: None,
        schema: None,
        subagents: subagents.is_dir().then_some(subagents),
        readable: identity.reads.clone(),
        changeable: identity.writes.iter().skip(1).cloned().collect(),
        mode: PermissionMode::default(),
        writable: None,
        max_duration_ms: remaining_ms(run.start.deadline) + DEADLINE_SPARE_MS,
    };
    match headless(agent, run, task).run(order, run.cancellation.clone()).await {
        Ok(outcome) => came_to(run, agent, outcome).await,
        Err(missing) => Worked::ended(Ending::Refused(missing.to_string())),
    }
}

async fn came_to(run: &Run<'_>, agent: &Agent, outcome: AgentOutcome) -> Worked {
    let model = outcome.model.as_deref().unwrap_or(agent.name);
    if outcome.usage.total() > 0 || outcome.cost_usd.is_some() {
        run.purse.enter(agent.name, model, outcome.usage, outcome.cost_usd);
    }
    let output = redacted(outcome.text.clone()).await;
    let stderr = redacted(outcome.stderr.clone()).await;
    run.keep_trace(&format!("{output}\n\n{stderr}"));
    let (ending, exit) = match outcome.ending {
        AgentEnding::Well => (Ending::Well, Exit::Completed),
        AgentEnding::Failed { kind, why } => {
            let max_steps = run.definition.agent.max_turns;
            let is_over = outcome.turns >= max_steps;
            let exit = if is_over { Exit::MaxSteps { max_steps } } else { Exit::Error(why.clone()) };
            let blameless = is_the_engine_s(kind) || (kind == FailureKind::OverBudget && !is_over);
            let ending = if blameless { Ending::Refused(why) } else { Ending::Failed(why) };
            (ending, exit)
        }
        AgentEnding::Process(process) => {
            let ending = match process {
                ProcessEnding::Exited { code } => Ending::ExitCode(code),
                ProcessEnding::Signalled { signal } => Ending::Signal(signal),
                ProcessEnding::DeadlineReached => Ending::TimedOut,
                ProcessEnding::Cancelled { reason } => ending_of(reason),
            };
            (ending, Exit::Exception("it was ended from outside".into()))
        }
    };
    let work = Work { output: output.clone().into_bytes(), ..Work::ended(ending) };
    let left = Left { exit, summary: output.clone(), notes: run.desk.state().notes, steps: outcome.turns };
    let details = Details {
        output,
        stderr,
        subagents: outcome.subagents,
        denied: outcome.denied,
        survivors_killed: outcome.survivors_killed,
        ..Details::default()
    };
    Worked { work, details, left: Some(left) }
}

fn headless(agent: &'static Agent, run: &Run<'_>, task: Task<'_>) -> Headless {
    let mut environment: BTreeMap<OsString, OsString> = run.environment(task);
    environment.extend(run.runner.minds.variables().of_agents());
    Headless {
        agent,
        program: run.runner.minds.program(agent).into(),
        environment,
        launcher: Arc::clone(&run.runner.launcher),
    }
}

fn resolved(
    program: &str,
    definition: &Definition,
    home: &Home,
    environment: &BTreeMap<OsString, OsString>,
) -> Result<String, String> {
    let found = found(program, definition.engine.name(), home.root(), environment)?;
    let model = model_of(definition).unwrap_or_else(|| "its own model".into());
    Ok(format!("{} with {model}", found.display()))
}

/// Where an agent's program is, or what to do where there is none.
fn found(
    program: &str,
    agent: &str,
    cwd: &Path,
    environment: &BTreeMap<OsString, OsString>,
) -> Result<PathBuf, String> {
    let spec = CommandSpec {
        run_id: "doctor".into(),
        program: program.into(),
        args: Vec::new(),
        cwd: cwd.to_owned(),
        env: environment.clone(),
        stdin: Vec::new(),
        writable: None,
        limits: Limits::within_ms(0),
    };
    resolve(&spec).map_err(|error| {
        let what = error.to_string();
        let what = what.split("\nhint:").next().unwrap_or_default();
        format!(
            "{what}; install `{agent}` and log in, or set `agents.{agent}` in config/subcortex.yaml to its path"
        )
    })
}
