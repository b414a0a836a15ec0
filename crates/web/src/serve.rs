//! Connections.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tracing::debug;

use crate::Workers;
use crate::routes::router;

/// How many connections are served at once; further ones wait.
const MAX_CONNECTIONS: usize = 32;
/// How long the head of a request may take.
const HEAD_WITHIN: Duration = Duration::from_secs(5);
/// How long a connection may last in all.
const CONNECTION_WITHIN: Duration = Duration::from_secs(30);
/// How long the listener rests when the system has no connection to give (too many open files).
const REST_AFTER_TROUBLE: Duration = Duration::from_millis(200);

/// Serves until the future is dropped.
pub async fn serve(listener: TcpListener, workers: Arc<dyn Workers>) {
    let router = router(workers);
    let seats = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(seat) = Arc::clone(&seats).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let router = router.clone();
                tokio::spawn(async move {
                    serve_one(stream, router).await;
                    drop(seat);
                });
            }
            Err(error) => {
                debug!(%error, "connection not taken");
                tokio::time::sleep(REST_AFTER_TROUBLE).await;
            }
        }
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
