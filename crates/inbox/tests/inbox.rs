//! An inbox on a real file system.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use subcortex_cadence::ack::{FileFound, Found, Recovery, recover};
use subcortex_cadence::{RunTask, TaskName};
use subcortex_guard::check_basename;
use subcortex_inbox::{
    Acked, InboxError, MAX_REFUSED_LISTED, MAX_TASK_BYTES, ack, default_name, drop_task, list, look,
    read_body, task_key,
};
use subcortex_store::RealDisk;

struct Inbox(tempfile::TempDir);

impl Inbox {
    fn new() -> Inbox {
        Inbox(tempfile::tempdir().expect("a temporary folder"))
    }

    fn dir(&self) -> &Path {
        self.0.path()
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir().join(name)
    }

    /// Puts a file there that was last changed so many seconds after some day.
    fn put(&self, name: &str, body: &str, second: u64) {
        std::fs::write(self.at(name), body).unwrap();
        self.age(name, second);
    }

    fn age(&self, name: &str, second: u64) {
        let file = std::fs::File::options().write(true).open(self.at(name)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + second)).unwrap();
    }

    fn names(&self, limit: usize) -> String {
        let listing = list(&RealDisk, self.dir(), limit).unwrap();
        let names: Vec<&str> = listing.tasks.iter().map(|task| task.key.name.as_str()).collect();
        format!("{} of {}", names.join(" "), listing.total)
    }

    fn refusals(&self) -> Vec<String> {
        let listing = list(&RealDisk, self.dir(), 10).unwrap();
        assert_eq!(listing.refused.len(), listing.refused_total);
        listing
            .refused
            .into_iter()
            .map(|refused| format!("{}: {}", refused.shown_name, refused.reason))
            .collect()
    }

    fn take(&self, name: &str) -> RunTask {
        let listing = list(&RealDisk, self.dir(), 10).unwrap();
        listing.tasks.iter().find(|task| task.key.name.as_str() == name).expect("listed").taken()
    }
}

#[test]
fn tasks_are_listed_oldest_first_and_by_name_within_the_same_moment() {
    let inbox = Inbox::new();
    for (name, second) in [("young", 9), ("b", 5), ("a", 5), ("old", 1)] {
        inbox.put(name, "x", second);
    }
    assert_eq!(inbox.names(10), "old a b young of 4");
    assert_eq!(inbox.names(3), "old a b of 4");
    assert_eq!(inbox.names(0), " of 4");
}

#[test]
fn an_inbox_that_is_not_there_is_empty() {
    let inbox = Inbox::new();
    assert_eq!(list(&RealDisk, &inbox.at("missing"), 10).unwrap(), Default::default());
}

#[test]
fn files_that_are_being_written_are_ignored() {
    let inbox = Inbox::new();
    for name in [".hidden", ".task.md.tmp", "task.md.tmp", ".tmp"] {
        inbox.put(name, "x", 0);
    }
    assert_eq!(inbox.names(10), " of 0");
    assert_eq!(inbox.refusals(), Vec::<String>::new());
    std::fs::rename(inbox.at("task.md.tmp"), inbox.at("task.md")).unwrap();
    assert_eq!(inbox.names(10), "task.md of 1");
}

