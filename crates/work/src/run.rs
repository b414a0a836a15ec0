//! One run, while it lasts: tasks one at a time, and what each is worked on with.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use subcortex_blackboard::Role;
use subcortex_cadence::settle::{Ending, Judgement, Outcome, Work, judge};
use subcortex_cadence::{Definition, RunTask, StartRun};
use subcortex_engine::{CancelReason, Cancellation};
use subcortex_guard::Redactor;
use subcortex_inbox::InboxError;
use subcortex_mind::AskNow;
use subcortex_store::durable::{self, ReadError};
use subcortex_store::locked;
use subcortex_usage::{Metered, Purse};
use subcortex_yaml::frontmatter;
use tokio::runtime::Handle;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use crate::aside::{aside, redacted_in_time, with_text};
use crate::builtin::{Call, nobody, worker_of};
use crate::desk::Desk;
use crate::details::{Details, Report};
use crate::engines::{Engine, is_code};
use crate::exit::Worked;
use crate::runner::Runner;
use crate::supervised;
use crate::waits::Waits;

/// How long an engine may go on after the scheduler should have ended it, in milliseconds: a second net.
pub(crate) const DEADLINE_SPARE_MS: u64 = 2_000;

/// What a run says whose tasks were all taken back before it came to them.
const ALL_WITHDRAWN: &str = "NO-OP: its tasks were taken back before their turn came\n";

/// A task and its body, or nothing when something else woke the partition.
pub type Task<'a> = Option<(&'a RunTask, &'a str)>;

/// One run, while it lasts.
#[derive(Debug)]
pub struct Run<'a> {
    pub(crate) runner: &'a Runner,
    pub(crate) engine: &'static dyn Engine,
    pub(crate) start: &'a StartRun,
    pub(crate) definition: &'a Definition,
    pub(crate) cancellation: Cancellation,
    pub(crate) desk: Arc<Desk>,
    pub(crate) purse: Arc<Purse>,
    pub(crate) token: String,
    /// What is kept of the work for whoever wants to know why it failed.
    pub(crate) trace: Mutex<String>,
}

