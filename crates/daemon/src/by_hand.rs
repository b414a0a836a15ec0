//! What commands do themselves when no daemon runs: the same scheduler, under the same lock, for a moment.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use subcortex_cadence::saved::{PartitionMemory, Running};
use subcortex_cadence::{Event, Pace, PartitionId, SeenTask, State, TaskName, step};
use subcortex_config::Config;
use subcortex_engine::sweep_stale;
use subcortex_home::init;
use subcortex_loops::LoopPlace;
use subcortex_store::{Holder, HomeLock, LockError, durable};
use tokio::runtime::Handle;
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::oneshot;

use crate::clock::{self, BootTimer};
use crate::control::{Answer, Request};
use crate::door::{self, Visitors};
use crate::edge::{Edge, load_saved};
use crate::look::Eyes;
use crate::loops::{self, loop_views};
use crate::memory::decide;
use crate::reset::reset;
use crate::serve::event_loop;
use crate::setup::{ServeError, Setup, read_config, weaver_settings};
use crate::side_thread::SideThread;
use crate::status::{InboxTask, Schedule, schedule};
use crate::waiting::Waiting;
use subcortex_work::{AtWork, workshop};

/// How many tasks of one inbox are shown at most.
const MAX_SHOWN_TASKS: usize = 100_000;
/// How long a command waits for room on the disk, and whatever else a daemon would wait for.
const MAX_ROOM_WAIT_MS: u64 = 2_000;
/// How long a command waits for tasks from the fleet, and how often it looks.
const MAX_FLEET_WAIT: Duration = Duration::from_secs(3);
const FLEET_PAUSE: Duration = Duration::from_millis(10);

/// Does what a running daemon would do.
pub fn do_by_hand(setup: &Setup, request: Request) -> Result<Answer, ServeError> {
    let config = setup.read_trusted_config()?;
    init(&*setup.disk, &setup.home)?;
    let holder = Holder::this_process(format!("{:.0}", Timestamp::now()), "command");
    let _lock = HomeLock::acquire(&*setup.disk, &setup.home.lock(), holder)?;
    if let Request::Decide(decision) = &request {
        let shop = workshop(&setup.home, &setup.disk, weaver_settings(&config), None);
        return Ok(decide(&shop, &setup.home, decision));
    }
    if let Request::ResetScratchpad { worker } = &request {
        return Ok(reset(&*setup.disk, &setup.home, &AtWork::default(), worker));
    }
    if matches!(request, Request::Tick { .. } | Request::LoopRun { .. }) {
        // A task whose first run still works would be worked on twice.
        sweep_stale(&setup.group_prefix()?);
    }
    let (runs, web) = (SideThread::for_runs()?, SideThread::for_web()?);
    let done = event_loop()?.block_on(work(setup, &config, request, (runs.handle(), web.handle())));
    web.end();
    runs.end();
    done
}

/// Ends what a killed daemon, or a killed command, left at work; how many processes have their SIGKILL and are still there. Whoever holds
/// the home looks after its own runs: then nothing is done here.
pub fn end_what_was_left(setup: &Setup) -> Result<u32, ServeError> {
    let holder = Holder::this_process(format!("{:.0}", Timestamp::now()), "command");
    match HomeLock::acquire(&*setup.disk, &setup.home.lock(), holder) {
        Ok(_lock) => Ok(sweep_stale(&setup.group_prefix()?).still_alive),
        Err(LockError::Taken(_)) => Ok(0),
        Err(error) => Err(error.into()),
    }
}

async fn work(
    setup: &Setup,
    config: &Config,
    request: Request,
    (runs, web): (Handle, Handle),
) -> Result<Answer, ServeError> {
    let (reports, mut incoming) = unbounded_channel();
    let (sights, mut incoming_sights) = unbounded_channel();
    let mut edge = setup.edge(config, reports, sights, runs)?;
    edge.recover_scratchpads();
    edge.start(Pace::ByHand)?;
    let event = match request {
        Request::Status => return Ok(Answer::Schedule(peek(setup)?.0)),
        Request::Retry { partition, task } => {
            // Which tasks there are has to be known first; the start asked for it.
            let bell = edge.ring_when_told();
            while !edge.rang.contains(&bell) {
                let Some(sight) = incoming_sights.recv().await else { break };
                edge.take_sights(vec![sight])?;
            }
            return Ok(edge.retry(&partition, TaskName::new(task))?);
        }
        Request::Decide(_) | Request::ResetScratchpad { .. } => return Ok(Answer::Done), // above
        // Nobody works by itself here: whoever waits, waits for a daemon.
        Request::Work { .. } => return Ok(Answer::Done),
        Request::LoopRun { dir, root } => {
            let runner = loops::runner(setup, config, edge.worker());
            return Ok(loops::run_by_hand(&runner, &LoopPlace { dir, root }).await);
        }
        Request::Tick { partition: None } => Event::TickRequested,
        Request::Tick { partition: Some(name) } => match PartitionId::new(name) {
            Ok(partition) => Event::RunRequested { partition },
            Err(problem) => return Ok(Answer::Refused { why: problem.to_string() }),
        },
    };
    door::open(&edge, config.web.listen, &web, Visitors::workers_only(edge.at_work())).await;
    let timer = BootTimer::new().map_err(|source| ServeError::Os { what: "make a timer", source })?;
    let (answer, mut answered) = oneshot::channel();
    bring_from_fleet(&mut edge).await?;
    // The start asked for everything. What came from the fleet since then has to be looked for, and nothing else: a look behind a long
    // history asks for the state of very many files.
    let has_fleet = edge.hands.courier.is_some();
    let bell = if has_fleet { edge.ring_when_seen() } else { edge.ring_when_told() };
    let mut wish = Some((event, answer));
    let mut waiting = Vec::new();
    loop {
        if edge.rang.contains(&bell)
            && let Some((event, answer)) = wish.take()
        {
            waiting.push(Waiting::begin(&mut edge, event, answer)?);
        }
        for ended in std::mem::take(&mut edge.hands.ended) {
            waiting.iter_mut().for_each(|one| one.run_ended(&ended));
        }
        Waiting::answer_finished(&mut waiting, &edge);
        edge.tend_fleet()?;
        if let Ok(answer) = answered.try_recv() {
            // Best effort: whoever comes next finds a socket that nobody answers, and removes it.
            drop(durable::remove(&*setup.disk, &setup.home.worker_socket()));
            edge.leave_fleet();
            return Ok(answer);
        }
        tokio::select! {
            Some(report) = incoming.recv() => edge.take_reports(report, &mut incoming)?,
            Some(sight) = incoming_sights.recv() => edge.take_sights(vec![sight])?,
            woken = timer.wait_until(edge.order.next_wakeup()) => {
                woken.map_err(|source| ServeError::Os { what: "wait", source })?;
                edge.wake_up()?;
            }
        }
        // A result that cannot be written now would be lost, and its work done again: so there is a second chance, and a third.
        if edge.order.trouble().is_some_and(|trouble| trouble.lasts_ms(clock::now().boot) > MAX_ROOM_WAIT_MS)
            && let Some(error) = edge.order.take_trouble()
        {
            return Err(error.into());
        }
    }
}

