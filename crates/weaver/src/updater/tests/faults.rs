//! Every fault at every call: an edit is in the broadcast and in the journal, or in neither.

use std::sync::Arc;

use subcortex_memory::SignalKind;
use subcortex_store::{Fault, FaultKind, FaultyDisk, RealDisk, Then};

use super::world::{Side, World};
use crate::CompiledBroadcast;
use crate::updater::{Forgetting, Request, forget, recover, revert, update};

const WEB: &str = "/home/x/web";
const BEFORE: &str = "- Use yarn.\n- Be kind.\n";
const AFTER: &str = "- Never use yarn.\n- Be kind.\n\n## Project: /home/x/web\n\n- Never push to main.\n";

fn world() -> World {
    let mut world = World::with(BEFORE);
    world.about(
        "Use yarn",
        Side::Against,
        "s1",
        "/home/x/api",
        SignalKind::StandingInstruction,
        "never use yarn",
    );
    world.wish("s1", WEB, SignalKind::StandingInstruction, "never push to main");
    world
}

/// Runs `work` with each of these faults at every call, and hands the world that is left to `look`.
fn for_every_fault(
    kinds: &[FaultKind],
    make: impl Fn() -> World,
    work: impl Fn(&World) -> bool,
    look: impl Fn(World, bool, &str),
) {
    let mut hits = 0;
    for kind in kinds.iter().copied() {
        for at_call in 1.. {
            let mut world = make();
            let disk = Arc::new(FaultyDisk::new(RealDisk, Fault { at_call, kind, then: Then::Once }));
            world.shop.disk = disk.clone();
            let done = work(&world);
            world.shop.disk = Arc::new(RealDisk);
            hits += usize::from(disk.was_hit());
            let story = format!("{kind:?} at {at_call}, done: {done}\n{}", disk.log().join("\n"));
            look(world, done, &story);
            if !disk.was_reached() {
                break;
            }
        }
    }
    assert!(hits > 30, "{hits}");
}

#[test]
fn an_edit_is_whole_or_absent_and_made_once_whichever_call_fails() {
    let work = |world: &World| {
        let real = Arc::new(RealDisk);
        let read = crate::Workshop { disk: real, ..world.shop.clone() };
        let (broadcast, _) = CompiledBroadcast::read(&*read.disk, &read.folder).unwrap();
        update(&world.shop, &broadcast, &world.tally(), &Default::default(), &Request::Reflective).is_ok()
    };
    for_every_fault(
        &[FaultKind::Eio, FaultKind::ShortWrite, FaultKind::Crash],
        world,
        work,
        |world, done, story| {
            let text = world.text();
            assert!(text == BEFORE || text == AFTER, "{text:?} {story}");
            if done {
                assert_eq!((text.as_str(), world.journal().edits.len()), (AFTER, 1), "{story}");
            }
            let made = text == AFTER;
            recover(&world.shop).unwrap();
            assert_eq!(world.journal().edits.len(), usize::from(made), "{story}");
            // The next run ends where an undisturbed one would.
            world.run();
            assert_eq!(world.text(), AFTER, "{story}");
            assert_eq!(world.journal().edits.len(), 1, "{story}");
            assert!(!world.shop.folder.root().join("journal.pending.json").exists(), "{story}");
            let edit = world.journal().edits.remove(0);
            revert(&world.shop, &edit.id).unwrap();
            assert_eq!(world.text(), BEFORE, "{story}");
        },
    );
}

#[test]
fn forgetting_can_be_asked_for_again_after_any_fault() {
    let make = || {
        let world = world();
        world.run();
        world
    };
    let work = |world: &World| forget(&world.shop, "s1", Forgetting::ForReal).is_ok();
    for_every_fault(&[FaultKind::Crash], make, work, |world, _, story| {
        forget(&world.shop, "s1", Forgetting::ForReal).unwrap();
        assert_eq!(world.text(), BEFORE, "{story}");
        assert_eq!(world.tally(), crate::Tally::default(), "{story}");
        assert!(world.run().result.starts_with("NO-OP"), "{story}");
        let words =
            world.everything().into_iter().find(|(_, text)| text.to_lowercase().contains("push to main"));
        assert_eq!(words, None, "{story}");
    });
}

#[test]
fn a_persons_edit_after_a_crash_does_not_hide_that_the_edit_was_made() {
    for at_call in 1.. {
        let mut world = world();
        let disk = Arc::new(FaultyDisk::new(
            RealDisk,
            Fault { at_call, kind: FaultKind::Crash, then: Then::FromThenOn },
        ));
        let (broadcast, tally) = (world.compiled(), world.tally());
        world.shop.disk = disk.clone();
        let _died = update(&world.shop, &broadcast, &tally, &Default::default(), &Request::Reflective);
        world.shop.disk = Arc::new(RealDisk);
        let made = world.text() == AFTER;
        std::fs::write(world.shop.folder.broadcast(), format!("- Mine.\n{}", world.text())).unwrap();
        recover(&world.shop).unwrap();
        assert_eq!(world.journal().edits.len(), usize::from(made), "{at_call}");
        if !disk.was_reached() {
            break;
        }
    }
}
