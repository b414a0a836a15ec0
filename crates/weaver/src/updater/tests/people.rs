//! What people decide: revert, accept, reject, forget; and what the trial of an edit decides for them.

use subcortex_memory::{Cause, Proposal, Rate, SignalKind, Trajectory};
use subcortex_model::EventId;

use super::world::{Side, World};
use crate::BroadcastMode;
use crate::updater::{
    DecisionError, Forgetting, Refused, Verdict, accept, forget, mark_seen, probation, reject, revert,
    unseen_edits,
};

use SignalKind::{Correction, StandingInstruction};

const WEB: &str = "/home/x/web";
const API: &str = "/home/x/api";

fn refused<T: std::fmt::Debug>(result: Result<T, DecisionError>) -> Refused {
    match result.unwrap_err() {
        DecisionError::Refused(refused) => refused,
        DecisionError::Weave(error) => panic!("{error}"),
    }
}

#[test]
fn an_edit_is_taken_back_byte_for_byte_and_its_evidence_does_not_bring_it_back() {
    for before in [
        "- Use yarn.\n- Use tabs.\n- Keep functions small.\n- Be kind.\n",
        "# R\r\n\r\n* Use tabs.\r\n* Use yarn.\r\n\r\n## Project: /home/x/web\r\n\r\n* Be kind.\r\n* See to it.",
    ] {
        let mut world = World::with(before);
        world.about("Use yarn", Side::Against, "s1", WEB, StandingInstruction, "never use yarn");
        world.wish("s1", WEB, StandingInstruction, "never push to main");
        world.wish("s1", API, StandingInstruction, "always run make lint before you commit");
        let edit = world.run().edit.unwrap();
        assert_ne!(world.text(), before);
        let taken_back = revert(&world.shop, &edit.id).unwrap();
        assert_eq!(world.text(), before);
        assert_eq!((taken_back.cause, taken_back.reverts), (Cause::Reverted, Some(edit.id.clone())));
        assert_eq!(refused(revert(&world.shop, &edit.id)), Refused::AlreadyUndone(edit.id));
        world.later(4);
        assert!(world.run().result.starts_with("NO-OP"));
        // What people say later does.
        world.about("Use yarn", Side::Against, "s2", WEB, StandingInstruction, "never use yarn");
        assert!(world.run().result.contains("1 rewritten"));
    }
}

/// Their clock may be a day ahead, or say another century: what they said was said before it was taken back.
#[test]
fn what_was_said_by_a_clock_that_is_ahead_does_not_undo_what_a_person_decides_later() {
    const BEFORE: &str = "- Use yarn.\n- Be kind.\n";
    for hours_ahead in [1, 24, 24 * 365 * 50] {
        for by_command in [true, false] {
            let mut world = World::with(BEFORE);
            // Events are named by the clock of this machine.
            let here = EventId::generate().appended_at().unwrap();
            world.shop.now = here;
            world.later(hours_ahead);
            world.wish("s1", WEB, StandingInstruction, "never push to main");
            world.about("Use yarn", Side::Against, "s1", WEB, StandingInstruction, "never use yarn");
            world.shop.now = here;
            world.later(1);
            let edit = world.run().edit.unwrap();
            assert_ne!(world.text(), BEFORE);
            world.later(1);
            if by_command {
                revert(&world.shop, &edit.id).unwrap();
            } else {
                std::fs::write(world.shop.folder.broadcast(), BEFORE).unwrap();
            }
            for _ in 0..3 {
                world.later(4).run();
                assert_eq!(world.text(), BEFORE, "{hours_ahead} hours ahead, by a command: {by_command}");
            }
        }
    }
}

#[test]
fn a_removed_line_comes_back_where_it_stood() {
    let before = "- Use tabs.\n- Use yarn.\n\n## Project: web\n- Be kind.\n";
    let mut world = World::with(before);
    world.about("Use yarn", Side::Against, "s1", WEB, Correction, "drop that rule about yarn");
    world.about("Use yarn", Side::Against, "s2", WEB, Correction, "drop that rule about yarn");
    let edit = world.run().edit.unwrap();
    assert_eq!(world.text(), "- Use tabs.\n\n## Project: web\n- Be kind.\n");
    revert(&world.shop, &edit.id).unwrap();
    assert_eq!(world.text(), before);
}

#[test]
fn what_people_changed_since_is_not_overwritten_by_a_revert() {
    let mut world = World::with("- Use yarn.\n- Be kind.\n");
    world.about("Use yarn", Side::Against, "s1", WEB, StandingInstruction, "never use yarn");
    let edit = world.run().edit.unwrap();
    std::fs::write(world.shop.folder.broadcast(), "- Use bun.\n- Be kind.\n").unwrap();
    assert_eq!(refused(revert(&world.shop, &edit.id)), Refused::ChangedSince { id: edit.id, line: 1 });
    assert_eq!(refused(revert(&world.shop, "edit_x")), Refused::UnknownEdit("edit_x".into()));
    assert_eq!(world.text(), "- Use bun.\n- Be kind.\n");
}

