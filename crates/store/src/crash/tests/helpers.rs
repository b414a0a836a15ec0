//! The durable helpers under power cuts: what was acknowledged is there, what was under way is whole or absent.

use std::collections::BTreeMap;

use subcortex_testkit::Random;

use super::*;
use crate::durable::WriteError;
use crate::faulty::{Fault, FaultKind, FaultyDisk, Then};

const SEEDS: u64 = 10_000;
/// How many times in a row the power fails, each time during the work after the last recovery.
const CUTS: usize = 3;
const OPERATIONS: usize = 8;
/// More than the calls of all operations: in some cases the power fails only when all is done.
const MAX_CALLS: usize = 70;
const LOG: &str = "log";
const NAMES: [&str; 4] = ["f", "g", "d/f", "d/g"];

type Files = BTreeMap<String, Vec<u8>>;

/// What must be found after the next cut.
#[derive(Debug, Clone, Default)]
struct Promised {
    files: Files,
    /// The operation under way would lead to these.
    under_way: Option<Files>,
    /// Synced records of the log.
    log: Vec<u8>,
}

/// Does one random operation and keeps account of what was acknowledged. `false` when the process died.
fn operate(disk: &FaultyDisk, promised: &mut Promised, dice: &mut Random) -> bool {
    let name = NAMES[dice.below(NAMES.len())];
    let new = format!("{:016x}", dice.bits()).repeat(1 + dice.below(3)).into_bytes();
    let mut files = promised.files.clone();
    let old = files.get(name).cloned();
    let kind = dice.below(7);
    match kind {
        0..=2 => _ = files.insert(name.to_owned(), new.clone()),
        3 | 5 => _ = files.remove(name),
        4 => {
            let to = format!("claimed-{}", dice.bits());
            if let Some(content) = files.remove(name) {
                files.insert(to.clone(), content);
            }
            promised.under_way = Some(files);
            let outcome = durable::claim(disk, &at(name), &at(&to));
            return finish(disk, promised, outcome, |error| matches!(error, WriteError::Missing { .. }));
        }
        _ => return log_one(disk, promised, &new),
    }
    promised.under_way = Some(files);
    match kind {
        0 => finish(disk, promised, durable::replace(disk, &at(name), &new), |_| false),
        1 => {
            let outcome = durable::replace_if_unchanged(disk, &at(name), old.as_deref(), &new);
            finish(disk, promised, outcome, |_| false)
        }
        2 => finish(disk, promised, durable::create_new(disk, &at(name), &new), |error| {
            matches!(error, WriteError::Exists { .. })
        }),
        5 => {
            let outcome = durable::remove_if_unchanged(disk, &at(name), &old.unwrap_or_default());
            finish(disk, promised, outcome.map(|_| ()), |_| false)
        }
        _ => finish(disk, promised, durable::remove(disk, &at(name)).map(|_| ()), |_| false),
    }
}

/// Takes over what an operation acknowledged. A refusal that the state explains changes nothing.
fn finish(
    disk: &FaultyDisk,
    promised: &mut Promised,
    outcome: Result<(), WriteError>,
    is_refusal: fn(&WriteError) -> bool,
) -> bool {
    match outcome {
        Ok(()) => promised.files = promised.under_way.take().unwrap(),
        Err(error) if is_refusal(&error) => promised.under_way = None,
        Err(error) => {
            assert!(disk.was_hit(), "{error}");
            return false;
        }
    }
    true
}

/// Appends a record and syncs it.
fn log_one(disk: &dyn Disk, promised: &mut Promised, record: &[u8]) -> bool {
    let work = || -> io::Result<()> {
        let file = disk.open(&at(LOG), OpenMode::Append)?;
        durable::append(&*file, promised.log.len() as u64, record).map_err(io::Error::other)?;
        file.sync()
    };
    let is_acknowledged = work().is_ok();
    if is_acknowledged {
        promised.log.extend_from_slice(record);
    }
    is_acknowledged
}

