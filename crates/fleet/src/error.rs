//! What can go wrong with a fleet.

use subcortex_inbox::InboxError;
use subcortex_redis::ServerError;
use subcortex_store::durable::{ReadError, WriteError};

/// Why something was not done to a shared inbox.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The server did not do it.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The task cannot be taken: its name, its length, its file.
    #[error(transparent)]
    Inbox(#[from] InboxError),
    /// Nobody said where the fleet meets.
    #[error(
        "`{partition}` shares its inbox with a fleet (`inbox: fleet`), and `fleet.redis` in config/subcortex.yaml names no server: add it, or remove `inbox: fleet`"
    )]
    NoServer {
        /// Whose inbox.
        partition: String,
    },
    /// There is such a task already.
    #[error("there is already a task `{name}` in the inbox that the fleet shares: use another name")]
    Exists {
        /// Its name.
        name: String,
    },
    /// A file of this machine was not written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file of this machine was not read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The tickets cannot be used.
    #[error(
        "var/fleet/tickets.json cannot be used ({why}): it says which tasks came from the fleet, so none is begun; correct it, or move it away once its tasks have been taken over"
    )]
    Tickets {
        /// Why.
        why: String,
    },
}

impl FleetError {
    /// Whether what was given is at fault, and neither the server nor the disk.
    #[must_use]
    pub fn is_refused_input(&self) -> bool {
        match self {
            FleetError::Exists { .. } | FleetError::NoServer { .. } => true,
            FleetError::Inbox(error) => error.is_refused_input(),
            FleetError::Server(error) => matches!(error, ServerError::Address { .. }),
            FleetError::Write(_) | FleetError::Read(_) | FleetError::Tickets { .. } => false,
        }
    }
}
