use std::path::Path;
use std::sync::Arc;

use subcortex_memory::{Fragment, SignalKind, Trajectory};
use subcortex_store::{CrashDisk, Fault, FaultKind, FaultyDisk, Then};

use super::{World, about, against, said, shop};
use crate::crystallizer::crystallize;

const RULES: &str = "- Use pnpm, not npm.\n- Never push to main, see [[topic-push]].\n";
const HOME: &str = "/home/x/.subcortex";

fn first(world: &World) -> Vec<Fragment> {
    vec![
        about(0, 0, (2, &world.line_hash(1)), Trajectory::Strengthening),
        against(1, 1, (1, &world.line_hash(0)), "no, `npm` here"),
        said(2, 2, SignalKind::StandingInstruction, "from now on always squash commits"),
    ]
}

fn second(world: &World) -> Vec<Fragment> {
    vec![
        against(70, 3, (1, &world.line_hash(0)), "`npm`, not pnpm!"),
        said(71, 4, SignalKind::StandingInstruction, "from now on always squash commits"),
    ]
}

/// A home after a first run, with new evidence that waits for the second.
fn before(disk: &CrashDisk) -> World {
    let world = World::on(Arc::new(disk.clone()), Path::new(HOME), RULES);
    world.add(&first(&world));
    world.run();
    world.add(&second(&world));
    world
}

#[test]
fn a_kill_or_a_power_cut_between_any_two_calls_ends_in_the_same_bytes() {
    let disk = CrashDisk::new(Path::new(HOME));
    let calm = before(&disk);
    calm.run();
    let expect = calm.product();
    assert!(expect.len() >= 5, "{:?}", expect.keys());

    for at_call in 1.. {
        let disk = CrashDisk::new(Path::new(HOME));
        let world = before(&disk);
        let fault = Fault { at_call, kind: FaultKind::Crash, then: Then::FromThenOn };
        let faulty = Arc::new(FaultyDisk::new(disk.clone(), fault));
        let killed = shop(faulty.clone(), Path::new(HOME));
        let _ended = crystallize(&killed, &world.compiled, &world.journal, &|| false);
        for seed in 0..3 {
            let after = disk.power_cut(seed);
            let next = World::on(Arc::new(after), Path::new(HOME), RULES);
            next.run();
            assert_eq!(
                product_without_temporaries(&next),
                expect,
                "power cut at call {at_call}, seed {seed}"
            );
        }
        world.run();
        assert_eq!(product_without_temporaries(&world), expect, "kill at call {at_call}");
        if !faulty.was_reached() {
            return;
        }
    }
}

#[test]
fn a_failing_call_is_an_error_or_harmless_and_the_next_run_ends_in_the_same_bytes() {
    let disk = CrashDisk::new(Path::new(HOME));
    let calm = before(&disk);
    calm.run();
    let expect = calm.product();
    for kind in [FaultKind::Eio, FaultKind::Enospc, FaultKind::ShortWrite] {
        for at_call in 1.. {
            let disk = CrashDisk::new(Path::new(HOME));
            let world = before(&disk);
            let faulty = Arc::new(FaultyDisk::new(disk.clone(), Fault { at_call, kind, then: Then::Once }));
            let hit = shop(faulty.clone(), Path::new(HOME));
            let _ended = crystallize(&hit, &world.compiled, &world.journal, &|| false);
            world.run();
            assert_eq!(product_without_temporaries(&world), expect, "{kind:?} at call {at_call}");
            if !faulty.was_reached() {
                break;
            }
        }
    }
}

fn product_without_temporaries(world: &World) -> std::collections::BTreeMap<String, String> {
    let mut product = world.product();
    product.retain(|path, _| !path.contains("/."));
    product
}
