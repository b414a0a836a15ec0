//! However many ask, ticks come in time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::Lively;

/// How long people and programs ask as fast as they can.
const FLOOD: Duration = Duration::from_secs(8);
/// How many of them.
const ASKERS: usize = 12;
/// How late a tick may be because of them, in milliseconds.
const MAX_LATE_MS: u64 = 100;

/// How late the ticks of a span of the log were, in milliseconds.
fn lateness(log: &str) -> Vec<u64> {
    let late = log.lines().filter(|line| line.contains(" tick ")).filter_map(|line| {
        line.split_whitespace().find_map(|word| word.strip_prefix("late_ms=")?.parse().ok())
    });
    late.collect()
}

/// Measured, and not run with the others: a machine that is busy with other tests is late without any flood.
/// `cargo test -p subcortex-cli --test end_to_end -- --ignored a_flood_of_requests --nocapture`
#[test]
#[ignore = "measures time"]
fn a_flood_of_requests_delays_no_tick_by_more_than_a_tenth_of_a_second() {
    let lively = Lively::new();
    let log = lively.home.path("var/log/daemon.log");
    let read = || std::fs::read_to_string(&log).unwrap();
    std::thread::sleep(FLOOD);
    let quiet = lateness(&read());
    let before = read().len();
    let (stop, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    let views = [
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
    std::thread::scope(|scope| {
        for asker in 0..ASKERS {
            let (door, stop, asked) = (lively.door.clone(), &stop, &asked);
            scope.spawn(move || {
                let mut at = asker;
                while !stop.load(Ordering::Relaxed) {
                    let (status, _) = door.ask(
                        "GET",
                        &format!("/api/v1/{}", views[at % views.len()]),
                        &serde_json::Value::Null,
                    );
                    assert_eq!(status, 200);
                    asked.fetch_add(1, Ordering::Relaxed);
                    at += 1;
                }
            });
        }
        std::thread::sleep(FLOOD);
        stop.store(true, Ordering::Relaxed);
    });
    let flooded = lateness(&read()[before..]);
    let asked = asked.load(Ordering::Relaxed);
    println!(
        "{asked} answers in {} s; ticks late by, in ms: quiet {quiet:?}, flooded {flooded:?}",
        FLOOD.as_secs()
    );
    assert!(flooded.len() >= 6, "ticks are missing: {flooded:?}");
    let worst_quiet = quiet.iter().copied().max().unwrap_or_default();
    let worst = flooded.iter().copied().max().unwrap_or_default();
    assert!(worst <= worst_quiet + MAX_LATE_MS, "quiet {quiet:?}, flooded {flooded:?}");
}
