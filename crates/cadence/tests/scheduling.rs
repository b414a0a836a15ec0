//! Who starts when.

#![allow(clippy::expect_used)] // The helpers below are part of the tests.

mod scene;

use std::sync::Arc;

use jiff::tz::{TimeZone, TimeZoneDatabase};
use scene::{HOUR_MS, MINUTE_MS, START, Scene, cooldown, id, partition, seen, wake_on_tick};
use subcortex_cadence::definition::{Rest, WakeOn, Zones};
use subcortex_cadence::settle::{Ending, Work};
use subcortex_cadence::{Cron, Definition, Event, Mark, Scope, SeenPartition, Settings, UnixMs};

fn cron(pattern: &str) -> impl FnOnce(&mut Definition) + use<> {
    let cron = Cron::parse(pattern, TimeZone::UTC).expect("a good pattern");
    move |definition| {
        definition.schedule.rest = Rest::Cron(Arc::new(cron));
        definition.schedule.wake_on = WakeOn { tick: true, inbox: true, ..WakeOn::default() };
    }
}

fn one_at_a_time() -> Settings {
    Settings { interval_ms: MINUTE_MS, max_parallel: 1 }
}

#[test]
fn a_task_that_arrives_at_an_idle_partition_starts_it_between_two_ticks() {
    let mut scene = Scene::of(vec![partition("a", cooldown(5))]);
    assert_eq!(scene.pass(1_234), "");
    assert_eq!(scene.inbox("a", &["t"]), "start a Tasks [t]\n");
}

#[test]
fn a_partition_is_due_on_the_tick_its_cooldown_ends() {
    let mut scene = Scene::of(vec![partition("a", cooldown(5))]);
    scene.inbox("a", &["t", "u"]);
    scene.ticks(2);
    scene.task_ends("a", "t", "UPDATED: x");
    scene.run_ends("a", "");
    assert_eq!(
        scene.ready("a"),
        "Cooling { ready_at_tick: Tick(8) }",
        "counted from the tick in which it ended, 3"
    );
    assert_eq!(
        scene.inbox("a", &["u", "v"]),
        "",
        "a busy partition cannot be driven faster than its cooldown"
    );
    assert_eq!(scene.ticks(4), "");
    assert_eq!(scene.ticks(1), "start a Tasks [u v]\n");
}

#[test]
fn without_rest_a_partition_goes_on_as_long_as_it_has_tasks() {
    let mut scene = Scene::of(vec![partition("a", |definition| {
        cooldown(0)(definition);
        definition.schedule.max_tasks_per_run = 1;
    })]);
    assert_eq!(scene.inbox("a", &["t", "u"]), "start a Tasks [t]\n");
    scene.task_ends("a", "t", "UPDATED: x");
    assert_eq!(scene.run_ends("a", ""), "record a terminal 1 acked (-)\nstart a Tasks [u]\n");
    scene.task_ends("a", "u", "UPDATED: x");
    assert_eq!(scene.run_ends("a", ""), "record a terminal 1 acked (-)\n");
}

#[test]
fn waking_on_every_tick_is_once_a_tick_also_without_rest() {
    let mut scene = Scene::of(vec![partition("a", wake_on_tick(0))]);
    assert_eq!(scene.run_ends("a", "NO-OP: x"), "record a terminal 0 acked (-)\n");
    assert_eq!(scene.pass(30_000), "");
    assert_eq!(scene.pass(30_000), "start a Tick []\n");
}

#[test]
fn a_wake_with_nothing_to_do_is_no_run_and_uses_up_no_cooldown() {
    let mut scene = Scene::of(vec![partition("a", cooldown(5))]);
    assert_eq!(scene.ticks(7), "");
    assert_eq!(scene.ready("a"), "NothingToDo");
    assert_eq!(scene.inbox("a", &["t"]), "start a Tasks [t]\n");
}

#[test]
fn no_partition_starts_before_its_inbox_was_listed() {
    let mut scene = Scene::down(Settings::default(), vec![partition("a", wake_on_tick(1))]);
    let said = scene.start_with(|_| vec![seen("t")]);
    assert_eq!(said, "start a Tick [t]\n", "and not without its task");
}

