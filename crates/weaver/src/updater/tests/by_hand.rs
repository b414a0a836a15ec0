//! What people write with a command, a part of an edit that they take back, and wishes that they do not want again.

use subcortex_memory::{Broadcast, Cause, ChangeKind, Journal, LineHash, Proposal, SignalKind};

use super::world::{Side, World};
use crate::BroadcastMode;
use crate::updater::draft::MAX_LINES;
use crate::updater::{
    BESIDE, ByHand, DecisionError, Refused, reject, revert, revert_part, unseen_edits, write_by_hand,
};

use SignalKind::{Preference, StandingInstruction};

const WEB: &str = "/home/x/web";

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, DecisionError>) -> Refused {
    match result.unwrap_err() {
        DecisionError::Refused(refused) => refused,
        DecisionError::Weave(error) => panic!("{error}"),
    }
}

fn hash(world: &World, number: usize) -> LineHash {
    Broadcast::parse(world.text()).by_number(number).unwrap().hash.clone()
}

fn add<'a>(text: &'a str, project: Option<&'a str>) -> ByHand<'a> {
    ByHand::Add { text, project }
}

#[test]
fn a_rule_is_added_changed_and_removed_and_each_step_goes_back() {
    let mut world = World::with("- Be kind.\n");
    let added = write_by_hand(&world.shop, add("  - Never push to main. ", None)).unwrap();
    assert_eq!((added.cause, world.text()), (Cause::Person, "- Be kind.\n- Never push to main.\n".into()));
    write_by_hand(&world.shop, add("Use pnpm, not npm.", Some(WEB))).unwrap();
    assert!(world.text().ends_with("## Project: /home/x/web\n\n- Use pnpm, not npm.\n"), "{}", world.text());
    let line = hash(&world, 2);
    let changed =
        write_by_hand(&world.shop, ByHand::Rewrite { line: &line, text: "Never push to master." }).unwrap();
    assert!(world.text().contains("- Never push to master.\n") && !world.text().contains("main"));
    let line = hash(&world, 2);
    let removed = write_by_hand(&world.shop, ByHand::Remove { line: &line }).unwrap();
    assert!(!world.text().contains("push"));
    for edit in [&removed, &changed] {
        revert(&world.shop, &edit.id).unwrap();
    }
    assert!(world.text().contains("- Never push to main.\n"), "{}", world.text());
    assert!(!unseen_edits(&world.shop).unwrap().iter().any(|edit| edit.cause == Cause::Person));
    // A person's rule is on no trial, and no run of the weaver touches it.
    let text = world.text();
    world.later(4).run();
    assert_eq!(world.text(), text);
}

#[test]
fn what_stands_there_already_is_gone_or_too_much_is_refused_and_nothing_is_written() {
    let world = World::with("- Be kind.\n- Use pnpm, not npm.\n");
    let before = world.files();
    let said = refused(write_by_hand(&world.shop, add("Always use pnpm, not npm.", None)));
    assert!(matches!(&said, Refused::SaidAlready { number: 2, .. }), "{said}");
    let said = refused(write_by_hand(&world.shop, add("Use pnpm, not npm.", Some(WEB))));
    assert!(matches!(said, Refused::SaidAlready { .. }), "what holds everywhere holds there: {said}");
    let (kind, pnpm) = (hash(&world, 1), hash(&world, 2));
    let same = ByHand::Rewrite { line: &pnpm, text: "Use pnpm, not npm." };
    assert!(matches!(refused(write_by_hand(&world.shop, same)), Refused::SaidAlready { .. }));
    let other = ByHand::Rewrite { line: &kind, text: "Use pnpm, not npm." };
    assert!(matches!(refused(write_by_hand(&world.shop, other)), Refused::SaidAlready { .. }));
    let said =
        refused(write_by_hand(&world.shop, ByHand::Rewrite { line: &kind, text: "Use pnpm, not npm." }));
    assert!(said.to_string().contains("`subcortex rule remove L1`"), "{said}");
    for unfit in ["", "a\nb", "# Heading", &"x".repeat(201), "Read @secrets.md first"] {
        assert!(matches!(refused(write_by_hand(&world.shop, add(unfit, None))), Refused::UnfitRule(_)));
    }
    let gone = LineHash::from_file("0123456789abcdef");
    assert_eq!(refused(write_by_hand(&world.shop, ByHand::Remove { line: &gone })), Refused::LineGone);
    assert_eq!(world.files(), before);

    let full: String = (0..MAX_LINES).map(|n| format!("- Rule number {n} is here.\n")).collect();
    let world = World::with(&full);
    let said = refused(write_by_hand(&world.shop, add("Be kind.", None)));
    assert!(said.to_string().contains("at most 200 are allowed"), "{said}");
    assert_eq!(world.text(), full);
}

