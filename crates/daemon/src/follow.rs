//! The transcripts of agents, followed in a thread of its own.
//!
//! The thread sleeps until a tick or a change of a file wakes it. Changes only say where to look and may be lost: with
//! each tick the lengths and times of all files are compared. What the files say goes to the spine through a writer of
//! its own, which the lock of the spine keeps apart from the others.
//!
//! Agents write in bursts, so that a change is followed up a moment later, together with what else has changed by then.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use notify::event::CreateKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use subcortex_config::{Config, Follow, PerAgent};
use subcortex_connect::is_connected;
use subcortex_home::Home;
use subcortex_import::{Look, News, Root, Tail as Transcripts, is_session_name};
use subcortex_known_agents::Agent;
use subcortex_spine::{AppendError, Spine};
use subcortex_store::{Disk, locked};
use tracing::{debug, error, info, warn};

use crate::mended;
use crate::status::Followed;

/// How long changes are gathered before they are looked at.
const GATHERED_FOR: Duration = Duration::from_secs(2);
/// More changed files than this are found faster by looking at everything.
const MAX_CHANGED_FILES: usize = 1000;
/// How often the kill switch is looked for while files are read.
const SWITCH_LOOK: Duration = Duration::from_millis(200);

/// What wakes the thread.
#[derive(Debug)]
enum Wake {
    /// A tick, with what is to be followed now.
    Tick(PerAgent<Follow>),
    /// A file has changed.
    Changed(PathBuf),
    /// Something has changed, and it is not known what.
    Rescan,
    /// The daemon ends.
    Stop,
}

/// What the thread shows to the daemon.
#[derive(Debug, Default)]
struct Shown {
    followed: Vec<Followed>,
    /// What the daemon must not live with.
    failed: Option<AppendError>,
}

/// The daemon's hold on the thread, which is started when there is something to follow.
#[derive(Debug)]
pub(crate) struct Following {
    home: Home,
    disk: Arc<dyn Disk>,
    boot_id: String,
    transcripts: Vec<Root>,
    thread: Option<Running>,
    shown: Arc<Mutex<Shown>>,
}

#[derive(Debug)]
struct Running {
    wakes: Sender<Wake>,
    is_stopping: Arc<AtomicBool>,
    handle: JoinHandle<()>,
}

impl Following {
    pub(crate) fn new(home: Home, disk: Arc<dyn Disk>, boot_id: String, transcripts: Vec<Root>) -> Self {
        Self { home, disk, boot_id, transcripts, thread: None, shown: Arc::default() }
    }

    /// Looks at everything once more, beside the daemon's work. An error if the thread met one that the daemon must
    /// not live with.
    pub(crate) fn tick(&mut self, config: &Config) -> Result<(), AppendError> {
        if let Some(error) = self.lock_shown().failed.take() {
            return Err(error);
        }
        self.bury_dead_thread();
        if self.thread.is_none() && !self.transcripts.is_empty() {
            match self.start() {
                Ok(thread) => self.thread = Some(thread),
                Err(error) => warn!(%error, "transcripts are not followed"),
            }
        }
        if let Some(thread) = &self.thread {
            // A thread that has ended has left its reason.
            drop(thread.wakes.send(Wake::Tick(config.tail.clone())));
        }
        Ok(())
    }

    /// A bug ended the thread, which said so where it happened. What it had not saved is read again.
    fn bury_dead_thread(&mut self) {
        if let Some(dead) = self.thread.take_if(|thread| thread.handle.is_finished()) {
            drop(dead.handle.join());
            error!("the thread that follows transcripts was ended by a bug; it is started again");
        }
    }

    /// What is followed, for `status`.
    pub(crate) fn followed(&self) -> Vec<Followed> {
        self.lock_shown().followed.clone()
    }

    fn lock_shown(&self) -> std::sync::MutexGuard<'_, Shown> {
        locked(&self.shown)
    }

    fn start(&self) -> std::io::Result<Running> {
        let (wakes, woken) = channel();
        let is_stopping = Arc::new(AtomicBool::new(false));
        let follower = Follower {
            home: self.home.clone(),
            disk: Arc::clone(&self.disk),
            boot_id: self.boot_id.clone(),
            woken,
            watch: Watch { wakes: wakes.clone(), watcher: None, watched: HashMap::new() },
            is_stopping: Arc::clone(&is_stopping),
            shown: Arc::clone(&self.shown),
            transcripts: self.transcripts.clone(),
            roots: Vec::new(),
            news_at: HashMap::new(),
            last_trouble: None,
        };
        let handle = std::thread::Builder::new()
            .name("subcortex-tail".into())
            .spawn(move || follower.follow_until_stopped())?;
        Ok(Running { wakes, is_stopping, handle })
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        if let Some(Running { wakes, is_stopping, handle }) = self.thread.take() {
            is_stopping.store(true, Ordering::Relaxed);
            // Either it hears this, or it has ended; a panic in it was reported where it happened.
            drop(wakes.send(Wake::Stop));
            drop(handle.join());
        }
    }
}

