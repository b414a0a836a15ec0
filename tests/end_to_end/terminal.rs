//! What people see on a terminal: colours, a pager, questions. `script` gives the program a real one.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{TestHome, binary, has_program};

const RULES: &str = "# Rules\n- Use npm, not pnpm.\n- Never push to `main`.\n";

/// A line of shell that will run on a terminal; `None`, and a skipped test, without `script`.
pub(crate) fn terminal(test: &str, line: &str) -> Option<Command> {
    if !has_program(test, "script") {
        return None;
    }
    let path = format!("{}:/usr/bin:/bin", std::path::Path::new(binary()).parent().unwrap().display());
    let mut command = Command::new("script");
    command.args(["-qec", line, "/dev/null"]).env_clear().env("PATH", path).env("TERM", "xterm-256color");
    command.env("TZ", "UTC").env("SHELL", "/bin/sh");
    Some(command)
}

/// Runs it, types an answer each time the program waits behind ` > `, and hands out all that was seen. When there are no
/// answers left, the input ends.
pub(crate) fn converse(mut command: Command, answers: &[&str]) -> String {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take(), child.stdout.take().unwrap());
    let (mut seen, mut answered, mut bytes) = (Vec::new(), 0, [0; 4096]);
    let mut answers = answers.iter();
    if answers.len() == 0 {
        stdin = None;
    }
    while let Ok(read @ 1..) = stdout.read(&mut bytes) {
        seen.extend_from_slice(&bytes[..read]);
        let is_asked = seen.ends_with(b" > ") && seen.len() > answered;
        if is_asked {
            answered = seen.len();
            match (answers.next(), &mut stdin) {
                (Some(answer), Some(stdin)) => stdin.write_all(format!("{answer}\n").as_bytes()).unwrap(),
                _ => stdin = None,
            }
        }
    }
    child.wait().unwrap();
    String::from_utf8_lossy(&seen).replace("\r\n", "\n")
}

fn on_terminal(test: &str, home: &TestHome, line: &str, answers: &[&str]) -> Option<String> {
    let mut command = terminal(test, line)?;
    command.env("SUBCORTEX_HOME", home.path(""));
    Some(converse(command, answers))
}

fn home() -> TestHome {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", RULES);
    home
}

/// A home with two edits that wait.
fn waiting() -> TestHome {
    let home = home();
    home.write("config/subcortex.yaml", "broadcast:\n  mode: propose\n");
    let call = r#"{"tool_name":"Bash","input":{"command":"npm install left-pad"}}"#;
    home.says("s1", "add left-pad");
    assert_eq!(home.tell("agent.tool_use", "s1", &["--payload", call]).code, 0);
    home.says("s1", "From now on always write commit messages with a ticket number.");
    home.says("s2", "Please always run `cargo nextest run` before you commit.");
    home.says("s2", "ok");
    home.run(&["tick", "--partition", "memory-weaver"]);
    let found = home.json(&["review", "--json"]);
    assert_eq!(found.as_array().unwrap().len(), 2, "{found}");
    home
}

fn memory(home: &TestHome) -> String {
    std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap()
}

#[test]
fn a_terminal_has_colours_and_whoever_wants_none_gets_none() {
    let home = home();
    let test = "colours on a terminal";
    for line in
        ["subcortex rule list", "subcortex check", "subcortex rule add 'Be kind to all.'; subcortex history"]
    {
        let Some(seen) = on_terminal(test, &home, line, &[]) else { return };
        assert!(seen.contains("\x1b["), "{line}: {seen}");
    }
    for (line, plain) in [
        ("NO_COLOR=1 subcortex rule list", true),
        ("TERM=dumb subcortex rule list", true),
        ("NO_COLOR= subcortex rule list", false),
        ("subcortex rule list | cat", true),
        ("subcortex rule list --json", true),
        ("subcortex rule edit L99 x; true", false),
    ] {
        let seen = on_terminal(test, &home, line, &[]).unwrap();
        assert_eq!(!seen.contains("\x1b["), plain, "{line}: {seen}");
    }
}

