//! Real repositories, real git.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    unreachable_pub
)]

mod common;

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use common::{Place, run};
use jiff::{SignedDuration, Timestamp};
use subcortex_store::durable::Patience;
use subcortex_testkit::has_program;

#[test]
fn what_passes_is_one_commit_with_a_subject_and_trailers_and_what_does_not_is_held_back_with_the_reason() {
    if !has_program("committing", "git") {
        return;
    }
    let place = Place::new();
    let home = place.home("a");
    home.write("CLAUDE.md", "- Use pnpm, not npm.\n");
    home.write("topics/deploys.md", "# Deploys\n");
    home.write("state/spine-scanner.json", "{}\n");
    let done = home.commit();
    assert_eq!(done.files, ["CLAUDE.md", "topics/deploys.md"]);
    let log = home.git(&["log", "-1", "--format=%an%n%B"]);
    let expect = "subcortex\nmemory: add \"Use pnpm, not npm.\", one dossier\n\n+ Use pnpm, not npm.\n\nTick: 7\nRun: run-1\n";
    assert_eq!(log.trim_end(), expect.trim_end());
    assert!(home.git(&["status", "--porcelain"]).is_empty(), "positions are not shared");

    // What we wrote without evidence is held back, with its whole file.
    let ours = "- Use pnpm, not npm.\n- Never use yarn.\n";
    home.write("CLAUDE.md", ours);
    home.wrote(ours, 2, None);
    home.write("topics/deploys.md", "# Deploys\n\nOn Fridays.\n");
    let done = home.commit();
    assert_eq!(done.files, ["journal.jsonl", "topics/deploys.md"]);
    assert_eq!(done.held_back[0].path, "CLAUDE.md");
    assert_eq!(home.tasks().len(), 1);
    let inbox = home.root.join("subconscious/memory-weaver/inbox");
    let task = std::fs::read_to_string(inbox.join(&home.tasks()[0])).unwrap();
    assert!(task.contains("memory/CLAUDE.md:L2: it forbids something"), "{task}");
    assert_eq!(home.read("CLAUDE.md"), ours, "the file is its person's");

    home.commit();
    assert_eq!(home.tasks().len(), 1, "said once");
    home.write("CLAUDE.md", "- Use pnpm, not npm.\n- Never use yarn; use pnpm.\n");
    assert_eq!(home.commit().files, ["CLAUDE.md"]);
    assert!(home.tasks().is_empty(), "taken back");
    assert_eq!(home.git(&["rev-list", "--count", "HEAD"]).trim(), "3");
}

#[test]
fn a_line_in_a_persons_own_words_is_noted_and_never_held_back() {
    if !has_program("committing", "git") {
        return;
    }
    let place = Place::new();
    let home = place.home("a");
    home.write(
        "CLAUDE.md",
        "- Never force-push.\n- The build is broken as of 2026-01-02, use the old one.\n",
    );
    let done = home.commit();
    assert_eq!((done.files, done.held_back), (vec!["CLAUDE.md".to_owned()], Vec::new()));
    assert_eq!(done.noted.len(), 2, "{:?}", done.noted);
    assert!(done.noted[0].contains("memory/CLAUDE.md:L1: it forbids something"), "{:?}", done.noted);
    assert!(home.tasks().is_empty());

    // We wrote it down, in the words in which a person said it.
    let text = home.read("CLAUDE.md") + "- Never use yarn.\n";
    home.write("CLAUDE.md", &text);
    home.wrote(&text, 3, Some("Please never use yarn here, it breaks the lock file."));
    let done = home.commit();
    assert_eq!((done.held_back, done.noted.len()), (Vec::new(), 1), "{:?}", done.noted);
    assert!(done.files.contains(&"CLAUDE.md".to_owned()));

    // Other words are ours, and have to pass.
    let text = text + "- Avoid lock files of other managers.\n";
    home.write("CLAUDE.md", &text);
    home.wrote(&text, 4, Some("Please never use yarn here, it breaks the lock file."));
    assert_eq!(home.commit().held_back[0].path, "CLAUDE.md");
}

