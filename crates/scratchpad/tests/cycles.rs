//! Cycles of a scratchpad on a real file system.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use jiff::{Timestamp, ToSpan};
use serde_json::json;
use subcortex_scratchpad::{
    Cycle, CycleId, INTERRUPTED, KEPT_PAIRS, KEPT_TRACES, MAX_ACTIVE_BYTES, MAX_TRACE_BYTES, State, UPDATED,
    read, recover_interrupted, reset, write_trace,
};
use subcortex_store::{CrashDisk, Disk, RealDisk};
use subcortex_testkit::FakeHome;

/// A home with one worker.
struct Home(FakeHome);

impl Home {
    fn new() -> Home {
        Home(FakeHome::with_folders(&["weaver/scratchpad", "quarantine"]))
    }

    fn with_active(yaml: &str) -> Home {
        let home = Home::new();
        home.write("active.yaml", yaml);
        home
    }

    fn dir(&self) -> PathBuf {
        self.0.path("weaver/scratchpad")
    }

    fn quarantine(&self) -> PathBuf {
        self.0.path("quarantine")
    }

    fn begin(&self, seconds: i64) -> Cycle {
        Cycle::begin(&RealDisk, &self.dir(), &self.quarantine(), at(seconds)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.dir().join(name), text).unwrap();
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir().join(name)).unwrap()
    }

    fn state(&self) -> State {
        let read = read(&RealDisk, &self.dir()).unwrap();
        assert_eq!(read.problem, None);
        read.state
    }

    fn names(&self) -> Vec<String> {
        names(&self.dir())
    }

    fn recover(&self) -> Vec<String> {
        let recovered = recover_interrupted(&RealDisk, &self.dir(), &self.quarantine(), at(900)).unwrap();
        recovered.iter().map(CycleId::to_string).collect()
    }
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn at(seconds: i64) -> Timestamp {
    "2026-11-14T08:37:00Z".parse::<Timestamp>().unwrap() + seconds.seconds()
}

const DEFAULTS: &str = "goals: []\ncurrent_task: null\npending_actions: []\ncompleted_tasks: []\nnotes: \"\"\nscratchpad: \"\"\nlast_updated: null\n";

#[test]
fn a_cycle_leaves_what_it_read_what_became_of_it_and_a_stamped_active_file() {
    let home = Home::new();
    let mut cycle = home.begin(0);
    assert_eq!(cycle.before(), &State::default());
    assert_eq!(home.names(), ["20261114_083700_before.yaml"], "written before any work");
    assert_eq!(home.text("20261114_083700_before.yaml"), DEFAULTS);
    cycle.state_mut().goals.push(json!("shorten the memory"));
    assert_eq!(cycle.set_text("half way"), Ok(UPDATED));
    let ended = cycle.finish(&RealDisk, at(5)).unwrap();
    assert!(ended.refused.is_none() && ended.set_aside.is_none() && ended.not_pruned.is_none());
    assert_eq!(home.names(), ["20261114_083700_after.yaml", "20261114_083700_before.yaml", "active.yaml"]);
    let after = home.text("20261114_083700_after.yaml");
    assert!(after.contains("last_updated: null") && after.contains("half way"), "{after}");
    let state = home.state();
    assert_eq!(state.last_updated.as_deref(), Some("2026-11-14T08:37:05.000Z"));
    assert_eq!((state.goals, state.scratchpad.as_str()), (vec![json!("shorten the memory")], "half way"));
}

#[test]
fn the_next_before_is_this_active_file_byte_for_byte() {
    let home = Home::with_active("# by hand\nmood: calm\ngoals: [one]\n");
    let cycle = home.begin(0);
    assert_eq!(home.text("20261114_083700_before.yaml"), "# by hand\nmood: calm\ngoals: [one]\n");
    cycle.finish(&RealDisk, at(1)).unwrap();
    for seconds in [10, 20] {
        let active = home.text("active.yaml");
        let cycle = home.begin(seconds);
        assert_eq!(home.text(&format!("{}_before.yaml", cycle.id())), active);
        cycle.finish(&RealDisk, at(seconds + 1)).unwrap();
    }
    assert_eq!(home.state().other["mood"], json!("calm"), "a key of the worker's own is kept");
}

#[test]
fn two_cycles_of_one_second_have_different_names() {
    let home = Home::new();
    let ids: Vec<String> =
        (0..3).map(|_| home.begin(0).finish(&RealDisk, at(0)).unwrap().id.to_string()).collect();
    assert_eq!(ids, ["20261114_083700", "20261114_083700-2", "20261114_083700-3"]);
}

