#![allow(clippy::disallowed_methods)]

use super::*;
use crate::real::RealDisk;

/// Opens, writes `abcdef` twice and syncs on a disk with the fault; gives each outcome, and what the file holds.
fn scenario(fault: Fault) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    std::fs::write(&path, "").unwrap();
    let disk = FaultyDisk::new(RealDisk, fault);
    let mut outcomes = Vec::new();
    if let Ok(file) = disk.open(&path, OpenMode::Append) {
        let say = |outcome: io::Result<usize>| match outcome {
            Ok(count) => count.to_string(),
            Err(error) => format!("{:?}", error.kind()),
        };
        outcomes.push(say(file.write(b"abcdef")));
        outcomes.push(say(file.write(b"abcdef")));
        outcomes.push(say(file.sync().map(|()| 0)));
    }
    (outcomes, std::fs::read_to_string(&path).unwrap())
}

#[track_caller]
fn check(at_call: u64, kind: FaultKind, then: Then, outcomes: &str, content: &str) {
    let (found, held) = scenario(Fault { at_call, kind, then });
    assert_eq!((found.join(" ").as_str(), held.as_str()), (outcomes, content));
}

#[test]
fn the_nth_call_fails_once_or_from_then_on() {
    check(9, FaultKind::Enospc, Then::Once, "6 6 0", "abcdefabcdef");
    check(2, FaultKind::Enospc, Then::Once, "StorageFull 6 0", "abcdef");
    check(2, FaultKind::Enospc, Then::FromThenOn, "StorageFull StorageFull StorageFull", "");
    check(4, FaultKind::Edquot, Then::Once, "6 6 QuotaExceeded", "abcdefabcdef");
    check(3, FaultKind::Eintr, Then::Once, "6 Interrupted 0", "abcdef");
    check(1, FaultKind::Eio, Then::Once, "", "");
}

#[test]
fn a_short_write_writes_half_and_from_then_on_nothing() {
    check(2, FaultKind::ShortWrite, Then::Once, "3 6 0", "abcabcdef");
    check(2, FaultKind::ShortWrite, Then::FromThenOn, "3 StorageFull 0", "abc");
    check(1, FaultKind::ShortWrite, Then::Once, "6 6 0", "abcdefabcdef");
}

#[test]
fn after_a_crash_nothing_has_an_effect() {
    check(3, FaultKind::Crash, Then::Once, "6 Other Other", "abcdef");
    let folder = tempfile::tempdir().unwrap();
    let disk = FaultyDisk::new(RealDisk, Fault { at_call: 1, kind: FaultKind::Crash, then: Then::Once });
    let path = folder.path().join("x");
    assert!(is_crash(&disk.make_dir(&path).unwrap_err()));
    assert!(is_crash(&disk.open(&path, OpenMode::Append).unwrap_err()));
    assert!(disk.list(folder.path()).is_err_and(|error| is_crash(&error)));
    assert_eq!(RealDisk.list(folder.path()).unwrap().len(), 0);
    assert!(disk.was_hit());
}

#[test]
fn calls_are_counted_and_logged() {
    let folder = tempfile::tempdir().unwrap();
    let disk = FaultyDisk::counting(RealDisk);
    let file = disk.open(&folder.path().join("f"), OpenMode::CreateNew).unwrap();
    file.write(b"x").unwrap();
    file.sync().unwrap();
    disk.sync_dir(folder.path()).unwrap();
    assert_eq!(disk.call_count(), 4);
    assert!(!disk.was_hit());
    let log = disk.log().join("\n").replace(&folder.path().display().to_string(), "");
    assert_eq!(log, "1 open CreateNew /f\n2 write /f\n3 sync /f\n4 sync_dir ");
}

#[test]
fn somebody_else_can_act_right_before_a_call_and_once_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    std::fs::write(&path, "a").unwrap();
    let edited = path.clone();
    let disk = FaultyDisk::interrupted(RealDisk, 3, move || std::fs::write(edited, "edited").unwrap());
    let lengths: Vec<u64> = (0..4).map(|_| disk.stat(&path).unwrap().len).collect();
    assert_eq!(lengths, [1, 1, 6, 6]);
    assert!(!disk.was_hit());
}
