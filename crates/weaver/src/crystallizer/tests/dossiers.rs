#![allow(clippy::disallowed_methods)] // Somebody else's hands on our files.

use subcortex_memory::{SignalKind, Trajectory};

use super::{World, about, against, removal, said};

#[test]
fn what_recurs_in_two_sessions_gets_a_page_and_once_does_not() {
    let world = World::new("");
    world.add(&[
        said(0, 1, SignalKind::Preference, "I like `rg` for searching"),
        said(1, 1, SignalKind::Preference, "I like `rg` for searching"),
    ]);
    assert_eq!(world.run().dossiers_made.len(), 0, "one session");
    world.add(&[said(2, 2, SignalKind::Preference, "I like `rg` for searching!")]);
    let made = world.run().dossiers_made;
    assert_eq!(made.len(), 2, "{made:?}");
    let topic = world.dossier("memory/topics/");
    let body = topic.split_once("---\n# ").map(|(_, body)| body.to_owned()).unwrap();
    assert!(body.contains("## What it is now\n\n- what people want: \"I like \\`rg\\` for searching!\"\n- said 3 times in 2 sessions\n"), "{topic}");
    assert!(body.contains("## Stance\n\n- preference: \"I like"), "{topic}");
    assert!(
        body.contains("## Trend\n\n- first 2026-01-01, last 2026-01-01\n- by month: 2026-01: 3\n"),
        "{topic}"
    );
    assert_eq!(body.matches("\n- memory/fragments/2026-01-01/").count(), 3, "{topic}");
    let entity = world.dossier("memory/entities/rg-");
    assert!(entity.starts_with("---\nkind: entity\nslug: rg-"), "{entity}");
    assert!(entity.contains("people name it: 3 times in 2 sessions"), "{entity}");
    assert_eq!(world.run().changed, [""; 0]);
}

#[test]
fn a_standing_instruction_needs_no_second_session() {
    let world = World::new("");
    world.add(&[said(0, 1, SignalKind::StandingInstruction, "from now on always squash commits")]);
    assert_eq!(world.run().dossiers_made.len(), 1);
    assert!(world.dossier("memory/topics/").contains("no line of the broadcast says it"));
}

#[test]
fn the_words_of_a_line_that_people_contradict_survive_it() {
    let mut world = World::new("- Use pnpm, not npm.\n");
    let hash = world.line_hash(0);
    world.add(&[against(0, 0, (1, &hash), "no, npm here"), against(1, 1, (1, &hash), "npm, not pnpm!")]);
    world.run();
    let before = world.dossier("memory/topics/use-pnpm-not-npm-");
    assert!(before.contains("- a line that people contradict: \"- Use pnpm, not npm.\"\n"), "{before}");
    world.journal.edits.push(removal("edit_7", &hash, "- Use pnpm, not npm."));
    world.compiled = "".into();
    world.run();
    let after = world.dossier("memory/topics/use-pnpm-not-npm-");
    assert!(after.contains("## Pointers\n\n- retired by edit edit_7\n"), "{after}");
    assert!(after.contains("- correction: \"npm, not pnpm!\"\n- correction: \"no, npm here\"\n"), "{after}");
}

#[test]
fn a_pointer_without_a_page_gets_one_as_soon_as_there_is_evidence() {
    let world = World::new(
        "- Never push to main, see [[topic-push]] and [[topic-lesson-x]] and [[entity-ci]] and [[topic-..]].\n- See [[topic-quiet]].\n",
    );
    world.run();
    assert_eq!(world.product().len(), 1);
    std::fs::create_dir_all(world.path("memory/topics")).unwrap();
    std::fs::write(world.path("memory/topics/entity-ci.md"), "ours").unwrap();
    world.add(&[about(0, 0, (1, &world.line_hash(0)), Trajectory::Strengthening)]);
    assert_eq!(world.run().dossiers_made, ["memory/topics/push.md"]);
    assert!(world.dossier("memory/topics/push").contains("followed 1 of 1: keep"));
    world.add(&[about(1, 1, (1, &world.line_hash(0)), Trajectory::Strengthening)]);
    world.run();
    assert!(world.dossier("memory/topics/push").contains("followed 2 of 2: keep"));
}

#[test]
fn a_page_that_a_person_changed_is_never_touched_again() {
    let world = World::new("");
    world.add(&[said(0, 1, SignalKind::StandingInstruction, "from now on always squash commits")]);
    let path = world.run().dossiers_made.remove(0);
    let edited = world.dossier(&path) + "\nMy own words.\n";
    world.write(&path, &edited);
    world.add(&[said(1, 2, SignalKind::StandingInstruction, "from now on always squash commits")]);
    assert!(!world.run().changed.contains(&path));
    std::fs::remove_dir_all(world.path("memory/fragments")).unwrap();
    assert_eq!(world.run().outlived, [path.as_str()]);
    assert_eq!(world.dossier(&path), edited);
}

#[test]
fn a_page_goes_with_its_evidence_and_those_of_others_stay() {
    let world = World::new("");
    world.add(&[said(0, 1, SignalKind::StandingInstruction, "from now on always squash commits")]);
    let path = world.run().dossiers_made.remove(0);
    std::fs::write(world.path("memory/topics/lesson-x.md"), world.dossier(&path)).unwrap();
    std::fs::write(world.path("memory/topics/mine.md"), "mine").unwrap();
    std::fs::remove_dir_all(world.path("memory/fragments")).unwrap();
    let changed = world.run().changed;
    assert!(changed.contains(&path), "{changed:?}");
    let left: Vec<String> = world.product().into_keys().collect();
    assert_eq!(
        left,
        [
            "memory/effectiveness/CLAUDE-md-effectiveness.md",
            "memory/topics/lesson-x.md",
            "memory/topics/mine.md"
        ]
    );
}

#[test]
fn twenty_pages_are_made_a_run_and_the_rest_waits() {
    let world = World::new("");
    let wishes: Vec<_> = (0..45)
        .map(|at| {
            said(
                at,
                at,
                SignalKind::StandingInstruction,
                &format!("always greet the visitor number{at} kindly"),
            )
        })
        .collect();
    world.add(&wishes);
    let counts: Vec<(usize, usize)> =
        (0..4).map(|_| world.run()).map(|done| (done.dossiers_made.len(), done.dossiers_waiting)).collect();
    assert_eq!(counts, [(20, 25), (20, 5), (5, 0), (0, 0)]);
}

#[test]
fn names_are_safe_and_of_one_thing_alone() {
    use crate::crystallizer::dossier::slug;
    let check = |words: &str, expect: &str| {
        let slug = slug(words, words);
        assert_eq!(slug.rsplit_once('-').unwrap().0, expect);
        assert!(subcortex_guard::check_basename(&format!("{slug}.md")).is_ok());
    };
    check("../../etc/passwd", "etc-passwd");
    check("Use `pnpm`, not npm.", "use-pnpm-not-npm");
    check("日本", "about");
    check("lesson x", "about-lesson-x");
    check("lesson", "about-lesson");
    check(&"word ".repeat(50), "word-word-word-word-word-word-word-word");
    assert_ne!(slug("a b", "thing a b"), slug("a-b", "thing a-b"));
}
