//! memory-committer: keeps `memory/` in git, and shares it where a person named a remote.
//!
//! One call of [`commit`] is one wake: what changed is held against the gates, what passes becomes one commit, and
//! with a remote the two sides are brought together block by block (`merge`) and pushed.
//!
//! What is never done: `reset`, `stash`, `checkout`, anything with force. Files are written by
//! compare-and-swap, so that whoever edits one meanwhile wins, and nothing happens while somebody else is at the
//! repository.

mod commit;
pub mod gates;
mod git;
mod held_back;
mod merge;
mod outline;
mod own_index;
mod paths;
mod repository;
mod subject;
mod sync;

pub use commit::{Committed, Job, Origin, commit};
pub use git::{Git, GitError};
pub use held_back::HeldBack;
pub use sync::Synced;

/// Why a wake came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// Git.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file of the memory.
    #[error(transparent)]
    Memory(#[from] subcortex_memory::Trouble),
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] subcortex_store::durable::ReadError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] subcortex_store::durable::WriteError),
    /// A task about what was held back could not be posted.
    #[error(transparent)]
    Inbox(#[from] subcortex_inbox::InboxError),
}

impl CommitError {
    /// Whether somebody was writing a file of the memory: the next wake may find it quiet.
    pub fn is_busy(&self) -> bool {
        match self {
            Self::Memory(trouble) => trouble.is_busy(),
            Self::Write(error) => matches!(error, subcortex_store::durable::WriteError::Busy { .. }),
            Self::Git(_) | Self::Read(_) | Self::Inbox(_) => false,
        }
    }
}
