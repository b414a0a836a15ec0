//! The names and numbers that must not be confused, each a type of its own.
//!
//! Names are handed from event to state to effect all the time, so they are shared and not copied.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The name of a partition: the name of its directory below `subconscious/`.
///
/// It becomes part of paths, log lines, prompts and environment variables, so it is plain:
/// `[A-Za-z0-9._-]`, no dot in front, at most [`PartitionId::MAX_BYTES`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PartitionId(Arc<str>);

/// Why a text cannot be the name of a partition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameProblem {
    /// There is nothing.
    #[error("a partition needs a name")]
    Empty,
    /// Longer than a name may be.
    #[error("a partition's name has at most {max} bytes, and this one has {len_bytes}", max = PartitionId::MAX_BYTES)]
    TooLong {
        /// How long it is.
        len_bytes: usize,
    },
    /// Hidden files are never partitions.
    #[error("a partition's name does not begin with a dot")]
    LeadingDot,
    /// A character that means something else in a path, a log or a shell.
    #[error("a partition's name has only letters, digits, `.`, `_` and `-`, and this one has `{}`", .0.escape_default())]
    Character(char),
    /// A name that the home uses for something else.
    #[error("`{0}` below `subconscious/` has a meaning of its own and cannot be a partition")]
    Reserved(String),
}

impl PartitionId {
    /// The longest name, in bytes.
    pub const MAX_BYTES: usize = 64;
    /// What stands beside the partitions: the shared inbox and the playlist.
    const RESERVED: [&str; 2] = ["inbox", "playlist.md"];

    /// Checks a name.
    pub fn new(name: impl Into<String>) -> Result<Self, NameProblem> {
        let name = name.into();
        if name.is_empty() {
            return Err(NameProblem::Empty);
        }
        if name.len() > Self::MAX_BYTES {
            return Err(NameProblem::TooLong { len_bytes: name.len() });
        }
        if name.starts_with('.') {
            return Err(NameProblem::LeadingDot);
        }
        if let Some(odd) = name.chars().find(|letter| !Self::allows(*letter)) {
            return Err(NameProblem::Character(odd));
        }
        if Self::RESERVED.contains(&name.as_str()) {
            return Err(NameProblem::Reserved(name));
        }
        Ok(Self(name.into()))
    }

    /// Whether a character may stand in a name.
    pub(crate) fn allows(letter: char) -> bool {
        letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-')
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for PartitionId {
    type Error = NameProblem;

    fn try_from(name: String) -> Result<Self, NameProblem> {
        Self::new(name)
    }
}

impl From<PartitionId> for String {
    fn from(id: PartitionId) -> String {
        id.0.as_ref().into()
    }
}

impl fmt::Display for PartitionId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The basename of a task's file. Whoever lists the inbox decides which names are refused.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct TaskName(Arc<str>);

impl TaskName {
    /// Takes over a basename.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }
}

/// The hash of a task's body, in whatever form the lister of the inbox writes it. Only compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct ContentHash(Arc<str>);

impl ContentHash {
    /// Takes over a hash.
    pub fn new(hash: impl Into<Arc<str>>) -> Self {
        Self(hash.into())
    }
}

/// A task is its name *and* its content: a new body under an old name is a new task.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TaskKey {
    /// The basename in the inbox.
    pub name: TaskName,
    /// The hash of the body.
    pub hash: ContentHash,
}

/// Tells two files of the same name and content apart: folded from inode and times by whoever lists the
/// inbox. A file that is dropped again after its ack has another stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FileStamp(pub u64);

/// The name of a run: when it started, and a number that is never given twice.
///
/// Sorts by time as text, and stays unique when the clock is set back or the counter is lost.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct RunId(Arc<str>);

impl RunId {
    /// Names the `number`-th run of a home.
    pub fn new(started: UnixMs, number: u64) -> Self {
        let second = Timestamp::from_millisecond(started.0).unwrap_or(Timestamp::UNIX_EPOCH);
        Self(format!("{}-{number}", second.strftime("%Y%m%dT%H%M%S")).into())
    }
}

/// What all names but a partition's have in common: any text will do.
macro_rules! text_of_any_kind {
    ($($name:ident)*) => {$(
        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0.as_ref().into()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }
    )*};
}

