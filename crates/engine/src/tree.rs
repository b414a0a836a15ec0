//! A program that was started, together with everything it starts. Dropping it leaves nothing alive.

use std::process::ExitStatus;
use std::sync::Arc;

use rustix::process::Pid;

use crate::StartError;
use crate::child::Child;
use crate::fence::Fence;
use crate::net::{Net, kill_strays};
use crate::registry::{Registration, reap_root};
use crate::resolve::explain_spawn_error;
use crate::spawner::Order;

/// One tree of processes.
#[derive(Debug)]
pub(crate) struct Tree {
    /// Present until the tree is dropped. Reaped only after the sweep, see [`Net`].
    root: Option<Child>,
    net: Arc<Net>,
    /// Present until the tree is dropped.
    registration: Option<Registration>,
    /// Whether the nets were drawn in.
    settled: bool,
}

impl Tree {
    /// Starts the program.
    ///
    /// The calling thread must live as long as the program does: to the kernel, the parent whose death kills
    /// the child is that thread.
    pub(crate) fn start(order: Order) -> Result<Self, StartError> {
        let Order { program, image, name, group, writable } = order;
        let fence = writable.map(|writable| Fence::around(&writable)).transpose().inspect_err(|_| {
            if let Some(group) = &group {
                group.remove();
            }
        })?;
        let (brand, cradle) = (name.brand, group.as_ref().and_then(|group| group.cradle().ok()));
        let registration = Registration::announce(name);
        let mut root = Child::start(&image, brand, cradle, fence).map_err(|error| {
            if let Some(group) = &group {
                group.remove();
            }
            explain_spawn_error(&program, error)
        })?;
        let stamp = registration.root_started(&root).map_err(|source| {
            root.kill();
            let _ = root.wait();
            if let Some(group) = &group {
                group.kill();
                group.remove();
            }
            StartError::CannotSupervise { what: "the new process is not to be seen", source }
        })?;
        // A process that could not enter its cgroup has none.
        let group = group.filter(|group| group.holds(stamp.pid) || !group.remove());
        let net = Arc::new(Net::new(registration.key, stamp, group));
        Ok(Self { root: Some(root), net, registration: Some(registration), settled: false })
    }

    /// The pid of the program.
    pub(crate) fn pid(&self) -> Option<Pid> {
        self.root.as_ref().map(Child::pid)
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
    pub(crate) fn settle(&mut self) -> Option<ExitStatus> {
        self.settled = true;
        self.root.as_mut().and_then(|root| reap_root(root).ok().flatten())
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if !self.settled {
            self.net.kill();
        }
        if let Some(mut root) = self.root.take()
            && matches!(reap_root(&mut root), Ok(None))
        {
            // The kernel does not let go of it yet. It has its SIGKILL; someone must reap it one day.
            let waiting = std::thread::Builder::new().name("subcortex-reaper".into());
            drop(waiting.spawn(move || root.wait()));
        }
        self.net.remove_group();
        drop(self.registration.take());
        // Whom this run could not recognise because there were others: when the last of them ends, nobody else
        // is left to whom it could belong.
        kill_strays();
    }
}
