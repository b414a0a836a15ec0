//! Where an event came from, and the gate that keeps internal traffic out of memory.

use serde::{Deserialize, Serialize};

/// Who handed an event over. The receiver fills this in; a payload never can.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// What kind of sender it was.
    pub kind: SourceKind,
    /// The sender's own name, such as the agent program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The channel a person spoke through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<String>,
}

impl Source {
    /// A source that is known by its kind alone.
    pub fn of(kind: impl Into<SourceKind>) -> Self {
        Self { kind: kind.into(), name: None, channel_id: None }
    }
}

/// The kind of a source, such as `claude` or `cadence`. Any non-empty text is a kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SourceKind(String);

impl SourceKind {
    /// The kinds that subcortex itself writes under. What they say is never evidence.
    pub const INTERNAL: [&str; 6] = ["cadence", "meta", "system", "runner", "route", "gateway"];

    /// Whether somebody calls themselves by one of these, however it is spelled.
    fn is_internal(kind: &str) -> bool {
        Self::INTERNAL.iter().any(|internal| internal.eq_ignore_ascii_case(kind.trim()))
    }

    /// The kind as it stands in the log.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: Into<String>> From<T> for SourceKind {
    fn from(kind: T) -> Self {
        Self(kind.into())
    }
}

impl std::fmt::Display for SourceKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the source gate says of an event, before anything of its payload is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gate {
    /// Somebody outside: may become evidence.
    External,
    /// subcortex talking about itself: dropped.
    Internal,
    /// No usable kind: nobody can say where it came from, so it is dropped too.
    Unscannable,
}

impl Gate {
    /// Judges a source kind as it stands in the log; `None` is a missing or non-string kind.
    pub fn of(kind: Option<&str>) -> Self {
        match kind {
            None | Some("") => Self::Unscannable,
            Some(kind) if SourceKind::is_internal(kind) => Self::Internal,
            Some(_) => Self::External,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_internal_kind_is_dropped_and_only_those() {
        for kind in SourceKind::INTERNAL {
            assert_eq!(Gate::of(Some(kind)), Gate::Internal, "{kind}");
        }
        assert_eq!(Gate::of(Some("claude")), Gate::External);
        for kind in ["System", "RUNNER", " runner", "Meta\n"] {
            assert_eq!(Gate::of(Some(kind)), Gate::Internal, "{kind:?}");
        }
        assert_eq!(Gate::of(Some("systemd")), Gate::External, "kinds are whole words");
        assert_eq!(Gate::of(Some("")), Gate::Unscannable);
        assert_eq!(Gate::of(None), Gate::Unscannable);
    }
}
