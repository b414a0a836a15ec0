//! Homes with very much in them: what `status` costs grows with what is there, and no faster; and what is passed over is said.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStringExt;
use std::process::Command;

use crate::support::{TestHome, binary, has_program};

/// How often `status` makes each system call about files, in a process without a daemon.
fn calls_of_status(home: &TestHome) -> BTreeMap<String, usize> {
    let log = home.path("../strace.log");
    let done = Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=file,getdents64", "-o"])
        .arg(&log)
        .arg(binary())
        .arg("--home")
        .arg(home.path(""))
        .arg("status")
        .env_clear()
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    let mut calls = BTreeMap::new();
    for line in std::fs::read_to_string(log).unwrap().lines() {
        let name = line.split_whitespace().nth(1).and_then(|call| call.split_once('('));
        if let Some((name, _)) = name {
            *calls.entry(name.to_owned()).or_default() += 1;
        }
    }
    calls
}

fn all(calls: &BTreeMap<String, usize>) -> usize {
    calls.values().sum()
}

#[test]
fn status_opens_no_more_files_however_many_tasks_wait_and_looks_at_each_once() {
    if !has_program("status_opens_no_more_files_however_many_tasks_wait_and_looks_at_each_once", "strace") {
        return;
    }
    let home = crate::partitions::home();
    crate::partitions::script(&home, "worker", "enabled: false", "echo UPDATED: it ran");
    let fill = |tasks: std::ops::Range<usize>| {
        tasks.for_each(|n| home.write(&format!("subconscious/worker/inbox/t{n}.md"), "x"));
    };
    fill(0..1000);
    let few = calls_of_status(&home);
    fill(1000..4000);
    let many = calls_of_status(&home);
    let opened = |calls: &BTreeMap<String, usize>| calls.get("openat").copied().unwrap_or_default();
    assert_eq!(opened(&few), opened(&many), "{few:?} {many:?}");
    assert!(all(&many) - all(&few) <= 3000 + 100, "{few:?} {many:?}");
}

#[test]
fn status_does_the_same_for_each_worker_however_many_there_are() {
    if !has_program("status_does_the_same_for_each_worker_however_many_there_are", "strace") {
        return;
    }
    let home = crate::partitions::home();
    let add = |workers: std::ops::Range<usize>| {
        for n in workers {
            crate::partitions::script(&home, &format!("worker{n}"), "enabled: false", "echo UPDATED: it ran");
        }
    };
    let before = all(&calls_of_status(&home));
    add(0..100);
    let hundred = all(&calls_of_status(&home)) - before;
    add(100..400);
    let four_hundred = all(&calls_of_status(&home)) - before;
    assert!(four_hundred <= 4 * hundred + 400, "{hundred} calls for 100, {four_hundred} for 400");
}

#[test]
fn folders_that_look_like_workers_and_cannot_be_any_are_named() {
    let home = TestHome::new();
    let odd = [b"My Notes".to_vec(), b"a:b".to_vec(), b"$(id)".to_vec(), b"caf\xe9".to_vec()];
    for name in odd.into_iter().chain([b"no-worker here".to_vec()]) {
        let folder = home.path("subconscious").join(std::ffi::OsString::from_vec(name.clone()));
        std::fs::create_dir_all(folder.join("inbox")).unwrap();
        std::fs::write(folder.join("inbox/task.md"), "do it").unwrap();
        if !name.starts_with(b"no-worker") {
            std::fs::write(folder.join("CLAUDE.md"), "---\nengine: builtin\n---\nNotes.\n").unwrap();
        }
    }
    let check = || {
        for command in ["status", "doctor"] {
            let said = home.run(&[command]).out;
            for name in ["My Notes", "a:b", "$(id)", "caf"] {
                assert!(said.contains(name), "{command} says nothing of {name}: {said}");
            }
            assert!(said.contains("give the folder subconscious/My Notes another name"), "{said}");
            assert!(!said.contains("no-worker"), "{said}");
        }
    };
    check();
    let daemon = home.daemon();
    check();
    daemon.signal("TERM");
    assert!(daemon.end().success());
}
