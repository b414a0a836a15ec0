//! A daemon that follows transcripts while they are written: everything is on the spine, and once.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Daemon, TestHome};

/// A home, and the folder of a person who works with an agent.
struct Person {
    home: TestHome,
}

impl Person {
    fn new() -> Self {
        let person = Self { home: TestHome::new() };
        person.home.write("config/subcortex.yaml", "cadence:\n  interval_ms: 1000\n");
        std::fs::create_dir_all(person.user().join(".claude/projects/p")).unwrap();
        person
    }

    fn user(&self) -> PathBuf {
        self.home.path("").parent().unwrap().join("user")
    }

    fn run(&self, args: &[&str], stdin: &str) -> String {
        let mut command = self.home.command(args);
        command.env("HOME", self.user()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdin.take().unwrap().write_all(stdin.as_bytes()));
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{args:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn daemon(&self) -> Daemon {
        let daemon = TestHome::daemon_of(self.home.command(&["run"]).env("HOME", self.user()));
        daemon.wait_for("daemon started");
        daemon
    }

    /// Appends a prompt to a transcript, in one write.
    fn says(&self, file: &str, n: u32) {
        let path = self.user().join(".claude/projects").join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let record = json!({
            "type": "user", "uuid": format!("u-{n}"), "promptId": format!("p-{n}"), "sessionId": "s",
            "timestamp": "2026-03-01T10:00:00.000Z", "cwd": "/p", "isSidechain": false, "userType": "external", "promptSource": "typed",
            "message": {"role": "user", "content": format!("wish {n}")},
        });
        let mut file = std::fs::File::options().append(true).create(true).open(path).unwrap();
        file.write_all(format!("{record}\n").as_bytes()).unwrap();
    }

    fn wishes(&self) -> Vec<String> {
        let lines = self.home.run(&["spine", "cat", "--kind", "claude"]).out;
        let text = |line: &str| {
            let event: Value = serde_json::from_str(line).unwrap();
            event["payload"]["text"].as_str().unwrap_or("-").to_owned()
        };
        lines.lines().map(text).collect()
    }

    #[track_caller]
    fn expect_wishes(&self, up_to: u32) {
        let expect: Vec<String> = (1..=up_to).map(|n| format!("wish {n}")).collect();
        assert_eq!(self.wishes(), expect);
    }
}

#[test]
fn what_is_written_while_the_daemon_runs_stands_or_is_killed_is_told_once() {
    let person = Person::new();
    person.run(&["connect", "claude", "--yes"], "");
    person.says("p/s.jsonl", 1);
    person.run(&["import", "claude"], "");
    let hook = json!({"session_id": "s", "prompt_id": "p-2", "cwd": "/p", "prompt": "wish 2"});
    person.run(&["hook", "UserPromptSubmit"], &hook.to_string());
    person.says("p/s.jsonl", 2);
    person.says("p/s.jsonl", 3);

    let daemon = person.daemon();
    daemon.wait_for_all(&["transcripts read", "agent=claude", "events=1 ", "duplicates=2 "]);
    person.expect_wishes(3);
    person.says("p/s.jsonl", 4);
    daemon.wait_for("transcripts read");
    person.says("another/t.jsonl", 5);
    daemon.wait_for("transcripts read");
    person.expect_wishes(5);
    let status = person.home.run(&["status"]).out;
    assert!(status.contains("follows    2 transcripts of claude, with news at "), "{status}");

    daemon.signal("KILL");
    assert!(!daemon.end().success());
    person.says("p/s.jsonl", 6);
    let daemon = person.daemon();
    daemon.wait_for("transcripts read");
    person.expect_wishes(6);

    person.home.run(&["pause"]);
    daemon.wait_for("kill switch turned");
    person.says("p/s.jsonl", 7);
    for _ in 0..3 {
        daemon.wait_for("tick");
    }
    person.expect_wishes(6);
    person.home.run(&["resume"]);
    daemon.wait_for("transcripts read");
    person.expect_wishes(7);

    daemon.signal("TERM");
    assert!(daemon.end().success());
    std::fs::remove_file(person.home.path("var/index/tail.json")).unwrap();
    person.says("another/t.jsonl", 8);
    let daemon = person.daemon();
    daemon.wait_for_all(&["transcripts read", "events=1 ", "duplicates=7 "]);
    person.expect_wishes(8);
}

#[test]
fn an_agent_that_is_not_connected_is_followed_only_when_told_to() {
    let person = Person::new();
    person.says("p/s.jsonl", 1);
    let daemon = person.daemon();
    for _ in 0..3 {
        daemon.wait_for("tick");
    }
    person.expect_wishes(0);
    person.home.write("config/subcortex.yaml", "cadence:\n  interval_ms: 1000\ntail:\n  claude: always\n");
    daemon.signal("HUP");
    daemon.wait_for("transcripts read");
    person.expect_wishes(1);
}
