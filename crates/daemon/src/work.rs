//! One run from its start to its end: scratchpad, tasks one at a time, engine, report.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jiff::Timestamp;
use subcortex_cadence::definition::Engine;
use subcortex_cadence::settle::{Ending, Mode, Work};
use subcortex_cadence::{BootMs, Definition, RunTask, StartRun, TaskKey};
use subcortex_engine::{
    CancelReason, Cancellation, CommandSpec, Ending as ProcessEnding, Finished, Launcher, Limits,
};
use subcortex_headless::Agent;
use subcortex_home::Home;
use subcortex_mind::AskNow;
use subcortex_runs::{Evidence, ExitRecord};
use subcortex_scratchpad::Cycle;
use subcortex_store::Disk;
use subcortex_usage::{Purse, Sum};
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tracing::warn;

use crate::aside::{aside, redacted, with_text};
use crate::changes::Snapshot;
use crate::held::held;
use crate::identity::{Occasion, identity};
use crate::minds::{Minds, model_of};
use crate::prompted::{Left, Prompted};
use crate::waits::Waits;
use crate::workers::{AtWork, Desk};
use crate::{builtin, clock};

/// How long an engine may go on after the scheduler should have ended it, in milliseconds: a second net.
pub(crate) const DEADLINE_SPARE_MS: u64 = 2_000;
/// How much of an engine's standard error is kept for people, in characters.
const KEPT_STDERR_CHARS: usize = 4_000;

/// What a run tells the scheduler's edge.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) what: subcortex_edge::Report<Details>,
    /// Dropped when the task is settled: whoever holds the other end goes on after the ack.
    pub(crate) settled: Option<oneshot::Sender<()>>,
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
    /// Tools that a model wanted and did not get.
    pub(crate) denied: Vec<String>,
    /// How workers with a model left, and what became of their scratchpads.
    pub(crate) exits: Vec<ExitRecord>,
    /// What was spent on a model; nothing where there is none.
    pub(crate) spent: Option<Sum>,
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
    /// Where models are found.
    pub(crate) minds: Minds,
    /// Who is at work.
    pub(crate) at_work: Arc<AtWork>,
    /// Where workers reach the daemon over HTTP, once somebody listens there.
    pub(crate) url: OnceLock<String>,
}

/// A task and its body, or nothing when something else woke the partition.
pub(crate) type Task<'a> = Option<(&'a RunTask, &'a str)>;

impl Worker {
    /// Runs one partition. Whatever happens, it ends with exactly one [`subcortex_edge::Report::RunEnded`].
    pub(crate) async fn run(
        &self,
        start: StartRun,
        definition: Definition,
        cancellation: Cancellation,
        reports: UnboundedSender<Report>,
    ) {
        let desk = Arc::new(Desk::new(
            self.identity(&start, &definition),
            Arc::clone(&self.disk),
            self.begin_cycle(&start),
        ));
        let token = token();
        let pass = self.at_work.admit(&token, Arc::clone(&desk));
        let purse = self.minds.purse(start.partition.as_str(), start.run.as_str(), &definition);
        let partition = start.partition.as_str();
        // The workers that ship say themselves what they wrote; of others the disk is asked.
        let before = if is_code(partition, &definition) { None } else { self.snapshot(partition).await };
        let run = Run {
            worker: self,
            start: &start,
            definition: &definition,
            cancellation,
            token,
            desk: Arc::clone(&desk),
            purse: Arc::clone(&purse),
            trace: Mutex::default(),
        };
        let (mut work, mut details, failed) = run.work_on_all(&reports).await;
        let trace = run.trace.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = before {
            let after = self.snapshot(partition).await.unwrap_or_default();
            details.changed = after.differences(&before);
            work.changed_files = Some(!details.changed.is_empty());
        }
        details.spent = Some(purse.spent()).filter(|spent| spent.tokens > 0 || spent.usd > 0.0);
        drop(pass);
        self.end_cycle(&start, desk.take_cycle(), failed, &trace);
        let (partition, run) = (start.partition, start.run);
        // Nobody listens any more only when the daemon is gone.
        let what = subcortex_edge::Report::RunEnded { partition, run, work, details };
        drop(reports.send(Report { what, settled: None }));
    }

