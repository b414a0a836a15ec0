#![allow(clippy::disallowed_methods)]

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::*;
use crate::child;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

const ALL_MODES: [OpenMode; 4] = [OpenMode::Read, OpenMode::Append, OpenMode::ReadWrite, OpenMode::CreateNew];

/// What opening says, for a thing that exists already.
#[track_caller]
fn check_refused(path: &Path, expect: &str) {
    for mode in [OpenMode::Read, OpenMode::Append, OpenMode::ReadWrite] {
        let error = RealDisk.open(path, mode).expect_err("must be refused");
        assert_eq!(Refusal::within(&error).expect("a typed refusal").is, expect, "{mode:?}");
        let text = error.to_string();
        assert!(text.contains(&path.display().to_string()) && text.contains("move it away"), "{text}");
    }
    let error = RealDisk.open(path, OpenMode::CreateNew).expect_err("must be refused");
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
}

#[test]
fn whatever_is_not_a_regular_file_is_refused_by_name_and_without_blocking() {
    let home = folder();
    let at = |name: &str| home.path().join(name);
    std::fs::write(at("file"), "x").unwrap();
    std::fs::create_dir(at("dir")).unwrap();
    symlink(at("file"), at("link")).unwrap();
    symlink(at("nowhere"), at("broken")).unwrap();
    sys::mknodat(CWD, at("fifo"), FileType::Fifo, FILE_MODE, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();

    check_refused(&at("dir"), "a directory");
    check_refused(&at("link"), "a symbolic link");
    check_refused(&at("broken"), "a symbolic link");
    check_refused(&at("fifo"), "a FIFO");
    check_refused(&at("socket"), "a socket");
    check_refused(Path::new("/dev/null"), "a character device");
    assert!(!at("nowhere").exists(), "nothing is created through a link");
}

#[test]
fn a_fifo_that_takes_the_place_of_a_file_between_look_and_open_does_not_block() {
    let home = folder();
    let fifo = home.path().join("fifo");
    sys::mknodat(CWD, &fifo, FileType::Fifo, FILE_MODE, 0).unwrap();
    // The open itself, without the look before it.
    let file = open(&fifo, OFlags::RDONLY, Mode::empty()).expect("opens at once, with no writer there");
    let error = refuse_unless_regular(&fifo, &sys::fstat(&file).unwrap()).unwrap_err();
    assert!(error.to_string().contains("a FIFO"));
    let link = home.path().join("link");
    symlink("/etc/passwd", &link).unwrap();
    assert!(open(&link, OFlags::RDONLY, Mode::empty()).unwrap_err().to_string().contains("a symbolic link"));
}

#[test]
fn whatever_takes_the_place_of_a_file_in_a_race_is_never_opened() {
    const SWAPS: usize = 1_000;
    let home = folder();
    let (path, beside) = (home.path().join("f"), home.path().join("beside"));
    std::thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            for _ in 0..SWAPS {
                std::fs::write(&beside, "").unwrap();
                std::fs::rename(&beside, &path).unwrap();
                sys::mknodat(CWD, &beside, FileType::Fifo, FILE_MODE, 0).unwrap();
                std::fs::rename(&beside, &path).unwrap();
                symlink("/etc/passwd", &beside).unwrap();
                std::fs::rename(&beside, &path).unwrap();
            }
        });
        while !swapper.is_finished() {
            if let Ok(file) = RealDisk.open(&path, OpenMode::Read) {
                let stat = file.stat().unwrap();
                assert_eq!((stat.kind, stat.len), (EntryKind::File, 0), "something else was opened");
            }
        }
    });
}

#[test]
fn missing_files_are_not_found_or_created_as_the_mode_says() {
    let home = folder();
    for mode in ALL_MODES {
        let path = home.path().join(format!("{mode:?}"));
        match RealDisk.open(&path, mode) {
            Ok(file) => assert_eq!(file.len().unwrap(), 0),
            Err(error) => {
                assert_eq!((mode, error.kind()), (OpenMode::Read, io::ErrorKind::NotFound));
            }
        }
        assert_eq!(path.exists(), mode != OpenMode::Read, "{mode:?}");
    }
}

#[test]
fn an_existing_file_keeps_its_mode_and_its_content_when_opened() {
    let home = folder();
    let path = home.path().join("file");
    std::fs::write(&path, "content").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    for mode in [OpenMode::Read, OpenMode::Append, OpenMode::ReadWrite] {
        assert_eq!(RealDisk.open(&path, mode).unwrap().len().unwrap(), 7);
    }
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o640);
}

#[test]
fn append_goes_to_the_end_and_refuses_an_offset() {
    let home = folder();
    let path = home.path().join("log");
    std::fs::write(&path, "one\n").unwrap();
    let file = RealDisk.open(&path, OpenMode::Append).unwrap();
    assert_eq!(file.write(b"two\n").unwrap(), 4);
    assert_eq!(file.write_at(b"X", 0).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    file.truncate(6).unwrap();
    assert_eq!(file.write(b"!").unwrap(), 1);
    file.sync().unwrap();
    let mut buffer = [0; 16];
    let count = file.read_at(&mut buffer, 0).unwrap();
    assert_eq!(&buffer[..count], b"one\ntw!");
    assert_eq!(file.read_at(&mut buffer, 7).unwrap(), 0);
}

#[test]
fn write_at_changes_only_its_place() {
    let home = folder();
    let path = home.path().join("file");
    let file = RealDisk.open(&path, OpenMode::ReadWrite).unwrap();
    assert!(file.is_empty().unwrap());
    file.write(b"abcdef").unwrap();
    file.write_at(b"XY", 2).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"abXYef");
}

