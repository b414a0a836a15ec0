//! What a run leaves for later is done when its time comes, without a new event.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod support;

use serde_json::json;
use subcortex_weaver::{WeaveError, Woven, reflect};
use support::World;

fn wish(world: &mut World, session: &str, text: &str) {
    world.person(session, text);
    world.event("claude", "agent.result", session, json!({ "text": "Done." }));
    world.event("claude", "agent.session_end", session, json!({}));
}

fn run(world: &World) -> Woven {
    reflect(&world.shop, &|| false).unwrap()
}

fn rules(world: &World) -> usize {
    let text = std::fs::read_to_string(world.shop.folder.broadcast()).unwrap();
    text.lines().filter(|line| line.starts_with("- ")).count()
}

#[test]
fn an_edit_that_waits_for_its_interval_says_until_when_and_is_made_then_without_a_new_event() {
    let mut world = World::with("- Keep functions small.\n");
    wish(&mut world, "s1", "From now on never push to main.");
    world.minutes_pass(1);
    assert!(run(&world).result.starts_with("UPDATED"));
    wish(&mut world, "s2", "From now on always use pnpm, not npm.");
    world.minutes_pass(1);
    let waits = run(&world);
    let until = waits.wake_at.expect("the edit waits");
    assert_eq!(rules(&world), 2, "{}", waits.report);
    // A run in between does not forget it.
    world.minutes_pass(60);
    assert_eq!(run(&world).wake_at, Some(until));
    world.shop.now = until;
    assert!(run(&world).result.starts_with("UPDATED"), "no event came since");
    assert_eq!(rules(&world), 3);
    world.minutes_pass(600);
    assert_eq!(run(&world).wake_at, None);
}

#[test]
fn the_twenty_first_of_thirty_instructions_is_added_when_the_interval_is_over() {
    let mut world = World::with("- Keep functions small.\n");
    for n in 0..30 {
        wish(&mut world, &format!("s{n}"), &format!("From now on never edit the file generated_{n}.rs."));
    }
    world.minutes_pass(1);
    let first = run(&world);
    assert_eq!(rules(&world), 21, "{}", first.report);
    let until = world.shop.now + world.shop.settings.min_rewrite_interval;
    // Dossiers are left, too; those need no interval.
    let mut last = first;
    for _ in 0..9 {
        if last.wake_at.is_some_and(|at| at > world.shop.now) {
            break;
        }
        world.minutes_pass(1);
        last = run(&world);
    }
    assert_eq!(last.wake_at, Some(until), "ten wait: {}", last.report);
    world.shop.now = until;
    assert!(run(&world).result.starts_with("UPDATED"));
    assert_eq!(rules(&world), 31);
}

#[test]
fn a_run_that_is_cancelled_after_its_scan_is_finished_by_the_next_one() {
    let mut world = World::with("- Keep functions small.\n");
    wish(&mut world, "s1", "From now on never push to main.");
    world.minutes_pass(1);
    // The scan itself goes through: the order comes when it is over.
    let scanner = world.shop.folder.state("spine-scanner");
    let stopped = reflect(&world.shop, &|| scanner.exists());
    assert!(matches!(stopped, Err(WeaveError::Cancelled)), "{stopped:?}");
    assert!(scanner.exists(), "the position has moved");
    assert!(run(&world).result.starts_with("UPDATED"));
    assert_eq!(rules(&world), 2);
}