#[test]
fn what_is_longer_than_the_screen_goes_through_the_pager_that_the_person_names() {
    let home = home();
    let rules: String = (0..60).map(|n| format!("- Rule number {n} is here.\n")).collect();
    home.write("memory/CLAUDE.md", rules);
    let mark = "sed s/^/paged:/";
    let lines = |line: &str| {
        let seen = on_terminal("pager", &home, line, &[])?;
        Some((seen.matches("paged:").count(), seen.matches("Rule number").count()))
    };
    let small = "stty rows 20 cols 80";
    let Some(seen) = lines(&format!("{small}; PAGER='{mark}' subcortex rule list")) else { return };
    assert_eq!(seen, (61, 60));
    // All fits, nobody watches, or the person wants none: nothing comes between.
    assert_eq!(lines(&format!("stty rows 200 cols 80; PAGER='{mark}' subcortex rule list")), Some((0, 60)));
    assert_eq!(lines(&format!("{small}; PAGER='{mark}' subcortex rule list | cat")), Some((0, 60)));
    assert_eq!(lines(&format!("{small}; PAGER='{mark}' subcortex rule list --json")), Some((0, 60)));
    for none in ["", "cat", "/no/such/pager"] {
        assert_eq!(lines(&format!("{small}; PAGER='{none}' subcortex rule list")), Some((0, 60)), "{none}");
    }
}

#[test]
fn review_asks_about_one_edit_after_the_other() {
    let home = waiting();
    let answers = ["what", "e", "Write a ticket number into each commit message.", "r"];
    let Some(seen) = on_terminal("interactive review", &home, "NO_COLOR=1 subcortex review", &answers) else {
        return;
    };
    for part in [
        "1 of 2",
        "2 of 2",
        "it waits:",
        "you said",
        "[a]ccept  [e]dit the words  [r]eject for good  [l]ater  [q]uit",
        "`what` is no answer",
        "accepted: prop_",
        "undo: subcortex revert edit_",
        "rejected: prop_",
        "1 accepted, 1 rejected; nothing waits any more",
    ] {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    assert!(
        memory(&home).contains("- Write a ticket number into each commit message.\n"),
        "{}",
        memory(&home)
    );
    let left: Value = home.json(&["review", "--json"]);
    assert_eq!(left, serde_json::json!([]));
}

#[test]
fn review_shows_what_the_agent_had_done_and_leaves_for_later_what_is_not_decided() {
    let home = waiting();
    let Some(seen) = on_terminal("review, later", &home, "NO_COLOR=1 subcortex review", &["l", "q"]) else {
        return;
    };
    for part in [
        "you asked  add left-pad",
        "agent      Bash: npm install left-pad",
        "0 accepted, 0 rejected; 2 still wait",
    ] {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    // The end of the input is no answer.
    let seen = on_terminal("review, later", &home, "NO_COLOR=1 subcortex review", &[]).unwrap();
    assert!(seen.contains("2 still wait"), "{seen}");
    // Words that cannot be a rule are refused, and the same edit is asked about again.
    let long = "very ".repeat(60);
    let answers = ["e", &long, "a", "q"];
    let seen = on_terminal("review, later", &home, "NO_COLOR=1 subcortex review", &answers).unwrap();
    assert!(seen.contains("longer than 200 characters") && seen.contains("1 accepted"), "{seen}");
    assert_eq!(home.json(&["review", "--json"]).as_array().unwrap().len(), 1);
}

#[test]
fn review_shows_which_lines_a_new_rule_would_stand_beside() {
    let home = home();
    home.write("config/subcortex.yaml", "broadcast:\n  mode: propose\n");
    home.says("s1", "From now on always put a ticket number into commit messages.");
    home.says("s2", "Please always run `cargo nextest run` before you commit.");
    home.says("s2", "ok");
    home.run(&["tick", "--partition", "memory-weaver"]);
    for beside in [
        "Never put a ticket number into commit messages.",
        "Do run `cargo nextest run --workspace` before you commit to main.",
    ] {
        assert_eq!(home.run(&["rule", "add", beside]).code, 0);
    }
    let said = home.run(&["review"]).out;
    for part in [
        "! says the opposite: L4 Never put a ticket number into commit messages.",
        "! says much the same: L5 Do run `cargo nextest run --workspace` before you commit to main.",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn only_a_terminal_is_asked() {
    let home = waiting();
    let said = home.run(&["review"]);
    assert_eq!(said.code, 0);
    assert!(
        said.out.contains("subcortex review accept prop_") && !said.out.contains("[a]ccept"),
        "{}",
        said.out
    );
    let Some(seen) = on_terminal("review into a pipe", &home, "subcortex review | cat", &[]) else { return };
    assert!(!seen.contains("[a]ccept"), "{seen}");
}
