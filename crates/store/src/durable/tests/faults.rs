//! Every fault at every call of every helper: the state before or the state after, and the error says which.

use super::Folder;
use crate::durable::{self, AppendError, Poison, ReadError, SyncError, WriteError};
use crate::faulty::{Fault, FaultKind, FaultyDisk, Then, is_crash};
use crate::{Disk, Holder, HomeLock, OpenMode, RealDisk};

/// What a helper says about what it did.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Says {
    Done,
    /// It failed, and nothing was changed.
    Unchanged,
    /// It failed, and was done all the same (or in part, where that is allowed).
    DoneButUnsafe,
}

impl Says {
    fn of<T>(outcome: &Result<T, WriteError>) -> Says {
        match outcome {
            Ok(_) => Says::Done,
            Err(WriteError::NotDurable { .. } | WriteError::Displaced { .. }) => Says::DoneButUnsafe,
            Err(_) => Says::Unchanged,
        }
    }
}

/// One case of a loop.
struct Case {
    fault: Fault,
    disk: FaultyDisk,
    folder: Folder,
}

impl Case {
    /// For messages: the fault, and the calls that were made.
    fn story(&self) -> String {
        format!("{:?}\n{}", self.fault, self.disk.log().join("\n"))
    }

    fn has_crashed(&self) -> bool {
        self.fault.kind == FaultKind::Crash && self.disk.was_hit()
    }
}

/// Runs an operation with every kind of fault at its first call, its second call, and so on until it ends
/// before the fault. The judge looks at each outcome. Returns how many cases were hit.
fn for_every_fault(start: impl Fn() -> Folder, mut run_and_judge: impl FnMut(&Case)) -> usize {
    let mut hits = 0;
    for kind in FaultKind::ALL {
        for then in Then::ALL {
            for at_call in 1.. {
                let fault = Fault { at_call, kind, then };
                let case = Case { fault, disk: FaultyDisk::new(RealDisk, fault), folder: start() };
                run_and_judge(&case);
                hits += usize::from(case.disk.was_hit());
                if !case.disk.was_reached() {
                    break;
                }
            }
        }
    }
    hits
}

/// The loop for an operation on whole files: `before` and `after` are the only states that may be seen.
#[track_caller]
fn check(
    files: &[(&str, &str)],
    act: impl Fn(&dyn Disk, &Folder) -> Result<(), WriteError>,
    before: &str,
    after: &str,
) {
    let hits = for_every_fault(
        || Folder::with(files),
        |case| {
            let outcome = act(&case.disk, &case.folder);
            let seen = case.folder.look();
            let without_temporary = seen.replace("TEMPORARY", "").trim().to_owned();
            let expect = match Says::of(&outcome) {
                Says::Done | Says::DoneButUnsafe => after,
                Says::Unchanged => before,
            };
            assert_eq!(without_temporary, expect, "{outcome:?}\n{}", case.story());

            // Whoever lives and can remove leaves nothing behind; the others leave what the sweep finds.
            if case.fault.then == Then::Once && !case.has_crashed() {
                assert!(!seen.contains("TEMPORARY") || remove_failed(case), "{}", case.story());
            }
            durable::sweep_temporaries(&RealDisk, case.folder.0.path()).unwrap();
            durable::finish_replacements(&RealDisk, case.folder.0.path()).unwrap();
            assert_eq!(case.folder.look(), expect, "{}", case.story());

            // And the way is free: the same again, on a disk in order.
            if Says::of(&outcome) == Says::Unchanged {
                act(&RealDisk, &case.folder).unwrap_or_else(|error| panic!("{error}\n{}", case.story()));
                assert_eq!(case.folder.look(), after, "{}", case.story());
            }
        },
    );
    assert!(hits > 0, "no fault ever hit");
}

fn remove_failed(case: &Case) -> bool {
    case.disk.log().iter().any(|call| call.contains(" remove ") && call.contains("error"))
}