text_of_any_kind! { TaskName ContentHash RunId }

/// One beat of the cadence: counted, not measured. The first is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tick(pub u64);

impl Tick {
    /// The tick a number of ticks later.
    #[must_use]
    pub fn plus(self, ticks: u64) -> Tick {
        Tick(self.0.saturating_add(ticks))
    }
}

impl fmt::Display for Tick {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// Milliseconds since 1970 by the wall clock, which people and time servers set as they like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixMs(pub i64);

impl UnixMs {
    /// This moment, moved by a signed number of milliseconds.
    #[must_use]
    pub fn plus_ms(self, ms: i64) -> UnixMs {
        UnixMs(self.0.saturating_add(ms))
    }

    /// The milliseconds from an earlier moment to this one; negative if it is the later one.
    pub fn since_ms(self, earlier: UnixMs) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Milliseconds since the machine was started, with the time it slept. Never goes back while a process
/// lives, and means nothing to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BootMs(pub u64);

impl BootMs {
    /// This moment, a number of milliseconds later.
    #[must_use]
    pub fn plus_ms(self, ms: u64) -> BootMs {
        BootMs(self.0.saturating_add(ms))
    }

    /// The milliseconds from an earlier moment to this one; 0 if it is the later one.
    pub fn since_ms(self, earlier: BootMs) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// What both clocks show. Durations are measured with `boot`; `wall` is for people, for cron, and for the
/// time that passed while no daemon ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Now {
    /// The wall clock.
    pub wall: UnixMs,
    /// The clock that only goes forward.
    pub boot: BootMs,
}

impl Now {
    /// What the clock that only goes forward will show at a moment by the wall clock; now, if that has passed.
    pub(crate) fn boot_at(self, wall: UnixMs) -> BootMs {
        self.boot.plus_ms(u64::try_from(wall.since_ms(self.wall)).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expect: &str) {
        let said = PartitionId::new(name).map_or_else(|problem| problem.to_string(), |id| id.to_string());
        assert_eq!(said, expect);
    }

    #[test]
    fn a_plain_name_is_taken_as_it_is() {
        check("memory-weaver", "memory-weaver");
        check("a", "a");
        check("v1.2_x", "v1.2_x");
        check(&"x".repeat(64), &"x".repeat(64));
    }

    #[test]
    fn a_name_that_could_leave_its_directory_or_its_line_is_refused_with_the_reason() {
        check("", "a partition needs a name");
        check(".hidden", "a partition's name does not begin with a dot");
        check("..", "a partition's name does not begin with a dot");
        let only = "a partition's name has only letters, digits, `.`, `_` and `-`, and this one has ";
        check("a/b", &format!("{only}`/`"));
        check("a\nb", &format!("{only}`\\n`"));
        check("a\u{202e}b", &format!("{only}`\\u{{202e}}`"));
        check("a b", &format!("{only}` `"));
        check(&"x".repeat(65), "a partition's name has at most 64 bytes, and this one has 65");
        check("inbox", "`inbox` below `subconscious/` has a meaning of its own and cannot be a partition");
    }

    #[test]
    fn run_ids_sort_by_time_and_differ_when_the_clock_stands_still() {
        assert_eq!(RunId::new(UnixMs(1_794_645_420_004), 17).as_str(), "20261114T083700-17");
        assert_ne!(RunId::new(UnixMs(0), 1), RunId::new(UnixMs(0), 2));
        assert_eq!(
            RunId::new(UnixMs(i64::MAX), 1).as_str(),
            "19700101T000000-1",
            "a broken clock is no panic"
        );
    }
}