/// What is to be looked at.
#[derive(Debug, Default)]
struct Gathered {
    is_everything: bool,
    is_tick: bool,
    files: HashSet<PathBuf>,
}

/// The thread's own.
struct Follower {
    home: Home,
    disk: Arc<dyn Disk>,
    boot_id: String,
    woken: Receiver<Wake>,
    watch: Watch,
    is_stopping: Arc<AtomicBool>,
    shown: Arc<Mutex<Shown>>,
    /// All folders that could be followed.
    transcripts: Vec<Root>,
    /// The folders that are there, without links.
    roots: Vec<Root>,
    news_at: HashMap<&'static Agent, Timestamp>,
    /// What went wrong last, so that it is said once and not with every tick.
    last_trouble: Option<String>,
}

impl Follower {
    fn follow_until_stopped(mut self) {
        // The home under the name it was given and under its real one, since a session may be recorded with either.
        let mut own_dirs = vec![self.home.root().to_owned()];
        own_dirs.extend(self.home.root().canonicalize().ok().filter(|real| real != self.home.root()));
        let places_file = self.home.var().join("index").join("tail.json");
        let (mut tail, problem) = Transcripts::open(Arc::clone(&self.disk), places_file, own_dirs);
        if let Some(problem) = problem {
            warn!(%problem, "var/index/tail.json cannot be used; all transcripts are read again");
        }
        while let Ok(wake) = self.woken.recv() {
            let Some(gathered) = self.gather(wake) else { break };
            if let Err(error) = self.look(&mut tail, &gathered) {
                let is_fatal = error.is_poisoned();
                self.tell_trouble("transcripts cannot be put on the spine", &error.to_string());
                if is_fatal {
                    error!(%error, "transcripts are not followed any more");
                    locked(&self.shown).failed = Some(error);
                    return;
                }
            }
            if gathered.is_tick {
                self.save(&mut tail);
            }
        }
        self.save(&mut tail);
    }

    /// Waits for what else changes in the next moment; `None` when the daemon ends.
    fn gather(&mut self, first: Wake) -> Option<Gathered> {
        let until = Instant::now() + GATHERED_FOR;
        let mut gathered = Gathered::default();
        let mut next = Some(first);
        while let Some(wake) = next {
            match wake {
                Wake::Tick(settings) => {
                    gathered.is_tick = true;
                    gathered.is_everything = true;
                    self.roots = real(self.wanted(&settings));
                    self.watch.look_at(&self.roots, &*self.disk);
                }
                Wake::Rescan => gathered.is_everything = true,
                Wake::Changed(path) => drop(gathered.files.insert(path)),
                Wake::Stop => return None,
            }
            gathered.is_everything |= gathered.files.len() > MAX_CHANGED_FILES;
            // A tick has waited long enough.
            let left = if gathered.is_tick { Duration::ZERO } else { until - Instant::now().min(until) };
            next = self.woken.recv_timeout(left).ok();
        }
        Some(gathered)
    }

    fn wanted(&self, settings: &PerAgent<Follow>) -> Vec<Root> {
        let is_wanted = |agent| match settings.of(agent) {
            Follow::Auto => is_connected(&*self.disk, &self.home, agent),
            Follow::Always => true,
            Follow::Never => false,
        };
        self.transcripts.iter().filter(|root| is_wanted(root.agent)).cloned().collect()
    }

    fn look(&mut self, tail: &mut Transcripts, gathered: &Gathered) -> Result<(), AppendError> {
        let looked_at = Cell::new(Instant::now());
        let may_go_on = Cell::new(!self.is_paused());
        let go_on = || {
            if looked_at.get().elapsed() >= SWITCH_LOOK {
                looked_at.set(Instant::now());
                may_go_on.set(!self.is_paused());
            }
            may_go_on.get() && !self.is_stopping.load(Ordering::Relaxed)
        };
        if !go_on() {
            return Ok(());
        }
        // Open only while there is something to do: its index holds many files open.
        let mut spine = Spine::new(Arc::clone(&self.disk), self.home.spine(), self.boot_id.clone());
        let look = if gathered.is_everything { Look::Everything } else { Look::Files(&gathered.files) };
        let mut told = Vec::new();
        for root in &self.roots {
            let news = tail.look(&mut spine, std::slice::from_ref(root), look, &Timestamp::now, &go_on)?;
            told.push((root.agent, news));
        }
        mended::tell(&mut spine);
        told.iter().for_each(|(agent, news)| self.tell(agent, news));
        self.show(tail);
        self.last_trouble = None;
        Ok(())
    }

