//! Whoever wonders why nothing runs finds the reason that somebody gave.

use super::refused;
use crate::partitions::{drop_task, home, script};

#[test]
fn the_reason_of_a_pause_is_shown_wherever_one_looks() {
    let home = home();
    script(&home, "sorter", "cooldown_ticks: 0", "echo UPDATED: ok");
    drop_task(&home, "sorter", "a.md", "x");
    refused(
        &home,
        &["pause", "--why", "the demo is on"],
        0,
        &["paused: everything", "the demo is on", "`subcortex resume`"],
    );
    let words = ["the demo is on", "`subcortex resume`"];
    for (args, code) in [
        (&["status"][..], 0),
        (&["inbox"], 0),
        (&["doctor"], 0),
        (&["tick"], 5),
        (&["tick", "--partition", "sorter"], 5),
        (&["drop", "sorter", "/etc/hostname", "--wait"], 5),
    ] {
        refused(&home, args, code, &words);
    }
    let again = ["paused already: everything", "the demo is on", "the reason that was given then stays"];
    refused(&home, &["pause", "--why", "another"], 0, &again);
}

#[test]
fn one_worker_s_pause_is_told_with_its_own_command() {
    let home = home();
    script(&home, "sorter", "cooldown_ticks: 0", "echo UPDATED: ok");
    drop_task(&home, "sorter", "a.md", "x");
    assert_eq!(home.run(&["pause", "sorter", "--why", "it misbehaves"]).code, 0);
    let words = ["1 task waits, and sorter is paused (“it misbehaves”)", "`subcortex resume sorter`"];
    refused(&home, &["status"], 0, &words);
    refused(&home, &["doctor"], 0, &words);
}

#[test]
fn whoever_lifts_one_switch_is_told_of_the_other() {
    let home = home();
    script(&home, "sorter", "cooldown_ticks: 0", "echo UPDATED: ok");
    for args in [&["pause"][..], &["pause", "sorter"]] {
        assert_eq!(home.run(args).code, 0);
    }
    let words = ["resumed: sorter", "but everything is paused", "`subcortex resume` without a name"];
    refused(&home, &["resume", "sorter"], 0, &words);
    assert_eq!(home.run(&["pause", "sorter"]).code, 0);
    refused(
        &home,
        &["resume"],
        0,
        &["resumed: everything", "sorter is paused by itself", "`subcortex resume sorter`"],
    );
}