/// Everything that is on the disk, temporary files and the log aside.
fn files_on(disk: &CrashDisk) -> Files {
    let mut found = Files::new();
    for dir in ["", "d/"] {
        for name in disk.list(&at(dir)).unwrap() {
            let name = format!("{dir}{}", name.to_str().unwrap());
            if name != "d" && name != LOG && !name.ends_with(".tmp") {
                found.insert(name.clone(), durable::read(disk, &at(&name), 1 << 20).unwrap());
            }
        }
    }
    found
}

/// Compares, and brings the account up to date with what the cut decided.
#[track_caller]
fn judge(disk: &CrashDisk, promised: &mut Promised, story: impl Fn() -> String) {
    for dir in ["", "d"] {
        durable::finish_replacements(disk, &at(dir)).unwrap();
    }
    let found = files_on(disk);
    let is_whole = found == promised.files || promised.under_way.as_ref() == Some(&found);
    assert!(is_whole, "found {found:?}\npromised {promised:?}\n{}", story());
    promised.files = found;
    promised.under_way = None;
    let log = durable::read(disk, &at(LOG), 1 << 20).unwrap();
    assert!(log.starts_with(&promised.log), "an acknowledged record is damaged\n{}", story());
}

/// What a start after a cut does: cuts the tail of the log, removes temporary files.
fn recover(disk: &CrashDisk, promised: &Promised) {
    let log = disk.open(&at(LOG), OpenMode::ReadWrite).unwrap();
    log.truncate(promised.log.len() as u64).unwrap();
    log.sync().unwrap();
    for dir in ["", "d"] {
        durable::sweep_temporaries(disk, &at(dir)).unwrap();
        let is_swept =
            disk.list(&at(dir)).unwrap().iter().all(|name| !name.to_string_lossy().ends_with(".tmp"));
        assert!(is_swept, "temporary files are left");
    }
}

fn run(seed: u64) {
    let mut dice = Random::seeded(seed);
    let mut disk = disk();
    durable::make_dirs(&disk, Path::new(HOME), Path::new("d")).unwrap();
    durable::create_new(&disk, &at(LOG), b"").unwrap();
    let mut promised = Promised::default();
    for cut in 0..CUTS {
        let at_call = 1 + dice.below(MAX_CALLS) as u64;
        let fault = Fault { at_call, kind: FaultKind::Crash, then: Then::FromThenOn };
        let faulty = FaultyDisk::new(disk.clone(), fault);
        for _ in 0..OPERATIONS {
            if !operate(&faulty, &mut promised, &mut dice) {
                break;
            }
        }
        disk = disk.power_cut(dice.bits());
        judge(&disk, &mut promised, || format!("seed {seed}, cut {cut}\n{}", faulty.log().join("\n")));
        recover(&disk, &promised);
    }
}

#[test]
fn what_was_acknowledged_survives_every_power_cut_and_nothing_is_ever_half() {
    for seed in 0..SEEDS {
        run(seed);
    }
}

#[test]
#[ignore = "some minutes, with --release: the same with a million seeds"]
fn what_was_acknowledged_survives_a_million_power_cuts() {
    for seed in SEEDS..1_000_000 {
        run(seed);
    }
}

#[test]
fn directories_that_were_made_survive_also_when_their_maker_died_before_the_sync() {
    for at_call in 1..10 {
        let disk = disk();
        let fault = Fault { at_call, kind: FaultKind::Crash, then: Then::FromThenOn };
        let _ = durable::make_dirs(&FaultyDisk::new(disk.clone(), fault), Path::new(HOME), Path::new("a/b"));
        // The process is dead, the power is on: the next one finds what is there and goes on.
        durable::make_dirs(&disk, Path::new(HOME), Path::new("a/b")).unwrap();
        durable::create_new(&disk, &at("a/b/f"), b"content").unwrap();
        assert_eq!(after_cuts(&disk, "a/b/f"), ["content"], "call {at_call}");
    }
}
