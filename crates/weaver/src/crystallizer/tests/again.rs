#![allow(clippy::disallowed_methods)] // Somebody else's hands on our files.
//! What is remembered of earlier runs saves work and changes nothing.

use std::collections::BTreeMap;

use subcortex_memory::{Fragment, SignalKind, Trajectory};
use subcortex_testkit::Random;

use super::{World, about, against, said};

const RULES: &str = "- Use pnpm, not npm.\n- Never push to main, see [[topic-push]].\n";

fn fragment(world: &World, event: usize, random: &mut Random) -> Fragment {
    let (one, two) = (world.line_hash(0), world.line_hash(1));
    let session = random.below(6);
    match random.below(6) {
        0 => about(event, session, (1, &one), Trajectory::Strengthening),
        1 => about(event, session, (2, &two), Trajectory::Weakening),
        2 => against(event, session, (1, &one), "use `npm`, I said"),
        3 => said(event, session, SignalKind::Correction, &format!("look at src/part{}.rs", random.below(9))),
        4 => said(
            event,
            session,
            SignalKind::Correction,
            &format!("squash commits in `repo-{}`", random.below(4)),
        ),
        _ => {
            let text = format!("always use tool{}, see [[topic-push]]", random.below(5));
            said(event, session, SignalKind::StandingInstruction, &text)
        }
    }
}

/// One of the files below a folder.
fn any_file(world: &World, folder: &str, random: &mut Random) -> Option<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![world.path(folder)];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    (!found.is_empty()).then(|| found.swap_remove(random.below(found.len())))
}

/// What happens between two runs: new evidence, and people at their files.
fn happen(world: &World, event: &mut usize, random: &mut Random) {
    for _ in 0..random.below(12) {
        *event += 1;
        world.add(&[fragment(world, *event, random)]);
    }
    let pages = if random.chance(0.5) { "memory/entities" } else { "memory/topics" };
    match random.below(12) {
        0 => drop(any_file(world, "memory/fragments", random).map(std::fs::remove_file)),
        1 => drop(any_file(world, pages, random).map(std::fs::remove_file)),
        2 => drop(any_file(world, pages, random).map(|page| std::fs::write(page, "# Mine\n\n[[topic-x]]\n"))),
        3 => drop(any_file(world, pages, random).map(|page| {
            let text = std::fs::read_to_string(&page).unwrap();
            std::fs::write(page, text.replacen("# ", "# My ", 1))
        })),
        // A crash, or somebody who tidies up.
        4 => drop(any_file(world, "var/index", random).map(std::fs::remove_file)),
        5 => drop(any_file(world, "var/index", random).map(|index| std::fs::write(index, "{"))),
        _ => {}
    }
}

/// Two homes to which the same happens; one of them forgets between any two runs.
fn live(seed: u64) -> BTreeMap<String, String> {
    let [with, without] = [World::new(RULES), World::new(RULES)];
    let mut draw = Random::seeded(seed);
    let (mut here, mut there) = (0, 0);
    for _ in 0..25 {
        let turn = draw.bits();
        happen(&with, &mut here, &mut Random::seeded(turn));
        happen(&without, &mut there, &mut Random::seeded(turn));
        drop(std::fs::remove_dir_all(without.path("var/index")));
        with.run();
        without.run();
        assert_eq!(with.product(), without.product(), "seed {seed}");
    }
    with.product()
}

#[test]
fn ledger_and_dossiers_are_the_same_with_what_is_remembered_and_without() {
    for seed in 0..6 {
        assert!(live(seed).keys().any(|path| path.contains("/entities/")), "seed {seed}");
    }
}

#[test]
fn a_page_that_nothing_was_said_about_is_not_read_again() {
    let world = World::new(RULES);
    for event in 0..40 {
        let text = format!("look at src/part{}.rs", event % 10);
        world.add(&[said(event, event, SignalKind::Correction, &text)]);
    }
    world.run();
    let page = any_file(&world, "memory/entities", &mut Random::seeded(1)).unwrap();
    // As long as its file looks the same nobody opens it: what stands in it now is not noticed.
    let (text, stamp) =
        (std::fs::read_to_string(&page).unwrap(), std::fs::metadata(&page).unwrap().modified().unwrap());
    std::fs::write(&page, "x".repeat(text.len())).unwrap();
    std::fs::File::options().write(true).open(&page).unwrap().set_modified(stamp).unwrap();
    world.add(&[said(100, 100, SignalKind::Correction, "look at other.rs")]);
    assert_eq!(world.run().changed.len(), 1, "only the ledger");
}
