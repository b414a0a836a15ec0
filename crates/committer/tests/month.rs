//! Two people, two homes, one remote, a month of edits on both sides, and wakes that are killed in the middle.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    unreachable_pub,
    dead_code
)]

mod common;

use std::collections::BTreeSet;
use std::time::Duration;

use common::{Home, Place};
use jiff::{SignedDuration, Timestamp};
use subcortex_engine::{CancelReason, Cancellation, cancellation};
use subcortex_testkit::{Random, has_program};

/// What people wrote, and what people took out or reworded again.
#[derive(Default)]
struct Said {
    written: BTreeSet<String>,
    retired: BTreeSet<String>,
}

fn edit(home: &Home<'_>, who: &str, day: usize, random: &mut Random, said: &mut Said) {
    let mut lines: Vec<String> = home.read("CLAUDE.md").lines().map(str::to_owned).collect();
    for number in 0..=random.below(3) {
        let new = format!("- When {who} works on part {day}-{number}, run the checks of that part first.");
        let at = random.below(lines.len() + 1);
        match random.below(4) {
            0 if at < lines.len() => drop(said.retired.insert(lines.remove(at))),
            1 if at < lines.len() => {
                said.retired.insert(std::mem::replace(&mut lines[at], new.clone()));
                said.written.insert(new);
            }
            _ => {
                said.written.insert(new.clone());
                lines.insert(at, new);
            }
        }
    }
    home.write("CLAUDE.md", &lines.iter().map(|line| format!("{line}\n")).collect::<String>());
}

/// A wake that is killed at some moment, or not.
fn wake(home: &Home<'_>, now: Timestamp, random: &mut Random) {
    if random.chance(0.3) {
        let (canceller, order) = cancellation();
        let after = Duration::from_millis(random.below(120) as u64);
        let killer = std::thread::spawn(move || {
            std::thread::sleep(after);
            canceller.cancel(CancelReason::Paused, 0);
        });
        drop(home.try_commit(now, order));
        killer.join().unwrap();
    } else {
        home.try_commit(now, Cancellation::never()).unwrap();
    }
}

fn month(days: usize, seed: u64) {
    let place = Place::new();
    let remote = place.remote();
    let (ann, bob) = (place.home("ann"), place.home("bob"));
    ann.share(&remote);
    bob.share(&remote);
    let mut random = Random::seeded(seed);
    let mut said = Said::default();
    let begin = Timestamp::now();
    let mut now = begin;
    for day in 0..days {
        now = begin.checked_add(SignedDuration::from_hours(24 * (day as i64 + 1))).unwrap();
        for (home, who) in [(&ann, "Ann"), (&bob, "Bob")] {
            if random.chance(0.8) {
                edit(home, who, day, &mut random, &mut said);
            }
            if random.chance(0.8) {
                wake(home, now, &mut random);
            }
        }
    }
    for hour in 1..=4 {
        let later = now.checked_add(SignedDuration::from_hours(hour)).unwrap();
        for home in [&ann, &bob] {
            let done = home.commit_at(later);
            assert_eq!(done.left_alone, None);
            assert_eq!(done.synced.unwrap().trouble, None);
        }
    }
    let (one, other) = (ann.read("CLAUDE.md"), bob.read("CLAUDE.md"));
    assert_eq!(one, other, "seed {seed}");
    assert_eq!(ann.git(&["rev-parse", "HEAD"]), bob.git(&["rev-parse", "HEAD"]));
    let kept: BTreeSet<&str> = one.lines().collect();
    for line in said.written.difference(&said.retired) {
        assert!(kept.contains(line.as_str()), "seed {seed}: lost {line}");
    }
    let subjects = ann.git(&["log", "--format=%s"]);
    assert!(subjects.lines().all(|subject| subject.starts_with("memory: ") && subject.chars().count() <= 72));
    assert!(ann.git(&["fsck"]).is_empty() || !ann.git(&["fsck"]).contains("error"));
}

#[test]
fn two_homes_agree_after_a_month_and_no_line_that_anybody_wrote_is_lost() {
    if has_program("month", "git") {
        (1..=5).for_each(|seed| month(30, seed));
    }
}

#[test]
#[ignore = "takes minutes: many months"]
fn two_homes_agree_after_each_of_many_months() {
    if has_program("months", "git") {
        (100..125).for_each(|seed| month(30, seed));
    }
}
