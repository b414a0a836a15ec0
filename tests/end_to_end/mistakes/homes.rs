//! A home that is not there, or is none.

use std::process::Command;

use super::{refused, tells};
use crate::support::{TestHome, binary};

/// Every command that needs a home and makes none.
const COMMANDS: [&[&str]; 20] = [
    &["pause"],
    &["resume"],
    &["status"],
    &["inbox"],
    &["inbox", "retry", "sorter", "a.md"],
    &["tick"],
    &["tick", "--partition", "memory-weaver"],
    &["runs"],
    &["log"],
    &["drop", "memory-weaver", "/dev/null"],
    &["event", "add", "--kind", "claude", "--type", "channel.message", "--text", "x"],
    &["spine", "tail"],
    &["spine", "verify"],
    &["adopt", "/dev/null"],
    &["connect", "claude", "--yes"],
    &["whoami", "memory-weaver"],
    &["review"],
    &["history"],
    &["recall", "pnpm"],
    &["metrics"],
];

#[test]
fn a_mistyped_home_is_made_by_no_command_but_init_and_run() {
    for args in COMMANDS {
        let home = TestHome::bare();
        refused(&home, args, 2, &["there is no home at HOME, so nothing was done", "`subcortex init`"]);
        assert!(!home.path("").exists(), "{args:?}");
    }
}

#[test]
fn a_folder_of_something_else_is_not_taken_for_a_home() {
    for args in COMMANDS {
        let home = TestHome::bare();
        std::fs::create_dir_all(home.path("src")).unwrap();
        refused(&home, args, 2, &["HOME is a folder, but no home of subcortex", "`subcortex init`"]);
        assert_eq!(std::fs::read_dir(home.path("")).unwrap().count(), 1, "{args:?}: only what was there");
    }
}

#[test]
fn whoever_mistypes_a_home_is_told_of_the_usual_one() {
    let user = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let mut command = Command::new(binary());
        let output = command.env_clear().env("HOME", user.path()).args(args).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(run(&["init"]).0, Some(0));
    let (code, said) = run(&["--home", "/typo", "pause"]);
    assert_eq!(code, Some(2));
    let usual = user.path().join(".subcortex");
    tells(&said, &["there is no home at /typo", "leave --home", usual.to_str().unwrap()]);
    assert!(!usual.join("PAUSED").exists());
}

#[test]
fn a_bare_command_prints_help_and_starts_nothing() {
    let user = tempfile::tempdir().unwrap();
    let output = Command::new(binary()).env_clear().env("HOME", user.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    tells(&String::from_utf8(output.stdout).unwrap(), &["Usage: subcortex", "held", "subcortex init"]);
    assert_eq!(std::fs::read_dir(user.path()).unwrap().count(), 0);
}

#[test]
fn a_bare_command_is_the_daemon_where_a_home_is_named() {
    let home = TestHome::bare();
    let mut command = Command::new(binary());
    command.env_clear().env("PATH", "/usr/bin:/bin").env("SUBCORTEX_HOME", home.path(""));
    let daemon = TestHome::daemon_of(&mut command);
    daemon.wait_for("daemon started");
    assert!(home.path("config/subcortex.yaml").exists());
}

#[test]
fn a_new_home_says_what_it_is_and_what_comes_next() {
    let home = TestHome::bare();
    let rules = home.path("").parent().unwrap().join("CLAUDE.md");
    std::fs::write(&rules, "- use pnpm\n- run the tests\n").unwrap();
    let said = home.run(&["init", "--from", rules.to_str().unwrap()]);
    assert_eq!(said.code, 0, "{said:?}");
    let words = [
        "HOME is a new home:",
        "memory/CLAUDE.md       your rules: 2 of ",
        "config/subcortex.yaml",
        "export SUBCORTEX_HOME=",
        "1. subcortex connect claude",
        "2. subcortex run",
        "3. subcortex status",
    ];
    tells(&home.plain(&said.out), &words);
}

#[test]
fn a_second_project_is_added_and_the_first_stays_as_it_is() {
    let home = TestHome::bare();
    let folder = |name: &str, rules: &str| {
        let folder = home.path(&format!("../{name}"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("CLAUDE.md"), rules).unwrap();
        std::fs::canonicalize(folder).unwrap()
    };
    let (one, two) = (folder("one", "- use pnpm\n"), folder("two", "# Two\n- use cargo\n"));
    let file = |folder: &std::path::Path| folder.join("CLAUDE.md").to_str().unwrap().to_owned();
    assert_eq!(home.run(&["init", "--from", &file(&one)]).code, 0);
    let said = home.run(&["adopt", &file(&two)]);
    assert_eq!(said.code, 0, "{said:?}");
    let first = format!("## Project: {}", one.display());
    let section = format!("## Project: {}", two.display());
    tells(&said.out, &["1 rule of ", &section, "holds there only"]);
    let memory = || std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap();
    assert_eq!(memory(), format!("{first}\n\n- use pnpm\n\n{section}\n\n### Two\n- use cargo\n"));
    let again = home.run(&["adopt", &file(&two)]);
    tells(&again.out, &["already holds what"]);
    assert_eq!(memory().matches("use cargo").count(), 1);
}
