//! Faults from outside: a disk without room, a log that is slow to read, files that are not what they should be.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Mounted, TestHome};

/// Long after everybody who obeys has done so, on the slowest machine.
const AT_LAST: Duration = Duration::from_secs(30);

#[test]
fn the_kill_switch_and_a_signal_end_a_scan_that_has_begun() {
    let sentences: String = (0..900).map(|number| format!("Always use foo{number}. ")).collect();
    let record = |number: usize| {
        json!({"type": "user", "uuid": format!("u{number}"), "sessionId": "s", "cwd": "/p", "isSidechain": false,
            "timestamp": "2026-03-01T10:00:00Z", "userType": "external", "promptSource": "typed",
            "message": {"role": "user", "content": format!("Look at item {number}. {sentences}")}})
    };
    let session: String = (0..400).map(|number| format!("{}\n", record(number))).collect();
    for by_signal in [false, true] {
        let home = TestHome::new();
        home.write("s.jsonl", &session);
        home.write("config/subcortex.yaml", "cadence:\n  interval_ms: 1000\n");
        assert_eq!(home.run(&["import", "claude", home.path("s.jsonl").to_str().unwrap()]).code, 0);
        let daemon = home.daemon();
        daemon.wait_for_all(&["run started", "partition=memory-weaver"]);
        let begun = Instant::now();
        if by_signal {
            daemon.signal("TERM");
            assert!(daemon.end().success());
        } else {
            assert_eq!(home.run(&["pause"]).code, 0);
            daemon.wait_for_all(&["run ended", "partition=memory-weaver", "outcome=paused"]);
        }
        assert!(begun.elapsed() < AT_LAST, "by signal {by_signal}: {:?}", begun.elapsed());
    }
}

#[test]
fn the_kill_switch_can_be_set_on_a_full_disk_and_ends_what_fills_it() {
    let Some(small) = Mounted::tmpfs("kill switch on a full disk", "size=3m") else { return };
    let home = TestHome::inside(small.path());
    assert_eq!(home.run(&["init"]).code, 0);
    home.write("config/subcortex.yaml", "cadence:\n  interval_ms: 1000\n");
    let fills = "head -c 10000000 /dev/zero > filler; sleep 600";
    crate::partitions::script(&home, "worker", "cooldown_ticks: 0", fills);
    let daemon = home.daemon();
    daemon.wait_for(" tick ");
    crate::partitions::drop_task(&home, "worker", "task.md", "x");
    daemon.wait_for_all(&["run started", "partition=worker"]);
    let at_work = || -> Vec<PathBuf> {
        let here = home.path("subconscious/worker").canonicalize().unwrap();
        let cwds = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let cwds = cwds.filter_map(|entry| std::fs::read_link(entry.path().join("cwd")).ok());
        cwds.filter(|cwd| *cwd == here).collect()
    };
    let is_full = || {
        let written = std::fs::write(home.path("probe"), "x");
        std::fs::remove_file(home.path("probe")).unwrap();
        written.is_err()
    };
    let begun = Instant::now();
    while !is_full() || at_work().is_empty() {
        assert!(begun.elapsed() < AT_LAST, "the worker fills the disk");
        std::thread::sleep(Duration::from_millis(20));
    }
    let said = home.run(&["pause", "--why", "it fills the disk"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.contains("set without it"), "{said:?}");
    assert_eq!(std::fs::read(home.path("PAUSED")).unwrap(), b"");
    let begun = Instant::now();
    while !at_work().is_empty() {
        assert!(begun.elapsed() < AT_LAST, "the worker is ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(home.run(&["resume"]).code, 0);
}
