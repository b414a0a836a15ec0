//! What becomes of tasks.

#![allow(clippy::expect_used)] // The helpers below are part of the tests.

mod scene;

use scene::{MINUTE_MS, Scene, cooldown, id, key, partition, seen};
use subcortex_cadence::settle::{Ending, Work};
use subcortex_cadence::{ContentHash, Event, FileStamp, SeenTask, Settings, TaskName};

fn one() -> Scene {
    Scene::of(vec![partition("a", cooldown(0))])
}

#[test]
fn a_terminal_result_is_recorded_and_then_acked() {
    let mut scene = one();
    scene.inbox("a", &["t"]);
    assert_eq!(scene.task_ends("a", "t", "UPDATED: x"), "ack a t\n");
    assert_eq!(scene.run_ends("a", ""), "record a terminal 1 acked (-)\n");
    assert_eq!(scene.tasks("a"), "");
}

#[test]
fn a_task_stays_pending_after_a_partial_update() {
    let mut scene = one();
    scene.inbox("a", &["t"]);
    assert_eq!(scene.task_ends("a", "t", "UPDATED: x\nPARTIAL_UPDATE: half"), "");
    assert_eq!(
        scene.run_ends("a", ""),
        "record a partial 0 acked (PARTIAL_UPDATE: half)\nstart a Tasks [t]\n"
    );
    assert_eq!(scene.tasks("a"), "t Pending 1 PARTIAL_UPDATE: half\n");
}

#[test]
fn a_task_that_fails_three_times_is_held_and_the_others_go_on() {
    let mut scene = one();
    assert_eq!(scene.inbox("a", &["poison", "t", "u"]), "start a Tasks [poison t u]\n");
    for round in 1..=3 {
        if round == 3 {
            assert_eq!(scene.task_ends("a", "poison", "what?"), "hold poison\n");
        } else {
            assert_eq!(scene.task_ends("a", "poison", "what?"), "");
        }
        for task in ["t", "u"].iter().filter(|_| round == 1) {
            assert_eq!(scene.task_ends("a", task, "UPDATED: x"), format!("ack a {task}\n"));
        }
        scene.run_ends("a", "");
        while round == 2 && scene.state.running() == 0 {
            scene.ticks(1);
        }
    }
    assert_eq!(scene.tasks("a"), "poison Held 3 no status word in the last line: \"what?\"\n");
    assert_eq!(scene.ticks(300), "");
    assert_eq!(scene.inbox("a", &["poison", "v"]), "start a Tasks [v]\n");
}

#[test]
fn a_task_that_failed_before_comes_last_in_its_run() {
    let mut scene = one();
    scene.inbox("a", &["hangs", "t"]);
    scene.pass(MINUTE_MS);
    assert_eq!(
        scene.fails("a", Ending::Signal(9)),
        "record a timeout 0 acked (not finished at the deadline)\nstart a Tasks [t hangs]\n"
    );
    assert_eq!(scene.tasks("a"), "hangs Pending 1 not finished at the deadline\nt Pending 0 -\n");
}

#[test]
fn a_held_task_is_tried_again_when_its_content_changes_or_a_person_asks() {
    let held = || {
        let mut scene = Scene::of(vec![partition("a", cooldown(0))]);
        scene.inbox("a", &["t"]);
        for _ in 0..3 {
            while scene.state.running() == 0 {
                scene.ticks(1);
            }
            scene.task_ends("a", "t", "");
            scene.run_ends("a", "");
        }
        assert_eq!(scene.tasks("a"), "t Held 3 empty output\n");
        scene
    };
    let mut scene = held();
    let ask = Event::RunRequested { partition: id("a") };
    assert_eq!(scene.tell(ask), "refuse a NotReady(NothingToDo)\n", "an empty run would help nobody");
    let mut scene = held();
    let retry = Event::RetryRequested { partition: id("a"), task: TaskName::new("t") };
    assert_eq!(scene.tell(retry), "start a Tasks [t]\n", "at once, whatever the rest after failures");
    let mut scene = held();
    scene.ticks(10);
    let mut edited = seen("t");
    edited.key.hash = ContentHash::new("1");
    let tasks = vec![edited];
    assert_eq!(scene.tell(Event::InboxSeen { partition: id("a"), tasks }), "start a Tasks [t]\n");
    assert_eq!(scene.tasks("a"), "t Pending 0 -\n");
}