#[test]
fn a_failure_keeps_what_was_read_and_adds_a_note() {
    let home = Home::with_active("goals: [one]\nnotes: earlier\n");
    let mut cycle = home.begin(0);
    cycle.state_mut().goals.clear();
    cycle.state_mut().notes = "overwritten".into();
    cycle.fail(&RealDisk, "exit code 3", at(1)).unwrap();
    let state = home.state();
    assert_eq!(state.goals, [json!("one")]);
    assert_eq!(state.notes, "earlier\nCycle 20261114_083700 failed: exit code 3");
    assert!(
        home.text("20261114_083700_after.yaml").contains("failed: exit code 3"),
        "the snapshot is written all the same"
    );
    home.begin(60).fail(&RealDisk, "again", at(61)).unwrap();
    assert_eq!(
        home.state().notes,
        "earlier\nCycle 20261114_083700 failed: exit code 3\nCycle 20261114_083800 failed: again"
    );
}

#[test]
fn what_a_worker_answers_at_the_end_is_kept_also_when_its_run_failed() {
    let home = Home::with_active("scratchpad: old\n");
    let mut cycle = home.begin(0);
    cycle.set_text("said while it worked").unwrap();
    assert!(!cycle.remember(None));
    cycle.fail(&RealDisk, "x", at(1)).unwrap();
    assert_eq!(home.state().scratchpad, "old", "a failure keeps what was read");
    let mut cycle = home.begin(10);
    assert!(cycle.remember(Some("the port is taken")));
    cycle.fail(&RealDisk, "x", at(11)).unwrap();
    assert_eq!(home.state().scratchpad, "the port is taken");
}

#[test]
fn what_a_piece_of_work_left_to_be_kept_outlasts_the_failure_of_a_later_one() {
    let home = Home::with_active("notes: earlier\n");
    let mut cycle = home.begin(0);
    cycle.state_mut().notes.push_str("\nfirst");
    cycle.keep_so_far();
    cycle.state_mut().notes.push_str("\nsecond");
    cycle.go_back();
    assert_eq!(cycle.state().notes, "earlier\nfirst");
    cycle.state_mut().notes.push_str("\nthird");
    cycle.fail(&RealDisk, "x", at(1)).unwrap();
    assert_eq!(home.state().notes, "earlier\nfirst\nCycle 20261114_083700 failed: x");
}

#[test]
fn what_a_worker_changes_itself_is_durable_at_once_and_nothing_else_of_its_work_is() {
    let home = Home::with_active("goals: [old]\n");
    let mut cycle = home.begin(0);
    cycle.state_mut().notes = "in the middle of something".into();
    let aim = |state: &mut State| {
        state.goals = vec![json!("new")];
        Ok(())
    };
    cycle.keep_change(&RealDisk, at(1), aim).unwrap();
    assert!(cycle.keep_change(&RealDisk, at(1), |_| Err("no".into())).is_err());
    assert_eq!((home.state().goals, home.state().notes.as_str()), (vec![json!("new")], ""));
    drop(cycle); // Killed.
    home.recover();
    assert_eq!(home.state().goals, [json!("new")]);
}

#[test]
fn a_reset_snapshots_what_was_there_and_begins_anew() {
    let home = Home::with_active("goals: [one]\nmood: calm\nnotes: old\n");
    let before = reset(&RealDisk, &home.dir(), &home.quarantine(), at(0)).unwrap();
    assert_eq!(before, home.dir().join("20261114_083700_before.yaml"));
    assert_eq!(home.text("20261114_083700_before.yaml"), "goals: [one]\nmood: calm\nnotes: old\n");
    assert_eq!(home.text("20261114_083700_after.yaml"), DEFAULTS);
    let stamped = State { last_updated: Some("2026-11-14T08:37:00.000Z".into()), ..State::default() };
    assert_eq!(home.state(), stamped);
    home.write("active.yaml", "goals: [");
    reset(&RealDisk, &home.dir(), &home.quarantine(), at(9)).unwrap();
    assert_eq!(names(&home.quarantine()), ["scratchpad-weaver-20261114_083709.yaml"]);
}

