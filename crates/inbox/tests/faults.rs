//! Every fault at every call, and a power cut after it: a task is there or acked, never lost, never half.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::Path;

use subcortex_cadence::RunTask;
use subcortex_inbox::{Acked, Listing, ack, ack_all, drop_task, list};
use subcortex_store::{CrashDisk, Disk, Fault, FaultKind, FaultyDisk, Then};

const INBOX: &str = "/home/x/inbox";
const OTHER: &str = "/home/x/other";
const NAME: &str = "a.md";
const BODY: &[u8] = b"one piece of work, long enough to be cut in half";
/// How many ways of losing power are tried after each fault.
const CUTS: u64 = 12;

fn inbox() -> &'static Path {
    Path::new(INBOX)
}

/// An inbox that holds one task, for good.
fn holding_the_task() -> (CrashDisk, RunTask) {
    let disk = CrashDisk::new(inbox());
    disk.make_dir(Path::new(OTHER)).unwrap();
    disk.sync_dir(Path::new("/home/x")).unwrap();
    drop_task(&disk, inbox(), NAME, BODY).unwrap();
    let task = listed(&disk, inbox()).tasks[0].taken();
    (disk, task)
}

fn listed(disk: &dyn Disk, dir: &Path) -> Listing {
    let listing = list(disk, dir, 10).unwrap();
    assert!(listing.refused.is_empty() && listing.total == listing.tasks.len());
    listing
}

/// Whether the task is there; half a task is a failed test.
#[track_caller]
fn is_there(disk: &dyn Disk, dir: &Path, story: &str) -> bool {
    let tasks = listed(disk, dir).tasks;
    for task in &tasks {
        assert_eq!(task.key, subcortex_inbox::task_key(NAME, BODY), "half a task: {story}");
    }
    assert!(tasks.len() <= 1, "{story}");
    !tasks.is_empty()
}

/// Runs an operation with every kind of fault at its first call, its second call, and so on until it ends
/// before the fault. Returns how many faults there were.
fn for_every_fault(mut run: impl FnMut(Fault) -> FaultyDisk) -> usize {
    let mut hits = 0;
    for kind in FaultKind::ALL {
        for then in Then::ALL {
            for at_call in 1.. {
                let disk = run(Fault { at_call, kind, then });
                hits += usize::from(disk.was_hit());
                if !disk.was_reached() {
                    break;
                }
            }
        }
    }
    hits
}

#[test]
fn a_drop_leaves_a_whole_task_or_none_whichever_call_fails() {
    let hits = for_every_fault(|fault| {
        let below = CrashDisk::new(inbox());
        let disk = FaultyDisk::new(below.clone(), fault);
        let dropped = drop_task(&disk, inbox(), NAME, BODY);
        let story = format!("{fault:?} {dropped:?}\n{}", disk.log().join("\n"));
        if dropped.is_ok() {
            assert!(is_there(&below, inbox(), &story), "{story}");
        }
        for seed in 0..CUTS {
            let there = is_there(&below.power_cut(seed), inbox(), &story);
            assert!(there || dropped.is_err(), "a drop that was acknowledged is lost: {story}");
        }
        disk
    });
    assert!(hits > 40, "{hits}");
}

#[test]
fn a_failed_drop_can_simply_be_repeated() {
    for_every_fault(|fault| {
        let below = CrashDisk::new(inbox());
        let disk = FaultyDisk::new(below.clone(), fault);
        if drop_task(&disk, inbox(), NAME, BODY).is_err() {
            let again = drop_task(&below, inbox(), NAME, BODY);
            assert!(again.is_ok() || again.is_err_and(|error| error.is_taken()), "{}", disk.log().join("\n"));
        }
        assert!(is_there(&below, inbox(), "after the second try"));
        disk
    });
}

#[test]
fn an_ack_leaves_the_whole_task_or_nothing_whichever_call_fails() {
    let hits = for_every_fault(|fault| {
        let (below, task) = holding_the_task();
        let disk = FaultyDisk::new(below.clone(), fault);
        let acked = ack(&disk, inbox(), &task);
        let story = format!("{fault:?} {acked:?}\n{}", disk.log().join("\n"));
        is_there(&below, inbox(), &story);
        for seed in 0..CUTS {
            let after = below.power_cut(seed);
            let there = is_there(&after, inbox(), &story);
            assert!(!there || acked.is_err(), "an ack that was acknowledged came undone: {story}");
            let again = ack(&after, inbox(), &task).unwrap();
            assert_eq!(again, if there { Acked::Removed } else { Acked::Gone }, "{story}");
            assert!(!is_there(&after.power_cut(seed), inbox(), &story));
        }
        disk
    });
    assert!(hits > 40, "{hits}");
}

#[test]
fn acks_of_several_tasks_are_all_durable_when_they_return_and_leave_whole_tasks_when_they_fail() {
    let hits = for_every_fault(|fault| {
        let below = CrashDisk::new(inbox());
        for name in ["a.md", "b.md", "c.md"] {
            drop_task(&below, inbox(), name, BODY).unwrap();
        }
        let tasks: Vec<RunTask> = listed(&below, inbox()).tasks.iter().map(|task| task.taken()).collect();
        let disk = FaultyDisk::new(below.clone(), fault);
        let acked = ack_all(&disk, inbox(), &tasks.iter().collect::<Vec<_>>());
        let story = format!("{fault:?} {acked:?}\n{}", disk.log().join("\n"));
        for seed in 0..CUTS {
            let after = listed(&below.power_cut(seed), inbox());
            assert!(after.total == 0 || acked.is_err(), "an ack that was acknowledged came undone: {story}");
            assert!(after.tasks.iter().all(|task| task.size_bytes == BODY.len() as u64), "{story}");
        }
        disk
    });
    assert!(hits > 40, "{hits}");
}

#[test]
fn an_ack_that_is_repeated_makes_an_earlier_removal_durable() {
    let (disk, task) = holding_the_task();
    disk.remove(&inbox().join(NAME)).unwrap(); // As by a daemon that died before it could sync.
    assert_eq!(ack(&disk, inbox(), &task).unwrap(), Acked::Gone);
    assert!((0..100).all(|seed| !is_there(&disk.power_cut(seed), inbox(), "after the sync")));
}

#[test]
fn a_new_task_that_appears_at_any_call_of_an_ack_before_the_last_look_stays() {
    let (quiet, task) = holding_the_task();
    let counting = FaultyDisk::counting(quiet);
    ack(&counting, inbox(), &task).unwrap();
    let removal = counting.log().iter().position(|call| call.contains(" remove ")).unwrap() as u64 + 1;
    // The call before the removal is the last look.
    for at_call in 1..removal {
        let (below, task) = holding_the_task();
        let person = below.clone();
        let disk = FaultyDisk::interrupted(below.clone(), at_call, move || {
            person.remove(&inbox().join(NAME)).unwrap();
            drop_task(&person, inbox(), NAME, b"new").unwrap();
        });
        assert_eq!(ack(&disk, inbox(), &task).unwrap(), Acked::Replaced, "{}", disk.log().join("\n"));
        assert_eq!(listed(&below, inbox()).tasks[0].size_bytes, 3);
    }
}