#[test]
fn a_rule_that_a_person_takes_out_by_hand_stays_out_and_later_words_only_propose_it() {
    let mut world = World::with("- Be kind.\n");
    world.wish("s1", WEB, StandingInstruction, "never push to main");
    world.run();
    std::fs::write(world.shop.folder.broadcast(), "- Be kind.\n").unwrap();
    world.later(4);
    assert_eq!(world.run().result, "NO-OP: no ledger entry asks for a change.");
    world.wish("s2", WEB, StandingInstruction, "never push to main");
    assert_eq!(world.run().proposed.len(), 1);
    assert_eq!(world.text(), "- Be kind.\n");
}

#[test]
fn a_proposal_is_accepted_once_and_a_rejected_one_never_comes_back() {
    let mut world = World::with("- Use yarn.\n");
    world.shop.settings.mode = BroadcastMode::Propose;
    world.about("Use yarn", Side::Against, "s1", WEB, StandingInstruction, "never use yarn");
    world.wish("s1", WEB, StandingInstruction, "never push to main");
    world.run();
    let waiting = Proposal::read_all(&*world.shop.disk, &world.shop.folder).unwrap().waiting;
    let of = |kind| waiting.iter().find(|proposal| proposal.change.kind == kind).unwrap().id.clone();
    let (rewrite, add) = (of(subcortex_memory::ChangeKind::Rewrite), of(subcortex_memory::ChangeKind::Add));
    let edit = accept(&world.shop, &rewrite).unwrap();
    assert_eq!(edit.cause, Cause::Accepted);
    assert_eq!(world.text(), "- Never use yarn.\n");
    reject(&world.shop, &add).unwrap();
    assert_eq!(refused(accept(&world.shop, &rewrite)), Refused::UnknownProposal(rewrite));
    assert_eq!(refused(reject(&world.shop, &add)), Refused::UnknownProposal(add));
    let files = world.files();
    assert_eq!(world.run().result, "NO-OP: no ledger entry asks for a change.");
    assert_eq!(world.files(), files);
}

/// A world in which one origin spoke must look, when it is forgotten, like one in which it never did.
fn check_forgotten(speak: impl Fn(&mut World) -> String, silent: impl Fn(&mut World)) {
    let before = "- Be kind.\n- Use tabs.\n";
    let mut spoke = World::with(before);
    let origin = speak(&mut spoke);
    spoke.run();
    let dry = forget(&spoke.shop, &origin, Forgetting::DryRun).unwrap();
    let done = forget(&spoke.shop, &origin, Forgetting::ForReal).unwrap();
    assert_eq!((&dry.fragments, &dry.lines), (&done.fragments, &done.lines));
    assert!(!done.fragments.is_empty());
    spoke.later(4).run();

    let mut other = World::with(before);
    silent(&mut other);
    other.run();
    assert_eq!(spoke.text(), other.text(), "{done:#?}");
    assert_eq!(spoke.tally().candidates.len(), other.tally().candidates.len());
    // Asked for again, nothing is left to do.
    assert_eq!(forget(&spoke.shop, &origin, Forgetting::ForReal).unwrap().edit, None);
}

#[test]
fn what_is_forgotten_leaves_the_memory_as_if_it_had_never_been_said() {
    let never = "never push to main";
    check_forgotten(|world| world.wish("s1", WEB, StandingInstruction, never).as_str().into(), |_| {});
    check_forgotten(
        |world| {
            world.wish("s1", WEB, StandingInstruction, never);
            world.wish("s1", WEB, StandingInstruction, "always run make lint before you commit");
            world.wish("s2", WEB, StandingInstruction, "never use yarn");
            "s1".into()
        },
        |world| {
            world.wish("s2", WEB, StandingInstruction, "never use yarn");
        },
    );
    // Two sessions carried it; one is not enough.
    check_forgotten(
        |world| {
            world.wish("s1", WEB, Correction, "no, use pnpm, not npm");
            world.wish("s2", WEB, Correction, "use pnpm, not npm!");
            "s1".into()
        },
        |world| {
            world.wish("s2", WEB, Correction, "use pnpm, not npm!");
        },
    );
    // The others are enough, in their own words.
    check_forgotten(
        |world| {
            world.wish("s1", WEB, StandingInstruction, "never push to main");
            world.wish("s2", WEB, StandingInstruction, "please do not push to main, never");
            "s2".into()
        },
        |world| {
            world.wish("s1", WEB, StandingInstruction, "never push to main");
        },
    );
}