#[test]
fn who_rewords_a_line_may_say_what_another_one_says_in_other_words() {
    let world = World::with("- Be kind.\n- Use pnpm, not npm.\n");
    let kind = hash(&world, 1);
    let edit = write_by_hand(&world.shop, ByHand::Rewrite { line: &kind, text: "Always use pnpm, not npm." })
        .unwrap();
    assert_eq!(world.text(), "- Always use pnpm, not npm.\n- Use pnpm, not npm.\n");
    assert!(edit.changes[0].why.ends_with(&format!("{BESIDE}L2")), "{edit:?}");
}

#[test]
fn the_first_rule_makes_the_broadcast() {
    let world = World::with("");
    let edit = write_by_hand(&world.shop, add("Be kind.", None)).unwrap();
    assert!(edit.bootstrapped);
    assert_eq!(world.text(), "- Be kind.\n");
}

#[test]
fn one_change_of_an_edit_is_taken_back_and_the_others_stay() {
    let before = "- Use yarn.\n- Use tabs.\n- Keep functions small.\n- Be kind.\n";
    let mut world = World::with(before);
    world.about("Use yarn", Side::Against, "s1", WEB, StandingInstruction, "never use yarn");
    world.wish("s1", WEB, StandingInstruction, "never push to main");
    let edit = world.run().edit.unwrap();
    assert_eq!(edit.changes.len(), 2);
    let number = 1 + edit.changes.iter().position(|change| change.kind == ChangeKind::Add).unwrap();
    let back = revert_part(&world.shop, &edit.id, Some(number)).unwrap();
    assert_eq!((back.cause, &back.reverts, back.changes.len()), (Cause::Reverted, &None, 1));
    assert!(world.text().contains("Never use yarn") && !world.text().contains("push"), "{}", world.text());
    let journal = Journal::read(&*world.shop.disk, &world.shop.folder).unwrap();
    let states: Vec<bool> =
        edit.changes.iter().map(|change| journal.is_change_reverted(&edit, change)).collect();
    assert_eq!(states.iter().filter(|gone| **gone).count(), 1);
    assert!(states[number - 1] && !journal.is_reverted(&edit.id));
    assert!(matches!(refused(revert_part(&world.shop, &edit.id, Some(number))), Refused::AlreadyUndone(_)));
    assert!(matches!(refused(revert_part(&world.shop, &edit.id, Some(3))), Refused::UnknownChange { .. }));
    // What was taken back is spent, and the rest can still be.
    world.later(4);
    assert!(world.run().result.starts_with("NO-OP"));
    revert(&world.shop, &edit.id).unwrap();
    assert_eq!(world.text(), before);
}

/// The proposals that wait, by their words.
fn waiting(world: &World) -> Vec<(String, String)> {
    let all = Proposal::read_all(&*world.shop.disk, &world.shop.folder).unwrap().waiting;
    all.into_iter().map(|one| (one.id, one.change.after.unwrap_or_default())).collect()
}

#[test]
fn a_rejected_wish_comes_back_in_no_words() {
    let mut world = World::with("- Be kind.\n");
    world.shop.settings.mode = BroadcastMode::Propose;
    world.wish("s1", WEB, StandingInstruction, "From now on use pnpm, not npm.");
    world.run();
    let [(id, _)] = &waiting(&world)[..] else { panic!("{:?}", waiting(&world)) };
    reject(&world.shop, id).unwrap();
    for words in ["Always use pnpm instead of npm.", "Use pnpm rather than npm from now on."] {
        world.wish("s2", WEB, StandingInstruction, words);
        world.later(1).run();
        assert_eq!(waiting(&world), [], "{words}");
    }
    // Another rule, and the same one for another project, are other wishes.
    world.wish("s3", "/home/x/api", StandingInstruction, "Always use pnpm instead of npm.");
    world.wish("s3", WEB, StandingInstruction, "never push to main");
    world.later(1).run();
    assert!(!waiting(&world).is_empty());
}

#[test]
fn what_was_said_before_a_no_is_spent_and_only_what_is_said_later_counts() {
    let mut world = World::with("- Be kind.\n");
    world.shop.settings.mode = BroadcastMode::Propose;
    world.wish("s1", WEB, Preference, "I prefer pnpm over npm.");
    world.wish("s2", WEB, Preference, "I prefer pnpm over npm.");
    world.run();
    let [(id, _)] = &waiting(&world)[..] else { panic!("{:?}", waiting(&world)) };
    reject(&world.shop, id).unwrap();
    world.shop.settings.mode = BroadcastMode::Apply;
    world.later(4);
    world.wish("s3", WEB, Preference, "I prefer pnpm over npm.");
    assert!(world.run().edit.is_none(), "one more time does not outweigh a no");
    world.later(4);
    world.wish("s4", WEB, StandingInstruction, "From now on always use pnpm, not npm.");
    assert!(world.run().edit.is_some(), "a new order for good does");
}
