//! Several writers and readers at once, on the real disk.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::Folder;
use crate::RealDisk;
use crate::durable::{self, WriteError};

const WRITERS: usize = 8;
const ROUNDS: usize = 30;

/// Runs the same action in several threads at once, in each round, and counts who won.
fn winners(action: impl Fn(usize, usize) -> Result<(), WriteError> + Sync) -> Vec<usize> {
    let counts: Vec<AtomicUsize> = (0..ROUNDS).map(|_| AtomicUsize::new(0)).collect();
    let barrier = Barrier::new(WRITERS);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (counts, barrier, action) = (&counts, &barrier, &action);
            scope.spawn(move || {
                for (round, count) in counts.iter().enumerate() {
                    barrier.wait();
                    match action(round, writer) {
                        Ok(()) => _ = count.fetch_add(1, Ordering::Relaxed),
                        Err(
                            WriteError::Exists { .. }
                            | WriteError::Missing { .. }
                            | WriteError::Conflict { .. },
                        ) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
    counts.into_iter().map(AtomicUsize::into_inner).collect()
}

#[test]
fn of_several_who_make_the_same_file_exactly_one_wins_and_its_content_stands() {
    let folder = Folder::new();
    let won = std::sync::Mutex::new(vec![String::new(); ROUNDS]);
    let counts = winners(|round, writer| {
        let content = format!("content of writer {writer}");
        durable::create_new(&RealDisk, &folder.at(&format!("f{round}")), content.as_bytes())?;
        won.lock().unwrap()[round] = content;
        Ok(())
    });
    assert_eq!(counts, vec![1; ROUNDS]);
    for (round, content) in won.into_inner().unwrap().into_iter().enumerate() {
        assert_eq!(std::fs::read_to_string(folder.at(&format!("f{round}"))).unwrap(), content);
    }
    assert!(!folder.look().contains("TEMPORARY"));
}

#[test]
fn of_several_who_bootstrap_the_same_file_exactly_one_wins() {
    let folder = Folder::new();
    let counts = winners(|round, writer| {
        let path = folder.at(&format!("f{round}"));
        durable::replace_if_unchanged(&RealDisk, &path, None, format!("{writer}").as_bytes())
    });
    assert_eq!(counts, vec![1; ROUNDS]);
}

#[test]
fn of_several_who_claim_the_same_file_exactly_one_gets_it() {
    let folder = Folder::new();
    for round in 0..ROUNDS {
        std::fs::write(folder.at(&format!("t{round}")), "task").unwrap();
    }
    let counts = winners(|round, writer| {
        durable::claim(&RealDisk, &folder.at(&format!("t{round}")), &folder.at(&format!("t{round}.{writer}")))
    });
    assert_eq!(counts, vec![1; ROUNDS]);
    assert_eq!(std::fs::read_dir(folder.0.path()).unwrap().count(), ROUNDS);
}

#[test]
fn a_reader_sees_whole_contents_only_while_others_replace_and_sweep() {
    const SIZE: usize = 20_000;
    let folder = Folder::with(&[("f", &"0".repeat(SIZE))]);
    let path = folder.at("f");
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = ["1", "2", "3"]
            .into_iter()
            .map(|digit| {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..ROUNDS {
                        durable::replace(&RealDisk, path, digit.repeat(SIZE).as_bytes()).unwrap();
                    }
                })
            })
            .collect();
        let reader = scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                let text = durable::read_text(&RealDisk, &path, SIZE as u64).unwrap();
                assert_eq!(text, text[..1].repeat(SIZE));
                // A sweep beside living writers takes nothing from them.
                assert!(durable::sweep_temporaries(&RealDisk, folder.0.path()).unwrap().is_empty());
            }
        });
        let outcomes: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        is_done.store(true, Ordering::Relaxed);
        reader.join().unwrap();
        outcomes.into_iter().for_each(|outcome| outcome.unwrap());
    });
    assert!(!folder.look().contains("TEMPORARY"));
}
