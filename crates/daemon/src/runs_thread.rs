//! The thread on which runs have their turns, apart from the event loop: whatever a run makes of what a model or a program
//! says, kill switches and deadlines are looked after by somebody else. Workers are answered here, too.

use std::io;
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::setup::ServeError;

/// The thread, until it is told to end.
#[derive(Debug)]
pub(crate) struct RunsThread {
    handle: Handle,
    end: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl RunsThread {
    pub(crate) fn start() -> Result<Self, ServeError> {
        let os = |source: io::Error| ServeError::Os { what: "start the thread of the runs", source };
        let runtime = Builder::new_current_thread().enable_all().build().map_err(os)?;
        let handle = runtime.handle().clone();
        let (end, told_to_end) = oneshot::channel::<()>();
        let thread = std::thread::Builder::new()
            .name("subcortex-runs".into())
            .spawn(move || {
                // Told, or dropped: either way it is over.
                drop(runtime.block_on(told_to_end));
                runtime.shutdown_background();
            })
            .map_err(os)?;
        Ok(Self { handle, end, thread })
    }

    pub(crate) fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Ends it. What is left of runs goes with it: their processes are killed.
    pub(crate) fn end(self) {
        let Self { handle: _, end, thread } = self;
        drop(end);
        // A panic in it was reported where it happened.
        drop(thread.join());
    }
}
