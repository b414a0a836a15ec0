//! `permission_mode:` what an agent may do without asking, and what each tier allows of it.

use crate::config::Tier;

/// The modes that agents know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PermissionMode {
    /// Reads and thinks.
    #[default]
    Plan,
    /// Does what is allowed beforehand, and is denied the rest.
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

    /// The word in a config, which is also the agents' own.
    pub fn word(self) -> &'static str {
        match self {
            PermissionMode::Plan => "plan",
            PermissionMode::DontAsk => "dontAsk",
            PermissionMode::Auto => "auto",
            PermissionMode::AcceptEdits => "acceptEdits",
            PermissionMode::BypassPermissions => "bypassPermissions",
        }
    }

    /// Whether a tier forbids it: it would be allowed more than the tier is. No run starts like that.
    pub fn is_forbidden_in(self, tier: Tier) -> bool {
        match (tier, self) {
            (Tier::L1, PermissionMode::Plan | PermissionMode::DontAsk) => false,
            (Tier::L1, _) => true,
            (Tier::L2, mode) => mode == PermissionMode::BypassPermissions,
            (Tier::L3, _) => false,
        }
    }

    /// Whether it makes sense in a tier: neither forbidden, nor too little to do the work.
    pub fn fits(self, tier: Tier) -> bool {
        !self.is_forbidden_in(tier) && (tier == Tier::L1 || self != PermissionMode::Plan)
    }

    /// Whether files may be edited.
    pub fn may_edit(self) -> bool {
        self != PermissionMode::Plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tier_forbids_what_is_more_than_it_may_do() {
        let forbidden = |tier| {
            let modes = PermissionMode::ALL.into_iter().filter(move |mode| mode.is_forbidden_in(tier));
            modes.map(PermissionMode::word).collect::<Vec<_>>()
        };
        assert_eq!(forbidden(Tier::L1), ["auto", "acceptEdits", "bypassPermissions"]);
        assert_eq!(forbidden(Tier::L2), ["bypassPermissions"]);
        assert_eq!(forbidden(Tier::L3), [""; 0]);
    }
}
