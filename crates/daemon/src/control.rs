//! Where commands reach the running daemon.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use subcortex_loop_runs::Answered;
use tokio::sync::{mpsc::UnboundedSender, oneshot};

use crate::memory::Decision;
use crate::socket::{self, Caller};
use crate::status::Schedule;

/// How long a daemon may take to say how everything stands.
const STATUS_WITHIN: Duration = Duration::from_secs(5);

/// What a command wants of the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request {
    /// How everything stands.
    Status,
    /// One pass now; with a partition, that one runs and ignores its cooldown.
    Tick {
        /// Which one.
        partition: Option<String>,
    },
    /// Somebody waits for what is in an inbox: its partition need not rest first. Answered at once.
    Work {
        /// Whose.
        partition: String,
    },
    /// Try a held task again.
    Retry {
        /// Whose.
        partition: String,
        /// Its name.
        task: String,
    },
    /// A person empties a worker's scratchpad.
    ResetScratchpad {
        /// Whose.
        worker: String,
    },
    /// Run a loop now.
    LoopRun {
        /// Its folder.
        dir: PathBuf,
        /// The repository.
        root: PathBuf,
    },
    /// A person decided something about the memory.
    Decide(Decision),
}

impl Request {
    /// Whether only a person may want it: not the model of a run, whatever it talked a program into.
    fn is_for_people(&self) -> bool {
        match self {
            Self::Retry { .. } | Self::ResetScratchpad { .. } | Self::LoopRun { .. } | Self::Decide(_) => {
                true
            }
            Self::Status | Self::Tick { .. } | Self::Work { .. } => false,
        }
    }
}

/// What the daemon answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// How everything stands.
    Schedule(Schedule),
    /// The runs of a tick have ended; their records are on the disk.
    Ran {
        /// Their ids, in the order in which they ended.
        runs: Vec<String>,
    },
    /// It is done.
    Done,
    /// A loop ran, or did not.
    LoopRan(Answered),
    /// A scratchpad is empty.
    Reset {
        /// Where the snapshot of what it held is.
        before: String,
    },
    /// A decision about the memory was carried out.
    Decided {
        /// What came of it.
        value: serde_json::Value,
    },
    /// It could not be written, and why: nothing is wrong with what was asked.
    NotKept {
        /// In words.
        why: String,
    },
    /// It is not done, and why.
    Refused {
        /// In words.
        why: String,
    },
}

/// A request that waits for its answer.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) request: Request,
    pub(crate) answer: oneshot::Sender<Answer>,
}

/// Opens the socket. What is asked there is answered by whoever takes it from the channel.
pub(crate) fn listen(path: &Path, asked: UnboundedSender<Asked>) -> io::Result<()> {
    socket::listen(path, move |request: Result<Request, String>, caller| {
        let asked = asked.clone();
        async move {
            match request {
                Ok(request) if caller == Caller::Run && request.is_for_people() => Answer::Refused {
                    why: "only a person may decide this, and the request came from inside a run; nothing was changed".into(),
                },
                Ok(request) => ask_here(&asked, request).await,
                Err(why) => Answer::Refused { why },
            }
        }
    })
}

/// Asks the event loop of this process.
pub(crate) async fn ask_here(asked: &UnboundedSender<Asked>, request: Request) -> Answer {
    let (answer, answered) = oneshot::channel();
    drop(asked.send(Asked { request, answer }));
    answered.await.unwrap_or_else(|_| Answer::Refused { why: "the daemon is stopping".into() })
}

/// Asks the running daemon; `None` when none listens.
pub fn ask(path: &Path, request: &Request) -> io::Result<Option<Answer>> {
    let within = matches!(request, Request::Status).then_some(STATUS_WITHIN);
    socket::ask(path, request, within)
}
