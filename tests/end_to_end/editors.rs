//! People's editors at work on `memory/CLAUDE.md` while the weaver wants to edit it: what they save stands.

use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::TestHome;

const RULES: &str = "- Keep functions small.\n- Be kind.\n";

fn home() -> TestHome {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", RULES);
    home
}

fn memory(home: &TestHome) -> String {
    std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap()
}

/// One run of the weaver that looks at all there is.
fn tick(home: &TestHome) -> Value {
    home.write("subconscious/memory-weaver/inbox/look.md", "scan the spine, then repair memory/CLAUDE.md");
    let said = home.run(&["tick", "--partition", "memory-weaver", "--json"]);
    serde_json::from_str::<Value>(&said.out).unwrap_or_else(|_| panic!("{said:?}"))["runs"][0].clone()
}

/// An editor that has emptied the file, holds it open, and writes the text after so many seconds.
fn slow_editor(path: &Path, text: &str, seconds: &str) -> Child {
    let script = r#"exec 3>"$1"; echo open; sleep "$3"; printf %s "$2" >&3"#;
    let mut child = Command::new("sh")
        .args(["-c", script, "sh"])
        .arg(path)
        .args([text, seconds])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = [0; 5];
    child.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
    child
}

#[test]
fn a_slow_save_in_place_is_waited_for_and_its_text_is_what_is_edited() {
    let home = home();
    home.says("s1", "From now on always use pnpm, not npm.");
    let mine = "- Mine, and precious.\n- Keep functions small.\n";
    let mut editor = slow_editor(&home.path("memory/CLAUDE.md"), mine, "3");
    assert_eq!(memory(&home), "", "the editor has emptied it");
    let run = tick(&home);
    assert!(editor.wait().unwrap().success());
    let text = memory(&home);
    assert!(text.starts_with(mine) && text.contains("pnpm"), "{text:?} {run}");
}

#[test]
fn an_edit_waits_for_the_next_run_when_somebody_keeps_writing() {
    let home = home();
    home.says("s1", "From now on always use pnpm, not npm.");
    let edit = tick(&home)["result"].as_str().unwrap().to_owned();
    let edit = edit.split("subcortex revert ").nth(1).unwrap().trim_end_matches(')').to_owned();
    let before = memory(&home);
    home.says("s2", "From now on never push to main.");

    let mut open = std::fs::OpenOptions::new().append(true).open(home.path("memory/CLAUDE.md")).unwrap();
    let run = tick(&home);
    assert!(run.to_string().contains("somebody is writing"), "{run}");
    assert_eq!(run["acked"], serde_json::json!([]), "{run}");
    let said = home.run(&["revert", &edit]);
    assert_ne!(said.code, 0);
    assert!(said.err.contains("somebody is writing"), "{said:?}");
    open.write_all(b"- Mine, at last.\n").unwrap();
    assert_eq!(memory(&home), format!("{before}- Mine, at last.\n"));
    drop(open);
    tick(&home);
    let text = memory(&home);
    assert!(text.contains("- Mine, at last.\n") && text.contains("ever push to main"), "{text}");
}

#[test]
fn a_memory_file_kept_in_dotfiles_stays_a_link_with_its_mode_and_owner() {
    let home = home();
    let dotfiles = tempfile::tempdir().unwrap();
    let target = dotfiles.path().join("CLAUDE.md");
    std::fs::write(&target, RULES).unwrap();
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o640)).unwrap();
    // Another owner, where we may: only root can give a file away, and only root can keep it so.
    let _ = std::os::unix::fs::chown(&target, Some(1234), Some(1234));
    let before = std::fs::metadata(&target).unwrap();
    std::fs::remove_file(home.path("memory/CLAUDE.md")).unwrap();
    symlink(&target, home.path("memory/CLAUDE.md")).unwrap();
    home.says("s1", "From now on always use pnpm, not npm.");
    let run = tick(&home);
    assert!(std::fs::read_to_string(&target).unwrap().contains("pnpm"), "{run}");
    assert!(home.path("memory/CLAUDE.md").is_symlink());
    let after = std::fs::metadata(&target).unwrap();
    assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
    assert!(!home.run(&["doctor"]).out.contains("is a symbolic link"));
}

/// An editor that writes the text in pieces, with the file closed in between.
fn editor_in_steps(path: &Path, text: &str) -> std::thread::JoinHandle<()> {
    let (path, text) = (path.to_owned(), text.to_owned());
    std::fs::write(&path, "").unwrap();
    std::thread::spawn(move || {
        for piece in text.as_bytes().chunks(text.len() / 5 + 1) {
            std::thread::sleep(std::time::Duration::from_millis(660));
            let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
            file.write_all(piece).unwrap();
        }
    })
}

#[test]
fn rules_are_taken_over_only_once_a_save_in_steps_is_done() {
    let mine: String = (0..12).map(|n| format!("- Person rule {n}: keep it.\n")).collect();
    for command in [&["adopt"][..], &["init", "--from"]] {
        let home = home();
        home.write("AGENTS.md", "- Use pnpm, not npm.\n");
        let editor = editor_in_steps(&home.path("memory/CLAUDE.md"), &mine);
        let rules = home.path("AGENTS.md");
        let said = home.run(&[command, &[rules.to_str().unwrap()]].concat());
        editor.join().unwrap();
        assert_eq!(said.code, 0, "{said:?}");
        let text = memory(&home);
        assert!(text.starts_with(&mine) && text.contains("- Use pnpm, not npm."), "{text}");
    }
}