    /// What the files are like; `None` when that cannot be found out.
    async fn snapshot(&self, partition: &str) -> Option<Snapshot> {
        let (home, partition) = (self.home.clone(), partition.to_owned());
        aside(move || Snapshot::take(&home, &partition)).await.ok()
    }

    fn identity(&self, start: &StartRun, definition: &Definition) -> subcortex_agent::Identity {
        let (tokens_per_run, usd_per_day) = self.minds.limits(definition);
        let occasion = Occasion {
            run_id: Some(start.run.to_string()),
            tick: start.tick.0,
            mode: match start.mode {
                Mode::Directed => "directed",
                Mode::Reflective => "reflective",
            },
            model: model_of(definition).unwrap_or_else(|| self.minds.usual_model(definition)),
            tokens_per_run,
            usd_per_day,
        };
        identity(&self.home, start.partition.as_str(), definition, occasion)
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

    fn end_cycle(&self, start: &StartRun, cycle: Option<Cycle>, failed: Option<String>, trace: &str) {
        let Some(cycle) = cycle else { return };
        let id = cycle.id().clone();
        let ended = match &failed {
            None => cycle.finish(&*self.disk, Timestamp::now()),
            Some(error) => cycle.fail(&*self.disk, error, Timestamp::now()),
        };
        if let Err(error) = ended {
            warn!(partition = %start.partition, run = %start.run, %error, "scratchpad not kept");
        }
        let trace = match failed {
            Some(error) if trace.is_empty() => error,
            Some(error) => format!("{trace}\n{error}\n"),
            None => trace.to_owned(),
        };
        if trace.is_empty() {
            return;
        }
        let dir = self.home.cycle_logs(start.partition.as_str());
        if let Err(error) = subcortex_scratchpad::write_trace(&*self.disk, &dir, &id, &trace) {
            warn!(partition = %start.partition, run = %start.run, %error, "trace not kept");
        }
    }
}

/// Whether a partition's work is done by code of ours, whatever model serves it.
pub(crate) fn is_code(partition: &str, definition: &Definition) -> bool {
    match definition.engine {
        Engine::Builtin => true,
        Engine::Command { .. } => false,
        Engine::Api | Engine::Claude | Engine::Codex => builtin::is_worker(partition),
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
pub(crate) struct Run<'a> {
    pub(crate) worker: &'a Worker,
    pub(crate) start: &'a StartRun,
    pub(crate) definition: &'a Definition,
    pub(crate) cancellation: Cancellation,
    pub(crate) desk: Arc<Desk>,
    pub(crate) purse: Arc<Purse>,
    token: String,
    /// What is kept of the work for whoever wants to know why it failed.
    trace: Mutex<String>,
}

impl Run<'_> {
    /// Works on each task, or once without one; says how the run as a whole ended, and how it failed if nothing of it
    /// went well.
    async fn work_on_all(&self, reports: &UnboundedSender<Report>) -> (Work, Details, Option<String>) {
        if self.start.tasks.is_empty() {
            let (work, mut details, left) = self.work_on(None).await;
            if let Some(left) = left {
                details.exits.push(self.remember(None, left).await);
            }
            let failed = failure(&work.ending);
            return (work, details, failed);
        }
        let mut of_run = Details::default();
        let (mut more_to_do, mut wake_at, mut went_well, mut failed) = (false, None, false, None);
        for task in &self.start.tasks {
            if let Some(ending) = self.ordered_end() {
                let failed = failure(&ending);
                return (Work::ended(ending), of_run, failed);
            }
            let ending = match self.body(task).await {
                Ok(body) => {
                    let (work, details, left) = self.work_on(Some((task, &body))).await;
                    let body = redacted(body).await;
                    let details = Details { task: Some((task.key.clone(), body.clone())), ..details };
                    more_to_do |= work.more_to_do;
                    wake_at = wake_at.into_iter().chain(work.wake_at).min();
                    let ending = work.ending.clone();
                    let settled = self.report(reports, task, work, details);
                    if let Some(left) = left {
                        // After the ack, which waits for nobody. The other end goes away when the daemon does.
                        drop(settled.await);
                        of_run.exits.push(self.remember(Some((task, &body)), left).await);
                    }
                    ending
                }
                Err(why) => {
                    let ending = Ending::Failed(why);
                    drop(self.report(reports, task, Work::ended(ending.clone()), Details::default()));
                    ending
                }
            };
            match failure(&ending) {
                None => went_well = true,
                Some(why) => failed = failed.or(Some(why)),
            }
            if let Ending::TimedOut | Ending::Paused | Ending::Stopped | Ending::PartitionGone = ending {
                return (Work::ended(ending), of_run, failed);
            }
        }
        let work = Work { more_to_do, wake_at, ..Work::ended(Ending::Well) };
        (work, of_run, failed.filter(|_| !went_well))
    }

    /// Reports the end of a task; the answer comes when it is settled.
    fn report(
        &self,
        reports: &UnboundedSender<Report>,
        task: &RunTask,
        work: Work,
        details: Details,
    ) -> oneshot::Receiver<()> {
        let (settled, is_settled) = oneshot::channel();
        let (partition, run) = (self.start.partition.clone(), self.start.run.clone());
        let task = task.key.clone();
        let what = subcortex_edge::Report::TaskEnded { partition, run, task, work, details };
        // Nobody listens any more only when the daemon is gone.
        drop(reports.send(Report { what, settled: Some(settled) }));
        is_settled
    }

    /// Adds to the trace of the cycle.
    pub(crate) fn keep_trace(&self, text: &str) {
        let mut trace = held(&self.trace);
        if !text.trim().is_empty() {
            trace.push_str(text.trim_end());
            trace.push('\n');
        }
    }

    async fn body(&self, task: &RunTask) -> Result<String, String> {
        let inbox = self.worker.home.inbox(self.start.partition.as_str());
        let (disk, key) = (Arc::clone(&self.worker.disk), task.key.clone());
        let len = disk.stat(&inbox.join(key.name.as_str())).map_or(0, |stat| stat.len);
        let read = move || {
            let body =
                subcortex_inbox::read_body(&*disk, &inbox, &key.name).map_err(|error| error.to_string())?;
            if body.key == key {
                Ok(body.text)
            } else {
                Err("the file was changed before its turn came".into())
            }
        };
        with_text(usize::try_from(len).unwrap_or(usize::MAX), read).await?
    }

    /// Why the scheduler ended this run, if it did.
    fn ordered_end(&self) -> Option<Ending> {
        self.cancellation.order().map(|order| ending_of(order.reason))
    }

    async fn work_on(&self, task: Task<'_>) -> Prompted {
        let alone = |(work, details)| (work, details, None::<Left>);
        if is_code(self.start.partition.as_str(), self.definition) {
            return alone(self.run_builtin(task).await);
        }
        match &self.definition.engine {
            Engine::Builtin => alone(self.run_builtin(task).await),
            Engine::Command { argv } => alone(self.run_command(argv, task).await),
            Engine::Api => self.run_loop(task).await,
            Engine::Claude => self.run_agent(Agent::Claude, task).await,
            Engine::Codex => self.run_agent(Agent::Codex, task).await,
        }
    }

    /// The model that serves code of ours; nothing where the engine has none.
    fn waiting_mind(&self) -> Result<Option<Arc<dyn AskNow>>, String> {
        if self.definition.engine == Engine::Builtin {
            return Ok(None);
        }
        let (runtime, cancellation) = (Handle::current(), self.cancellation.clone());
        Ok(Some(Arc::new(Waits { mind: self.mind()?, runtime, cancellation })))
    }

    /// On a thread of its own: a worker may read for seconds, and the scheduler must go on meanwhile.
    async fn run_builtin(&self, task: Task<'_>) -> (Work, Details) {
        let settings = *held(&self.worker.weaver);
        let mind = match self.waiting_mind() {
            Ok(mind) => mind,
            Err(why) => return (Work::ended(Ending::Refused(why)), Details::default()),
        };
        let call = builtin::Call {
            mind,
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

    async fn run_command(&self, argv: &[String], task: Task<'_>) -> (Work, Details) {
        let spec = self.command(argv, task);
        match self.worker.launcher.launch(spec, self.cancellation.clone()).await {
            Ok(finished) => report_of(finished).await,
            Err(error) => (Work::ended(Ending::Refused(error.to_string())), Details::default()),
        }
    }

    /// What a program finds in its environment.
    pub(crate) fn environment(&self, task: Task<'_>) -> BTreeMap<OsString, OsString> {
        let home = &self.worker.home;
        let mut env = self.worker.environment.clone();
        let mut set = |name: &str, value: OsString| env.insert(name.into(), value);
        set("SUBCORTEX_HOME", home.root().into());
        set("SUBCORTEX_PARTITION", self.start.partition.as_str().into());
        set("SUBCORTEX_RUN_ID", self.start.run.as_str().into());
        set("SUBCORTEX_MEMORY", home.memory().into());
        set("SUBCORTEX_TOKEN", (&self.token).into());
        set("SUBCORTEX_TASK", task.map_or("", |(task, _)| task.key.name.as_str()).into());
        if let Some(url) = self.worker.url.get() {
            set("SUBCORTEX_URL", url.into());
        }
        env
    }

    fn command(&self, argv: &[String], task: Task<'_>) -> CommandSpec {
        let (program, args) =
            argv.split_first().map_or(("", &[][..]), |(program, args)| (program.as_str(), args));
        CommandSpec {
            run_id: self.start.run.as_str().to_owned(),
            program: program.into(),
            args: args.iter().map(OsString::from).collect(),
            cwd: self.worker.home.partition(self.start.partition.as_str()),
            env: self.environment(task),
            stdin: task.map_or_else(Vec::new, |(_, body)| body.as_bytes().to_vec()),
            limits: Limits::within_ms(remaining_ms(self.start.deadline) + DEADLINE_SPARE_MS),
            writable: None,
        }
    }
}

pub(crate) fn remaining_ms(deadline: BootMs) -> u64 {
    deadline.since_ms(clock::now().boot)
}

pub(crate) fn ending_of(reason: CancelReason) -> Ending {
    match reason {
        CancelReason::Deadline => Ending::TimedOut,
        CancelReason::Paused => Ending::Paused,
        CancelReason::Stopping => Ending::Stopped,
        CancelReason::PartitionGone => Ending::PartitionGone,
    }
}

/// A program's end, redacted, as the scheduler judges it.
async fn report_of(finished: Finished) -> (Work, Details) {
    let ending = match &finished.ending {
        ProcessEnding::Exited { code: 0 } => Ending::Well,
        ProcessEnding::Exited { code } => Ending::ExitCode(*code),
        ProcessEnding::Signalled { signal } => Ending::Signal(*signal),
        ProcessEnding::DeadlineReached => Ending::TimedOut,
        ProcessEnding::Cancelled { reason } => ending_of(*reason),
    };
    let output = redacted(finished.stdout.text_lossy().to_string()).await;
    let stderr = redacted(finished.stderr.text_lossy().to_string()).await;
    let stderr: String = stderr.chars().take(KEPT_STDERR_CHARS).collect();
    let work = Work { output: output.clone().into_bytes(), ..Work::ended(ending) };
    (work, Details { output, stderr, survivors_killed: finished.survivors_killed, ..Details::default() })
}
