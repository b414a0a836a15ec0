//! Somebody saves the file while it is replaced or removed: that save stands, in whichever moment it comes.

use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Folder;
use crate::crash::CrashDisk;
use crate::durable::{self, Patience, WriteError};
use crate::faulty::{Fault, FaultKind, FaultyDisk, Then};
use crate::{Disk, RealDisk};

/// How long a writer is given to begin: it may have to wait for a lease, and must not be waited for then.
const BEGINS_WITHIN: Duration = Duration::from_millis(30);

/// How somebody saves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Save {
    /// A new file is renamed over the old.
    Renaming,
    /// The file is emptied and written in place, slowly.
    InPlace,
    /// A new file is renamed over the old, and another one right after that.
    RenamingTwice,
}

impl Save {
    /// Begins a save in a thread of its own.
    fn begin(self, path: PathBuf) -> JoinHandle<()> {
        let rename = |content: &str, path: &Path| {
            let beside = path.with_extension("editor");
            std::fs::write(&beside, content).unwrap();
            std::fs::rename(beside, path).unwrap();
        };
        std::thread::spawn(move || match self {
            Save::Renaming => rename("edit", &path),
            Save::RenamingTwice => {
                rename("first edit", &path);
                rename("edit", &path);
            }
            Save::InPlace => {
                let mut file = std::fs::File::create(&path).unwrap();
                for byte in "edit".bytes() {
                    std::thread::sleep(Duration::from_millis(5));
                    file.write_all(&[byte]).unwrap();
                }
            }
        })
    }
}

type Act = fn(&dyn Disk, &Path) -> Result<(), WriteError>;

/// Lets somebody save right before each call of an operation in turn; says what the operation said each time.
fn save_before_each_call(save: Save, act: Act) -> Vec<(String, Result<(), WriteError>)> {
    let mut found = Vec::new();
    for at_call in 1.. {
        let folder = Folder::with(&[("f", "read")]);
        let path = folder.at("f");
        let saving: Arc<Mutex<Option<JoinHandle<()>>>> = Arc::default();
        let (begun, to) = (Arc::clone(&saving), path.clone());
        let disk = FaultyDisk::interrupted(RealDisk, at_call, move || {
            let writer = save.begin(to);
            let since = Instant::now();
            while !writer.is_finished() && since.elapsed() < BEGINS_WITHIN {
                std::thread::yield_now();
            }
            *begun.lock().unwrap() = Some(writer);
        });
        let outcome = act(&disk, &path);
        let call = disk.log().get(usize::try_from(at_call).unwrap() - 1).cloned();
        drop(disk);
        let Some(call) = call else { return found };
        saving.lock().unwrap().take().unwrap().join().unwrap();
        durable::finish_replacements(&RealDisk, folder.0.path()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "edit", "{save:?} before {call}: {outcome:?}");
        let beside: Vec<String> = folder.look().split(' ').map(str::to_owned).collect();
        let is_known = |file: &String| file == "f=edit" || file.contains("f.kept-");
        assert!(folder.look().contains("first") || beside.iter().all(is_known), "{beside:?} before {call}");
        found.push((call.split(' ').nth(1).unwrap().to_owned(), outcome));
    }
    found
}

#[test]
fn a_save_at_any_moment_of_a_replacement_stands() {
    for save in [Save::Renaming, Save::InPlace, Save::RenamingTwice] {
        let found = save_before_each_call(save, |disk, path| {
            durable::replace_if_unchanged(disk, path, Some(b"read"), b"ours")
        });
        let calls: Vec<&str> = found.iter().map(|(call, _)| call.as_str()).collect();
        assert!(calls.contains(&"exchange") && calls.contains(&"copy_attributes"), "{calls:?}");
        for (call, outcome) in &found {
            let is_fine =
                matches!(outcome, Ok(()) | Err(WriteError::Conflict { .. } | WriteError::Busy { .. }));
            assert!(is_fine, "{save:?} before {call}: {outcome:?}");
        }
        // The moment that used to lose it: between the last look and the change of names.
        let at_exchange = found.iter().find(|(call, _)| call == "exchange").unwrap();
        assert!(matches!(at_exchange.1, Err(WriteError::Conflict { .. })), "{save:?}: {at_exchange:?}");
    }
}

