//! Which process belongs to which run: a pure function of one look at all processes.
//!
//! The root of a run leads a session of its own. A process can leave that session, but none can enter
//! another one, so whatever is in the daemon's own session was not started by a run. Of the rest, each
//! process goes by the strongest evidence there is:
//!
//! 1. it is in a root's session, as the root itself is, or it was recognised in an earlier look;
//! 2. its parent, or the parent's parent, belongs to a run;
//! 3. the marks that it inherited name a run (see `marks`);
//! 4. it shares a session with a process that was recognised in an earlier look;
//! 5. elimination: it has lost its parents and became a child of the daemon, which did not start it, and
//!    only one active run is old enough to have started it. If none is, it is a [`Owner::Stray`].
//!
//! After each step the children of what was recognised follow (step 2).

use std::collections::{HashMap, HashSet};

use crate::marks::Marks;
use crate::names::GroupName;
use crate::process::{Process, Stamp};

/// The key of a run within this process.
pub(crate) type RunKey = u64;

/// What is known about a run that is active.
#[derive(Debug, Clone)]
pub(crate) struct ActiveRun {
    pub(crate) key: RunKey,
    pub(crate) group: GroupName,
    /// Absent while it is being started.
    pub(crate) root: Option<Stamp>,
    /// Recognised in the last look.
    pub(crate) seen: HashSet<Stamp>,
    /// The sessions of those.
    pub(crate) sessions: HashSet<i32>,
}

/// Who is responsible for a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    /// A run that is active.
    Run(RunKey),
    /// Left over by a run that has ended; whoever sees it may end it.
    Stray,
}

/// The process that looks: the daemon.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Me {
    pub(crate) pid: i32,
    pub(crate) session: i32,
    /// Whether processes that lose their parents become its children.
    pub(crate) adopts_orphans: bool,
    /// When its first run began; nothing older can be part of any run.
    pub(crate) first_run_ticks: u64,
}

/// Finds the owner of every process that has one.
pub(crate) fn attribute(
    me: Me,
    processes: &[Process],
    runs: &[ActiveRun],
    marks_of: &mut dyn FnMut(i32) -> Marks,
) -> HashMap<i32, Owner> {
    let by_pid = processes.iter().map(|process| (process.stamp.pid, process)).collect();
    let mut work = Work { me, runs, by_pid, owners: HashMap::new() };
    work.decide(|work, process| work.by_root_or_record(process));
    work.decide(|_, process| {
        let marks = marks_of(process.stamp.pid);
        find_run(runs, |run| {
            marks.brand == Some(run.group.brand) || marks.group.as_ref() == Some(&run.group.name)
        })
    });
    work.decide(|_, process| find_run(runs, |run| run.sessions.contains(&process.session)));
    work.decide(|work, process| work.by_elimination(process));
    work.owners
}

struct Work<'a> {
    me: Me,
    runs: &'a [ActiveRun],
    by_pid: HashMap<i32, &'a Process>,
    owners: HashMap<i32, Owner>,
}

impl<'a> Work<'a> {
    /// Applies one kind of evidence to all that are still undecided, then lets their children follow.
    fn decide(&mut self, mut evidence: impl FnMut(&Self, &Process) -> Option<Owner>) {
        for process in self.undecided() {
            if let Some(owner) = evidence(self, process) {
                self.owners.insert(process.stamp.pid, owner);
            }
        }
        for process in self.undecided() {
            let inherited = self.ancestors(process).find_map(|pid| self.owners.get(&pid).copied());
            if let Some(owner) = inherited {
                self.owners.insert(process.stamp.pid, owner);
            }
        }
    }