#[test]
fn a_refused_file_is_shown_and_never_taken() {
    let mut scene = one();
    let refused = SeenTask { refused: Some("it is a link".into()), ..seen("link") };
    assert_eq!(scene.tell(Event::InboxSeen { partition: id("a"), tasks: vec![refused] }), "");
    assert_eq!(scene.tasks("a"), "link Refused 0 it is a link\n");
    assert_eq!(scene.tell(Event::RunRequested { partition: id("a") }), "start a Asked []\n");
}

#[test]
fn a_run_takes_the_oldest_tasks_up_to_its_limit() {
    let mut scene = Scene::of(vec![partition("a", |definition| definition.schedule.max_tasks_per_run = 2)]);
    assert_eq!(scene.inbox("a", &["z", "y", "x"]), "start a Tasks [z y]\n");
}

#[test]
fn a_result_after_the_deadline_is_dropped() {
    let mut scene = one();
    scene.inbox("a", &["t"]);
    let run = scene.run_of("a");
    scene.now.boot = scene.now.boot.plus_ms(MINUTE_MS);
    scene.now.wall = scene.now.wall.plus_ms(MINUTE_MS as i64);
    let work = Work::well("UPDATED: x");
    let late = Event::TaskEnded { partition: id("a"), run, task: key("t"), work };
    assert_eq!(scene.tell(late), "end a Deadline 5000\nlate t\n");
    assert!(scene.run_ends("a", "").starts_with("record a timeout 0 acked"));
    assert_eq!(scene.tasks("a"), "t Pending 1 not finished at the deadline\n");
}

#[test]
fn the_kill_switch_is_no_failure_of_the_task() {
    let mut scene = one();
    for _ in 0..5 {
        scene.inbox("a", &["t"]);
        scene.kill_switch(true);
        assert_eq!(scene.task_ends("a", "t", "UPDATED: x"), "late t\n");
        scene.run_ends("a", "UPDATED: x");
        scene.kill_switch(false);
    }
    assert_eq!(scene.tasks("a"), "t Pending 0 ended by the kill switch\n");
}

#[test]
fn a_kill_switch_that_is_found_at_the_commit_leaves_the_task() {
    let mut scene = one();
    scene.inbox("a", &["t"]);
    let (run, work) = (scene.run_of("a"), Work::well("UPDATED: x"));
    scene.tell(Event::TaskEnded { partition: id("a"), run, task: key("t"), work });
    assert_eq!(scene.tasks("a"), "t Acking 0 -\n");
    assert_eq!(scene.tell(Event::AckUndone { partition: id("a"), task: key("t") }), "");
    assert_eq!(
        scene.run_ends("a", ""),
        "record a paused 0 acked (its result was not committed)\nstart a Tasks [t]\n"
    );
}

#[test]
fn while_the_daemon_stops_finished_work_still_counts() {
    let mut scene = one();
    scene.inbox("a", &["t", "u"]);
    scene.tell(Event::StopRequested);
    assert_eq!(scene.task_ends("a", "t", "UPDATED: x"), "ack a t\n");
    assert_eq!(
        scene.fails("a", Ending::Signal(15)),
        "record a paused 1 acked (the daemon was stopped)\nstop\n"
    );
    assert_eq!(scene.tasks("a"), "u Pending 0 the daemon was stopped\n");
}