#[test]
fn new_external_events_wake_once_and_a_failed_run_looks_at_them_again() {
    let mut scene = Scene::of(vec![partition("a", |definition| {
        definition.schedule.wake_on = WakeOn { events: true, inbox: true, ..WakeOn::default() };
    })]);
    assert_eq!(scene.ticks(1), "");
    assert_eq!(scene.events("1"), "start a Events []\n");
    scene.fails("a", Ending::ExitCode(1));
    assert_eq!(scene.ticks(1), "start a Events []\n");
    scene.events("2");
    scene.run_ends("a", "NO_NEW_GRADIENT: x");
    assert_eq!(scene.ticks(1), "start a Events []\n", "2 came after the start");
    scene.run_ends("a", "NO_NEW_GRADIENT: x");
    assert_eq!(scene.ticks(3), "");
}

#[test]
fn a_run_with_tasks_leaves_new_events_for_the_next_run() {
    let mut scene = Scene::of(vec![partition("a", |definition| {
        definition.schedule.wake_on = WakeOn { events: true, inbox: true, ..WakeOn::default() };
    })]);
    scene.inbox("a", &["t"]);
    scene.events("1");
    scene.task_ends("a", "t", "UPDATED: x");
    scene.run_ends("a", "");
    assert_eq!(scene.ticks(1), "start a Events []\n");
}

#[test]
fn a_run_that_left_work_is_followed_by_another_in_the_next_tick() {
    let mut scene = Scene::of(vec![partition("a", |definition| {
        definition.schedule.rest = Rest::Ticks(0);
        definition.schedule.wake_on = WakeOn { events: true, ..WakeOn::default() };
    })]);
    scene.events("1");
    let more = Work { more_to_do: true, ..Work::well("UPDATED: x") };
    assert_eq!(scene.run_ends_with("a", more), "record a terminal 0 acked (-)\n");
    assert_eq!(scene.ticks(1), "start a MoreToDo []\n");
    scene.run_ends("a", "UPDATED: x");
    assert_eq!(scene.ticks(2), "");
}

fn waits_for(at_ms: u64) -> Work {
    Work { wake_at: Some(START.plus_ms(at_ms as i64)), ..Work::well("NO-OP: an edit waits") }
}

fn wakes_on_events(definition: &mut Definition) {
    definition.schedule.wake_on = WakeOn { events: true, inbox: true, ..WakeOn::default() };
}

#[test]
fn an_edit_that_had_to_wait_wakes_its_partition_when_its_time_comes_and_nothing_else_happens() {
    let mut scene = Scene::of(vec![partition("a", wakes_on_events)]);
    scene.events("1");
    scene.run_ends_with("a", waits_for(10 * MINUTE_MS + 500));
    assert_eq!(scene.ticks(10), "", "its time has not come");
    assert_eq!(scene.state.next_wakeup(), scene.now.boot.plus_ms(500), "between two ticks");
    assert_eq!(scene.pass(500), "start a Waited []\n");
    scene.run_ends("a", "UPDATED: x");
    assert_eq!(scene.ticks(3), "", "once");
}

#[test]
fn an_edit_that_had_to_wait_is_not_forgotten_by_a_restart_or_a_run_with_tasks() {
    let mut scene = Scene::of(vec![partition("a", wakes_on_events)]);
    scene.events("1");
    scene.run_ends_with("a", waits_for(10 * MINUTE_MS));
    scene.ticks(1);
    scene.inbox("a", &["t"]);
    scene.task_ends("a", "t", "UPDATED: x");
    scene.run_ends("a", "");
    scene.crash(MINUTE_MS);
    assert_eq!(scene.start(), "");
    assert_eq!(scene.ticks(7), "");
    assert_eq!(scene.ticks(1), "start a Waited []\n");
}