    fn undecided(&self) -> Vec<&'a Process> {
        let open = |process: &&&Process| {
            !self.owners.contains_key(&process.stamp.pid) && self.could_be_of_a_run(process)
        };
        self.by_pid.values().filter(open).copied().collect()
    }

    fn could_be_of_a_run(&self, process: &Process) -> bool {
        process.stamp.pid != self.me.pid
            && process.session != self.me.session
            && process.stamp.started_ticks >= self.me.first_run_ticks
            && (!self.me.adopts_orphans || self.is_below_me(process))
    }

    fn is_below_me(&self, process: &Process) -> bool {
        process.parent == self.me.pid
            || self
                .ancestors(process)
                .any(|pid| self.by_pid.get(&pid).is_some_and(|p| p.parent == self.me.pid))
    }

    /// The parent, its parent, and so on, up to but without the daemon.
    fn ancestors(&self, process: &Process) -> impl Iterator<Item = i32> {
        let mut pid = process.parent;
        // A snapshot is not taken at one instant, so a chain could in theory be a ring.
        let mut steps_left = self.by_pid.len();
        std::iter::from_fn(move || {
            let here = self.by_pid.get(&pid).filter(|_| pid != self.me.pid && steps_left > 0)?;
            steps_left -= 1;
            pid = here.parent;
            Some(here.stamp.pid)
        })
    }

    fn by_root_or_record(&self, process: &Process) -> Option<Owner> {
        find_run(self.runs, |run| {
            let in_session = |root: Stamp| {
                process.session == root.pid && process.stamp.started_ticks >= root.started_ticks
            };
            run.root.is_some_and(in_session) || run.seen.contains(&process.stamp)
        })
    }

    fn by_elimination(&self, process: &Process) -> Option<Owner> {
        if process.parent != self.me.pid || !self.me.adopts_orphans {
            return None;
        }
        let mut old_enough = Vec::new();
        for run in self.runs {
            // It may be the root of a run that is just being started.
            let root = run.root?;
            if root.started_ticks <= process.stamp.started_ticks {
                old_enough.push(run.key);
            }
        }
        match old_enough.as_slice() {
            [] => Some(Owner::Stray),
            [only] => Some(Owner::Run(*only)),
            _ => None,
        }
    }
}

