//! How many secrets are found: fakes of every kind in every place.

mod corpus;

use std::collections::{BTreeMap, BTreeSet};

use subcortex_guard::Redactor;

const SEEDS: std::ops::Range<u64> = 1..4;
/// Of all cases together.
const RECALL_MIN_PER_CENT: f64 = 98.0;
/// Of any single kind, so that a kind cannot hide behind the others.
const KIND_MIN_PER_CENT: f64 = 90.0;
const KINDS_MIN: usize = 100;
const PLACES_MIN: usize = 10;

#[test]
fn secrets_of_every_kind_are_found_in_every_place() {
    let redactor = Redactor::new();
    let mut totals: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut missed: BTreeMap<(&str, &str), (usize, String)> = BTreeMap::new();
    for case in SEEDS.flat_map(corpus::cases) {
        let clean = redactor.text(&case.text);
        let (count, found) = totals.entry(case.kind).or_default();
        *count += 1;
        if case.is_leaked_by(&clean) {
            let entry = missed.entry((case.kind, case.place)).or_insert_with(|| (0, clean.into_owned()));
            entry.0 += 1;
        } else {
            *found += 1;
        }
    }
    let count: usize = totals.values().map(|(count, _)| count).sum();
    let found: usize = totals.values().map(|(_, found)| found).sum();
    let recall = per_cent(found, count);
    println!("{count} cases of {} kinds, {found} found: recall {recall:.2} %", totals.len());
    for ((kind, place), (times, example)) in &missed {
        println!("missed {times} x {kind} / {place}: {example:?}");
    }
    assert!(totals.len() >= KINDS_MIN, "only {} kinds", totals.len());
    assert!(recall >= RECALL_MIN_PER_CENT, "recall {recall:.2} %");
    for (kind, (count, found)) in totals {
        assert!(per_cent(found, count) >= KIND_MIN_PER_CENT, "{kind}: {found} of {count}");
    }
}

#[test]
fn every_kind_with_a_form_or_a_name_is_met_in_ten_places_or_more() {
    let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut draw = corpus::draw::Draw::seeded(1);
    for case in corpus::formed::cases(&mut draw).into_iter().chain(corpus::named::cases(&mut draw)) {
        places.entry(case.kind).or_default().insert(case.place);
    }
    for (kind, places) in places {
        assert!(places.len() >= PLACES_MIN, "{kind}: {}", places.len());
    }
}

#[test]
fn redacting_twice_is_redacting_once() {
    let redactor = Redactor::new();
    for case in corpus::cases(7) {
        let once = redactor.text(&case.text).into_owned();
        assert_eq!(redactor.text(&once), once, "{} / {}", case.kind, case.place);
    }
}

#[test]
fn json_stays_json() {
    let redactor = Redactor::new();
    for case in corpus::cases(8) {
        if serde_json::from_str::<serde_json::Value>(&case.text).is_ok() {
            let clean = redactor.text(&case.text);
            assert!(serde_json::from_str::<serde_json::Value>(&clean).is_ok(), "{clean}");
        }
    }
}

fn per_cent(part: usize, whole: usize) -> f64 {
    part as f64 * 100.0 / whole as f64
}
