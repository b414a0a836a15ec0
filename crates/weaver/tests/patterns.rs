//! Lessons and grooves: whole arcs only, counted from the pages, linked or not written.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, dead_code)]

mod support;

use subcortex_weaver::patterns::{Tracked, track};
use support::World;

fn run(world: &World) -> Tracked {
    track(&world.shop, &|| false).unwrap()
}

/// Wrong, corrected, kept, and what the person says then.
fn arc(world: &mut World, session: &str, after: &str) {
    world.person(session, "Install the packages for the web app.");
    world.ran(session, "npm install");
    world.person(session, "No, use pnpm instead of npm.");
    world.ran(session, "pnpm install");
    world.person(session, after);
    world.ran(session, "git status");
}

#[test]
fn a_whole_arc_is_one_lesson_that_counts_its_occurrences_and_is_linked() {
    let mut world = World::with("- Keep functions small.\n");
    arc(&mut world, "s1", "Now write the readme.");
    let first = run(&world);
    assert_eq!(first.made.len(), 1, "{first:?}");
    let page = world.file(&first.made[0]);
    assert!(page.contains("pnpm") && page.contains("1 in 1 sessions"), "{page}");
    let slug = first.made[0].trim_start_matches("memory/topics/").trim_end_matches(".md").to_owned();
    assert!(world.file("memory/topics/patterns.md").contains(&format!("[[{slug}]]")));
    assert_eq!(run(&world), Tracked::default(), "the same log says nothing new");

    arc(&mut world, "s2", "Thanks. Now the tests.");
    assert_eq!(run(&world).changed.len(), 1);
    assert!(world.file(&first.made[0]).contains("2 in 2 sessions"));
}

#[test]
fn half_an_arc_is_no_lesson() {
    let mut world = World::with("- Keep functions small.\n");
    arc(&mut world, "s1", "No, that is wrong again, undo it.");
    // Nobody said a rule.
    world.person("s2", "Install the packages.");
    world.ran("s2", "npm install");
    world.person("s2", "Hmm, why npm?");
    world.ran("s2", "pnpm install");
    world.person("s2", "Fine, go on.");
    // It was not done as said.
    world.person("s3", "Install the packages.");
    world.ran("s3", "npm install");
    world.person("s3", "No, use pnpm instead of npm.");
    world.ran("s3", "npm ci");
    world.person("s3", "Now the readme.");
    // It was not wrong.
    world.person("s4", "Install the packages.");
    world.ran("s4", "pnpm install");
    world.person("s4", "Use pnpm instead of npm.");
    world.ran("s4", "pnpm install");
    world.person("s4", "Now the readme.");
    assert_eq!(run(&world), Tracked::default());
    assert!(!world.has("memory/topics/patterns.md"));
}

#[test]
fn a_lesson_that_a_person_speaks_against_later_is_marked() {
    let mut world = World::with("- Keep functions small.\n");
    arc(&mut world, "s1", "Now write the readme.");
    let made = run(&world).made;
    world.person("s2", "Install the packages.");
    world.ran("s2", "pnpm install");
    world.person("s2", "No, use npm instead of pnpm.");
    world.ran("s2", "npm install");
    let second = run(&world);
    assert_eq!(second.changed, made, "{second:?}");
    assert!(world.file(&made[0]).contains("**Contradicted**"));
}

#[test]
fn a_page_that_a_person_changed_is_theirs() {
    let mut world = World::with("- Keep functions small.\n");
    arc(&mut world, "s1", "Now write the readme.");
    let made = run(&world).made;
    let path = world.shop.folder.resolve(&made[0]).unwrap();
    let text = std::fs::read_to_string(&path).unwrap() + "\nOnly in the web app.\n";
    std::fs::write(&path, &text).unwrap();
    arc(&mut world, "s2", "Now the tests.");
    assert_eq!(run(&world), Tracked::default());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_task_that_returns_with_less_effort_each_time_is_a_groove_and_one_that_does_not_is_none() {
    let mut world = World::with("- Keep functions small.\n");
    for (session, detours) in [("s1", 6), ("s2", 3), ("s3", 0)] {
        world.person(session, "Release the next version of the package please.");
        for n in 0..detours {
            world.ran(session, &format!("cat notes-{n}.txt"));
        }
        world.ran(session, "cargo test --all");
        world.ran(session, "git tag v1");
        world.ran(session, "cargo publish");
        world.person(session, "Great. Now something else.");
    }
    for (session, detours) in [("t1", 1), ("t2", 4), ("t3", 2)] {
        world.person(session, "Update the translations of the manual pages.");
        for n in 0..detours {
            world.ran(session, &format!("cat page-{n}.txt"));
        }
        world.ran(session, "make translations");
        world.ran(session, "git commit");
        world.person(session, "Good. Next.");
    }
    let tracked = run(&world);
    assert_eq!(tracked.made.len(), 1, "{tracked:?}");
    let page = world.file(&tracked.made[0]);
    assert!(page.contains("- cargo test\n- git tag\n- cargo publish\n"), "{page}");
    assert!(page.contains("3 in 3 sessions"), "{page}");
}
