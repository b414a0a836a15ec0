//! One thread for each program: it starts it, and lives until it ends.
//!
//! The parent death signal of a child is tied to the *thread* that started it, and the threads of a runtime
//! come and go. Starting can also take long, on a file system that does not answer; then it holds up this run
//! and no other.

use std::path::PathBuf;

use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use tokio::sync::oneshot;

use crate::StartError;
use crate::cgroup::Group;
use crate::image::Image;
use crate::names::GroupName;
use crate::tree::Tree;

/// A program that is ready to be started.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) program: PathBuf,
    pub(crate) image: Image,
    pub(crate) name: GroupName,
    pub(crate) group: Option<Group>,
    /// See [`crate::CommandSpec::writable`].
    pub(crate) writable: Option<Vec<PathBuf>>,
}

/// A program that was started.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) tree: Tree,
    /// Answers when the program has ended; it is not reaped then.
    pub(crate) exit: oneshot::Receiver<()>,
}

/// Starts a program in a thread of its own. If nobody waits for the answer any more when it comes, the tree is
/// ended by being dropped.
pub(crate) fn start(order: Order) -> Result<oneshot::Receiver<Result<Started, StartError>>, StartError> {
    let (reply, answer) = oneshot::channel();
    let work = move || {
        let (ended, exit) = oneshot::channel();
        let tree = match Tree::start(order) {
            Ok(tree) => tree,
            Err(error) => return drop(reply.send(Err(error))),
        };
        let pid = tree.pid();
        drop(reply.send(Ok(Started { tree, exit })));
        if let Some(pid) = pid {
            wait_without_reaping(pid);
        }
        // Nobody may be interested any more.
        let _ = ended.send(());
    };
    match std::thread::Builder::new().name("subcortex-run".into()).spawn(work) {
        Ok(_) => Ok(answer),
        Err(source) => Err(StartError::CannotSupervise { what: "no thread for the program", source }),
    }
}

fn wait_without_reaping(pid: Pid) {
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(Errno::INTR) = waitid(WaitId::Pid(pid), ended) {}
}