impl Run<'_> {
    /// Works on each task, or once without one; says how the run as a whole ended, and how it failed if nothing of it
    /// went well.
    pub(crate) async fn work_on_all(
        &self,
        reports: &UnboundedSender<Report>,
    ) -> (Work, Details, Option<String>) {
        if self.start.tasks.is_empty() {
            let worked = self.work_on(None).await;
            let failed = self.settle_state(None, &worked);
            let Worked { work, mut details, left } = worked;
            if let Some(left) = left {
                details.exits.push(self.remember(None, left).await);
            }
            return (work, details, failed);
        }
        let mut of_run = Details::default();
        let (mut more_to_do, mut wake_at, mut went_well, mut failed) = (false, None, false, None);
        let mut begun = false;
        for task in &self.start.tasks {
            if let Some(ending) = self.ordered_end() {
                let failed = failure(&ending);
                return (Work::ended(ending), of_run, failed);
            }
            let (ending, task_failed) = match self.body(task).await {
                // Nothing is said of it: what was never begun neither failed nor ended.
                Ok(None) => continue,
                Ok(Some(body)) => {
                    begun = true;
                    self.desk.take_up(task.key.name.as_str());
                    let worked = self.work_on(Some((task, &body))).await;
                    let task_failed = self.settle_state(Some((task, &body)), &worked);
                    let Worked { work, details, left } = worked;
                    let body = redacted_in_time(body, &self.cancellation).await;
                    let details = Details { task: Some((task.key.clone(), body.clone())), ..details };
                    more_to_do |= work.more_to_do;
                    wake_at = wake_at.into_iter().chain(work.wake_at).min();
                    let ending = work.ending.clone();
                    let settled = self.report(reports, task, work, details);
                    if let Some(left) = left {
                        // The ack comes first and does not wait for this; the channel closes when the daemon ends.
                        drop(settled.await);
                        of_run.exits.push(self.remember(Some((task, &body)), left).await);
                    }
                    (ending, task_failed)
                }
                Err(ending) => {
                    begun = true;
                    drop(self.report(reports, task, Work::ended(ending.clone()), Details::default()));
                    let why = failure(&ending);
                    (ending, why)
                }
            };
            match task_failed {
                None => went_well = true,
                Some(why) => failed = failed.or(Some(why)),
            }
            if let Ending::TimedOut | Ending::Paused | Ending::Stopped | Ending::PartitionGone = ending {
                return (Work::ended(ending), of_run, failed);
            }
        }
        if !begun {
            return (Work::well(ALL_WITHDRAWN), of_run, None);
        }
        let work = Work { more_to_do, wake_at, ..Work::ended(Ending::Well) };
        (work, of_run, failed.filter(|_| !went_well))
    }

    /// What a piece of work made of its worker's state stays or goes; says how the work failed.
    fn settle_state(&self, task: Task<'_>, worked: &Worked) -> Option<String> {
        if let Some((task, _)) = task
            && let Judgement { outcome: Outcome::Terminal, result: Some(result), .. } = judge(&worked.work)
        {
            self.desk.complete(task.key.name.as_str(), &Redactor::new().text(&result.line));
        }
        if worked.keeps_state() {
            self.desk.keep_so_far()
        } else {
            self.desk.go_back()
        }
        worked.failure()
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
        let mut trace = locked(&self.trace);
        if !text.trim().is_empty() {
            trace.push_str(text.trim_end());
            trace.push('\n');
        }
    }

    /// Begins a task, if it is still this machine's; `None` when it was taken back, or rewritten, before its turn came: then it is no
    /// task of this run any more, and the next look at the inbox sees what became of it.
    async fn body(&self, task: &RunTask) -> Result<Option<String>, Ending> {
        let tickets = &self.runner.fleet.tickets;
        let fence = tickets.begin(&self.start.partition, &task.key).map_err(Ending::NotStarted)?;
        let body = self.read(task).await.map_err(Ending::Failed)?;
        if body.is_none() && fence.is_some() {
            // Other machines wait for word of it.
            return Err(Ending::Failed("its file was taken away or changed before its turn came".into()));
        }
        Ok(body)
    }

    async fn read(&self, task: &RunTask) -> Result<Option<String>, String> {
        let inbox = self.runner.home.inbox(self.start.partition.as_str());
        let (disk, key) = (Arc::clone(&self.runner.disk), task.key.clone());
        let len = disk.stat(&inbox.join(key.name.as_str())).map_or(0, |stat| stat.len);
        let read = move || match subcortex_inbox::read_body(&*disk, &inbox, &key.name) {
            Ok(body) => Ok((body.key == key).then_some(body.text)),
            Err(InboxError::Read(ReadError::Missing { .. })) => Ok(None),
            Err(error) => Err(error.to_string()),
        };
        with_text(usize::try_from(len).unwrap_or(usize::MAX), read).await?
    }

    /// Why the scheduler ended this run, if it did.
    fn ordered_end(&self) -> Option<Ending> {
        self.cancellation.order().map(|order| ending_of(order.reason))
    }

    async fn work_on(&self, task: Task<'_>) -> Worked {
        let supervised = self.desk.seat.clone().filter(|seat| seat.role() == Role::Supervisor).zip(task);
        let Some((seat, (task, body))) = supervised else { return self.work_by_whom(task).await };
        let (board, name, text) = (Arc::clone(&seat), task.key.name.as_str().to_owned(), body.to_owned());
        match aside(move || supervised::begin(&board, &name, &text)).await {
            Ok(Ok(None)) => {}
            Ok(Ok(Some(work))) => return (work, Details::default()).into(),
            Ok(Err(why)) => return Worked::ended(Ending::Refused(why)),
            Err(bug) => return Worked::ended(Ending::Failed(bug)),
        }
        let worked = self.work_by_whom(Some((task, body))).await;
        match aside(move || supervised::end(&seat, worked)).await {
            Ok(worked) => worked,
            Err(bug) => Worked::ended(Ending::Failed(bug)),
        }
    }

    async fn work_by_whom(&self, task: Task<'_>) -> Worked {
        if is_code(self.start.partition.as_str(), self.definition) {
            self.work_by_code(task).await
        } else {
            self.engine.work(self, task).await
        }
    }

    /// The model that this run asks, paid from its purse; or why there is none.
    pub(crate) fn mind(&self) -> Result<Metered, String> {
        Ok(Metered::new(self.engine.mind(self)?, Arc::clone(&self.purse)))
    }

    /// The model that serves code of ours; nothing where the engine has none.
    fn waiting_mind(&self) -> Result<Option<Arc<dyn AskNow>>, String> {
        if !self.engine.has_model() {
            return Ok(None);
        }
        let (runtime, cancellation) = (Handle::current(), self.cancellation.clone());
        Ok(Some(Arc::new(Waits { mind: self.mind()?, runtime, cancellation })))
    }

    /// On a thread of its own: a worker may read for seconds, and the scheduler must go on meanwhile.
    pub(crate) async fn work_by_code(&self, task: Task<'_>) -> Worked {
        let partition = self.start.partition.as_str();
        let Some(worker) = worker_of(partition) else { return nobody(partition).into() };
        let mind = match self.waiting_mind() {
            Ok(mind) => mind,
            Err(why) => return Worked::ended(Ending::Refused(why)),
        };
        let call = Call {
            mind,
            run_id: self.start.run.as_str().to_owned(),
            task: task.map(|(task, body)| (task.key.name.as_str().to_owned(), body.to_owned())),
            home: self.runner.home.clone(),
            disk: Arc::clone(&self.runner.disk),
            settings: *locked(&self.runner.weaver),
            cancellation: self.cancellation.clone(),
            memory: Arc::clone(&self.runner.memory),
            peers: Arc::clone(&self.runner.peers),
            launcher: Arc::clone(&self.runner.launcher),
            runtime: Handle::current(),
            environment: self.runner.environment.clone(),
            tick: self.start.tick.0,
        };
        if worker.is_instant() {
            return worker.work(call).into();
        }
        match tokio::task::spawn_blocking(move || worker.work(call)).await {
            Ok(done) => done.into(),
            Err(error) => {
                let why = format!("the worker itself failed: {error}; please report it");
                Worked::ended(Ending::Failed(why))
            }
        }
    }

    /// What a program finds in its environment.
    pub(crate) fn environment(&self, task: Task<'_>) -> BTreeMap<OsString, OsString> {
        let home = &self.runner.home;
        let mut env = self.runner.environment.clone();
        let mut set = |name: &str, value: OsString| env.insert(name.into(), value);
        set("SUBCORTEX_HOME", home.root().into());
        set("SUBCORTEX_PARTITION", self.start.partition.as_str().into());
        set("SUBCORTEX_RUN_ID", self.start.run.as_str().into());
        set("SUBCORTEX_MEMORY", home.memory().into());
        set("SUBCORTEX_TOKEN", (&self.token).into());
        set("SUBCORTEX_TASK", task.map_or("", |(task, _)| task.key.name.as_str()).into());
        let fence =
            task.and_then(|(task, _)| self.runner.fleet.tickets.fence(&self.start.partition, &task.key));
        if let Some(fence) = fence {
            set("SUBCORTEX_FENCE", fence.into());
        }
        if let Some(url) = self.runner.url.get() {
            set("SUBCORTEX_URL", url.into());
        }
        env
    }

    /// The prompt of the partition: what stands below the frontmatter of its `CLAUDE.md`.
    pub(crate) fn instructions(&self) -> Result<String, String> {
        let file = self.runner.home.partition(self.start.partition.as_str()).join("CLAUDE.md");
        let text = durable::read_text(&*self.runner.disk, &file, Definition::MAX_BYTES)
            .map_err(|error| error.to_string())?;
        let (_, prompt) = frontmatter::split(&text).map_err(|problem| problem.at("CLAUDE.md"))?;
        Ok(prompt.to_owned())
    }

    /// The worker's own folder for files, made if it is missing.
    pub(crate) fn files(&self) -> Result<PathBuf, String> {
        let folder = self.runner.home.partition(self.start.partition.as_str());
        durable::make_dirs(&*self.runner.disk, &folder, Path::new(crate::identity::FILES))
            .map_err(|error| error.to_string())?;
        Ok(folder.join(crate::identity::FILES))
    }
}

/// How a run failed, for the notes of its scratchpad; `None` when it did not.
pub(crate) fn failure(ending: &Ending) -> Option<String> {
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

pub(crate) fn ending_of(reason: CancelReason) -> Ending {
    match reason {
        CancelReason::Deadline => Ending::TimedOut,
        CancelReason::Paused => Ending::Paused,
        CancelReason::Stopping => Ending::Stopped,
        CancelReason::PartitionGone => Ending::PartitionGone,
    }
}
