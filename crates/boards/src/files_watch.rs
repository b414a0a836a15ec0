//! Listening to a file.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher, recommended_watcher};

use crate::{BoardError, Watch};

/// After how long the file is looked at again though nothing was heard: the kernel may have dropped a notice.
const SAFETY: Duration = Duration::from_secs(1);

/// Hears when the file of a thread changes.
#[derive(Debug)]
pub(crate) struct FileWatch {
    /// Held so that it goes on listening.
    _watcher: RecommendedWatcher,
    changes: Receiver<()>,
}

impl FileWatch {
    /// The folder is watched, since the file may not be there yet.
    pub(crate) fn new(dir: &Path, file: &Path) -> Result<Self, BoardError> {
        // One notice that waits is as good as many.
        let (tell, changes) = sync_channel(1);
        let name = file.file_name().map(ToOwned::to_owned);
        let failed =
            |error: notify::Error| BoardError::Watch { path: PathBuf::from(dir), why: error.to_string() };
        let mut watcher = recommended_watcher(move |event: notify::Result<notify::Event>| {
            let is_ours = |event: &notify::Event| {
                event.need_rescan() || event.paths.iter().any(|path| path.file_name() == name.as_deref())
            };
            if event.as_ref().map_or(true, is_ours) {
                let _ = tell.try_send(()); // full: somebody will look anyway
            }
        })
        .map_err(failed)?;
        watcher.watch(dir, RecursiveMode::NonRecursive).map_err(failed)?;
        Ok(Self { _watcher: watcher, changes })
    }
}

impl Watch for FileWatch {
    fn wait(&mut self, at_most: Duration) -> Result<(), BoardError> {
        match self.changes.recv_timeout(at_most.min(SAFETY)) {
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
            // The listener is gone: look at the file now and then.
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(at_most.min(SAFETY)),
        }
        Ok(())
    }
}
