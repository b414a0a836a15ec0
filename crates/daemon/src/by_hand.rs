//! What commands do themselves when no daemon runs: the same scheduler, under the same lock, for a moment.

use jiff::Timestamp;
use subcortex_cadence::{Event, Pace, PartitionId, SeenTask, State, TaskName, TaskState, step};
use subcortex_home::init;
use subcortex_store::{Holder, HomeLock, durable};
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::oneshot;

use crate::clock::{self, BootTimer};
use crate::control::{Answer, Request};
use crate::door;
use crate::edge::load_saved;
use crate::memory::{decide, workshop};
use crate::serve::event_loop;
use crate::setup::{ServeError, Setup, weaver_settings};
use crate::status::{Schedule, schedule};
use crate::waiting::Waiting;

/// How many tasks of one inbox are shown at most.
const MAX_SHOWN_TASKS: usize = 100_000;

/// Does what a running daemon would do.
pub fn do_by_hand(setup: &Setup, request: Request) -> Result<Answer, ServeError> {
    let config = setup.read_config()?;
    init(&*setup.disk, &setup.home)?;
    let holder = Holder::this_process(format!("{:.0}", Timestamp::now()), "command");
    let _lock = HomeLock::acquire(&*setup.disk, &setup.home.lock(), holder)?;
    if let Request::Decide(decision) = &request {
        let shop = workshop(&setup.home, &setup.disk, weaver_settings(&config), None);
        return Ok(decide(&shop, decision));
    }
    event_loop()?.block_on(async {
        let (reports, mut incoming) = unbounded_channel();
        let mut edge = setup.edge(&config, reports)?;
        edge.recover_scratchpads();
        edge.start(Pace::ByHand)?;
        let event = match request {
            Request::Status => return Ok(Answer::Schedule(schedule(&edge.state, clock::now(), false))),
            Request::Retry { partition, task } => return Ok(edge.retry(&partition, TaskName::new(task))?),
            Request::Decide(_) => return Ok(Answer::Done), // above
            Request::Tick { partition: None } => Event::TickRequested,
            Request::Tick { partition: Some(name) } => match PartitionId::new(name) {
                Ok(partition) => Event::RunRequested { partition },
                Err(problem) => return Ok(Answer::Refused { why: problem.to_string() }),
            },
        };
        door::open(&setup.home, config.web.listen, &edge).await;
        let timer = BootTimer::new().map_err(|source| ServeError::Os { what: "make a timer", source })?;
        let (answer, mut answered) = oneshot::channel();
        let mut waiting = vec![Waiting::begin(&mut edge, event, answer)?];
        loop {
            for ended in std::mem::take(&mut edge.ended) {
                waiting.iter_mut().for_each(|one| one.run_ended(&ended));
            }
            Waiting::answer_finished(&mut waiting, &edge);
            if let Ok(answer) = answered.try_recv() {
                // Best effort: whoever comes next finds a socket that nobody answers, and removes it.
                drop(durable::remove(&*setup.disk, &setup.home.worker_socket()));
                return Ok(answer);
            }
            tokio::select! {
                Some(report) = incoming.recv() => edge.take_reports(report, &mut incoming)?,
                woken = timer.wait_until(edge.state.next_wakeup()) => {
                    woken.map_err(|source| ServeError::Os { what: "wait", source })?;
                    edge.tell(Event::TimePassed)?;
                }
            }
        }
    })
}

/// One task of an inbox, for `inbox`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct InboxTask {
    /// Whose.
    pub partition: String,
    /// Its name.
    pub name: String,
    /// `pending`, `held` or `refused`.
    pub state: &'static str,
    /// Failed attempts.
    pub attempts: u32,
    /// Why it is still there.
    pub reason: Option<String>,
}

/// Looks at everything without changing anything: what a daemon would see if it started now.
pub fn peek(setup: &Setup) -> Result<(Schedule, Vec<InboxTask>), ServeError> {
    let config = setup.read_config()?;
    let eyes = setup.eyes();
    let settings = subcortex_cadence::Settings {
        interval_ms: config.cadence.interval_ms,
        max_parallel: config.cadence.max_parallel,
    };
    let mut state = State::restore(load_saved(&*setup.disk, &setup.home)?, settings);
    let partitions = eyes.partitions().unwrap_or_default();
    let now = clock::now();
    // The wishes are nobody's: this is only a look.
    let started = Event::Started { pace: Pace::ByHand, partitions, paused: eyes.is_paused(), events: None };
    drop(step(&mut state, now, started));
    let ids: Vec<PartitionId> = state.partitions().iter().map(|partition| partition.id.clone()).collect();
    for partition in ids {
        let tasks: Vec<SeenTask> =
            eyes.list_inbox(&partition, MAX_SHOWN_TASKS).map(|listing| listing.seen()).unwrap_or_default();
        drop(step(&mut state, now, Event::InboxSeen { partition, tasks }));
    }
    let tasks = state.partitions().iter().flat_map(|partition| {
        partition.tasks().map(|task| InboxTask {
            partition: partition.id.to_string(),
            name: task.key.name.as_str().to_owned(),
            state: match task.state {
                TaskState::Pending | TaskState::Acking => "pending",
                TaskState::Held => "held",
                TaskState::Refused => "refused",
            },
            attempts: task.attempts,
            reason: task.reason.map(str::to_owned),
        })
    });
    let tasks = tasks.collect();
    Ok((schedule(&state, now, false), tasks))
}