#[test]
fn a_missing_engine_costs_no_task_an_attempt_but_the_partition_rests() {
    let mut scene = one();
    scene.inbox("a", &["t", "u"]);
    let refused = || Ending::Refused("`claude` is not installed".into());
    assert!(
        scene
            .fails("a", refused())
            .starts_with("record a refused 0 acked (`claude` is not installed)\nstart a")
    );
    assert_eq!(scene.fails("a", refused()), "record a refused 0 acked (`claude` is not installed)\n");
    assert!(scene.ready("a").starts_with("BackingOff"));
    assert_eq!(
        scene.tasks("a"),
        "t Pending 0 `claude` is not installed\nu Pending 0 `claude` is not installed\n"
    );
}

#[test]
fn errors_rest_from_the_second_in_a_row_and_a_finished_task_ends_the_row() {
    let mut scene = one();
    scene.inbox("a", &["t"]);
    scene.task_ends("a", "t", "?");
    assert!(scene.run_ends("a", "").ends_with("start a Tasks [t]\n"), "one error is no reason to rest");
    scene.task_ends("a", "t", "UPDATED: x");
    scene.run_ends("a", "");
    scene.inbox("a", &["u"]);
    scene.task_ends("a", "u", "?");
    assert!(scene.run_ends("a", "").ends_with("start a Tasks [u]\n"), "the row begins anew");
    scene.task_ends("a", "u", "?");
    scene.run_ends("a", "");
    assert!(scene.ready("a").starts_with("BackingOff"));
}

#[test]
fn timeouts_rest_from_the_third_in_a_row() {
    let mut scene = one();
    scene.inbox("a", &["t", "u", "v"]);
    for expect in ["Running", "Running", "BackingOff"] {
        scene.pass(MINUTE_MS);
        scene.fails("a", Ending::Signal(9));
        assert!(scene.ready("a").starts_with(expect), "{}", scene.ready("a"));
    }
}

#[test]
fn a_crash_during_a_run_loses_no_task_and_uses_up_no_turn() {
    let mut scene = Scene::of(vec![partition("a", cooldown(50))]);
    scene.inbox("a", &["t", "u", "v"]);
    scene.task_ends("a", "t", "UPDATED: x");
    scene.crash(1_000);
    let said = scene.start_with(|_| vec![seen("u"), seen("v")]);
    assert_eq!(said, "record a error 1 acked (the daemon ended during the run)\nstart a Tasks [v u]\n");
    assert_eq!(scene.tasks("a"), "u Pending 0 the daemon ended during the work on it\nv Pending 0 -\n");
}

#[test]
fn an_ack_that_a_crash_cut_short_is_recovered_before_anything_else_happens_to_the_task() {
    let mut scene = Scene::of(vec![partition("a", cooldown(0))]);
    scene.inbox("a", &["t"]);
    let (run, work) = (scene.run_of("a"), Work::well("UPDATED: x"));
    let ended = Event::TaskEnded { partition: id("a"), run, task: key("t"), work };
    assert_eq!(scene.tell(ended), "ack a t\n");
    scene.crash(1_000);
    let said = scene.start_with(|_| vec![seen("t")]);
    assert_eq!(
        said, "record a error 1 acked (the daemon ended during the run)\nrecover a t\n",
        "and no start"
    );
    assert_eq!(scene.tasks("a"), "t Acking 0 -\n");
    assert_eq!(scene.tell(Event::TaskAcked { partition: id("a"), task: key("t") }), "");
    assert_eq!(scene.tasks("a"), "");
}

#[test]
fn a_task_that_is_dropped_again_after_its_ack_is_a_new_task() {
    let mut scene = one();
    scene.inbox("a", &["t"]);
    let (run, work) = (scene.run_of("a"), Work::well("UPDATED: x"));
    scene.tell(Event::TaskEnded { partition: id("a"), run, task: key("t"), work });
    let again = SeenTask { stamp: FileStamp(2), ..seen("t") };
    scene.tell(Event::InboxSeen { partition: id("a"), tasks: vec![again] });
    scene.tell(Event::TaskAcked { partition: id("a"), task: key("t") });
    assert_eq!(scene.run_ends("a", ""), "record a terminal 1 acked (-)\nstart a Tasks [t]\n");
}

