//! Runs of partitions that are only a prompt: on the agent loop (`api`), or on an agent's own program (`claude`, `codex`).
//!
//! The prompt is the same for all of them. What comes back is text: its last line is judged like that of any engine.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use subcortex_agent::{Exit, ExitReport, Job, Tools, ask_for_scratchpad, prompt, work};
use subcortex_cadence::definition::Engine;
use subcortex_cadence::settle::{Ending, Work};
use subcortex_engine::{CancelReason, Cancellation, Ending as ProcessEnding, Limits};
use subcortex_headless::{Agent, Ending as AgentEnding, Headless, Order, Outcome};
use subcortex_llm::fetch::Fetcher;
use subcortex_mind::{FailureKind, Mind};
use subcortex_runs::ExitRecord;
use subcortex_store::durable;
use subcortex_usage::Metered;
use subcortex_yaml::frontmatter;

use crate::aside::redacted;
use crate::minds::{Pages, model_of};
use crate::work::{DEADLINE_SPARE_MS, Details, Run, Task, ending_of, remaining_ms};

/// The longest definition that is read, in bytes.
const MAX_DEFINITION_BYTES: u64 = 1024 * 1024;
/// How long one call of a tool may take, in milliseconds.
const TOOL_MS: u64 = 60_000;
/// How long a worker may take to say what it wants to remember, in milliseconds.
const REMEMBER_MS: u64 = 30_000;
/// Where a partition keeps its subagents' definitions.
const SUBAGENTS: &str = ".claude/agents";

/// How a worker with a model left: what it is asked about afterwards.
#[derive(Debug)]
pub(crate) struct Left {
    /// The outcome in the words that it is told.
    outcome: &'static str,
    summary: String,
    steps: u32,
}

const COMPLETED: &str = "completed";
const ERROR: &str = "error";
const MAX_STEPS: &str = "incomplete - max steps reached";
const EXCEPTION: &str = "exception";

/// What a run came to, and how the worker left; nothing when it never came.
pub(crate) type Prompted = (Work, Details, Option<Left>);

fn refused(why: String) -> Prompted {
    (Work::ended(Ending::Refused(why)), Details::default(), None)
}

/// A failure that is not the task's: with another key, another day or a better line the same task may go well.
fn is_the_engine_s(kind: FailureKind) -> bool {
    match kind {
        FailureKind::Unauthorized | FailureKind::Refused | FailureKind::Busy | FailureKind::Unreachable => {
            true
        }
        FailureKind::TimedOut | FailureKind::Garbage | FailureKind::OverBudget | FailureKind::Cancelled => {
            false
        }
    }
}

