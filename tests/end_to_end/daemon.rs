//! The daemon: it starts, ticks, logs, is alone, and stops when told.

mod kill_switch;
mod ticks;

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

#[test]
fn a_full_disk_ends_the_daemon_with_the_code_for_storage() {
    let Some(small) = Mounted::tmpfs("daemon on a full disk", "size=1m") else { return };
    let home = TestHome::inside(small.path());
    assert_eq!(home.run(&["init"]).code, 0);
    // Everything is taken but for less than a page.
    let mut fill = vec![0_u8; 4096];
    let filler = home.path("filler");
    while let Ok(()) = append(&filler, &fill) {}
    fill.truncate(1);
    let said = home.run(&["run"]);
    assert_eq!(said.code, 74, "{said:?}");
    assert!(said.err.contains("disk is full"), "{}", said.err);
    std::fs::remove_file(filler).unwrap();
    let daemon = home.daemon();
    daemon.wait_for(" tick ");
}

fn append(path: &std::path::Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    std::fs::OpenOptions::new().create(true).append(true).open(path)?.write_all(bytes)
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
