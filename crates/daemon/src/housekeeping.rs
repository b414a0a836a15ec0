//! What the daemon does for its files once in a while.

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use subcortex_config::Config;
use subcortex_home::Home;
use subcortex_spine::{AppendError, Compressed, Spine, compress_old_days, remove_expired_days};
use subcortex_store::{Disk, durable};
use tracing::{info, warn};

/// How often it is done.
const PERIOD: Duration = Duration::from_secs(3600);

/// Remembers when it was last done.
#[derive(Debug, Default)]
pub(crate) struct Housekeeping {
    last: Option<Instant>,
    compressing: Option<JoinHandle<()>>,
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
        self.last = Some(Instant::now());
        sweep(&**disk, home);
        forget_old_runs(&**disk, home, now);
        if let Err(error) = subcortex_usage::prune(&**disk, &home.usage(), now) {
            warn!(%error, "housekeeping failed");
        }
        self.compress(disk, home, config.spine.compress_after_days, now);
        report(expire(spine, config, now))?;
        report(spine.checkpoint_index())
    }

    /// Compresses in a thread of its own: a large day takes seconds, and meanwhile the daemon has to see kill switches
    /// and show that it is alive. When the daemon ends first, the next one begins that day again.
    fn compress(&mut self, disk: &Arc<dyn Disk>, home: &Home, after_days: u32, now: Timestamp) {
        if self.compressing.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return;
        }
        // A writer of its own, which the lock of the spine keeps apart from the other. It appends nothing, so that it
        // does not matter which run of the kernel this is.
        let mut spine = Spine::new(Arc::clone(disk), home.spine(), String::new());
        let work = move || match compress_old_days(&mut spine, now, after_days) {
            Ok(days) => days.iter().for_each(tell_compressed),
            // The plain day is still there.
            Err(error) => warn!(%error, "housekeeping failed"),
        };
        match std::thread::Builder::new().name("subcortex-zstd".into()).spawn(work) {
            Ok(thread) => self.compressing = Some(thread),
            Err(error) => warn!(%error, "housekeeping failed"),
        }
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

/// Run records have a limit on age and number.
fn forget_old_runs(disk: &dyn Disk, home: &Home, now: Timestamp) {
    match subcortex_runs::prune(disk, &home.runs(), now, subcortex_runs::Limits::default()) {
        Ok(0) => {}
        Ok(removed) => info!(removed, "old run records removed"),
        Err(error) => warn!(%error, "housekeeping failed"),
    }
}

/// Removes what writers left behind that died before they could rename it.
fn sweep(disk: &dyn Disk, home: &Home) {
    for folder in Home::FOLDERS {
        match durable::sweep_temporaries(disk, &home.root().join(folder)) {
            Ok(removed) => removed.iter().for_each(|path| info!(file = %name(path), "leftover removed")),
            Err(error) => warn!(folder, %error, "sweep failed"),
        }
        match durable::finish_replacements(disk, &home.root().join(folder)) {
            Ok(kept) => kept.iter().for_each(|path| {
                warn!(file = %name(path), "a save that a later one replaced is kept beside it");
            }),
            Err(error) => warn!(folder, %error, "a replacement that was cut short stays for now"),
        }
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
