//! Threads beside the event loop, each with a runtime of its own: whatever is done there, kill switches and deadlines are looked
//! after by somebody else. Runs have one, in which workers are answered by socket, too; whoever comes over HTTP has another.

use std::io;
use std::thread::JoinHandle;

use rustix::process::setpriority_process;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::setup::ServeError;

/// How many threads read files for those who come over HTTP, however many ask at once.
const MAX_WEB_READERS: usize = 3;
/// How much these threads stand back when others want the processor, as in `nice`.
const WEB_NICE: i32 = 5;

/// The thread, until it is told to end.
#[derive(Debug)]
pub(crate) struct SideThread {
    handle: Handle,
    end: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl SideThread {
    /// The thread on which runs have their turns.
    pub(crate) fn for_runs() -> Result<Self, ServeError> {
        let os = |source| ServeError::Os { what: "start the thread of the runs", source };
        Self::start("subcortex-runs", Builder::new_current_thread().enable_all()).map_err(os)
    }

    /// The thread that answers HTTP. Nobody who looks at a page keeps a tick or a run waiting.
    pub(crate) fn for_web() -> Result<Self, ServeError> {
        let os = |source| ServeError::Os { what: "start the thread of the web page", source };
        let mut builder = Builder::new_current_thread();
        builder.enable_all().max_blocking_threads(MAX_WEB_READERS).thread_name("subcortex-web");
        builder.on_thread_start(stand_back);
        let web = Self::start("subcortex-web", &mut builder).map_err(os)?;
        web.handle.spawn(async { stand_back() });
        Ok(web)
    }

    fn start(name: &str, builder: &mut Builder) -> io::Result<Self> {
        let runtime = builder.build()?;
        let handle = runtime.handle().clone();
        let (end, told_to_end) = oneshot::channel::<()>();
        let thread = std::thread::Builder::new().name(name.into()).spawn(move || {
            // Told, or dropped: either way it is over.
            drop(runtime.block_on(told_to_end));
            runtime.shutdown_background();
        })?;
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

/// Lets the other threads of this process go first. A system that does not know how only gives everybody the same.
fn stand_back() {
    let _stays_as_it_was = setpriority_process(Some(rustix::thread::gettid()), WEB_NICE);
}
