//! Where workers reach whoever runs them: a socket for our own commands, and HTTP on loopback for everybody else's.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use subcortex_home::Home;
use subcortex_web::Refusal;
use tokio::net::TcpListener;
use tracing::warn;

use crate::edge::Edge;
use crate::socket;
use subcortex_work::{AtWork, BlackboardRefusal, Claims, SeatError};

/// What a worker wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum WorkerRequest {
    /// Its scratchpad gets this text.
    SetScratchpad {
        /// Whose it is.
        worker: String,
        /// The token of its run.
        token: String,
        /// The text.
        text: String,
    },
    /// Something is said on its blackboard.
    AppendEntry {
        /// The token of its run.
        token: String,
        /// On which thread.
        thread: String,
        /// As what, if that is said.
        role: Option<String>,
        /// Under which name, if that is said.
        id: Option<String>,
        /// The entry, as JSON.
        entry: String,
    },
}

/// What it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum WorkerAnswer {
    /// It is done.
    Done {
        /// In words.
        said: String,
    },
    /// The token is not that worker's.
    Unauthorized,
    /// The text cannot be taken.
    Unfit {
        /// Why.
        why: String,
    },
    /// The text could not be kept.
    NotKept {
        /// Why.
        why: String,
    },
}

fn set_scratchpad(at_work: &AtWork, worker: &str, token: &str, text: &str) -> WorkerAnswer {
    match at_work.set_scratchpad(worker, token, text) {
        Ok(said) => WorkerAnswer::Done { said: said.into() },
        Err(Refusal::Unauthorized) => WorkerAnswer::Unauthorized,
        Err(Refusal::Unfit(why)) => WorkerAnswer::Unfit { why },
        Err(Refusal::NotKept(why)) => WorkerAnswer::NotKept { why },
    }
}

fn append_entry(at_work: &AtWork, request: &WorkerRequest) -> WorkerAnswer {
    let WorkerRequest::AppendEntry { token, thread, role, id, entry } = request else {
        return WorkerAnswer::Unauthorized;
    };
    let claims = Claims { thread, role: role.as_deref(), id: id.as_deref() };
    match at_work.say_on_blackboard(token, claims, entry) {
        Ok(record) => WorkerAnswer::Done { said: record.seq.to_string() },
        Err(BlackboardRefusal::Unauthorized) => WorkerAnswer::Unauthorized,
        Err(BlackboardRefusal::Seat(SeatError::Board(error))) if !error.is_refused_input() => {
            WorkerAnswer::NotKept { why: error.to_string() }
        }
        Err(refusal @ (BlackboardRefusal::NoSeat { .. } | BlackboardRefusal::Seat(_))) => {
            WorkerAnswer::Unfit { why: refusal.to_string() }
        }
    }
}

/// Asks whoever runs workers in this home; `None` when nobody does.
pub fn ask_as_worker(path: &Path, request: &WorkerRequest) -> io::Result<Option<WorkerAnswer>> {
    socket::ask(path, request, None)
}

/// Opens both, before the first run. Work goes on without them, so a port that is taken is only said.
pub(crate) async fn open(home: &Home, listen: Option<SocketAddr>, edge: &Edge) {
    let (home, at_work) = (home.clone(), edge.at_work());
    // Where the runs have their turns: nobody who talks to workers keeps the event loop waiting.
    let opened = edge.hands.runs.spawn(async move { open_here(&home, listen, at_work).await });
    if let Ok(Some(url)) = opened.await {
        edge.listens_at(url);
    }
}

/// Gives the address for workers, if there is one.
async fn open_here(home: &Home, listen: Option<SocketAddr>, at_work: Arc<AtWork>) -> Option<String> {
    let everyone = Arc::clone(&at_work);
    let answer = move |request: Result<WorkerRequest, String>| {
        let at_work = Arc::clone(&at_work);
        async move {
            match request {
                Ok(WorkerRequest::SetScratchpad { worker, token, text }) => {
                    set_scratchpad(&at_work, &worker, &token, &text)
                }
                // A server may be away for seconds.
                Ok(request @ WorkerRequest::AppendEntry { .. }) => {
                    tokio::task::spawn_blocking(move || append_entry(&at_work, &request))
                        .await
                        .unwrap_or_else(|error| WorkerAnswer::NotKept { why: error.to_string() })
                }
                Err(why) => WorkerAnswer::Unfit { why },
            }
        }
    };
    if let Err(error) = socket::listen(&home.worker_socket(), answer) {
        warn!(%error, "workers cannot reach us by socket");
    }
    let address = listen?;
    match TcpListener::bind(address).await {
        Ok(listener) => {
            let bound = listener.local_addr().ok();
            tokio::spawn(subcortex_web::serve(listener, everyone));
            bound.map(|bound| format!("http://{bound}"))
        }
        Err(error) => {
            warn!(%address, %error, "workers cannot reach us over HTTP; change `web.listen`, or end what uses the port");
            None
        }
    }
}
