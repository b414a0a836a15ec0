//! How edits reach the files: limits, a person's edit in between, the line of the priority file.

use std::sync::Arc;

use subcortex_memory::{Journal, SignalKind};
use subcortex_store::{FaultyDisk, RealDisk};

use super::world::World;
use crate::updater::{Request, update};

use SignalKind::StandingInstruction;

const WEB: &str = "/home/x/web";

#[test]
fn a_person_who_edits_meanwhile_wins_whenever_it_happens() {
    let mut calls = 0;
    for at_call in 1.. {
        let mut world = World::with("- Keep functions small.\n");
        world.wish("s1", WEB, StandingInstruction, "never push to main");
        let (broadcast, tally) = (world.broadcast(), world.tally());
        let path = world.shop.folder.broadcast();
        let edit = move || std::fs::write(&path, "- Mine alone.\n").unwrap();
        let disk = Arc::new(FaultyDisk::interrupted(RealDisk, at_call, edit));
        world.shop.disk = disk.clone();
        let updated =
            update(&world.shop, &broadcast, &tally, &Journal::default(), &Request::Reflective).unwrap();
        world.shop.disk = Arc::new(RealDisk);
        let log = disk.log();
        let swap = log.iter().position(|call| call.contains("rename to") && call.contains("CLAUDE.md"));
        if disk.call_count() < at_call {
            break;
        }
        calls += 1;
        let call = usize::try_from(at_call).unwrap() - 1;
        if swap == Some(call) {
            continue; // the moment between the last look and the rename, which no file system closes
        }
        if swap.is_some_and(|swap| swap < call) {
            assert!(updated.result.starts_with("UPDATED"), "{updated:?}");
        } else {
            assert!(
                updated.result.starts_with("PARTIAL_UPDATE: memory/CLAUDE.md was edited meanwhile; "),
                "{at_call} {updated:?}"
            );
            assert!(world.journal().edits.is_empty());
        }
        assert_eq!(world.text(), "- Mine alone.\n", "{at_call}");
        assert!(!world.shop.folder.root().join("journal.pending.json").exists());
    }
    assert!(calls > 10, "{calls}");
}

#[test]
fn an_edit_never_makes_the_broadcast_longer_than_it_may_be() {
    let text: String = (0..198).map(|at| format!("- Keep module number{at} small.\n")).collect();
    let mut world = World::with(&text);
    // A section takes three lines more: no room.
    world.wish("s1", WEB, StandingInstruction, "never push to main");
    let updated = world.run();
    assert!(updated.result.starts_with("NO-OP: memory/fragments/"), "{updated:?}");
    assert!(
        updated
            .held_back
            .iter()
            .any(|why| why.ends_with("would have 202 lines, and at most 200 are allowed")),
        "{updated:#?}"
    );
    assert_eq!(world.text(), text);

    let text = format!("- Keep {} small.\n", "x".repeat(24_990));
    let mut world = World::with(&text);
    world.wish("s1", WEB, StandingInstruction, "never push to main");
    assert!(world.run().held_back.iter().any(|why| why.contains("at most 25000 are allowed")));
    assert_eq!(world.text(), text);
}

#[test]
fn the_priority_line_is_put_first_and_never_twice() {
    let world = World::with("- Use yarn.\r\n@priority.md\r\n");
    assert_eq!(world.run().result, "NO-OP: no ledger entry asks for a change.");
    std::fs::write(world.shop.folder.priority(), "- Mine.\n").unwrap();
    let updated = world.run();
    assert!(
        updated.result.starts_with(
            "UPDATED: memory/CLAUDE.md: 0 added, 0 rewritten, 0 removed, `@priority.md` put first"
        ),
        "{updated:?}"
    );
    assert_eq!(world.text(), "@priority.md\r\n- Use yarn.\r\n");
    assert!(world.run().result.starts_with("NO-OP"));
}

#[test]
fn a_file_that_ends_in_an_open_code_block_gets_no_line_that_nobody_would_read() {
    let mut world = World::with("- Use yarn.\n```\nopen\n");
    world.wish("s1", WEB, StandingInstruction, "never push to main");
    let updated = world.run();
    assert!(updated.held_back.iter().any(|why| why.contains("code block or a comment")), "{updated:#?}");
    assert_eq!(world.text(), "- Use yarn.\n```\nopen\n");
}

#[test]
fn a_pointer_enters_only_when_its_dossier_exists() {
    let mut world = World::with("- Use yarn.\n");
    world.wish("s1", WEB, StandingInstruction, "always read [[topic-deploys]] before deploying");
    assert!(world.run().held_back[0].contains("points to a dossier that does not exist"));
    std::fs::write(world.shop.folder.topics().join("deploys.md"), "x").unwrap();
    assert!(world.run().result.starts_with("UPDATED"));
}
