//! How a process ends. Scripts rely on these numbers, so none ever changes its meaning.

/// What the process says to whoever started it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitCode {
    /// Done.
    Done,
    /// It failed, and there is no code of its own for how.
    Failed,
    /// Wrong usage, or an input that is refused.
    Refused,
    /// A task or run did not come to a terminal result: pending, held, partial.
    NotTerminal,
    /// Another process serves this home.
    HomeTaken,
    /// The kill switch is set.
    Paused,
    /// A loop's config is not fit to run.
    NotReady,
    /// Storage failed: a full disk, a broken one, a failed sync.
    Storage,
}

impl From<ExitCode> for u8 {
    fn from(code: ExitCode) -> u8 {
        match code {
            ExitCode::Done => 0,
            ExitCode::Failed => 1,
            ExitCode::Refused => 2,
            ExitCode::NotTerminal => 3,
            ExitCode::HomeTaken => 4,
            ExitCode::Paused => 5,
            ExitCode::NotReady => 10,
            ExitCode::Storage => 74,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        u8::from(code).into()
    }
}
