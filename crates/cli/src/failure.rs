//! What went wrong, for whoever typed the command: what happened, why, what to do, and the exit code.

use std::io::{self, Write};

use subcortex_audit::Ink;
use subcortex_daemon::{EdgeError, ServeError};
use subcortex_guard::escape_for_display;
use subcortex_home::{AdoptError, InitError};
use subcortex_inbox::InboxError;
use subcortex_runs::RunsError;
use subcortex_spine::{AppendError, ReadError};
use subcortex_store::{LockError, durable};

use crate::exit_code::ExitCode;
use crate::looks::for_stderr;

/// A command that did not do what was asked.
#[derive(Debug)]
pub struct Failure {
    code: ExitCode,
    message: String,
}

impl Failure {
    /// It failed, and there is no code of its own for how.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { code: ExitCode::Failed, message: message.into() }
    }

    /// The input cannot be used.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self { code: ExitCode::Refused, message: message.into() }
    }

    /// Storage failed.
    pub(crate) fn storage(message: impl Into<String>) -> Self {
        Self { code: ExitCode::Storage, message: message.into() }
    }

    /// `--help` and `--version` are answers; everything else that clap says is a mistake in the usage.
    pub(crate) fn of_usage(error: &clap::Error) -> Result<ExitCode, Self> {
        // Whoever closed the pipe does not want to read it.
        drop(error.print());
        Ok(if error.use_stderr() { ExitCode::Refused } else { ExitCode::Done })
    }

    /// What happened, why, what to do.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Says it, and gives the code to end with. `colour` is for terminals.
    pub fn report(&self, to: &mut dyn Write, colour: bool) -> ExitCode {
        let mut lines = self.message.lines();
        let error = if colour { Ink::Red.paint("error:") } else { "error:".to_owned() };
        let mut text = format!("{error} {}\n", escape_for_display(lines.next().unwrap_or_default()));
        lines.for_each(|line| text.push_str(&format!("       {}\n", escape_for_display(line))));
        // Nothing can be done when the terminal is gone.
        drop(to.write_all(for_stderr(&text).as_bytes()));
        self.code
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::failed(format!("cannot write the answer: {error}"))
    }
}

impl From<subcortex_weaver::WeaveError> for Failure {
    fn from(error: subcortex_weaver::WeaveError) -> Self {
        Self::storage(error.to_string())
    }
}

impl From<subcortex_memory::Trouble> for Failure {
    fn from(error: subcortex_memory::Trouble) -> Self {
        Self::storage(error.to_string())
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::failed(format!("cannot write the answer as JSON: {error}"))
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self::storage(error.to_string())
    }
}

impl From<AppendError> for Failure {
    fn from(error: AppendError) -> Self {
        if error.is_storage() { Self::storage(error.to_string()) } else { Self::refused(error.to_string()) }
    }
}

impl From<durable::WriteError> for Failure {
    fn from(error: durable::WriteError) -> Self {
        Self::storage(error.to_string())
    }
}

impl From<InitError> for Failure {
    fn from(error: InitError) -> Self {
        match error {
            InitError::NotAFolder(_) | InitError::NotYours { .. } => Self::refused(error.to_string()),
            InitError::Write(_) | InitError::Io { .. } => Self::storage(error.to_string()),
        }
    }
}

impl From<AdoptError> for Failure {
    fn from(error: AdoptError) -> Self {
        match error {
            AdoptError::Read { .. } | AdoptError::Empty(_) | AdoptError::TooMuch { .. } => {
                Self::refused(error.to_string())
            }
            AdoptError::Write(durable::WriteError::LeftAlone { .. }) => Self::refused(error.to_string()),
            AdoptError::Write(_) => Self::storage(error.to_string()),
        }
    }
}

impl From<LockError> for Failure {
    fn from(error: LockError) -> Self {
        let code = match error {
            LockError::Taken(_) => ExitCode::HomeTaken,
            LockError::NotRegular(_) => ExitCode::Refused,
            LockError::Io { .. } => ExitCode::Storage,
        };
        Self { code, message: error.to_string() }
    }
}

impl From<InboxError> for Failure {
    fn from(error: InboxError) -> Self {
        if error.is_refused_input() {
            Self::refused(error.to_string())
        } else {
            Self::storage(error.to_string())
        }
    }
}

impl From<RunsError> for Failure {
    fn from(error: RunsError) -> Self {
        Self::storage(error.to_string())
    }
}

impl From<EdgeError> for Failure {
    fn from(error: EdgeError) -> Self {
        match error {
            EdgeError::Spine(error) => error.into(),
            EdgeError::SpineRead(error) => error.into(),
            EdgeError::Write(error) => error.into(),
            EdgeError::Inbox(error) => error.into(),
            EdgeError::Runs(error) => error.into(),
            EdgeError::Fleet(error) => error.into(),
            EdgeError::Look { .. } => Self::storage(error.to_string()),
            EdgeError::State(_) => Self::refused(error.to_string()),
        }
    }
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Config(message) => Self::refused(message),
            ServeError::Home(error) => error.into(),
            ServeError::Lock(error) => error.into(),
            ServeError::Edge(error) => error.into(),
            ServeError::Engine(_) | ServeError::LockLost | ServeError::Os { .. } => {
                Self::failed(error.to_string())
            }
        }
    }
}
