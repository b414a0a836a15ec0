#![allow(clippy::disallowed_methods)]

mod helpers;
mod likeness;

use super::*;
use crate::durable;

const HOME: &str = "/home/x";

fn disk() -> CrashDisk {
    CrashDisk::new(Path::new(HOME))
}

fn at(name: &str) -> PathBuf {
    Path::new(HOME).join(name)
}

/// What a file holds, or `-` when it is missing.
fn content(disk: &CrashDisk, name: &str) -> String {
    match durable::read(disk, &at(name), 1 << 20) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(durable::ReadError::Missing { .. }) => "-".to_owned(),
        Err(error) => panic!("{error}"),
    }
}

/// Every content that a file can have after a cut, as far as 300 seeds show.
fn after_cuts(disk: &CrashDisk, name: &str) -> Vec<String> {
    let mut found: Vec<String> = (0..300).map(|seed| content(&disk.power_cut(seed), name)).collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn what_was_synced_survives_every_cut() {
    let disk = disk();
    let file = disk.open(&at("f"), OpenMode::CreateNew).unwrap();
    file.write(b"content").unwrap();
    file.sync().unwrap();
    disk.sync_dir(Path::new(HOME)).unwrap();
    assert_eq!(after_cuts(&disk, "f"), ["content"]);
}

#[test]
fn a_name_without_its_directorys_sync_can_be_lost_and_a_content_without_its_own_too() {
    let disk = disk();
    let file = disk.open(&at("f"), OpenMode::CreateNew).unwrap();
    file.write(b"ab").unwrap();
    file.sync().unwrap();
    assert_eq!(after_cuts(&disk, "f"), ["-", "ab"]);

    disk.sync_dir(Path::new(HOME)).unwrap();
    file.write(b"cd").unwrap();
    let found = after_cuts(&disk, "f");
    for expect in ["ab", "abc", "abcd", "ab\0\0", "abc\0"] {
        assert!(found.contains(&expect.to_owned()), "{expect:?} is not in {found:?}");
    }
    assert!(found.len() > 10, "noise is missing: {found:?}");
    assert!(found.iter().all(|text| text.starts_with("ab")), "what is safe stays: {found:?}");
}

#[test]
fn a_rename_of_unsynced_content_shows_the_famous_empty_file() {
    let disk = disk();
    durable::create_new(&disk, &at("f"), b"old").unwrap();
    disk.open(&at("t"), OpenMode::CreateNew).unwrap().write(b"new").unwrap();
    disk.rename(&at("t"), &at("f")).unwrap();
    disk.sync_dir(Path::new(HOME)).unwrap();
    let found = after_cuts(&disk, "f");
    assert!(found.contains(&String::new()) && found.contains(&"new".to_owned()), "{found:?}");
    assert!(!found.contains(&"old".to_owned()));
}

#[test]
fn a_rename_or_removal_without_sync_is_done_or_not() {
    let disk = disk();
    durable::create_new(&disk, &at("f"), b"old").unwrap();
    durable::create_new(&disk, &at("t"), b"new").unwrap();
    disk.rename(&at("t"), &at("f")).unwrap();
    assert_eq!(after_cuts(&disk, "f"), ["new", "old"]);
    assert_eq!(after_cuts(&disk, "t"), ["-", "new"]);
    for seed in 0..100 {
        let after = disk.power_cut(seed);
        assert_ne!(content(&after, "t") == "new", content(&after, "f") == "new", "never both, never neither");
    }
    disk.sync_dir(Path::new(HOME)).unwrap();
    assert_eq!(after_cuts(&disk, "f"), ["new"]);
    disk.remove(&at("f")).unwrap();
    assert_eq!(after_cuts(&disk, "f"), ["-", "new"]);
}

#[test]
fn a_move_between_directories_is_safe_when_both_are_synced() {
    let disk = disk();
    durable::make_dirs(&disk, Path::new(HOME), Path::new("in")).unwrap();
    durable::create_new(&disk, &at("in/t"), b"task").unwrap();
    disk.rename(&at("in/t"), &at("t")).unwrap();
    disk.sync_dir(Path::new(HOME)).unwrap();
    assert_eq!(after_cuts(&disk, "t"), ["-", "task"]);
    disk.sync_dir(&at("in")).unwrap();
    assert_eq!(after_cuts(&disk, "t"), ["task"]);
}

#[test]
fn a_cut_is_the_same_for_the_same_seed_and_leaves_the_disk_itself_alone() {
    let disk = disk();
    let file = disk.open(&at("f"), OpenMode::CreateNew).unwrap();
    for _ in 0..20 {
        file.write(b"some content").unwrap();
    }
    for seed in 0..20 {
        assert_eq!(content(&disk.power_cut(seed), "f"), content(&disk.power_cut(seed), "f"));
    }
    assert_eq!(content(&disk, "f"), "some content".repeat(20));
}

#[test]
fn locks_end_with_their_file_and_with_the_power() {
    let disk = disk();
    let open = |disk: &CrashDisk| disk.open(&at("lock"), OpenMode::ReadWrite).unwrap();
    let first = open(&disk);
    disk.sync_dir(Path::new(HOME)).unwrap();
    assert!(first.try_lock().unwrap() && first.try_lock().unwrap());
    let second = open(&disk);
    assert!(!second.try_lock().unwrap());
    assert!(open(&disk.power_cut(1)).try_lock().unwrap());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| second.lock().unwrap());
        drop(first);
        waiting.join().unwrap();
    });
    assert!(!open(&disk).try_lock().unwrap());
}
