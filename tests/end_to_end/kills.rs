//! The program is killed at each of its system calls in turn, and a disk call fails at each place in turn.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{NthCall, TestHome, binary, has_program, side_by_side};

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

/// The system calls that one `event add` makes.
fn system_calls(home: &TestHome) -> Vec<NthCall> {
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
    let log = std::fs::read_to_string(log).unwrap();
    NthCall::all_in(&log).into_iter().map(|(call, _)| call).collect()
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

/// How many points have a home together: what an earlier one left must not trouble a later one.
const POINTS_PER_HOME: usize = 16;

#[test]
fn a_kill_at_every_system_call_of_an_append_loses_and_doubles_nothing() {
    if !has_program("kill at every system call", "strace") {
        return;
    }
    let points: Vec<NthCall> = system_calls(&TestHome::in_memory());
    let shares: Vec<&[NthCall]> = points.chunks(POINTS_PER_HOME).collect();
    let survived = AtomicUsize::new(0);
    side_by_side(&shares, |points| {
        let home = TestHome::in_memory();
        let mut acknowledged = Vec::new();
        for call in *points {
            let text = format!("killed at {call:?}");
            let is_added = add_under_strace(&home, &call.kill(), &text);
            survived.fetch_add(usize::from(is_added), Ordering::Relaxed);
            // Handing it over again stores what was lost and recognises what was not.
            let again =
                ["event", "add", "--kind", "claude", "--type", "t", "--source-id", &text, "--text", &text];
            assert_eq!(home.run(&again).code, 0, "{text}");
            acknowledged.push(text);
        }
        check_all(&home, &acknowledged, points.len());
    });
    let survived = survived.into_inner();
    println!("{} points, {survived} survived", points.len());
    assert!(points.len() > 100, "only {} calls", points.len());
    // A few calls come after the answer, or not every time.
    assert!(survived * 5 < points.len(), "{survived} of {} survived their kill", points.len());
}

#[test]
fn a_failing_disk_call_is_reported_and_loses_nothing() {
    if !has_program("failing disk calls", "strace") {
        return;
    }
    let calls = ["write", "fdatasync", "fsync", "openat", "ftruncate", "pwrite64", "pread64"];
    side_by_side(&calls, |call| {
        let home = TestHome::in_memory();
        let (mut acknowledged, mut tried) = (Vec::new(), 0);
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
        check_all(&home, &acknowledged, tried);
    });
}

/// A home whose worker has tasks.
fn home_with_tasks(worker: &str, frontmatter: &str, tasks: &[&str]) -> TestHome {
    let home = TestHome::in_memory();
    let dir = format!("subconscious/{worker}");
    std::fs::create_dir_all(home.path(&format!("{dir}/inbox"))).unwrap();
    home.write(
        &format!("{dir}/CLAUDE.md"),
        format!("---\nschedule: {{ cooldown_ticks: 0 }}\n{frontmatter}---\n"),
    );
    for task in tasks {
        home.write(&format!("{dir}/inbox/{task}"), format!("the task {task}"));
    }
    home
}

/// A home with one task whose work counts how often it was done.
fn home_with_task() -> TestHome {
    let home = home_with_tasks("worker", "engine: command\ncommand: [./work.sh]\n", &["task.md"]);
    home.write("subconscious/worker/work.sh", "#!/bin/sh\necho worked >> attempts\necho UPDATED: done\n");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(home.path("subconscious/worker/work.sh"), executable).unwrap();
    home
}

fn tick_under_strace(home: &TestHome, worker: &str, options: &[&str]) -> std::process::Output {
    // Only the program's own thread is followed: that is where it settles.
    Command::new("strace")
        .args(["-qq"])
        .args(options)
        .arg(binary())
        .arg("--home")
        .arg(home.path(""))
        .args(["tick", "--partition", worker, "--json"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap()
}

/// Kills a tick at each of its system calls from the one that has all of `marks` before or in it, and looks at what the next
/// process makes of it.
fn kill_at_every_call(worker: &str, marks: &[&str], make: fn() -> TestHome, check: fn(&TestHome, &NthCall)) {
    /// How many calls before that one are hit, too.
    const SPARE: usize = 12;
    let home = make();
    let log = home.path("../strace.log");
    tick_under_strace(&home, worker, &["-o", log.to_str().unwrap()]);
    let log = std::fs::read_to_string(log).unwrap();
    let calls = NthCall::all_in(&log);
    let mut lines = calls.iter().enumerate();
    let from = marks.iter().map(|mark| {
        let found = lines.find(|(_, (_, line))| line.contains(mark));
        found.unwrap_or_else(|| panic!("no call has `{mark}` in {log}")).0
    });
    let (from, total) = (from.last().unwrap_or(0), calls.len());
    let points: Vec<&NthCall> = calls.iter().skip(from.saturating_sub(SPARE)).map(|(call, _)| call).collect();
    let survived = AtomicUsize::new(0);
    side_by_side(&points, |call| {
        let home = make();
        let ended = tick_under_strace(&home, worker, &["-o", "/dev/null", "-e", &call.kill()]);
        survived.fetch_add(usize::from(ended.status.success()), Ordering::Relaxed);
        check(&home, call);
    });
    let survived = survived.into_inner();
    println!("{} points, {survived} survived", points.len());
    assert!(points.len() > 20 + SPARE, "only {} of {total} calls", points.len());
    // What waits for another thread makes a few calls more or less.
    assert!(survived * 2 < points.len(), "{survived} of {} survived their kill", points.len());
}

#[test]
fn a_kill_at_every_system_call_of_a_settle_neither_loses_nor_doubles_the_task() {
    if has_program("kill at every system call of a settle", "strace") {
        // The program's answer is read on another thread; the settle begins with the state that is saved after the one
        // of the home as it was found and the one of the start.
        let marks = ["cadence/state.json\") = 0", "cadence/state.json\") = 0", ".state.json."];
        kill_at_every_call("worker", &marks, home_with_task, check_settled);
    }
}

/// Lets the next process finish the work, and looks at what came of it.
fn check_settled(home: &TestHome, n: &NthCall) {
    let tries = finish(home, "worker");
    check_done(home, "worker", &["task.md"], n);
    let attempts = std::fs::read_to_string(home.path("subconscious/worker/attempts")).unwrap();
    assert!((1..=1 + tries).contains(&attempts.lines().count()), "killed at {n:?}: {attempts}");
}

/// Lets the next process finish the work; says how many tries that took. More than one only where the machine is so busy
/// that the program could not be started in time: then the task has to be there still.
fn finish(home: &TestHome, worker: &str) -> usize {
    for tries in 1.. {
        let said = home.run(&["tick", "--partition", worker, "--json"]);
        if tries == 3 || !said.out.contains("\"outcome\":\"refused\"") {
            return tries;
        }
    }
    unreachable!("the loop has no end of its own")
}

/// Each task is finished, once, and its file is gone.
fn check_done(home: &TestHome, worker: &str, tasks: &[&str], n: &NthCall) {
    let left = std::fs::read_dir(home.path(&format!("subconscious/{worker}/inbox"))).unwrap();
    assert_eq!(left.count(), 0, "killed at {n:?}: all tasks are done in the end");
    let done = home.run(&["spine", "cat", "--type", "task.done"]).out;
    let mut names: Vec<String> = done
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|event| event["payload"]["task"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(names, tasks, "killed at {n:?}: {done}");
    assert_eq!(
        home.json(&["spine", "verify", "--json"])["damaged"],
        serde_json::json!([]),
        "killed at {n:?}"
    );
}

const GROUP: [&str; 3] = ["a.md", "b.md", "c.md"];

#[test]
fn a_kill_at_every_system_call_of_a_settle_of_several_tasks_neither_loses_nor_doubles_one() {
    if has_program("kill at every system call of a settle of several tasks", "strace") {
        let make = || home_with_tasks("heartbeat", "engine: builtin\n", &GROUP);
        // The run begins with its event on the spine.
        kill_at_every_call("heartbeat", &["state.json", ".jsonl"], make, |home, n| {
            finish(home, "heartbeat");
            check_done(home, "heartbeat", &GROUP, n);
        });
    }
}

/// `rule add` under `strace`; this is what people run without a daemon.
fn add_rule_under_strace(home: &TestHome, rule: &str, options: &[&str]) {
    let mut command = Command::new("strace");
    command
        .arg("-qq")
        .args(options)
        .arg(binary())
        .arg("--home")
        .arg(home.path(""))
        .args(["rule", "add", rule]);
    command.env_clear().env("PATH", "/usr/bin:/bin").output().unwrap();
}

/// The files in a home that only a write in progress needs.
fn unfinished(home: &TestHome) -> Vec<String> {
    let files = walkdir::WalkDir::new(home.path("")).into_iter().filter_map(Result::ok);
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".tmp") || name.ends_with(".aside")).collect()
}

#[test]
fn what_a_killed_rule_add_left_is_gone_with_the_next_one_also_without_a_daemon() {
    if !has_program("kill at every system call of a rule", "strace") {
        return;
    }
    let make = || {
        let home = TestHome::in_memory();
        home.write("memory/CLAUDE.md", "# Rules\n- Never push to `main`.\n");
        home
    };
    let home = make();
    let log = home.path("../strace.log");
    add_rule_under_strace(&home, "Be kind.", &["-o", log.to_str().unwrap()]);
    let log = std::fs::read_to_string(log).unwrap();
    let calls = NthCall::all_in(&log);
    let writes =
        |line: &str| ["write(", "sync(", "rename", "unlink", "O_EXCL"].iter().any(|name| line.contains(name));
    let points: Vec<&NthCall> = calls
        .iter()
        .skip_while(|(_, line)| !line.contains(".tmp\""))
        .filter(|(_, line)| writes(line))
        .map(|(call, _)| call)
        .collect();
    assert!(points.len() > 10, "only {} of {} calls", points.len(), calls.len());
    let left_behind = AtomicUsize::new(0);
    let shares: Vec<&[&NthCall]> = points.chunks(POINTS_PER_HOME).collect();
    side_by_side(&shares, |points| {
        let home = make();
        for (n, call) in points.iter().enumerate() {
            add_rule_under_strace(
                &home,
                &format!("Never commit `file-{n}.txt`."),
                &["-o", "/dev/null", "-e", &call.kill()],
            );
            left_behind.fetch_add(usize::from(!unfinished(&home).is_empty()), Ordering::Relaxed);
            let said = home.run(&["rule", "add", &format!("Run `make step-{n}` before you commit.")]);
            assert_eq!(said.code, 0, "killed at {call:?}: {said:?}");
            assert_eq!(unfinished(&home), [""; 0], "killed at {call:?}");
        }
    });
    let left_behind = left_behind.into_inner();
    println!("{} points, {left_behind} with something left", points.len());
    assert!(left_behind > 0, "no kill hit a write");
}
