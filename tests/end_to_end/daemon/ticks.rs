//! Sixty ticks of a real daemon with a kill in the middle, held against the rule.
//!
//! The log says in which tick each run started and ended. The rule is judged by these numbers alone, so a machine that
//! is slow makes the test longer, not wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use crate::partitions::{home, partition, run_records};
use crate::support::{Daemon, TestHome};

const LAST_TICK: u64 = 60;
const KILL_AFTER_TICK: u64 = 20;
/// How long nobody serves the home. Time itself is what is tested here, so it has to pass.
const DOWN: Duration = Duration::from_millis(3_500);
const INTERVAL_MS: i64 = 1_000;
/// Starts that were missed are spread over 2 s: nobody has to start in the tick itself until that is over.
const SPREAD_TICKS: u64 = 3;

const COOLDOWNS: [(&str, u64); 3] = [("one", 1), ("three", 3), ("five", 5)];

/// What a line of the log says, as far as it matters here.
#[derive(Debug, Clone, PartialEq)]
enum Line {
    Tick { tick: u64, missed: u64, at_ms: i64 },
    Started { partition: String, run: String, tick: u64 },
    Ended { partition: String, run: String, outcome: String },
    Lost { run: String },
}

impl Line {
    fn parse(line: &str) -> Option<Line> {
        let field = |name: &str| {
            let value = line.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            value.map(str::to_owned)
        };
        let number = |name: &str| field(name)?.parse::<u64>().ok();
        let message: Vec<&str> = line.split_whitespace().skip(2).take(2).collect();
        match message.as_slice() {
            ["tick", _] => {
                let at: Timestamp = line.split_whitespace().next()?.parse().ok()?;
                let at_ms = at.as_millisecond();
                Some(Line::Tick { tick: number("tick")?, missed: number("missed")?, at_ms })
            }
            ["run", "started"] => Some(Line::Started {
                partition: field("partition")?,
                run: field("run")?,
                tick: number("tick")?,
            }),
            ["run", "ended"] => Some(Line::Ended {
                partition: field("partition")?,
                run: field("run")?,
                outcome: field("outcome")?,
            }),
            ["run", "lost"] => Some(Line::Lost { run: field("run")? }),
            _ => None,
        }
    }
}

/// What the rule knows of one partition.
#[derive(Debug, Default)]
struct Known {
    cooldown_ticks: u64,
    running: Option<String>,
    last_end_tick: Option<u64>,
    /// Its last run failed: it may rest for longer than its cooldown.
    may_back_off: bool,
    starts: usize,
}

impl Known {
    fn is_due(&self, tick: u64) -> bool {
        self.running.is_none() && self.last_end_tick.is_none_or(|last| tick - last >= self.cooldown_ticks)
    }
}

/// Follows the log and objects to a run that the rule forbids, and to a run that is missing.
#[derive(Debug, Default)]
struct Rule {
    tick: u64,
    spread_until_tick: u64,
    was_killed: bool,
    partitions: BTreeMap<String, Known>,
}

impl Rule {
    fn new() -> Rule {
        let known = |cooldown_ticks| Known { cooldown_ticks, ..Known::default() };
        let partitions = COOLDOWNS.map(|(name, cooldown_ticks)| (name.to_owned(), known(cooldown_ticks)));
        Rule { partitions: partitions.into(), ..Rule::default() }
    }

    fn follow(&mut self, line: &Line) {
        match line {
            Line::Tick { tick, missed, .. } => {
                self.check_nobody_was_left_out();
                // The last tick before a kill may be one that the log has not told of.
                let untold =
                    u64::from(std::mem::take(&mut self.was_killed) && *tick == self.tick + missed + 2);
                assert_eq!(*tick, self.tick + missed + 1 + untold, "every tick is counted once");
                self.tick = *tick;
                if *missed > 0 {
                    self.spread_until_tick = tick + SPREAD_TICKS;
                }
            }
            Line::Started { partition, run, tick } => {
                assert_eq!(*tick, self.tick, "{line:?}");
                let known = self.partitions.get_mut(partition).unwrap();
                assert!(known.is_due(*tick), "too early: {line:?} {known:?}");
                known.running = Some(run.clone());
                known.starts += 1;
            }
            Line::Ended { partition, run, outcome } => {
                let known = self.partitions.get_mut(partition).unwrap();
                assert_eq!(known.running.take().as_ref(), Some(run), "{line:?}");
                known.last_end_tick = Some(self.tick);
                known.may_back_off = outcome != "terminal";
            }
            // No turn was used up. It may be one that the kill cut short even before the log told of it.
            Line::Lost { run } => {
                let known = self.partitions.values_mut().find(|known| known.running.as_ref() == Some(run));
                known.into_iter().for_each(|known| known.running = None);
            }
        }
    }

    /// Whoever was due in the tick that is over has been started in it.
    fn check_nobody_was_left_out(&self) {
        if self.tick > 0 && self.tick > self.spread_until_tick {
            for (name, known) in &self.partitions {
                let is_missing = known.is_due(self.tick) && !known.may_back_off;
                assert!(!is_missing, "{name} did not run in tick {}: {known:?}", self.tick);
            }
        }
    }

