//! A program that was started, together with everything it starts. Dropping it leaves nothing alive.

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;

use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use tokio::sync::oneshot;

use crate::StartError;
use crate::cgroup::Group;
use crate::net::{Killed, Net, kill_strays};
use crate::pre_exec::prepare;
use crate::registry::{self, Registration};
use crate::resolve::explain_spawn_error;

/// One tree of processes.
#[derive(Debug)]
pub(crate) struct Tree {
    /// Present until the tree is dropped. Reaped only after the sweep, see [`Net`].
    root: Option<Child>,
    net: Arc<Net>,
    /// Present until the tree is dropped.
    registration: Option<Registration>,
    /// What the sweep found, once there was one.
    killed: Option<Killed>,
}

impl Tree {
    /// Starts the program and returns a channel that says when it has ended.
    ///
    /// The calling thread must live as long as the program may: to the kernel, the parent whose death kills
    /// the child is that thread.
    pub(crate) fn start(
        program: &Path,
        mut command: Command,
        mark: &str,
        group: Option<Group>,
    ) -> Result<(Self, oneshot::Receiver<()>), StartError> {
        prepare(&mut command, group.as_ref().and_then(|group| group.entrance().ok()));
        let (root, registration) = registry::start(mark, || command.spawn()).map_err(|error| {
            if let Some(group) = &group {
                group.remove();
            }
            explain_spawn_error(program, error)
        })?;
        let pid = Pid::from_child(&root);
        let group = group.filter(|group| group.holds(pid.as_raw_pid()) || !group.remove());
        let net = Arc::new(Net::new(registration.run.key, registration.run.root, group));
        let tree = Self { root: Some(root), net, registration: Some(registration), killed: None };
        let exit = watch(pid).map_err(|source| StartError::CannotSupervise {
            what: "no thread that waits for the program",
            source,
        })?;
        Ok((tree, exit))
    }

    /// The nets that hold it.
    pub(crate) fn net(&self) -> &Arc<Net> {
        &self.net
    }

    /// The program itself; its pipes are there to be taken.
    pub(crate) fn root(&mut self) -> Option<&mut Child> {
        self.root.as_mut()
    }

    /// Notes that the nets were drawn in, and how the program ended.
    pub(crate) fn settle(&mut self, killed: Killed) -> Option<ExitStatus> {
        self.killed = Some(killed);
        self.root.as_mut().and_then(|root| root.try_wait().ok().flatten())
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let killed = self.killed.unwrap_or_else(|| self.net.kill());
        if let Some(mut root) = self.root.take()
            && matches!(root.try_wait(), Ok(None))
        {
            // The kernel does not let go of it yet. It has its SIGKILL; someone must reap it one day.
            let waiting = std::thread::Builder::new().name("subcortex-reaper".into());
            drop(waiting.spawn(move || root.wait()));
        }
        self.net.remove_group();
        drop(self.registration.take());
        if killed.had_peers {
            // Two runs that end together each leave an unrecognisable orphan to the other.
            kill_strays();
        }
    }
}

/// Waits for the end of a child in a thread of its own, without reaping it.
fn watch(pid: Pid) -> io::Result<oneshot::Receiver<()>> {
    let (ended, exit) = oneshot::channel();
    std::thread::Builder::new().name("subcortex-waiter".into()).spawn(move || {
        let ended_but_unreaped = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(Errno::INTR) = waitid(WaitId::Pid(pid), ended_but_unreaped) {}
        // Nobody may be interested any more.
        let _ = ended.send(());
    })?;
    Ok(exit)
}
