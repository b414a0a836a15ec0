//! Sessions that are not where they are looked for, and rules files that are none.

use std::path::PathBuf;
use std::process::Command;

use serde_json::json;

use super::tells;
use crate::support::{Said, TestHome, binary};

/// A person's folder with a project and one old session of Claude Code in it.
struct Person(tempfile::TempDir);

impl Person {
    fn new() -> Self {
        let person = Self(tempfile::tempdir().unwrap());
        person.write("web/CLAUDE.md", "- Use `pnpm`, not `npm`.\n");
        let cwd = person.path("web");
        let folder = cwd.to_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let record = json!({"type": "user", "uuid": "u1", "sessionId": "s1", "timestamp": "2025-03-01T10:00:00.000Z",
            "cwd": cwd, "isSidechain": false, "userType": "external", "message": {"role": "user", "content": "hello"}});
        person.write(&format!(".claude/projects/{folder}/s1.jsonl"), format!("{record}\n"));
        person
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(below)
    }

    fn write(&self, below: &str, content: impl AsRef<[u8]>) {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn run(&self, args: &[&str]) -> Said {
        let mut command = Command::new(binary());
        command.env_clear().env("HOME", self.path("")).current_dir(self.path("web")).args(args);
        let output = command.output().unwrap();
        Said {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    fn refused(&self, args: &[&str], code: i32, words: &[&str]) {
        let said = self.run(args);
        assert_eq!(said.code, code, "{args:?}: {said:?}");
        tells(&said.all(), words);
    }
}

#[test]
fn an_audit_of_the_last_days_says_that_there_are_only_older_sessions() {
    let person = Person::new();
    let words = ["no session is of the last 5 days", "there is 1 session", "days ago", "leave --since out"];
    person.refused(&["audit", "CLAUDE.md", "--since", "5"], 1, &words);
    let folder = person.path(".claude/projects");
    person.refused(
        &["audit", "CLAUDE.md", "--since", "1", "--transcripts", folder.to_str().unwrap()],
        1,
        &["no session is of the last 1 day:"],
    );
}

#[test]
fn an_audit_of_a_folder_or_of_nothing_says_which_file_is_meant() {
    let person = Person::new();
    person.refused(
        &["audit", "."],
        2,
        &["is a folder; name the rules file in it", "did you mean", "CLAUDE.md"],
    );
    person.refused(&["audit", "CLADE.md"], 2, &["cannot read", "CLADE.md", "No such file"]);
}

#[test]
fn an_audit_without_sessions_says_where_they_were_looked_for() {
    let person = Person::new();
    person.write("api/CLAUDE.md", "- Be kind.\n");
    let words = ["no session of an agent", "looked in", ".claude/projects", "--transcripts DIR"];
    person.refused(&["audit", "../api/CLAUDE.md"], 1, &words);
}

#[test]
fn an_import_of_everything_that_finds_nothing_says_where_it_looked() {
    let home = TestHome::new();
    let user = tempfile::tempdir().unwrap();
    let output = home.command(&["import", "auto"]).env("HOME", user.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    let words = [
        "no sessions of an agent were found",
        "Claude Code: ",
        ".codex/sessions",
        "subcortex import claude PATH",
    ];
    tells(&said, &words);
}

#[test]
fn an_import_of_everything_takes_no_path() {
    let home = TestHome::new();
    super::refused(
        &home,
        &["import", "auto", "/tmp"],
        2,
        &["it takes no path", "`subcortex import claude PATH`"],
    );
}

#[test]
fn an_import_for_a_project_that_is_no_folder_says_what_is_wanted() {
    let home = TestHome::new();
    let args = ["import", "claude", "/tmp", "--project", "/no/such"];
    super::refused(&home, &args, 2, &["/no/such is no folder", "--project takes the folder of the project"]);
}

#[test]
fn a_mistyped_agent_gets_the_names_of_those_that_there_are() {
    let home = TestHome::new();
    super::refused(&home, &["import", "claud"], 2, &["'claud'", "claude", "codex", "auto"]);
}

#[test]
fn an_import_of_files_that_are_not_there_imports_nothing_and_names_them() {
    let home = TestHome::new();
    let words = ["nothing could be read, so nothing was imported", "/no/such/file.jsonl", ".jsonl"];
    super::refused(&home, &["import", "claude", "/no/such/file.jsonl"], 2, &words);
}