#[test]
fn a_partition_that_asks_to_be_woken_at_once_is_woken_once_a_tick() {
    let mut scene = Scene::of(vec![partition("a", |definition| {
        wakes_on_events(definition);
        definition.schedule.rest = Rest::Ticks(0);
    })]);
    scene.events("1");
    assert_eq!(scene.run_ends_with("a", waits_for(0)), "record a terminal 0 acked (-)\n");
    assert_eq!(scene.ticks(1), "start a MoreToDo []\n");
    scene.run_ends_with("a", waits_for(2 * MINUTE_MS));
    assert_eq!(scene.ticks(1), "start a Waited []\n");
    assert_eq!(
        scene.fails("a", Ending::ExitCode(1)),
        "record a error 0 acked (exit code 1)\n",
        "it rests until the next tick"
    );
    assert_eq!(scene.ticks(1), "start a Waited []\n", "and is tried again");
}

#[test]
fn a_moment_that_is_years_away_is_brought_into_bounds() {
    let mut scene = Scene::of(vec![partition("a", wakes_on_events)]);
    scene.events("1");
    scene.run_ends_with("a", Work { wake_at: Some(UnixMs(i64::MAX)), ..Work::well("NO-OP: x") });
    let wakes_in = scene.state.partitions()[0].memory.wake_at.map(|at| at.since_ms(scene.now.wall));
    assert_eq!(wakes_in, Some(31 * 24 * 3_600_000));
}

#[test]
fn changed_files_wake_a_partition() {
    let mut scene = Scene::of(vec![partition("a", |definition| {
        definition.schedule.wake_on = WakeOn { changed: vec!["memory/**".into()], ..WakeOn::default() };
    })]);
    let files = |mark: &str| Event::FilesSeen { partition: id("a"), mark: Mark::new(mark) };
    assert_eq!(scene.tell(files("x")), "start a Files []\n");
    scene.run_ends("a", "UPDATED: committed");
    assert_eq!(scene.ticks(2), "");
    assert_eq!(scene.tell(files("x")), "");
    assert_eq!(scene.tell(files("y")), "start a Files []\n");
}

#[test]
fn turns_go_round_and_no_more_run_at_once_than_may() {
    let mut scene =
        Scene::with(one_at_a_time(), ["a", "b", "c"].map(|name| partition(name, wake_on_tick(0))).into());
    assert_eq!(scene.run_of("a").as_str(), "20261114T080000-1");
    assert_eq!(scene.ready("b"), "WaitingForSlot");
    assert!(scene.run_ends("a", "NO-OP: x").ends_with("start b Tick []\n"));
    scene.ticks(1);
    assert!(
        scene.run_ends("b", "NO-OP: x").ends_with("start c Tick []\n"),
        "a waits although it is due again"
    );
    assert!(scene.run_ends("c", "NO-OP: x").ends_with("start a Tick []\n"));
    assert_eq!(
        scene.run_ends("a", "NO-OP: x"),
        "record a terminal 0 acked (-)\n",
        "b ran in this tick already"
    );
}

#[test]
fn an_edited_playlist_changes_the_order_and_nonsense_changes_nothing() {
    let mut scene =
        Scene::with(one_at_a_time(), ["a", "b", "c"].map(|name| partition(name, wake_on_tick(0))).into());
    scene.tell(Event::PlaylistEdited { text: "1. ghost\n2. c\n3. ../x\nhello\n4. c".into() });
    assert_eq!(
        subcortex_cadence::playlist::render(&scene.state),
        "# Playlist\n\nPartitions have their turns in this order. Move a line to change it.\n\n\
         1. c: no run yet\n2. a: no run yet\n3. b: no run yet (next)\n"
    );
    assert!(scene.run_ends("a", "NO-OP: x").ends_with("start b Tick []\n"));
    assert!(scene.run_ends("b", "NO-OP: x").ends_with("start c Tick []\n"));
    assert!(
        subcortex_cadence::playlist::render(&scene.state)
            .contains("2. a: terminal in tick 1 (2026-11-14T08:00:00Z)")
    );
}

