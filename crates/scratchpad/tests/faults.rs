//! Every fault at every call of a cycle, and a power cut after it: the first snapshot is what was read, `active.yaml` is
//! the old one or the new one, and the next start puts in order what was left.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::{Path, PathBuf};

use jiff::{Timestamp, ToSpan};
use subcortex_scratchpad::{Cycle, ScratchpadError, State, read, recover_interrupted, reset};
use subcortex_store::durable::{self, ReadError};
use subcortex_store::{CrashDisk, Disk, Fault, FaultKind, FaultyDisk, Then};

const OLD: &str = "goals: [old]\nnotes: earlier\n";
/// How many ways of losing power are tried after each fault.
const CUTS: u64 = 3;

fn dir() -> PathBuf {
    PathBuf::from("/home/x/weaver/scratchpad")
}

fn quarantine() -> PathBuf {
    PathBuf::from("/home/x/quarantine")
}

fn at(seconds: i64) -> Timestamp {
    "2026-11-14T08:37:00Z".parse::<Timestamp>().unwrap() + seconds.seconds()
}

fn holding_the_old_state() -> CrashDisk {
    let disk = CrashDisk::new(&dir());
    durable::make_dirs(&disk, Path::new("/home/x"), Path::new("quarantine")).unwrap();
    durable::create_new(&disk, &dir().join("active.yaml"), OLD.as_bytes()).unwrap();
    disk
}

