//! Where commands reach the running daemon: a Unix socket that only its owner can open.
//!
//! One request and one answer a connection, each one line of JSON.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream as BlockingStream;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc::UnboundedSender, oneshot};

use crate::memory::Decision;
use crate::status::Schedule;

/// The longest request, in bytes.
const MAX_REQUEST_BYTES: u64 = 64 * 1024;
/// The longest answer, in bytes.
const MAX_ANSWER_BYTES: u64 = 64 * 1024 * 1024;
/// How long a client may take to say what it wants.
const REQUEST_WITHIN: Duration = Duration::from_secs(5);

/// What a command wants of the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request {
    /// How everything stands.
    Status,
    /// One pass now; with a partition, that one runs whatever its rest.
    Tick {
        /// Which one.
        partition: Option<String>,
    },
    /// Try a held task again.
    Retry {
        /// Whose.
        partition: String,
        /// Its name.
        task: String,
    },
    /// A person decided something about the memory.
    Decide(Decision),
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
    /// A decision about the memory was carried out.
    Decided {
        /// What came of it.
        value: serde_json::Value,
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

/// Opens the socket. One that an earlier daemon left is removed: the home lock says that it is dead.
#[allow(clippy::disallowed_methods)] // a socket is no file that `store` could write
pub(crate) fn listen(path: &Path, asked: UnboundedSender<Asked>) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(path)?;
    // Its folder is private already; this is the second door.
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve_one(stream, asked.clone()));
        }
    });
    Ok(())
}

/// Answers one client. A client that goes away, or says nonsense, concerns nobody else.
async fn serve_one(stream: UnixStream, asked: UnboundedSender<Asked>) {
    let (read, mut write) = stream.into_split();
    let mut line = String::new();
    let mut reader = tokio::io::BufReader::new(read.take(MAX_REQUEST_BYTES));
    let said = tokio::time::timeout(REQUEST_WITHIN, reader.read_line(&mut line)).await;
    if !matches!(said, Ok(Ok(_))) {
        return;
    }
    let answer = match serde_json::from_str(&line) {
        Ok(request) => {
            let (answer, answered) = oneshot::channel();
            drop(asked.send(Asked { request, answer }));
            answered.await.unwrap_or_else(|_| Answer::Refused { why: "the daemon is stopping".into() })
        }
        Err(error) => Answer::Refused { why: format!("the request is not understood: {error}") },
    };
    if let Ok(mut text) = serde_json::to_vec(&answer) {
        text.push(b'\n');
        drop(write.write_all(&text).await);
    }
}

/// Asks the running daemon; `None` when none listens.
pub fn ask(socket: &Path, request: &Request) -> io::Result<Option<Answer>> {
    let mut stream = match BlockingStream::connect(socket) {
        Ok(stream) => stream,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let mut text = serde_json::to_vec(request)?;
    text.push(b'\n');
    stream.write_all(&text)?;
    let mut line = String::new();
    BufReader::new(stream.take(MAX_ANSWER_BYTES)).read_line(&mut line)?;
    Ok(Some(serde_json::from_str(&line)?))
}
