//! The daemon: it starts, ticks, logs, is alone, and stops when told.

mod kill_switch;
mod ticks;

use std::time::Duration;

use crate::support::{Mounted, TestHome};

#[test]
fn it_starts_ticks_and_stops_cleanly_on_either_signal() {
    for signal in ["TERM", "INT"] {
        let home = TestHome::bare();
        std::fs::create_dir_all(home.path("config")).unwrap();
        home.write("config/subcortex.yaml", "cadence:\n  interval_ms: 1000\n");
        let daemon = home.daemon();
        for tick in 1..=3 {
            let line = daemon.wait_for(" tick ");
            assert!(line.contains(&format!("tick={tick} ")), "{line}");
        }
        let status = home.json(&["status", "--json"]);
        assert_eq!(status["daemon"]["pid"], daemon.pid());
        assert_eq!(status["interval_ms"], 1000);
        assert!(status["tick"].as_u64().unwrap() >= 3);
        assert!(status["next_tick_at"].is_string());
        daemon.signal(signal);
        daemon.wait_for("daemon stopped");
        assert!(daemon.end().success(), "{signal}");
        assert_eq!(home.json(&["status", "--json"])["daemon"], serde_json::Value::Null);
        let spine = home.run(&["spine", "cat", "--kind", "system"]).out;
        assert!(spine.contains("daemon.started") && spine.contains("daemon.stopped"), "{spine}");
        let log = std::fs::read_to_string(home.path("var/log/daemon.log")).unwrap();
        assert!(log.contains(" INFO  daemon started") && log.contains("daemon stopped"), "{log}");
    }
}

#[test]
fn a_second_daemon_says_who_holds_the_home_and_leaves_with_its_own_code() {
    let home = TestHome::bare();
    let daemon = home.daemon();
    let second = home.run(&["run"]);
    assert_eq!(second.code, 4, "{second:?}");
    assert!(second.err.contains(&format!("pid {}", daemon.pid())), "{}", second.err);
    assert_eq!(second.err.matches("daemon started").count(), 0);
}

#[test]
fn a_killed_daemon_leaves_the_home_free_and_the_counter_whole() {
    let home = TestHome::new();
    home.write("config/subcortex.yaml", "cadence:\n  interval_ms: 1000\n");
    let daemon = home.daemon();
    assert!(daemon.wait_for(" tick ").contains(" tick=1 "));
    daemon.signal("KILL");
    daemon.end();
    let next = home.daemon();
    assert!(!next.wait_for(" tick ").contains(" tick=1 "), "the counter goes on");
    assert_eq!(home.json(&["spine", "verify", "--json"])["damaged"], serde_json::json!([]));
}

/// A home whose daemon was killed while a program of its worker writes a line every few milliseconds.
fn killed_at_work() -> TestHome {
    let home = TestHome::new();
    std::fs::create_dir_all(home.path("subconscious/drummer/inbox")).unwrap();
    let endless = ["sh", "-c", "while :; do echo beat >> beats; sleep 0.02; done"];
    home.write(
        "subconscious/drummer/CLAUDE.md",
        format!(
            "---\nschedule: {{ cooldown_ticks: 0 }}\nengine: command\ncommand: {}\n---\n",
            serde_json::json!(endless)
        ),
    );
    let daemon = home.daemon();
    home.write("subconscious/drummer/inbox/drum", "a roll");
    assert!((0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        beats(&home) > 0
    }));
    daemon.signal("KILL");
    daemon.end();
    home
}

fn beats(home: &TestHome) -> usize {
    std::fs::read(home.path("subconscious/drummer/beats")).map_or(0, |bytes| bytes.len())
}

#[test]
fn a_pause_ends_what_a_killed_daemon_left_at_work() {
    let home = killed_at_work();
    let said = home.run(&["pause"]);
    assert!(said.code == 0 && said.out.contains("running work was stopped"), "{said:?}");
    let then = beats(&home);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(beats(&home), then, "nothing goes on");
}

