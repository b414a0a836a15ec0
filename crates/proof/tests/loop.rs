//! A short life: enough to see that the loop closes and that nothing slips in.

#![allow(missing_docs, clippy::unwrap_used)]
use subcortex_proof::{Life, LifeFigures, Policy, live};

const TURNS: usize = 400;

fn lived(policy: Policy) -> LifeFigures {
    live(Life { seed: 7, turns: TURNS, policy }).unwrap()
}

fn corrections(outcome: &LifeFigures) -> f64 {
    outcome.corrections_per_100.iter().sum()
}

#[test]
fn people_correct_less_with_subcortex_than_without_and_poison_stays_out() {
    let with = lived(Policy::Subcortex);
    let without = lived(Policy::NoMemory);
    assert!(corrections(&with) < corrections(&without), "{} {}", corrections(&with), corrections(&without));
    assert!(with.poison.is_empty(), "{:?}", with.poison);
    assert!(with.good_lines_touched.is_empty(), "{:?}\n{}", with.good_lines_touched, with.edits.join("\n"));
}

#[test]
fn the_world_can_tell_good_memories_from_bad_ones() {
    let appended = lived(Policy::AppendEverything);
    assert!(!appended.poison.is_empty(), "tools brought poison, and everything was appended");
    assert!(!appended.bad_lines_left.is_empty(), "nothing was removed");
}

#[test]
fn the_same_seed_lives_the_same_life() {
    let (one, other) = (lived(Policy::CountersOnly), lived(Policy::CountersOnly));
    assert_eq!(one.corrections_per_100, other.corrections_per_100);
    assert_eq!(one.broadcast, other.broadcast);
}