    fn is_paused(&self) -> bool {
        // One that cannot be looked at counts as set, as it does for the runs.
        match self.disk.stat(&self.home.kill_switch()) {
            Ok(_) => true,
            Err(error) => error.kind() != std::io::ErrorKind::NotFound,
        }
    }

    fn tell(&mut self, agent: &'static Agent, news: &News) {
        for problem in &news.problems {
            let (file, reason) = (problem.path.display(), problem.reason);
            warn!(%file, reason, message = %problem.message, "transcript not read");
        }
        let News { files, events, duplicates, problems: _, is_interrupted } = news;
        if *events > 0 {
            self.news_at.insert(agent, Timestamp::now());
            info!(agent = agent.name, files, events, duplicates, is_interrupted, "transcripts read");
        } else if *files > 0 {
            debug!(agent = agent.name, files, duplicates, is_interrupted, "nothing new in transcripts");
        }
    }

    fn show(&self, tail: &Transcripts) {
        let mut followed: Vec<Followed> = Vec::new();
        for root in &self.roots {
            let agent = root.agent.name;
            let files = tail.files_below(&root.path);
            match followed.iter_mut().find(|known| known.agent == agent) {
                Some(known) => known.files += files,
                None => followed.push(Followed {
                    agent: agent.to_owned(),
                    files,
                    last_event_at: self.news_at.get(root.agent).map(|at| format!("{at:.3}")),
                }),
            }
        }
        locked(&self.shown).followed = followed;
    }

    fn save(&mut self, tail: &mut Transcripts) {
        if let Err(error) = tail.save() {
            self.tell_trouble("var/index/tail.json is not written", &error.to_string());
        }
    }

    fn tell_trouble(&mut self, what: &str, trouble: &str) {
        if self.last_trouble.as_deref() != Some(trouble) {
            warn!(error = trouble, "{what}");
            self.last_trouble = Some(trouble.to_owned());
        }
    }
}

/// The folders that are there, without links: as changes in them are reported.
fn real(roots: Vec<Root>) -> Vec<Root> {
    let there = |root: Root| Some(Root { path: root.path.canonicalize().ok()?, ..root });
    roots.into_iter().filter_map(there).collect()
}

/// Hears of changed files.
struct Watch {
    wakes: Sender<Wake>,
    watcher: Option<RecommendedWatcher>,
    /// The folders, and which they were: one that is made anew is watched anew.
    watched: HashMap<PathBuf, (u64, u64)>,
}

impl Watch {
    /// Watches these folders and no others.
    fn look_at(&mut self, roots: &[Root], disk: &dyn Disk) {
        let inode = |root: &Root| Some((root.path.clone(), disk.stat(&root.path).ok()?.inode));
        let wanted: HashMap<PathBuf, (u64, u64)> = roots.iter().filter_map(inode).collect();
        if wanted == self.watched {
            return;
        }
        let wakes = self.wakes.clone();
        let config = notify::Config::default().with_follow_symlinks(false);
        let watcher = RecommendedWatcher::new(move |event| on_change(&wakes, event), config);
        let watching = watcher.and_then(|mut watcher| {
            for path in wanted.keys() {
                watcher.watch(path, RecursiveMode::Recursive)?;
            }
            Ok(watcher)
        });
        self.watched = wanted;
        self.watcher = match watching {
            Ok(watcher) => Some(watcher),
            Err(error) => {
                warn!(%error, "transcripts are not watched; news are found with the next tick");
                None
            }
        };
    }
}

fn on_change(wakes: &Sender<Wake>, event: notify::Result<Event>) {
    let send = |wake| drop(wakes.send(wake)); // nobody listens any more when the daemon ends
    match event {
        Ok(event) if event.need_rescan() => send(Wake::Rescan),
        // Our own reading, and what is gone.
        Ok(event) if matches!(event.kind, EventKind::Access(_) | EventKind::Remove(_)) => {}
        // Files may have been put into it before it was watched.
        Ok(event) if event.kind == EventKind::Create(CreateKind::Folder) => send(Wake::Rescan),
        Ok(event) => {
            let is_session = |path: &PathBuf| is_session_name(Path::new(path));
            event.paths.into_iter().filter(is_session).for_each(|path| send(Wake::Changed(path)));
        }
        Err(_) => send(Wake::Rescan),
    }
}
