//! A task whose name is a secret: the file is acked by its real name, and nothing else that is written holds it.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::partitions::{drop_task, inbox, script};
use crate::support::TestHome;

const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
/// Long after everybody who obeys has done so, on the slowest machine.
const AT_LAST: Duration = Duration::from_secs(30);

fn task_name() -> String {
    format!("{SECRET}.md")
}

/// Whatever lies below the home, but for the inbox that holds the task.
#[track_caller]
fn nothing_holds_it(home: &TestHome) {
    fn look(folder: &Path) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() && !path.ends_with("subconscious/worker/inbox") {
                look(&path);
            } else if kind.is_file() {
                let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
                assert!(!text.contains(SECRET), "{}: {text}", path.display());
            }
            assert!(!entry.file_name().to_string_lossy().contains(SECRET), "{}", path.display());
        }
    }
    look(&home.path(""));
}

fn remembered(home: &TestHome) -> Value {
    let state = std::fs::read(home.path("var/cadence/state.json")).unwrap();
    serde_json::from_slice::<Value>(&state).unwrap()["partitions"]["worker"].clone()
}

#[test]
fn a_task_whose_name_is_a_secret_is_held_and_retried_and_its_name_is_nowhere() {
    let home = TestHome::new();
    script(&home, "worker", "cooldown_ticks: 0", "exit 1");
    drop_task(&home, "worker", &task_name(), "do it");
    for attempt in 1..=3 {
        assert_eq!(home.run(&["tick", "--partition", "worker"]).code, 1);
        assert_eq!(remembered(&home)["tasks"][0]["attempts"], attempt, "{}", remembered(&home));
        nothing_holds_it(&home);
    }
    let listed = home.json(&["inbox", "worker", "--json"]);
    assert!(listed.to_string().contains("held"), "{listed}");
    script(&home, "worker", "cooldown_ticks: 0", "echo UPDATED: done");
    assert_eq!(home.run(&["inbox", "retry", "worker", &task_name()]).code, 0);
    assert_eq!(home.run(&["tick", "--partition", "worker"]).code, 0);
    assert!(inbox(&home, "worker").is_empty());
    nothing_holds_it(&home);
}

#[test]
fn a_task_whose_name_is_a_secret_is_known_again_after_a_kill() {
    let home = TestHome::new();
    script(&home, "worker", "cooldown_ticks: 0", "touch begun; sleep 600");
    drop_task(&home, "worker", &task_name(), "do it");
    let mut tick = home.command(&["tick", "--partition", "worker"]).spawn().unwrap();
    let begun = Instant::now();
    while !home.path("subconscious/worker/begun").exists() {
        assert!(begun.elapsed() < AT_LAST, "the work begins");
        std::thread::sleep(Duration::from_millis(20));
    }
    tick.kill().unwrap();
    tick.wait().unwrap();
    assert!(!remembered(&home)["running"]["ahead"][0]["name"].is_null(), "{}", remembered(&home));
    nothing_holds_it(&home);
    script(&home, "worker", "cooldown_ticks: 0", "exit 1");
    assert_eq!(home.run(&["tick", "--partition", "worker"]).code, 1);
    let task = remembered(&home)["tasks"][0].clone();
    assert_eq!((&task["attempts"], task["name"] == task_name()), (&1.into(), false), "{task}");
    nothing_holds_it(&home);
}

#[test]
fn a_state_of_an_earlier_version_that_holds_the_name_is_taken_over_without_it() {
    let home = TestHome::new();
    script(&home, "worker", "cooldown_ticks: 0", "exit 1");
    drop_task(&home, "worker", &task_name(), "do it");
    assert_eq!(home.run(&["tick", "--partition", "worker"]).code, 1);
    let hidden = remembered(&home)["tasks"][0]["name"].as_str().unwrap().to_owned();
    let state = std::fs::read_to_string(home.path("var/cadence/state.json")).unwrap();
    home.write("var/cadence/state.json", state.replace(&hidden, &task_name()));
    assert_eq!(home.run(&["tick", "--partition", "worker"]).code, 1);
    assert_eq!(remembered(&home)["tasks"][0]["attempts"], 2, "{}", remembered(&home));
    nothing_holds_it(&home);
}
