//! One run from its start to its end: scratchpad, tasks one at a time, engine, report.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use subcortex_cadence::definition::Engine;
use subcortex_cadence::settle::{Ending, Work};
use subcortex_cadence::{BootMs, Definition, PartitionId, RunId, RunTask, StartRun, TaskKey};
use subcortex_engine::{Cancellation, CommandSpec, Ending as ProcessEnding, Finished, Launcher, Limits};
use subcortex_guard::Redactor;
use subcortex_home::Home;
use subcortex_runs::Evidence;
use subcortex_scratchpad::Cycle;
use subcortex_store::Disk;
use tokio::sync::mpsc::UnboundedSender;
use tracing::warn;

use crate::changes::Snapshot;
use crate::{builtin, clock};

/// How long an engine may go on after the scheduler should have ended it, in milliseconds: a second net.
const DEADLINE_SPARE_MS: u64 = 2_000;
/// How much of an engine's standard error is kept for people, in characters.
const KEPT_STDERR_CHARS: usize = 4_000;

/// What a run tells the scheduler's edge.
#[derive(Debug)]
pub(crate) enum Report {
    /// The work on one task ended.
    TaskEnded { partition: PartitionId, run: RunId, task: TaskKey, work: Work, details: Details },
    /// The run ended, and nothing of it is alive.
    RunEnded { partition: PartitionId, run: RunId, work: Work, details: Details },
}

/// What people want to know of a piece of work besides how it ended.
#[derive(Debug, Default, Clone)]
pub(crate) struct Details {
    /// The task and its body, redacted.
    pub(crate) task: Option<(TaskKey, String)>,
    /// The output, redacted and bounded.
    pub(crate) output: String,
    /// What it said on standard error, redacted and bounded.
    pub(crate) stderr: String,
    /// Files below `memory/` that really changed.
    pub(crate) changed: Vec<String>,
    /// Processes that had to be killed because the engine left them behind.
    pub(crate) survivors_killed: u32,
    /// The subagents that were sent out.
    pub(crate) subagents: Vec<String>,
    /// The evidence by line of the broadcast.
    pub(crate) evidence: Vec<Evidence>,
    /// What a scan of the spine says of itself.
    pub(crate) scan: Option<serde_json::Value>,
    /// The edits of the broadcast that were made.
    pub(crate) edits: Vec<EditMade>,
}

/// An edit of the broadcast, for the log and the spine: no words of the memory.
#[derive(Debug, Clone)]
pub(crate) struct EditMade {
    pub(crate) id: String,
    pub(crate) changes: usize,
}

/// Does the work of runs.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) home: Home,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) launcher: Arc<dyn Launcher>,
    /// What programs find in their environment, besides what the run adds.
    pub(crate) environment: BTreeMap<OsString, OsString>,
    /// What the weaver may do.
    pub(crate) weaver: Mutex<subcortex_weaver::Settings>,
    /// Held by whoever changes the memory: a run of the weaver, or a person's decision.
    pub(crate) memory: Arc<Mutex<()>>,
}

impl Worker {
    /// Runs one partition. Whatever happens, it ends with exactly one [`Report::RunEnded`].
    pub(crate) async fn run(
        &self,
        start: StartRun,
        definition: Definition,
        cancellation: Cancellation,
        reports: UnboundedSender<Report>,
    ) {
        let cycle = self.begin_cycle(&start);
        // The workers that ship say themselves what they wrote; of others the disk is asked.
        let before = (definition.engine != Engine::Builtin).then(|| Snapshot::take(&self.home));
        let mut run =
            Run { worker: self, start: &start, definition: &definition, cancellation, token: token() };
        let (mut work, mut details) = run.work_on_all(&reports).await;
        if let Some(before) = before {
            details.changed = Snapshot::take(&self.home).differences(&before);
            work.changed_files = Some(!details.changed.is_empty());
        }
        self.end_cycle(cycle, &work);
        let (partition, run) = (start.partition, start.run);
        // Nobody listens any more only when the daemon is gone.
        drop(reports.send(Report::RunEnded { partition, run, work, details }));
    }

