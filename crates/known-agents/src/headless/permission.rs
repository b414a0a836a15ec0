//! What an agent may do without asking.

/// The modes, by the names that Claude Code gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PermissionMode {
    /// Reads and thinks.
    Plan,
    /// Does what is allowed beforehand, and is denied the rest. Unlike `bypassPermissions` it works for root.
    #[default]
    DontAsk,
    /// Decides by itself what is safe.
    Auto,
    /// Edits files without asking.
    AcceptEdits,
    /// Asks for nothing at all.
    BypassPermissions,
}

impl PermissionMode {
    /// All there are.
    pub const ALL: [PermissionMode; 5] = [
        PermissionMode::Plan,
        PermissionMode::DontAsk,
        PermissionMode::Auto,
        PermissionMode::AcceptEdits,
        PermissionMode::BypassPermissions,
    ];

    /// The mode of a word.
    pub fn parse(word: &str) -> Option<PermissionMode> {
        PermissionMode::ALL.into_iter().find(|mode| mode.word() == word)
    }

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            PermissionMode::Plan => "plan",
            PermissionMode::DontAsk => "dontAsk",
            PermissionMode::Auto => "auto",
            PermissionMode::AcceptEdits => "acceptEdits",
            PermissionMode::BypassPermissions => "bypassPermissions",
        }
    }
}