impl Run<'_> {
    /// The prompt of the partition: what stands below the frontmatter of its `CLAUDE.md`.
    fn instructions(&self) -> Result<String, String> {
        let file = self.worker.home.partition(self.start.partition.as_str()).join("CLAUDE.md");
        let text = durable::read_text(&*self.worker.disk, &file, MAX_DEFINITION_BYTES)
            .map_err(|error| error.to_string())?;
        let (_, prompt) = frontmatter::split(&text).map_err(|problem| problem.at("CLAUDE.md"))?;
        Ok(prompt.to_owned())
    }

    /// The worker's own folder for files, made if it is missing.
    fn files(&self) -> Result<PathBuf, String> {
        let folder = self.worker.home.partition(self.start.partition.as_str());
        durable::make_dirs(&*self.worker.disk, &folder, Path::new(crate::identity::FILES))
            .map_err(|error| error.to_string())?;
        Ok(folder.join(crate::identity::FILES))
    }

    /// Runs the prompt on the agent loop.
    pub(crate) async fn run_loop(&self, task: Task<'_>) -> Prompted {
        let ready = || Ok((self.mind()?, self.instructions()?, self.files()?));
        let (mind, instructions, _) = match ready() {
            Ok(ready) => ready,
            Err(why) => return refused(why),
        };
        let tools = Tools {
            disk: Arc::clone(&self.worker.disk),
            launcher: Arc::clone(&self.worker.launcher),
            fetch: Arc::new(Pages(Fetcher::new())),
            environment: self.worker.environment.clone(),
            run_id: self.start.run.as_str().to_owned(),
            step_limit_ms: TOOL_MS,
            cancellation: self.cancellation.clone(),
        };
        let job = Job {
            identity: &self.desk.identity,
            instructions: &instructions,
            task: task.map(|(task, body)| (task.key.name.as_str(), body)),
            mind: &mind,
            tools: &tools,
        };
        let mut state = self.desk.state();
        let text_before = state.scratchpad.clone();
        let mut cancellation = self.cancellation.clone();
        let worked = tokio::select! {
            biased;
            order = cancellation.ordered() => Err(order),
            worked = work(&job, &mut state) => Ok(worked),
        };
        self.desk.put_state(state, &text_before);
        let worked = match worked {
            Ok(worked) => worked,
            Err(order) => {
                let left = Left { outcome: EXCEPTION, summary: format!("ended: {}", order.reason), steps: 0 };
                return (Work::ended(ending_of(order.reason)), Details::default(), Some(left));
            }
        };
        self.keep_trace(&worked.trace);
        let output = redacted(worked.output.clone()).await;
        let work = match &worked.exit {
            Exit::Completed => Work::well(output.clone()),
            Exit::Error(why)
                if mind.last_failure().is_some_and(is_the_engine_s) || self.purse.is_out_of_money() =>
            {
                Work::ended(Ending::Refused(why.clone()))
            }
            Exit::Error(why) | Exit::Exception(why) => Work::ended(Ending::Failed(why.clone())),
            Exit::MaxSteps => Work::ended(Ending::Failed(format!(
                "{MAX_STEPS}: {} steps without `done`; raise `agent.max_iterations`, or make the task smaller",
                worked.steps
            ))),
        };
        let summary = match &worked.exit {
            Exit::Completed => output.clone(),
            Exit::Error(why) | Exit::Exception(why) => why.clone(),
            Exit::MaxSteps => String::new(),
        };
        let left = Left { outcome: worked.exit.words(), summary, steps: worked.steps };
        (work, Details { output, ..Details::default() }, Some(left))
    }

    /// Runs the prompt on an agent's own program.
    pub(crate) async fn run_agent(&self, agent: Agent, task: Task<'_>) -> Prompted {
        let ready = || Ok((self.instructions()?, self.files()?));
        let (instructions, files) = match ready() {
            Ok(ready) => ready,
            Err(why) => return refused(why),
        };
        if let Err(failure) = self.purse.may_begin() {
            return refused(failure.message);
        }
        let named = task.map(|(task, body)| (task.key.name.as_str(), body));
        let identity = &self.desk.identity;
        let subagents = identity.folder.join(SUBAGENTS);
        let order = Order {
            run_id: self.start.run.as_str().to_owned(),
            cwd: files,
            prompt: prompt(identity, &self.desk.state(), &instructions, named),
            model: model_of(self.definition),
            tools: self.definition.agent.tools.clone(),
            max_turns: self.definition.agent.max_turns,
            max_usd: self.purse.left_usd(),
            schema: None,
            subagents: subagents.is_dir().then_some(subagents),
            readable: identity.reads.iter().chain(identity.writes.iter().skip(1)).cloned().collect(),
            limits: Limits::within_ms(remaining_ms(self.start.deadline) + DEADLINE_SPARE_MS),
        };
        let headless = self.headless(agent, task);
        match headless.run(order, self.cancellation.clone()).await {
            Ok(outcome) => self.came_to(agent, outcome).await,
            Err(missing) => refused(missing.to_string()),
        }
    }

    async fn came_to(&self, agent: Agent, outcome: Outcome) -> Prompted {
        let model = outcome.model.as_deref().unwrap_or(agent.name());
        if outcome.usage.total() > 0 || outcome.cost_usd.is_some() {
            self.purse.enter(agent.name(), model, outcome.usage, outcome.cost_usd);
        }
        let output = redacted(outcome.text.clone()).await;
        let stderr = redacted(outcome.stderr.clone()).await;
        self.keep_trace(&format!("{output}\n\n{stderr}"));
        let (ending, exit, summary) = match outcome.ending {
            AgentEnding::Well => (Ending::Well, COMPLETED, output.clone()),
            AgentEnding::Failed { kind, why } => {
                let is_over = outcome.turns >= self.definition.agent.max_turns;
                let exit = if is_over { MAX_STEPS } else { ERROR };
                let blameless = is_the_engine_s(kind) || (kind == FailureKind::OverBudget && !is_over);
                let ending =
                    if blameless { Ending::Refused(why.clone()) } else { Ending::Failed(why.clone()) };
                (ending, exit, why)
            }
            AgentEnding::Process(process) => {
                let ending = match process {
                    ProcessEnding::Exited { code } => Ending::ExitCode(code),
                    ProcessEnding::Signalled { signal } => Ending::Signal(signal),
                    ProcessEnding::DeadlineReached => Ending::TimedOut,
                    ProcessEnding::Cancelled { reason } => ending_of(reason),
                };
                (ending, EXCEPTION, "it was ended from outside".to_owned())
            }
        };
        let work = Work { output: output.clone().into_bytes(), ..Work::ended(ending) };
        let details = Details {
            output,
            stderr,
            subagents: outcome.subagents,
            denied: outcome.denied,
            survivors_killed: outcome.survivors_killed,
            ..Details::default()
        };
        (work, details, Some(Left { outcome: exit, summary, steps: outcome.turns }))
    }

    fn headless(&self, agent: Agent, task: Task<'_>) -> Headless {
        let programs = self.worker.minds.programs();
        let mut environment: BTreeMap<OsString, OsString> = self.environment(task);
        environment.extend(self.worker.minds.variables().of_agents());
        let program = match agent {
            Agent::Claude => programs.claude,
            Agent::Codex => programs.codex,
        };
        Headless { agent, program: program.into(), environment, launcher: Arc::clone(&self.worker.launcher) }
    }

    /// The model that this run asks, paid from its purse; or why there is none.
    pub(crate) fn mind(&self) -> Result<Metered, String> {
        let agent = match self.definition.engine {
            Engine::Api => None,
            Engine::Claude => Some(Agent::Claude),
            Engine::Codex => Some(Agent::Codex),
            Engine::Builtin | Engine::Command { .. } => return Err("this engine has no model".into()),
        };
        let mind: Arc<dyn Mind> = match agent {
            None => self.worker.minds.api(self.definition)?,
            Some(agent) => Arc::new(Arc::new(self.headless(agent, None)).as_mind(
                self.start.run.as_str().to_owned(),
                self.files()?,
                model_of(self.definition),
                Limits::within_ms(remaining_ms(self.start.deadline).max(REMEMBER_MS)),
                Cancellation::never(), // whoever asks drops the question, and that ends the program
            )),
        };
        Ok(Metered::new(mind, Arc::clone(&self.purse)))
    }

    /// Asks a worker that has left what it wants to remember. Whatever comes of it, the task is as it is.
    pub(crate) async fn remember(&self, task: Task<'_>, left: Left) -> ExitRecord {
        let name = task.map_or("", |(task, _)| task.key.name.as_str());
        let asked = self.ask_what_to_remember(name, &left).await;
        let (event, why) = match &asked {
            Ok(answer) => {
                self.desk.remember(answer.as_deref());
                ("scratchpad_update", None)
            }
            Err(why) => ("scratchpad_update_failed", Some(why.clone())),
        };
        ExitRecord {
            task: name.to_owned(),
            outcome: left.outcome.to_owned(),
            steps: left.steps,
            scratchpad: event.to_owned(),
            why,
        }
    }

    async fn ask_what_to_remember(&self, task: &str, left: &Left) -> Result<Option<String>, String> {
        // A kill switch, the end of the daemon or of the partition: nothing is asked any more.
        if let Some(order) = self.cancellation.order()
            && order.reason != CancelReason::Deadline
        {
            return Err(format!("not asked: {}", order.reason));
        }
        let mind = self.mind()?;
        let state = self.desk.state();
        let report = ExitReport { task, outcome: left.outcome, summary: &left.summary, steps: left.steps };
        let mut cancellation = self.cancellation.clone();
        let has_order = cancellation.order().is_some();
        let ended = async {
            if has_order {
                cancellation.ordered().await; // the deadline, which is known
            }
            cancellation.sharpened().await.reason
        };
        tokio::select! {
            biased;
            reason = ended => Err(format!("given up: {reason}")),
            answer = ask_for_scratchpad(&mind, &state, &report) => answer.map_err(|failure| failure.message),
            () = tokio::time::sleep(Duration::from_millis(REMEMBER_MS)) => {
                Err(format!("no answer within {} s", REMEMBER_MS / 1_000))
            }
        }
    }
}
