//! A disk without room while a command in the place of a daemon settles a task: the work is not done a second time.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod common;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use subcortex_daemon::control::{Answer, Request};
use subcortex_daemon::{ServeError, do_by_hand};
use subcortex_home::{Home, init};
use subcortex_store::{Disk, FaultyDisk, RealDisk};

/// A home with one task, whose work counts how often it was done.
struct Scene {
    home: Home,
    _dir: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::at(dir.path().join("home"));
        init(&RealDisk, &home).unwrap();
        common::worker(&home, "worker", "echo x >> effects\necho UPDATED: done");
        std::fs::write(home.inbox("worker").join("task.md"), "a task").unwrap();
        Self { home, _dir: dir }
    }

    fn effects_file(&self) -> PathBuf {
        self.home.partition("worker").join("effects")
    }

    fn effects(&self) -> usize {
        std::fs::read_to_string(self.effects_file()).map_or(0, |text| text.lines().count())
    }

    fn task_is_there(&self) -> bool {
        self.home.inbox("worker").join("task.md").exists()
    }

    /// The next start, on a disk that is well: whoever has work does it.
    fn next_tick(&self) {
        self.ask(RealDisk, None).unwrap();
    }

    fn tick(&self, disk: impl Disk + 'static) -> Result<Answer, ServeError> {
        self.ask(disk, Some("worker".into()))
    }

    fn ask(&self, disk: impl Disk + 'static, partition: Option<String>) -> Result<Answer, ServeError> {
        let setup = common::setup(&self.home, disk);
        do_by_hand(&setup, Request::Tick { partition })
    }

    /// A disk that answers calls which change something as `refuses` wants, once the work was done.
    fn disk_after_the_work(
        &self,
        refuses: impl Fn(&str, &Path) -> bool + Send + Sync + 'static,
    ) -> FaultyDisk {
        let effects = self.effects_file();
        FaultyDisk::asking(RealDisk, move |call, path| {
            if effects.exists() && refuses(call, path) {
                return Err(io::ErrorKind::StorageFull.into());
            }
            Ok(())
        })
    }
}

fn is_state(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains("state.json"))
}

#[test]
fn a_full_disk_under_the_state_neither_loses_a_result_nor_doubles_its_work() {
    let scene = Scene::new();
    let said = scene.tick(scene.disk_after_the_work(|_, path| is_state(path))).unwrap_err();
    assert!(said.to_string().contains("state.json"), "{said}");
    assert_eq!((scene.effects(), scene.task_is_there()), (1, true));
    scene.next_tick();
    assert_eq!((scene.effects(), scene.task_is_there()), (1, false), "the next start finishes it");
}

/// How many calls are tried at the same time.
const SIDE_BY_SIDE: u64 = 8;

/// Works on a disk that is full for one call after the work; says whether there was such a call.
fn work_with_a_full_disk_at(number: u64) -> bool {
    let (scene, calls) = (Scene::new(), Arc::new(AtomicU64::new(0)));
    let counted = Arc::clone(&calls);
    let is_it = move |call: &str, _: &Path| {
        let changes = ["open Append", "open Create", "write", "rename", "make_dir", "sync", "truncate"];
        let takes_room = changes.iter().any(|change| call.starts_with(change));
        takes_room && counted.fetch_add(1, Ordering::Relaxed) == number
    };
    let answer = scene.tick(scene.disk_after_the_work(is_it));
    if answer.is_err() {
        scene.next_tick();
    }
    assert_eq!((scene.effects(), scene.task_is_there()), (1, false), "call {number}: {answer:?}");
    calls.load(Ordering::Relaxed) > number
}

#[test]
fn a_disk_that_is_full_for_one_call_after_the_work_keeps_nothing_from_its_end() {
    for first in (0..).step_by(SIDE_BY_SIDE as usize) {
        let were_there: Vec<bool> = std::thread::scope(|scope| {
            let tries: Vec<_> = (first..first + SIDE_BY_SIDE)
                .map(|number| scope.spawn(move || work_with_a_full_disk_at(number)))
                .collect();
            tries.into_iter().map(|one| one.join().unwrap()).collect()
        });
        if were_there.contains(&false) {
            assert!(first > 10, "only {first} calls");
            return;
        }
    }
}
