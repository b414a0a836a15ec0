//! How a process is recognised that has lost its parents and its session: by what it inherited.
//!
//! Two marks pass from a process to all that it starts:
//!
//! - the *brand*, a number in the resource limit for file locks (`RLIMIT_LOCKS`). Linux has kept that limit
//!   without enforcing it since 2.4, so it costs nothing, and a process that clears its environment,
//!   daemonises and runs another program still has it. `hash of the home's prefix (32 bits) << 31 | n`.
//! - the variable `SUBCORTEX_RUN_GROUP` in the environment, for where the limit cannot be set: a daemon whose own
//!   limit is lower already.
//!
//! Neither is proof against a program that removes it on purpose.

use std::fs::{self, File};
use std::io::Read;

use crate::names::{BRAND_NUMBER_BITS, RUN_GROUP_VARIABLE};

/// The largest environment that is searched for the mark; the kernel allows about 2 MiB by default.
const ENVIRON_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The marks of a process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// The brand; absent when the limit is not a brand.
    pub(crate) brand: Option<u64>,
    /// The name of the group in the environment.
    pub(crate) group: Option<String>,
}

impl Marks {
    /// Reads the marks of a process; none if it is gone or not ours to look at.
    pub(crate) fn of(pid: i32) -> Self {
        let limits = fs::read_to_string(format!("/proc/{pid}/limits")).unwrap_or_default();
        Self { brand: find_brand(&limits), group: group_of(pid) }
    }
}

/// Whether a process is part of a run, of whatever home. Of one that is gone, or cannot be looked at, nobody knows: it counts as one.
pub fn is_part_of_a_run(pid: i32) -> bool {
    let Ok(limits) = fs::read_to_string(format!("/proc/{pid}/limits")) else { return true };
    find_brand(&limits).is_some() || group_of(pid).is_some()
}

fn find_brand(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max file locks"))?;
    let hard: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    (hard >> BRAND_NUMBER_BITS != 0).then_some(hard)
}

fn group_of(pid: i32) -> Option<String> {
    find_group(&environment_of(pid)?)
}

/// The environment that a process was started with; `None` if it is gone or not ours to look at.
pub(crate) fn environment_of(pid: i32) -> Option<Vec<u8>> {
    let mut environ = Vec::new();
    let file = File::open(format!("/proc/{pid}/environ")).ok()?;
    file.take(ENVIRON_MAX_BYTES).read_to_end(&mut environ).ok()?;
    Some(environ)
}

fn find_group(environ: &[u8]) -> Option<String> {
    environ.split(|byte| *byte == 0).find_map(|entry| {
        let value = entry.strip_prefix(RUN_GROUP_VARIABLE.as_bytes())?.strip_prefix(b"=")?;
        String::from_utf8(value.to_vec()).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_is_found_only_as_a_variable_of_its_own() {
        assert_eq!(find_group(b"A=1\0SUBCORTEX_RUN_GROUP=g-1\0B=2\0").as_deref(), Some("g-1"));
        assert_eq!(find_group(b"A=SUBCORTEX_RUN_GROUP=g-1\0XSUBCORTEX_RUN_GROUP=g\0"), None);
        assert_eq!(find_group(b""), None);
    }

    #[test]
    fn the_brand_is_the_hard_limit_of_file_locks() {
        let limits = |soft: &str, hard: &str| {
            format!("Limit   Soft Limit   Hard Limit  Units\nMax file locks    {soft}   {hard}   locks\n")
        };
        assert_eq!(find_brand(&limits("0", "8589934593")), Some(8_589_934_593));
        assert_eq!(find_brand(&limits("unlimited", "unlimited")), None);
        assert_eq!(find_brand(&limits("1024", "1024")), None, "a limit that someone set");
        assert_eq!(find_brand(""), None);
    }

    #[test]
    fn a_process_that_is_gone_has_no_marks() {
        assert_eq!(Marks::of(i32::MAX), Marks::default());
    }
}
