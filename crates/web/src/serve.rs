//! Connections.
//!
//! Who has a token shows it at once. Whoever has not done so yet can be anybody, so when all seats are taken, the one who
//! has kept silent longest makes room for the next: no number of half-open connections keeps a worker or a person waiting.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tower_service::Service as _;
use tracing::debug;

use crate::Site;
use crate::routes::{Known, router};

/// How many connections are served at once.
const MAX_CONNECTIONS: usize = 64;
/// How long the head of a request may take.
const HEAD_WITHIN: Duration = Duration::from_secs(5);
/// How long a connection may last in all.
const CONNECTION_WITHIN: Duration = Duration::from_secs(30);
/// How long one that carries a stream may last beyond that. Whoever still looks then comes again.
const STREAM_WITHIN: Duration = Duration::from_secs(15 * 60);
/// How many fields the head of a request may have.
const MAX_HEADERS: usize = 64;
/// How long the head of a request may be, in bytes.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// How long the listener rests when the system has no connection to give (too many open files).
const REST_AFTER_TROUBLE: Duration = Duration::from_millis(200);

/// Serves until the future is dropped.
pub async fn serve(listener: TcpListener, site: Site) {
    let router = router(&Arc::new(site));
    let mut seats = Seats::default();
    loop {
        match listener.accept().await {
            // Nobody is turned away for somebody who has shown nothing.
            Ok((stream, _)) if seats.has_room() => {
                let ends = stream.peer_addr().and_then(|peer| Ok((peer, stream.local_addr()?))).ok();
                let known = Arc::new(Known { ends, ..Known::default() });
                let task = tokio::spawn(serve_one(stream, router.clone(), Arc::clone(&known)));
                seats.taken.push_back(Seat { task, known });
            }
            Ok(_) => debug!("connection not taken: all seats are taken by somebody with a token"),
            Err(error) => {
                debug!(%error, "connection not taken");
                tokio::time::sleep(REST_AFTER_TROUBLE).await;
            }
        }
    }
}

/// Who is served, oldest first.
#[derive(Debug, Default)]
struct Seats {
    taken: VecDeque<Seat>,
}

#[derive(Debug)]
struct Seat {
    task: JoinHandle<()>,
    known: Arc<Known>,
}

impl Seats {
    /// Whether there is room for one more, made by sending away who has shown nothing yet.
    fn has_room(&mut self) -> bool {
        self.taken.retain(|seat| !seat.task.is_finished());
        if self.taken.len() < MAX_CONNECTIONS {
            return true;
        }
        let silent = self.taken.iter().position(|seat| !seat.known.has_token.load(Ordering::Relaxed));
        let sent_away = silent.and_then(|place| self.taken.remove(place));
        sent_away.inspect(|seat| seat.task.abort()).is_some()
    }
}

impl Drop for Seats {
    fn drop(&mut self) {
        self.taken.iter().for_each(|seat| seat.task.abort());
    }
}

/// Serves one client. One that goes away, is slow or says nonsense concerns nobody else.
async fn serve_one(stream: TcpStream, router: Router, known: Arc<Known>) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_WITHIN).keep_alive(false);
    builder.max_headers(MAX_HEADERS).max_buf_size(MAX_HEAD_BYTES);
    let is_stream = Arc::clone(&known);
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Arc::clone(&known));
        router.clone().call(request)
    });
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    let mut ended = tokio::time::timeout(CONNECTION_WITHIN, connection.as_mut()).await;
    if ended.is_err() && is_stream.is_stream.load(Ordering::Relaxed) {
        ended = tokio::time::timeout(STREAM_WITHIN, connection.as_mut()).await;
    }
    if let Ok(Err(error)) = ended {
        debug!(%error, "connection ended");
    }
}