#[test]
fn a_task_that_a_killed_daemon_left_at_work_is_not_worked_on_twice_at_once() {
    let home = killed_at_work();
    let definition = std::fs::read_to_string(home.path("subconscious/drummer/CLAUDE.md")).unwrap();
    let counts = "wc -c < beats > before; sleep 0.3; wc -c < beats > after; echo UPDATED: both";
    let asks = format!("command: {}", serde_json::json!(["sh", "-c", counts]));
    let command = definition.lines().find(|line| line.starts_with("command:")).unwrap();
    home.write("subconscious/drummer/CLAUDE.md", definition.replace(command, &asks));
    let said = home.run(&["tick", "--partition", "drummer"]);
    assert_eq!(said.code, 0, "{said:?}");
    let seen =
        |name: &str| std::fs::read_to_string(home.path(&format!("subconscious/drummer/{name}"))).unwrap();
    assert_eq!(seen("before"), seen("after"), "the first run was over before the second began");
}

#[test]
fn twenty_daemons_at_once_have_one_winner() {
    let home = TestHome::new();
    let daemons: Vec<_> = (0..20).map(|_| home.daemon_process()).collect();
    let mut winners = Vec::new();
    // The losers end by themselves, the winner runs on: whoever says "started" has won.
    for daemon in daemons {
        winners.extend(daemon.wait_for_start_or_end().then_some(daemon));
    }
    assert_eq!(winners.len(), 1);
}

#[test]
fn wrong_settings_are_refused_with_their_place_and_nothing_starts() {
    let home = TestHome::new();
    home.write("config/subcortex.yaml", "cadence:\n  intervall_ms: 1000\n");
    let said = home.run(&["run"]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("config/subcortex.yaml:2:3"), "{}", said.err);
    assert!(said.err.contains("`interval_ms`"), "{}", said.err);
    assert!(!home.path("var/log/daemon.log").exists());
}

/// Takes all room of a small disk; gives it back when the file is removed.
fn fill_up(home: &TestHome) -> std::path::PathBuf {
    let filler = home.path("filler");
    for len in [4096, 512, 1] {
        while let Ok(()) = append(&filler, &vec![0_u8; len]) {}
    }
    filler
}

#[test]
fn a_daemon_that_starts_on_a_full_disk_waits_says_so_and_goes_on_when_there_is_room() {
    let Some(small) = Mounted::tmpfs("daemon on a full disk", "size=1m") else { return };
    let home = TestHome::inside(small.path());
    assert_eq!(home.run(&["init"]).code, 0);
    let filler = fill_up(&home);
    let daemon = home.daemon();
    let line = daemon.wait_for("waiting: nothing more is started");
    assert!(line.contains("disk is full") || line.contains("No space"), "{line}");
    std::fs::remove_file(filler).unwrap();
    daemon.wait_for("going on");
    daemon.signal("TERM");
    assert!(daemon.end().success());
}

#[test]
fn a_disk_that_fills_up_while_tasks_come_in_ends_nothing_and_loses_nothing() {
    let Some(small) = Mounted::tmpfs("disk that fills up", "size=2m") else { return };
    let home = TestHome::inside(small.path());
    assert_eq!(home.run(&["init"]).code, 0);
    home.write("config/subcortex.yaml", "cadence:\n  interval_ms: 1000\n");
    crate::partitions::script(&home, "worker", "cooldown_ticks: 0", "echo UPDATED: it ran");
    let daemon = home.daemon();
    daemon.wait_for(" tick ");
    crate::partitions::drop_task(&home, "worker", "before.md", "x");
    daemon.wait_for_all(&["run ended", "partition=worker"]);
    home.write("PAUSED", "");
    daemon.wait_for("kill switch");
    crate::partitions::drop_task(&home, "worker", "during.md", "x");
    let filler = fill_up(&home);
    std::fs::remove_file(home.path("PAUSED")).unwrap();
    daemon.wait_for("waiting: nothing more is started");
    let status = home.json(&["status", "--json"]);
    assert!(status["trouble"].is_string(), "{status}");
    // Kill switches are obeyed and people are answered meanwhile; the same process goes on.
    assert_eq!(status["daemon"]["pid"], daemon.pid());
    std::fs::remove_file(filler).unwrap();
    daemon.wait_for("going on");
    daemon.wait_for_all(&["run ended", "partition=worker", "acked=1"]);
    assert_eq!(crate::partitions::inbox(&home, "worker"), [""; 0]);
    assert_eq!(home.json(&["status", "--json"])["trouble"], serde_json::Value::Null);
}

