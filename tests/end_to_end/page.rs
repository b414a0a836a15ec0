//! The page of a running daemon, and the interface behind it.

mod actions;
pub(crate) mod browser;
mod flood;
mod guard;
mod hostile;
mod seen;

use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::partitions::{partition, script};
use crate::support::{Daemon, TestHome};
use browser::http;

const RULES: &str = "# How we work\n\n- Use npm, not pnpm.\n- Never push to `main`.\n- Run `cargo test` before committing.\n- Be kind to each other.\n";
const APPLY: &str = "cadence: { interval_ms: 1000 }\n";
const PROPOSE: &str = "cadence: { interval_ms: 1000 }\nbroadcast: { mode: propose }\n";

/// A home in which something has happened, with its daemon.
pub(crate) struct Lively {
    pub(crate) home: TestHome,
    daemon: Daemon,
    /// The link that `subcortex open` prints.
    pub(crate) link: String,
    door: Door,
}

/// Where the page is, and what opens it.
#[derive(Debug, Clone)]
pub(crate) struct Door {
    port: u16,
    token: String,
}

impl Lively {
    /// A copy of [`lively_home`], which takes some time to live through, with its daemon.
    pub(crate) fn new() -> Self {
        static LIVED: OnceLock<TestHome> = OnceLock::new();
        let home = TestHome::bare();
        let copied = Command::new("cp")
            .arg("-a")
            .args([LIVED.get_or_init(lively_home).path(""), home.path("")])
            .status();
        assert!(copied.unwrap().success());
        Self::serving(home)
    }

    /// A home with its daemon.
    pub(crate) fn serving(home: TestHome) -> Self {
        let daemon = home.daemon();
        let link = home.run(&["open", "--print"]).out.trim().to_owned();
        let (address, token) = link.split_once("/#").unwrap_or_else(|| panic!("no link: {link}"));
        let port = address.rsplit_once(':').unwrap().1.parse().unwrap();
        let door = Door { port, token: token.to_owned() };
        Self { daemon, door, link: link.clone(), home }
    }

    #[track_caller]
    pub(crate) fn look(&self, view: &str) -> Value {
        let (status, answer) = self.door.ask("GET", &format!("/api/v1/{view}"), &Value::Null);
        assert_eq!(status, 200, "{view}: {answer:#}");
        answer
    }

    pub(crate) fn memory(&self) -> String {
        std::fs::read_to_string(self.home.path("memory/CLAUDE.md")).unwrap()
    }
}

/// Lines that are followed and missed, an edit, a proposal, a held task, runs, money spent, a blackboard.
fn lively_home() -> TestHome {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", RULES);
    home.write("config/subcortex.yaml", APPLY);
    did(&home, "mon", "npm install sonner");
    home.says("mon", "From now on always use pnpm, not npm.");
    did(&home, "mon", "pnpm add sonner");
    did(&home, "mon", "git push origin main");
    home.says("mon", "ok");
    weave(&home);
    home.write("config/subcortex.yaml", PROPOSE);
    home.says("tue", "add the icon set");
    did(&home, "tue", "pnpm add lucide-react");
    home.says("tue", "fix the parser and commit");
    did(&home, "tue", "git commit -am parser");
    home.says("tue", "Please always run `cargo nextest run` before you commit.");
    home.says("tue", "ok");
    weave(&home);
    script(&home, "fails", "cooldown_ticks: 0", "echo no; exit 1");
    home.write("subconscious/fails/inbox/deploy.md", "note the deploy steps");
    for _ in 0..3 {
        home.run(&["tick", "--partition", "fails"]);
    }
    partition(&home, "quiet", "schedule: { enabled: true }\nengine: command\ncommand: [/bin/true]");
    spent(&home, "memory-weaver", 0.25);
    say(
        &home,
        "supervisor",
        "boss",
        &json!({ "kind": "STRATEGY", "goal": "Who leads Acme?", "entities": ["Acme"], "tool_chain": ["search"], "assigned": { "Acme": "w1" } }),
    );
    say(
        &home,
        "worker",
        "w1",
        &json!({ "kind": "PENDING", "entity": "Acme", "field": "ceo", "assigned_to": "w1", "turn": 1 }),
    );
    home
}

impl Door {
    /// A request of the person.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let headers = format!(
            "host: 127.0.0.1:{}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n",
            self.port, self.token
        );
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, text) = http(self.port, method, path, &headers, &body);
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }
}

fn did(home: &TestHome, session: &str, command: &str) {
    let payload = json!({ "tool_name": "Bash", "input": { "command": command } }).to_string();
    assert_eq!(home.tell("agent.tool_use", session, &["--payload", &payload]).code, 0);
}

fn weave(home: &TestHome) {
    let said = home.run(&["tick", "--partition", "memory-weaver"]);
    assert_eq!(said.code, 0, "{said:?}");
}

fn say(home: &TestHome, role: &str, id: &str, entry: &Value) {
    let said =
        home.run(&["blackboard", "append", "research", "--role", role, "--as", id, &entry.to_string()]);
    assert_eq!(said.code, 0, "{said:?}");
}

/// Puts a question into today's account.
fn spent(home: &TestHome, partition: &str, usd: f64) {
    let now = jiff::Timestamp::now();
    let entry = json!({ "ts": now, "partition": partition, "run_id": "r", "purpose": "judge", "model": "m", "input": 1000, "output": 100, "cache_read": 0, "cache_write": 0, "usd": usd });
    home.write(&format!("var/usage/{}.jsonl", now.strftime("%Y-%m-%d")), format!("{entry}\n"));
}