#[test]
fn the_kill_switch_ends_runs_within_its_grace_and_nothing_starts_while_it_is_set() {
    let mut scene = Scene::of(vec![partition("a", wake_on_tick(0)), partition("b", wake_on_tick(0))]);
    assert_eq!(scene.kill_switch(true), "end a Paused 500\nend b Paused 500\n");
    assert_eq!(scene.kill_switch(true), "", "told twice, done once");
    scene.run_ends("a", "UPDATED: too late");
    assert_eq!(scene.fails("b", Ending::Signal(15)), "record b paused 0 acked (ended by the kill switch)\n");
    assert_eq!(scene.ticks(5), "");
    assert_eq!(scene.ready("a"), "Paused");
    assert_eq!(scene.tell(Event::RunRequested { partition: id("a") }), "refuse a NotReady(Paused)\n");
    assert_eq!(scene.kill_switch(false), "start a Tick []\nstart b Tick []\n");
}

#[test]
fn the_kill_switch_of_one_partition_leaves_the_others_alone() {
    let mut scene = Scene::of(vec![partition("a", wake_on_tick(0)), partition("b", wake_on_tick(0))]);
    let switch = |set| Event::KillSwitch { scope: Scope::Partition(id("a")), set };
    assert_eq!(scene.tell(switch(true)), "end a Paused 500\n");
    scene.run_ends("a", "");
    scene.run_ends("b", "NO-OP: x");
    assert_eq!(scene.ticks(1), "start b Tick []\n");
    assert_eq!(scene.tell(switch(false)), "start a Tick []\n");
}

#[test]
fn nothing_starts_before_the_kill_switch_was_looked_at() {
    let mut scene = Scene::down(Settings::default(), vec![partition("a", wake_on_tick(1))]);
    assert_eq!(scene.tell(Event::TimePassed), "");
    assert_eq!(scene.inbox("a", &["t"]), "");
    assert!(scene.state.is_paused());
}

#[test]
fn a_run_is_ended_at_its_deadline_and_asked_again_if_it_does_not_end() {
    let mut scene = Scene::of(vec![partition("a", wake_on_tick(1))]);
    assert_eq!(scene.state.next_wakeup(), scene.now.boot.plus_ms(MINUTE_MS));
    assert_eq!(scene.pass(59_999), "");
    assert_eq!(scene.pass(1), "end a Deadline 5000\n");
    assert_eq!(scene.ticks(1), "end a Deadline 0\noverdue a\n");
    assert_eq!(
        scene.run_ends("a", "UPDATED: too late"),
        "record a timeout 0 acked (not finished at the deadline)\n"
    );
}

#[test]
fn downtime_counts_ticks_and_brings_one_run_each_spread_by_name() {
    let names: Vec<String> = (0..20).map(|n| format!("p{n}")).collect();
    let seen = names.iter().map(|name| partition(name, wake_on_tick(1))).collect::<Vec<_>>();
    let mut scene = Scene::with(Settings { interval_ms: MINUTE_MS, max_parallel: 100 }, seen);
    for name in &names {
        scene.run_ends(name, "NO-OP: x");
    }
    scene.crash(5 * HOUR_MS);
    assert_eq!(scene.start(), "tick 301 missed 299\n", "nobody starts at once");
    let mut starts = Vec::new();
    while scene.now.boot.0 < 77 + 2_000 {
        let said = scene.pass(100);
        starts.extend(
            said.lines()
                .filter(|line| line.starts_with("start"))
                .map(|line| (scene.now.boot, line.to_owned())),
        );
    }
    assert_eq!(starts.len(), 20, "one each, within two seconds");
    let moments: std::collections::BTreeSet<_> = starts.iter().map(|(at, _)| at).collect();
    assert!(moments.len() > 8, "spread: {moments:?}");
    for name in &names {
        scene.run_ends(name, "NO-OP: x");
    }
    assert_eq!(scene.pass(1_000), "", "and not one more for all the ticks that were missed");
}

#[test]
fn a_restart_within_a_tick_shortens_no_cooldown() {
    let mut scene = Scene::of(vec![partition("a", wake_on_tick(2))]);
    scene.run_ends("a", "NO-OP: x");
    for _ in 0..10 {
        scene.crash(1_000);
        assert_eq!(scene.start(), "");
    }
    assert_eq!(scene.ready("a"), "Cooling { ready_at_tick: Tick(3) }");
    assert_eq!(scene.pass(50_000), "", "tick 2, at its old time");
    assert_eq!(scene.pass(60_000), "start a Tick []\n");
}

