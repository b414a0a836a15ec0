//! Partitions that run: inbox, result, ack, deadline, kill switch, restart.

use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::TestHome;

/// A home with ticks of a second.
pub(crate) fn home() -> TestHome {
    let home = TestHome::new();
    home.write("config/subcortex.yaml", "cadence:\n  interval_ms: 1000\n");
    home
}

pub(crate) fn partition(home: &TestHome, name: &str, frontmatter: &str) {
    std::fs::create_dir_all(home.path(&format!("subconscious/{name}/inbox"))).unwrap();
    home.write(&format!("subconscious/{name}/CLAUDE.md"), format!("---\n{frontmatter}\n---\nDo it.\n"));
}

/// A partition whose work is a shell script.
pub(crate) fn script(home: &TestHome, name: &str, schedule: &str, script: &str) {
    partition(home, name, &format!("schedule: {{ {schedule} }}\nengine: command\ncommand: [./work.sh]"));
    let path = home.path(&format!("subconscious/{name}/work.sh"));
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

pub(crate) fn drop_task(home: &TestHome, partition: &str, name: &str, body: &str) {
    let said = pipe(home, &["drop", partition, "-", "--name", name], body);
    assert_eq!(said, (0, format!("{name}\n")));
}

fn pipe(home: &TestHome, args: &[&str], input: &str) -> (i32, String) {
    use std::io::Write;
    let mut child = home.command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

pub(crate) fn inbox(home: &TestHome, partition: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(home.path(&format!("subconscious/{partition}/inbox")))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_task_that_is_taken_back_before_its_turn_comes_did_not_fail() {
    let home = home();
    // The first task of the run takes the second one back and rewrites the third.
    let work = "rm -f inbox/b.md; [ -e inbox/c.md ] && echo other > inbox/c.md; echo UPDATED: done";
    script(&home, "worker", "cooldown_ticks: 0", work);
    for name in ["a.md", "b.md", "c.md"] {
        drop_task(&home, "worker", name, name);
    }
    let said = home.run(&["tick", "--partition", "worker", "--json"]);
    assert_eq!(said.code, 0, "{said:?}");
    let run = &serde_json::from_str::<Value>(&said.out).unwrap()["runs"][0];
    assert_eq!(run["outcome"], "terminal", "{run}");
    assert_eq!(run["tasks"].as_array().unwrap().len(), 1, "nothing is said of what was not begun: {run}");
    assert_eq!(inbox(&home, "worker"), ["c.md"]);
    let again = home.json(&["tick", "--partition", "worker", "--json"]);
    assert_eq!(again["runs"][0]["tasks"][0]["name"], "c.md", "another content is another task: {again}");
    assert_eq!(again["runs"][0]["tasks"][0]["acked"], true, "{again}");
}

#[test]
fn a_run_whose_tasks_were_all_taken_back_before_it_began_did_not_fail() {
    let home = home();
    home.write("config/subcortex.yaml", "cadence:\n  max_parallel: 1\n");
    // Whichever of the two runs first takes back what the other one waits for with.
    for (name, other) in [("one", "two"), ("two", "one")] {
        script(&home, name, "cooldown_ticks: 0", &format!("rm -f ../{other}/inbox/*; echo UPDATED: done"));
        drop_task(&home, name, "task.md", "do it");
    }
    let said = home.run(&["tick", "--json"]);
    assert_eq!(said.code, 0, "{said:?}");
    let runs = serde_json::from_str::<Value>(&said.out).unwrap()["runs"].clone();
    let runs = runs.as_array().unwrap();
    assert!(runs.iter().all(|run| run["outcome"] == "terminal"), "{said:?}");
    assert_eq!(runs[1]["result"], "NO-OP: its tasks were taken back before their turn came", "{said:?}");
}

#[test]
fn each_final_status_is_acked_or_kept_as_the_table_says() {
    for (output, outcome, code, acked) in [
        ("echo UPDATED: one line", "terminal", 0, true),
        ("echo NO-OP: nothing", "terminal", 0, true),
        ("echo NO_NEW_GRADIENT: none", "terminal", 0, true),
        ("echo BOOTSTRAPPED: made", "terminal", 0, true),
        ("echo talk; echo; echo UPDATED: last line counts; echo", "terminal", 0, true),
        ("echo PARTIAL_UPDATE: half", "partial", 3, false),
        ("echo UPDATED: early; echo and then more", "invalid_output", 3, false),
        ("echo updated: lower case", "invalid_output", 3, false),
        ("echo UPDATED without colon", "invalid_output", 3, false),
        ("true", "invalid_output", 3, false),
        ("printf '\\377\\376'; echo UPDATED: after garbage", "invalid_output", 3, false),
        ("echo UPDATED: but failed; exit 1", "error", 1, false),
        ("echo UPDATED: but killed; kill -9 $$", "error", 1, false),
    ] {
        let home = home();
        script(&home, "worker", "cooldown_ticks: 0", output);
        drop_task(&home, "worker", "task.md", "do it");
        let said = home.run(&["tick", "--partition", "worker", "--json"]);
        assert_eq!(said.code, code, "{output}: {said:?}");
        let run = &serde_json::from_str::<Value>(&said.out).unwrap()["runs"][0];
        assert_eq!(run["outcome"], outcome, "{output}: {run}");
        assert_eq!(run["tasks"][0]["name"], "task.md");
        assert_eq!(run["tasks"][0]["acked"], acked, "{output}: {run}");
        assert_eq!(inbox(&home, "worker").is_empty(), acked, "{output}");
        let done = home.run(&["spine", "cat", "--type", "task.done"]).out.lines().count();
        assert_eq!(done, usize::from(acked), "{output}");
    }
}

#[test]
fn a_tick_waits_for_every_run_that_it_started_also_for_those_that_waited_for_a_slot() {
    let home = home();
    home.write("config/subcortex.yaml", "cadence:\n  interval_ms: 1000\n  max_parallel: 2\n");
    // The last ones begin when the others end, and outlast them.
    let workers = [("a", "0.1"), ("b", "0.3"), ("c", "1"), ("d", "1.5"), ("e", "0.5")];
    for (name, seconds) in workers {
        script(&home, name, "cooldown_ticks: 0", &format!("sleep {seconds}; echo UPDATED: ok"));
        drop_task(&home, name, "task.md", "do it");
    }
    let said = home.run(&["tick", "--json"]);
    assert_eq!(said.code, 0, "{said:?}");
    let runs = serde_json::from_str::<Value>(&said.out).unwrap()["runs"].as_array().unwrap().clone();
    let mut ran: Vec<&str> = runs.iter().map(|run| run["partition"].as_str().unwrap()).collect();
    ran.sort_unstable();
    assert_eq!(ran, workers.map(|(name, _)| name), "{said:?}");
    assert!(runs.iter().all(|run| run["outcome"] == "terminal"), "{said:?}");
    assert!(workers.iter().all(|(name, _)| inbox(&home, name).is_empty()));
}

#[test]
fn a_program_gets_its_task_and_nothing_of_the_callers_environment() {
    let home = home();
    script(&home, "worker", "cooldown_ticks: 0", "cat > body; env | sort > env; echo UPDATED: ok");
    drop_task(&home, "worker", "a: b.md", "the body\nof two lines");
    let output =
        home.command(&["tick", "--partition", "worker"]).env("GITHUB_TOKEN", "nobody's business").output();
    assert!(output.unwrap().status.success());
    let read =
        |name: &str| std::fs::read_to_string(home.path(&format!("subconscious/worker/{name}"))).unwrap();
    assert_eq!(read("body"), "the body\nof two lines");
    let env = read("env");
    for expect in [
        "SUBCORTEX_PARTITION=worker",
        "SUBCORTEX_TASK=a: b.md",
        "SUBCORTEX_RUN_ID=",
        "SUBCORTEX_MEMORY=",
        "SUBCORTEX_TOKEN=",
    ] {
        assert!(env.contains(expect), "{expect} in {env}");
    }
    assert!(!env.contains("GITHUB_TOKEN"));
}

#[test]
fn a_dropped_task_starts_an_idle_partition_at_once_and_drop_can_wait_for_the_result() {
    let home = home();
    script(&home, "worker", "cooldown_ticks: 0", "echo UPDATED: $SUBCORTEX_TASK");
    let daemon = home.daemon();
    let (code, out) = pipe(&home, &["drop", "worker", "-", "--name", "task.md", "--wait"], "x");
    assert_eq!((code, &*out), (0, "task.md\nUPDATED: task.md\n"));
    assert!(inbox(&home, "worker").is_empty());
    let runs = home.json(&["runs", "--json"]);
    assert_eq!(runs[0]["acked"], json!(["task.md"]));
    let id = runs[0]["run_id"].as_str().unwrap();
    assert!(home.run(&["runs", "show", id]).out.contains("done task.md: UPDATED: task.md"));
    let status = home.json(&["status", "--json"]);
    let partitions = status["partitions"].as_array().unwrap();
    let worker = partitions.iter().find(|partition| partition["name"] == "worker").unwrap();
    assert_eq!(worker["last_outcome"], "terminal");
    assert_eq!(worker["inbox"], json!({"pending": 0, "held": 0}));
    daemon.signal("TERM");
    assert!(daemon.end().success());
}

#[test]
fn a_task_that_failed_three_times_is_held_until_somebody_asks() {
    let home = home();
    script(&home, "worker", "cooldown_ticks: 0", "cat fail 2>/dev/null && exit 1; echo UPDATED: ok");
    home.write("subconscious/worker/fail", "");
    drop_task(&home, "worker", "bad.md", "x");
    for _ in 0..3 {
        assert_eq!(home.run(&["tick", "--partition", "worker"]).code, 1);
    }
    let held = home.json(&["inbox", "worker", "--json"]);
    assert_eq!((&held[0]["state"], &held[0]["attempts"]), (&json!("held"), &json!(3)), "{held}");
    assert!(held[0]["reason"].as_str().unwrap().contains("exit code 1"), "{held}");
    assert_eq!(inbox(&home, "worker"), ["bad.md"]);
    std::fs::remove_file(home.path("subconscious/worker/fail")).unwrap();
    assert_eq!(home.run(&["inbox", "retry", "worker", "bad.md"]).code, 0);
    assert_eq!(home.run(&["tick", "--partition", "worker"]).code, 0);
    assert!(inbox(&home, "worker").is_empty());
}

#[test]
fn what_is_no_task_is_refused_with_a_reason_and_stays() {
    let home = home();
    script(&home, "worker", "cooldown_ticks: 0", "echo UPDATED: $SUBCORTEX_TASK");
    let dir = home.path("subconscious/worker/inbox");
    std::os::unix::fs::symlink("/etc/passwd", dir.join("link.md")).unwrap();
    std::fs::create_dir(dir.join("folder")).unwrap();
    std::process::Command::new("mkfifo").arg(dir.join("pipe")).status().unwrap();
    std::fs::write(dir.join("huge.md"), vec![b'x'; 1024 * 1024 + 1]).unwrap();
    std::fs::write(dir.join("new\nline.md"), "x").unwrap();
    std::fs::write(dir.join(".hidden"), "x").unwrap();
    std::fs::write(dir.join("half.tmp"), "x").unwrap();
    drop_task(&home, "worker", "good.md", "x");
    assert_eq!(home.run(&["tick", "--partition", "worker"]).code, 0);
    let left = home.json(&["inbox", "--json"]);
    let refused: Vec<&str> = left
        .as_array()
        .unwrap()
        .iter()
        .filter(|task| task["state"] == "refused")
        .filter_map(|task| task["name"].as_str())
        .collect();
    assert_eq!(refused.len(), 5, "{left}");
    assert_eq!(left.as_array().unwrap().len(), 5, "{left}");
    assert!(!dir.join("good.md").exists() && dir.join("half.tmp").exists());
}

#[test]
fn a_run_that_exceeds_its_time_is_ended_with_everything_it_started() {
    let home = home();
    script(
        &home,
        "slow",
        "cooldown_ticks: 0, max_duration_ms: 300",
        "trap '' TERM; (setsid tail -f ./here &) ; setsid sh -c 'tail -f ./here' & tail -f ./here; tail -f ./here",
    );
    home.write("subconscious/slow/here", "");
    drop_task(&home, "slow", "task.md", "x");
    let said = home.run(&["tick", "--partition", "slow", "--json"]);
    assert_eq!(said.code, 1, "{said:?}");
    let run = &serde_json::from_str::<Value>(&said.out).unwrap()["runs"][0];
    assert_eq!(run["outcome"], "timeout", "{run}");
    assert_eq!(inbox(&home, "slow"), ["task.md"]);
    let here = home.path("subconscious/slow");
    let alive: Vec<_> = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| std::fs::read_link(entry.unwrap().path().join("cwd")).ok())
        .filter(|cwd| *cwd == here)
        .collect();
    assert_eq!(alive, Vec::<std::path::PathBuf>::new());
}

#[test]
fn the_kill_switch_ends_what_runs_and_keeps_everything_from_starting() {
    let home = home();
    script(&home, "worker", "cooldown_ticks: 0", "touch started; sleep 600; echo UPDATED: never");
    let daemon = home.daemon();
    drop_task(&home, "worker", "task.md", "x");
    daemon.wait_for("run started");
    let begun = Instant::now();
    assert_eq!(home.run(&["pause", "--why", "enough"]).code, 0);
    let ended = daemon.wait_for("run ended");
    assert!(ended.contains("outcome=paused"), "{ended}");
    assert!(begun.elapsed() < Duration::from_secs(30), "not after the ten minutes of its sleep");
    assert_eq!(inbox(&home, "worker"), ["task.md"]);
    drop_task(&home, "worker", "second.md", "x");
    let status = home.json(&["status", "--json"]);
    let all = status["partitions"].as_array().unwrap();
    let worker = all.iter().find(|one| one["name"] == "worker").unwrap();
    assert_eq!((&status["paused"], &worker["state"]), (&json!(true), &json!("paused")));
    assert_eq!(home.run(&["tick", "--partition", "worker"]).code, 5);
    script(&home, "worker", "cooldown_ticks: 0", "echo UPDATED: now");
    assert_eq!(home.run(&["resume"]).code, 0);
    daemon.wait_for("outcome=terminal");
    daemon.wait_for(" tick ");
    assert!(inbox(&home, "worker").is_empty());
}

#[test]
fn any_doubt_about_the_kill_switch_means_paused() {
    for shape in ["file", "directory", "dangling link"] {
        let home = home();
        script(&home, "worker", "cooldown_ticks: 0", "echo UPDATED: no");
        drop_task(&home, "worker", "task.md", "x");
        match shape {
            "file" => home.write("PAUSED", ""),
            "directory" => std::fs::create_dir(home.path("PAUSED")).unwrap(),
            _ => std::os::unix::fs::symlink("/nowhere", home.path("PAUSED")).unwrap(),
        }
        assert_eq!(home.run(&["tick", "--partition", "worker"]).code, 5, "{shape}");
        assert_eq!(inbox(&home, "worker"), ["task.md"]);
    }
}

#[test]
fn one_bad_definition_is_reported_and_hides_nobody() {
    let home = home();
    partition(&home, "broken", "schedule: { cooldown: 5 }");
    script(&home, "worker", "cooldown_ticks: 0", "echo UPDATED: ok");
    let status = home.json(&["status", "--json"]);
    let all = status["partitions"].as_array().unwrap();
    let find = |name: &str| all.iter().find(|one| one["name"] == name).unwrap();
    assert_eq!(find("broken")["state"], "unusable");
    assert_ne!(find("worker")["state"], "unusable");
    assert_ne!(find("memory-weaver")["state"], "unusable");
    let problem = find("broken")["problem"].as_str().unwrap();
    assert!(
        problem.contains("subconscious/broken/CLAUDE.md:2") && problem.contains("cooldown_ticks"),
        "{problem}"
    );
    drop_task(&home, "worker", "task.md", "x");
    assert_eq!(home.run(&["tick"]).code, 0);
    assert!(inbox(&home, "worker").is_empty());
}

#[test]
fn partitions_come_and_go_without_a_restart() {
    let home = home();
    let daemon = home.daemon();
    script(&home, "late", "cooldown_ticks: 0", "echo UPDATED: hello");
    drop_task(&home, "late", "task.md", "x");
    daemon.wait_for("outcome=terminal");
    partition(&home, "late", "schedule: { enabled: false }");
    drop_task(&home, "late", "second.md", "x");
    daemon.wait_for("reason=disabled");
    assert_eq!(inbox(&home, "late"), ["second.md"]);
}

/// All run records of a home.
pub(crate) fn run_records(home: &TestHome) -> Vec<Value> {
    let mut records = Vec::new();
    for day in std::fs::read_dir(home.path("var/runs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
    {
        for file in std::fs::read_dir(day).unwrap().map(|entry| entry.unwrap().path()) {
            if file.extension().is_some_and(|ending| ending == "json") {
                records.push(serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap());
            }
        }
    }
    records
}

#[test]
fn a_stop_while_busy_keeps_the_task_and_leaves_nothing_alive() {
    let home = home();
    script(&home, "worker", "cooldown_ticks: 0", "sleep 600; echo UPDATED: never");
    let daemon = home.daemon();
    drop_task(&home, "worker", "task.md", "x");
    daemon.wait_for("run started");
    daemon.signal("TERM");
    daemon.wait_for("daemon stopped");
    assert!(daemon.end().success());
    assert_eq!(inbox(&home, "worker"), ["task.md"]);
}

#[test]
fn settings_are_reloaded_and_mistakes_in_them_change_nothing() {
    let home = home();
    let daemon = home.daemon();
    home.write("config/subcortex.yaml", "cadence:\n  interval_ms: 2000\n");
    daemon.signal("HUP");
    assert!(daemon.wait_for("settings reloaded").contains("interval_ms=2000"));
    home.write("config/subcortex.yaml", "cadence:\n  interval_ms: 1\n");
    daemon.signal("HUP");
    daemon.wait_for("settings not reloaded");
    assert_eq!(home.json(&["status", "--json"])["interval_ms"], 2000);
}

#[test]
fn every_run_leaves_its_scratchpad_before_and_after() {
    let home = home();
    script(&home, "worker", "cooldown_ticks: 0", "echo UPDATED: ok");
    for _ in 0..2 {
        assert_eq!(home.run(&["tick", "--partition", "worker"]).code, 0);
    }
    let mut names: Vec<String> = std::fs::read_dir(home.path("subconscious/worker/scratchpad"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names.iter().filter(|name| name.ends_with("_before.yaml")).count(), 2, "{names:?}");
    assert_eq!(names.iter().filter(|name| name.ends_with("_after.yaml")).count(), 2, "{names:?}");
    assert!(names.contains(&"active.yaml".to_owned()));
}
