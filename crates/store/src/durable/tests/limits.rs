//! Short writes that the kernel itself makes: a limit on the size of files.

use std::path::Path;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::Folder;
use crate::durable::{self, AppendError, WriteError};
use crate::{Disk, OpenMode, RealDisk, child};

/// Not a test of its own: the limit belongs to the whole process.
#[test]
fn child_with_a_limit_of_six_bytes_a_file() {
    let Some(path) = child::path_in_child() else { return };
    let path = Path::new(&path);
    let file = RealDisk.open(path, OpenMode::Append).unwrap();
    let unlimited = getrlimit(Resource::Fsize);
    setrlimit(Resource::Fsize, Rlimit { current: Some(6), maximum: unlimited.maximum }).unwrap();
    let appended = durable::append(&*file, 4, b"two and more\n");
    setrlimit(Resource::Fsize, unlimited).unwrap();
    assert!(matches!(appended, Err(AppendError::RolledBack { .. })), "{appended:?}");
    assert!(appended.unwrap_err().to_string().contains("only 2 of 13 bytes"));
    assert_eq!(durable::read(&RealDisk, path, 100).unwrap(), b"one\n");
    durable::append(&*file, 4, b"two\n").unwrap();
    assert_eq!(durable::read(&RealDisk, path, 100).unwrap(), b"one\ntwo\n");
}

#[test]
fn a_short_write_by_the_kernel_is_rolled_back() {
    let folder = Folder::with(&[("log", "one\n")]);
    child::run("durable::tests::limits::child_with_a_limit_of_six_bytes_a_file", &folder.at("log"));
    assert_eq!(folder.look(), "log=one\ntwo\n");
}

#[test]
fn a_folder_that_is_missing_or_a_name_that_is_too_long_changes_nothing_and_says_so() {
    let folder = Folder::new();
    let missing = durable::replace(&RealDisk, &folder.at("none/f"), b"x").unwrap_err();
    assert!(missing.to_string().contains("does not exist"), "{missing}");
    let long = durable::replace(&RealDisk, &folder.at(&"n".repeat(256)), b"x").unwrap_err();
    assert!(long.to_string().contains("use a shorter one"), "{long}");
    assert!(matches!(long, WriteError::Failed { .. }));
    durable::replace(&RealDisk, &folder.at(&"n".repeat(255)), b"x").unwrap();
    assert_eq!(folder.look(), format!("{}=x", "n".repeat(255)));
}