#[test]
fn a_rewrite_that_rests_on_what_is_forgotten_is_undone_and_does_not_come_back() {
    let mut world = World::with("- Use yarn.\n");
    let origin = world.about("Use yarn", Side::Against, "s1", WEB, StandingInstruction, "never use yarn");
    let before_forgetting = world.tally();
    world.run();
    assert_eq!(world.text(), "- Never use yarn.\n");
    let forgot = forget(&world.shop, origin.as_str(), Forgetting::ForReal).unwrap();
    assert_eq!(forgot.lines, ["memory/CLAUDE.md:L1"]);
    assert_eq!(world.text(), "- Use yarn.\n");
    let edit = forgot.edit.unwrap();
    assert_eq!((edit.cause, &edit.changes[0].before), (Cause::Forgotten, &None));
    assert_eq!(refused(revert(&world.shop, &edit.id)), Refused::WasForgotten(edit.id));
    // Also a tally that was made before does not bring it back.
    world.later(4);
    let journal = world.journal();
    let request = crate::updater::Request::Reflective;
    let updated =
        crate::updater::update(&world.shop, &world.compiled(), &before_forgetting, &journal, &request)
            .unwrap();
    assert!(updated.result.starts_with("NO-OP"), "{updated:?}");
}

#[test]
fn a_rewrite_that_does_clearly_worse_is_taken_back_with_both_rates() {
    let mut world = World::with("- Use yarn.\n- Be kind.\n");
    world.seen("Use yarn", WEB, Trajectory::Weakening, 17);
    world.about("Use yarn", Side::Against, "s1", WEB, StandingInstruction, "always use pnpm");
    let edit = world.run().edit.unwrap();
    world.later(4).seen("Always use pnpm", WEB, Trajectory::Weakening, 9);
    assert_eq!(probation(&world.journal(), &world.tally())[0].verdict, Verdict::TooFew);
    assert!(world.run().result.starts_with("NO-OP"));
    world.seen("Always use pnpm", WEB, Trajectory::Strengthening, 1);
    let updated = world.run();
    let expected = format!(
        "UPDATED: memory/CLAUDE.md:L1 is as it was before edit {}, which did worse: followed 18 of 18 before, 1 of 10 after (edit ",
        edit.id
    );
    assert!(updated.result.starts_with(&expected), "{updated:#?}");
    let back = updated.edit.unwrap();
    assert_eq!((back.cause, back.reverts), (Cause::Probation, Some(edit.id)));
    assert_eq!(back.changes[0].rate_before, Some(Rate { followed: 18, missed: 0 }));
    assert_eq!(back.changes[0].rate_after, Some(Rate { followed: 1, missed: 9 }));
    assert_eq!(world.text(), "- Use yarn.\n- Be kind.\n");
    world.later(4);
    assert!(world.run().result.starts_with("NO-OP"));
    assert_eq!(world.text(), "- Use yarn.\n- Be kind.\n");
}

#[test]
fn a_line_turned_round_is_not_turned_back_because_agents_still_do_what_it_said() {
    let mut world = World::with("- Use yarn.\n- Be kind.\n");
    world.seen("Use yarn", WEB, Trajectory::Strengthening, 18);
    world.about("Use yarn", Side::Against, "s1", WEB, StandingInstruction, "always use pnpm instead of yarn");
    world.run();
    world.later(4).seen("Always use pnpm instead of yarn", WEB, Trajectory::Weakening, 12);
    assert!(world.run().result.starts_with("NO-OP"));
    assert_eq!(world.text(), "- Always use pnpm instead of yarn.\n- Be kind.\n");
}

#[test]
fn a_rewrite_that_does_as_well_or_better_stays() {
    let mut world = World::with("- Use yarn.\n- Be kind.\n");
    world.seen("Use yarn", WEB, Trajectory::Strengthening, 12);
    world.about("Use yarn", Side::Against, "s1", WEB, StandingInstruction, "always use pnpm instead of yarn");
    world.run();
    world.later(4).seen("Always use pnpm instead of yarn", WEB, Trajectory::Strengthening, 12);
    let trials = probation(&world.journal(), &world.tally());
    assert_eq!((trials.len(), trials[0].verdict), (1, Verdict::Better));
    assert!(trials[0].difference.0 > 0.0);
    assert_eq!(world.run().result, "NO-OP: no ledger entry asks for a change.");
}

#[test]
fn edits_are_loud_until_seen() {
    let mut world = World::with("- Be kind.\n");
    assert_eq!(unseen_edits(&world.shop).unwrap(), []);
    world.wish("s1", WEB, StandingInstruction, "never push to main");
    let edit = world.run().edit.unwrap();
    assert_eq!(unseen_edits(&world.shop).unwrap(), std::slice::from_ref(&edit));
    mark_seen(&world.shop).unwrap();
    assert_eq!(unseen_edits(&world.shop).unwrap(), []);
    revert(&world.shop, &edit.id).unwrap();
    assert_eq!(unseen_edits(&world.shop).unwrap(), [], "whoever took it back has seen that");
}
