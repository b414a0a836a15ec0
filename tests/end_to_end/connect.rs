//! `connect` and `disconnect`: a person's settings, changed with consent and given back.

use std::path::PathBuf;

use crate::support::{Said, TestHome, binary};

/// A home and a person's folder beside it.
struct Person {
    home: TestHome,
}

impl Person {
    fn new() -> Self {
        let home = TestHome::whole();
        let person = Self { home };
        std::fs::create_dir_all(person.path(".claude")).unwrap();
        person
    }

    fn path(&self, below: &str) -> PathBuf {
        self.home.path("").parent().unwrap().join("user").join(below)
    }

    fn run(&self, args: &[&str]) -> Said {
        let output = self.home.command(args).env("HOME", self.path("")).output().unwrap();
        Said {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn read(&self, below: &str) -> Option<String> {
        std::fs::read_to_string(self.path(below)).ok()
    }
}

#[test]
fn settings_are_shown_changed_and_given_back() {
    let person = Person::new();
    let before = "{\n  // mine\n  \"model\": \"opus\",\n}\n";
    std::fs::write(person.path(".claude/settings.json"), before).unwrap();
    let asked = person.run(&["connect", "claude"]);
    assert_eq!(asked.code, 2);
    assert!(asked.out.contains("+  \"hooks\": {"), "{}", asked.out);
    assert!(asked.err.contains("nobody can be asked here, so nothing was changed"), "{}", asked.err);
    assert_eq!(person.read(".claude/settings.json").as_deref(), Some(before));

    let done = person.run(&["connect", "claude", "--yes"]);
    assert_eq!((done.code, &*done.err), (0, ""));
    assert!(done.out.starts_with(&asked.out), "the same difference");
    let connected = person.read(".claude/settings.json").unwrap();
    assert!(connected.contains(&format!("{} --home ", binary())), "{connected}");
    let broadcast = person.home.path("memory/CLAUDE.md");
    let import = person.read(".claude/CLAUDE.md").unwrap();
    let folder = person.home.path("memory");
    assert!(import.starts_with(&format!("@{} (where it says [[topic-x]]", broadcast.display())), "{import}");
    assert!(import.contains(&format!("{}/topics/x.md", folder.display())), "{import}");
    let again = person.run(&["connect", "claude", "--yes"]);
    assert_eq!(again.out, "claude is connected already; nothing was changed\n");

    assert_eq!(person.run(&["disconnect", "claude"]).code, 2);
    assert_eq!(person.run(&["disconnect", "claude", "--yes"]).code, 0);
    assert_eq!(person.read(".claude/settings.json").as_deref(), Some(before));
    assert_eq!(person.read(".claude/CLAUDE.md"), None);
    let again = person.run(&["disconnect", "claude", "--yes"]);
    let told = "claude is not connected with HOME; nothing was changed\n";
    assert_eq!((again.code, &*person.home.plain(&again.out)), (0, told));
}

#[test]
fn an_agent_that_tells_another_home_too_is_told_as_that_and_can_be_freed_of_it() {
    let (person, other) = (Person::new(), TestHome::whole());
    let with = |home: &TestHome, args: &[&str]| {
        let output = home.command(args).env("HOME", person.path("")).output().unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (out, err)
    };
    assert_eq!(with(&other, &["connect", "claude", "--yes"]).1, "");
    let (_, warned) = with(&person.home, &["connect", "claude", "--yes"]);
    let other_root = other.path("").display().to_string();
    let other_root = other_root.trim_end_matches('/');
    for part in ["tells another home, too", other_root, "disconnect claude"] {
        assert!(warned.contains(part), "{part}: {warned}");
    }
    person.home.write("memory/CLAUDE.md", "- use tabs\n");
    assert!(person.run(&["doctor"]).out.contains("its hooks tell another home, too"));
    let (out, still) = with(&person.home, &["disconnect", "claude", "--yes"]);
    assert!(out.contains("is disconnected from") && still.contains("claude still tells"), "{out}{still}");
    let (out, none) = with(&other, &["disconnect", "claude", "--yes"]);
    assert!(out.contains("is disconnected from") && none.is_empty(), "{out}{none}");
}

#[test]
fn each_agent_has_its_own_place() {
    let person = Person::new();
    let done = person.run(&["connect", "codex", "--yes"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.err.contains("trust"), "{}", done.err);
    assert!(person.read(".codex/hooks.json").unwrap().contains("hook SessionStart --agent codex --inject"));
    assert_eq!(person.run(&["disconnect", "codex", "--yes"]).code, 0);
    assert_eq!(person.read(".codex/hooks.json"), None);

    let elsewhere = person.path("elsewhere");
    let mut command = person.home.command(&["connect", "claude", "--yes"]);
    let output = command.env("HOME", person.path("")).env("CLAUDE_CONFIG_DIR", &elsewhere).output().unwrap();
    assert!(output.status.success());
    assert!(elsewhere.join("settings.json").exists() && person.read(".claude/settings.json").is_none());
    // The home knows where it was.
    assert_eq!(person.run(&["disconnect", "claude", "--yes"]).code, 0);
    assert!(!elsewhere.join("settings.json").exists());
}

#[test]
fn a_mistake_in_the_settings_is_named_and_left_alone() {
    let person = Person::new();
    std::fs::write(person.path(".claude/settings.json"), "{\n  \"model\" \"opus\"\n}").unwrap();
    for command in ["connect", "disconnect"] {
        let said = person.run(&[command, "claude", "--yes"]);
        assert_eq!((said.code, &*said.out), (2, ""));
        assert!(said.err.contains("settings.json:2:11: `:` is expected here"), "{}", said.err);
    }
    let said = person.home.run(&["connect", "claude", "--yes"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("$HOME"), "{}", said.err);
}

#[test]
fn the_doctor_tells_of_connections() {
    let person = Person::new();
    assert_eq!(person.run(&["connect", "claude", "--yes"]).code, 0);
    person.home.write("memory/CLAUDE.md", "- use tabs\n");
    let said = person.run(&["doctor"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("ok       claude       12 hooks in "), "{}", said.out);
    assert!(!said.out.contains("codex"), "an agent that is not there: {}", said.out);
}