#[test]
fn a_broken_active_file_goes_to_quarantine_and_the_defaults_are_used() {
    for (number, broken) in
        ["goals: [", "notes: {a: b}", "- list", "notes: \u{0}", "&a [*a]"].iter().enumerate()
    {
        let home = Home::with_active(broken);
        assert!(
            read(&RealDisk, &home.dir()).unwrap().problem.is_some(),
            "shown without being changed: {number}"
        );
        let cycle = home.begin(0);
        let quarantined = cycle.quarantined().expect(broken).clone();
        assert_eq!(quarantined.path, home.quarantine().join("scratchpad-weaver-20261114_083700.yaml"));
        assert_eq!(std::fs::read_to_string(&quarantined.path).unwrap(), *broken);
        assert!(!quarantined.why.is_empty());
        assert_eq!(home.text("20261114_083700_before.yaml"), DEFAULTS);
        cycle.finish(&RealDisk, at(1)).unwrap();
        assert_eq!(home.state().goals, Vec::<serde_json::Value>::new());
    }
}

#[test]
fn what_is_set_aside_holds_no_secret() {
    const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let home = Home::with_active(&format!("notes: {SECRET}\ngoals: [\n"));
    let cycle = home.begin(0);
    let broken = cycle.quarantined().unwrap().path.clone();
    home.write("active.yaml", &format!("notes: use {SECRET}\n"));
    let edited = cycle.finish(&RealDisk, at(1)).unwrap().set_aside.unwrap();
    for (path, rest) in [(broken, "goals: ["), (edited, "notes: use ")] {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(!text.contains(SECRET) && text.contains(rest), "{text}");
    }
}

#[test]
fn whatever_stands_in_place_of_the_active_file_is_never_followed() {
    let home = Home::new();
    let outside = home.0.path("outside.yaml");
    std::fs::write(&outside, "goals: [stolen]\n").unwrap();
    symlink(&outside, home.dir().join("active.yaml")).unwrap();
    let cycle = home.begin(0);
    assert_eq!(cycle.before(), &State::default());
    cycle.finish(&RealDisk, at(1)).unwrap();
    assert_eq!(std::fs::read_to_string(outside).unwrap(), "goals: [stolen]\n");
    assert!(!home.dir().join("active.yaml").is_symlink());
    home.write("active.yaml", &format!("notes: {}\n", "x".repeat(600 * 1024)));
    assert!(home.begin(2).quarantined().is_some_and(|file| file.why.contains("bytes")));
}

#[test]
fn two_broken_files_of_one_second_are_both_kept() {
    let home = Home::with_active("goals: [");
    home.begin(0).finish(&RealDisk, at(0)).unwrap();
    home.write("active.yaml", "goals: {");
    let _cycle = home.begin(0);
    assert_eq!(
        names(&home.quarantine()),
        ["scratchpad-weaver-20261114_083700-2.yaml", "scratchpad-weaver-20261114_083700.yaml"]
    );
}

#[test]
fn no_secret_reaches_the_disk_and_one_that_was_typed_in_is_not_copied() {
    const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let home = Home::with_active(&format!("notes: {SECRET}\nmood: calm\n"));
    let mut cycle = home.begin(0);
    cycle.set_text(&format!("use {SECRET}")).unwrap();
    cycle.finish(&RealDisk, at(1)).unwrap();
    home.begin(2).fail(&RealDisk, SECRET, at(3)).unwrap();
    for name in home.names() {
        let text = home.text(&name);
        assert!(!text.contains(SECRET) && text.contains("calm"), "{name}: {text}");
    }
}

#[test]
fn a_cycle_that_was_killed_is_ended_as_a_failure_once() {
    let home = Home::with_active("goals: [one]\nnotes: earlier\n");
    drop(home.begin(0));
    drop(home.begin(1)); // Killed twice in a row.
    assert_eq!(home.recover(), ["20261114_083700", "20261114_083701"]);
    let notes = format!(
        "earlier\nCycle 20261114_083700 failed: {INTERRUPTED}\nCycle 20261114_083701 failed: {INTERRUPTED}"
    );
    assert_eq!((home.state().notes, home.state().goals), (notes, vec![json!("one")]));
    assert!(home.text("20261114_083700_after.yaml").contains("20261114_083700 failed"));
    let active = home.text("active.yaml");
    assert_eq!(home.recover(), Vec::<String>::new());
    assert_eq!(home.text("active.yaml"), active);
    assert_eq!(
        recover_interrupted(&RealDisk, &home.0.path("nobody"), &home.quarantine(), at(0)).unwrap(),
        []
    );
}

