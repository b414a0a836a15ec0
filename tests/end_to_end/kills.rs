//! The program is killed at each of its system calls in turn, and a disk call fails at each place in turn.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::support::{TestHome, binary, has_program};

/// Runs `event add` under `strace` with an injection; says whether it reported success.
fn add_under_strace(home: &TestHome, injection: &str, text: &str) -> bool {
    let output = Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "-e", injection])
        .arg(binary())
        .arg("--home")
        .arg(home.path(""))
        .args(["event", "add", "--kind", "claude", "--type", "t", "--source-id", text, "--text", text])
        .env_clear()
        .output()
        .unwrap();
    output.status.success() && output.stdout.starts_with(b"evt_")
}

/// How many system calls one `event add` makes.
fn system_calls(home: &TestHome) -> usize {
    let log = home.path("../strace.log");
    let status = Command::new("strace")
        .args(["-f", "-qq", "-o"])
        .arg(&log)
        .arg(binary())
        .arg("--home")
        .arg(home.path(""))
        .args(["event", "add", "--kind", "claude", "--type", "t", "--source-id", "count", "--text", "count"])
        .env_clear()
        .status()
        .unwrap();
    assert!(status.success());
    std::fs::read_to_string(log).unwrap().lines().count()
}

fn texts(home: &TestHome) -> Vec<String> {
    let said = home.run(&["spine", "cat"]);
    let text = |line: &str| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        record["payload"]["text"].as_str().map(str::to_owned)
    };
    said.out.lines().filter_map(text).collect()
}

/// After each trial: what was acknowledged is there once, nothing is doubled, and the log is whole.
fn check_all(home: &TestHome, acknowledged: &[String], tried: usize) {
    assert_eq!(home.add("last").code, 0, "the next append works");
    let found = texts(home);
    for text in acknowledged {
        assert_eq!(found.iter().filter(|found| *found == text).count(), 1, "{text}");
    }
    let mut unique = found.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), found.len(), "nothing is there twice");
    let verified = home.json(&["spine", "verify", "--json"]);
    assert_eq!(verified["damaged"], serde_json::json!([]));
    println!("{tried} points, {} acknowledged", acknowledged.len());
}

#[test]
fn a_kill_at_every_system_call_of_an_append_loses_and_doubles_nothing() {
    if !has_program("kill at every system call", "strace") {
        return;
    }
    let home = TestHome::new();
    let calls = system_calls(&home);
    let mut acknowledged = Vec::new();
    for n in 1..=calls {
        let text = format!("killed at {n}");
        if add_under_strace(&home, &format!("inject=all:signal=SIGKILL:when={n}"), &text) {
            acknowledged.push(text.clone());
        }
        // Handing it over again stores what was lost and recognises what was not.
        assert!(
            home.run(&[
                "event",
                "add",
                "--kind",
                "claude",
                "--type",
                "t",
                "--source-id",
                &text,
                "--text",
                &text
            ])
            .code
                == 0
        );
        acknowledged.push(text);
        acknowledged.dedup();
    }
    check_all(&home, &acknowledged, calls);
}

#[test]
fn a_failing_disk_call_is_reported_and_loses_nothing() {
    if !has_program("failing disk calls", "strace") {
        return;
    }
    let home = TestHome::new();
    let (mut acknowledged, mut tried) = (Vec::new(), 0);
    for call in ["write", "fdatasync", "fsync", "openat", "ftruncate", "pwrite64", "pread64"] {
        for error in ["EIO", "ENOSPC"] {
            for n in 1..=6 {
                let text = format!("{call} {error} {n}");
                let injection = format!("inject={call}:error={error}:when={n}");
                if add_under_strace(&home, &injection, &text) {
                    acknowledged.push(text);
                }
                tried += 1;
            }
        }
    }
    check_all(&home, &acknowledged, tried);
}

/// A home with one task whose work counts how often it was done.
fn home_with_task() -> TestHome {
    let home = TestHome::new();
    std::fs::create_dir_all(home.path("subconscious/worker/inbox")).unwrap();
    home.write(
        "subconscious/worker/CLAUDE.md",
        "---\nschedule: { cooldown_ticks: 0 }\nengine: command\ncommand: [./work.sh]\n---\n",
    );
    home.write("subconscious/worker/work.sh", "#!/bin/sh\necho worked >> attempts\necho UPDATED: done\n");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(home.path("subconscious/worker/work.sh"), executable).unwrap();
    home.write("subconscious/worker/inbox/task.md", "the task");
    home
}

fn tick_under_strace(home: &TestHome, options: &[&str]) -> std::process::Output {
    // Only the program's own thread is followed: that is where it settles.
    Command::new("strace")
        .args(["-qq"])
        .args(options)
        .arg(binary())
        .arg("--home")
        .arg(home.path(""))
        .args(["tick", "--partition", "worker", "--json"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap()
}

#[test]
fn a_kill_at_every_system_call_of_a_settle_neither_loses_nor_doubles_the_task() {
    if !has_program("kill at every system call of a settle", "strace") {
        return;
    }
    // The settle begins when the program's answer has been read.
    let home = home_with_task();
    let log = home.path("../strace.log");
    tick_under_strace(&home, &["-o", log.to_str().unwrap()]);
    let calls = std::fs::read_to_string(log).unwrap();
    let total = calls.lines().count();
    let begin = calls.lines().position(|line| line.contains("state.json")).unwrap_or(0);
    let settle_from = calls.lines().enumerate().skip(begin).find(|(_, line)| line.contains("UPDATED: done"));
    let from = settle_from.map_or(begin, |(index, _)| index);
    let mut points = 0;
    for n in from..=total {
        let home = home_with_task();
        tick_under_strace(&home, &["-o", "/dev/null", "-e", &format!("inject=all:signal=SIGKILL:when={n}")]);
        check_settled(&home, n);
        points += 1;
    }
    println!("{points} points");
    assert!(points > 20, "only {points} of {total} calls");
}

/// Lets the next process finish the work, and looks at what came of it.
fn check_settled(home: &TestHome, n: usize) {
    home.run(&["tick", "--partition", "worker"]);
    assert!(
        !home.path("subconscious/worker/inbox/task.md").exists(),
        "killed at {n}: the task is done in the end"
    );
    let done = home.run(&["spine", "cat", "--type", "task.done"]).out;
    assert_eq!(done.lines().count(), 1, "killed at {n}: {done}");
    let attempts = std::fs::read_to_string(home.path("subconscious/worker/attempts")).unwrap();
    assert!((1..=2).contains(&attempts.lines().count()), "killed at {n}: {attempts}");
    assert_eq!(home.json(&["spine", "verify", "--json"])["damaged"], serde_json::json!([]), "killed at {n}");
}