#[test]
fn the_record_of_a_run_is_asked_for_again_after_a_crash_until_it_is_durable() {
    let mut scene = Scene::of(vec![partition("a", cooldown(50))]);
    scene.inbox("a", &["t"]);
    scene.task_ends("a", "t", "UPDATED: x");
    let run = scene.run_of("a");
    scene.tell(Event::RunEnded { partition: id("a"), run: run.clone(), work: Work::well("") });
    scene.crash(1_000);
    assert_eq!(scene.start(), "record a terminal 1 acked (-)\n");
    scene.tell(Event::RunRecorded { partition: id("a"), run });
    scene.crash(1_000);
    assert_eq!(scene.start(), "");
}

#[test]
fn what_is_remembered_of_tasks_is_forgotten_when_they_are_gone() {
    let mut scene = one();
    scene.inbox("a", &["t"]);
    scene.task_ends("a", "t", "?");
    scene.run_ends("a", "");
    assert_eq!(scene.state.saved().partitions[&id("a")].tasks.len(), 1);
    scene.inbox("a", &[]);
    assert_eq!(scene.state.saved().partitions[&id("a")].tasks.len(), 0);
}

#[test]
fn events_about_things_that_are_not_there_are_noted_and_change_nothing() {
    let mut scene = one();
    scene.inbox("a", &["t"]);
    let run = scene.run_of("a");
    let before = scene.state.saved();
    let work = || Work::well("UPDATED: x");
    let (other, ghost) = (subcortex_cadence::RunId::new(scene.now.wall, 99), id("ghost"));
    for event in [
        Event::TaskEnded { partition: id("a"), run: other.clone(), task: key("t"), work: work() },
        Event::TaskEnded { partition: id("a"), run: run.clone(), task: key("u"), work: work() },
        Event::TaskEnded { partition: ghost.clone(), run: run.clone(), task: key("t"), work: work() },
        Event::RunEnded { partition: id("a"), run: other, work: work() },
        Event::RunEnded { partition: ghost.clone(), run, work: work() },
        Event::TaskAcked { partition: id("a"), task: key("t") },
        Event::AckUndone { partition: ghost.clone(), task: key("t") },
        Event::InboxSeen { partition: ghost, tasks: Vec::new() },
    ] {
        assert!(scene.tell(event).starts_with("ignored "));
    }
    assert_eq!(scene.state.saved(), before);
}

#[test]
fn one_poison_among_a_thousand_delays_nobody() {
    let names: Vec<String> = (0..1_000).map(|n| format!("t{n:04}")).collect();
    let mut left: Vec<&str> = names.iter().map(String::as_str).collect();
    let settings = Settings { interval_ms: MINUTE_MS, max_parallel: 1 };
    let mut scene = Scene::with(settings, vec![partition("a", cooldown(0))]);
    scene.inbox("a", &left);
    let mut runs = 0;
    while scene.state.running() > 0 {
        let ahead: Vec<String> = {
            let found = scene.state.partition(&id("a")).expect("there");
            let running = found.memory.running.as_ref().expect("running");
            running.ahead.iter().map(|task| task.key.name.to_string()).collect()
        };
        for task in &ahead {
            let output = if task == "t0000" { "?" } else { "UPDATED: x" };
            scene.task_ends("a", task, output);
            left.retain(|name| name != task || task == "t0000");
        }
        scene.run_ends("a", "");
        runs += 1;
    }
    assert_eq!(left, ["t0000"]);
    assert_eq!(scene.tasks("a"), "t0000 Held 3 no status word in the last line: \"?\"\n");
    assert_eq!(runs, 51, "without a single rest: 999 in runs of 20 beside three attempts at the poison");
}
