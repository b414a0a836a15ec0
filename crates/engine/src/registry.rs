//! The runs that are active in this process, and the one place that looks at processes on their behalf.
//!
//! Children are a matter of the whole process: every orphan of every run becomes a child of the same
//! daemon. So there is one registry per process, not one per launcher. Its lock is held while a root is
//! started and while processes are looked at, so that no look meets a root that is not registered yet.

use std::collections::{HashMap, HashSet};
use std::io;
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, WaitOptions, getpid, waitpid};

use crate::attribution::{ActiveRun, Me, Owner, RunKey, attribute};
use crate::process::{Process, mark_of};
use crate::sight::{Certainty, Sight, own_children, see};
use crate::sweep::Sighting;

static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { runs: Vec::new(), last_key: 0, first_run_ticks: None });

#[derive(Debug)]
struct Registry {
    runs: Vec<ActiveRun>,
    last_key: RunKey,
    first_run_ticks: Option<u64>,
}

/// Makes every descendant that loses its parents a child of this process, so that none gets out of sight.
///
/// The daemon calls it once, before its first run. From then on orphans of runs are ended and reaped
/// here. Children that the process starts by other means are left alone as long as they stay in its
/// session.
pub fn become_subreaper() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(getpid()))?)
}

/// The membership of a run in the registry; ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Registration {
    pub(crate) run: ActiveRun,
}

impl Drop for Registration {
    fn drop(&mut self) {
        lock().runs.retain(|run| run.key != self.run.key);
    }
}

/// Starts the root of a run and registers it, as one step.
pub(crate) fn start(
    mark: &str,
    spawn: impl FnOnce() -> io::Result<Child>,
) -> io::Result<(Child, Registration)> {
    let mut registry = lock();
    let mut child = spawn()?;
    let Some(root) = Process::read(Pid::from_child(&child).as_raw_pid())? else {
        let _ = child.kill();
        let _ = child.wait();
        return Err(io::Error::other("/proc does not show the process that was just started"));
    };
    registry.last_key += 1;
    registry.first_run_ticks.get_or_insert(root.stamp.started_ticks);
    let run = ActiveRun {
        key: registry.last_key,
        mark: mark.to_owned(),
        root: root.stamp,
        seen: HashSet::new(),
        sessions: HashSet::new(),
    };
    registry.runs.push(run.clone());
    Ok((child, Registration { run }))
}

/// One look at the processes of all runs.
#[derive(Debug)]
pub(crate) struct Look {
    processes: Vec<Process>,
    owners: HashMap<i32, Owner>,
    certainty: Certainty,
    /// How many runs were active.
    pub(crate) active_runs: usize,
}

impl Look {
    /// The living processes of a run, and the strays.
    pub(crate) fn of(&self, key: RunKey) -> Sighting {
        self.alive(|owner| owner == Owner::Run(key) || owner == Owner::Stray)
    }

    /// The living processes that ended runs left over.
    pub(crate) fn strays(&self) -> Sighting {
        self.alive(|owner| owner == Owner::Stray)
    }

    fn alive(&self, wanted: impl Fn(Owner) -> bool) -> Sighting {
        let is_wanted =
            |p: &&Process| !p.dead && self.owners.get(&p.stamp.pid).is_some_and(|owner| wanted(*owner));
        let alive = self.processes.iter().filter(is_wanted).copied().collect();
        Sighting { alive, certainty: self.certainty }
    }
}

/// Looks at the processes of all runs, remembers who belongs to which, and reaps orphans that have ended.
pub(crate) fn look() -> io::Result<Look> {
    let mut registry = lock();
    let me = registry.me()?;
    let Sight { processes, certainty } = see(me.adopts_orphans)?;
    let owners = attribute(me, &processes, &registry.runs, &mut mark_of);
    registry.remember(&processes, &owners);
    registry.reap_adopted(me, &processes);
    Ok(Look { processes, owners, certainty, active_runs: registry.runs.len() })
}

/// Reaps orphans that have ended. Best effort: every look does it too.
pub(crate) fn reap_adopted() {
    let registry = lock();
    let (Ok(me), Ok(children)) = (registry.me(), own_children()) else { return };
    let children: Vec<Process> =
        children.into_iter().filter_map(|pid| Process::read(pid).ok().flatten()).collect();
    registry.reap_adopted(me, &children);
}

/// The marks of the runs that are active here.
pub(crate) fn active_marks() -> HashSet<String> {
    lock().runs.iter().map(|run| run.mark.clone()).collect()
}

impl Registry {
    fn me(&self) -> io::Result<Me> {
        let pid = getpid().as_raw_pid();
        let me = Process::read(pid)?.ok_or_else(|| io::Error::other("/proc does not show this process"))?;
        Ok(Me {
            pid,
            session: me.session,
            adopts_orphans: getpid().is_init() || rustix::process::child_subreaper()?.is_some(),
            first_run_ticks: self.first_run_ticks.unwrap_or(u64::MAX),
        })
    }

    fn remember(&mut self, processes: &[Process], owners: &HashMap<i32, Owner>) {
        for run in &mut self.runs {
            let mine = |p: &&Process| owners.get(&p.stamp.pid) == Some(&Owner::Run(run.key));
            run.seen = processes.iter().filter(mine).map(|process| process.stamp).collect();
            run.sessions = processes.iter().filter(mine).map(|process| process.session).collect();
        }
    }

    /// Roots are reaped by their own run. What is in the daemon's session was started by someone else in
    /// this process, who waits for it.
    fn reap_adopted(&self, me: Me, processes: &[Process]) {
        let adopted = processes.iter().filter(|process| {
            process.dead
                && me.adopts_orphans
                && process.parent == me.pid
                && process.session != me.session
                && process.stamp.started_ticks >= me.first_run_ticks
                && !self.runs.iter().any(|run| run.root.pid == process.stamp.pid)
        });
        for process in adopted {
            // It can only be gone already, which is as good.
            let _ = waitpid(Pid::from_raw(process.stamp.pid), WaitOptions::NOHANG);
        }
    }
}

fn lock() -> MutexGuard<'static, Registry> {
    // Every change is a single assignment or push: a panic elsewhere leaves the registry sound.
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}
