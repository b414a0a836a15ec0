//! A broadcast that an editor has away for a moment, and lines that a person never saw.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod support;

use std::path::PathBuf;

use jiff::SignedDuration;
use serde_json::json;
use subcortex_weaver::{WeaveError, Woven, reflect};
use support::World;

const OWN: &str = "- Keep functions small.\n- Name things well.\n";

fn world() -> World {
    let mut world = World::with(OWN);
    world.shop.settings.min_rewrite_interval = SignedDuration::ZERO;
    world
}

/// A person wishes for something, and the weaver runs after it.
fn wished(world: &mut World, session: &str, text: &str) -> Result<Woven, WeaveError> {
    world.minutes_pass(1);
    world.person(session, text);
    world.event("claude", "agent.result", session, json!({ "text": "Done." }));
    world.event("claude", "agent.session_end", session, json!({}));
    world.minutes_pass(1);
    reflect(&world.shop, &|| false)
}

fn text(world: &World) -> String {
    std::fs::read_to_string(file(world)).unwrap()
}

fn file(world: &World) -> PathBuf {
    world.shop.folder.broadcast()
}

#[test]
fn a_file_that_is_away_for_a_moment_is_not_written_anew() {
    let mut world = world();
    wished(&mut world, "s1", "From now on never push to main.").unwrap();
    let backup = world.home.path("memory/CLAUDE.md~");
    std::fs::rename(file(&world), &backup).unwrap();
    let away = wished(&mut world, "s2", "From now on, always run `make check` before you commit.");
    let why = away.unwrap_err();
    assert!(why.is_busy() && why.to_string().contains("make an empty file"), "{why}");
    assert!(!file(&world).exists(), "nothing stands in the way of the editor");
    std::fs::rename(&backup, file(&world)).unwrap();
    let back = reflect(&world.shop, &|| false).unwrap();
    assert!(back.result.starts_with("UPDATED"), "{}", back.result);
    assert!(text(&world).starts_with(OWN) && text(&world).contains("make check"), "{}", text(&world));
}

#[test]
fn a_person_who_empties_the_file_begins_anew() {
    let mut world = world();
    wished(&mut world, "s1", "From now on never push to main.").unwrap();
    std::fs::write(file(&world), "").unwrap();
    let anew = wished(&mut world, "s2", "From now on, always run `make check` before you commit.").unwrap();
    assert!(anew.result.starts_with("UPDATED"), "{}", anew.result);
    std::fs::write(file(&world), "").unwrap();
    wished(&mut world, "s3", "good morning").unwrap();
    std::fs::remove_file(file(&world)).unwrap();
    let again = wished(&mut world, "s4", "From now on, always run `make docs` before you push.").unwrap();
    assert!(again.result.starts_with("BOOTSTRAPPED"), "an empty file is no loss: {}", again.result);
}

#[test]
fn a_line_that_nobody_saw_was_not_taken_out_by_hand() {
    const WISH: &str = "From now on, always run `make check` before you commit.";
    for is_seen in [false, true] {
        let mut world = world();
        wished(&mut world, "s0", "good morning").unwrap();
        wished(&mut world, "s1", WISH).unwrap();
        assert!(text(&world).contains("make check"));
        if is_seen {
            wished(&mut world, "s2", "good morning").unwrap();
        }
        // An editor that had read the file before saves what it has.
        std::fs::write(file(&world), OWN).unwrap();
        let again = wished(&mut world, "s3", WISH).unwrap();
        assert_eq!(text(&world).contains("make check"), !is_seen, "{}", again.report);
        assert_eq!(again.report.contains("memory/proposals"), is_seen, "{}", again.report);
    }
}
