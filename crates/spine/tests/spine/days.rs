use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::{Timestamp, ToSpan};
use subcortex_spine::{
    Appended, Cursor, Day, Durability, Item, Reader, compress_old_days, remove_expired_days,
};
use subcortex_store::{FaultyDisk, RealDisk};

use crate::common::{Home, keyed, message, now};

fn append_at(home: &Home, text: &str, when: &str) {
    let when: Timestamp = when.parse().unwrap();
    home.spine().append(vec![message(text)], when, Durability::Written).unwrap();
}

fn names(home: &Home) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(home.dirs().events)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    names
}

#[test]
fn a_line_goes_to_the_utc_day_of_its_append() {
    let home = Home::new();
    append_at(&home, "late", "2026-03-01T23:59:59.999Z");
    append_at(&home, "early", "2026-03-02T00:00:00Z");
    assert_eq!(names(&home), ["2026-03-01.jsonl", "2026-03-02.jsonl"]);
    assert_eq!(home.texts(), ["late", "early"]);
}

#[test]
fn a_clock_that_is_set_back_does_not_write_where_readers_have_been() {
    let home = Home::new();
    append_at(&home, "one", "2026-03-02T00:00:00Z");
    append_at(&home, "two", "1970-01-01T00:00:00Z");
    append_at(&home, "three", "2026-03-01T00:00:00Z");
    append_at(&home, "four", "2026-03-03T00:00:00Z");
    assert_eq!(names(&home), ["2026-03-02.jsonl", "2026-03-03.jsonl"]);
    assert_eq!(home.texts(), ["one", "two", "three", "four"]);
}

#[test]
fn old_days_are_compressed_and_read_like_the_others() {
    let home = Home::new();
    append_at(&home, "old", "2026-02-01T00:00:00Z");
    append_at(&home, "older than seven days", "2026-02-21T00:00:00Z");
    append_at(&home, "seven days", "2026-02-22T00:00:00Z");
    append_at(&home, "today", "2026-03-01T00:00:00Z");
    let done = compress_old_days(&mut home.spine(), now(), 7).unwrap();
    assert_eq!(done.len(), 2);
    assert_eq!(
        names(&home),
        ["2026-02-01.jsonl.zst", "2026-02-21.jsonl.zst", "2026-02-22.jsonl", "2026-03-01.jsonl"]
    );
    assert_eq!(home.texts(), ["old", "older than seven days", "seven days", "today"]);
    assert_eq!(home.verify().damaged, []);
    assert_eq!(compress_old_days(&mut home.spine(), now(), 7).unwrap(), []);
}

#[test]
fn a_day_that_changes_while_it_is_compressed_stays() {
    let prepare = || {
        let home = Home::new();
        append_at(&home, "old", "2026-02-01T00:00:00Z");
        append_at(&home, "today", "2026-03-01T00:00:00Z");
        home
    };
    let quiet = Arc::new(FaultyDisk::counting(RealDisk));
    compress_old_days(&mut prepare().spine_on(quiet.clone()), now(), 7).unwrap();
    let is_removal = |call: &String| call.contains(" remove ") && call.contains("2026-02-01.jsonl");
    let removal = quiet.log().iter().position(is_removal).unwrap() as u64 + 1;
    // The call before the removal is the last look.
    for at_call in 1..removal {
        let home = prepare();
        let plain = home.dirs().events.join("2026-02-01.jsonl");
        let by_hand = r#"{"id":"x","ts":"2026-02-01T00:00:02Z","type":"channel.message","source":{"kind":"me"},"payload":{"text":"by hand"}}"#;
        let line = std::fs::read_to_string(&plain).unwrap();
        let disk = FaultyDisk::interrupted(RealDisk, at_call, move || {
            std::fs::write(&plain, format!("{line}{by_hand}\n")).unwrap();
        });
        // Refused or done: either way nothing is lost.
        drop(compress_old_days(&mut home.spine_on(Arc::new(disk)), now(), 7));
        assert_eq!(home.texts(), ["old", "by hand", "today"], "call {at_call}");
    }
}

#[test]
fn a_position_in_a_day_survives_its_compression() {
    let home = Home::new();
    append_at(&home, "one", "2026-02-01T00:00:00Z");
    append_at(&home, "two", "2026-02-01T00:00:01Z");
    append_at(&home, "three", "2026-03-01T00:00:00Z");
    let mut reader = Reader::open(Arc::new(RealDisk), &home.dirs().events, None).unwrap();
    reader.read(|_, _| ControlFlow::Break(())).unwrap();
    let cursor: Cursor = reader.cursor().cloned().unwrap();
    compress_old_days(&mut home.spine(), now(), 7).unwrap();
    let mut count = 0;
    Reader::open(Arc::new(RealDisk), &home.dirs().events, Some(cursor))
        .unwrap()
        .read(|_, item| {
            count += u32::from(matches!(item, Item::Record { .. }));
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(count, 2);
}

#[test]
fn duplicates_of_compressed_and_of_expired_days_are_still_recognised() {
    let home = Home::new();
    let old: Timestamp = "2026-02-01T00:00:00Z".parse().unwrap();
    home.spine().append(vec![keyed("x", "s/1")], old, Durability::Written).unwrap();
    for day in ["2026-02-27", "2026-02-28", "2026-03-01"] {
        append_at(&home, "later", &format!("{day}T00:00:00Z"));
    }
    let again =
        |home: &Home| home.spine().append(vec![keyed("x", "s/1")], now(), Durability::Written).unwrap();
    compress_old_days(&mut home.spine(), now(), 7).unwrap();
    assert_eq!(again(&home), [Appended::Duplicate]);
    let removed = remove_expired_days(&mut home.spine(), now(), 20).unwrap();
    assert_eq!(removed.len(), 1);
    assert_eq!(again(&home), [Appended::Duplicate]);
}

#[test]
fn nothing_is_removed_before_its_time_and_never_the_newest_days() {
    let home = Home::new();
    append_at(&home, "x", "2026-02-01T00:00:00Z");
    let much_later = now() + 24_000.hours();
    assert!(remove_expired_days(&mut home.spine(), much_later, 1).unwrap().is_empty());
    for day in ["2026-02-27", "2026-02-28", "2026-03-01"] {
        append_at(&home, day, &format!("{day}T00:00:00Z"));
    }
    assert_eq!(Day::of(now()).to_string(), "2026-03-01");
    assert!(remove_expired_days(&mut home.spine(), now(), 26).unwrap().is_empty());
    assert_eq!(remove_expired_days(&mut home.spine(), now(), 25).unwrap().len(), 1);
    assert!(remove_expired_days(&mut home.spine(), much_later, 25).unwrap().is_empty());
    assert_eq!(home.texts(), ["2026-02-27", "2026-02-28", "2026-03-01"]);
}

#[test]
fn a_clock_that_is_wrong_for_a_day_or_two_removes_nothing_then_or_later() {
    let home = Home::new();
    let days = ["2026-02-27", "2026-02-28", "2026-03-01"];
    days.iter().for_each(|day| append_at(&home, day, &format!("{day}T00:00:00Z")));
    for wrong in ["2027-04-01T00:00:00Z", "2027-04-02T00:00:00Z"] {
        append_at(&home, "wrong", wrong);
        let now: Timestamp = wrong.parse().unwrap();
        assert!(remove_expired_days(&mut home.spine(), now, 30).unwrap().is_empty());
    }
    assert!(remove_expired_days(&mut home.spine(), now(), 30).unwrap().is_empty());
    assert_eq!(home.texts().len(), 5);
}
