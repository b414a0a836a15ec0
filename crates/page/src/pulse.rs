//! How an open page learns that something changed.
//!
//! While somebody looks, a few marks are looked at twice a second: what the event loop says, and the sizes and times of files.
//! A page is told which of its views may be old, and asks for those that it shows. Nothing is carried, so that a lost word costs
//! time and nothing else; and while nobody looks, nothing is done.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::json;
use subcortex_daemon::Schedule;
use subcortex_home::Home;
use subcortex_memory::{Broadcast, MemoryFolder};
use subcortex_spine::list_days;
use subcortex_store::{Disk, locked};
use subcortex_web::{Answer, Fault};
use tokio::sync::mpsc::{Receiver, Sender, channel, error::TrySendError};

use crate::Page;

/// How often the marks are looked at.
const BEAT: Duration = Duration::from_millis(500);
/// How often blackboards are, which may be on a server.
const BOARDS_BEAT: Duration = Duration::from_millis(1_000);
/// How often a silent stream says that it is there.
const STILL_HERE: Duration = Duration::from_secs(15);
/// How many pages may listen at once.
const MAX_LISTENERS: usize = 16;
/// How many words a listener may be behind. One that does not read comes again and asks for everything.
const MAX_BEHIND: usize = 16;
/// How many inboxes, and how many threads, are looked at one by one.
const MAX_LOOKED_AT: usize = 500;

/// What may have changed, by the names that the page knows.
type Marks = BTreeMap<&'static str, u64>;

/// What is looked at on a beat of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beat {
    /// The event loop and files of the home.
    Home,
    /// Blackboards, which may be on a server that is away.
    Boards,
}

/// Those who listen.
#[derive(Debug, Default)]
pub(crate) struct Pulse {
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    listeners: Vec<Sender<String>>,
    /// The beats that go on.
    beats: Vec<Beat>,
}

impl Pulse {
    /// Adds a listener, and says which beats have to be begun for it. `None` when there are too many.
    fn listen(&self) -> Option<(Receiver<String>, Vec<Beat>)> {
        let mut open = locked(&self.open);
        open.listeners.retain(|listener| !listener.is_closed());
        if open.listeners.len() >= MAX_LISTENERS {
            return None;
        }
        let (sender, receiver) = channel(MAX_BEHIND);
        // There is room for the first word.
        drop(sender.try_send("event: hello\ndata: {}\n\n".into()));
        open.listeners.push(sender);
        let missing: Vec<Beat> =
            [Beat::Home, Beat::Boards].into_iter().filter(|beat| !open.beats.contains(beat)).collect();
        open.beats.extend(&missing);
        Some((receiver, missing))
    }

    /// Tells everybody; says whether a beat has to go on.
    fn tell(&self, beat: Beat, word: Option<&str>) -> bool {
        let mut open = locked(&self.open);
        open.listeners.retain(|listener| match word.map(|word| listener.try_send(word.to_owned())) {
            None => !listener.is_closed(),
            Some(Ok(())) => true,
            Some(Err(TrySendError::Full(_) | TrySendError::Closed(_))) => false,
        });
        if open.listeners.is_empty() {
            open.beats.retain(|other| *other != beat);
        }
        open.beats.contains(&beat)
    }
}

/// A stream for one more page.
pub(crate) fn stream(page: &Arc<Page>) -> Answer {
    let Some((receiver, missing)) = page.pulse.listen() else {
        let why = format!("{MAX_LISTENERS} pages are open already; close one");
        return Answer::Refused(Fault::NotNow, why);
    };
    for beat in missing {
        match beat {
            Beat::Home => drop(tokio::spawn(beat_of_home(Arc::clone(page)))),
            Beat::Boards => drop(tokio::spawn(beat_of_boards(Arc::clone(page)))),
        }
    }
    Answer::Stream(receiver)
}

