//! Running an agent.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use subcortex_engine::{
    Cancellation, CommandSpec, Finished, Launcher, Limits, Listener, ProcessEnding, StartError,
};
use subcortex_known_agents::headless::{
    CommandLine, Order, Progress, Report, Request, objects, read_subagents, words,
};
use subcortex_known_agents::{Agent, Cli};
use subcortex_mind::FailureKind;

use crate::lines::{self, Pieces};
use crate::mind::AgentMind;
use crate::{AgentEnding, AgentOutcome};

/// How much is kept of the end of an agent's output, in bytes: the last line holds the whole answer.
const OUTPUT_TAIL_BYTES: usize = 4 * 1024 * 1024;

/// Is told what an agent has done so far, each time that it told more. Whoever wants it to end cancels it.
pub type Watch = Arc<dyn Fn(&Progress) + Send + Sync>;

/// An agent's program, ready to be run.
#[derive(Clone)]
pub struct Headless {
    /// Which agent it is.
    pub agent: &'static Agent,
    /// A path, or a name that is looked up in `PATH` of `environment`.
    pub program: PathBuf,
    /// What it may know: `PATH`, `HOME`, the keys. Variables that keep the user's set-up out are added.
    pub environment: BTreeMap<OsString, OsString>,
    /// Whoever starts it.
    pub launcher: Arc<dyn Launcher>,
}

impl fmt::Debug for Headless {
    /// Without the environment, which holds keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.environment.keys().collect();
        f.debug_struct("Headless")
            .field("agent", &self.agent)
            .field("program", &self.program)
            .field("environment", &names)
            .finish_non_exhaustive()
    }
}

/// The program is not there, or cannot be started. The message says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Missing(String);

impl Missing {
    fn new(agent: &Agent, error: &StartError) -> Self {
        let name = agent.name;
        let message = error.to_string();
        let is_absent = match error {
            StartError::ProgramMissing { .. }
            | StartError::NotInPath { .. }
            | StartError::NotExecutable { .. }
            | StartError::InterpreterMissing { .. }
            | StartError::UnknownFormat { .. } => true,
            StartError::BadDirectory { .. }
            | StartError::BadArguments { .. }
            | StartError::BadRunId { .. }
            | StartError::BadTag { .. }
            | StartError::CannotSupervise { .. }
            | StartError::CannotConfine { .. }
            | StartError::TooSlow { .. }
            | StartError::Refused { .. } => false,
        };
        if !is_absent {
            return Self(format!("the agent `{name}` did not run: {message}"));
        }
        // The advice for programs in general would lead a person astray here.
        let what = message.split("\nhint:").next().unwrap_or_default();
        Self(format!(
            "the agent `{name}` did not run: {what}\nhint: install `{name}` and log in, or set `agents.{name}` in \
             config/subcortex.yaml to its path, or choose another engine"
        ))
    }
}

impl Headless {
    /// Runs the agent to its end. An order that cannot be carried out at all is an outcome that failed.
    pub async fn run(&self, order: Order, cancellation: Cancellation) -> Result<AgentOutcome, Missing> {
        self.carry_out(&order, None, cancellation, None).await
    }

    /// The same, with somebody who watches.
    pub async fn run_watched(
        &self,
        order: Order,
        cancellation: Cancellation,
        watch: Watch,
    ) -> Result<AgentOutcome, Missing> {
        let outcome = self.carry_out(&order, None, cancellation.clone(), Some(&watch)).await?;
        if !outcome.is_unheard || order.max_output_tokens.is_none() {
            return Ok(outcome);
        }
        // A version that knows no such limit refuses the command line before it does anything: it goes without.
        let without = Order { max_output_tokens: None, ..order };
        self.carry_out(&without, None, cancellation, Some(&watch)).await
    }

    /// The agent as a mind: it is asked one question at a time, without tools, in a process of its own.
    pub fn as_mind(
        self: Arc<Self>,
        run_id: String,
        cwd: PathBuf,
        model: Option<String>,
        max_duration_ms: u64,
        cancellation: Cancellation,
    ) -> AgentMind {
        AgentMind { headless: self, run_id, cwd, model, max_duration_ms, cancellation }
    }

    /// Carries out an order, with rules that stand above its prompt.
    pub(crate) async fn carry_out(
        &self,
        order: &Order,
        rules: Option<&str>,
        cancellation: Cancellation,
        watch: Option<&Watch>,
    ) -> Result<AgentOutcome, Missing> {
        let (cli, call) = match self.call(order, rules) {
            Ok(ready) => ready,
            Err(why) => return Ok(AgentOutcome::refused(why)),
        };
        let (spec, heard) = (self.spec(order, call), Arc::default());
        let launching = match watch {
            Some(watch) => self.launcher.launch_heard(spec, cancellation, listener(cli, watch, &heard)),
            None => self.launcher.launch(spec, cancellation),
        };
        let finished = launching.await.map_err(|error| Missing::new(self.agent, &error))?;
        let lines = objects(&finished.stdout.text_lossy());
        let mut report = (cli.report)(&lines, order);
        // Of a long output the middle is not kept, and a run that was ended early tells no sum.
        let heard = heard.lock().unwrap_or_else(PoisonError::into_inner).clone();
        report.usage.output = report.usage.output.max(heard.output_tokens());
        let missed = heard.commands().iter().filter(|heard| !report.commands.contains(heard));
        report.commands = missed.cloned().chain(report.commands.iter().cloned()).collect();
        Ok(self.outcome(report, lines.is_empty(), finished))
    }