#[test]
fn a_save_at_any_moment_of_a_removal_stands() {
    for save in [Save::Renaming, Save::InPlace] {
        save_before_each_call(save, |disk, path| {
            durable::remove_if_unchanged(disk, path, b"read").map(|_| ())
        });
    }
}

/// A program of its own that has the file open for writing, empty so far, until it is told to finish.
struct SlowEditor(Child);

impl SlowEditor {
    fn open(path: &Path) -> SlowEditor {
        let script = r#"exec 3>"$1"; echo open; read -r rest; printf %s "$rest" >&3"#;
        let mut child = Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = [0; 5];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut line).unwrap();
        assert_eq!(&line, b"open\n");
        SlowEditor(child)
    }

    fn finish(mut self, content: &str) {
        writeln!(self.0.stdin.as_mut().unwrap(), "{content}").unwrap();
        assert!(self.0.wait().unwrap().success());
    }
}

#[test]
fn a_file_that_somebody_emptied_and_still_holds_open_is_left_alone() {
    let folder = Folder::with(&[("f", "read")]);
    let path = folder.at("f");
    let editor = SlowEditor::open(&path);
    assert_eq!(std::fs::read(&path).unwrap(), b"", "the editor has emptied it");
    let outcome = durable::replace_if_unchanged(&RealDisk, &path, Some(b""), b"ours");
    assert!(matches!(outcome, Err(WriteError::Busy { .. })), "{outcome:?}");
    let outcome = durable::remove_if_unchanged(&RealDisk, &path, b"");
    assert!(matches!(outcome, Err(WriteError::Busy { .. })), "{outcome:?}");
    let outcome = durable::wait_until_quiet(&RealDisk, &path, Patience::NONE);
    assert_eq!(
        outcome.unwrap_err().to_string().replace(&folder.0.path().display().to_string(), "~"),
        "somebody is writing `~/f`; it was left alone: try again when they are done"
    );
    editor.finish("a long and precious text");
    assert_eq!(folder.look(), "f=a long and precious text");
    durable::replace_if_unchanged(&RealDisk, &path, Some(b"a long and precious text"), b"ours").unwrap();
    assert_eq!(folder.look(), "f=ours");
}

#[test]
fn waiting_ends_when_the_file_is_quiet_or_patience_is_over() {
    let folder = Folder::with(&[("f", "just saved")]);
    let patience = Patience {
        quiet: Duration::from_millis(300),
        unfinished: Duration::ZERO,
        at_most: Duration::from_secs(60),
    };
    durable::wait_until_quiet(&RealDisk, &folder.at("f"), patience).unwrap();
    let modified = std::fs::metadata(folder.at("f")).unwrap().modified().unwrap();
    assert!(modified.elapsed().unwrap() >= patience.quiet);
    durable::wait_until_quiet(&RealDisk, &folder.at("none"), patience).unwrap();

    let editor = SlowEditor::open(&folder.at("f"));
    let short = Patience { at_most: Duration::from_millis(100), ..patience };
    let outcome = durable::wait_until_quiet(&RealDisk, &folder.at("f"), short);
    assert!(matches!(outcome, Err(WriteError::Busy { .. })), "{outcome:?}");
    editor.finish("done");
}

#[test]
fn a_file_that_is_empty_or_ends_within_a_line_is_waited_for_longer() {
    let patience = Patience {
        quiet: Duration::from_millis(100),
        unfinished: Duration::from_millis(900),
        at_most: Duration::from_secs(60),
    };
    for (text, longer) in [("", true), ("- half a li", true), ("- a line\n", false)] {
        let folder = Folder::with(&[("f", text)]);
        durable::wait_until_quiet(&RealDisk, &folder.at("f"), patience).unwrap();
        let age = std::fs::metadata(folder.at("f")).unwrap().modified().unwrap().elapsed().unwrap();
        assert!(age >= if longer { patience.unfinished } else { patience.quiet }, "{text:?}: {age:?}");
        // How old it is does not matter to whoever waits for nobody.
        std::fs::write(folder.at("f"), text).unwrap();
        durable::wait_until_quiet(&RealDisk, &folder.at("f"), Patience::NONE).unwrap();
    }
}