async fn beat_of_home(page: Arc<Page>) {
    let mut last: Option<Marks> = None;
    let mut said_at = Instant::now();
    loop {
        let schedule = page.schedule().await.ok();
        let (disk, home) = (Arc::clone(page.helm.disk()), page.helm.home().clone());
        let marks = tokio::task::spawn_blocking(move || marks(&*disk, &home, schedule.as_ref())).await;
        let marks = marks.unwrap_or_default();
        let changed: Vec<&str> = match &last {
            Some(last) => marks
                .iter()
                .filter(|(name, mark)| last.get(*name) != Some(mark))
                .map(|(name, _)| *name)
                .collect(),
            None => Vec::new(),
        };
        if !changed.is_empty() {
            // Who asks because of this word must not be told what was true before.
            page.changed().await;
        }
        let word = match changed.is_empty() {
            false => Some(word(&changed)),
            true => (said_at.elapsed() > STILL_HERE).then(|| ": still here\n\n".to_owned()),
        };
        if word.is_some() {
            said_at = Instant::now();
        }
        if !page.pulse.tell(Beat::Home, word.as_deref()) {
            return;
        }
        last = Some(marks);
        tokio::time::sleep(BEAT).await;
    }
}

async fn beat_of_boards(page: Arc<Page>) {
    let mut last = None;
    loop {
        let looking = Arc::clone(&page);
        let mark = tokio::task::spawn_blocking(move || mark_of_boards(&looking)).await.unwrap_or_default();
        let word = (last.is_some_and(|last| last != mark)).then(|| word(&["blackboards"]));
        if !page.pulse.tell(Beat::Boards, word.as_deref()) {
            return;
        }
        last = Some(mark);
        tokio::time::sleep(BOARDS_BEAT).await;
    }
}

fn word(changed: &[&str]) -> String {
    format!("event: changed\ndata: {}\n\n", json!({ "what": changed }))
}

fn mark_of_boards(page: &Page) -> u64 {
    let boards = page.helm.boards();
    let mut mark = DefaultHasher::new();
    for thread in boards.threads().unwrap_or_default().iter().take(MAX_LOOKED_AT) {
        let known = boards.read(thread, Timestamp::now()).map(|thread| thread.records().len());
        (thread.as_str(), known.unwrap_or_default()).hash(&mut mark);
    }
    mark.finish()
}

fn marks(disk: &dyn Disk, home: &Home, schedule: Option<&Schedule>) -> Marks {
    let memory = MemoryFolder::at(home.memory());
    let broadcast = Broadcast::file(disk, &memory).unwrap_or_else(|_| memory.broadcast());
    let (runs, usage) = (home.runs(), home.usage());
    let today = Timestamp::now().strftime("%Y-%m-%d").to_string();
    let partitions = schedule.map_or(&[][..], |schedule| &schedule.partitions);
    let inboxes = partitions.iter().take(MAX_LOOKED_AT).map(|partition| home.inbox(&partition.name));
    let days = list_days(disk, &home.spine().events).map(|(days, _)| days).unwrap_or_default();
    let newest_day = days.last().map(|day| day.path.clone());
    let understood = [memory.state("trust"), memory.state("spine-scanner")];
    let memory_files = [broadcast, memory.journal(), memory.ledger()].into_iter().chain(understood);
    BTreeMap::from([
        ("now", hash_of(&serde_json::to_string(&schedule).unwrap_or_default())),
        ("memory", files(disk, memory_files)),
        ("review", files(disk, [memory.proposals()])),
        ("runs", files(disk, [runs.join(&today), runs.join(subcortex_runs::LOG_FILE), runs])),
        ("inboxes", files(disk, inboxes)),
        ("spend", files(disk, [usage.join(format!("{today}.jsonl"))])),
        ("spine", files(disk, newest_day)),
    ])
}

/// How these files look: their sizes and times.
fn files(disk: &dyn Disk, paths: impl IntoIterator<Item = PathBuf>) -> u64 {
    let looks = |path: PathBuf| disk.stat(&path).ok().map(|stat| (stat.len, stat.mtime_ns));
    hash_of(&paths.into_iter().map(looks).collect::<Vec<_>>())
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
