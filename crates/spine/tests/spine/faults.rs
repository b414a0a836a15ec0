//! The N-th call to the disk fails, for every N.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use subcortex_spine::{Durability, Spine, SpineDirs, compress_old_days, verify};

use subcortex_store::{CrashDisk, Fault, FaultKind, FaultyDisk, RealDisk, Then};

use crate::common::{Home, keyed, message, now};

/// Runs `work` with every single call failing in every way, and `look` at what is left each time.
fn every_fault(
    prepare: impl Fn(&Home),
    work: impl Fn(&Home, Arc<FaultyDisk>) -> bool,
    look: impl Fn(&Home, bool),
) {
    let mut points = 0;
    for kind in FaultKind::ALL {
        for then in Then::ALL {
            for at_call in 1.. {
                let home = Home::in_memory();
                prepare(&home);
                let disk = Arc::new(FaultyDisk::new(RealDisk, Fault { at_call, kind, then }));
                let succeeded = work(&home, Arc::clone(&disk));
                look(&home, succeeded);
                points += 1;
                if disk.call_count() < at_call {
                    break;
                }
            }
        }
    }
    println!("{points} points of failure");
}

#[test]
fn an_append_is_whole_or_absent_whichever_call_fails() {
    every_fault(
        |home| home.append("before"),
        |home, disk| home.spine_on(disk).append(vec![keyed("new", "s/1")], now(), Durability::Synced).is_ok(),
        |home, succeeded| {
            home.append("after");
            let texts = home.texts();
            if succeeded {
                assert_eq!(texts, ["before", "new", "after"]);
            } else {
                // A failing sync may leave the record: nobody was told that it is safe, and it is whole.
                let whole_or_absent = texts == ["before", "after"] || texts == ["before", "new", "after"];
                assert!(whole_or_absent, "{texts:?}");
            }
            assert_eq!(home.verify().damaged, []);
            let stored = texts.iter().any(|text| text == "new");
            let again = home.spine().append(vec![keyed("new", "s/1")], now(), Durability::Synced).unwrap();
            let is_duplicate = again == [subcortex_spine::Appended::Duplicate];
            assert_eq!(stored, is_duplicate, "never lost, never doubled");
        },
    );
}

#[test]
fn a_repair_can_be_cut_short_anywhere_and_is_then_done_again() {
    // The second record of its log, because it stands behind one here.
    let whole = {
        let home = Home::new();
        home.append("first");
        let first = std::fs::read(home.day_file()).unwrap().len();
        home.append("whole");
        std::fs::read(home.day_file()).unwrap().split_off(first)
    };
    let whole_line = &whole[..whole.len() - 1];
    let tails: [Vec<u8>; 4] = [
        b"{\"id\":\"torn".to_vec(),
        whole_line.to_vec(),
        [&whole_line[..50], &whole].concat(),
        vec![0; 5000],
    ];
    for tail in tails {
        let holds_record = tail.windows(5).any(|window| window == b"whole");
        every_fault(
            |home| {
                home.append("before");
                let bytes = [std::fs::read(home.day_file()).unwrap(), tail.clone()].concat();
                std::fs::write(home.day_file(), bytes).unwrap();
            },
            |home, disk| home.spine_on(disk).append(vec![message("new")], now(), Durability::Synced).is_ok(),
            |home, succeeded| {
                home.append("after");
                let mut texts = home.texts();
                texts.retain(|text| text != "new" || succeeded);
                let mut expect = vec!["before"];
                if holds_record {
                    expect.push("whole");
                }
                if succeeded {
                    expect.push("new");
                }
                expect.push("after");
                assert_eq!(texts, expect);
                assert_eq!(home.verify().damaged, []);
            },
        );
    }
}

#[test]
fn compressing_a_day_loses_nothing_whichever_call_fails() {
    every_fault(
        |home| {
            let old = "2026-02-01T00:00:00Z".parse().unwrap();
            home.spine().append(vec![message("old")], old, Durability::Synced).unwrap();
            home.append("new");
        },
        |home, disk| compress_old_days(&mut home.spine_on(disk), now(), 7).is_ok(),
        |home, _| {
            assert_eq!(home.texts(), ["old", "new"]);
            compress_old_days(&mut home.spine(), now(), 7).unwrap();
            assert_eq!(home.texts(), ["old", "new"]);
            assert_eq!(home.verify().damaged, []);
        },
    );
}

#[test]
fn after_a_failed_sync_the_writer_is_poisoned_and_never_tries_again() {
    // The sync is the one call whose failure says so; find it, then see that a second append is refused.
    for at_call in 1.. {
        let home = Home::new();
        let fault = Fault { at_call, kind: FaultKind::Eio, then: Then::Once };
        let disk = Arc::new(FaultyDisk::new(RealDisk, fault));
        let mut spine = home.spine_on(Arc::clone(&disk) as _);
        match spine.append(vec![message("x")], now(), Durability::Synced) {
            Err(error) if error.is_poisoned() => {
                let second = spine.append(vec![message("y")], now(), Durability::Synced).unwrap_err();
                assert!(second.is_poisoned(), "{second}");
                return;
            }
            Err(_) => {}
            Ok(_) => panic!("no call of an append was its sync"),
        }
    }
}

/// A disk on which no directory can be opened for a sync, because too many files are open, until there is room.
fn without_descriptors(has_room: &Arc<AtomicBool>) -> FaultyDisk {
    const EMFILE: i32 = 24;
    let has_room = Arc::clone(has_room);
    FaultyDisk::asking(RealDisk, move |call, _| {
        if call == "sync_dir" && !has_room.load(Ordering::Relaxed) {
            return Err(io::Error::from_raw_os_error(EMFILE));
        }
        Ok(())
    })
}

#[test]
fn too_many_open_files_are_no_failed_sync() {
    let home = Home::new();
    let has_room = Arc::new(AtomicBool::new(false));
    let mut spine = home.spine_on(Arc::new(without_descriptors(&has_room)));
    // The first event of a day syncs the folder, too.
    let error = spine.append(vec![message("x")], now(), Durability::Synced).unwrap_err();
    assert!(!error.is_poisoned(), "{error}");
    assert!(error.to_string().contains("too many files are open"), "{error}");
    has_room.store(true, Ordering::Relaxed);
    let again = spine.append(vec![message("x")], now(), Durability::Synced);
    assert!(again.is_ok(), "the writer is not poisoned: {again:?}");
    assert_eq!(home.texts(), ["x"], "what failed left nothing");
}

#[test]
fn after_a_sync_a_power_cut_takes_nothing_that_was_only_written() {
    let next_day = "2026-03-02T00:00:01Z".parse().unwrap();
    for seed in 0..100 {
        let dirs = SpineDirs::below(Path::new("/home/var"));
        let disk = CrashDisk::new(&dirs.events);
        let mut spine = Spine::new(Arc::new(disk.clone()), dirs.clone(), "this-boot".into());
        spine.append(vec![message("before midnight")], now(), Durability::Written).unwrap();
        spine.append(vec![message("after midnight")], next_day, Durability::Written).unwrap();
        spine.sync(next_day).unwrap();
        let found = verify(&disk.power_cut(seed), &dirs.events).unwrap();
        assert_eq!((found.records, found.damaged.len()), (2, 0), "seed {seed}");
    }
}
