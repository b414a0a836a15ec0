//! Runs loops when they are due: a task of its own, beside the scheduler of the partitions.
//!
//! It looks when it is told to (at each tick), when a run has ended, and when the next loop is due.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_engine::{CancelReason, Canceller, cancellation};
use subcortex_loops::LoopPlace;
use subcortex_loops::end::{LoopEnd, Standing};
use subcortex_loops::run_log::{self, LogLine, RunLog};
use subcortex_loops::schedule::{Holder, Turn, turns};
use subcortex_store::locked;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tracing::{error, info, warn};

use crate::recover::recover;
use crate::survey::Seen;
use crate::{LoopRunner, LoopView, Ran, Surveyor};

/// The shortest time between two looks.
const MIN_PAUSE: Duration = Duration::from_secs(1);
/// The longest time between two looks.
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// Time between SIGTERM and SIGKILL when the daemon stops.
const STOP_GRACE_MS: u64 = 500;

/// What came of a run that somebody asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The run; nothing when none started.
    pub run_id: Option<String>,
    /// `quiet`, `done`, `offered`, `verify`, `paused` …
    pub outcome: String,
    /// The engine's line.
    pub result: Option<String>,
    /// The branch that a change is on.
    pub branch: Option<String>,
    /// Why the result does not stand.
    pub why: Option<String>,
    /// Whether it stands.
    pub stands: bool,
    /// What it means for whoever asked.
    pub standing: Standing,
}

impl From<Ran> for Answered {
    fn from(ran: Ran) -> Answered {
        Answered {
            run_id: ran.run_id,
            outcome: ran.end.word().to_owned(),
            result: ran.result,
            branch: ran.end.branch().map(str::to_owned),
            why: ran.end.why(),
            stands: ran.end.stands(),
            standing: ran.end.standing(),
        }
    }
}

enum Message {
    Look,
    Roots(Vec<PathBuf>),
    Run(LoopPlace, oneshot::Sender<Answered>),
    Ended(String),
    Stop(oneshot::Sender<()>),
}

/// The end by which the daemon holds it.
#[derive(Debug, Clone)]
pub struct LoopKeeper {
    messages: UnboundedSender<Message>,
    views: Arc<Mutex<Vec<LoopView>>>,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a message to the keeper of loops")
    }
}

impl LoopKeeper {
    /// Starts it on a runtime. First it accounts for what an earlier daemon left.
    pub fn start(runner: Arc<LoopRunner>, roots: Vec<PathBuf>, runtime: &Handle) -> LoopKeeper {
        let (messages, incoming) = unbounded_channel();
        let views = Arc::default();
        let keeper = Keeper {
            runner,
            roots,
            messages: messages.clone(),
            views: Arc::clone(&views),
            running: HashMap::new(),
            stopping: None,
        };
        runtime.spawn(keeper.serve(incoming));
        LoopKeeper { messages, views }
    }

    /// A tick has passed.
    pub fn look(&self) {
        self.tell(Message::Look);
    }

    /// The settings name other repositories.
    pub fn set_roots(&self, roots: Vec<PathBuf>) {
        self.tell(Message::Roots(roots));
    }

    /// Runs one now, whatever its cadence.
    pub fn run(&self, place: LoopPlace) -> oneshot::Receiver<Answered> {
        let (answer, answered) = oneshot::channel();
        self.tell(Message::Run(place, answer));
        answered
    }

    /// Ends all runs; answers when they are over.
    pub fn stop(&self) -> oneshot::Receiver<()> {
        let (answer, answered) = oneshot::channel();
        self.tell(Message::Stop(answer));
        answered
    }

    /// What was seen at the last look.
    pub fn views(&self) -> Vec<LoopView> {
        locked(&self.views).clone()
    }

    fn tell(&self, message: Message) {
        // Nobody listens any more only when the daemon ends.
        drop(self.messages.send(message));
    }
}

struct Running {
    holder: Holder,
    canceller: Canceller,
}

struct Keeper {
    runner: Arc<LoopRunner>,
    roots: Vec<PathBuf>,
    messages: UnboundedSender<Message>,
    views: Arc<Mutex<Vec<LoopView>>>,
    /// By the loop's folder.
    running: HashMap<String, Running>,
    stopping: Option<oneshot::Sender<()>>,
}

impl Keeper {
    async fn serve(mut self, mut incoming: UnboundedReceiver<Message>) {
        recover(&self.runner).await;
        let mut pause = self.look().await;
        loop {
            let until_next_look = async {
                match pause {
                    Some(pause) => tokio::time::sleep(pause).await,
                    None => std::future::pending().await,
                }
            };
            let message = tokio::select! {
                message = incoming.recv() => message,
                () = until_next_look => Some(Message::Look),
            };
            match message {
                None => return,
                Some(Message::Stop(answer)) => self.stop(answer),
                Some(Message::Roots(roots)) => self.roots = roots,
                Some(Message::Ended(key)) => drop(self.running.remove(&key)),
                Some(Message::Look) => {}
                Some(Message::Run(place, answer)) => self.run_now(place, answer).await,
            }
            if self.running.is_empty()
                && let Some(answer) = self.stopping.take()
            {
                // A daemon that did not wait has ended.
                let _unheard = answer.send(());
                return;
            }
            pause = self.look().await;
        }
    }

    fn stop(&mut self, answer: oneshot::Sender<()>) {
        self.stopping = Some(answer);
        for running in self.running.values() {
            running.canceller.cancel(CancelReason::Stopping, STOP_GRACE_MS);
        }
    }

