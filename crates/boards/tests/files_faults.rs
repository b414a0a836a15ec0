//! What happens to files, and what becomes of a thread then.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)] // a test may

mod common;

use std::io::Write;
use std::sync::Arc;

use common::*;
use jiff::{SignedDuration, Timestamp};
use subcortex_boards::{BoardError, Boards, Durability, FileBoards};
use subcortex_store::RealDisk;

fn boards(dir: &tempfile::TempDir) -> FileBoards {
    FileBoards::new(Arc::new(RealDisk), dir.path().join("b"), TTL_S, Durability::Synced)
}

#[test]
fn a_torn_end_is_passed_over_by_readers_and_cut_off_by_the_next_append() {
    let dir = tempfile::tempdir().unwrap();
    let t = thread("t");
    say(&boards(&dir), &t, &boss(), strategy(&["Acme"])).unwrap();
    let path = dir.path().join("b/t.jsonl");
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"{\"id\":\"torn").unwrap();
    assert_eq!(boards(&dir).read(&t, Timestamp::now()).unwrap().records().len(), 1);
    assert_eq!(say(&boards(&dir), &t, &person(), directive("x")).unwrap(), 2);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 2);
    assert!(!text.contains("torn"), "{text}");
}

#[test]
fn a_line_that_somebody_changed_is_named_and_left() {
    let dir = tempfile::tempdir().unwrap();
    let t = thread("t");
    say(&boards(&dir), &t, &boss(), strategy(&["Acme"])).unwrap();
    say(&boards(&dir), &t, &person(), directive("x")).unwrap();
    let path = dir.path().join("b/t.jsonl");
    let changed = std::fs::read_to_string(&path).unwrap().replace("\"seq\":2", "\"seq\":7");
    std::fs::write(&path, &changed).unwrap();
    let error = say(&boards(&dir), &t, &person(), directive("y")).unwrap_err();
    assert!(matches!(error, BoardError::Damaged { seq: 2, .. }), "{error:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), changed);
}

#[test]
fn a_link_in_place_of_a_thread_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let outside = dir.path().join("outside");
    std::fs::write(&outside, "").unwrap();
    std::fs::create_dir(dir.path().join("b")).unwrap();
    std::os::unix::fs::symlink(&outside, dir.path().join("b/t.jsonl")).unwrap();
    assert!(say(&boards(&dir), &thread("t"), &boss(), strategy(&["Acme"])).is_err());
    assert_eq!(std::fs::read(&outside).unwrap(), b"");
}

#[test]
fn a_refused_first_entry_makes_no_file_and_expired_threads_are_swept() {
    let dir = tempfile::tempdir().unwrap();
    let boards = boards(&dir);
    assert!(say(&boards, &thread("none"), &worker("w1"), pending("w1", "f")).is_err());
    assert!(!dir.path().join("b").exists());
    let now = Timestamp::now();
    boards
        .append(&thread("old"), &boss(), strategy(&["Acme"]), now - SignedDuration::from_hours(48))
        .unwrap();
    boards.append(&thread("new"), &boss(), strategy(&["Acme"]), now).unwrap();
    assert_eq!(boards.sweep(now).unwrap(), 1);
    assert!(!dir.path().join("b/old.jsonl").exists() && dir.path().join("b/new.jsonl").exists());
}

#[test]
fn something_that_is_no_thread_keeps_no_other_from_being_swept() {
    let dir = tempfile::tempdir().unwrap();
    let boards = boards(&dir);
    let long_ago = Timestamp::now() - SignedDuration::from_hours(48);
    for name in ["a1", "c1"] {
        boards.append(&thread(name), &boss(), strategy(&["Acme"]), long_ago).unwrap();
    }
    std::fs::create_dir(dir.path().join("b/b1.jsonl")).unwrap();
    assert!(boards.sweep(Timestamp::now()).is_err(), "it is told of");
    assert!(["a1", "c1"].iter().all(|name| !dir.path().join(format!("b/{name}.jsonl")).exists()));
}
