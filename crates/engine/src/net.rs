//! The two nets around the processes of one run: its cgroup, where there is one, and the sweep.

use rustix::process::{Pid, Signal, kill_process_group};

use crate::attribution::RunKey;
use crate::cgroup::Group;
use crate::process::{Process, Stamp, signal};
use crate::registry::{Look, adopts_orphans, look};
use crate::sight::Certainty;
use crate::sweep::{Sighting, Sweep};

/// What keeps hold of the processes of one run. The root must stay unreaped for as long as this is used:
/// its pid, still taken, is what names its session and its group.
#[derive(Debug)]
pub(crate) struct Net {
    key: RunKey,
    root: Stamp,
    group: Option<Group>,
}

/// What SIGKILL was needed for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Killed {
    /// Processes other than the root that were killed.
    pub(crate) survivors: u32,
    /// Processes that would not die in time.
    pub(crate) still_alive: u32,
}

impl Net {
    pub(crate) fn new(key: RunKey, root: Stamp, group: Option<Group>) -> Self {
        Self { key, root, group }
    }

    /// Whether a cgroup holds the run.
    pub(crate) fn has_group(&self) -> bool {
        self.group.is_some()
    }

    /// Remembers who belongs to the run, so that they are recognised once they hide.
    pub(crate) fn remember(&self) {
        // A look that fails is made up for by the next one.
        let _ = look();
    }

    /// Whether nothing of the run is alive, as far as the better of the two nets can tell.
    pub(crate) fn is_empty(&self) -> bool {
        match &self.group {
            Some(group) => group.is_empty(),
            None => look().is_ok_and(|look| look.of(self.key).alive.is_empty()),
        }
    }

    /// Asks every process of the run to end.
    pub(crate) fn ask_to_end(&self) {
        // CONT as well: a stopped process acts on TERM only when it goes on.
        let polite = [Signal::TERM, Signal::CONT];
        self.signal_root_group(&polite);
        // Members of the root's group have it already; a second TERM means "at once" to some programs.
        for member in self.members().iter().filter(|member| member.group != self.root.pid) {
            signal(member.stamp, &polite);
        }
    }

    fn signal_root_group(&self, signals: &[Signal]) {
        let Some(group) = Pid::from_raw(self.root.pid) else { return };
        for signal in signals {
            // Nobody left in the group is the only way to fail that matters, and it is fine.
            let _ = kill_process_group(group, *signal);
        }
    }

    fn members(&self) -> Vec<Process> {
        match &self.group {
            Some(group) => group.members(),
            None => look().map(|look| look.of(self.key).alive).unwrap_or_default(),
        }
    }

    /// Kills everything that belongs to the run. Blocks until it is dead, or until the sweep gives up.
    pub(crate) fn kill(&self) -> Killed {
        let mut sweep = Sweep::default();
        if let Some(group) = &self.group {
            sweep.killed.extend(group.kill().iter().map(|member| member.stamp));
        }
        sweep.repeat(|| match look() {
            Ok(look) => Some(self.sighting(&look)),
            Err(_) => {
                // This much works without /proc and without a free file slot.
                self.signal_root_group(&[Signal::KILL]);
                None
            }
        });
        sweep.killed.remove(&self.root);
        Killed {
            survivors: u32::try_from(sweep.killed.len()).unwrap_or(u32::MAX),
            still_alive: sweep.still_alive,
        }
    }

    fn sighting(&self, look: &Look) -> Sighting {
        let mut sighting = look.of(self.key);
        // A cgroup cannot be outrun: behind it, one look is as good as two.
        if self.has_group() && sighting.certainty == Certainty::Likely {
            sighting.certainty = Certainty::Certain;
        }
        // The one process that is known without any evidence.
        let root =
            Process::read(self.root.pid).ok().flatten().filter(|root| root.stamp == self.root && !root.dead);
        sighting.alive.extend(root.filter(|root| !sighting.alive.contains(root)));
        sighting
    }

    /// Removes the cgroup. What is still in it, it keeps, until the next start finds it.
    pub(crate) fn remove_group(&self) {
        if let Some(group) = &self.group {
            group.remove();
        }
    }
}

/// Kills what runs that have ended left over.
pub(crate) fn kill_strays() {
    // Elsewhere nobody can be known for a stray, and looking is not cheap.
    if adopts_orphans() {
        Sweep::default().repeat(|| Some(look().ok()?.strays()));
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn a_root_dies_whether_or_not_anything_else_is_known_of_it() {
        let mut root = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let stamp = Process::read(Pid::from_child(&root).as_raw_pid()).unwrap().unwrap().stamp;
        let killed = Net::new(/*key*/ u64::MAX, stamp, None).kill();
        assert_eq!((killed.survivors, killed.still_alive), (0, 0));
        assert_eq!(root.wait().unwrap().signal(), Some(Signal::KILL.as_raw()));
    }
}
