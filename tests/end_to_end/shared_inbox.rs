//! The shared inbox: handed on by marker, once, and what stays says why.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::partitions::{drop_task, inbox, partition, script};
use crate::support::TestHome;

fn shared(home: &TestHome) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(home.path("subconscious/inbox"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    names
}

/// Every partition at work, with ticks of a second.
fn whole_home() -> TestHome {
    let home = TestHome::whole();
    home.write("config/subcortex.yaml", "cadence:\n  interval_ms: 1000\n");
    home
}

fn notes(home: &TestHome, name: &str, consumes: &str) {
    partition(home, name, &format!("schedule: {{ enabled: false }}\nconsumes: {consumes}"));
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(60), "still not: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_task_goes_to_the_one_partition_that_takes_its_marker_and_the_others_say_why_they_stay() {
    let home = TestHome::whole();
    notes(&home, "notes", "[\"note:*\", \"both\"]");
    notes(&home, "diary", "[\"both\"]");
    drop_task(&home, "inbox", "a.md", "[note:x] Keep this.");
    drop_task(&home, "inbox", "b.md", "[both] Whose is it?");
    drop_task(&home, "inbox", "c.md", "No marker at all.");
    drop_task(&home, "inbox", "d.md", "[nobody:knows] Do it.");
    let listed = home.json(&["inbox", "inbox", "--json"]);
    let states: Vec<(&str, &str)> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|task| (task["name"].as_str().unwrap(), task["state"].as_str().unwrap()))
        .collect();
    assert_eq!(states, [("a.md", "pending"), ("b.md", "held"), ("c.md", "held"), ("d.md", "held")]);

    let ran = home.json(&["tick", "--partition", "cadence-executor", "--json"]);
    assert_eq!(ran["runs"][0]["result"], "UPDATED: 1 handed over; 3 stay, see `subcortex inbox`");
    assert_eq!(inbox(&home, "notes"), ["a.md"]);
    assert_eq!(std::fs::read(home.path("subconscious/notes/inbox/a.md")).unwrap(), b"[note:x] Keep this.");
    assert_eq!(shared(&home), ["b.md", "c.md", "d.md"]);

    let reason = |name: &str| -> String {
        let tasks = home.json(&["inbox", "--json"]);
        let found = tasks.as_array().unwrap().iter().find(|task| task["name"] == name).unwrap().clone();
        assert_eq!(found["partition"], "inbox");
        found["reason"].as_str().unwrap().to_owned()
    };
    assert!(reason("b.md").contains("diary and notes"), "{}", reason("b.md"));
    assert!(reason("c.md").contains("does not begin with a marker"), "{}", reason("c.md"));
    assert!(reason("d.md").contains("`[nobody:knows]`"), "{}", reason("d.md"));
    let status = home.json(&["status", "--json"]);
    assert_eq!(status["shared_inbox"], serde_json::json!({ "pending": 0, "held": 3 }));
    for said in [home.run(&["status"]).out, home.run(&["doctor"]).out] {
        assert!(said.contains("inbox/d.md"), "{said}");
    }
}

#[test]
fn a_running_daemon_hands_a_task_on_at_once_and_drop_waits_for_the_answer() {
    let home = whole_home();
    script(&home, "echoes", "cooldown_ticks: 0", "cat >/dev/null; echo UPDATED: heard");
    let definition = home.path("subconscious/echoes/CLAUDE.md");
    let text = std::fs::read_to_string(&definition).unwrap();
    std::fs::write(&definition, text.replacen("---\n", "---\nconsumes: [echo]\n", 1)).unwrap();
    home.write("task.md", "[echo] Say it.");
    let daemon = home.daemon();
    let said = home.run(&["drop", "inbox", home.path("task.md").to_str().unwrap(), "--wait"]);
    assert_eq!((said.code, said.out.as_str()), (0, "task.md\nUPDATED: heard\n"), "{}", said.err);
    let said = home.run(&["drop", "inbox", home.path("task.md").to_str().unwrap(), "--wait", "--name", "x"]);
    assert_eq!(said.code, 0, "{}", said.err);
    home.write("lost.md", "[lost] Say it.");
    let said = home.run(&["drop", "inbox", home.path("lost.md").to_str().unwrap(), "--wait"]);
    assert_eq!(said.code, 3);
    assert!(said.out.contains("no partition that can be used takes `[lost]`"), "{}", said.out);

    // Somebody takes it from now on.
    let text = std::fs::read_to_string(&definition).unwrap();
    std::fs::write(&definition, text.replacen("[echo]", "[echo, lost]", 1)).unwrap();
    until("lost.md is handed over", || shared(&home).is_empty());
    until("lost.md is done", || inbox(&home, "echoes").is_empty());
    drop(daemon);
}

#[test]
fn the_inbox_of_every_partition_is_made_by_the_daemon() {
    let home = whole_home();
    for name in ["fresh", "broken"] {
        std::fs::create_dir(home.path(&format!("subconscious/{name}"))).unwrap();
    }
    home.write("subconscious/fresh/CLAUDE.md", "---\nschedule: { enabled: false }\n---\nDo it.\n");
    home.write("subconscious/broken/CLAUDE.md", "---\nnonsense: true\n---\nDo it.\n");
    let daemon = home.daemon();
    until("the inbox is there", || home.path("subconscious/fresh/inbox").is_dir());
    assert!(!home.path("subconscious/broken/inbox").exists());
    drop(daemon);
}

/// Tasks come in while the daemon is killed again and again: each is done exactly once.
#[test]
fn no_task_is_lost_or_done_twice_while_the_daemon_is_killed() {
    const TASKS: usize = 30;
    let home = whole_home();
    let log = home.path("done.log");
    let line = format!("cat >/dev/null; echo \"$SUBCORTEX_TASK\" >> {}; echo UPDATED: done", log.display());
    script(&home, "worker", "cooldown_ticks: 0", &line);
    let definition = home.path("subconscious/worker/CLAUDE.md");
    let text = std::fs::read_to_string(&definition).unwrap();
    std::fs::write(&definition, text.replacen("---\n", "---\nconsumes: [work]\n", 1)).unwrap();
    for round in 0..6_u64 {
        let daemon = home.daemon_process();
        for task in 0..TASKS / 6 {
            drop_task(&home, "inbox", &format!("t-{round}-{task}.md"), "[work] Do it.");
        }
        std::thread::sleep(Duration::from_millis(37 * round));
        daemon.signal("KILL");
        daemon.end();
    }
    let daemon = home.daemon();
    until("everything is done", || shared(&home).is_empty() && inbox(&home, "worker").is_empty());
    drop(daemon);
    let said = home.run(&["spine", "cat", "--type", "task.done"]).out;
    let events = said.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut done: Vec<String> = events
        .filter(|event| event["payload"]["partition"] == "worker")
        .map(|event| event["payload"]["task"].as_str().unwrap().to_owned())
        .collect();
    done.sort();
    let all = done.len();
    done.dedup();
    assert_eq!((done.len(), all), (TASKS, TASKS), "each task has one result");
}