    /// A scratchpad that cannot be written never fails the work.
    fn begin_cycle(&self, start: &StartRun) -> Option<Cycle> {
        let (dir, quarantine) =
            (self.home.scratchpad(start.partition.as_str()), self.home.spine().quarantine);
        match Cycle::begin(&*self.disk, &dir, &quarantine, Timestamp::now()) {
            Ok(cycle) => Some(cycle),
            Err(error) => {
                warn!(partition = %start.partition, run = %start.run, %error, "scratchpad not kept");
                None
            }
        }
    }

    fn end_cycle(&self, cycle: Option<Cycle>, work: &Work) {
        let Some(cycle) = cycle else { return };
        let ended = match failure(&work.ending) {
            None => cycle.finish(&*self.disk, Timestamp::now()),
            Some(error) => cycle.fail(&*self.disk, &error, Timestamp::now()),
        };
        if let Err(error) = ended {
            warn!(%error, "scratchpad not kept");
        }
    }
}

/// How a run failed, for the notes of its scratchpad; `None` when it did not.
fn failure(ending: &Ending) -> Option<String> {
    match ending {
        Ending::Well => None,
        Ending::ExitCode(code) => Some(format!("exit code {code}")),
        Ending::Signal(signal) => Some(format!("ended by signal {signal}")),
        Ending::Failed(error) | Ending::Refused(error) | Ending::NotStarted(error) => Some(error.clone()),
        Ending::TimedOut => Some("the deadline was reached".into()),
        Ending::Paused => Some("the kill switch was set".into()),
        Ending::Stopped => Some("the daemon stopped".into()),
        Ending::PartitionGone => Some("the partition was removed".into()),
    }
}

/// The worker's own key for this run.
fn token() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

/// One run, while it lasts.
struct Run<'a> {
    worker: &'a Worker,
    start: &'a StartRun,
    definition: &'a Definition,
    cancellation: Cancellation,
    token: String,
}

