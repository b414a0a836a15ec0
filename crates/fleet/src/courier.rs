//! Brings tasks from the server into the inboxes of this machine, and their results back: a thread of its own, so that nobody waits
//! for a server that is away.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use subcortex_cadence::PartitionId;
use subcortex_home::Home;
use subcortex_store::{Disk, locked};
use tracing::{info, warn};

use crate::rounds::Rounds;
use crate::view::FleetView;
use crate::{Membership, Stream};

/// How long the end of a daemon waits for what the courier has to say to the server.
const LAST_ROUND: Duration = Duration::from_secs(3);
/// The first pause after something could not be done; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// How long a listener waits before it looks whether it is still wanted.
const LISTEN: Duration = Duration::from_secs(1);

/// What a partition wants from the fleet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Want {
    /// Which one.
    pub partition: PartitionId,
    /// How many tasks it has room for, with those that it has.
    pub room: usize,
    /// Whether it keeps what it has and has not begun.
    pub keep: bool,
}

/// Something that the daemon wants to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// An inbox has changed, or its tasks may be begun.
    Look(PartitionId),
    /// A task was taken over by another machine before it was finished here.
    Lost {
        /// Whose task.
        partition: PartitionId,
        /// Its name.
        task: String,
    },
    /// A result came too late: another machine had taken the task over.
    Late {
        /// Whose task.
        partition: PartitionId,
        /// Its name.
        task: String,
    },
    /// An entry that nobody can read was set aside.
    Unreadable {
        /// Whose.
        partition: PartitionId,
        /// Which.
        entry: String,
        /// Why.
        why: String,
    },
}

/// Tells the daemon.
pub(crate) type Tell = Box<dyn Fn(News) + Send>;

enum Nudge {
    Wants(Vec<Want>),
    Round,
    Stop,
}

/// The daemon's end of the courier. The thread ends when this is dropped.
#[derive(Debug)]
pub struct Courier {
    nudges: Sender<Nudge>,
    view: Arc<Mutex<FleetView>>,
    ended: Receiver<()>,
    stopping: Arc<AtomicBool>,
    /// How many rounds have ended.
    rounds: Arc<AtomicUsize>,
    told: Vec<Want>,
}

impl Courier {
    /// Starts the courier where there is a server; it takes nothing before it is told what is wanted.
    pub fn start(
        membership: &Membership,
        home: &Home,
        disk: &Arc<dyn Disk>,
        tell: impl Fn(News) + Send + 'static,
    ) -> Option<Self> {
        let (settings, stream) = membership.server.as_ref()?;
        let stream = Arc::clone(stream);
        let view =
            Arc::new(Mutex::new(FleetView { server: stream.shown().to_owned(), ..FleetView::default() }));
        let (nudges, incoming) = channel();
        let (end, ended) = channel();
        let stopping = Arc::new(AtomicBool::new(false));
        let listener =
            Listener { stream: Arc::clone(&stream), nudges: nudges.clone(), stopping: Arc::clone(&stopping) };
        let rounds = Rounds::new(settings, home, disk, &membership.tickets, stream, Box::new(tell));
        let (shown, done) = (Arc::clone(&view), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&done);
        let spawned = std::thread::Builder::new()
            .name("subcortex-fleet".into())
            .spawn(move || {
                serve(rounds, &incoming, &shown, &counted);
                drop(end);
            })
            .and_then(|_| {
                std::thread::Builder::new().name("subcortex-hear".into()).spawn(move || listener.listen())
            });
        if let Err(error) = spawned {
            // Without threads there is no fleet, and everything else goes on.
            locked(&view).trouble = Some(error.to_string());
        }
        Some(Self { nudges, view, ended, stopping, rounds: done, told: Vec::new() })
    }

    /// Says what is wanted now.
    pub fn want(&mut self, wants: Vec<Want>) {
        if wants != self.told {
            self.told.clone_from(&wants);
            self.send(Nudge::Wants(wants));
        }
    }

    /// How many rounds have ended since the start, well or not.
    pub fn rounds(&self) -> usize {
        self.rounds.load(Ordering::Relaxed)
    }

    /// Something was finished, or changed.
    pub fn nudge(&self) {
        self.send(Nudge::Round);
    }

    /// The fleet as it was last seen.
    pub fn view(&self) -> FleetView {
        locked(&self.view).clone()
    }

    /// Tells the server what is finished, gives the rest back, and ends.
    pub fn stop(self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.send(Nudge::Stop);
        // It disconnects when the thread is done.
        let _ended = self.ended.recv_timeout(LAST_ROUND);
    }

    fn send(&self, nudge: Nudge) {
        // The thread ends before this only if it could not be started, which was said.
        drop(self.nudges.send(nudge));
    }
}

impl Drop for Courier {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::Relaxed);
    }
}

/// Hears of new tasks.
struct Listener {
    stream: Arc<Stream>,
    nudges: Sender<Nudge>,
    stopping: Arc<AtomicBool>,
}

impl Listener {
    fn listen(self) {
        let mut subscription = self.stream.listen();
        while !self.stopping.load(Ordering::Relaxed) {
            if subscription.wait(LISTEN) && self.nudges.send(Nudge::Round).is_err() {
                return;
            }
        }
    }
}

fn serve(mut rounds: Rounds, incoming: &Receiver<Nudge>, view: &Mutex<FleetView>, done: &AtomicUsize) {
    let mut pause = FIRST_PAUSE;
    let mut next = Instant::now();
    loop {
        let mut waited = incoming.recv_timeout(next.saturating_duration_since(Instant::now()));
        loop {
            match waited {
                Ok(Nudge::Wants(wants)) => rounds.wants = wants,
                Ok(Nudge::Round) => {}
                Ok(Nudge::Stop) => return rounds.last(),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
            waited = incoming.recv_timeout(Duration::ZERO);
        }
        // While the server is away, news of tasks is no reason to ask it more often.
        if rounds.is_troubled() && Instant::now() < next {
            continue;
        }
        let went = rounds.go(view);
        done.fetch_add(1, Ordering::Relaxed);
        match went {
            Ok(wait) => {
                if rounds.clear_trouble() {
                    info!(server = rounds.server(), "the fleet's server answers again");
                    locked(view).trouble = None;
                }
                pause = FIRST_PAUSE;
                next = Instant::now() + wait;
            }
            Err(error) => {
                if rounds.meet_trouble(&error) {
                    warn!(server = rounds.server(), %error, "the fleet's server is away; local work goes on");
                }
                locked(view).trouble = Some(error.to_string());
                next = Instant::now() + pause;
                pause = (pause * 2).min(rounds.beat());
            }
        }
    }
}
