//! What the daemon does for its files once in a while.

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use subcortex_boards::{Durability, FileBoards};
use subcortex_config::Config;
use subcortex_home::Home;
use subcortex_spine::{AppendError, Compressed, Spine, compress_old_days, remove_expired_days};
use subcortex_store::{Disk, durable};
use tracing::{info, warn};
use walkdir::{DirEntry, WalkDir};

use subcortex_work::FILES;

/// How often it is done.
const PERIOD: Duration = Duration::from_secs(3600);

/// The parts of a home in which we write files, with all folders below them.
const WRITTEN_TO: [&str; 4] = ["config", "memory", "subconscious", "var"];

/// Remembers when it was last done.
#[derive(Debug, Default)]
pub(crate) struct Housekeeping {
    last: Option<Instant>,
    thread: Option<JoinHandle<()>>,
}

impl Housekeeping {
    /// Does it if it is time. Failures are logged and tried again next time, unless a sync failed.
    pub(crate) fn run(
        &mut self,
        disk: &Arc<dyn Disk>,
        home: &Home,
        config: &Config,
        spine: &mut Spine,
        now: Timestamp,
    ) -> Result<(), AppendError> {
        if self.last.is_some_and(|last| last.elapsed() < PERIOD) {
            return Ok(());
        }
        if self.thread.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return Ok(());
        }
        self.last = Some(Instant::now());
        let (disk, home, config) = (Arc::clone(disk), home.clone(), config.clone());
        let tidy = move || tidy_up(&disk, &home, &config, now);
        match std::thread::Builder::new().name("subcortex-tidy".into()).spawn(tidy) {
            Ok(thread) => self.thread = Some(thread),
            Err(error) => warn!(%error, "housekeeping failed"),
        }
        report(spine.checkpoint_index())
    }
}

/// In a thread of its own: a large day or many files take seconds, and meanwhile the daemon has to see kill switches and
/// show that it is alive. When the daemon ends first, the next one begins again.
fn tidy_up(disk: &Arc<dyn Disk>, home: &Home, config: &Config, now: Timestamp) {
    sweep(&**disk, home);
    forget_old_runs(&**disk, home, now);
    if let Err(error) = subcortex_usage::prune(&**disk, &home.usage(), now) {
        warn!(%error, "housekeeping failed");
    }
    forget_old_threads(disk, home, config, now);
    // A writer of its own, which the lock of the spine keeps apart from the other. It appends nothing, so that it
    // does not matter which run of the kernel this is.
    let mut spine = Spine::new(Arc::clone(disk), home.spine(), String::new());
    match compress_old_days(&mut spine, now, config.spine.compress_after_days) {
        Ok(days) => days.iter().for_each(tell_compressed),
        // The plain day is still there.
        Err(error) => warn!(%error, "housekeeping failed"),
    }
    if let Err(error) = expire(&mut spine, config, now) {
        warn!(%error, "housekeeping failed");
    }
}

fn tell_compressed(done: &Compressed) {
    info!(file = %name(&done.path), from_bytes = done.from_bytes, to_bytes = done.to_bytes, "day compressed");
}

/// Passes on only what the daemon must not live with.
fn report(result: Result<(), AppendError>) -> Result<(), AppendError> {
    match result {
        Err(error) if error.is_poisoned() => Err(error),
        Err(error) => {
            warn!(%error, "housekeeping failed");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

fn expire(spine: &mut Spine, config: &Config, now: Timestamp) -> Result<(), AppendError> {
    let Some(days) = config.spine.retention_days else { return Ok(()) };
    for path in remove_expired_days(spine, now, days)? {
        info!(file = %name(&path), retention_days = days, "day removed");
    }
    Ok(())
}

/// A server forgets expired threads by itself.
fn forget_old_threads(disk: &Arc<dyn Disk>, home: &Home, config: &Config, now: Timestamp) {
    let dir = home.blackboards();
    match FileBoards::new(Arc::clone(disk), dir, config.blackboard.ttl_s, Durability::Synced).sweep(now) {
        Ok(0) => {}
        Ok(removed) => info!(removed, "expired blackboards removed"),
        Err(error) => warn!(%error, "housekeeping failed"),
    }
}

/// Run records have a limit on age and number.
fn forget_old_runs(disk: &dyn Disk, home: &Home, now: Timestamp) {
    match subcortex_runs::prune(disk, &home.runs(), now, subcortex_runs::Limits::default()) {
        Ok(0) => {}
        Ok(removed) => info!(removed, "old run records removed"),
        Err(error) => warn!(%error, "housekeeping failed"),
    }
}

/// Removes what writers left behind that died before they could rename it, in all folders of the home that we write to.
fn sweep(disk: &dyn Disk, home: &Home) {
    let folders = WRITTEN_TO.iter().flat_map(|top| {
        // A folder of files that belong to workers is theirs.
        let is_ours = |entry: &DirEntry| entry.file_type().is_dir() && entry.file_name() != FILES;
        WalkDir::new(home.root().join(top)).follow_root_links(true).into_iter().filter_entry(is_ours)
    });
    for folder in folders.filter_map(Result::ok) {
        match durable::sweep_temporaries(disk, folder.path()) {
            Ok(removed) => removed.iter().for_each(|path| info!(file = %name(path), "leftover removed")),
            Err(error) => warn!(folder = %folder.path().display(), %error, "sweep failed"),
        }
        match durable::finish_replacements(disk, folder.path()) {
            Ok(kept) => kept.iter().for_each(|path| {
                warn!(file = %name(path), "a save that a later one replaced is kept beside it");
            }),
            Err(error) => {
                warn!(folder = %folder.path().display(), %error, "a replacement that was cut short stays for now")
            }
        }
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