#[test]
fn a_machine_that_slept_catches_up_once() {
    let mut scene = Scene::of(vec![partition("a", wake_on_tick(1))]);
    scene.run_ends("a", "NO-OP: x");
    assert_eq!(scene.pass(8 * HOUR_MS), "tick 481 missed 479\n");
    assert_eq!(scene.pass(2_000), "start a Tick []\n");
    scene.run_ends("a", "NO-OP: x");
    assert_eq!(scene.pass(50_000), "");
}

#[test]
fn setting_the_clock_starts_nothing_and_stops_nothing() {
    const YEAR_MS: i64 = 365 * 24 * HOUR_MS as i64;
    for jump_ms in [YEAR_MS, -YEAR_MS, 30 * YEAR_MS, -50 * YEAR_MS, 3_600_000, -3_600_000, 5_000, -5_000] {
        let mut scene = Scene::of(vec![partition("a", wake_on_tick(2))]);
        scene.run_ends("a", "NO-OP: x");
        assert_eq!(scene.jump_wall_clock(jump_ms), format!("clock jumped {jump_ms}\n"));
        assert_eq!(scene.ticks(1), "");
        assert_eq!(scene.ticks(1), "start a Tick []\n");
    }
}

#[test]
fn a_rest_after_failures_is_as_long_whatever_is_done_to_the_clock() {
    for jump_ms in [0, 365 * 24 * HOUR_MS as i64, -(365 * 24 * HOUR_MS as i64)] {
        let mut scene = Scene::of(vec![partition("a", wake_on_tick(0))]);
        for _ in 0..6 {
            scene.fails("a", Ending::ExitCode(1));
            while scene.state.running() == 0 {
                scene.ticks(1);
            }
        }
        scene.fails("a", Ending::ExitCode(1));
        if jump_ms != 0 {
            scene.jump_wall_clock(jump_ms);
        }
        let mut ticks = 0;
        while scene.ticks(1).is_empty() {
            ticks += 1;
        }
        assert!((24..32).contains(&ticks), "the seventh error: 32 ticks less some jitter, got {ticks}");
    }
}

#[test]
fn a_saved_rest_of_years_and_a_run_in_the_future_do_not_stop_a_partition_for_good() {
    let mut scene = Scene::of(vec![partition("a", wake_on_tick(2))]);
    scene.fails("a", Ending::ExitCode(1));
    let mut saved = scene.state.saved();
    let memory = saved.partitions.get_mut(&id("a")).expect("there");
    memory.backoff_until = Some(UnixMs(i64::MAX));
    if let Some(last) = &mut memory.last_run {
        last.tick = subcortex_cadence::Tick(u64::MAX);
    }
    let mut scene = Scene::down(Settings::default(), vec![partition("a", wake_on_tick(2))]);
    scene.state = subcortex_cadence::State::restore(saved, Settings::default());
    scene.tell(Event::Started {
        pace: subcortex_cadence::Pace::Cadence,
        partitions: vec![partition("a", wake_on_tick(2))],
        paused: false,
        events: None,
    });
    scene.inbox("a", &[]);
    assert!(scene.ready("a").starts_with("BackingOff"));
    let mut ticks = 0;
    while scene.ticks(1).is_empty() {
        ticks += 1;
    }
    assert!(ticks <= 240, "at most four hours: {ticks}");
}

#[test]
fn a_cron_partition_runs_at_its_times_and_not_between_them() {
    let mut scene = Scene::of(vec![partition("a", cron("30 9 * * *"))]);
    assert_eq!(scene.ready("a"), format!("Scheduled {{ at: UnixMs({}) }}", scene.now.wall.0 + 90 * 60_000));
    assert_eq!(scene.inbox("a", &["t"]), "", "a task waits for the time");
    assert_eq!(scene.ticks(89), "");
    assert_eq!(scene.pass(59_999), "");
    assert_eq!(scene.state.next_wakeup(), scene.now.boot.plus_ms(1));
    assert_eq!(scene.pass(1), "start a Tasks [t]\n");
    scene.task_ends("a", "t", "UPDATED: x");
    scene.run_ends("a", "");
    scene.inbox("a", &["u"]);
    assert_eq!(scene.ticks(24 * 60 - 1), "");
    assert_eq!(scene.ticks(1), "start a Tasks [u]\n");
}