#[test]
fn replace_leaves_the_old_content_or_the_new() {
    check(
        &[("f", "old")],
        |disk, folder| durable::replace(disk, &folder.at("f"), b"new!"),
        "f=old",
        "f=new!",
    );
    check(&[], |disk, folder| durable::replace(disk, &folder.at("f"), b"new!"), "", "f=new!");
    check(&[("f", "old")], |disk, folder| durable::replace(disk, &folder.at("f"), b""), "f=old", "f=");
}

#[test]
fn create_new_makes_the_whole_file_or_none() {
    check(&[], |disk, folder| durable::create_new(disk, &folder.at("f"), b"new!"), "", "f=new!");
}

#[test]
fn create_new_never_touches_what_is_there() {
    for_every_fault(
        || Folder::with(&[("f", "old")]),
        |case| {
            let outcome = durable::create_new(&case.disk, &case.folder.at("f"), b"new");
            assert!(outcome.is_err());
            assert_eq!(case.folder.look().replace(" TEMPORARY", "").replace("TEMPORARY ", ""), "f=old");
        },
    );
}

#[test]
fn replace_if_unchanged_leaves_the_old_content_or_the_new() {
    check(
        &[("f", "old")],
        |disk, folder| durable::replace_if_unchanged(disk, &folder.at("f"), Some(b"old"), b"new!"),
        "f=old",
        "f=new!",
    );
    check(
        &[],
        |disk, folder| durable::replace_if_unchanged(disk, &folder.at("f"), None, b"new!"),
        "",
        "f=new!",
    );
}

#[test]
fn an_edit_by_somebody_else_survives_every_fault() {
    let cases: [(Option<&[u8]>, &str); 4] =
        [(Some(b"read"), "edited"), (Some(b"read"), "rea"), (Some(b"read"), "reap"), (None, "")];
    for (expected, edited) in cases {
        for_every_fault(
            || Folder::with(&[("f", edited)]),
            |case| {
                let outcome =
                    durable::replace_if_unchanged(&case.disk, &case.folder.at("f"), expected, b"new");
                let is_conflict = matches!(outcome, Err(WriteError::Conflict { .. }));
                assert!(
                    is_conflict || (outcome.is_err() && case.disk.was_hit()),
                    "{outcome:?}\n{}",
                    case.story()
                );
                durable::sweep_temporaries(&RealDisk, case.folder.0.path()).unwrap();
                durable::finish_replacements(&RealDisk, case.folder.0.path()).unwrap();
                assert_eq!(case.folder.look(), format!("f={edited}"), "{}", case.story());
            },
        );
    }
}

#[test]
fn a_claimed_file_is_here_or_there() {
    let dirs = |folder: &Folder| {
        for name in ["in", "out"] {
            RealDisk.make_dir(&folder.at(name)).unwrap();
        }
        if !folder.at("in/t").exists() && !folder.at("out/t").exists() {
            std::fs::write(folder.at("in/t"), "task").unwrap();
        }
    };
    let hits = for_every_fault(
        || {
            let folder = Folder::new();
            dirs(&folder);
            folder
        },
        |case| {
            let outcome = durable::claim(&case.disk, &case.folder.at("in/t"), &case.folder.at("out/t"));
            let expect = match Says::of(&outcome) {
                Says::Done | Says::DoneButUnsafe => "in/ out/ out/t=task",
                Says::Unchanged => "in/ in/t=task out/",
            };
            assert_eq!(case.folder.look(), expect, "{}", case.story());
        },
    );
    assert!(hits > 0);
}

#[test]
fn a_removed_file_is_there_or_gone() {
    check(
        &[("f", "old"), ("g", "other")],
        |disk, folder| durable::remove(disk, &folder.at("f")).map(|_| ()),
        "f=old g=other",
        "g=other",
    );
}

#[test]
fn a_file_removed_if_unchanged_is_there_or_gone() {
    check(
        &[("f", "old"), ("g", "other")],
        |disk, folder| durable::remove_if_unchanged(disk, &folder.at("f"), b"old").map(|_| ()),
        "f=old g=other",
        "g=other",
    );
}