impl Run<'_> {
    /// Works on each task, or once without one; says how the run as a whole ended.
    async fn work_on_all(&mut self, reports: &UnboundedSender<Report>) -> (Work, Details) {
        if self.start.tasks.is_empty() {
            return self.work_on(None).await;
        }
        let mut more_to_do = false;
        for task in &self.start.tasks {
            let ended = self.ordered_end();
            if let Some(ending) = ended {
                return (Work::ended(ending), Details::default());
            }
            let (work, details) = match self.body(task) {
                Ok(body) => {
                    let (work, details) = self.work_on(Some((task, &body))).await;
                    (
                        work,
                        Details {
                            task: Some((task.key.clone(), Redactor::new().text(&body).into_owned())),
                            ..details
                        },
                    )
                }
                Err(why) => (Work::ended(Ending::Failed(why)), Details::default()),
            };
            more_to_do |= work.more_to_do;
            let report = Report::TaskEnded {
                partition: self.start.partition.clone(),
                run: self.start.run.clone(),
                task: task.key.clone(),
                work: work.clone(),
                details,
            };
            // Nobody listens any more only when the daemon is gone.
            drop(reports.send(report));
            if let Ending::TimedOut | Ending::Paused | Ending::Stopped | Ending::PartitionGone = work.ending {
                return (Work::ended(work.ending), Details::default());
            }
        }
        (Work { more_to_do, ..Work::ended(Ending::Well) }, Details::default())
    }

    fn body(&self, task: &RunTask) -> Result<String, String> {
        let inbox = self.worker.home.inbox(self.start.partition.as_str());
        let body = subcortex_inbox::read_body(&*self.worker.disk, &inbox, &task.key.name);
        let body = body.map_err(|error| error.to_string())?;
        if body.key == task.key {
            Ok(body.text)
        } else {
            Err("the file was changed before its turn came".into())
        }
    }

    /// Why the scheduler ended this run, if it did.
    fn ordered_end(&self) -> Option<Ending> {
        self.cancellation.order().map(|order| ending_of(&order.reason))
    }

    async fn work_on(&self, task: Option<(&RunTask, &str)>) -> (Work, Details) {
        match &self.definition.engine {
            Engine::Builtin => self.run_builtin(task).await,
            Engine::Command { argv } => self.run_command(argv, task).await,
            Engine::Api | Engine::Claude | Engine::Codex => {
                let engine = self.definition.engine.name();
                let why = format!(
                    "this version has no engine `{engine}`; use `engine: command` or `engine: builtin` in \
                     subconscious/{}/CLAUDE.md",
                    self.start.partition
                );
                (Work::ended(Ending::Refused(why)), Details::default())
            }
        }
    }

    /// On a thread of its own: a worker may read for seconds, and the scheduler must go on meanwhile.
    async fn run_builtin(&self, task: Option<(&RunTask, &str)>) -> (Work, Details) {
        let settings = *self.worker.weaver.lock().unwrap_or_else(PoisonError::into_inner);
        let call = builtin::Call {
            partition: self.start.partition.as_str().to_owned(),
            run_id: self.start.run.as_str().to_owned(),
            task: task.map(|(task, body)| (task.key.name.as_str().to_owned(), body.to_owned())),
            home: self.worker.home.clone(),
            disk: Arc::clone(&self.worker.disk),
            settings,
            cancellation: self.cancellation.clone(),
            memory: Arc::clone(&self.worker.memory),
        };
        if call.is_instant() {
            return call.run();
        }
        match tokio::task::spawn_blocking(move || call.run()).await {
            Ok(done) => done,
            Err(error) => {
                let why = format!("the worker itself failed: {error}; please report it");
                (Work::ended(Ending::Failed(why)), Details::default())
            }
        }
    }

    async fn run_command(&self, argv: &[String], task: Option<(&RunTask, &str)>) -> (Work, Details) {
        let spec = self.command(argv, task);
        match self.worker.launcher.launch(spec, self.cancellation.clone()).await {
            Ok(finished) => report_of(&finished),
            Err(error) => (Work::ended(Ending::Refused(error.to_string())), Details::default()),
        }
    }

    fn command(&self, argv: &[String], task: Option<(&RunTask, &str)>) -> CommandSpec {
        let home = &self.worker.home;
        let mut env = self.worker.environment.clone();
        let mut set = |name: &str, value: OsString| env.insert(name.into(), value);
        set("SUBCORTEX_HOME", home.root().into());
        set("SUBCORTEX_PARTITION", self.start.partition.as_str().into());
        set("SUBCORTEX_RUN_ID", self.start.run.as_str().into());
        set("SUBCORTEX_MEMORY", home.memory().into());
        set("SUBCORTEX_TOKEN", (&self.token).into());
        set("SUBCORTEX_TASK", task.map_or("", |(task, _)| task.key.name.as_str()).into());
        let (program, args) =
            argv.split_first().map_or(("", &[][..]), |(program, args)| (program.as_str(), args));
        CommandSpec {
            run_id: self.start.run.as_str().to_owned(),
            program: program.into(),
            args: args.iter().map(OsString::from).collect(),
            cwd: home.partition(self.start.partition.as_str()),
            env,
            stdin: task.map_or_else(Vec::new, |(_, body)| body.as_bytes().to_vec()),
            limits: Limits::within_ms(remaining_ms(self.start.deadline) + DEADLINE_SPARE_MS),
            writable: None,
        }
    }
}

fn remaining_ms(deadline: BootMs) -> u64 {
    deadline.since_ms(clock::now().boot)
}

pub(crate) fn ending_of(reason: &str) -> Ending {
    match reason {
        "deadline" => Ending::TimedOut,
        "paused" => Ending::Paused,
        "partition gone" => Ending::PartitionGone,
        _ => Ending::Stopped,
    }
}

/// A program's end, redacted, as the scheduler judges it.
fn report_of(finished: &Finished) -> (Work, Details) {
    let redactor = Redactor::new();
    let ending = match &finished.ending {
        ProcessEnding::Exited { code: 0 } => Ending::Well,
        ProcessEnding::Exited { code } => Ending::ExitCode(*code),
        ProcessEnding::Signalled { signal } => Ending::Signal(*signal),
        ProcessEnding::DeadlineReached => Ending::TimedOut,
        ProcessEnding::Cancelled { reason } => ending_of(reason),
    };
    let output = redactor.text(&finished.stdout.text_lossy()).into_owned();
    let stderr: String =
        redactor.text(&finished.stderr.text_lossy()).chars().take(KEPT_STDERR_CHARS).collect();
    let work = Work { output: output.clone().into_bytes(), ..Work::ended(ending) };
    (work, Details { output, stderr, survivors_killed: finished.survivors_killed, ..Details::default() })
}