#[test]
fn somebody_who_saves_in_steps_with_the_file_closed_in_between_is_waited_for() {
    let folder = Folder::with(&[("f", "")]);
    let path = folder.at("f");
    let patience = Patience { at_most: Duration::from_secs(60), ..Patience::USUAL };
    let steps = ["- one\n", "- two\n- thr", "ee\n", "- four\n"];
    let (saving, file) = (path.clone(), std::fs::File::create(&path).unwrap());
    drop(file);
    let editor = std::thread::spawn(move || {
        for step in steps {
            std::thread::sleep(Duration::from_millis(660)); // longer than a file must usually be quiet
            let mut file = std::fs::OpenOptions::new().append(true).open(&saving).unwrap();
            std::io::Write::write_all(&mut file, step.as_bytes()).unwrap();
        }
    });
    let read = durable::read_when_quiet(&RealDisk, &path, 1000, patience).unwrap();
    assert_eq!(read.as_deref(), Some(steps.concat().as_bytes()));
    editor.join().unwrap();
    durable::replace_when_quiet(&RealDisk, &path, read.as_deref(), b"ours\n", patience).unwrap();
    assert_eq!(folder.look(), "f=ours\n");
}

#[test]
fn mode_owner_and_notes_of_a_file_stay() {
    let folder = Folder::with(&[("f", "read")]);
    let path = folder.at("f");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        std::os::unix::fs::chown(&path, Some(1234), Some(2345)).unwrap();
    }
    let noted = rustix::fs::setxattr(&path, "user.note", b"mine", rustix::fs::XattrFlags::empty()).is_ok();
    let before = std::fs::metadata(&path).unwrap();
    durable::replace_if_unchanged(&RealDisk, &path, Some(b"read"), b"ours").unwrap();
    let after = std::fs::metadata(&path).unwrap();
    assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
    assert_eq!(after.mode() & 0o7777, 0o640);
    assert_eq!(folder.look(), "f=ours");
    if noted {
        let mut value = [0; 8];
        let len = rustix::fs::getxattr(&path, "user.note", &mut value).unwrap();
        assert_eq!(&value[..len], b"mine");
    }
}

#[test]
fn a_file_with_several_names_and_a_link_are_left_alone() {
    let folder = Folder::with(&[("f", "read")]);
    std::fs::hard_link(folder.at("f"), folder.at("twin")).unwrap();
    symlink(folder.at("f"), folder.at("link")).unwrap();
    let outcome = durable::replace_if_unchanged(&RealDisk, &folder.at("f"), Some(b"read"), b"ours");
    assert!(outcome.unwrap_err().to_string().contains("its 2 names (hard links)"));
    let outcome = durable::replace_if_unchanged(&RealDisk, &folder.at("link"), Some(b"read"), b"ours");
    assert!(matches!(outcome, Err(WriteError::NotRegular(_))));
    assert_eq!(folder.look(), "f=read link=read twin=read");
}

/// A replacement that dies before each call while somebody has saved right before the exchange.
#[test]
fn a_save_that_was_displaced_gets_its_name_back_whenever_the_program_dies() {
    let mut displaced = 0;
    for later in 0.. {
        let folder = Folder::with(&[("f", "read")]);
        let path = folder.at("f");
        let to = path.clone();
        let exchange_at =
            calls_of_a_replacement().iter().position(|call| call.contains(" exchange ")).unwrap() as u64 + 1;
        let saves = FaultyDisk::interrupted(RealDisk, exchange_at, move || {
            Save::Renaming.begin(to).join().unwrap();
        });
        let fault = Fault { at_call: exchange_at + later, kind: FaultKind::Crash, then: Then::FromThenOn };
        let disk = FaultyDisk::new(saves, fault);
        let _ = durable::replace_if_unchanged(&disk, &path, Some(b"read"), b"ours");
        displaced += usize::from(std::fs::read(&path).unwrap() == b"ours");
        if std::fs::read(&path).unwrap() == b"read" {
            std::fs::write(&path, "edit").unwrap(); // it died before anybody saved
        }
        durable::sweep_temporaries(&RealDisk, folder.0.path()).unwrap();
        assert!(durable::finish_replacements(&RealDisk, folder.0.path()).unwrap().is_empty());
        assert_eq!(folder.look(), "f=edit", "dies {later} calls after the exchange");
        if !disk.was_reached() {
            break;
        }
    }
    assert!(displaced > 1, "{displaced}");
}

