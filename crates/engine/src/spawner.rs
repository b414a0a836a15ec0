//! The thread that starts programs.
//!
//! The parent death signal of a child is tied to the *thread* that started it. Threads of a runtime come
//! and go; this one lives as long as its launcher, so a child never dies because a worker thread did.

use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc;

use tokio::sync::oneshot;

use crate::StartError;
use crate::cgroup::Group;
use crate::tree::Tree;

/// A program that is ready to be started.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) program: PathBuf,
    pub(crate) command: Command,
    pub(crate) mark: String,
    pub(crate) group: Option<Group>,
}

type Started = Result<(Tree, oneshot::Receiver<()>), StartError>;

/// The handle on the thread, which ends when the handle is dropped.
#[derive(Debug)]
pub(crate) struct Spawner {
    orders: mpsc::Sender<(Order, oneshot::Sender<Started>)>,
}

impl Spawner {
    pub(crate) fn new() -> io::Result<Self> {
        let (orders, incoming) = mpsc::channel::<(Order, oneshot::Sender<Started>)>();
        std::thread::Builder::new().name("subcortex-spawner".into()).spawn(move || {
            for (Order { program, command, mark, group }, reply) in incoming {
                // If nobody waits any more, the tree comes back and is ended by being dropped.
                drop(reply.send(Tree::start(&program, command, &mark, group)));
            }
        })?;
        Ok(Self { orders })
    }

    pub(crate) async fn start(&self, order: Order) -> Started {
        let (reply, started) = oneshot::channel();
        let gone = |what| StartError::CannotSupervise {
            what: "the thread that starts programs is gone",
            source: io::Error::other(what),
        };
        self.orders.send((order, reply)).map_err(|_| gone("it takes no orders"))?;
        started.await.map_err(|_| gone("it did not answer"))?
    }
}
