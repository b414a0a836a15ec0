//! What people name again and again: from the fourth session on, in their own words, and never a line.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, dead_code)]

mod support;

use subcortex_weaver::CompiledBroadcast;
use subcortex_weaver::crystallizer;
use support::World;

fn works(world: &mut World, session: &str, request: &str) {
    world.person(session, request);
    world.ran(session, "cargo test");
    world.person(session, "thanks");
}

#[test]
fn what_people_name_in_a_fourth_session_is_evidence_and_gets_a_page_and_never_a_line() {
    let mut world = World::with("- Keep functions small.\n");
    world.cwd = Some("/home/x/web".into());
    for session in ["s1", "s2", "s0"] {
        works(
            &mut world,
            session,
            "The tests of src/parser.rs fail, and `description` is wrong, see `make lint-all`.",
        );
        works(&mut world, session, "Look at src/parser.rs again.");
    }
    assert_eq!(world.scan(), "");
    works(&mut world, "s3", "Make src/parser.rs faster. Run `make lint-all` then.");
    let found = world.scan();
    let expect = "none NEW_SIGNAL workflow person `Run `make lint-all` then.`\n\
                  none NEW_SIGNAL artifact person `Make src/parser.rs faster.`";
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&found), sorted(expect));
    works(&mut world, "s3", "And once more src/parser.rs.");
    assert_eq!(world.scan(), "", "once a session");
    works(&mut world, "s4", "What does src/parser.rs do with tabs?");
    assert_eq!(world.scan(), "none NEW_SIGNAL artifact person `What does src/parser.rs do with tabs?`");

    let (broadcast, _) = CompiledBroadcast::read(&*world.shop.disk, &world.shop.folder).unwrap();
    let journal = subcortex_memory::Journal::default();
    crystallizer::crystallize(&world.shop, &broadcast, &journal, &|| false).unwrap();
    let pages: Vec<String> = std::fs::read_dir(world.shop.folder.entities())
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert!(
        pages.iter().any(|page| page.contains("# src/parser.rs") && page.contains("twice in 2 sessions")),
        "{pages:?}"
    );
    let topics = std::fs::read_dir(world.shop.folder.topics()).map_or(0, Iterator::count);
    assert_eq!(topics, 0, "nobody wishes for anything");
    let ledger = std::fs::read_to_string(world.shop.folder.ledger()).unwrap();
    assert!(!ledger.contains("parser.rs"), "{ledger}");
}

#[test]
fn a_subject_that_people_come_back_to_is_evidence_and_a_text_that_is_used_again_is_none() {
    let mut world = World::with("- Keep functions small.\n");
    world.cwd = Some("/home/x/web".into());
    let template = "Commence the holy grail protocol.";
    for (session, request) in [
        ("s1", "The contact point is wrong."),
        ("s2", "Where do we compute the contact point?"),
        ("s3", "I see two of them at the contact point, why?"),
    ] {
        works(&mut world, session, &format!("{template} {request}"));
    }
    assert_eq!(world.scan(), "");
    works(&mut world, "s4", &format!("{template} Draw the contact point in red."));
    assert_eq!(world.scan(), "none NEW_SIGNAL topic person `Draw the contact point in red.`");
    assert_eq!(world.file("memory/CLAUDE.md"), "- Keep functions small.\n");
}

#[test]
fn other_projects_other_peoples_words_and_plain_words_do_not_count() {
    let mut world = World::with("- Keep functions small.\n");
    for (session, project) in [("s1", "/a"), ("s2", "/b"), ("s3", "/c"), ("s4", "/d")] {
        world.cwd = Some(project.into());
        works(&mut world, session, "Look at src/parser.rs.");
    }
    world.cwd = Some("/a".into());
    for session in ["t1", "t2", "t3", "t4", "t5"] {
        world.person(session, "What failed?");
        let answer = serde_json::json!({ "output": "error in src/lexer.rs: see `make all-of-it`" });
        world.event("claude", "agent.tool_result", session, answer);
        world.person(session, "error in src/lexer.rs: see `make all-of-it`");
        world.person(session, "ok, and `true` is `description` in e.g. 1.5");
        world.ran(session, "ls");
    }
    world.minutes_pass(60);
    assert_eq!(world.scan(), "");
}
