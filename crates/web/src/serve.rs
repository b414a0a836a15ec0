//! Connections.
//!
//! A worker shows its token at once. Whoever has not done so yet can be anybody, so when all seats are taken, the one who
//! has kept silent longest makes room for the next: no number of half-open connections keeps a worker waiting.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tracing::debug;

use crate::Workers;
use crate::routes::router;

/// How many connections are served at once.
const MAX_CONNECTIONS: usize = 64;
/// How long the head of a request may take.
const HEAD_WITHIN: Duration = Duration::from_secs(5);
/// How long a connection may last in all.
const CONNECTION_WITHIN: Duration = Duration::from_secs(30);
/// How long the listener rests when the system has no connection to give (too many open files).
const REST_AFTER_TROUBLE: Duration = Duration::from_millis(200);

/// Serves until the future is dropped.
pub async fn serve(listener: TcpListener, workers: Arc<dyn Workers>) {
    let mut seats = Seats::default();
    loop {
        match listener.accept().await {
            // Nobody is turned away for somebody who has shown nothing.
            Ok((stream, _)) if seats.has_room() => {
                let is_known = Arc::new(AtomicBool::new(false));
                let router = router(Arc::clone(&workers), Arc::clone(&is_known));
                let task = tokio::spawn(serve_one(stream, router));
                seats.taken.push_back(Seat { task, is_known });
            }
            Ok(_) => debug!("connection not taken: all seats are taken by workers"),
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
    /// Whether it is a worker's.
    is_known: Arc<AtomicBool>,
}

impl Seats {
    /// Whether there is room for one more, made by sending away who has shown nothing yet.
    fn has_room(&mut self) -> bool {
        self.taken.retain(|seat| !seat.task.is_finished());
        if self.taken.len() < MAX_CONNECTIONS {
            return true;
        }
        let silent = self.taken.iter().position(|seat| !seat.is_known.load(Ordering::Relaxed));
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
async fn serve_one(stream: TcpStream, router: Router) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_WITHIN).keep_alive(false);
    let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    if let Ok(Err(error)) = tokio::time::timeout(CONNECTION_WITHIN, connection).await {
        debug!(%error, "connection ended");
    }
}
