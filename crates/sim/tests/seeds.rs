//! Ten thousand lives of a daemon.

use subcortex_sim::{simulate, simulate_all};

#[test]
fn every_invariant_holds_in_ten_thousand_lives() {
    const SEEDS: u64 = 10_000;
    let sum = simulate_all(0..SEEDS).unwrap_or_else(|failure| panic!("{failure}"));
    println!("{SEEDS} seeds: {sum}");
    assert!(
        sum.runs > 20 * SEEDS && sum.acks > 10 * SEEDS && sum.crashes > 4 * SEEDS && sum.waits > SEEDS,
        "eventful lives: {sum}"
    );
}

#[test]
fn the_same_seed_is_the_same_life() {
    for seed in 0..50 {
        assert_eq!(simulate(seed).ok(), simulate(seed).ok());
    }
}

#[test]
fn a_tick_over_many_partitions_is_decided() {
    let mut bench = subcortex_sim::bench::Bench::of(1_000);
    assert!(bench.tick() > 0);
}
