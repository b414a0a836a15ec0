//! How edits reach the files: limits, a person's edit in between, the line of the priority file.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use subcortex_memory::{Journal, SignalKind};
use subcortex_store::{FaultyDisk, RealDisk};

use super::world::World;
use crate::updater::{Request, recover, update};

use SignalKind::StandingInstruction;

const WEB: &str = "/home/x/web";

/// Saves the file in a thread of its own, since whoever opens it for writing may have to wait for the weaver's lease.
fn save(path: PathBuf, by_renaming: bool) -> JoinHandle<()> {
    let writer = std::thread::spawn(move || {
        if by_renaming {
            let beside = path.with_extension("editor");
            std::fs::write(&beside, "- Mine alone.\n").unwrap();
            std::fs::rename(&beside, &path).unwrap();
        } else {
            std::fs::write(&path, "- Mine alone.\n").unwrap();
        }
    });
    let since = Instant::now();
    while !writer.is_finished() && since.elapsed() < Duration::from_millis(30) {
        std::thread::yield_now();
    }
    writer
}

#[test]
fn a_person_who_saves_at_any_moment_of_an_edit_wins() {
    let (mut conflicts, mut made) = (0, 0);
    for (by_renaming, at_call) in [true, false].iter().flat_map(|kind| (1..80).map(move |at| (*kind, at))) {
        let mut world = World::with("- Keep functions small.\n");
        world.wish("s1", WEB, StandingInstruction, "never push to main");
        let (broadcast, tally) = (world.compiled(), world.tally());
        let path = world.shop.folder.broadcast();
        let saving: Arc<Mutex<Option<JoinHandle<()>>>> = Arc::default();
        let begun = Arc::clone(&saving);
        let edit = move || *begun.lock().unwrap() = Some(save(path, by_renaming));
        let disk = Arc::new(FaultyDisk::interrupted(RealDisk, at_call, edit));
        world.shop.disk = disk.clone();
        let updated =
            update(&world.shop, &broadcast, &tally, &Journal::default(), &Request::Reflective).unwrap();
        world.shop.disk = Arc::new(RealDisk);
        let Some(writer) = saving.lock().unwrap().take() else { continue };
        writer.join().unwrap();
        recover(&world.shop).unwrap();
        assert_eq!(world.text(), "- Mine alone.\n", "{by_renaming} {at_call}: {}", disk.log().join("\n"));
        if updated.result.starts_with("UPDATED") {
            made += 1;
        } else {
            let kept = updated.result.starts_with("PARTIAL_UPDATE: memory/CLAUDE.md was edited meanwhile; ")
                || updated.result.starts_with("PARTIAL_UPDATE: somebody is writing memory/CLAUDE.md; ");
            assert!(kept, "{at_call} {updated:?}");
            assert!(world.journal().edits.is_empty());
            conflicts += 1;
        }
        let names: Vec<_> = std::fs::read_dir(world.shop.folder.root()).unwrap().flatten().collect();
        let left = names.iter().find(|name| name.path().extension().is_some_and(|end| end == "aside"));
        assert!(left.is_none(), "{left:?}");
        assert!(!world.shop.folder.root().join("journal.pending.json").exists());
    }
    assert!(conflicts > 40 && made > 5, "{conflicts} {made}");
}

#[test]
fn an_edit_waits_while_somebody_holds_the_file_open_for_writing() {
    let mut world = World::with("- Keep functions small.\n");
    world.wish("s1", WEB, StandingInstruction, "never push to main");
    let open = std::fs::OpenOptions::new().append(true).open(world.shop.folder.broadcast()).unwrap();
    let updated = world.run();
    assert_eq!(
        updated.result,
        "PARTIAL_UPDATE: somebody is writing memory/CLAUDE.md; nothing of this edit was written, and the next run decides anew."
    );
    drop(open);
    assert!(world.run().result.starts_with("UPDATED"));
}

#[test]
fn a_link_stays_a_link_and_the_file_behind_it_keeps_its_mode() {
    let mut world = World::with("");
    let dotfiles = tempfile::tempdir().unwrap();
    let target = dotfiles.path().join("rules.md");
    std::fs::write(&target, "- Keep functions small.\n").unwrap();
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&target, world.shop.folder.broadcast()).unwrap();
    world.wish("s1", WEB, StandingInstruction, "never push to main");
    let updated = world.run();
    assert!(updated.result.starts_with("UPDATED"), "{updated:?}");
    assert!(world.shop.folder.broadcast().is_symlink());
    assert!(std::fs::read_to_string(&target).unwrap().contains("Never push to main"));
    assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(std::fs::read_dir(dotfiles.path()).unwrap().count(), 1, "nothing is left beside it");
    crate::updater::revert(&world.shop, &updated.edit.unwrap().id).unwrap();
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "- Keep functions small.\n");
}

#[test]
fn a_file_with_hard_links_is_not_parted_from_them_and_edits_are_proposed() {
    let mut world = World::with("- Keep functions small.\n");
    let twin = world.shop.folder.root().join("AGENTS.md");
    std::fs::hard_link(world.shop.folder.broadcast(), &twin).unwrap();
    world.wish("s1", WEB, StandingInstruction, "never push to main");
    let updated = world.run();
    assert!(updated.result.starts_with("UPDATED: memory/proposals: 1 edit"), "{updated:?}");
    let why = updated.held_back.iter().find(|why| why.contains("its 2 names (hard links)"));
    assert!(why.is_some_and(|why| why.starts_with("edits are only proposed: ")), "{updated:?}");
    assert_eq!(world.text(), "- Keep functions small.\n");
    assert_eq!(std::fs::read_to_string(&twin).unwrap(), "- Keep functions small.\n");
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