#[test]
fn stat_looks_at_the_link_itself() {
    let home = folder();
    let link = home.path().join("link");
    symlink("/etc", &link).unwrap();
    assert_eq!(RealDisk.stat(&link).unwrap().kind, EntryKind::Symlink);
    assert_eq!(RealDisk.stat(home.path()).unwrap().kind, EntryKind::Directory);
    assert_eq!(RealDisk.stat(Path::new("/dev/null")).unwrap().kind, EntryKind::Other);
    let file = home.path().join("file");
    std::fs::write(&file, "12345").unwrap();
    let stat = RealDisk.stat(&file).unwrap();
    let expect = std::fs::metadata(&file).unwrap();
    assert_eq!((stat.kind, stat.len), (EntryKind::File, 5));
    assert_eq!(stat.inode, (expect.dev(), expect.ino()));
    assert_eq!(stat.uid, expect.uid());
    assert_eq!(stat.mtime_ns, i128::from(expect.mtime()) * 1_000_000_000 + i128::from(expect.mtime_nsec()));
}

#[test]
fn names_come_sorted() {
    let home = folder();
    for name in ["b", "a", ".c", "B"] {
        std::fs::write(home.path().join(name), "").unwrap();
    }
    assert_eq!(RealDisk.list(home.path()).unwrap(), [".c", "B", "a", "b"]);
    assert_eq!(RealDisk.list(&home.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn make_dir_accepts_a_directory_or_a_link_to_one_and_nothing_else() {
    let home = folder();
    let at = |name: &str| home.path().join(name);
    RealDisk.make_dir(&at("dir")).unwrap();
    RealDisk.make_dir(&at("dir")).unwrap();
    symlink(at("dir"), at("link")).unwrap();
    RealDisk.make_dir(&at("link")).unwrap();
    assert!(at("link").is_symlink(), "the link stays");

    std::fs::write(at("file"), "").unwrap();
    symlink(at("file"), at("link-to-file")).unwrap();
    symlink(at("nowhere"), at("broken")).unwrap();
    for (name, is) in
        [("file", "a regular file"), ("link-to-file", "a symbolic link"), ("broken", "a symbolic link")]
    {
        let error = RealDisk.make_dir(&at(name)).unwrap_err();
        assert_eq!(Refusal::within(&error).expect("typed").is, is);
        assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
    }
    assert!(!at("nowhere").exists());
}

#[test]
fn a_rename_that_must_not_replace_leaves_both_files_alone_by_either_way() {
    type Rename = fn(&Path, &Path) -> io::Result<()>;
    let one_step: Rename = |from, to| RealDisk.rename_new(from, to);
    let two_steps: Rename = |from, to| Ok(link_then_unlink(from, to)?);
    for rename_new in [one_step, two_steps] {
        let home = folder();
        let at = |name: &str| home.path().join(name);
        std::fs::write(at("from"), "new").unwrap();
        std::fs::write(at("to"), "old").unwrap();
        assert_eq!(rename_new(&at("from"), &at("to")).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(at("from")).unwrap(), b"new");
        assert_eq!(std::fs::read(at("to")).unwrap(), b"old");
        rename_new(&at("from"), &at("free")).unwrap();
        assert!(!at("from").exists());
        assert_eq!(std::fs::read(at("free")).unwrap(), b"new");
        assert_eq!(rename_new(&at("from"), &at("x")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}

#[test]
fn remove_takes_a_file_or_a_link_but_never_a_directory() {
    let home = folder();
    let at = |name: &str| home.path().join(name);
    std::fs::create_dir(at("dir")).unwrap();
    std::fs::write(at("dir/kept"), "").unwrap();
    symlink(at("dir/kept"), at("link")).unwrap();
    RealDisk.remove(&at("link")).unwrap();
    assert!(at("dir/kept").exists());
    assert!(RealDisk.remove(&at("dir")).is_err());
    assert_eq!(RealDisk.remove(&at("link")).unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_lock_excludes_other_open_files_until_it_is_given_back_or_closed() {
    let home = folder();
    let path = home.path().join("lock");
    let open = || RealDisk.open(&path, OpenMode::ReadWrite).unwrap();
    let (first, second) = (open(), open());
    assert!(first.try_lock().unwrap());
    assert!(!second.try_lock().unwrap());
    first.unlock().unwrap();
    assert!(second.try_lock().unwrap());
    drop(second);
    first.lock().unwrap();
}

#[test]
fn directories_can_be_synced_also_through_a_link() {
    let home = folder();
    RealDisk.sync_dir(home.path()).unwrap();
    let link = home.path().join("link");
    symlink(home.path(), &link).unwrap();
    RealDisk.sync_dir(&link).unwrap();
    assert_eq!(RealDisk.sync_dir(&home.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
}

/// Not a test of its own: the umask belongs to the whole process.
#[test]
fn child_with_other_umasks() {
    let Some(home) = child::path_in_child() else { return };
    let home = PathBuf::from(home);
    for umask in [0o000, 0o022, 0o077, 0o277, 0o777] {
        rustix::process::umask(Mode::from_raw_mode(umask));
        for mode in [OpenMode::Append, OpenMode::ReadWrite, OpenMode::CreateNew] {
            let path = home.join(format!("{umask:o}-{mode:?}"));
            drop(RealDisk.open(&path, mode).unwrap());
            assert_eq!(RealDisk.stat(&path).unwrap().mode, 0o600, "{}", path.display());
        }
        let dir = home.join(format!("{umask:o}-dir"));
        RealDisk.make_dir(&dir).unwrap();
        assert_eq!(RealDisk.stat(&dir).unwrap().mode, 0o700, "{}", dir.display());
    }
}

#[test]
fn modes_are_0600_and_0700_whatever_the_umask() {
    child::run("real::tests::child_with_other_umasks", folder().path());
}
