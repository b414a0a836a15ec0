//! Completions: the scripts call back, and the program knows what the home has.

use std::process::Command;

use crate::support::{TestHome, binary, has_program};

fn home() -> TestHome {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", "# Rules\n- Use npm, not pnpm.\n- Never push to `main`.\n");
    assert_eq!(home.run(&["rule", "add", "Be kind."]).code, 0);
    home.run(&["tick", "--partition", "memory-weaver"]);
    home
}

/// What is offered for the last of these words.
fn offered(home: &TestHome, words: &[&str]) -> Vec<String> {
    let said = home.run(&[&["complete", "--", "subcortex"], words].concat());
    assert_eq!((said.code, &*said.err), (0, ""), "{words:?}");
    said.out.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

#[test]
fn names_of_the_home_are_offered_where_they_fit() {
    let home = home();
    assert_eq!(offered(&home, &["reve"]), ["revert"]);
    assert_eq!(offered(&home, &["rule", "re"]), ["remove"]);
    assert_eq!(offered(&home, &["rule", "remove", "L"]), ["L2", "L3", "L4"]);
    assert_eq!(offered(&home, &["tick", "--partition", "memory-w"]), ["memory-weaver"]);
    assert_eq!(offered(&home, &["drop", "in"]), ["inbox"]);
    assert_eq!(offered(&home, &["whoami", "pat"]), ["pattern-tracker"]);
    assert_eq!(offered(&home, &["import", "a"]), ["auto"]);
    assert_eq!(offered(&home, &["import", "claude", "x"]), [":files"]);
    assert_eq!(offered(&home, &["import", "claude", "--project", ""]), [":dirs"]);
    assert_eq!(offered(&home, &["runs", "show", "20"]).len(), 1);
    let edits = offered(&home, &["revert", ""]);
    assert_eq!(edits.len(), 1, "{edits:?}");
    assert_eq!(home.run(&["revert", &edits[0]]).code, 0);
    let left = offered(&home, &["revert", ""]);
    assert!(left.len() == 1 && left != edits, "what is taken back is not offered again: {left:?}");
    let flags = offered(&home, &["audit", "--"]);
    assert!(flags.contains(&"--since".to_owned()) && flags.contains(&"--home".to_owned()), "{flags:?}");
    assert!(!offered(&home, &["com"]).contains(&"complete".to_owned()), "it is for scripts");
}

#[test]
fn a_home_that_the_line_names_is_asked_and_one_that_is_not_there_is_no_trouble() {
    let (home, other) = (home(), TestHome::new());
    let named = home.path("");
    let named = named.to_str().unwrap();
    for words in
        [&["--home", named, "rule", "remove", "L"][..], &["--home", "=", named, "rule", "remove", "L"]]
    {
        assert_eq!(offered(&other, words).len(), 3, "{words:?}");
    }
    for words in
        [&["--home", "/no/such", "revert", ""][..], &["no-such-command", "x"], &[], &["-", "--", "-x"]]
    {
        offered(&other, words);
    }
    assert!(!std::path::Path::new("/no/such").exists());
}

#[test]
fn bash_completes_with_the_script() {
    if !has_program("completions in bash", "bash") {
        return;
    }
    let home = home();
    let complete = |words: &str, at: usize| {
        let script = format!(
            "source <(subcortex completions bash); COMP_WORDS=({words}); COMP_CWORD={at}; _subcortex; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        shell("bash", &home, &["--norc", "-c", &script])
    };
    assert_eq!(complete("subcortex hist", 1), "history\n");
    assert_eq!(complete("subcortex rule edit L", 3), "L2\nL3\nL4\n");
    assert!(complete("subcortex revert ''", 2).starts_with("edit_"));
}

/// A shell that finds our program, and no settings of a person.
fn shell(program: &str, home: &TestHome, arguments: &[&str]) -> String {
    let path = format!("{}:/usr/bin:/bin", std::path::Path::new(binary()).parent().unwrap().display());
    let mut shell = Command::new(program);
    shell.args(arguments).env_clear().env("PATH", path).env("SUBCORTEX_HOME", home.path(""));
    shell.env("HOME", home.path(""));
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{program}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn fish_completes_with_the_script() {
    if !has_program("completions in fish", "fish") {
        return;
    }
    let home = home();
    let complete = |line: &str| {
        let script = format!("subcortex completions fish | source; complete -C '{line}'");
        shell("fish", &home, &["--no-config", "-c", &script])
    };
    assert!(complete("subcortex hist").starts_with("history\t"));
    let lines = complete("subcortex rule edit L");
    assert_eq!(lines.lines().map(|line| &line[..2]).collect::<Vec<_>>(), ["L2", "L3", "L4"], "{lines}");
}

#[test]
fn zsh_takes_the_script() {
    if !has_program("completions in zsh", "zsh") {
        return;
    }
    let script = "autoload -Uz compinit && compinit -u -D && source <(subcortex completions zsh) && print ${_comps[subcortex]}";
    assert_eq!(shell("zsh", &home(), &["-f", "-c", script]), "_subcortex\n");
}

#[test]
fn the_manual_page_knows_every_command() {
    let home = TestHome::bare();
    let page = home.run(&["man"]).out;
    for command in ["rule", "review", "audit", "history", "revert", "import"] {
        assert!(page.contains(&format!("subcortex\\-{command}(1)")), "{command}");
        assert!(home.run(&["man", command]).out.contains(".SH OPTIONS"), "{command}");
    }
    assert!(home.run(&["man", "rule", "add"]).out.contains("200 characters"));
}