#[test]
fn what_is_no_task_is_refused_with_a_reason_and_stays() {
    let inbox = Inbox::new();
    inbox.put("good.md", "x", 0);
    std::fs::create_dir(inbox.at("folder")).unwrap();
    symlink("/etc/passwd", inbox.at("link.md")).unwrap();
    symlink(inbox.at("good.md"), inbox.at("link-to-a-task.md")).unwrap();
    symlink("nowhere", inbox.at("broken.md")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, inbox.at("pipe"), rustix::fs::Mode::RWXU).unwrap();
    std::fs::write(inbox.at("line\nend"), "x").unwrap();
    std::fs::write(inbox.at("turn\u{202e}dm.exe"), "x").unwrap();
    let not_text = OsStr::from_bytes(b"not\xfftext");
    std::fs::write(inbox.dir().join(not_text), "x").unwrap();
    std::fs::write(inbox.at("big"), vec![b'x'; MAX_TASK_BYTES as usize + 1]).unwrap();
    assert_eq!(inbox.names(10), "good.md of 1");
    let why = |name: &str| check_basename(name).unwrap_err().to_string();
    let only_files = "and only regular files are tasks: put the file itself here";
    assert_eq!(
        inbox.refusals(),
        [
            "big: the task has 1048577 bytes, and at most 1048576 are taken: put the text into a file and name its path in the task".to_owned(),
            format!("broken.md: it is a symbolic link, {only_files}"),
            format!("folder: it is a directory, {only_files}"),
            format!("line\\nend: {}", why("line\nend")),
            format!("link-to-a-task.md: it is a symbolic link, {only_files}"),
            format!("link.md: it is a symbolic link, {only_files}"),
            format!("not\u{fffd}text: {}", check_basename(not_text).unwrap_err()),
            format!("pipe: it is a FIFO, socket or device, {only_files}"),
            format!("turn\\u{{202e}}dm.exe: {}", why("turn\u{202e}dm.exe")),
        ]
    );
    assert_eq!(std::fs::read_dir(inbox.dir()).unwrap().count(), 10, "nothing was removed");
}

#[test]
fn a_file_of_the_greatest_length_is_a_task() {
    let inbox = Inbox::new();
    inbox.put("big", &"x".repeat(MAX_TASK_BYTES as usize), 0);
    assert_eq!(inbox.names(10), "big of 1");
}