#[test]
fn missed_times_of_a_pattern_bring_one_run() {
    let mut scene = Scene::of(vec![partition("a", cron("0 * * * *"))]);
    scene.pass(1_000);
    scene.crash(50 * HOUR_MS);
    scene.start();
    assert_eq!(scene.pass(2_000), "start a Tick []\n");
    scene.run_ends("a", "NO-OP: x");
    assert_eq!(scene.pass(50 * MINUTE_MS).lines().filter(|line| line.starts_with("start")).count(), 0);
}

#[test]
fn a_time_with_nothing_to_do_passes_without_a_run() {
    let mut scene = Scene::of(vec![partition("a", |definition| {
        cron("0 * * * *")(definition);
        definition.schedule.wake_on = WakeOn { inbox: true, ..WakeOn::default() };
    })]);
    assert_eq!(scene.ticks(61), "");
    assert_eq!(scene.inbox("a", &["t"]), "", "09:00 is over");
    assert_eq!(scene.ticks(58), "");
    assert_eq!(scene.ticks(1), "start a Tasks [t]\n");
}

#[test]
fn a_clock_that_is_set_back_a_little_repeats_no_time_and_set_back_far_stops_none() {
    let mut scene = Scene::of(vec![partition("a", cron("30 8 * * *"))]);
    assert_eq!(scene.ticks(30), "start a Tick []\n");
    scene.run_ends("a", "NO-OP: x");
    scene.jump_wall_clock(-3_000);
    assert_eq!(scene.pass(10_000), "");
    scene.jump_wall_clock(-(HOUR_MS as i64));
    assert_eq!(scene.ticks(70), "", "08:30 comes a second time, and is done");
    scene.jump_wall_clock(-(365 * 24 * HOUR_MS as i64));
    assert!(scene.ticks(24 * 60).contains("start a Tick []"), "a year back, and it runs on the next day");
}

#[test]
fn an_edited_pattern_starts_from_now() {
    let mut scene = Scene::of(vec![partition("a", cron("0 23 * * *"))]);
    scene.ticks(59);
    scene.redefine(vec![partition("a", cron("30 8 * * *"))]);
    assert_eq!(scene.pass(1_000), "", "08:30 is over");
    assert!(scene.ready("a").starts_with("Scheduled"));
}

#[test]
fn a_partition_that_goes_and_comes_back_keeps_its_rest() {
    let mut scene = Scene::of(vec![partition("a", wake_on_tick(5)), partition("b", cooldown(1))]);
    scene.run_ends("a", "NO-OP: x");
    scene.redefine(vec![partition("b", cooldown(1))]);
    assert!(scene.state.partition(&id("a")).is_none());
    scene.crash(1_000);
    scene.start();
    scene.redefine(vec![partition("a", wake_on_tick(5)), partition("b", cooldown(1))]);
    scene.inbox("a", &[]);
    assert_eq!(scene.ready("a"), "Cooling { ready_at_tick: Tick(6) }");
}

#[test]
fn the_memory_of_a_partition_that_is_gone_for_good_is_dropped() {
    let mut scene = Scene::of(vec![partition("a", wake_on_tick(5))]);
    scene.run_ends("a", "NO-OP: x");
    scene.redefine(Vec::new());
    assert!(scene.state.saved().partitions.contains_key(&id("a")));
    scene.pass(8 * 24 * HOUR_MS);
    scene.redefine(Vec::new());
    assert!(!scene.state.saved().partitions.contains_key(&id("a")));
}

#[test]
fn the_run_of_a_partition_that_is_removed_is_ended() {
    let mut scene = Scene::of(vec![partition("a", wake_on_tick(1)), partition("b", cooldown(1))]);
    assert_eq!(scene.redefine(vec![partition("b", cooldown(1))]), "end a PartitionGone 5000\n");
    assert_eq!(scene.run_ends("a", ""), "record a paused 0 acked (its partition was removed)\n");
    assert!(scene.state.partition(&id("a")).is_none());
}

