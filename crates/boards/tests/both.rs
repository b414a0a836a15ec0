//! One suite for both stores.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)] // a test may

mod common;
#[path = "../../blackboard/tests/common/mod.rs"]
mod model;

use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use common::*;
use jiff::{SignedDuration, Timestamp};
use subcortex_blackboard::Entry;
use subcortex_boards::BoardError;
use subcortex_testkit::Random;

/// How many sequences of random moves each store gets, and how many races; a number in this variable is taken instead.
const SEQUENCES: u64 = 1_000;
const RACES: usize = 10_000;
const HOW_MANY: &str = "SUBCORTEX_BLACKBOARD_TIMES";

fn times(usual: usize) -> usize {
    std::env::var(HOW_MANY).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn what_is_appended_is_read_by_everybody_and_a_refusal_leaves_no_trace() {
    on_each("appended_is_read", |place| {
        let (one, other) = (place.open(TTL_S), place.open(TTL_S));
        let t = thread("t");
        assert!(matches!(say(&*one, &t, &worker("w1"), pending("w1", "ceo")), Err(BoardError::Refused(_))));
        assert!(one.read(&t, Timestamp::now()).unwrap().records().is_empty());
        assert_eq!(say(&*one, &t, &boss(), strategy(&["Acme"])).unwrap(), 1);
        assert_eq!(say(&*other, &t, &worker("w1"), pending("w1", "ceo")).unwrap(), 2);
        let refused = say(&*one, &t, &worker("w2"), pending("w2", "ceo")).unwrap_err();
        assert!(refused.to_string().contains("is claimed by `w1`"), "{}: {refused}", place.name());
        assert_eq!(say(&*one, &t, &worker("w1"), verified("w1", "ceo")).unwrap(), 3);
        let read = other.read(&t, Timestamp::now()).unwrap();
        assert_eq!(read.records().len(), 3);
        assert!(read.board().has_verified("Acme"));
        assert!(other.read(&thread("t2"), Timestamp::now()).unwrap().records().is_empty());
        assert_eq!(other.threads().unwrap(), [t], "{}", place.name());
    });
}

#[test]
fn a_thread_expires_after_its_last_entry_and_begins_anew() {
    on_each("expires", |place| {
        let boards = place.open(1);
        let t = thread("t");
        let later = match place {
            // The file's clock is handed in; the server has its own.
            Place::Files(_) => Timestamp::now() + SignedDuration::from_secs(3),
            Place::Redis(_) => Timestamp::now(),
        };
        say(&*boards, &t, &boss(), strategy(&["Acme"])).unwrap();
        if matches!(place, Place::Redis(_)) {
            std::thread::sleep(Duration::from_millis(2_500));
        }
        assert!(boards.read(&t, later).unwrap().records().is_empty(), "{}", place.name());
        let refused = boards.append(&t, &worker("w1"), pending("w1", "ceo"), later).unwrap_err();
        assert!(refused.to_string().contains("there is no STRATEGY yet"), "{refused}");
        assert_eq!(boards.append(&t, &boss(), strategy(&["Acme"]), later).unwrap().seq, 1);
        assert_eq!(place.open(1).read(&t, later).unwrap().records().len(), 1);
    });
}

#[test]
fn secrets_are_replaced_before_they_are_stored() {
    on_each("secrets", |place| {
        let boards = place.open(TTL_S);
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        say(&*boards, &thread("t"), &person(), directive(&format!("use {secret}"))).unwrap();
        let read = place.open(TTL_S).read(&thread("t"), Timestamp::now()).unwrap();
        let stored = serde_json::to_string(&read.records()[0].entry).unwrap();
        assert!(!stored.contains(secret) && stored.contains("use "), "{stored}");
    });
}

#[test]
fn a_directive_wakes_who_waits() {
    on_each("a_directive_wakes", |place| {
        let (waiting, other) = (place.open(TTL_S), place.open(TTL_S));
        let t = thread("t");
        let mut watch = waiting.watch(&t).unwrap();
        let teller = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            say(&*other, &thread("t"), &person(), directive("stop")).unwrap();
        });
        let start = Instant::now();
        while waiting.read(&t, Timestamp::now()).unwrap().board().open_directives().is_empty() {
            assert!(start.elapsed() < Duration::from_secs(20), "{}", place.name());
            watch.wait(Duration::from_secs(5)).unwrap();
        }
        teller.join().unwrap();
    });
}

#[test]
fn of_two_workers_that_race_for_a_claim_exactly_one_wins() {
    let races = times(RACES);
    on_each("race", |place| {
        let t = thread("race");
        say(&*place.open(TTL_S), &t, &boss(), strategy(&["Acme"])).unwrap();
        let start = Arc::new(Barrier::new(2));
        let racers: Vec<_> = ["w1", "w2"]
            .into_iter()
            .map(|name| {
                let (boards, start, t) = (place.open(TTL_S), Arc::clone(&start), t.clone());
                std::thread::spawn(move || {
                    let race = |round| {
                        start.wait();
                        match say(&*boards, &t, &worker(name), pending(name, &format!("f{round}"))) {
                            Ok(_) => true,
                            Err(BoardError::Refused(_)) => false,
                            Err(error) => panic!("{error}"),
                        }
                    };
                    (0..races).map(race).collect::<Vec<bool>>()
                })
            })
            .collect();
        let won: Vec<Vec<bool>> = racers.into_iter().map(|racer| racer.join().unwrap()).collect();
        for (round, (one, other)) in won[0].iter().zip(&won[1]).enumerate() {
            assert!(one != other, "{}: round {round}: {one} and {other}", place.name());
        }
        let stored = place.open(TTL_S).read(&t, Timestamp::now()).unwrap();
        assert_eq!(stored.records().len(), races + 1, "{}", place.name());
    });
}

#[test]
fn random_moves_are_taken_as_the_history_allows() {
    let sequences = times(SEQUENCES as usize) as u64;
    on_each("random_moves", |place| {
        for seed in 0..sequences {
            let mut random = Random::seeded(seed);
            // Two processes take turns.
            let stores = [place.open(TTL_S), place.open(TTL_S)];
            let (t, mut history) = (thread(&format!("t{seed}")), Vec::new());
            for turn in 0..40 {
                let said = model::random_said(&mut random);
                let answer = say(&*stores[turn % 2], &t, &said.0, said.1.clone());
                assert_eq!(
                    answer.is_ok(),
                    model::is_legal(&history, &said),
                    "{}: {seed}: {answer:?}",
                    place.name()
                );
                if answer.is_ok() {
                    history.push(said);
                }
            }
            let read = place.open(TTL_S).read(&t, Timestamp::now()).unwrap();
            let stored: Vec<&Entry> = read.records().iter().map(|record| &record.entry).collect();
            assert_eq!(
                stored,
                history.iter().map(|(_, entry)| entry).collect::<Vec<_>>(),
                "{}",
                place.name()
            );
        }
    });
}
