//! However many ask, ticks come in time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;

use super::Lively;

/// How many ask, as fast as they can.
const ASKERS: usize = 12;
/// How late a tick may be because of them, in milliseconds.
const MAX_LATE_MS: u64 = 100;
/// The same on a machine that runs other tests meanwhile.
const MAX_LATE_WHEN_BUSY_MS: u64 = 900;
const VIEWS: [&str; 10] = [
    "now",
    "broadcast",
    "review",
    "edits",
    "runs",
    "inboxes",
    "spend",
    "spine",
    "blackboards",
    "openapi.json",
];

/// How late the ticks of a part of the log were, in milliseconds.
fn lateness(log: &str) -> Vec<u64> {
    let ticks = log.lines().filter(|line| line.contains("INFO  tick "));
    let late =
        |line: &str| line.split_whitespace().find_map(|word| word.strip_prefix("late_ms=")?.parse().ok());
    ticks.filter_map(late).collect()
}

/// Floods a daemon that ticks every second; gives how late its ticks were meanwhile.
fn flood(lively: &Lively, lasting: Duration) -> Vec<u64> {
    let log = || std::fs::read_to_string(lively.home.path("var/log/daemon.log")).unwrap();
    let before = log().len();
    let (stop, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for asker in 0..ASKERS {
            let (door, stop, asked) = (lively.door.clone(), &stop, &asked);
            scope.spawn(move || {
                for view in VIEWS.iter().cycle().skip(asker) {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    assert_eq!(door.ask("GET", &format!("/api/v1/{view}"), &Value::Null).0, 200);
                    asked.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        std::thread::sleep(lasting);
        stop.store(true, Ordering::Relaxed);
    });
    let late = lateness(&log()[before..]);
    let asked = asked.load(Ordering::Relaxed);
    println!("{asked} answers in {} s; ticks late by, in ms: {late:?}", lasting.as_secs());
    assert!(late.len() as u64 + 2 >= lasting.as_secs(), "ticks are missing: {late:?}");
    late
}

#[test]
fn a_flood_of_requests_starves_no_tick() {
    let late = flood(&Lively::new(), Duration::from_secs(3));
    assert!(late.iter().all(|late_ms| *late_ms <= MAX_LATE_WHEN_BUSY_MS), "{late:?}");
}

/// Measured by hand, on a machine that does nothing else:
/// `cargo test -p subcortex-cli --test end_to_end -- --ignored a_flood_delays --nocapture`
#[test]
#[ignore = "measures time"]
fn a_flood_delays_no_tick_by_more_than_a_tenth_of_a_second() {
    let late = flood(&Lively::new(), Duration::from_secs(20));
    assert!(late.iter().all(|late_ms| *late_ms <= MAX_LATE_MS), "{late:?}");
}
