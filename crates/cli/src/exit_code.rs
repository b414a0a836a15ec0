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
    /// Another process serves this home.
    HomeTaken,
    /// Storage failed: a full disk, a broken one, a failed sync.
    Storage,
}

impl From<ExitCode> for u8 {
    fn from(code: ExitCode) -> u8 {
        match code {
            ExitCode::Done => 0,
            ExitCode::Failed => 1,
            ExitCode::Refused => 2,
            ExitCode::HomeTaken => 4,
            ExitCode::Storage => 74,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        u8::from(code).into()
    }
}
