//! What a line says already is not said twice, whatever the words; and an order is not lost beside a line that only shares a word with it.

use subcortex_memory::SignalKind;

use super::world::World;
use crate::updater::revert;

use SignalKind::{Correction, StandingInstruction};

const WEB: &str = "/home/x/web";
const API: &str = "/home/x/api";

#[test]
fn a_part_of_a_line_that_holds_for_all_is_neither_added_nor_asked() {
    const MAIN: &str =
        "- Never commit or push to `main`; every change goes through a feature branch and a pull request.\n";
    for words in [
        "I told you never to push to main!",
        "From now on never push to main.",
        "please don't ever commit to main",
        "never commit or push to main",
    ] {
        let mut world = World::with(MAIN);
        world.wish("s1", WEB, StandingInstruction, words);
        world.wish("s2", API, Correction, words);
        let updated = world.run();
        assert_eq!(world.text(), MAIN, "{words}");
        assert_eq!(updated.proposed, Vec::<String>::new(), "{words}");
    }
}

#[test]
fn what_was_taken_back_stays_away_in_other_words_that_were_said_before() {
    let mut world = World::with("- Be kind.\n");
    world.wish("s1", WEB, StandingInstruction, "From now on never push to main.");
    let edit = world.run().edit.unwrap();
    world.wish("s1", WEB, Correction, "I told you never to push to main!");
    revert(&world.shop, &edit.id).unwrap();
    world.later(4);
    let updated = world.run();
    assert_eq!((world.text().as_str(), updated.proposed.len()), ("- Be kind.\n", 0));
}

#[test]
fn an_order_about_a_program_enters_beside_a_line_that_only_calls_it() {
    let before = "- After changing API endpoints, run `pnpm api:generate` and commit the client.\n";
    let mut world = World::with(before);
    world.wish("s1", WEB, StandingInstruction, "From now on always use bun, never pnpm, in this repo.");
    world.run();
    assert_eq!(world.text(), format!("{before}\n## Project: {WEB}\n\n- Always use bun, never pnpm.\n"));
}