    /// The daemon was killed. What had ended without a line in the log is not among the lost.
    fn daemon_killed(&mut self, rest: &[Line]) {
        // The kill may have come before everybody was started.
        self.spread_until_tick = self.tick;
        self.was_killed = true;
        for known in self.partitions.values_mut() {
            let lost = |run: &String| rest.contains(&Line::Lost { run: run.clone() });
            if known.running.as_ref().is_some_and(|run| !lost(run)) {
                known.running = None;
                known.last_end_tick = Some(self.tick);
            }
        }
    }
}

fn wait_for_tick(daemon: &Daemon, wanted: u64) {
    loop {
        let line = daemon.wait_for(" tick ");
        if matches!(Line::parse(&line), Some(Line::Tick { tick, .. }) if tick >= wanted) {
            return;
        }
    }
}

fn log_lines(home: &TestHome) -> Vec<Line> {
    let log = std::fs::read_to_string(home.path("var/log/daemon.log")).unwrap();
    log.lines().filter_map(Line::parse).collect()
}

#[test]
fn the_runs_of_sixty_ticks_are_exactly_those_that_the_rule_allows_also_across_a_kill() {
    let home = home();
    home.write("config/subcortex.yaml", "cadence:\n  interval_ms: 1000\n  max_parallel: 3\n");
    for (name, cooldown_ticks) in COOLDOWNS {
        // Long enough for the kill to fall into a run.
        let command = "[/bin/sh, -c, \"sleep 0.2; echo UPDATED: x\"]";
        let schedule = format!("schedule: {{ cooldown_ticks: {cooldown_ticks}, wake_on: [tick] }}");
        partition(&home, name, &format!("{schedule}\nengine: command\ncommand: {command}"));
    }
    let daemon = home.daemon();
    wait_for_tick(&daemon, KILL_AFTER_TICK);
    daemon.wait_for_all(&["run started", "partition=three"]);
    daemon.signal("KILL");
    daemon.end();
    let before = log_lines(&home);
    let saved = std::fs::read(home.path("var/cadence/state.json")).unwrap();
    std::thread::sleep(DOWN);
    let restarted = Timestamp::now();
    let daemon = home.daemon();
    wait_for_tick(&daemon, LAST_TICK);
    daemon.signal("TERM");
    assert!(daemon.end().success());

    let all = log_lines(&home);
    let after = &all[before.len()..];
    check_ticks_while_down(&serde_json::from_slice(&saved).unwrap(), after, restarted);
    let mut rule = Rule::new();
    before.iter().for_each(|line| rule.follow(line));
    assert!(rule.tick >= KILL_AFTER_TICK);
    rule.daemon_killed(after);
    after.iter().for_each(|line| rule.follow(line));
    assert!(rule.tick >= LAST_TICK);
    check_records(&home, &all);
    println!(
        "{} ticks, starts: {:?}",
        rule.tick,
        rule.partitions.values().map(|k| k.starts).collect::<Vec<_>>()
    );
}

/// The ticks that passed while nobody served the home are counted, by the clock on the wall: from the last tick that was
/// saved to the moment of the restart, which lies between the two given.
fn check_ticks_while_down(saved: &Value, after: &[Line], restarted: Timestamp) {
    let Some(Line::Tick { tick, at_ms, .. }) = after.iter().find(|line| matches!(line, Line::Tick { .. }))
    else {
        panic!("no tick in {after:?}")
    };
    let counted = (tick - saved["tick"].as_u64().unwrap()) as i64;
    let since_last_tick =
        |moment_ms: i64| (moment_ms - saved["last_tick_at"].as_i64().unwrap()) / INTERVAL_MS;
    let possible = since_last_tick(restarted.as_millisecond())..=since_last_tick(*at_ms);
    assert!(possible.contains(&counted), "{counted} ticks, but {possible:?} are possible");
    assert!(counted >= 3, "{counted}");
}

/// Each run has its record, with the tick in which it started, and there are no others.
fn check_records(home: &TestHome, lines: &[Line]) {
    let (mut started, mut lost) = (BTreeMap::new(), BTreeSet::new());
    for line in lines {
        match line {
            Line::Started { run, tick, .. } => drop(started.insert(run.as_str(), *tick)),
            Line::Lost { run } => drop(lost.insert(run.as_str())),
            Line::Tick { .. } | Line::Ended { .. } => {}
        }
    }
    let records = run_records(home);
    let mut recorded = BTreeMap::new();
    for run in &records {
        let id = run["run_id"].as_str().unwrap();
        // What still ran when the daemon was told to stop was stopped. On a machine that is busy beyond measure a program
        // may not be started in time, which is said and is no fault of the rule.
        let excused =
            lost.contains(id) || run["reason"].to_string().contains("stop") || run["outcome"] == "refused";
        assert!(run["outcome"] == "terminal" || excused, "{run}");
        if !lost.contains(id) || started.contains_key(id) {
            recorded.insert(id, run["tick"].as_u64().unwrap());
        }
    }
    assert_eq!(recorded, started);
    assert!(!lost.is_empty(), "the kill fell into a run");
}