    /// Looks at all loops and starts those whose turn it is; says when to look again: never by itself without any.
    async fn look(&mut self) -> Option<Duration> {
        let (runner, roots) = (Arc::clone(&self.runner), self.roots.clone());
        if roots.is_empty() {
            self.show(&[]);
            return None;
        }
        let now = Timestamp::now();
        let looked = tokio::task::spawn_blocking(move || {
            let spend = runner.worker.minds.account.spend(now);
            let worker = &runner.worker;
            Surveyor { home: &worker.home, disk: &*worker.disk, zone: &runner.zone, spend: &spend }
                .look(&roots, now)
        });
        let Ok(seen) = looked.await else {
            error!("loops could not be looked at; please report it");
            return Some(MAX_PAUSE);
        };
        self.show(&seen);
        if self.stopping.is_some() {
            return Some(MAX_PAUSE);
        }
        self.give_turns(&seen, now);
        let next = seen.iter().filter(|one| can_run(one)).filter_map(|one| one.due_at).map(|at| at.0).min();
        let until = next.map_or(i64::MAX, |at| at.saturating_sub(now.as_millisecond()));
        let until = Duration::from_millis(u64::try_from(until).unwrap_or(0));
        // What is due and has no room is looked at again when a run ends, not at once.
        Some(until.clamp(MIN_PAUSE, MAX_PAUSE))
    }

    fn show(&self, seen: &[Seen]) {
        let views = seen.iter().map(|one| one.view.clone()).collect();
        *locked(&self.views) = views;
    }

    fn give_turns(&mut self, seen: &[Seen], now: Timestamp) {
        let is_due = |one: &&Seen| can_run(one) && one.due_at.is_some_and(|at| at.0 <= now.as_millisecond());
        let due: Vec<_> = seen.iter().filter(is_due).map(|one| one.candidate.clone()).collect();
        let holders: Vec<Holder> = self.running.values().map(|running| running.holder.clone()).collect();
        let room = self.runner.limits().max_parallel.saturating_sub(holders.len());
        for turn in turns(&due, &holders, room) {
            let (Turn::Start { key } | Turn::Defer { key, .. }) = &turn;
            let Some(one) = seen.iter().find(|one| one.candidate.key == *key) else { continue };
            match turn {
                Turn::Start { .. } => self.start(one, None),
                Turn::Defer { by, what, .. } => {
                    let why = format!("{what} is held by {by}");
                    self.defer(one, &why);
                }
            }
        }
    }

    fn start(&mut self, one: &Seen, answer: Option<oneshot::Sender<Answered>>) {
        let (canceller, cancellation) = cancellation();
        let key = one.candidate.key.clone();
        let holder = Holder { key: key.clone(), holds: one.candidate.needs.clone() };
        self.running.insert(key.clone(), Running { holder, canceller: canceller.clone() });
        let (runner, place, messages) = (Arc::clone(&self.runner), one.place.clone(), self.messages.clone());
        tokio::spawn(async move {
            let ran = runner.run(&place, &canceller, cancellation).await;
            if let Some(answer) = answer {
                drop(answer.send(ran.into()));
            }
            drop(messages.send(Message::Ended(key)));
        });
    }

    /// Waits for the next cadence, and says so in the log, by which the next cadence is known.
    fn defer(&self, one: &Seen, why: &str) {
        let disk = &*self.runner.worker.disk;
        warn!(r#loop = %one.view.key, why, "loop deferred to its next cadence");
        let run = RunLog::read(disk, &one.place.dir).map_or(0, |log| log.next_number());
        let outcome = run_log::DEFERRED.to_owned();
        let item = Some(why.to_owned());
        let line = LogLine { at: Timestamp::now(), run, action: "none".into(), item, outcome, tokens: 0 };
        if let Err(error) = run_log::append(disk, &one.place.dir, &line) {
            error!(r#loop = %one.view.key, %error, "run-log.md not written");
        }
    }

    /// Runs a loop that somebody asked for, unless others hold what it needs.
    async fn run_now(&mut self, place: LoopPlace, answer: oneshot::Sender<Answered>) {
        let now = Timestamp::now();
        let runner = Arc::clone(&self.runner);
        let looked = tokio::task::spawn_blocking(move || {
            let spend = runner.worker.minds.account.spend(now);
            let worker = &runner.worker;
            Surveyor { home: &worker.home, disk: &*worker.disk, zone: &runner.zone, spend: &spend }
                .see(place, now)
        });
        let Ok(one) = looked.await else { return };
        let holders: Vec<Holder> = self.running.values().map(|running| running.holder.clone()).collect();
        let given = turns(std::slice::from_ref(&one.candidate), &holders, 1);
        let why = match given.first() {
            Some(Turn::Start { .. }) if self.stopping.is_none() => {
                info!(r#loop = %one.view.key, "loop run asked for");
                return self.start(&one, Some(answer));
            }
            Some(Turn::Start { .. }) => "the daemon is stopping".to_owned(),
            Some(Turn::Defer { by, what, .. }) => format!("{what} is held by {by}"),
            None => "it is running already".to_owned(),
        };
        drop(answer.send(Ran { run_id: None, end: LoopEnd::Deferred { why }, result: None }.into()));
    }
}

/// Whether a loop would start when it is due. A paused one is looked at again, and leaves no line in its log.
fn can_run(one: &Seen) -> bool {
    one.view.state != "paused" && one.view.state != "broken"
}