#[test]
fn a_file_that_cannot_be_read_hides_no_other() {
    let inbox = Inbox::new();
    inbox.put("locked", "x", 0);
    inbox.put("open", "x", 1);
    std::fs::set_permissions(inbox.at("locked"), std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(inbox.at("locked")).is_ok() {
        return; // The superuser may read everything.
    }
    assert_eq!(inbox.names(1), "open of 1");
    assert_eq!(
        inbox.refusals(),
        [
            "locked: it cannot be read (Permission denied (os error 13)): give the daemon's user the right to read it, or drop it again"
        ]
    );
}

#[test]
fn many_refused_entries_are_counted_and_only_the_first_are_listed() {
    let inbox = Inbox::new();
    for number in 0..MAX_REFUSED_LISTED + 20 {
        symlink("nowhere", inbox.at(&format!("{number:03}"))).unwrap();
    }
    let listing = list(&RealDisk, inbox.dir(), 10).unwrap();
    assert_eq!((listing.refused.len(), listing.refused_total), (MAX_REFUSED_LISTED, MAX_REFUSED_LISTED + 20));
}

#[test]
fn of_very_many_files_the_oldest_are_found_whatever_their_names() {
    let inbox = Inbox::new();
    // 7 and 1501 have no common factor, so every age is met once, in no order.
    for number in 0..1_500_u64 {
        inbox.put(&format!("{number:04}"), "x", number * 7 % 1_501);
    }
    // The ages 0, 1 and 2.
    assert_eq!(inbox.names(3), "0000 0429 0858 of 1500");
}

#[test]
fn the_scheduler_sees_tasks_first_and_then_what_is_refused() {
    let inbox = Inbox::new();
    inbox.put("z.md", "x", 0);
    symlink("nowhere", inbox.at("a.md")).unwrap();
    let seen = list(&RealDisk, inbox.dir(), 10).unwrap().seen();
    let shown: Vec<_> = seen.iter().map(|task| (task.key.name.as_str(), task.refused.is_some())).collect();
    assert_eq!(shown, [("z.md", false), ("a.md", true)]);
}

#[test]
fn a_dropped_task_is_a_private_file_with_exactly_its_body() {
    let inbox = Inbox::new();
    let body = b"[memory:scan] token=ghp_0123456789abcdefghijABCDEFGHIJ456789\xff";
    let name = drop_task(&RealDisk, inbox.dir(), "a:b.md", body).unwrap();
    assert_eq!(name.as_str(), "a:b.md");
    assert_eq!(std::fs::read(inbox.at("a:b.md")).unwrap(), body, "the file is its person's own");
    assert_eq!(std::fs::metadata(inbox.at("a:b.md")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_dir(inbox.dir()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn a_drop_makes_the_inbox_of_a_partition_that_has_none() {
    let home = Inbox::new();
    drop_task(&RealDisk, &home.at("inbox"), "a.md", b"x").unwrap();
    assert_eq!(std::fs::read(home.at("inbox/a.md")).unwrap(), b"x");
    assert!(drop_task(&RealDisk, &home.at("no-partition/inbox"), "a.md", b"x").is_err());
    assert!(!home.at("no-partition").exists());
}

#[track_caller]
fn check_refused_drop(inbox: &Inbox, name: &str, body: &[u8], expect: &str) {
    let error = drop_task(&RealDisk, inbox.dir(), name, body).expect_err("refused");
    let said = error.to_string().replace(&format!("{}/", inbox.dir().display()), "");
    assert!(error.is_refused_input(), "{said}");
    assert_eq!(said, expect);
}

#[test]
fn a_drop_that_could_not_be_seen_or_would_replace_is_refused() {
    let inbox = Inbox::new();
    inbox.put("there.md", "first", 0);
    let exists = "`there.md` exists already and was left as it is: choose another name, or remove it first";
    check_refused_drop(&inbox, "there.md", b"second", exists);
    let ignored = |name: &str| {
        format!(
            "the name `{name}` begins with a dot or ends in `.tmp`, and such files are ignored in an inbox; use another name"
        )
    };
    check_refused_drop(&inbox, ".a", b"x", &ignored(".a"));
    check_refused_drop(&inbox, "a.tmp", b"x", &ignored("a.tmp"));
    check_refused_drop(&inbox, "../a", b"x", &check_basename("../a").unwrap_err().to_string());
    check_refused_drop(
        &inbox,
        "big",
        &vec![b'x'; MAX_TASK_BYTES as usize + 1],
        "the task has 1048577 bytes, and at most 1048576 are taken: put the text into a file and name its path in the task",
    );
    assert_eq!(std::fs::read(inbox.at("there.md")).unwrap(), b"first");
    assert_eq!(std::fs::read_dir(inbox.dir()).unwrap().count(), 1);
}

#[test]
fn default_names_are_readable_and_differ_within_one_second() {
    let now = "2026-11-14T08:37:00Z".parse().unwrap();
    let (one, two) = (default_name(now), default_name(now));
    assert_ne!(one, two);
    let random =
        one.as_str().strip_prefix("task-20261114T083700Z-").and_then(|rest| rest.strip_suffix(".md"));
    assert!(random.is_some_and(|digits| digits.len() == 8), "{}", one.as_str());
}

#[test]
fn a_body_is_read_with_the_key_of_its_bytes_and_says_when_it_is_not_text() {
    let inbox = Inbox::new();
    std::fs::write(inbox.at("a.md"), b"x\xffy").unwrap();
    let body = read_body(&RealDisk, inbox.dir(), &TaskName::new("a.md")).unwrap();
    assert_eq!((body.text.as_str(), body.lossy), ("x\u{fffd}y", true));
    assert_eq!(body.key, task_key("a.md", b"x\xffy"));
    let taken = inbox.take("a.md");
    assert_eq!((body.key, body.stamp), (taken.key, taken.stamp));
    std::fs::write(inbox.at("a.md"), "grüße").unwrap();
    let body = read_body(&RealDisk, inbox.dir(), &TaskName::new("a.md")).unwrap();
    assert_eq!((body.text.as_str(), body.lossy), ("grüße", false));
}

#[test]
fn a_body_is_never_read_through_a_link_or_out_of_the_inbox() {
    let inbox = Inbox::new();
    symlink("/etc/passwd", inbox.at("link.md")).unwrap();
    for name in ["link.md", "../x", ".hidden", ""] {
        assert!(read_body(&RealDisk, inbox.dir(), &TaskName::new(name)).is_err(), "{name}");
    }
}

#[test]
fn name_and_body_make_a_key_that_neither_alone_can_forge() {
    assert_eq!(task_key("a", b"b"), task_key("a", b"b"));
    assert_ne!(task_key("a", b"b").hash, task_key("a", b"c").hash);
    assert_ne!(task_key("a", b"b").hash, task_key("c", b"b").hash);
    assert_ne!(task_key("a", b"bc").hash, task_key("ab", b"c").hash);
}

#[test]
fn an_ack_removes_exactly_the_task_and_twice_is_once() {
    let inbox = Inbox::new();
    inbox.put("a.md", "x", 0);
    inbox.put("b.md", "x", 1);
    let task = inbox.take("a.md");
    assert_eq!(ack(&RealDisk, inbox.dir(), &task).unwrap(), Acked::Removed);
    assert_eq!(inbox.names(10), "b.md of 1");
    assert_eq!(ack(&RealDisk, inbox.dir(), &task).unwrap(), Acked::Gone);
}

#[test]
fn an_ack_leaves_a_new_file_under_the_old_name() {
    let check = |change: &dyn Fn(&Inbox)| {
        let inbox = Inbox::new();
        inbox.put("a.md", "x", 0);
        let task = inbox.take("a.md");
        change(&inbox);
        assert_eq!(look(&RealDisk, inbox.dir(), &task).unwrap(), FileFound::Another);
        assert_eq!(ack(&RealDisk, inbox.dir(), &task).unwrap(), Acked::Replaced);
        assert!(inbox.at("a.md").symlink_metadata().is_ok());
    };
    check(&|inbox| inbox.put("a.md", "another body", 0));
    check(&|inbox| inbox.put("a.md", "y", 0)); // Same length, same inode, same time: the content differs.
    check(&|inbox| inbox.put("a.md", "x", 5)); // The same content, dropped again.
    check(&|inbox| {
        std::fs::remove_file(inbox.at("a.md")).unwrap();
        std::fs::create_dir(inbox.at("a.md")).unwrap();
    });
    check(&|inbox| {
        std::fs::remove_file(inbox.at("a.md")).unwrap();
        symlink("/etc/passwd", inbox.at("a.md")).unwrap();
    });
}

#[test]
fn a_recovery_is_decided_by_what_the_inbox_holds() {
    let inbox = Inbox::new();
    inbox.put("a.md", "x", 0);
    let task = inbox.take("a.md");
    let recovery = |result, done_on_spine| {
        let file = look(&RealDisk, inbox.dir(), &task).unwrap();
        recover(Found { file, result_recorded: result, done_on_spine })
    };
    assert_eq!(recovery(false, false), Recovery::RunAgain);
    assert_eq!(recovery(true, false), Recovery::RecordDoneThenRemove);
    assert_eq!(recovery(true, true), Recovery::Remove);
    inbox.put("a.md", "new", 0);
    assert_eq!(recovery(true, false), Recovery::RecordDone);
    assert_eq!(recovery(true, true), Recovery::Nothing);
    std::fs::remove_file(inbox.at("a.md")).unwrap();
    assert_eq!(recovery(false, false), Recovery::Forget);
}

#[test]
fn a_name_from_a_damaged_state_cannot_lead_out_of_the_inbox() {
    let inbox = Inbox::new();
    inbox.put("a.md", "x", 0);
    let mut task = inbox.take("a.md");
    task.key.name = TaskName::new("../a.md");
    assert!(matches!(ack(&RealDisk, inbox.dir(), &task), Err(InboxError::Name(_))));
}
