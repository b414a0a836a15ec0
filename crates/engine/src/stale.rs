//! ProcessEnding what an earlier daemon left behind when it was killed.

use crate::cgroup::find_groups;
use crate::marks::Marks;
use crate::names::GroupPrefix;
use crate::process::{Process, snapshot};
use crate::registry::active_groups;
use crate::sight::Certainty;
use crate::sweep::{Sighting, Sweep};

/// What [`sweep_stale`] found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StaleSweep {
    /// Cgroups that were removed.
    pub groups_removed: u32,
    /// Processes that were killed.
    pub processes_killed: u32,
    /// Processes that have their SIGKILL and are still there.
    pub still_alive: u32,
}

/// Ends all processes of earlier runs of a home and removes their cgroups. Blocks for some milliseconds.
///
/// For the start of a daemon, after it took the lease of its home: the groups are known by name, so those
/// of another daemon of the same home would be ended too. Runs of this process are left alone.
pub fn sweep_stale(prefix: &GroupPrefix) -> StaleSweep {
    let active = active_groups();
    let is_stale = |name: &str| prefix.matches(name) && !active.iter().any(|group| group.name == name);
    let is_stale_brand =
        |brand| prefix.matches_brand(brand) && !active.iter().any(|group| group.brand == brand);
    let mut sweep = Sweep::default();
    let mut groups_removed = 0;
    for group in find_groups(is_stale) {
        sweep.killed.extend(group.kill().iter().map(|member| member.stamp));
        groups_removed += u32::from(group.remove());
    }
    // What had no cgroup, or left it, still carries the marks.
    let me = std::process::id();
    let is_stale_process = |process: &Process| {
        let Marks { brand, group } = Marks::of(process.stamp.pid);
        let is_marked = brand.is_some_and(is_stale_brand) || group.is_some_and(|name| is_stale(&name));
        is_marked && !process.dead && u32::try_from(process.stamp.pid) != Ok(me)
    };
    sweep.repeat(|| {
        let alive = snapshot().ok()?.into_iter().filter(is_stale_process).collect();
        Some(Sighting { alive, certainty: Certainty::Likely })
    });
    StaleSweep {
        groups_removed,
        processes_killed: u32::try_from(sweep.killed.len()).unwrap_or(u32::MAX),
        still_alive: sweep.still_alive,
    }
}