#[test]
fn what_a_person_wrote_during_a_cycle_is_set_aside_and_never_lost() {
    let home = Home::with_active("goals: [one]\n");
    let cycle = home.begin(0);
    home.write("active.yaml", "goals: [by hand]\n");
    let aside = cycle.finish(&RealDisk, at(1)).unwrap().set_aside.unwrap();
    assert_eq!(std::fs::read_to_string(aside).unwrap(), "goals: [by hand]\n");
    assert_eq!(home.state().goals, [json!("one")]);
}

#[test]
fn a_state_that_is_too_large_ends_the_cycle_as_a_failure() {
    let home = Home::with_active("goals: [one]\n");
    let mut cycle = home.begin(0);
    cycle.state_mut().goals = vec![json!("x".repeat(1_000)); 600];
    let refused = cycle.finish(&RealDisk, at(1)).unwrap().refused.unwrap();
    assert!(refused.contains("at most 524288 are kept"), "{refused}");
    assert_eq!(home.state().goals, [json!("one")]);
    assert!(home.state().notes.starts_with("Cycle 20261114_083700 failed: the state has "));
}

#[test]
fn a_file_that_is_too_long_for_a_note_stays_as_it_is() {
    let long = format!("goals: [{}]\n", "x".repeat(MAX_ACTIVE_BYTES as usize - 20));
    let home = Home::with_active(&long);
    home.begin(0).fail(&RealDisk, "x", at(1)).unwrap();
    drop(home.begin(2));
    home.recover();
    assert_eq!(home.names().iter().filter(|name| name.ends_with("_after.yaml")).count(), 2);
    assert!(home.text("active.yaml") == long && home.text("20261114_083700_after.yaml") == long);
}

#[test]
fn the_newest_pairs_are_kept_whatever_the_clock_does() {
    let dir = Path::new("/home/x/weaver/scratchpad");
    let disk = CrashDisk::new(dir);
    let cycle = |seconds| {
        let cycle = Cycle::begin(&disk, dir, Path::new("/home/x/quarantine"), at(seconds)).unwrap();
        cycle.finish(&disk, at(seconds)).unwrap().id.to_string()
    };
    let has = |id: &str| {
        [format!("{id}_before.yaml"), format!("{id}_after.yaml")]
            .map(|name| disk.stat(&dir.join(name)).is_ok())
    };
    let ids: Vec<String> = (0..KEPT_PAIRS as i64 + 3).map(cycle).collect();
    assert_eq!(disk.list(dir).unwrap().len(), 2 * KEPT_PAIRS + 1);
    assert_eq!((has(&ids[2]), has(&ids[3])), ([false; 2], [true; 2]));
    // A clock that was set back makes this cycle the oldest by name.
    assert_eq!(has(&cycle(-86_400)), [true; 2]);
    assert_eq!(disk.list(dir).unwrap().len(), 2 * KEPT_PAIRS + 1);
}

#[test]
fn a_worker_without_a_folder_gets_one() {
    let home = Home::new();
    std::fs::remove_dir(home.dir()).unwrap();
    std::fs::remove_dir(home.quarantine()).unwrap();
    home.begin(0).finish(&RealDisk, at(1)).unwrap();
    assert_eq!(home.names().len(), 3);
}

#[test]
fn the_trace_of_a_cycle_is_bounded_and_redacted() {
    let home = Home::new();
    let dir = home.0.path("cycles/weaver");
    let id = CycleId::starting(at(0));
    let trace = format!("start{}PASSWORD=hunter2 end", "ü".repeat(MAX_TRACE_BYTES));
    let path = write_trace(&RealDisk, &dir, &id, &trace).unwrap();
    assert_eq!(path, dir.join("cycle_20261114_083700.log"));
    let text = std::fs::read_to_string(path).unwrap();
    assert!(
        text.len() <= MAX_TRACE_BYTES && text.ends_with("PASSWORD=[REDACTED:password] end"),
        "{}",
        text.len()
    );
}

#[test]
fn the_newest_traces_are_kept() {
    let dir = Path::new("/home/x/cycles/weaver");
    let disk = CrashDisk::new(Path::new("/home/x"));
    for seconds in 0..KEPT_TRACES as i64 + 2 {
        write_trace(&disk, dir, &CycleId::starting(at(seconds)), "x").unwrap();
    }
    assert_eq!(disk.list(dir).unwrap().len(), KEPT_TRACES);
    assert!(disk.stat(&dir.join("cycle_20261114_083701.log")).is_err());
    assert!(disk.stat(&dir.join("cycle_20261114_083702.log")).is_ok());
}