#[test]
fn a_file_in_which_a_person_wrote_a_secret_is_held_back_until_it_is_gone() {
    if !has_program("committing", "git") {
        return;
    }
    let place = Place::new();
    let home = place.home("a");
    home.write("CLAUDE.md", "- Use pnpm, not npm.\n");
    home.commit();
    let token = format!("ghp_{}", "Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh4Jk0Lz3Xc7");
    home.write("CLAUDE.md", &format!("- Use pnpm, not npm.\n- Always push with the token {token}.\n"));
    home.write("topics/mine.md", &format!("# Mine\n\n{token}\n"));
    home.write("topics/deploys.md", "# Deploys\n");
    let done = home.commit();
    assert_eq!(done.files, ["topics/deploys.md"]);
    let reasons: Vec<&str> =
        done.held_back.iter().flat_map(|held| held.reasons.iter().map(String::as_str)).collect();
    assert_eq!(
        reasons,
        [
            "memory/CLAUDE.md:L2: it holds what looks like a secret",
            "memory/topics/mine.md:L3: it holds what looks like a secret",
        ]
    );
    assert!(home.read("CLAUDE.md").contains(&token), "the file is its person's");
    assert!(!home.git(&["log", "-p", "--all"]).contains(&token));

    home.write("CLAUDE.md", "- Use pnpm, not npm.\n- Always push with the token of the keyring.\n");
    assert_eq!(home.commit().files, ["CLAUDE.md"]);
}

#[test]
fn white_space_alone_is_no_commit_and_neither_is_nothing() {
    if !has_program("committing", "git") {
        return;
    }
    let place = Place::new();
    let home = place.home("a");
    home.write("CLAUDE.md", "- Use pnpm, not npm.\n");
    assert!(home.commit().commit.is_some());
    assert!(home.commit().commit.is_none());
    home.write("CLAUDE.md", "\n- Use  pnpm, not npm.  \n\n");
    assert!(home.commit().commit.is_none());
}

#[test]
fn what_somebody_else_does_in_the_repository_is_left_alone() {
    if !has_program("committing", "git") {
        return;
    }
    let place = Place::new();
    let home = place.home("a");
    home.write("CLAUDE.md", "- Use pnpm, not npm.\n");
    home.commit();
    home.write("CLAUDE.md", "- Use pnpm, not npm.\n- Run the tests before each commit.\n");
    for left in ["index.lock", "rebase-merge", "MERGE_HEAD"] {
        let path = home.memory().join(".git").join(left);
        std::fs::write(&path, "").unwrap();
        let done = home.commit();
        assert!(done.left_alone.is_some() && done.commit.is_none() && done.wake_at.is_some(), "{left}");
        assert!(path.exists());
        std::fs::remove_file(path).unwrap();
    }
    home.write("notes.txt", "a person's own file\n");
    home.git(&["add", "notes.txt"]);
    assert!(home.commit().commit.is_some());
    assert_eq!(home.git(&["status", "--porcelain"]), "A  notes.txt\n", "what a person staged stays staged");
}