fn find_run(runs: &[ActiveRun], mut fits: impl FnMut(&ActiveRun) -> bool) -> Option<Owner> {
    runs.iter().find(|run| fits(run)).map(|run| Owner::Run(run.key))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAEMON: i32 = 100;

    fn process(pid: i32, parent: i32, session: i32, started_ticks: u64) -> Process {
        Process { stamp: Stamp { pid, started_ticks }, parent, group: session, session, dead: false }
    }

    fn run(key: RunKey, root: i32, started_ticks: u64) -> ActiveRun {
        ActiveRun {
            key,
            group: GroupName { name: format!("mark-{key}"), brand: 70_000_000_000 + key },
            root: Some(Stamp { pid: root, started_ticks }),
            seen: HashSet::new(),
            sessions: HashSet::new(),
        }
    }

    /// Two runs: 1 with root 200 since tick 50, and 2 with root 300 since tick 60.
    fn two_runs() -> Vec<ActiveRun> {
        vec![run(1, 200, 50), run(2, 300, 60)]
    }

    /// Adds one process to a daemon with these runs and says who owns it.
    #[track_caller]
    fn check(runs: &[ActiveRun], extra: &[Process], marks: &[(i32, &str)], expect: &str) {
        let mut processes = vec![process(DAEMON, 1, DAEMON, 10)];
        let roots = runs.iter().filter_map(|run| run.root);
        processes.extend(roots.map(|root| process(root.pid, DAEMON, root.pid, root.started_ticks)));
        processes.extend(extra);
        let me = Me { pid: DAEMON, session: DAEMON, adopts_orphans: true, first_run_ticks: 50 };
        let mut marks_of = |pid| {
            let mark = marks.iter().find(|(p, _)| *p == pid).map(|(_, mark)| *mark);
            Marks { brand: mark.and_then(|mark| mark.parse().ok()), group: mark.map(str::to_owned) }
        };
        let owners = attribute(me, &processes, runs, &mut marks_of);
        let shown: Vec<String> =
            extra.iter().map(|p| format!("{}={:?}", p.stamp.pid, owners.get(&p.stamp.pid))).collect();
        assert_eq!(shown.join(" "), expect);
    }

    #[test]
    fn a_child_belongs_to_the_run_of_its_parents() {
        check(
            &two_runs(),
            &[process(210, 200, 210, 70), process(211, 210, 211, 71)],
            &[],
            "210=Some(Run(1)) 211=Some(Run(1))",
        );
    }

    #[test]
    fn an_orphan_that_stayed_in_the_session_belongs_to_its_root() {
        check(&two_runs(), &[process(310, DAEMON, 300, 70)], &[], "310=Some(Run(2))");
    }

    #[test]
    fn an_orphan_in_a_session_of_its_own_goes_by_its_mark() {
        let orphan = process(310, DAEMON, 310, 70);
        check(&two_runs(), &[orphan], &[(310, "mark-2")], "310=Some(Run(2))");
        check(&two_runs(), &[orphan], &[(310, "70000000001")], "310=Some(Run(1))");
    }

    #[test]
    fn parents_weigh_more_than_a_forged_mark() {
        check(&two_runs(), &[process(210, 200, 210, 70)], &[(210, "mark-2")], "210=Some(Run(1))");
    }

    #[test]
    fn an_orphan_that_was_seen_before_is_recognised_without_a_mark() {
        let mut runs = two_runs();
        runs[1].seen.insert(Stamp { pid: 310, started_ticks: 70 });
        let orphan = process(310, DAEMON, 310, 70);
        check(&runs, &[orphan, process(311, 310, 311, 71)], &[], "310=Some(Run(2)) 311=Some(Run(2))");
        let successor_of_the_pid = process(310, DAEMON, 310, 71);
        check(&runs, &[successor_of_the_pid], &[], "310=None");
    }

    #[test]
    fn an_orphan_shares_the_run_of_the_session_it_was_born_in() {
        let mut runs = two_runs();
        runs[0].sessions.insert(210);
        check(&runs, &[process(212, DAEMON, 210, 80)], &[], "212=Some(Run(1))");
    }

    #[test]
    fn elimination_decides_only_when_one_run_is_old_enough() {
        let faceless = process(400, DAEMON, 400, 55);
        check(&two_runs(), &[faceless], &[], "400=Some(Run(1))");
        check(&two_runs(), &[process(400, DAEMON, 400, 60)], &[], "400=None");
        check(&two_runs()[1..], &[process(400, DAEMON, 400, 60)], &[], "400=Some(Run(2))");
    }

    #[test]
    fn nothing_is_concluded_while_a_root_is_being_started() {
        let starting = [ActiveRun { root: None, ..run(3, 0, 0) }];
        check(&starting, &[process(400, DAEMON, 400, 55)], &[], "400=None");
        check(&starting, &[process(400, DAEMON, 400, 55)], &[(400, "70000000003")], "400=Some(Run(3))");
    }

    #[test]
    fn an_orphan_that_no_active_run_can_have_started_is_a_stray() {
        check(&two_runs()[1..], &[process(400, DAEMON, 400, 55)], &[], "400=Some(Stray)");
        check(
            &[],
            &[process(400, DAEMON, 400, 55), process(401, 400, 401, 56)],
            &[],
            "400=Some(Stray) 401=Some(Stray)",
        );
    }

    #[test]
    fn what_the_daemon_itself_started_is_nobodys() {
        check(
            &two_runs()[..1],
            &[process(150, DAEMON, DAEMON, 70), process(151, 150, DAEMON, 70)],
            &[],
            "150=None 151=None",
        );
    }

    #[test]
    fn what_is_older_than_the_first_run_or_not_below_the_daemon_is_nobodys() {
        let older = process(90, DAEMON, 90, 49);
        let elsewhere = process(500, 1, 500, 70);
        check(&two_runs()[..1], &[older, elsewhere], &[(500, "mark-1")], "90=None 500=None");
    }

    #[test]
    fn a_ring_of_parents_ends() {
        check(
            &two_runs(),
            &[process(401, 402, 401, 70), process(402, 401, 402, 70)],
            &[],
            "401=None 402=None",
        );
    }
}
