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

/// How many bits of a brand count the groups; the rest names the home.
pub(crate) const BRAND_NUMBER_BITS: u32 = 31;

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

    /// Whether a brand belongs to the home.
    pub(crate) fn matches_brand(&self, brand: u64) -> bool {
        brand >> BRAND_NUMBER_BITS == self.hash()
    }

    /// A name that no group of this process had before.
    pub(crate) fn fresh_group(&self, run_id: &str) -> Result<GroupName, StartError> {
        static GROUPS: AtomicU64 = AtomicU64::new(1);
        let sound = (1..=RUN_ID_MAX_CHARS).contains(&run_id.len())
            && run_id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
        if !sound {
            return Err(StartError::BadRunId { run_id: run_id.into() });
        }
        let number = GROUPS.fetch_add(1, Ordering::Relaxed);
        let brand = self.hash() << BRAND_NUMBER_BITS | number & ((1 << BRAND_NUMBER_BITS) - 1);
        Ok(GroupName { name: format!("{}{run_id}-{number}", self.0), brand })
    }

    /// FNV-1a in 32 bits, never 0. It is part of what a daemon leaves to its successor, so it must not change.
    fn hash(&self) -> u64 {
        let hash = self
            .0
            .bytes()
            .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        u64::from(hash.max(1))
    }
}

/// The name of one group, as a text and as a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GroupName {
    pub(crate) name: String,
    pub(crate) brand: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_another_home_do_not_match() {
        let ab = GroupPrefix::for_home("ab").unwrap();
        assert!(ab.matches(&ab.fresh_group("r1").unwrap().name));
        assert!(!ab.matches(&GroupPrefix::for_home("abc").unwrap().fresh_group("r1").unwrap().name));
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
    fn a_brand_names_its_home_and_its_group() {
        let (ab, cd) = (GroupPrefix::for_home("ab").unwrap(), GroupPrefix::for_home("cd").unwrap());
        let (first, second) = (ab.fresh_group("r1").unwrap().brand, ab.fresh_group("r1").unwrap().brand);
        assert_ne!(first, second);
        assert!(ab.matches_brand(first) && ab.matches_brand(second) && !cd.matches_brand(first));
        assert!(!ab.matches_brand(u64::MAX) && !ab.matches_brand(0));
        assert_eq!(ab.hash(), 0x7829_bbc3, "what earlier daemons left must be found");
    }

    #[test]
    fn programs_of_the_same_run_have_groups_of_their_own() {
        let prefix = GroupPrefix::for_home("ab").unwrap();
        assert_ne!(prefix.fresh_group("r1").unwrap(), prefix.fresh_group("r1").unwrap());
    }
}
