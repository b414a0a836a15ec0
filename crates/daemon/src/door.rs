//! Where workers reach whoever runs them: a socket for our own commands, and HTTP on loopback for everybody else's. People have
//! their page there, too.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use subcortex_home::Home;
use subcortex_store::{Disk, durable};
use subcortex_web::{PageKey, Refusal, Site, Workers, worker_routes};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tracing::warn;

use crate::edge::Edge;
use crate::helm::{Helm, PageOf};
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

/// Who is let in over HTTP.
#[derive(Debug)]
pub(crate) struct Visitors {
    site: Site,
    /// The token of the page, if people are let in.
    token: Option<String>,
}

impl Visitors {
    /// Nobody but those who are at work.
    pub(crate) fn workers_only(at_work: Arc<AtWork>) -> Self {
        let workers: Arc<dyn Workers> = at_work;
        Self { site: Site { routes: worker_routes(&workers), workers, key: None }, token: None }
    }

    /// People, too, who have the token. It is another one each time, so that whoever gets hold of the port of a daemon that
    /// has ended learns nothing from pages that still ask there.
    pub(crate) fn and_people(mut self, page: PageOf, helm: Helm) -> Self {
        let page = page(helm, &self.site.routes);
        let token = format!("{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
        self.site.routes.extend(page);
        self.site.key = Some(PageKey::of(&token));
        self.token = Some(token);
        self
    }
}

/// Opens both, before the first run. Work goes on without them, so a port that is taken is only said.
pub(crate) async fn open(edge: &Edge, listen: Option<SocketAddr>, web: &Handle, visitors: Visitors) {
    let (home, at_work) = (edge.hands.home.clone(), edge.at_work());
    // Where the runs have their turns: nobody who talks to workers keeps the event loop waiting.
    let opened = edge.hands.runs.spawn(async move { open_socket(&home, at_work) });
    drop(opened.await);
    let Some(address) = listen else { return };
    let disk = Arc::clone(&edge.hands.disk);
    let token_file = edge.hands.home.page_token();
    let opened = web.spawn(async move { open_http(address, visitors, &*disk, &token_file).await });
    if let Ok(Some(url)) = opened.await {
        edge.listens_at(url);
    }
}

fn open_socket(home: &Home, at_work: Arc<AtWork>) {
    let answer = move |request: Result<WorkerRequest, String>, _| {
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
}

/// Gives the address, if there is one.
async fn open_http(
    address: SocketAddr,
    visitors: Visitors,
    disk: &dyn Disk,
    token_file: &Path,
) -> Option<String> {
    let Visitors { mut site, token } = visitors;
    let listener = match TcpListener::bind(address).await {
        Ok(listener) => listener,
        Err(error) => {
            warn!(%address, %error, "nobody can reach us over HTTP; change `web.listen`, or end what uses the port");
            return None;
        }
    };
    let written = match &token {
        Some(token) => durable::replace(disk, token_file, format!("{token}\n").as_bytes()),
        // One that a killed daemon left opens nothing.
        None => durable::remove(disk, token_file).map(drop),
    };
    if let Err(error) = written {
        // A page that nobody can open is no page.
        warn!(%error, "the page cannot be opened: its token cannot be written");
        site.key = None;
    }
    let bound = listener.local_addr().ok();
    tokio::spawn(subcortex_web::serve(listener, site));
    bound.map(|bound| format!("http://{bound}"))
}
