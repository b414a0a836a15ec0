//! `drop --wait`, `tick --partition` and `inbox` beside a real daemon: what is waited for is said, and nobody waits for nothing.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{refused, tells};
use crate::partitions::{drop_task, home, partition, script};
use crate::support::{Said, TestHome};

/// Far longer than anything here takes, and far shorter than the rests that are not sat out.
const SOON: Duration = Duration::from_secs(120);

fn wait(home: &TestHome, worker: &str, more: &[&str]) -> Said {
    let mut command: Command = home.command(&[&["drop", worker, "-", "--wait"], more].concat());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"the task").unwrap();
    let output = child.wait_with_output().unwrap();
    Said {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn without_a_daemon_a_wait_says_so_and_ends_in_time() {
    let home = home();
    script(&home, "sorter", "cooldown_ticks: 0", "echo UPDATED: ok");
    let said = wait(&home, "sorter", &["--timeout", "1"]);
    assert_eq!(said.code, 3, "{said:?}");
    let words = [
        "no daemon runs, so nobody takes the task",
        "`subcortex run`",
        "`subcortex tick --partition sorter`",
        "no result within 1 s",
        "`subcortex inbox sorter`",
    ];
    tells(&said.err, &words);
    assert_eq!(said.out.lines().count(), 1, "only the name: {said:?}");
}

#[test]
fn a_worker_that_rests_is_asked_to_run_now() {
    let home = home();
    // A tick a minute, and a rest of a thousand of them.
    home.write("config/subcortex.yaml", "cadence:\n  interval_ms: 60000\n");
    script(&home, "sorter", "cooldown_ticks: 1000", "cat >/dev/null; echo UPDATED: sorted");
    let daemon = home.daemon();
    for round in 0..2 {
        let since = Instant::now();
        let said = wait(&home, "sorter", &[]);
        assert_eq!(said.code, 0, "{said:?}");
        assert!(said.out.ends_with("UPDATED: sorted\n"), "{said:?}");
        assert!(since.elapsed() < SOON);
        tells(&said.err, &["waiting for sorter"]);
        if round == 1 {
            tells(&said.err, &["would rest until ", "is asked to run now"]);
        }
    }
    let runs = home.json(&["runs", "--json"]);
    let sorter = runs.as_array().unwrap().iter().filter(|run| run["partition"] == "sorter").count();
    assert_eq!(sorter, 2, "one run a task, and none without: {runs}");
    drop(daemon);
}

#[test]
fn a_wait_ends_when_somebody_pauses() {
    let home = home();
    script(&home, "sorter", "cooldown_ticks: 0", "sleep 600");
    let daemon = home.daemon();
    let said = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| wait(&home, "sorter", &[]));
        daemon.wait_for_all(&["run started", "partition=sorter"]);
        assert_eq!(home.run(&["pause", "--why", "lunch"]).code, 0);
        waiting.join().unwrap()
    });
    assert_eq!(said.code, 5, "{said:?}");
    tells(&said.err, &["`subcortex resume`"]);
}

#[test]
fn a_failed_attempt_ends_the_wait_with_what_the_program_said() {
    let home = home();
    script(&home, "sorter", "cooldown_ticks: 0", "echo 'no such column' >&2; exit 1");
    let _daemon = home.daemon();
    let said = wait(&home, "sorter", &[]);
    assert_eq!(said.code, 3, "{said:?}");
    tells(&said.out, &["exit code 1"]);
    tells(
        &said.err,
        &["it said: no such column", "the task stays in the queue of sorter", "`subcortex runs show "],
    );
}

#[test]
fn nobody_waits_for_a_worker_that_takes_no_task() {
    let home = home();
    script(&home, "off", "enabled: false", "echo UPDATED: ok");
    script(&home, "deaf", "wake_on: [events]", "echo UPDATED: ok");
    partition(&home, "broken", "engine: command\ncommand: ./sort.sh --fast");
    let _daemon = home.daemon();
    for (worker, words) in [
        ("off", ["off is switched off", "`subcortex tick --partition off` does it once"]),
        ("deaf", ["no task wakes deaf", "`subcortex tick --partition deaf` does it once"]),
        ("broken", ["`command: [./sort.sh, --fast]`", "broken takes no task before that is corrected"]),
    ] {
        let said = wait(&home, worker, &[]);
        assert_eq!(said.code, 3, "{said:?}");
        tells(&said.err, &words);
    }
}

#[test]
fn a_task_that_is_worked_on_is_shown_as_such() {
    let home = home();
    script(&home, "sorter", "cooldown_ticks: 0", "while [ ! -e go ]; do sleep 0.05; done; echo UPDATED: ok");
    let daemon = home.daemon();
    drop_task(&home, "sorter", "a.md", "x");
    daemon.wait_for_all(&["run started", "partition=sorter"]);
    refused(&home, &["inbox"], 0, &["a.md  being worked on", "sorter: 1 task; working"]);
    let task = &home.json(&["inbox", "--json"])[0];
    assert_eq!((&task["state"], &task["running"]), (&"pending".into(), &true.into()), "{task}");
    assert_eq!(task["reason"], serde_json::Value::Null, "{task}");
    refused(&home, &["status"], 0, &["working"]);
    home.write("subconscious/sorter/go", "");
    daemon.wait_for_all(&["run ended", "partition=sorter"]);
}

#[test]
fn a_tick_of_one_worker_waits_for_no_other() {
    let home = home();
    script(&home, "slow", "cooldown_ticks: 0", "sleep 600");
    script(&home, "quick", "cooldown_ticks: 1000", "echo UPDATED: quick");
    let daemon = home.daemon();
    drop_task(&home, "slow", "a.md", "x");
    daemon.wait_for_all(&["run started", "partition=slow"]);
    let since = Instant::now();
    let said = home.run(&["tick", "--partition", "quick"]);
    assert_eq!(said.code, 0, "{said:?}");
    tells(&said.out, &["quick", "done", "UPDATED: quick"]);
    assert!(since.elapsed() < SOON, "the other is not waited for");
}

#[test]
fn a_tick_of_a_worker_that_works_already_tells_what_came_of_that_run() {
    let home = home();
    script(&home, "sorter", "cooldown_ticks: 0", "while [ ! -e go ]; do sleep 0.05; done; echo UPDATED: ok");
    let daemon = home.daemon();
    // Nothing outside of the daemon shows that it was asked. Whoever asks too late gets a run of their own, which has no task: then it
    // is done once more, with more time to ask.
    for (task, pause) in [("a.md", 300), ("b.md", 3_000), ("c.md", 30_000)] {
        drop_task(&home, "sorter", task, "x");
        daemon.wait_for_all(&["run started", "partition=sorter", "tasks=1"]);
        let asks = home.command(&["tick", "--partition", "sorter"]).stdout(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        home.write("subconscious/sorter/go", "");
        let said = asks.wait_with_output().unwrap();
        assert!(said.status.success(), "{said:?}");
        let said = String::from_utf8_lossy(&said.stdout);
        tells(&said, &["sorter", "done", "UPDATED: ok"]);
        if said.contains("1 task done") {
            return;
        }
        tells(&said, &["no task"]);
        std::fs::remove_file(home.path("subconscious/sorter/go")).unwrap();
    }
    panic!("nobody was told of the run that was there already");
}