/// Has tasks brought from the fleet, as far as its server answers soon.
async fn bring_from_fleet(edge: &mut Edge) -> Result<(), ServeError> {
    edge.tend_fleet()?;
    let Some(courier) = &edge.hands.courier else { return Ok(()) };
    let (start, rounds) = (Instant::now(), courier.rounds());
    // One round may have begun before it knew what is wanted.
    while courier.rounds() < rounds + 2
        && start.elapsed() < MAX_FLEET_WAIT
        && courier.view().trouble.is_none()
    {
        tokio::time::sleep(FLEET_PAUSE).await;
        courier.nudge();
    }
    Ok(())
}

/// Looks at everything without changing anything: what a daemon would see if it started now.
pub fn peek(setup: &Setup) -> Result<(Schedule, Vec<InboxTask>), ServeError> {
    // What somebody else does now is no work that was broken off.
    let is_served = HomeLock::peek(&*setup.disk, &setup.home.lock()).is_ok_and(|holder| holder.is_some());
    let (schedule, tasks) = peek_with(&setup.eyes(), is_served)?;
    Ok((Schedule { loops: loop_views(setup, &[])?, ..schedule }, tasks))
}

/// The same; `is_served` says that somebody holds the home, and that runs which have not ended go on.
pub(crate) fn peek_with(eyes: &Eyes, is_served: bool) -> Result<(Schedule, Vec<InboxTask>), ServeError> {
    let config = read_config(&*eyes.disk, &eyes.home)?;
    let settings = subcortex_cadence::Settings {
        interval_ms: config.cadence.interval_ms,
        max_parallel: config.cadence.max_parallel,
    };
    let mut saved = load_saved(&*eyes.disk, &eyes.home)?;
    let mut at_work: HashMap<PartitionId, Running> = HashMap::new();
    if is_served {
        let running =
            |(id, memory): (&PartitionId, &mut PartitionMemory)| Some((id.clone(), memory.running.take()?));
        at_work.extend(saved.partitions.iter_mut().filter_map(running));
    }
    let mut state = State::restore(saved, settings);
    let partitions = eyes.partitions().unwrap_or_default();
    let now = clock::now();
    // The wishes are nobody's: this is only a look.
    let started = Event::Started { pace: Pace::ByHand, partitions, paused: eyes.is_paused(), events: None };
    drop(step(&mut state, now, started));
    let ids: Vec<PartitionId> = state.partitions().iter().map(|partition| partition.id.clone()).collect();
    for partition in ids {
        let failed = state.partition(&partition).into_iter().flat_map(|found| found.memory.tasks.keys());
        let worked_on = at_work.get(&partition).into_iter().flat_map(|run| &run.ahead).map(|task| &task.key);
        let remembered: HashSet<String> =
            failed.chain(worked_on).map(|key| key.name.as_str().to_owned()).collect();
        // Only what was begun before is read: whether it is still the same task.
        let listing = eyes.survey_inbox(&partition, MAX_SHOWN_TASKS, &|name| remembered.contains(name));
        let tasks: Vec<SeenTask> = listing.map(|listing| listing.seen()).unwrap_or_default();
        drop(step(&mut state, now, Event::InboxSeen { partition, tasks }));
    }
    let tasks = state
        .partitions()
        .iter()
        .flat_map(|partition| partition.tasks().map(move |task| (partition, task)))
        .map(|(partition, task)| InboxTask {
            running: at_work.get(&partition.id).is_some_and(|run| run.is_at(task.key)),
            ..InboxTask::of(partition, &task)
        });
    let tasks = tasks.collect();
    Ok((schedule(&state, now, false, &HashMap::new()), tasks))
}
