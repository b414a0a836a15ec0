//! The worked example of `docs/SUPERVISED.md`: one supervisor, three workers, a dead page, a directive in mid-run, a synthesis.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::partitions::{drop_task, inbox, partition};
use crate::redis::{Server, on_each};
use crate::support::{TestHome, binary};

/// How long each part may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);
const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/supervised");

fn worker(home: &TestHome, name: &str, role: &str, program: &str) {
    let definition = format!(
        "schedule: {{ cooldown_ticks: 0, max_duration_ms: 300000 }}\nengine: command\ncommand: [./work.sh]\n\
         blackboard: {{ role: {role}, thread: research }}"
    );
    partition(home, name, &definition);
    let path = home.path(&format!("subconscious/{name}/work.sh"));
    std::fs::copy(format!("{DOCS}/{program}"), &path).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

pub(super) fn board(home: &TestHome) -> Value {
    home.json(&["blackboard", "read", "research", "--json"])
}

#[track_caller]
pub(super) fn wait_until(home: &TestHome, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let start = Instant::now();
    loop {
        let now = board(home);
        if holds(&now) {
            return now;
        }
        assert!(start.elapsed() < PATIENCE, "{what}: {now:#}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

pub(super) fn has(board: &Value, kind: &str, field: &str, value: &str) -> bool {
    let entries = board["entries"].as_array().unwrap();
    entries.iter().any(|entry| entry["kind"] == kind && entry[field] == value)
}

fn play(home: &TestHome, settings: &str) {
    home.write(
        "config/subcortex.yaml",
        format!("cadence: {{ interval_ms: 1000, max_parallel: 4 }}\n{settings}"),
    );
    worker(home, "supervisor", "supervisor", "supervisor.sh");
    for name in ["worker-1", "worker-2", "worker-3"] {
        worker(home, name, "worker", "worker.sh");
    }
    std::fs::create_dir(home.path("pages")).unwrap();
    home.write("pages/Acme", "https://acme.example/about Ann\n");
    home.write("pages/Globex", "https://dead.example/globex\nhttps://globex.example/board Ben\n");
    home.write("pages/Initech", "");
    home.write("pages/Hooli", "https://hooli.example/ Cem\n");
    std::fs::create_dir(home.path("bin")).unwrap();
    symlink(binary(), home.path("bin/subcortex")).unwrap();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", home.path("bin").display());
    let daemon = TestHome::daemon_of(home.command(&["run"]).env("PATH", path));
    drop_task(home, "supervisor", "who.md", "Who leads Acme, Globex and Initech?");

    wait_until(home, "what stays unverified is handed on", |board| {
        has(board, "UNVERIFIED", "entity", "Initech") && has(board, "PENDING", "assigned_to", "worker-1") && {
            let facts = board["facts"].as_array().unwrap();
            facts.iter().any(|fact| fact["entity"] == "Initech" && fact["by"] == "worker-1")
        }
    });
    let directive = json!({"kind": "USER_DIRECTIVE", "text": "also Hooli"}).to_string();
    let said = home.run(&["blackboard", "append", "research", "--role", "user", "--as", "ann", &directive]);
    assert_eq!(said.code, 0, "{said:?}");
    wait_until(home, "the directive is answered", |board| board["open_directives"] == json!([]));
    home.write("pages/Initech.report", "https://initech.example/report Dee\n");
    let end = wait_until(home, "a synthesis", |board| board["synthesis"].is_string());

    assert!(has(&end, "TOMBSTONE", "url", "https://dead.example/globex"), "{end:#}");
    for (entity, value) in [("Acme", "Ann"), ("Globex", "Ben"), ("Initech", "Dee"), ("Hooli", "Cem")] {
        let facts = end["facts"].as_array().unwrap();
        let is_it =
            |fact: &&Value| fact["entity"] == entity && fact["value"] == value && fact["state"] == "verified";
        assert!(facts.iter().find(is_it).is_some(), "{entity}: {end:#}");
    }
    let start = Instant::now();
    while !inbox(home, "supervisor").is_empty() {
        assert!(start.elapsed() < PATIENCE, "the supervisor's task is acked");
        std::thread::sleep(Duration::from_millis(100));
    }
    let runs = home.json(&["runs", "--json"]).to_string();
    assert!(
        runs.contains("All of them have somebody who leads them."),
        "the synthesis is the result: {runs}"
    );
    daemon.signal("TERM");
    assert!(daemon.end().success());
}

#[test]
fn the_worked_example_runs_on_files() {
    play(&TestHome::new(), "");
}

#[test]
fn the_worked_example_runs_on_redis() {
    let Some(server) = Server::start("the_worked_example_runs_on_redis") else { return };
    play(&TestHome::new(), &server.settings());
}

#[test]
fn a_supervisor_without_a_synthesis_is_not_done_whatever_it_says() {
    let home = TestHome::new();
    worker(&home, "supervisor", "supervisor", "supervisor.sh");
    home.write("subconscious/supervisor/work.sh", "#!/bin/sh\necho UPDATED: all is well\n");
    drop_task(&home, "supervisor", "who.md", "Who leads Acme?");
    let said = home.run(&["tick", "--partition", "supervisor", "--json"]);
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.out.contains("there is no SYNTHESIS on the blackboard yet"), "{said:?}");
    assert_eq!(inbox(&home, "supervisor"), ["who.md"]);
    let entries = board(&home)["entries"].clone();
    assert_eq!(
        (&entries[0]["kind"], &entries[0]["text"]),
        (&json!("USER_DIRECTIVE"), &json!("Who leads Acme?"))
    );
}

/// The state that a daemon leaves which dies after a STRATEGY was taken and before its tasks are out: the thread knows the task and the
/// plan, and no worker has anything to do.
#[test]
fn a_supervisor_that_died_before_it_handed_out_tasks_hands_them_out_once() {
    on_each("a_supervisor_that_died_before_it_handed_out_tasks_hands_them_out_once", |home| {
        let waits = "schedule: { cooldown_ticks: 0, max_duration_ms: 300000 }";
        let seat = |role: &str| {
            format!(
                "{waits}\nengine: command\ncommand: [./work.sh]\nblackboard: {{ role: {role}, thread: research }}"
            )
        };
        for (name, role, script) in [
            ("boss", "supervisor", "sleep 300"),
            ("w1", "worker", "echo NO-OP: seen"),
            ("w2", "worker", "echo NO-OP: seen"),
        ] {
            crate::partitions::script(home, name, "", script);
            partition(home, name, &seat(role));
        }
        let say = |role: &str, id: &str, entry: Value| {
            let said = home.run(&[
                "blackboard",
                "append",
                "research",
                "--role",
                role,
                "--as",
                id,
                &entry.to_string(),
            ]);
            assert_eq!(said.code, 0, "{said:?}");
        };
        drop_task(home, "boss", "who.md", "Who leads Acme?");
        say("user", "who.md", json!({"kind": "USER_DIRECTIVE", "text": "Who leads Acme?"}));
        let plan = json!({"kind": "STRATEGY", "goal": "g", "entities": ["Acme", "Globex"], "tool_chain": [], "assigned": {"Acme": "w1", "Globex": "w2"}});
        say("supervisor", "boss", plan);
        assert_eq!(inbox(home, "w1").len() + inbox(home, "w2").len(), 0, "nothing is handed out yet");
        let done = || {
            let events = home.run(&["spine", "tail", "--type", "task.done"]).out;
            events.lines().filter(|line| line.contains("blackboard-research-")).count()
        };
        let daemon = home.daemon();
        wait_for("both workers had their share", || done() == 2);
        drop(daemon); // as `kill -9` does
        let daemon = home.daemon();
        daemon.wait_for_all(&["run started", "partition=boss"]);
        crate::partitions::script(home, "own", "cooldown_ticks: 0", "echo UPDATED: mine");
        drop_task(home, "own", "later.md", "x");
        wait_for("later work is done", || inbox(home, "own").is_empty());
        assert_eq!(done(), 2, "each share once");
        assert_eq!(inbox(home, "w1").len() + inbox(home, "w2").len(), 0);
    });
}

#[track_caller]
pub(super) fn wait_for(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
