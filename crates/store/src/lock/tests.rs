#![allow(clippy::disallowed_methods)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::*;
use crate::child;
use crate::faulty::FaultyDisk;
use crate::real::RealDisk;

/// How many processes want the lock at once.
const RACERS: usize = 20;
const SINCE: &str = "2026-03-01T08:02:11Z";

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("home.lock");
    (folder, path)
}

fn me() -> Holder {
    Holder::this_process(SINCE, "test")
}

#[track_caller]
fn taken_by(outcome: Result<HomeLock, LockError>) -> Holder {
    match outcome {
        Err(LockError::Taken(holder)) => holder,
        other => panic!("expected the lock to be taken: {other:?}"),
    }
}

#[test]
fn the_second_is_told_who_the_first_is_and_gets_the_lock_when_that_one_leaves() {
    let (_folder, path) = folder();
    assert_eq!(HomeLock::peek(&RealDisk, &path).unwrap(), None);
    assert!(!path.exists(), "looking makes no file");

    let first = HomeLock::acquire(&RealDisk, &path, me()).unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        format!("{{\"pid\":{},\"since\":\"{SINCE}\",\"what\":\"test\"}}\n", std::process::id())
    );
    assert_eq!(HomeLock::peek(&RealDisk, &path).unwrap(), Some(me()));
    assert!(first.is_still_held(&RealDisk).unwrap());
    let error = HomeLock::acquire(&RealDisk, &path, me()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "another process already serves this home: pid {}, since {SINCE} (test); two would do the same work \
             twice, so this one stopped before it wrote anything: use the one that runs, or end it first",
            std::process::id()
        )
    );

    drop(first);
    assert_eq!(std::fs::read(&path).unwrap(), b"");
    assert_eq!(HomeLock::peek(&RealDisk, &path).unwrap(), None);
    HomeLock::acquire(&RealDisk, &path, me()).unwrap();
}

#[test]
fn the_name_of_an_owner_that_was_killed_is_not_taken_for_an_owner() {
    let (_folder, path) = folder();
    let stale =
        r#"{"pid":1,"since":"2026-01-01T00:00:00Z","what":"a name that is longer than the next one"}"#;
    std::fs::write(&path, stale).unwrap();
    assert_eq!(HomeLock::peek(&RealDisk, &path).unwrap(), None);
    let lock = HomeLock::acquire(&RealDisk, &path, me()).unwrap();
    assert_eq!(HomeLock::peek(&RealDisk, &path).unwrap(), Some(me()));
    drop(lock);
}

#[test]
fn an_owner_without_a_readable_name_is_unknown_but_an_owner() {
    let dead = r#"{"pid":999999999,"since":"2026-01-01T00:00:00Z","what":"killed"}"#;
    for content in ["", "{\"pid\":", "\u{0}\u{0}", "[]", dead, &"x".repeat(10_000)] {
        let (_folder, path) = folder();
        std::fs::write(&path, content).unwrap();
        let file = RealDisk.open(&path, OpenMode::ReadWrite).unwrap();
        assert!(file.try_lock().unwrap());
        let holder = taken_by(HomeLock::acquire(&RealDisk, &path, me()));
        assert_eq!(holder, Holder::default());
        assert_eq!(
            holder.to_string(),
            "an unknown process (it has not written its name yet, or runs in another container)"
        );
        assert_eq!(HomeLock::peek(&RealDisk, &path).unwrap(), Some(Holder::default()));
    }
}

#[test]
fn an_owner_that_is_slow_to_write_its_name_is_waited_for_and_a_named_one_is_not() {
    let (_folder, path) = folder();
    let owner = RealDisk.open(&path, OpenMode::ReadWrite).unwrap();
    assert!(owner.try_lock().unwrap());
    let named = Holder { pid: Some(1), since: None, what: None };
    let name = serde_json::to_vec(&named).unwrap();
    // Three calls an attempt: well after the attempts in which only the lock is waited for.
    let disk = FaultyDisk::interrupted(RealDisk, 3 * u64::from(ACQUIRE_ATTEMPTS + 2), move || {
        owner.write_at(&name, 0).unwrap();
        std::mem::forget(owner); // it goes on
    });
    assert_eq!(taken_by(HomeLock::acquire(&disk, &path, me())), named);
    let disk = FaultyDisk::counting(RealDisk);
    assert_eq!(HomeLock::peek(&disk, &path).unwrap(), Some(named));
    assert_eq!(disk.call_count(), 3, "{:?}", disk.log());
}

#[test]
fn a_hostile_name_cannot_forge_a_line() {
    let holder = Holder { pid: Some(7), since: Some("now\nok".to_owned()), what: None };
    assert_eq!(holder.to_string(), "pid 7, since now\\nok");
}