#[test]
fn a_forgotten_line_that_an_editor_brings_back_stays_until_it_is_forgotten_again() {
    let home = home();
    home.says("s1", "From now on always use pnpm, not npm.");
    tick(&home);
    let buffer = memory(&home);
    assert!(buffer.contains("pnpm"), "{buffer}");
    assert_eq!(home.run(&["forget", "--origin", "s1"]).code, 0);
    home.write("memory/CLAUDE.md", &buffer);
    tick(&home);
    assert_eq!(memory(&home), buffer);
    let said = home.run(&["forget", "--origin", "s1"]);
    assert!(said.out.contains("gone: memory/CLAUDE.md:L"), "{said:?}");
    assert_eq!(memory(&home), RULES);
}

const LINT: &[&str] = &["rule", "add", "Always run `make lint` before you push."];

#[test]
fn a_rule_waits_for_a_memory_file_that_is_moved_away_and_does_not_begin_another() {
    let home = TestHome::new();
    assert_eq!(home.run(&["rule", "add", "Use pnpm, not npm."]).code, 0);
    let (file, away) = (home.path("memory/CLAUDE.md"), home.path("memory/away"));
    std::fs::rename(&file, &away).unwrap();
    let back = std::thread::spawn({
        let (file, away) = (file.clone(), away.clone());
        move || {
            std::thread::sleep(std::time::Duration::from_secs(2));
            std::fs::rename(away, file).unwrap();
        }
    });
    let said = home.run(LINT);
    back.join().unwrap();
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(memory(&home), "- Use pnpm, not npm.\n- Always run `make lint` before you push.\n");
}

#[test]
fn a_memory_file_that_stays_away_is_not_begun_anew_unless_a_person_makes_an_empty_one() {
    let home = TestHome::new();
    home.write("AGENTS.md", "- Use pnpm, not npm.\n");
    let rules = home.path("AGENTS.md");
    assert_eq!(home.run(&["adopt", rules.to_str().unwrap()]).code, 0);
    let (file, away) = (home.path("memory/CLAUDE.md"), home.path("memory/away"));
    std::fs::rename(&file, &away).unwrap();
    for command in [LINT, &["adopt", rules.to_str().unwrap()]] {
        let said = home.run(command);
        assert_ne!(said.code, 0, "{said:?}");
        assert!(said.err.contains("CLAUDE.md is gone") && said.err.contains("empty file"), "{said:?}");
        assert!(!file.exists(), "nothing was begun: {said:?}");
    }
    std::fs::write(&file, "").unwrap();
    assert_eq!(home.run(LINT).code, 0);
    assert_eq!(memory(&home), "- Always run `make lint` before you push.\n");
}

#[test]
fn a_memory_file_that_its_owner_made_read_only_is_left_alone_and_everybody_says_so() {
    let home = home();
    let file = home.path("memory/CLAUDE.md");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    let said = home.run(LINT);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("read-only (mode 0444)") && said.err.contains("chmod u+w"), "{said:?}");
    home.write("other.md", "- Say why.\n");
    let said = home.run(&["adopt", home.path("other.md").to_str().unwrap()]);
    assert_eq!((said.code, memory(&home)), (2, RULES.to_owned()), "{said:?}");
    home.says("s1", "From now on always use pnpm, not npm.");
    let run = tick(&home);
    assert_eq!(memory(&home), RULES, "{run}");
    for command in ["doctor", "status"] {
        let said = home.run(&[command]);
        assert_eq!(said.out.matches("read-only (mode 0444)").count(), 1, "{said:?}");
    }
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(home.run(LINT).code, 0);
}

#[test]
fn a_memory_folder_that_cannot_be_written_is_a_problem_for_doctor() {
    let home = home();
    let folder = home.path("memory");
    assert!(!home.run(&["doctor"]).out.contains("not writable"));
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o555)).unwrap();
    let said = home.run(&["doctor"]);
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.out.contains("memory/ is not writable (mode 0555)"), "{said:?}");
    assert!(said.out.contains("chmod u+w"), "{said:?}");
}

#[test]
fn a_byte_order_mark_hides_no_rule_and_stays() {
    let home = home();
    home.write("memory/CLAUDE.md", "\u{feff}- Use pnpm, not npm.\n- Be kind.\n");
    let said = home.run(&["check"]);
    assert!(said.out.starts_with("L1  test     Use pnpm, not npm.\n"), "{said:?}");
    assert_eq!(home.run(LINT).code, 0);
    let added = "\u{feff}- Use pnpm, not npm.\n- Be kind.\n- Always run `make lint` before you push.\n";
    assert_eq!(memory(&home), added);
    assert_eq!(home.run(&["rule", "remove", "L1"]).code, 0);
    assert_eq!(memory(&home), added.replace("- Use pnpm, not npm.\n", ""));
    home.write("AGENTS.md", "- Never push to main.\n");
    assert_eq!(home.run(&["adopt", home.path("AGENTS.md").to_str().unwrap()]).code, 0);
    assert!(memory(&home).starts_with("\u{feff}- Be kind.\n"), "{:?}", memory(&home));
}

#[test]
fn settings_that_somebody_is_writing_are_not_connected() {
    let home = TestHome::new();
    let config = tempfile::tempdir().unwrap();
    let settings = config.path().join("settings.json");
    std::fs::write(&settings, "{\"model\": \"x\"}\n").unwrap();
    let open = std::fs::OpenOptions::new().append(true).open(&settings).unwrap();
    let connect = || {
        let mut command = home.command(&["connect", "claude", "--yes"]);
        command.env("CLAUDE_CONFIG_DIR", config.path()).output().unwrap()
    };
    let said = connect();
    let err = String::from_utf8_lossy(&said.stderr).into_owned();
    assert_eq!(said.status.code(), Some(2), "{err}");
    assert!(err.contains("somebody is writing"), "{err}");
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), "{\"model\": \"x\"}\n");
    drop(open);
    assert_eq!(connect().status.code(), Some(0));
}
