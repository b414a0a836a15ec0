//! Runs, tokens, money, levers and drift, with figures that can be worked out by hand.
#![allow(clippy::unwrap_used, missing_docs)]

use jiff::tz::TimeZone;
use subcortex_cadence::UnixMs;
use subcortex_config::Price;
use subcortex_loops::cadence::LoopCadence;
use subcortex_loops::estimate::cache::{CacheLifetime, MIN_PREFIX_TOKENS};
use subcortex_loops::estimate::drift::Drift;
use subcortex_loops::estimate::levers::levers;
use subcortex_loops::estimate::{Estimate, RunTokens, costs, run_times};
use subcortex_loops::run_log::{LoggedRun, RunLog};
use subcortex_usage::Prices;

/// Thursday, 1 January 1970.
const START: UnixMs = UnixMs(0);
const A_RUN: RunTokens = RunTokens { input: 10_000, output: 1_000 };

fn times(cadence: &str, days: u32) -> Vec<UnixMs> {
    run_times(&LoopCadence::parse(cadence, &TimeZone::UTC).unwrap(), START, days)
}

fn estimate(cadence: &str, days: u32) -> Estimate {
    Estimate::of(&times(cadence, days), days, A_RUN)
}

fn prices() -> Prices {
    let price = |input, output| Price { input, output, ..Price::default() };
    Prices([("dear".to_owned(), price(10.0, 50.0)), ("cheap".to_owned(), price(1.0, 5.0))].into())
}

#[test]
fn runs_are_counted_for_durations_and_patterns() {
    for (cadence, runs) in
        [("10m", 1008), ("6h", 28), ("1d", 7), ("2w", 0), ("0 9 * * 1-5", 5), ("*/30 9-10 * * *", 28)]
    {
        assert_eq!(estimate(cadence, 7).runs, runs, "{cadence}");
    }
    assert!((estimate("6h", 7).runs_a_day() - 4.0).abs() < 1e-9);
}

#[test]
fn the_lifetime_of_the_cache_follows_from_the_time_between_runs() {
    for (cadence, lifetime) in [
        ("1m", CacheLifetime::FiveMinutes),
        ("5m", CacheLifetime::FiveMinutes),
        ("6m", CacheLifetime::OneHour),
        ("1h", CacheLifetime::OneHour),
        ("2h", CacheLifetime::None),
        ("1d", CacheLifetime::None),
    ] {
        assert_eq!(estimate(cadence, 7).input.lifetime, lifetime, "{cadence}");
    }
}

#[test]
fn one_write_serves_runs_that_follow_closely_and_a_night_costs_another() {
    // 24 runs: 6,000 tokens of prefix are written once and read 23 times.
    let input = estimate("1h", 1).input;
    assert_eq!((input.fresh, input.written, input.read), (96_000, 6_000, 138_000));
    assert!((input.weighted() - (96_000.0 + 12_000.0 + 13_800.0)).abs() < 1e-6);
    let input = estimate("5m", 1).input;
    assert!((input.weighted() - (288.0 * 4_000.0 + 6_000.0 * 1.25 + 287.0 * 600.0)).abs() < 1e-6);
    // Two days with four runs each.
    let input = estimate("*/30 9-10 * * *", 2).input;
    assert_eq!((input.written, input.read), (12_000, 36_000));
}

#[test]
fn a_short_prefix_is_not_cached() {
    let of = |input| Estimate::of(&times("5m", 1), 1, RunTokens { input, output: 1 }).input.lifetime;
    assert_eq!(of(MIN_PREFIX_TOKENS), CacheLifetime::None);
    assert_eq!(of(MIN_PREFIX_TOKENS * 2), CacheLifetime::FiveMinutes);
}

#[test]
fn money_is_shown_by_model_and_the_own_one_is_marked_also_by_the_beginning_of_its_name() {
    // 10 runs without a cache: 100,000 in, 10,000 out.
    let costs = costs(&estimate("1d", 10), &prices(), Some("dear-20260101"));
    let shown: Vec<_> =
        costs.iter().map(|cost| (&*cost.model, (cost.usd * 100.0).round(), cost.is_own)).collect();
    assert_eq!(shown, [("cheap", 15.0, false), ("dear", 150.0, false), ("dear-20260101", 150.0, true)]);
}

#[test]
fn levers_stand_in_order_and_each_costs_less_than_now() {
    let times = times("1d", 10);
    let estimate = Estimate::of(&times, 10, A_RUN);
    let levers = levers(&times, &estimate, &prices(), Some("dear"));
    assert_eq!(levers.iter().map(|lever| lever.lever).collect::<Vec<_>>(), ["cadence", "model", "gate"]);
    let usd: Vec<f64> = levers.iter().map(|lever| (lever.usd.unwrap() * 100.0).round()).collect();
    // The gate reads 10 × 1,000 tokens and writes 10 × 500 with the dear model.
    assert_eq!(usd, [75.0, 15.0, 15.0 + 10.0 + 25.0]);
}

#[test]
fn without_prices_the_cadence_is_still_a_lever_and_the_cheapest_model_has_no_other() {
    let times = times("1d", 10);
    let estimate = Estimate::of(&times, 10, A_RUN);
    let only = levers(&times, &estimate, &Prices::default(), Some("dear"));
    assert_eq!((only.len(), only[0].usd, only[0].tokens), (1, None, estimate.tokens() / 2));
    assert_eq!(levers(&times, &estimate, &prices(), Some("cheap")).len(), 1);
}

fn logged(run: u64, tokens: u64) -> LoggedRun {
    LoggedRun { at: None, run, outcome: "done".into(), tokens }
}

#[test]
fn drift_is_the_mean_of_the_log_against_the_estimate_with_a_bar_for_each_run() {
    let runs = [(1, 500), (2, 2_000), (3, 2_000)];
    let runs = runs.map(|(run, tokens)| logged(run, tokens)).to_vec();
    let drift = Drift::of(&RunLog { runs, is_torn: false }, 1_000).unwrap();
    assert_eq!((drift.runs, drift.mean, drift.percent), (3, 1_500, 50));
    let full = format!("{}|{}", "#".repeat(20), "#".repeat(19));
    let expect = format!(
        "   run#1 {}{}|{} 500\n   run#2 {full}  2000\n   run#3 {full}  2000\n",
        "#".repeat(10),
        " ".repeat(10),
        " ".repeat(20)
    );
    assert_eq!(drift.plot(), expect);
    assert_eq!(Drift::of(&RunLog::default(), 1_000), None);
}

#[test]
fn absurd_figures_neither_overflow_nor_divide_by_zero() {
    let huge = RunTokens { input: u64::MAX, output: u64::MAX };
    let estimate = Estimate::of(&times("1m", 366), 366, huge);
    assert_eq!(estimate.tokens(), u64::MAX);
    let log = RunLog { runs: vec![logged(1, u64::MAX); 3], is_torn: false };
    let drift = Drift::of(&log, 0).unwrap();
    assert_eq!(drift.mean, u64::MAX);
    assert_eq!(drift.plot().lines().count(), 3);
    assert_eq!(Estimate::of(&[], 30, A_RUN).tokens(), 0);
}