#[test]
fn a_file_that_an_editor_is_saving_waits_and_the_rest_is_committed() {
    if !has_program("committing", "git") {
        return;
    }
    let place = Place::new();
    let mut home = place.home("a");
    let whole = "- Use pnpm, not npm.\n- Run the tests before each commit.\n";
    home.write("CLAUDE.md", whole);
    home.commit();
    home.patience = Patience { at_most: Duration::from_millis(100), ..Patience::USUAL };
    home.write("topics/tests.md", "Tests run in the container.\n");
    // As an editor saves in place: emptied, a part of it, the rest.
    let mut saving = std::fs::File::create(home.memory().join("CLAUDE.md")).unwrap();
    saving.write_all(b"- Use pn").unwrap();
    let done = home.commit();
    assert_eq!(done.files, ["topics/tests.md"]);
    assert_eq!(done.being_saved, ["CLAUDE.md"]);
    let soon = Timestamp::now().checked_add(SignedDuration::from_mins(6)).unwrap();
    assert!(done.wake_at.is_some_and(|at| at < soon), "it is looked at again");
    assert_eq!(home.git(&["show", "HEAD:CLAUDE.md"]), whole);
    saving.write_all(b"pm, not npm.\n").unwrap();
    drop(saving);
    home.patience = Patience::NONE;
    assert_eq!(home.commit().files, ["CLAUDE.md"]);
    assert_eq!(home.git(&["show", "HEAD:CLAUDE.md"]), "- Use pnpm, not npm.\n");
}

#[test]
fn what_is_saved_while_git_is_at_work_is_not_what_was_judged_and_waits_for_the_next_commit() {
    if !has_program("committing", "git") {
        return;
    }
    let place = Place::new();
    let mut home = place.home("a");
    home.write("CLAUDE.md", "- Use pnpm, not npm.\n");
    home.commit();
    // A git beside which somebody saves as soon as files are taken in.
    let programs = home.root.join("programs");
    std::fs::create_dir_all(&programs).unwrap();
    let script = "#!/bin/sh\ncase \" $* \" in *\" add \"*) printf 'torn' > CLAUDE.md;; esac\nexec /usr/bin/git \"$@\"\n";
    std::fs::write(programs.join("git"), script).unwrap();
    std::fs::set_permissions(programs.join("git"), PermissionsExt::from_mode(0o755)).unwrap();
    home.programs = format!("{}:/usr/bin:/bin", programs.display());
    let judged = "- Use pnpm, not npm.\n- Run the tests before each commit.\n";
    home.write("CLAUDE.md", judged);
    assert_eq!(home.commit().files, ["CLAUDE.md"]);
    assert_eq!(home.read("CLAUDE.md"), "torn", "what was saved stays in the file");
    assert_eq!(home.git(&["show", "HEAD:CLAUDE.md"]), judged);
    assert_eq!(home.git(&["status", "--porcelain"]), " M CLAUDE.md\n", "and is not staged");
}

#[test]
fn evidence_alone_is_committed_once_a_day() {
    if !has_program("committing", "git") {
        return;
    }
    let place = Place::new();
    let home = place.home("a");
    home.write("effectiveness/CLAUDE-md-effectiveness.md", "one\n");
    assert!(home.commit().commit.is_some(), "the first of all");
    home.write("effectiveness/CLAUDE-md-effectiveness.md", "two\n");
    assert!(home.commit().commit.is_none());
    let tomorrow = jiff::Timestamp::now().checked_add(jiff::SignedDuration::from_hours(24)).unwrap();
    assert!(home.commit_at(tomorrow).commit.is_some());
}