fn text(disk: &dyn Disk, name: &str) -> Option<String> {
    match durable::read_text(disk, &dir().join(name), 1 << 20) {
        Ok(text) => Some(text),
        Err(ReadError::Missing { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

/// A whole cycle that changes the state, or fails.
fn cycle(disk: &dyn Disk, fails: bool) -> Result<(), ScratchpadError> {
    let mut cycle = Cycle::begin(disk, &dir(), &quarantine(), at(0))?;
    cycle.state_mut().scratchpad = "new".into();
    let ended = if fails { cycle.fail(disk, "exit code 1", at(1)) } else { cycle.finish(disk, at(1)) };
    ended.map(|_| ())
}

fn is_old(state: &State) -> bool {
    state.scratchpad.is_empty() && state.notes == "earlier" && state.last_updated.is_none()
}

fn is_new(state: &State, fails: bool) -> bool {
    let changed = if fails {
        state.scratchpad.is_empty() && state.notes == "earlier\nCycle 20261114_083700 failed: exit code 1"
    } else {
        state.scratchpad == "new" && state.notes == "earlier"
    };
    changed && state.last_updated.as_deref() == Some("2026-11-14T08:37:01.000Z")
}

/// Looks at what a cycle left, and at what the next start makes of it.
fn judge(disk: &CrashDisk, fails: bool, ended_well: bool, story: &str) {
    let before = text(disk, "20261114_083700_before.yaml");
    assert!(before.as_deref().is_none_or(|text| text == OLD), "{before:?} {story}");
    let active = read(disk, &dir()).unwrap();
    assert_eq!(active.problem, None, "{story}");
    assert!(is_old(&active.state) || is_new(&active.state, fails), "{:?} {story}", active.state);
    assert!(!ended_well || is_new(&active.state, fails), "a cycle that ended well came undone: {story}");
    if is_new(&active.state, fails) {
        assert!(before.is_some() && text(disk, "20261114_083700_after.yaml").is_some(), "{story}");
    }

    let was_cut_short = before.is_some() && text(disk, "20261114_083700_after.yaml").is_none();
    let recovered = recover_interrupted(disk, &dir(), &quarantine(), at(60)).unwrap();
    assert_eq!(recovered.len(), usize::from(was_cut_short), "{story}");
    let state = read(disk, &dir()).unwrap().state;
    let notes = state.notes.matches("Cycle 20261114_083700 failed: ").count();
    assert!(notes <= 1 && state.notes.starts_with("earlier"), "{state:?} {story}");
    assert_eq!(notes, usize::from(was_cut_short || (fails && is_new(&active.state, fails))), "{story}");

    let next = Cycle::begin(disk, &dir(), &quarantine(), at(120)).unwrap();
    let next_before = text(disk, &format!("{}_before.yaml", next.id()));
    assert_eq!(next_before, text(disk, "active.yaml"), "{story}");
    next.finish(disk, at(121)).unwrap();
}

#[test]
fn a_cycle_leaves_the_old_or_the_new_state_whichever_call_fails() {
    let mut hits = 0;
    for (fails, kind, then) in [false, true].into_iter().flat_map(|fails| {
        FaultKind::ALL.into_iter().flat_map(move |kind| Then::ALL.map(|then| (fails, kind, then)))
    }) {
        for at_call in 1.. {
            let below = holding_the_old_state();
            let disk = FaultyDisk::new(below.clone(), Fault { at_call, kind, then });
            let ended = cycle(&disk, fails);
            let story = format!("{kind:?} {then:?} {ended:?}\n{}", disk.log().join("\n"));
            for seed in 0..CUTS {
                judge(&below.power_cut(seed), fails, ended.is_ok(), &story);
            }
            judge(&below, fails, ended.is_ok(), &story);
            hits += usize::from(disk.was_hit());
            if !disk.was_reached() {
                break;
            }
        }
    }
    assert!(hits > 300, "{hits}");
}

#[test]
fn a_reset_that_dies_anywhere_leaves_the_old_state_or_none_and_its_snapshot() {
    for at_call in 1.. {
        let below = holding_the_old_state();
        let fault = Fault { at_call, kind: FaultKind::Crash, then: Then::FromThenOn };
        let disk = FaultyDisk::new(below.clone(), fault);
        let done = reset(&disk, &dir(), &quarantine(), at(0));
        for seed in 0..CUTS {
            let after = below.power_cut(seed);
            let state = read(&after, &dir()).unwrap().state;
            assert!(is_old(&state) || state.goals.is_empty(), "{state:?}");
            assert!(done.is_err() || state.goals.is_empty(), "a reset came undone: {state:?}");
            if state.goals.is_empty() {
                assert_eq!(text(&after, "20261114_083700_before.yaml").as_deref(), Some(OLD));
            }
            reset(&after, &dir(), &quarantine(), at(9)).unwrap();
            assert!(read(&after, &dir()).unwrap().state.goals.is_empty());
        }
        if !disk.was_reached() {
            break;
        }
    }
}

#[test]
fn a_recovery_that_is_itself_cut_short_is_done_anew_and_notes_once() {
    for at_call in 1.. {
        let below = holding_the_old_state();
        drop(Cycle::begin(&below, &dir(), &quarantine(), at(0)).unwrap());
        drop(Cycle::begin(&below, &dir(), &quarantine(), at(1)).unwrap());
        let fault = Fault { at_call, kind: FaultKind::Crash, then: Then::FromThenOn };
        let disk = FaultyDisk::new(below.clone(), fault);
        let recovered = recover_interrupted(&disk, &dir(), &quarantine(), at(60));
        for seed in 0..CUTS {
            let after = below.power_cut(seed);
            recover_interrupted(&after, &dir(), &quarantine(), at(61)).unwrap();
            let notes = read(&after, &dir()).unwrap().state.notes;
            assert_eq!(
                notes,
                "earlier\nCycle 20261114_083700 failed: the daemon ended during it\nCycle 20261114_083701 failed: the daemon ended during it",
                "{recovered:?} {}",
                disk.log().join("\n")
            );
            assert!(
                text(&after, "20261114_083700_after.yaml").is_some()
                    && text(&after, "20261114_083701_after.yaml").is_some()
            );
        }
        if !disk.was_reached() {
            break;
        }
    }
}

#[test]
fn a_broken_file_is_in_one_place_or_the_other_whichever_call_is_the_last() {
    for at_call in 1.. {
        let below = CrashDisk::new(&dir());
        durable::make_dirs(&below, Path::new("/home/x"), Path::new("quarantine")).unwrap();
        durable::create_new(&below, &dir().join("active.yaml"), b"goals: [").unwrap();
        let disk =
            FaultyDisk::new(below.clone(), Fault { at_call, kind: FaultKind::Crash, then: Then::FromThenOn });
        let begun = Cycle::begin(&disk, &dir(), &quarantine(), at(0));
        for seed in 0..CUTS {
            let after = below.power_cut(seed);
            let here = text(&after, "active.yaml").is_some_and(|text| text == "goals: [");
            let there = after.list(&quarantine()).unwrap().len() == 1;
            assert!(here != there, "{begun:?}\n{}", disk.log().join("\n"));
        }
        if !disk.was_reached() {
            break;
        }
    }
}