#[test]
fn directories_are_made_from_the_root_down_and_can_be_finished_later() {
    let hits = for_every_fault(Folder::new, |case| {
        let make = |disk: &dyn Disk| durable::make_dirs(disk, case.folder.0.path(), "a/b/c".as_ref());
        let outcome = make(&case.disk);
        let states = ["", "a/", "a/ a/b/", "a/ a/b/ a/b/c/"];
        let seen = case.folder.look();
        assert!(states.contains(&seen.as_str()), "{seen}\n{}", case.story());
        if outcome.is_ok() {
            assert_eq!(seen, states[3]);
        }
        make(&RealDisk).unwrap();
        assert_eq!(case.folder.look(), states[3]);
    });
    assert!(hits > 0);
}

#[test]
fn an_append_is_whole_or_rolled_back_or_reported_as_torn() {
    const OLD: &str = "one\n";
    const RECORD: &str = "two and more\n";
    let mut seen_torn = 0;
    let hits = for_every_fault(
        || Folder::with(&[("log", OLD)]),
        |case| {
            let path = case.folder.at("log");
            let Ok(file) = case.disk.open(&path, OpenMode::Append) else { return };
            let outcome = durable::append(&*file, OLD.len() as u64, RECORD.as_bytes());
            let held = std::fs::read_to_string(&path).unwrap();
            match outcome {
                Ok(()) => assert_eq!(held, format!("{OLD}{RECORD}"), "{}", case.story()),
                Err(AppendError::RolledBack { .. }) => assert_eq!(held, OLD, "{}", case.story()),
                Err(error @ AppendError::Torn { .. }) => {
                    seen_torn += 1;
                    assert!(error.is_torn());
                    let is_prefix = format!("{OLD}{RECORD}").starts_with(&held) && held.len() >= OLD.len();
                    assert!(is_prefix, "{held:?}\n{}", case.story());
                }
            }
            let writes = case.disk.log().iter().filter(|call| call.contains(" write ")).count();
            assert!(writes <= 1, "one write a record:\n{}", case.story());
        },
    );
    assert!(hits > 0 && seen_torn > 0);
}

#[test]
fn a_rollback_never_cuts_what_somebody_else_wrote() {
    let folder = Folder::with(&[("log", "one\nforeign, and longer than the record\n")]);
    let fault = Fault { at_call: 2, kind: FaultKind::ShortWrite, then: Then::Once };
    let disk = FaultyDisk::new(RealDisk, fault);
    let file = disk.open(&folder.at("log"), OpenMode::Append).unwrap();
    let error = durable::append(&*file, 4, b"two\n").unwrap_err();
    assert!(error.is_torn());
    assert!(error.to_string().contains("without its lock"), "{error}");
    assert_eq!(folder.look(), "log=one\nforeign, and longer than the record\ntw");
}

#[test]
fn a_failed_sync_is_never_tried_again() {
    for kind in FaultKind::ALL {
        if kind == FaultKind::ShortWrite {
            continue; // does not hit a sync
        }
        let folder = Folder::with(&[("log", "")]);
        let disk = FaultyDisk::new(RealDisk, Fault { at_call: 2, kind, then: Then::Once });
        let file = disk.open(&folder.at("log"), OpenMode::Append).unwrap();
        let poison = Poison::default();
        assert_eq!(poison.first_failure(), None);
        let first = poison.sync(&*file).unwrap_err();
        assert!(matches!(first, SyncError::Failed { .. }));
        for _ in 0..3 {
            let again = poison.sync(&*file).unwrap_err();
            assert!(matches!(&again, SyncError::Poisoned { first: told, .. } if *told == first.to_string()));
        }
        assert!(matches!(poison.sync_dir(&disk, folder.0.path()), Err(SyncError::Poisoned { .. })));
        assert_eq!(disk.call_count(), 2, "{}", disk.log().join("\n"));
        assert_eq!(poison.first_failure(), Some(first.to_string()));
    }
}

