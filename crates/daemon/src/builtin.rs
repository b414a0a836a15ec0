//! The workers that ship: partitions with the engine `builtin`, found by their name.

use std::sync::{Arc, Mutex};

use subcortex_cadence::UnixMs;
use subcortex_cadence::settle::{Ending, Work};
use subcortex_engine::Cancellation;
use subcortex_home::Home;
use subcortex_mind::AskNow;
use subcortex_runs::Evidence;
use subcortex_store::Disk;
use subcortex_weaver::{self as weaver, Directed, Settings, WeaveError, Workshop, Woven};

use crate::held::held;
use crate::memory::workshop;
use crate::work::{Details, EditMade, ending_of};

/// The worker that keeps the memory.
const MEMORY_WEAVER: &str = "memory-weaver";
/// The worker that only shows a sign of life.
const HEARTBEAT: &str = "heartbeat";

/// Whether a partition of this name is worked on by code.
pub(crate) fn is_worker(partition: &str) -> bool {
    partition == HEARTBEAT || partition == MEMORY_WEAVER
}

/// What a worker is given: the basename and the body of its task, or nothing when something else woke it.
pub(crate) type Task = Option<(String, String)>;

/// One call of a worker that ships. It holds all that the worker needs, since it runs on a thread of its own.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) partition: String,
    pub(crate) run_id: String,
    pub(crate) task: Task,
    pub(crate) home: Home,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) settings: Settings,
    pub(crate) cancellation: Cancellation,
    /// Held by whoever changes the memory.
    pub(crate) memory: Arc<Mutex<()>>,
    /// The model that serves the worker, if its engine has one.
    pub(crate) mind: Option<Arc<dyn AskNow>>,
}

impl Call {
    /// Whether the worker does next to nothing: then a thread of its own costs more than the work, and tasks that end
    /// together can be settled together.
    pub(crate) fn is_instant(&self) -> bool {
        self.partition == HEARTBEAT
    }

    /// Runs the worker of the partition.
    pub(crate) fn run(self) -> (Work, Details) {
        match self.partition.as_str() {
            HEARTBEAT => said(heartbeat(self.task.is_some())),
            MEMORY_WEAVER => self.weave(),
            other => (
                Work::ended(Ending::Refused(format!(
                    "no worker called `{other}` ships with subcortex; name an engine in subconscious/{other}/CLAUDE.md, \
                     such as `engine: command`"
                ))),
                Details::default(),
            ),
        }
    }

    fn weave(self) -> (Work, Details) {
        let shop = Workshop {
            mind: self.mind,
            ..workshop(&self.home, &self.disk, self.settings, Some(self.run_id))
        };
        // Only one hand at a time in the memory: a person's decision waits, and so does this.
        let _alone = held(&self.memory);
        let cancelled = || self.cancellation.order().is_some();
        let woven = match &self.task {
            None => weaver::reflect(&shop, &cancelled).map(|woven| Directed::Done(Box::new(woven))),
            Some((name, body)) => weaver::direct(&shop, name, body, &cancelled),
        };
        match woven {
            Ok(Directed::Done(woven)) => report_of(*woven),
            // The task stays, with this as the reason.
            Ok(Directed::Unclear(why)) => {
                (Work::ended(Ending::Failed(format!("unclear task: {why}"))), Details::default())
            }
            Err(WeaveError::Cancelled) => {
                let ending =
                    self.cancellation.order().map_or(Ending::Stopped, |order| ending_of(order.reason));
                (Work::ended(ending), Details::default())
            }
            // Not the task's fault: it costs it no attempt.
            Err(error) if error.is_busy() => {
                (Work::ended(Ending::Refused(error.to_string())), Details::default())
            }
            Err(error) => (Work::ended(Ending::Failed(error.to_string())), Details::default()),
        }
    }
}

fn report_of(woven: Woven) -> (Work, Details) {
    let mut work = Work::well(woven.report.clone());
    work.more_to_do = woven.more_to_do;
    work.wake_at = woven.wake_at.map(|at| UnixMs(at.as_millisecond()));
    work.changed_files = Some(!woven.changed.is_empty());
    let evidence = woven.evidence.into_iter().map(|evidence| Evidence {
        line: evidence.line,
        new: evidence.new,
        prior: evidence.prior,
        total: evidence.new + evidence.prior,
    });
    let details = Details {
        output: woven.report,
        changed: woven.changed,
        subagents: woven.subagents.into_iter().map(str::to_owned).collect(),
        evidence: evidence.collect(),
        scan: woven.scan,
        edits: woven
            .edit
            .iter()
            .map(|edit| EditMade { id: edit.id.clone(), changes: edit.changes.len() })
            .collect(),
        ..Details::default()
    };
    (work, details)
}

fn said(result: &str) -> (Work, Details) {
    (Work::well(result), Details { output: result.to_owned(), ..Details::default() })
}

/// Does nothing, and says so: a sign of life for whoever watches the log.
fn heartbeat(has_task: bool) -> &'static str {
    if has_task { "NO-OP: the heartbeat has nothing to do with tasks" } else { "NO-OP: alive" }
}
