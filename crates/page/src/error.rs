//! Why something cannot be shown or done.

use subcortex_boards::BoardError;
use subcortex_inbox::InboxError;
use subcortex_weaver::WeaveError;
use subcortex_web::{Answer, Fault};

/// Why something cannot be shown or done.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The memory cannot be read.
    #[error(transparent)]
    Memory(#[from] WeaveError),
    /// The records of runs cannot be read.
    #[error(transparent)]
    Runs(#[from] subcortex_runs::RunsError),
    /// The account of models cannot be read.
    #[error(transparent)]
    Usage(#[from] subcortex_usage::UsageError),
    /// The log of events cannot be read.
    #[error(transparent)]
    Spine(#[from] subcortex_spine::ReadError),
    /// A blackboard refuses, or cannot be reached.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// An inbox refuses a task, or cannot be used.
    #[error(transparent)]
    Inbox(#[from] InboxError),
    /// The home cannot be looked at.
    #[error(transparent)]
    Home(#[from] subcortex_daemon::ServeError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] subcortex_store::durable::WriteError),
    /// What is asked for cannot be taken.
    #[error("{0}")]
    Unfit(String),
    /// There is no such thing.
    #[error("{0}")]
    Missing(String),
    /// The daemon said no, and why.
    #[error("{0}")]
    Refused(String),
    /// Something that should not happen.
    #[error("{0}")]
    Bug(String),
}

impl From<subcortex_memory::Trouble> for PageError {
    fn from(trouble: subcortex_memory::Trouble) -> Self {
        Self::Memory(trouble.into())
    }
}

impl From<PageError> for Answer {
    fn from(error: PageError) -> Self {
        let fault = match &error {
            PageError::Unfit(_) => Fault::Unfit,
            PageError::Missing(_) => Fault::Missing,
            PageError::Refused(_) => Fault::Conflict,
            PageError::Board(error) if error.is_refused_input() => Fault::Conflict,
            PageError::Board(_) => Fault::NotNow,
            PageError::Inbox(
                InboxError::Name(_) | InboxError::Ignored { .. } | InboxError::TooLarge { .. },
            ) => Fault::Unfit,
            PageError::Inbox(_)
            | PageError::Memory(_)
            | PageError::Runs(_)
            | PageError::Usage(_)
            | PageError::Spine(_)
            | PageError::Home(_)
            | PageError::Write(_)
            | PageError::Bug(_) => Fault::Failed,
        };
        Answer::Refused(fault, error.to_string())
    }
}