#[test]
fn a_daemon_that_waits_for_room_stops_when_told() {
    let Some(small) = Mounted::tmpfs("stop on a full disk", "size=1m") else { return };
    let home = TestHome::inside(small.path());
    assert_eq!(home.run(&["init"]).code, 0);
    let filler = fill_up(&home);
    let daemon = home.daemon();
    daemon.wait_for("waiting: nothing more is started");
    daemon.signal("TERM");
    assert!(daemon.end().success());
    std::fs::remove_file(filler).unwrap();
    home.daemon().wait_for(" tick ");
}

#[test]
fn a_daemon_without_free_descriptors_waits_and_goes_on() {
    let home = crate::partitions::home();
    crate::partitions::script(&home, "worker", "cooldown_ticks: 0", "echo UPDATED: it ran");
    let daemon = home.daemon();
    daemon.wait_for(" tick ");
    let limit = |files: String| {
        let done = std::process::Command::new("prlimit")
            .args(["--pid", &daemon.pid().to_string(), &format!("--nofile={files}:")])
            .status();
        done.is_ok_and(|status| status.success())
    };
    // Only the numbers of the standard streams are left, and those are taken: not one more can be opened, whatever is closed meanwhile.
    if !limit("3".into()) {
        crate::support::skip("no free descriptors", "the program `prlimit` is missing");
        return;
    }
    daemon.wait_for("waiting: nothing more is started");
    crate::partitions::drop_task(&home, "worker", "t.md", "x");
    assert!(limit("1024".into()));
    daemon.wait_for("going on");
    daemon.wait_for_all(&["run ended", "partition=worker", "acked=1"]);
}

#[test]
fn a_damaged_state_of_the_scheduler_is_kept_aside_and_the_daemon_starts() {
    for damage in ["", "{", "{\"version\":1,\"tick\":\"x\"}", "\0\0\0"] {
        let home = crate::partitions::home();
        crate::partitions::script(&home, "worker", "cooldown_ticks: 0", "echo UPDATED: it ran");
        home.write("var/cadence/state.json", damage);
        crate::partitions::drop_task(&home, "worker", "t.md", "x");
        let daemon = home.daemon();
        daemon.wait_for_all(&["run ended", "partition=worker", "acked=1"]);
        let log = std::fs::read_to_string(home.path("var/log/daemon.log")).unwrap();
        assert!(log.contains("state.json is damaged: starting without it"), "{log}");
        let kept = std::fs::read_dir(home.path("var/quarantine")).unwrap().count();
        assert_eq!(kept, 1, "{damage:?}");
    }
}

#[test]
fn output_of_any_script_is_cut_without_ending_the_daemon() {
    let home = crate::partitions::home();
    crate::partitions::script(
        &home,
        "worker",
        "cooldown_ticks: 0",
        "yes '│   ├── 日本' | head -c 3000000 | tr '\\n' ' '; echo; echo UPDATED: it ran",
    );
    let daemon = home.daemon();
    daemon.wait_for(" tick ");
    crate::partitions::drop_task(&home, "worker", "t.md", "x");
    daemon.wait_for_all(&["run ended", "partition=worker", "acked=1"]);
}

#[test]
fn a_task_of_a_megabyte_of_vendor_prefixes_keeps_no_kill_switch_and_no_status_waiting() {
    let home = crate::partitions::home();
    crate::partitions::script(&home, "worker", "cooldown_ticks: 0", "echo UPDATED: it ran");
    crate::partitions::script(&home, "neighbour", "cooldown_ticks: 0, max_duration_ms: 1000", "sleep 600");
    let daemon = home.daemon();
    daemon.wait_for(" tick ");
    crate::partitions::drop_task(&home, "worker", "long.md", &"sk-".repeat(300_000));
    daemon.wait_for_all(&["run started", "partition=worker"]);
    crate::partitions::drop_task(&home, "neighbour", "t.md", "x");
    daemon.wait_for_all(&["run started", "partition=neighbour"]);
    let begun = std::time::Instant::now();
    daemon.wait_for_all(&["run ended", "partition=neighbour", "outcome=timeout"]);
    home.write("PAUSED", "");
    daemon.wait_for("kill switch");
    assert_eq!(home.json(&["status", "--json"])["paused"], true);
    // Very generous: the deadline is one second, its grace five.
    assert!(begun.elapsed() < std::time::Duration::from_secs(30), "{:?}", begun.elapsed());
}

