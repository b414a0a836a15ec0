//! The whole end of a task (record, `task.done`, ack) cut short at every call, by a crash and a power cut, and then
//! recovered: the task is acked once with its result on record, or it is still there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::error::Error;
use std::path::Path;

use subcortex_cadence::ack::{FileFound, Found, Recovery, recover};
use subcortex_cadence::{PartitionId, RunTask};
use subcortex_inbox::{ack, drop_task, list, look};
use subcortex_runs::{RunRecord, RunsError, TaskRecord, load, settle, sync_settled, write};
use subcortex_store::durable::{self, WriteError};
use subcortex_store::{CrashDisk, Disk, Fault, FaultKind, FaultyDisk, Then};

const HOME: &str = "/home/x";
const RUN: &str = "20261114T083700-17";
/// How many ways of losing power are tried at each call.
const CUTS: u64 = 25;

struct Home {
    disk: CrashDisk,
}

impl Home {
    fn new() -> (Home, RunTask) {
        let disk = CrashDisk::new(Path::new(HOME));
        for folder in ["inbox", "runs", "spine"] {
            durable::make_dirs(&disk, Path::new(HOME), Path::new(folder)).unwrap();
        }
        drop_task(&disk, &inbox(), "a.md", b"one piece of work").unwrap();
        let task = list(&disk, &inbox(), 1).unwrap().tasks[0].taken();
        (Home { disk }, task)
    }

    fn is_there(&self) -> bool {
        list(&self.disk, &inbox(), 1).unwrap().total == 1
    }

    fn found(&self, task: &RunTask) -> Found {
        let record = load(&self.disk, &runs(), RUN).unwrap();
        let entry = record.as_ref().and_then(|it| it.task(task.key.name.as_str(), task.key.hash.as_str()));
        Found {
            file: look(&self.disk, &inbox(), task).unwrap(),
            result_recorded: entry.is_some_and(TaskRecord::is_finished),
            done_on_spine: self.disk.stat(&done()).is_ok(),
        }
    }

    /// What a daemon does when it starts again.
    fn recover(&self, task: &RunTask) -> Recovery {
        sync_settled(&self.disk, &runs(), RUN).unwrap();
        let recovery = recover(self.found(task));
        match recovery {
            Recovery::RecordDoneThenRemove => {
                say_done(&self.disk).unwrap();
                ack(&self.disk, &inbox(), task).unwrap();
            }
            Recovery::Remove => {
                ack(&self.disk, &inbox(), task).unwrap();
            }
            Recovery::RecordDone => say_done(&self.disk).unwrap(),
            Recovery::RunAgain | Recovery::Nothing | Recovery::Forget => {}
        }
        recovery
    }
}

fn inbox() -> std::path::PathBuf {
    Path::new(HOME).join("inbox")
}

fn runs() -> std::path::PathBuf {
    Path::new(HOME).join("runs")
}

/// Stands in for the event on the spine, which has tests of its own: it is there or not.
fn done() -> std::path::PathBuf {
    Path::new(HOME).join("spine").join("task.done")
}

fn say_done(disk: &dyn Disk) -> Result<(), WriteError> {
    match durable::create_new(disk, &done(), b"done") {
        Err(WriteError::Exists { .. }) => disk
            .sync_dir(&Path::new(HOME).join("spine"))
            .map_err(|source| WriteError::NotDurable { path: done(), done: "made", source }),
        other => other,
    }
}

fn partition() -> PartitionId {
    PartitionId::new("memory-weaver").unwrap()
}

/// A way of making a result durable: with the whole record, or while the run goes on.
type Record = fn(&dyn Disk, &RunRecord) -> Result<(), RunsError>;

const WAYS: [Record; 2] = [
    |disk, record| write(disk, &runs(), record),
    |disk, record| settle(disk, &runs(), record, &record.tasks),
];

/// The end of a task, in the one order that is allowed.
fn finish(disk: &dyn Disk, task: &RunTask, record_it: Record) -> Result<(), Box<dyn Error>> {
    let mut entry = TaskRecord::new(task.key.name.as_str(), task.key.hash.as_str(), "one piece of work");
    (entry.result, entry.acked) = (Some("UPDATED: 1 line".into()), true);
    let record = RunRecord {
        run_id: RUN.into(),
        partition: partition().to_string(),
        tasks: vec![entry],
        ..RunRecord::default()
    };
    record_it(disk, &record)?;
    say_done(disk)?;
    ack(disk, &inbox(), task)?;
    Ok(())
}

#[test]
fn a_task_is_acked_once_or_still_there_whichever_call_is_the_last() {
    WAYS.iter().for_each(|way| check_every_call(*way));
}

fn check_every_call(way: Record) {
    let (mut again, mut finished) = (0, 0);
    for kind in [FaultKind::Crash, FaultKind::Eio, FaultKind::ShortWrite] {
        for at_call in 1.. {
            let (home, task) = Home::new();
            let disk = FaultyDisk::new(home.disk.clone(), Fault { at_call, kind, then: Then::FromThenOn });
            let outcome = finish(&disk, &task, way);
            for seed in 0..CUTS {
                let after = Home { disk: home.disk.power_cut(seed) };
                let story = format!("call {at_call}, seed {seed}\n{}", disk.log().join("\n"));
                let recovery = after.recover(&task);
                assert!(recovery != Recovery::Forget, "the task is lost: {story}");
                let found = after.found(&task);
                if recovery.is_acked() {
                    assert!(!after.is_there() && found.result_recorded && found.done_on_spine, "{story}");
                    finished += 1;
                } else {
                    assert!(after.is_there() && !found.result_recorded && !found.done_on_spine, "{story}");
                    assert!(outcome.is_err(), "what was acknowledged came undone: {story}");
                    finish(&after.disk, &task, way).unwrap();
                    assert!(!after.is_there());
                    again += 1;
                }
                assert_eq!(after.recover(&task), Recovery::Nothing, "twice is once: {story}");
            }
            if !disk.was_reached() {
                break;
            }
        }
    }
    assert!(again > 100 && finished > 100, "both ways are met: {again} again, {finished} finished");
}

#[test]
fn a_result_is_durable_when_the_write_of_its_record_returns() {
    for way in WAYS {
        let (home, task) = Home::new();
        finish(&home.disk, &task, way).unwrap();
        for seed in 0..200 {
            let after = Home { disk: home.disk.power_cut(seed) };
            let all = Found { file: FileFound::None, result_recorded: true, done_on_spine: true };
            assert_eq!(after.found(&task), all);
            assert!(!after.is_there());
        }
    }
}
