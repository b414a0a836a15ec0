use subcortex_spine::{Durability, list_days};
use subcortex_store::RealDisk;
use subcortex_testkit::FakeHome;

use crate::common::{Home, message, now};

#[track_caller]
fn check_refused(prepare: impl FnOnce(&Home), expect: &str) {
    let home = Home::new();
    std::fs::create_dir_all(home.dirs().events).unwrap();
    prepare(&home);
    let error = home.spine().append(vec![message("x")], now(), Durability::Written).unwrap_err();
    assert!(error.to_string().contains(expect), "{error}");
    assert!(error.is_storage());
}

#[test]
fn a_day_file_that_is_something_else_is_refused_by_name() {
    check_refused(|home| std::fs::create_dir(home.day_file()).unwrap(), "directory");
    check_refused(
        |home| std::os::unix::fs::symlink("/etc/passwd", home.day_file()).unwrap(),
        "symbolic link",
    );
    check_refused(
        |home| {
            let made = std::process::Command::new("mkfifo").arg(home.day_file()).status().unwrap();
            assert!(made.success());
        },
        "FIFO",
    );
}

#[test]
fn readers_report_what_only_has_the_name_of_a_day_file() {
    let home = Home::new();
    home.append("x");
    std::fs::create_dir(home.dirs().events.join("2026-03-02.jsonl")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", home.dirs().events.join("2026-03-03.jsonl")).unwrap();
    let (days, odd) = list_days(&RealDisk, &home.dirs().events).unwrap();
    assert_eq!((days.len(), odd.len()), (1, 2));
    let damaged = home.verify().damaged;
    assert_eq!(damaged[0].reason, "it is a directory where a day file belongs; move it away");
    assert_eq!(damaged[1].reason, "it is a symbolic link where a day file belongs; move it away");
}

#[test]
fn a_hundred_megabyte_line_is_reported_and_passed_over() {
    let home = Home::new();
    home.append("before");
    let mut bytes = std::fs::read(home.day_file()).unwrap();
    bytes.resize(bytes.len() + 100 * 1024 * 1024, b'x');
    bytes.push(b'\n');
    std::fs::write(home.day_file(), &bytes).unwrap();
    drop(bytes);
    assert_eq!(home.texts(), ["before", "!the line is longer than any record may be"]);
    home.append("after");
    assert_eq!(home.texts(), ["before", "after"], "it was the tail, so it went to quarantine");
}

#[test]
fn a_full_disk_takes_back_what_it_could_not_finish() {
    let Some(full) = crate::common::small_file_system() else { return };
    let home = Home { dir: FakeHome::inside(full.path()) };
    let mut stored = 0;
    let error = loop {
        match home.spine().append(vec![message(&"x".repeat(3000))], now(), Durability::Synced) {
            Ok(_) => stored += 1,
            Err(error) => break error,
        }
    };
    assert!(error.to_string().contains("disk is full") || error.to_string().contains("space"), "{error}");
    assert_eq!(home.texts().len(), stored);
    assert!(stored > 0);
    assert_eq!(home.verify().damaged, []);
}