fn calls_of_a_replacement() -> Vec<String> {
    let folder = Folder::with(&[("f", "read")]);
    let disk = FaultyDisk::counting(RealDisk);
    durable::replace_if_unchanged(&disk, &folder.at("f"), Some(b"read"), b"ours").unwrap();
    disk.log()
}

#[test]
fn of_two_saves_the_later_one_keeps_the_name_and_the_other_is_kept_beside_it() {
    let folder = Folder::with(&[("f", "later save")]);
    let name = format!(".f.999999999.1.{}-{}.aside", "1".repeat(16), "2".repeat(16));
    std::fs::write(folder.at(&name), "earlier save").unwrap();
    let kept = durable::finish_replacements(&RealDisk, folder.0.path()).unwrap();
    assert_eq!(kept, [folder.at("f.kept-1")]);
    assert_eq!(folder.look(), "f.kept-1=earlier save f=later save");
}

#[test]
fn a_power_cut_leaves_the_old_content_or_the_new_and_nothing_else() {
    let root = Path::new("/home");
    let path = root.join("f");
    for at_call in 1.. {
        let crash = CrashDisk::new(root);
        durable::create_new(&crash, &path, b"read").unwrap();
        let fault = Fault { at_call, kind: FaultKind::Crash, then: Then::FromThenOn };
        let disk = FaultyDisk::new(crash.clone(), fault);
        let outcome = durable::replace_if_unchanged(&disk, &path, Some(b"read"), b"ours");
        for seed in 0..40 {
            let after = crash.power_cut(seed);
            durable::sweep_temporaries(&after, root).unwrap();
            durable::finish_replacements(&after, root).unwrap();
            let held = durable::read(&after, &path, 100).unwrap();
            assert!(held == b"read" || held == b"ours", "{held:?} after {at_call}, seed {seed}");
            assert!(outcome.is_err() || held == b"ours", "what was said to be done is done");
            let names = after.list(root).unwrap();
            assert!(
                names.iter().all(|name| name == "f" || name.to_str().unwrap().ends_with(".tmp")),
                "{names:?}"
            );
        }
        if !disk.was_reached() {
            break;
        }
    }
}

/// Lets a program of its own save `save 1` to `save 300` while the file is edited again and again.
fn edit_while_saved(script: &str) {
    let folder = Folder::with(&[("f", "save 0")]);
    let path = folder.at("f");
    let mut editor = Command::new("sh").args(["-c", script, "sh"]).arg(&path).spawn().unwrap();
    let (mut edits, mut refusals) = (0, 0);
    while editor.try_wait().unwrap().is_none() {
        let Ok(read) = durable::read(&RealDisk, &path, 1 << 20) else { continue };
        let ours = [&read[..read.len().min(8)], b" and ours"].concat();
        match durable::replace_if_unchanged(&RealDisk, &path, Some(&read), &ours) {
            Ok(()) => edits += 1,
            Err(WriteError::Conflict { .. } | WriteError::Busy { .. }) => refusals += 1,
            Err(error) => panic!("{error}"),
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    durable::finish_replacements(&RealDisk, folder.0.path()).unwrap();
    let held = std::fs::read_to_string(&path).unwrap();
    assert!(held.starts_with("save 300"), "{held:?} after {edits} edits and {refusals} refusals");
    // How many edits got in between is the machine's affair; that one does when nobody saves any more is not.
    durable::replace_if_unchanged(&RealDisk, &path, Some(held.as_bytes()), b"ours").unwrap();
    assert!(!folder.look().contains("TEMPORARY"));
}

#[test]
fn the_last_save_of_an_editor_that_writes_in_place_is_there_in_the_end() {
    edit_while_saved(r#"for n in $(seq 300); do printf "save $n" > "$1"; sleep 0.002; done"#);
}

#[test]
fn the_last_save_of_an_editor_that_renames_is_there_in_the_end() {
    edit_while_saved(
        r#"for n in $(seq 300); do printf "save $n" > "$1.new"; mv "$1.new" "$1"; sleep 0.002; done"#,
    );
}

#[test]
fn the_last_save_of_an_editor_that_empties_the_file_and_fills_it_slowly_is_there_in_the_end() {
    let script = r#"for n in $(seq 300); do exec 3>"$1"; printf save >&3; sleep 0.002; printf " $n" >&3; exec 3>&-; done"#;
    edit_while_saved(script);
}