    fn call(&self, order: &Order, rules: Option<&str>) -> Result<(&'static Cli, CommandLine), String> {
        let cli = self.agent.cli.as_ref().ok_or_else(|| {
            format!("`{}` is not known to run without a terminal: choose another engine", self.agent.name)
        })?;
        let subagents = order.subagents.as_deref().map_or(Ok(Vec::new()), read_subagents)?;
        let request = Request { order, rules, subagents: &subagents, environment: &self.environment };
        Ok((cli, (cli.command_line)(&request)?))
    }

    fn spec(&self, order: &Order, call: CommandLine) -> CommandSpec {
        let mut env = self.environment.clone();
        for (name, value) in call.environment {
            match value {
                Some(value) => env.insert(name.into(), value.into()),
                None => env.remove(&OsString::from(name)),
            };
        }
        let limits = Limits::within_ms(order.max_duration_ms);
        let limits = Limits { output_tail_bytes: limits.output_tail_bytes.max(OUTPUT_TAIL_BYTES), ..limits };
        CommandSpec {
            run_id: order.run_id.clone(),
            program: self.program.clone(),
            args: call.args.into_iter().map(OsString::from).collect(),
            cwd: order.cwd.clone(),
            env,
            stdin: call.stdin.into_bytes(),
            writable: order.writable.clone(),
            limits,
        }
    }

    fn outcome(&self, mut report: Report, is_silent: bool, finished: Finished) -> AgentOutcome {
        let stderr = words::stderr(&finished.stderr.text_lossy());
        let is_unheard = is_silent && matches!(finished.ending, ProcessEnding::Exited { code } if code != 0);
        if is_silent {
            report.failure = Some(self.silence(&finished.ending, &stderr));
        } else if !lines::ends_whole(&finished.stdout) && report.failure.is_none() {
            let why = format!("the output of `{}` breaks off in the middle of a line", self.agent.name);
            report.failure = Some((FailureKind::Garbage, why));
        }
        AgentOutcome {
            ending: self.ending(finished.ending, report.failure),
            text: report.text,
            structured: report.structured,
            usage: report.usage,
            model: report.model,
            cost_usd: report.cost_usd,
            turns: report.turns,
            denied: report.denied,
            subagents: report.subagents,
            commands: report.commands,
            stderr,
            survivors_killed: finished.survivors_killed,
            is_unheard,
        }
    }

    /// Judges by both: what the agent reported, and how its process ended.
    fn ending(&self, process: ProcessEnding, failure: Option<(FailureKind, String)>) -> AgentEnding {
        match (process, failure) {
            (ProcessEnding::Exited { .. }, Some((kind, why))) => AgentEnding::Failed { kind, why },
            (ProcessEnding::Exited { code: 0 }, None) => AgentEnding::Well,
            (ProcessEnding::Exited { code }, None) => AgentEnding::Failed {
                kind: FailureKind::Garbage,
                why: format!(
                    "`{}` reported success and exited with {code}; what it did is not trusted",
                    self.agent.name
                ),
            },
            (
                ended @ (ProcessEnding::Signalled { .. }
                | ProcessEnding::DeadlineReached
                | ProcessEnding::Cancelled { .. }),
                _,
            ) => AgentEnding::Process(ended),
        }
    }

    /// A program that ends without a line of JSON did not accept the way it was called.
    fn silence(&self, ending: &ProcessEnding, stderr: &str) -> (FailureKind, String) {
        let (name, said) = (self.agent.name, words::shown(stderr));
        let how = match ending {
            ProcessEnding::Exited { code } => format!("exited with {code}"),
            ProcessEnding::Signalled { .. }
            | ProcessEnding::DeadlineReached
            | ProcessEnding::Cancelled { .. } => "was ended".to_owned(),
        };
        let said = if said.is_empty() { "nothing".to_owned() } else { format!("`{said}`") };
        let why = format!(
            "`{name}` {how} and reported nothing; on standard error it said {said}. Its version may be too old \
             (`{name} --version`), or `agents.{name}` in config/subcortex.yaml is another program"
        );
        (FailureKind::Refused, why)
    }
}

/// Reads lines while they are written, and tells whoever watches.
fn listener(cli: &'static Cli, watch: &Watch, heard: &Arc<Mutex<Progress>>) -> Listener {
    let (watch, heard, pieces) = (Arc::clone(watch), Arc::clone(heard), Mutex::new(Pieces::default()));
    Arc::new(move |piece| {
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        let before = (heard.output_tokens(), heard.commands().len());
        let mut pieces = pieces.lock().unwrap_or_else(PoisonError::into_inner);
        pieces.push(piece, |line| (cli.hear)(line, &mut heard));
        if before != (heard.output_tokens(), heard.commands().len()) {
            watch(&heard);
        }
    })
}