#[test]
fn an_unusable_definition_stops_its_partition_and_no_other() {
    let broken = SeenPartition { id: id("a"), definition: Err("unknown key `x`".into()), paused: false };
    let mut scene = Scene::of(vec![broken, partition("b", wake_on_tick(1))]);
    assert_eq!(scene.ready("a"), "Unusable");
    assert_eq!(scene.ready("b"), "Running");
    assert_eq!(scene.tell(Event::RunRequested { partition: id("a") }), "refuse a NotReady(Unusable)\n");
}

#[test]
fn a_run_that_is_asked_for_by_name_happens_whatever_its_rest() {
    let mut scene = Scene::of(vec![partition("a", |definition| {
        cooldown(50)(definition);
        definition.schedule.enabled = false;
    })]);
    let ask = || Event::RunRequested { partition: id("a") };
    assert_eq!(scene.tell(ask()), "start a Asked []\n");
    assert_eq!(scene.tell(ask()), "refuse a NotReady(Running)\n");
    scene.run_ends("a", "NO-OP: x");
    assert_eq!(scene.tell(ask()), "start a Asked []\n");
    assert_eq!(scene.tell(Event::RunRequested { partition: id("ghost") }), "refuse ghost NoSuchPartition\n");
}

#[test]
fn a_request_waits_for_a_slot_and_then_goes_first() {
    let mut scene =
        Scene::with(one_at_a_time(), ["a", "b", "c"].map(|name| partition(name, wake_on_tick(0))).into());
    assert_eq!(scene.tell(Event::RunRequested { partition: id("c") }), "");
    assert!(scene.run_ends("a", "NO-OP: x").ends_with("start c Asked []\n"));
}

#[test]
fn a_tick_by_hand_runs_whoever_has_something_to_do() {
    let mut scene = Scene::of(vec![partition("a", cooldown(50)), partition("b", cooldown(50))]);
    scene.inbox("a", &["t"]);
    scene.task_ends("a", "t", "UPDATED: x");
    scene.run_ends("a", "");
    scene.inbox("a", &["u"]);
    let tick = scene.state.tick();
    assert_eq!(scene.tell(Event::TickRequested), "start a Asked [u]\n");
    assert_eq!(scene.state.tick(), tick.plus(1));
}

#[test]
fn whoever_waits_for_a_task_needs_no_rest_and_starts_no_empty_run() {
    let mut scene = Scene::of(vec![partition("a", cooldown(50)), partition("b", cooldown(0))]);
    let work = || Event::WorkRequested { partition: id("a") };
    assert_eq!(scene.tell(work()), "", "there is nothing to do");
    assert_eq!(scene.inbox("a", &["t"]), "start a Tasks [t]\n");
    assert_eq!(scene.tell(work()), "", "it runs already");
    scene.task_ends("a", "t", "UPDATED: x");
    scene.run_ends("a", "");
    assert_eq!(scene.tell(work()), "");
    assert_eq!(scene.inbox("a", &["u"]), "", "it rests");
    assert_eq!(scene.tell(work()), "start a Asked [u]\n");
    assert!(scene.tell(Event::WorkRequested { partition: id("ghost") }).is_empty());
    scene.kill_switch(true);
    scene.fails("a", Ending::Signal(15));
    assert_eq!(scene.tell(work()), "", "no switch is ignored");
}

#[test]
fn the_next_run_is_told_where_there_is_one() {
    let mut scene = Scene::of(vec![partition("a", cooldown(5)), partition("b", wake_on_tick(3))]);
    let minutes = |scene: &Scene, name: &str| {
        let found = scene.state.partition(&id(name)).expect("it is there");
        scene.state.next_run_at(found, scene.now).map(|at| at.since_ms(scene.now.wall) / MINUTE_MS as i64)
    };
    assert_eq!(minutes(&scene, "a"), None, "nothing to do");
    assert_eq!(minutes(&scene, "b"), None, "it runs");
    scene.run_ends("b", "NO-OP: x");
    assert_eq!(minutes(&scene, "b"), Some(3));
    scene.inbox("a", &["t"]);
    scene.task_ends("a", "t", "UPDATED: x");
    scene.run_ends("a", "");
    assert_eq!(minutes(&scene, "a"), None, "it rests, and nothing is there for afterwards");
    scene.inbox("a", &["u"]);
    assert_eq!(minutes(&scene, "a"), Some(5));
    scene.ticks(2);
    assert_eq!((minutes(&scene, "a"), minutes(&scene, "b")), (Some(3), Some(1)));
    scene.kill_switch(true);
    assert_eq!(minutes(&scene, "a"), None, "only a person can change that");
}