#[test]
fn a_short_look_beside_the_stale_name_of_a_running_process_is_waited_for() {
    let (_folder, path) = folder();
    std::fs::write(&path, r#"{"pid":1,"since":null,"what":null}"#).unwrap();
    let look = RealDisk.open(&path, OpenMode::Read).unwrap();
    assert!(look.try_lock().unwrap());
    // Three calls an attempt: the look ends before the fourth attempt.
    let disk = FaultyDisk::interrupted(RealDisk, 10, move || drop(look));
    let _lock = HomeLock::acquire(&disk, &path, me()).unwrap();
    assert_eq!(HomeLock::peek(&RealDisk, &path).unwrap(), Some(me()));
}

#[test]
fn looking_without_end_never_makes_a_start_fail() {
    let (_folder, path) = folder();
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                    let _ = HomeLock::peek(&RealDisk, &path).unwrap();
                }
            });
        }
        let outcomes: Vec<_> = (0..50).map(|_| HomeLock::acquire(&RealDisk, &path, me()).map(drop)).collect();
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
        for outcome in outcomes {
            outcome.unwrap();
        }
    });
}

#[test]
fn a_lock_file_that_was_removed_while_held_is_noticed_by_its_owner() {
    let (_folder, path) = folder();
    let lock = HomeLock::acquire(&RealDisk, &path, me()).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(!lock.is_still_held(&RealDisk).unwrap());
    let newer = HomeLock::acquire(&RealDisk, &path, me()).unwrap();
    assert!(!lock.is_still_held(&RealDisk).unwrap());
    assert!(newer.is_still_held(&RealDisk).unwrap());
    drop(lock);
    assert!(newer.is_still_held(&RealDisk).unwrap(), "the old owner touches only its own file");
    assert_eq!(HomeLock::peek(&RealDisk, &path).unwrap(), Some(me()));
}

#[test]
fn a_lock_on_a_file_that_is_gone_is_not_a_lock() {
    let (_folder, path) = folder();
    let removed = path.clone();
    // The second call is the lock: the first opened the file.
    let disk = FaultyDisk::interrupted(RealDisk, 2, move || std::fs::remove_file(removed).unwrap());
    let lock = HomeLock::acquire(&disk, &path, me()).unwrap();
    assert!(lock.is_still_held(&RealDisk).unwrap());
    assert_eq!(taken_by(HomeLock::acquire(&RealDisk, &path, me())), me());
}

#[test]
fn a_directory_or_link_in_place_of_the_lock_is_refused() {
    let (folder, path) = folder();
    std::fs::create_dir(&path).unwrap();
    assert!(matches!(HomeLock::acquire(&RealDisk, &path, me()), Err(LockError::NotRegular(_))));
    assert!(HomeLock::peek(&RealDisk, &path).is_err());
    let missing = folder.path().join("none/home.lock");
    let error = HomeLock::acquire(&RealDisk, &missing, me()).unwrap_err();
    assert!(error.to_string().contains("does not exist"), "{error}");
}

/// Not a test of its own: what the child processes run.
#[test]
fn child_that_takes_the_lock() {
    let Some(path) = child::path_in_child() else { return };
    let mut lines = std::io::stdin().lines();
    println!("@ready");
    lines.next(); // the start
    match HomeLock::acquire(&RealDisk, Path::new(&path), me()) {
        Ok(_lock) => {
            println!("@owner {}", std::process::id());
            lines.next(); // until the end, or until it is killed
        }
        Err(LockError::Taken(holder)) => println!("@taken {}", holder.pid.unwrap_or(0)),
        Err(error) => println!("@error {error}"),
    }
}

struct Racer {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Racer {
    fn start(path: &Path) -> Racer {
        let mut child = child::command("lock::tests::child_that_takes_the_lock", path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut racer = Racer { child, stdin, stdout };
        assert_eq!(racer.says(), "ready");
        racer
    }

    /// The next line that is meant for us, and not the test runner's.
    fn says(&mut self) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "the child ended without a word");
            // The runner prints the test's name on the same line.
            if let Some((_, word)) = line.split_once('@') {
                return word.trim_end().to_owned();
            }
        }
    }

    fn go(&mut self) {
        self.stdin.write_all(b"go\n").unwrap();
    }
}

impl Drop for Racer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Each round many processes want the lock that the killed owner of the last round left.
fn race(rounds: usize) {
    let (_folder, path) = folder();
    for round in 0..rounds {
        let mut racers: Vec<Racer> = (0..RACERS).map(|_| Racer::start(&path)).collect();
        racers.iter_mut().for_each(Racer::go);
        let words: Vec<String> = racers.iter_mut().map(Racer::says).collect();
        let owners: Vec<&String> = words.iter().filter(|word| word.starts_with("owner")).collect();
        assert_eq!(owners.len(), 1, "round {round}: {words:?}");
        let told = owners[0].replace("owner", "taken");
        assert_eq!(
            words.iter().filter(|word| **word == told).count(),
            RACERS - 1,
            "round {round}: {words:?}"
        );
        // Dropping kills them with SIGKILL, the owner too.
    }
    assert_ne!(std::fs::read(&path).unwrap(), b"", "a killed owner leaves its name");
    assert_eq!(HomeLock::peek(&RealDisk, &path).unwrap(), None);
}

#[test]
fn of_many_processes_exactly_one_owns_the_home_and_the_next_gets_it_when_that_one_is_killed() {
    race(4);
}

#[test]
#[ignore = "some minutes: the same, a thousand times"]
fn of_many_processes_exactly_one_owns_the_home_in_every_one_of_a_thousand_rounds() {
    race(1000);
}
