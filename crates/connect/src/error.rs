//! Why an agent is not connected, and what to do.

use std::path::PathBuf;

use subcortex_store::durable::{ReadError, SweepError, WriteError};

/// Why nothing was changed, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// A settings file is not what it should be.
    #[error(
        "{}:{line}:{column}: {what}\nnothing was changed; mend the file, then try again",
        path.display()
    )]
    Mistake {
        /// Which file.
        path: PathBuf,
        /// Where, counted from 1.
        line: usize,
        /// Where in the line, in characters counted from 1.
        column: usize,
        /// What is wrong.
        what: String,
    },
    /// A path cannot stand in a settings file.
    #[error("the path {} cannot be written into an agent's settings; use a home and a program with plain names", .0.display())]
    OddPath(PathBuf),
    /// A file is not to be changed.
    #[error(
        "{} is read-only, so somebody does not want it to be changed\nnothing was changed; make it writable with `chmod u+w`, or make the change by hand",
        .0.display()
    )]
    ReadOnly(PathBuf),
    /// What is added cannot be told from the rest.
    #[error(
        "the hooks in {} cannot be edited without harm to the rest\nnothing was changed; add or remove the entries that call `subcortex … hook` by hand",
        .0.display()
    )]
    Entangled(PathBuf),
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// What a crash left of an earlier change cannot be put right.
    #[error(transparent)]
    Leftover(#[from] SweepError),
    /// The note of what was added cannot be understood.
    #[error("{} is damaged: {message}\nremove it; what was added is then found by reading the settings", path.display())]
    Record {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
}

impl ConnectError {
    /// Whether the person's files are the reason, and not the disk.
    pub fn is_refused_input(&self) -> bool {
        match self {
            Self::Mistake { .. }
            | Self::OddPath(_)
            | Self::ReadOnly(_)
            | Self::Entangled(_)
            | Self::Record { .. } => true,
            Self::Read(error) => !matches!(error, ReadError::Io { .. }),
            Self::Write(error) => matches!(
                error,
                WriteError::Conflict { .. }
                    | WriteError::Busy { .. }
                    | WriteError::LeftAlone { .. }
                    | WriteError::NotRegular(_)
            ),
            Self::Leftover(_) => false,
        }
    }
}