#[test]
fn by_hand_nothing_starts_by_itself() {
    let mut scene = Scene::down(Settings::default(), vec![partition("a", wake_on_tick(0))]);
    let said = scene.tell(Event::Started {
        pace: subcortex_cadence::Pace::ByHand,
        partitions: vec![partition("a", wake_on_tick(0))],
        paused: false,
        events: None,
    });
    assert_eq!(said + &scene.inbox("a", &["t"]), "");
    assert_eq!(scene.tell(Event::RunRequested { partition: id("a") }), "start a Asked [t]\n");
}

#[test]
fn a_start_that_did_not_come_about_is_no_run() {
    let mut scene = Scene::of(vec![partition("a", wake_on_tick(5))]);
    assert_eq!(scene.fails("a", Ending::NotStarted("PAUSED is there".into())), "");
    assert!(scene.ready("a").starts_with("CatchingUp"));
    assert_eq!(scene.pass(1_000), "start a Tick []\n", "tried again, since no switch was reported");
}

#[test]
fn stopping_ends_everything_and_says_when_it_is_over() {
    let mut scene = Scene::of(vec![partition("a", wake_on_tick(0)), partition("b", wake_on_tick(0))]);
    assert_eq!(scene.tell(Event::StopRequested), "end a Stopping 5000\nend b Stopping 5000\n");
    assert_eq!(scene.fails("a", Ending::Signal(15)), "record a paused 0 acked (the daemon was stopped)\n");
    assert_eq!(scene.ticks(3).replace("end b Stopping 0\noverdue b\n", ""), "");
    assert_eq!(scene.run_ends("b", "NO-OP: x"), "record b terminal 0 acked (-)\nstop\n");
    assert_eq!(scene.ticks(2), "");
}

#[test]
fn the_next_due_tick_is_the_first_in_which_it_may_run() {
    let mut scene = Scene::of(vec![
        partition("cools", wake_on_tick(5)),
        partition("fails", wake_on_tick(0)),
        partition("idle", cooldown(1)),
        partition("off", |definition| definition.schedule.enabled = false),
        partition("timed", cron("30 8 * * *")),
    ]);
    assert_eq!(scene.next_due_tick("cools"), Some(6), "running: if it ended now, after its rest");
    scene.run_ends("cools", "NO-OP: x");
    assert_eq!(scene.next_due_tick("cools"), Some(6));
    scene.fails("fails", Ending::ExitCode(1));
    scene.ticks(1);
    scene.fails("fails", Ending::ExitCode(1));
    assert_eq!(scene.next_due_tick("fails"), Some(3), "one minute of rest, less some jitter");
    assert_eq!(scene.next_due_tick("idle"), Some(2), "as soon as there is a task");
    assert_eq!(scene.next_due_tick("off"), None);
    assert_eq!(scene.next_due_tick("timed"), Some(31));
    scene.kill_switch(true);
    assert_eq!(scene.next_due_tick("idle"), None);
}

#[test]
fn definitions_from_text_drive_the_same_machine() {
    let zones = Zones { database: TimeZoneDatabase::bundled(), local: TimeZone::UTC };
    let text = "---\nschedule: { cooldown_ticks: 0, wake_on: [tick] }\n---\nGo.\n";
    let (definition, _) = Definition::parse(text, &["builtin"], &zones).expect("good");
    let mut scene = Scene::of(vec![partition("a", |default| *default = definition)]);
    assert_eq!(scene.run_ends("a", "NO-OP: x"), "record a terminal 0 acked (-)\n");
    assert_eq!(scene.ticks(1), "start a Tick []\n");
}
