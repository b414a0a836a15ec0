//! What can go wrong with a blackboard.

use std::io;
use std::path::{Path, PathBuf};

use subcortex_blackboard::{Refusal, ThreadId};
use subcortex_redis::ServerError;
use subcortex_store::durable;

/// Why a blackboard was not read, or not appended to.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// The entry is not legal.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// The address of the server cannot be used.
    #[error(
        "`blackboard.store` cannot be used ({why}): write `files`, or the URL of a Redis server such as redis://127.0.0.1:6379"
    )]
    Address {
        /// Why.
        why: String,
    },
    /// What is stored is not what was appended.
    #[error(
        "entry {seq} of the thread {thread} in {place} cannot be used ({why}): somebody changed it by hand; correct it, or begin another thread"
    )]
    Damaged {
        /// Which thread.
        thread: ThreadId,
        /// Where it is stored.
        place: String,
        /// Which entry, from 1.
        seq: u64,
        /// What is wrong with it.
        why: String,
    },
    /// Others were quicker for too long.
    #[error("the thread {thread} was busy for {waited_ms} ms: try again; nothing was appended")]
    Busy {
        /// Which thread.
        thread: ThreadId,
        /// For how long.
        waited_ms: u128,
    },
    /// A system call failed.
    #[error("cannot {what} {} ({source})", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// How it failed.
        source: io::Error,
    },
    /// The entry was not written.
    #[error(transparent)]
    Append(#[from] durable::AppendError),
    /// The entry was not made durable.
    #[error(transparent)]
    Sync(#[from] durable::SyncError),
    /// A file was not removed or made.
    #[error(transparent)]
    Write(#[from] durable::WriteError),
    /// Changes to a folder cannot be watched.
    #[error("changes of {} cannot be watched: {why}", path.display())]
    Watch {
        /// Which.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The server does not answer.
    #[error(
        "the Redis server at {server} does not answer ({why}): start it, or correct `blackboard.store`; whether the last entry was appended, `blackboard read` shows"
    )]
    Away {
        /// Which.
        server: String,
        /// How that shows.
        why: String,
    },
    /// The server has no room.
    #[error(
        "the Redis server at {server} is full: raise its `maxmemory`, or let threads expire; nothing was appended"
    )]
    Full {
        /// Which.
        server: String,
    },
    /// The server refuses.
    #[error("the Redis server at {server} refuses: {why}; nothing was appended")]
    Server {
        /// Which.
        server: String,
        /// Its words.
        why: String,
    },
}

impl BoardError {
    /// Whether whoever wrote the entry or the settings has to change something, rather than the machine.
    #[must_use]
    pub fn is_refused_input(&self) -> bool {
        matches!(self, BoardError::Refused(_) | BoardError::Address { .. })
    }

    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| BoardError::Io { what, path, source }
    }
}

impl From<Refusal> for BoardError {
    fn from(refusal: Refusal) -> Self {
        BoardError::Refused(Box::new(refusal))
    }
}

impl From<ServerError> for BoardError {
    fn from(error: ServerError) -> Self {
        match error {
            ServerError::Address { why } => BoardError::Address { why },
            ServerError::Away { server, why } => BoardError::Away { server, why },
            ServerError::Full { server } => BoardError::Full { server },
            ServerError::Refused { server, why } => BoardError::Server { server, why },
        }
    }
}
