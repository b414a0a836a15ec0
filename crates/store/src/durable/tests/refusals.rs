//! What is refused, what is said about it, and that it was left alone.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::Folder;
use crate::durable::{self, ReadError, WriteError};
use crate::faulty::{Fault, FaultKind, FaultyDisk, Then};
use crate::{Disk, OpenMode, RealDisk};

/// A folder with one of each thing that is not a file.
fn zoo() -> Folder {
    let folder = Folder::with(&[("target", "precious")]);
    std::fs::create_dir(folder.at("dir")).unwrap();
    symlink(folder.at("target"), folder.at("link")).unwrap();
    symlink(folder.at("nowhere"), folder.at("broken")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        folder.at("fifo"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    folder
}

const ZOO: [&str; 4] = ["dir", "link", "broken", "fifo"];

#[test]
fn hostile_things_are_neither_read_nor_written_nor_blocked_on() {
    let folder = zoo();
    let paths = ZOO.map(|name| folder.at(name)).into_iter().chain([Path::new("/dev/null").to_owned()]);
    for path in paths {
        let kind = RealDisk.stat(&path).unwrap().kind;
        assert!(matches!(durable::read(&RealDisk, &path, 10), Err(ReadError::NotRegular(_))), "{path:?}");
        assert!(
            matches!(durable::replace(&RealDisk, &path, b"x"), Err(WriteError::NotRegular(_))),
            "{path:?}"
        );
        let swap = durable::replace_if_unchanged(&RealDisk, &path, Some(b"precious"), b"x");
        assert!(matches!(swap, Err(WriteError::NotRegular(_))), "{path:?}");
        if !path.starts_with("/dev") {
            assert!(matches!(durable::create_new(&RealDisk, &path, b"x"), Err(WriteError::Exists { .. })));
            let swap = durable::replace_if_unchanged(&RealDisk, &path, None, b"x");
            assert!(matches!(swap, Err(WriteError::Conflict { .. })), "{path:?}");
        }
        assert_eq!(RealDisk.stat(&path).unwrap().kind, kind);
    }
    assert_eq!(std::fs::read(folder.at("target")).unwrap(), b"precious");
    assert!(!folder.at("nowhere").exists());
    assert_eq!(std::fs::read_dir(folder.0.path()).unwrap().count(), 5, "no temporary file is left");
}

#[test]
fn a_directory_is_never_removed() {
    let folder = zoo();
    assert!(matches!(durable::remove(&RealDisk, &folder.at("dir")), Err(WriteError::Failed { .. })));
    assert!(folder.at("dir").is_dir());
    assert!(durable::remove(&RealDisk, &folder.at("link")).unwrap());
    assert!(folder.at("target").exists(), "the link goes, not what it leads to");
    assert!(!durable::remove(&RealDisk, &folder.at("link")).unwrap());
}

#[test]
fn make_dirs_stays_below_its_root_and_accepts_links_to_folders() {
    let folder = Folder::with(&[("file", "")]);
    let elsewhere = Folder::new();
    symlink(elsewhere.0.path(), folder.at("memory")).unwrap();
    let make = |relative: &str| durable::make_dirs(&RealDisk, folder.0.path(), relative.as_ref());
    for outside in ["../x", "/x", "a/../../x", "a/.."] {
        assert!(matches!(make(outside), Err(WriteError::Outside { .. })), "{outside}");
    }
    assert!(!folder.at("a").exists());
    make("").unwrap();
    make("a/./b").unwrap();
    make("memory/fragments/2026-03-01").unwrap();
    assert!(elsewhere.at("fragments/2026-03-01").is_dir());
    assert!(matches!(make("file/x"), Err(WriteError::NotRegular(_))));
    let missing = durable::make_dirs(&RealDisk, &folder.at("none"), "x".as_ref());
    assert!(matches!(missing, Err(WriteError::Failed { .. })), "the root must exist");
    for made in [folder.at("a"), folder.at("a/b"), elsewhere.at("fragments/2026-03-01")] {
        assert_eq!(std::fs::metadata(made).unwrap().permissions().mode() & 0o777, 0o700);
    }
}

#[test]
fn reading_is_bounded_and_typed() {
    let folder = Folder::with(&[("f", "12345"), ("empty", "")]);
    let read = |name: &str, max| durable::read(&RealDisk, &folder.at(name), max);
    assert_eq!(read("f", 5).unwrap(), b"12345");
    assert!(matches!(read("f", 4), Err(ReadError::TooLarge { len: 5, max: 4, .. })));
    assert_eq!(read("empty", 0).unwrap(), b"");
    assert!(matches!(read("none", 4), Err(ReadError::Missing { .. })));
    assert!(matches!(read("f/x", 4), Err(ReadError::Io { .. })));
    let disk = FaultyDisk::counting(RealDisk);
    assert!(durable::read(&disk, &folder.at("f"), 4).is_err());
    assert_eq!(disk.call_count(), 2, "its length is enough to refuse it: {:?}", disk.log());
    // A file whose length says 0 and that has content all the same, longer than allowed.
    assert!(matches!(
        durable::read(&RealDisk, Path::new("/proc/self/status"), 64),
        Err(ReadError::TooLarge { .. })
    ));
    let status = durable::read_text(&RealDisk, Path::new("/proc/self/status"), 1 << 20).unwrap();
    assert!(status.contains("VmPeak") && status.ends_with('\n'));

    std::fs::write(folder.at("latin"), b"na\xefve").unwrap();
    let error = durable::read_text(&RealDisk, &folder.at("latin"), 100).unwrap_err();
    assert!(matches!(error, ReadError::NotUtf8 { offset: 2, .. }));
    assert_eq!(durable::read_text(&RealDisk, &folder.at("f"), 100).unwrap(), "12345");
}

#[test]
fn claim_says_which_side_is_missing() {
    let folder = Folder::with(&[("t", "task"), ("taken", "other")]);
    let claim = |from: &str, to: &str| durable::claim(&RealDisk, &folder.at(from), &folder.at(to));
    assert!(matches!(claim("t", "taken"), Err(WriteError::Exists { path }) if path == folder.at("taken")));
    assert!(matches!(claim("gone", "x"), Err(WriteError::Missing { path }) if path == folder.at("gone")));
    assert!(matches!(claim("t", "none/t"), Err(WriteError::Failed { .. })));
    assert_eq!(folder.look(), "t=task taken=other");
    claim("t", "mine").unwrap();
    assert_eq!(folder.look(), "mine=task taken=other");
}

#[test]
fn new_files_belong_to_their_owner_alone() {
    let folder = Folder::with(&[("wide", "old")]);
    std::fs::set_permissions(folder.at("wide"), std::fs::Permissions::from_mode(0o666)).unwrap();
    durable::replace(&RealDisk, &folder.at("wide"), b"new").unwrap();
    durable::create_new(&RealDisk, &folder.at("made"), b"new").unwrap();
    drop(RealDisk.open(&folder.at("log"), OpenMode::Append).unwrap());
    for name in ["wide", "made", "log"] {
        assert_eq!(RealDisk.stat(&folder.at(name)).unwrap().mode, 0o600, "{name}");
    }
}

/// The message of a replace whose `at_call`-th call fails, with the folder's path shortened.
#[track_caller]
fn check_message(at_call: u64, kind: FaultKind, expect: &str) {
    let folder = Folder::with(&[("f", "old")]);
    let disk = FaultyDisk::new(RealDisk, Fault { at_call, kind, then: Then::Once });
    let error = durable::replace(&disk, &folder.at("f"), b"new").unwrap_err();
    assert_eq!(error.to_string().replace(&folder.0.path().display().to_string(), "~"), expect);
}

#[test]
fn messages_say_what_happened_and_what_to_do() {
    check_message(
        3,
        FaultKind::Enospc,
        "`~/f` could not be replaced (writing the new content: No space left on device (os error 28)): \
         the disk is full: free some space; nothing was changed",
    );
    check_message(
        4,
        FaultKind::Eio,
        "`~/f` could not be replaced (syncing the new content: Input/output error (os error 5)): the disk reports a \
         fault: look at `dmesg` and at the drive's health; nothing was changed",
    );
    check_message(
        6,
        FaultKind::Eio,
        "`~/f` was replaced, but that is not yet safe from a power cut (syncing its folder: Input/output error \
         (os error 5)): the disk reports a fault: look at `dmesg` and at the drive's health; then repeat it",
    );

    let folder = Folder::with(&[("log", "one\n")]);
    let disk = FaultyDisk::new(RealDisk, Fault { at_call: 2, kind: FaultKind::ShortWrite, then: Then::Once });
    let file = disk.open(&folder.at("log"), OpenMode::Append).unwrap();
    let error = durable::append(&*file, 4, b"two\n").unwrap_err();
    assert_eq!(
        error.to_string().replace(&folder.0.path().display().to_string(), "~"),
        "a record was not appended to `~/log` (only 2 of 4 bytes were written): the disk is full: free some space; \
         nothing was changed"
    );
}

#[test]
fn what_stands_in_the_place_of_a_derived_file_is_set_aside_as_it_is() {
    let folder = zoo();
    for name in ZOO {
        let kind = RealDisk.stat(&folder.at(name)).unwrap().kind;
        durable::replace_derived(&RealDisk, &folder.at(name), b"new").unwrap();
        assert_eq!(std::fs::read(folder.at(name)).unwrap(), b"new");
        assert_eq!(RealDisk.stat(&folder.at(&format!("{name}.kept-1"))).unwrap().kind, kind, "{name}");
    }
    assert_eq!(std::fs::read(folder.at("target")).unwrap(), b"precious");
    assert!(!folder.at("nowhere").exists());
    durable::replace_derived(&RealDisk, &folder.at("dir"), b"newer").unwrap();
    assert_eq!(std::fs::read(folder.at("dir")).unwrap(), b"newer");
}
