//! One request and one answer a connection, each one line of JSON, over a Unix socket that only its owner can open.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream as BlockingStream;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tracing::debug;

/// The longest request, in bytes: the longest entry of a blackboard with every character escaped, and some room.
const MAX_REQUEST_BYTES: u64 = 2 * 1024 * 1024;
/// The longest answer, in bytes.
const MAX_ANSWER_BYTES: u64 = 64 * 1024 * 1024;
/// How long a client may take to say what it wants.
const REQUEST_WITHIN: Duration = Duration::from_secs(5);
/// How long the listener rests when the system has no connection to give.
const REST_AFTER_TROUBLE: Duration = Duration::from_millis(200);

/// Who asks, as the kernel says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// A program that is no part of a run.
    Outside,
    /// A part of a run: what it says of itself, in its environment or elsewhere, does not count.
    Run,
}

impl Caller {
    fn of(pid: Option<i32>) -> Self {
        // The marks of a run stay with what it starts, and so does its place below the daemon, which adopts its orphans.
        let is_run = |pid| subcortex_engine::is_part_of_a_run(pid) || subcortex_engine::descends_from_me(pid);
        let is_outside = pid.is_some_and(|pid| !is_run(pid));
        if is_outside { Self::Outside } else { Self::Run }
    }
}

/// Opens a socket and answers on it. One that an earlier process left is removed: the home lock says that it is dead.
#[allow(clippy::disallowed_methods, reason = "a socket is no file that `store` could write")]
pub(crate) fn listen<Q, A, F>(
    path: &Path,
    answer: impl Fn(Result<Q, String>, Caller) -> F + Clone + Send + 'static,
) -> io::Result<()>
where
    Q: DeserializeOwned + Send + 'static,
    A: Serialize + Send,
    F: Future<Output = A> + Send,
{
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    // Its folder is private already; this is the second door.
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    tokio::spawn(async move {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let answer = answer.clone();
                    tokio::spawn(async move { serve_one(stream, answer).await });
                }
                // The system has no connection to give now: too many open files. Later it has.
                Err(error) => {
                    debug!(%error, "connection not taken");
                    tokio::time::sleep(REST_AFTER_TROUBLE).await;
                }
            }
        }
    });
    Ok(())
}

/// Answers one client. A client that goes away, or says nonsense, concerns nobody else.
async fn serve_one<Q, A, F>(stream: UnixStream, answer: impl Fn(Result<Q, String>, Caller) -> F)
where
    Q: DeserializeOwned,
    A: Serialize,
    F: Future<Output = A>,
{
    let pid = stream.peer_cred().ok().and_then(|peer| peer.pid());
    let (read, mut write) = stream.into_split();
    let mut line = String::new();
    let mut reader = tokio::io::BufReader::new(read.take(MAX_REQUEST_BYTES));
    let said = tokio::time::timeout(REQUEST_WITHIN, reader.read_line(&mut line)).await;
    if !matches!(said, Ok(Ok(_))) {
        return;
    }
    let request =
        serde_json::from_str(&line).map_err(|error| format!("the request is not understood: {error}"));
    if let Ok(mut text) = serde_json::to_vec(&answer(request, Caller::of(pid)).await) {
        text.push(b'\n');
        drop(write.write_all(&text).await);
    }
}

/// Asks whoever listens; `None` when nobody does. Without a limit an answer may take as long as a run.
pub(crate) fn ask<Q: Serialize, A: DeserializeOwned>(
    socket: &Path,
    request: &Q,
    within: Option<Duration>,
) -> io::Result<Option<A>> {
    let mut stream = match BlockingStream::connect(socket) {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    stream.set_read_timeout(within)?;
    let mut text = serde_json::to_vec(request)?;
    text.push(b'\n');
    stream.write_all(&text)?;
    let mut line = String::new();
    BufReader::new(stream.take(MAX_ANSWER_BYTES)).read_line(&mut line)?;
    Ok(Some(serde_json::from_str(&line)?))
}