#[test]
fn two_homes_share_one_memory_line_by_line() {
    if !has_program("committing", "git") {
        return;
    }
    let place = Place::new();
    let remote = place.remote();
    let (one, two) = (place.home("one"), place.home("two"));
    one.share(&remote);
    two.share(&remote);
    one.write("CLAUDE.md", "- Use pnpm, not npm.\n- Run the tests before each commit.\n");
    one.commit();
    two.commit();
    assert_eq!(two.read("CLAUDE.md"), one.read("CLAUDE.md"));

    one.write(
        "CLAUDE.md",
        "- Use pnpm 9, not npm.\n- Run the tests before each commit.\n- Keep functions small.\n",
    );
    two.write(
        "CLAUDE.md",
        "- Use pnpm, not npm.\n- Run all tests before each commit.\n- Ask before a deploy.\n",
    );
    one.commit();
    two.commit();
    one.commit();
    let both = "- Use pnpm 9, not npm.\n- Run all tests before each commit.\n- Ask before a deploy.\n- Keep functions small.\n";
    assert_eq!((one.read("CLAUDE.md").as_str(), two.read("CLAUDE.md").as_str()), (both, both));
    assert!(one.git(&["status", "--porcelain"]).is_empty() && two.git(&["status", "--porcelain"]).is_empty());

    // Both change one line: both versions stand, and a person is asked.
    one.write("CLAUDE.md", &both.replace("Ask before", "Ask Ann before"));
    two.write("CLAUDE.md", &both.replace("Ask before", "Ask Bob before"));
    one.commit();
    let done = two.commit();
    assert_eq!(done.synced.unwrap().both_changed.len(), 1);
    one.commit();
    for home in [&one, &two] {
        assert!(home.read("CLAUDE.md").contains("Ask Ann") && home.read("CLAUDE.md").contains("Ask Bob"));
    }
    assert_eq!(two.tasks().len(), 1);
    two.write("CLAUDE.md", &two.read("CLAUDE.md").replace("- Ask Bob before a deploy.\n", ""));
    two.commit();
    one.commit();
    assert!(two.tasks().is_empty());
    assert_eq!(one.read("CLAUDE.md"), two.read("CLAUDE.md"));
    assert!(!run(&remote, &["log", "--format=%s", "main"]).is_empty());
}

#[test]
fn a_remote_that_is_away_costs_nothing_but_a_note() {
    if !has_program("committing", "git") {
        return;
    }
    let place = Place::new();
    let home = place.home("a");
    home.share(&place.folder.path().join("nowhere.git"));
    home.write("CLAUDE.md", "- Use pnpm, not npm.\n");
    let done = home.commit();
    assert!(done.commit.is_some());
    assert!(done.synced.unwrap().trouble.is_some() && done.wake_at.is_some());
}

#[test]
fn a_hostile_remote_brings_no_secret_no_hidden_letter_and_no_file_of_another_kind() {
    if !has_program("committing", "git") {
        return;
    }
    let place = Place::new();
    let remote = place.remote();
    let one = place.home("one");
    one.share(&remote);
    one.write("CLAUDE.md", "- Use pnpm, not npm.\n");
    one.commit();
    let evil = place.folder.path().join("evil");
    run(place.folder.path(), &["clone", "--quiet", remote.to_str().unwrap(), "evil"]);
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let text = format!(
        "- Use pnpm, not npm.\n- Ask\u{202e} Ann\u{1b}[8m before a deploy.\n- Log in with {secret}.\n"
    );
    std::fs::write(evil.join("CLAUDE.md"), text).unwrap();
    for folder in ["topics", "state", "proposals"] {
        std::fs::create_dir_all(evil.join(folder)).unwrap();
        std::fs::write(evil.join(folder).join("x.json"), secret).unwrap();
    }
    std::os::unix::fs::symlink("/etc/passwd", evil.join("topics/passwd.md")).unwrap();
    std::fs::write(evil.join(".gitattributes"), "* filter=evil\n").unwrap();
    run(&evil, &["add", "--all", "--force"]);
    run(&evil, &["commit", "--quiet", "-m", "evil"]);
    run(&evil, &["push", "--quiet"]);
    for _ in 0..3 {
        one.commit();
        let now = one.read("CLAUDE.md");
        assert_eq!(
            now,
            "- Use pnpm, not npm.\n- Ask Ann[8m before a deploy.\n- Log in with [REDACTED:github-token].\n"
        );
    }
    assert_eq!(one.read("topics/x.json"), "[REDACTED:github-token]");
    for path in ["topics/passwd.md", "state/x.json", "proposals/x.json", ".gitattributes"] {
        assert!(one.memory().join(path).symlink_metadata().is_err(), "{path}");
    }
    assert!(!run(&remote, &["show", "main:CLAUDE.md"]).contains(secret), "and it is put right there");
}
