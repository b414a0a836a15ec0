//! The names by which the processes of a run are found again.
//!
//! A *group* is named `subcortex-<home tag>-<run id>-<n>`: the run's cgroup directory, and the value of
//! `SUBCORTEX_RUN_GROUP` in the environment of its processes. The tag holds no `-`, so the prefix of one
//! home never matches the groups of another. `<n>` tells programs of the same run apart.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::StartError;

/// The environment variable that holds the id of the run.
pub const RUN_ID_VARIABLE: &str = "SUBCORTEX_RUN_ID";
/// The environment variable that marks the processes of one program of one run.
pub const RUN_GROUP_VARIABLE: &str = "SUBCORTEX_RUN_GROUP";

/// The longest run id, in characters. A directory name has room for 255.
const RUN_ID_MAX_CHARS: usize = 128;
/// The longest home tag, in characters.
const HOME_TAG_MAX_CHARS: usize = 64;

/// What the names of all groups of one home begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupPrefix(String);

impl GroupPrefix {
    /// The prefix for a home, from a tag of lower-case letters and digits, such as a hash of its path.
    pub fn for_home(tag: &str) -> Result<Self, StartError> {
        let sound = (1..=HOME_TAG_MAX_CHARS).contains(&tag.len())
            && tag.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        if sound {
            Ok(Self(format!("subcortex-{tag}-")))
        } else {
            Err(StartError::BadTag { tag: tag.into() })
        }
    }

    /// Whether a group of this name belongs to the home.
    pub fn matches(&self, group: &str) -> bool {
        group.starts_with(&self.0)
    }

    /// A name that no group of this process had before.
    pub(crate) fn fresh_group(&self, run_id: &str) -> Result<String, StartError> {
        static GROUPS: AtomicU64 = AtomicU64::new(1);
        let sound = (1..=RUN_ID_MAX_CHARS).contains(&run_id.len())
            && run_id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        if !sound {
            return Err(StartError::BadRunId { run_id: run_id.into() });
        }
        Ok(format!("{}{run_id}-{}", self.0, GROUPS.fetch_add(1, Ordering::Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_another_home_do_not_match() {
        let ab = GroupPrefix::for_home("ab").unwrap();
        assert!(ab.matches(&ab.fresh_group("r1").unwrap()));
        assert!(!ab.matches(&GroupPrefix::for_home("abc").unwrap().fresh_group("r1").unwrap()));
        assert!(!ab.matches("subcortex-ab"));
    }

    #[test]
    fn names_that_could_leave_their_directory_are_refused() {
        for tag in ["", "a-b", "a/b", "A", "..", &"x".repeat(65)] {
            assert!(GroupPrefix::for_home(tag).is_err(), "{tag}");
        }
        let prefix = GroupPrefix::for_home("ab").unwrap();
        for run_id in ["", "../x", "a b", "a\0b", &"x".repeat(129)] {
            assert!(prefix.fresh_group(run_id).is_err(), "{run_id}");
        }
    }

    #[test]
    fn programs_of_the_same_run_have_groups_of_their_own() {
        let prefix = GroupPrefix::for_home("ab").unwrap();
        assert_ne!(prefix.fresh_group("r1").unwrap(), prefix.fresh_group("r1").unwrap());
    }
}
