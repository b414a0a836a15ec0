//! The runs that are active in this process, and the one place that looks at processes on their behalf.
//!
//! Children are a matter of the whole process: every orphan of every run becomes a child of the same
//! daemon. So there is one registry per process, not one per launcher. Its lock is held while processes are
//! looked at and while children are reaped, never while one is started: that may take long on a sick file
//! system. Instead a run is announced before its root exists, and while one is announced, nothing is
//! concluded about children that nobody recognises.

use std::collections::{HashMap, HashSet};
use std::io;
use std::process::ExitStatus;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, WaitOptions, getpid, waitpid};

use crate::attribution::{ActiveRun, Me, Owner, RunKey, attribute};
use crate::child::Child;
use crate::marks::Marks;
use crate::names::GroupName;
use crate::process::{Process, Stamp};
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

/// Whether orphans of runs become children of this process.
pub(crate) fn adopts_orphans() -> bool {
    getpid().is_init() || matches!(rustix::process::child_subreaper(), Ok(Some(_)))
}

/// The membership of a run in the registry; ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Registration {
    pub(crate) key: RunKey,
}

impl Registration {
    /// Announces a run whose root is about to be started.
    pub(crate) fn announce(group: GroupName) -> Self {
        let mut registry = lock();
        registry.last_key += 1;
        let key = registry.last_key;
        let run = ActiveRun { key, group, root: None, seen: HashSet::new(), sessions: HashSet::new() };
        registry.runs.push(run);
        Self { key }
    }

    /// Makes the root known, which must not be reaped yet, and returns its stamp.
    pub(crate) fn root_started(&self, root: &Child) -> io::Result<Stamp> {
        let stamp = Process::read(root.pid().as_raw_pid())?
            .ok_or_else(|| io::Error::other("/proc does not show the process that was just started"))?
            .stamp;
        let mut registry = lock();
        // Runs that start side by side may come here in another order than they were started in.
        let first_run_ticks = registry.first_run_ticks.unwrap_or(u64::MAX);
        registry.first_run_ticks = Some(first_run_ticks.min(stamp.started_ticks));
        for run in registry.runs.iter_mut().filter(|run| run.key == self.key) {
            run.root = Some(stamp);
        }
        Ok(stamp)
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        lock().runs.retain(|run| run.key != self.key);
    }
}

/// Reaps the root of a run, if it has ended. Not while somebody looks: see `sight`.
pub(crate) fn reap_root(root: &mut Child) -> io::Result<Option<ExitStatus>> {
    let _registry = lock();
    root.try_wait()
}

/// One look at the processes of all runs.
#[derive(Debug)]
pub(crate) struct Look {
    processes: Vec<Process>,
    owners: HashMap<i32, Owner>,
    certainty: Certainty,
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
    let owners = attribute(me, &processes, &registry.runs, &mut Marks::of);
    registry.remember(&processes, &owners);
    registry.reap_adopted(me, &processes, &owners);
    // A start that fails is reaped without this lock.
    let at_most = if registry.is_starting() { Certainty::Likely } else { Certainty::Certain };
    Ok(Look { processes, owners, certainty: certainty.min(at_most) })
}

/// Reaps orphans that have ended. Best effort: every look does it too.
pub(crate) fn reap_adopted() {
    let registry = lock();
    let (Ok(me), Ok(children)) = (registry.me(), own_children()) else { return };
    let children: Vec<Process> =
        children.into_iter().filter_map(|pid| Process::read(pid).ok().flatten()).collect();
    registry.reap_adopted(me, &children, &HashMap::new());
}

/// The groups of the runs that are active here.
pub(crate) fn active_groups() -> Vec<GroupName> {
    lock().runs.iter().map(|run| run.group.clone()).collect()
}

impl Registry {
    fn me(&self) -> io::Result<Me> {
        let pid = getpid().as_raw_pid();
        let me = Process::read(pid)?.ok_or_else(|| io::Error::other("/proc does not show this process"))?;
        Ok(Me {
            pid,
            session: me.session,
            adopts_orphans: adopts_orphans(),
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

    fn is_starting(&self) -> bool {
        self.runs.iter().any(|run| run.root.is_none())
    }

    /// Roots are reaped by their own run. What is in the daemon's session was started by someone else in
    /// this process, who waits for it. While a run is being started, only whom a run with a root owns is surely
    /// no root.
    fn reap_adopted(&self, me: Me, processes: &[Process], owners: &HashMap<i32, Owner>) {
        let has_root = |key| self.runs.iter().any(|run| run.key == key && run.root.is_some());
        let adopted = processes.iter().filter(|process| {
            let owner = owners.get(&process.stamp.pid);
            process.dead
                && me.adopts_orphans
                && process.parent == me.pid
                && process.session != me.session
                && process.stamp.started_ticks >= me.first_run_ticks
                && !self.runs.iter().any(|run| run.root == Some(process.stamp))
                && (!self.is_starting() || matches!(owner, Some(Owner::Run(key)) if has_root(*key)))
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