#[test]
fn a_sync_that_works_poisons_nothing() {
    let folder = Folder::with(&[("log", "")]);
    let disk = FaultyDisk::counting(RealDisk);
    let file = disk.open(&folder.at("log"), OpenMode::Append).unwrap();
    let poison = Poison::default();
    poison.sync(&*file).unwrap();
    poison.sync(&*file).unwrap();
    poison.sync_dir(&disk, folder.0.path()).unwrap();
    assert_eq!(disk.call_count(), 4);
}

#[test]
fn reading_gives_everything_or_an_error() {
    let hits = for_every_fault(
        || Folder::with(&[("f", "content")]),
        |case| match durable::read(&case.disk, &case.folder.at("f"), 7) {
            Ok(bytes) => assert_eq!(bytes, b"content"),
            Err(error) => {
                assert!(matches!(error, ReadError::Io { .. }), "{error:?}");
                assert!(case.disk.was_hit());
            }
        },
    );
    assert!(hits > 0);
}

#[test]
fn sweeping_under_faults_removes_leftovers_only() {
    let dead = ".f.999999999.1.tmp"; // above every possible pid
    let alive = format!(".f.{}.1.tmp", std::os::unix::process::parent_id());
    for_every_fault(
        || Folder::with(&[("f", "kept"), (dead, "half"), (&alive, "being written"), (".mine.tmp", "kept")]),
        |case| {
            let outcome = durable::sweep_temporaries(&case.disk, case.folder.0.path());
            if let Ok(removed) = &outcome {
                let expect = if case.folder.at(dead).exists() { vec![] } else { vec![case.folder.at(dead)] };
                assert_eq!(*removed, expect);
                assert!(case.disk.was_hit() || !removed.is_empty());
            }
            for name in ["f", &alive, ".mine.tmp"] {
                assert!(case.folder.at(name).exists(), "{name}\n{}", case.story());
            }
        },
    );
}

#[test]
fn a_home_lock_is_held_or_not_whatever_fails() {
    let hits = for_every_fault(Folder::new, |case| {
        let path = case.folder.at("home.lock");
        let outcome = HomeLock::acquire(&case.disk, &path, Holder::this_process("now", "test"));
        let found = HomeLock::peek(&RealDisk, &path).unwrap();
        assert_eq!(outcome.is_ok(), found.is_some(), "{outcome:?}\n{}", case.story());
        drop(outcome);
        assert_eq!(HomeLock::peek(&RealDisk, &path).unwrap(), None, "{}", case.story());
        HomeLock::acquire(&RealDisk, &path, Holder::this_process("later", "test")).unwrap();
    });
    assert!(hits > 0);
}

#[test]
fn a_crash_is_told_from_every_other_failure() {
    let folder = Folder::new();
    let crash = Fault { at_call: 3, kind: FaultKind::Crash, then: Then::Once };
    let disk = FaultyDisk::new(RealDisk, crash);
    let error = durable::replace(&disk, &folder.at("f"), b"x").unwrap_err();
    assert!(is_crash(error.io().unwrap()));
    assert_eq!(folder.look(), "TEMPORARY");
}

#[test]
fn of_many_new_files_each_is_whole_or_missing_and_what_was_there_stays() {
    for count in [3, 20] {
        let hits = for_every_fault(
            || Folder::with(&[("f1", "old")]),
            |case| {
                let files: Vec<_> = (0..count)
                    .map(|number| (case.folder.at(&format!("f{number}")), b"new".to_vec()))
                    .collect();
                let outcome = durable::create_many_new(&case.disk, &files);
                for (number, (path, _)) in files.iter().enumerate() {
                    let found = std::fs::read_to_string(path).ok();
                    let expect = if number == 1 { "old" } else { "new" };
                    let missing_is_fine = outcome.is_err() && number != 1;
                    assert!(
                        found.as_deref() == Some(expect) || (found.is_none() && missing_is_fine),
                        "f{number}: {found:?} {outcome:?}\n{}",
                        case.story()
                    );
                }
                if let Ok(made) = outcome {
                    assert_eq!(made.iter().filter(|made| !**made).count(), 1);
                }
            },
        );
        assert!(hits > 50, "{hits}");
    }
}