fn append(path: &std::path::Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    std::fs::OpenOptions::new().create(true).append(true).open(path)?.write_all(bytes)
}

#[test]
fn what_a_killed_writer_left_is_swept_at_the_start_in_every_folder_and_nothing_else_is() {
    let home = TestHome::new();
    let folders = [
        "memory/fragments/2026-11-14",
        "memory/dossiers",
        "subconscious/memory-weaver/inbox",
        "var/runs/2026-11-14",
    ];
    // No process has this number: it is above the limit of the kernel.
    let (dead, alive) = (4_194_305, std::process::id());
    for folder in folders {
        std::fs::create_dir_all(home.path(folder)).unwrap();
        for name in [
            format!(".a.md.{dead}.7.tmp"),
            format!(".a.md.{alive}.7.tmp"),
            ".a.tmp".into(),
            "a.md.tmp".into(),
        ] {
            home.write(&format!("{folder}/{name}"), "x");
        }
    }
    let daemon = home.daemon();
    for _ in folders {
        daemon.wait_for("leftover removed");
    }
    for folder in folders {
        let mut left: Vec<String> = std::fs::read_dir(home.path(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, [format!(".a.md.{alive}.7.tmp"), ".a.tmp".into(), "a.md.tmp".into()], "{folder}");
    }
}

#[test]
fn status_counts_all_tasks_that_wait_and_names_those_that_wait_for_a_person() {
    let home = crate::partitions::home();
    crate::partitions::script(&home, "worker", "enabled: false", "echo UPDATED: it ran");
    for n in 0..500 {
        home.write(&format!("subconscious/worker/inbox/t{n}.md"), "x");
    }
    std::fs::create_dir(home.path("subconscious/worker/inbox/folder")).unwrap();
    let check = |status: serde_json::Value| {
        let found =
            status["partitions"].as_array().unwrap().iter().find(|found| found["name"] == "worker").cloned();
        assert_eq!(found.unwrap()["inbox"], serde_json::json!({ "pending": 500, "held": 1 }), "{status}");
        assert_eq!(status["stuck"][0]["name"], "folder");
    };
    check(home.json(&["status", "--json"]));
    let daemon = home.daemon();
    daemon.wait_for(" tick ");
    // Looked at with each tick, by a thread of its own.
    daemon.wait_for(" tick ");
    daemon.wait_for(" tick ");
    check(home.json(&["status", "--json"]));
}

#[test]
fn a_read_only_home_is_named_as_such() {
    let Some(disk) = Mounted::tmpfs("daemon on a read-only disk", "size=4m") else { return };
    let home = TestHome::inside(disk.path());
    assert_eq!(home.run(&["init"]).code, 0);
    disk.remount("ro");
    let said = home.run(&["run"]);
    disk.remount("rw");
    assert_eq!(said.code, 74, "{said:?}");
    assert!(said.err.contains("read-only"), "{}", said.err);
}

#[test]
fn a_daemon_that_may_not_write_any_more_waits_and_goes_on() {
    let Some(disk) = Mounted::tmpfs("a daemon that may not write any more", "size=8m") else { return };
    let home = TestHome::inside(disk.path());
    assert_eq!(home.run(&["init"]).code, 0);
    home.write("config/subcortex.yaml", "cadence:\n  interval_ms: 1000\n");
    let daemon = home.daemon();
    daemon.wait_for(" tick ");
    let state = home.path("var/cadence");
    let mount = |program: &str, options: &[&str], onto: usize| {
        let places = std::iter::repeat_n(&state, onto);
        assert!(std::process::Command::new(program).args(options).args(places).status().unwrap().success());
    };
    mount("mount", &["--bind"], 2);
    mount("mount", &["-o", "remount,bind,ro"], 1);
    let waiting = daemon.wait_for("waiting: nothing more is started or acked");
    mount("umount", &[], 1);
    assert!(waiting.contains("Read-only file system"), "{waiting}");
    daemon.wait_for("going on: it can be written again");
    daemon.wait_for(" tick ");
    daemon.signal("TERM");
    assert!(daemon.end().success());
}
