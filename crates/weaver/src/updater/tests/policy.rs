//! What the evidence asks for, and what comes of it.

use subcortex_memory::{Proposal, SignalKind, Trajectory};

use super::world::{Side, World};
use crate::BroadcastMode;
use crate::updater::{Claim, Request, accept, reject, revert};

use SignalKind::{Correction, Preference, StandingInstruction};

const WEB: &str = "/home/x/web";
const API: &str = "/home/x/api";
const CLI: &str = "/home/x/cli";

#[track_caller]
fn check(world: &World, result: &str, text: &str) {
    let updated = world.run();
    assert!(updated.result.starts_with(result), "{updated:#?}");
    assert_eq!(world.text(), text, "{updated:#?}");
    // A second run over the same state changes nothing, byte for byte.
    let files = world.files();
    let again = world.run();
    assert!(again.result.starts_with("NO-OP: "), "{again:#?}");
    assert_eq!(world.files(), files);
}

const UPDATED: &str = "UPDATED: memory/CLAUDE.md: ";
const NOTHING: &str = "NO-OP: no ledger entry asks for a change.";

#[test]
fn a_standing_instruction_becomes_a_rule_of_its_project() {
    let mut world = World::with("- Keep functions small.\n");
    world.wish("s1", WEB, StandingInstruction, "from now on always use pnpm, not npm");
    check(
        &world,
        "UPDATED: memory/CLAUDE.md: 1 added, 0 rewritten, 0 removed (edit edit_",
        "- Keep functions small.\n\n## Project: /home/x/web\n\n- Always use pnpm, not npm.\n",
    );
}

#[test]
fn a_wish_needs_two_sessions_and_holds_in_the_projects_that_ask_for_it() {
    let mut world = World::with("- Keep functions small.\n\n## Project: old\n- Never push to main.\n");
    world.wish("s1", WEB, Preference, "I prefer pnpm over npm");
    world.wish("s1", API, Preference, "I prefer pnpm over npm");
    let before = world.text();
    assert!(world.run().result.starts_with("UPDATED: memory/proposals: 1 edit for a person"));
    check(&world, NOTHING, &before);
    world.wish("s2", API, Correction, "i prefer pnpm over npm!");
    check(
        &world,
        UPDATED,
        "- Keep functions small.\n\n## Project: old\n- Never push to main.\n\n## Project: /home/x/api\n\n- Prefer pnpm over npm.\n\n## Project: /home/x/web\n\n- Prefer pnpm over npm.\n",
    );
}

const PNPM: &str = "from now on always use pnpm, not npm";
const IN_WEB: &str = "- Keep functions small.\n\n## Project: /home/x/web\n\n- Always use pnpm, not npm.\n";
const IN_BOTH: &str = "- Keep functions small.\n\n## Project: /home/x/web\n\n- Always use pnpm, not npm.\n\n## Project: /home/x/api\n\n- Always use pnpm, not npm.\n";
const FOR_ALL: &str = "- Keep functions small.\n- Always use pnpm, not npm.\n";

/// A rule that stands for one project and is asked for in a second one.
fn asked_for_in_two_projects() -> World {
    let mut world = World::with("- Keep functions small.\n");
    world.wish("s1", WEB, StandingInstruction, PNPM);
    check(&world, UPDATED, IN_WEB);
    world.later(4).wish("s2", API, StandingInstruction, PNPM);
    check(&world, UPDATED, IN_BOTH);
    world
}

fn the_proposal(world: &World) -> Proposal {
    Proposal::read_all(&*world.shop.disk, &world.shop.folder).unwrap().waiting.remove(0)
}

#[test]
fn a_rule_of_three_projects_holds_for_all() {
    let mut world = asked_for_in_two_projects();
    world.later(4).wish("s3", CLI, StandingInstruction, PNPM);
    check(&world, "UPDATED: memory/CLAUDE.md: 0 added, 0 rewritten, 1 removed, 1 moved", FOR_ALL);
}

#[test]
fn a_rule_that_moved_to_all_and_was_taken_back_stays_in_its_projects() {
    let mut world = asked_for_in_two_projects();
    world.later(4).wish("s3", CLI, StandingInstruction, PNPM);
    world.run();
    let edit = world.journal().edits.last().unwrap().id.clone();
    revert(&world.shop, &edit).unwrap();
    world.later(4).run();
    assert!(!world.text().contains(FOR_ALL), "{}", world.text());
    assert!(world.text().contains("api\n\n- Always use pnpm"), "{}", world.text());
}

#[test]
fn a_person_is_asked_whether_a_rule_of_two_projects_holds_for_all() {
    let mut world = asked_for_in_two_projects();
    let proposal = the_proposal(&world);
    assert_eq!(proposal.change.project, None);
    accept(&world.shop, &proposal.id).unwrap();
    // What a section says as well is not needed any more; at most a quarter goes at once.
    world.later(4).run();
    world.later(4).run();
    check(&world, NOTHING, FOR_ALL);
}

#[test]
fn a_rule_that_is_not_to_hold_for_all_comes_to_each_project_that_asks_for_it() {
    let mut world = asked_for_in_two_projects();
    reject(&world.shop, &the_proposal(&world).id).unwrap();
    check(&world, NOTHING, IN_BOTH);
    world.later(4).wish("s3", CLI, Correction, "no, use pnpm, not npm");
    let in_three = format!("{IN_BOTH}\n## Project: /home/x/cli\n\n- Use pnpm, not npm.\n");
    check(&world, UPDATED, &in_three);
}

#[test]
fn words_about_the_project_at_hand_never_hold_for_all() {
    let mut world = World::with("- Keep functions small.\n");
    for (session, project) in [("s1", WEB), ("s2", API), ("s3", CLI)] {
        world.later(4).wish(session, project, StandingInstruction, "in this repo always use pnpm, not npm");
        world.run();
    }
    let text = world.text();
    assert!(text.starts_with("- Keep functions small.\n\n## Project: "), "{text}");
    for project in [WEB, API, CLI] {
        let section = format!("## Project: {project}\n\n- Always use pnpm, not npm.\n");
        assert!(text.contains(&section), "{text}");
    }
    assert_eq!(world.run().proposed.len(), 0);
}

#[test]
fn a_rule_that_a_person_took_out_of_one_section_does_not_come_back_from_the_other() {
    let mut world = asked_for_in_two_projects();
    let path = world.path("memory/CLAUDE.md");
    std::fs::write(path, IN_WEB).unwrap();
    world.later(4);
    check(&world, NOTHING, IN_WEB);
}

#[test]
fn words_about_one_project_leave_a_line_alone_that_holds_for_all() {
    let mut world = World::with("- Use yarn.\n");
    world.about("Use yarn", Side::Against, "s1", WEB, StandingInstruction, "we never use yarn here");
    check(&world, UPDATED, "- Use yarn.\n\n## Project: /home/x/web\n\n- Never use yarn.\n");
}

#[test]
fn a_line_is_not_rewritten_in_words_that_only_the_conversation_explains() {
    let mut world = World::with("- Use yarn.\n");
    for session in ["s1", "s2"] {
        let said = "hm u ran yarn install, pls only pnpm";
        world.about("Use yarn", Side::Against, session, WEB, Correction, said);
    }
    assert_eq!(world.run().proposed.len(), 1);
    assert_eq!(world.text(), "- Use yarn.\n");
}

#[test]
fn what_a_line_says_already_is_not_added_in_other_words() {
    let mut world = World::with("- Use pnpm instead of npm.\n");
    world.wish("s1", WEB, StandingInstruction, "from now on use pnpm, not npm");
    check(&world, NOTHING, "- Use pnpm instead of npm.\n");
}

#[test]
fn a_broadcast_that_does_not_exist_is_made() {
    let mut world = World::with("");
    std::fs::write(world.shop.folder.priority(), "- Mine.\n").unwrap();
    world.wish("s1", WEB, StandingInstruction, "never push to main");
    let updated = world.run();
    assert!(updated.result.starts_with("BOOTSTRAPPED: memory/CLAUDE.md: 1 added"), "{updated:?}");
    // The next run sees to the person's own lines.
    world.run();
    assert_eq!(world.text(), "@priority.md\n## Project: /home/x/web\n\n- Never push to main.\n");
}

#[test]
fn words_that_cannot_stand_alone_wait_as_a_proposal_once() {
    let mut world = World::with("- Keep functions small.\n");
    world.wish("s1", WEB, StandingInstruction, "from now on always do the layout like that");
    let updated = world.run();
    assert!(updated.result.starts_with("UPDATED: memory/proposals: 1 edit for a person"), "{updated:#?}");
    assert_eq!(updated.proposed.len(), 1);
    check(&world, NOTHING, "- Keep functions small.\n");
}

#[test]
fn a_contradicted_line_is_rewritten_in_the_persons_words_on_two_sessions() {
    let mut world = World::with("* Use yarn.\r\n* Keep functions small.\r\n");
    world.about("Use yarn", Side::Against, "s1", WEB, Correction, "no, use pnpm, not yarn");
    check(&world, NOTHING, &world.text());
    world.about("Use yarn", Side::Against, "s1", WEB, Correction, "no!! use pnpm, not yarn");
    check(&world, NOTHING, &world.text());
    world.about("Use yarn", Side::Against, "s2", WEB, Correction, "again: use pnpm, not yarn");
    check(
        &world,
        "UPDATED: memory/CLAUDE.md: 0 added, 1 rewritten",
        "* Use pnpm, not yarn.\r\n* Keep functions small.\r\n",
    );
}

#[test]
fn one_standing_instruction_is_enough_to_rewrite_and_a_wish_to_drop_removes() {
    let mut world = World::with("- Use yarn.\n- Keep functions small.");
    world.about("Use yarn", Side::Against, "s1", WEB, StandingInstruction, "from now on never use yarn");
    check(&world, UPDATED, "- Never use yarn.\n- Keep functions small.");
    let mut world = World::with("- Keep functions small.\n- Use yarn.");
    world.about("Use yarn", Side::Against, "s1", WEB, Correction, "drop that rule about yarn");
    world.about("Use yarn", Side::Against, "s2", WEB, Correction, "please forget the rule about yarn");
    check(&world, "UPDATED: memory/CLAUDE.md: 0 added, 0 rewritten, 1 removed", "- Keep functions small.");
}

#[test]
fn a_contradiction_in_unclear_words_waits_as_a_proposal_to_remove() {
    let mut world = World::with("- Use yarn.\n");
    world.about("Use yarn", Side::Against, "s1", WEB, Correction, "why would you do that?");
    world.about("Use yarn", Side::Against, "s2", WEB, Correction, "not this again?");
    let updated = world.run();
    assert_eq!(updated.proposed.len(), 1, "{updated:#?}");
    assert_eq!(world.text(), "- Use yarn.\n");
}

#[test]
fn a_line_that_people_side_with_is_never_removed_and_moves_up_once() {
    let mut world = World::with("# Rules\n\n- Keep functions small.\n- Never push to main.\n- Use pnpm.\n");
    for session in ["s1", "s2", "s3"] {
        world.about("Use pnpm", Side::With, session, WEB, Correction, "I told you to use pnpm");
    }
    world.seen("Use pnpm", WEB, Trajectory::Strengthening, 2);
    check(
        &world,
        "UPDATED: memory/CLAUDE.md: 0 added, 0 rewritten, 0 removed, 1 moved",
        "# Rules\n\n- Use pnpm.\n- Keep functions small.\n- Never push to main.\n",
    );
    world.later(4);
    check(&world, NOTHING, &world.text());
}

#[test]
fn a_person_who_sides_with_the_line_after_contradicting_it_keeps_it() {
    let mut world = World::with("- Use yarn.\n");
    world.about("Use yarn", Side::Against, "s1", WEB, StandingInstruction, "from now on never use yarn");
    world.about("Use yarn", Side::With, "s2", WEB, Correction, "I told you to use yarn");
    check(&world, NOTHING, "- Use yarn.\n");
}

#[test]
fn a_contradiction_in_one_project_leaves_a_line_alone_that_works_in_another() {
    let mut world = World::with("- Use yarn.\n");
    world.seen("Use yarn", API, Trajectory::Strengthening, 1);
    world.about("Use yarn", Side::Against, "s1", WEB, StandingInstruction, "never use yarn");
    check(&world, UPDATED, "- Use yarn.\n\n## Project: /home/x/web\n\n- Never use yarn.\n");
}

#[test]
fn a_contradiction_in_one_project_leaves_a_line_alone_that_people_of_another_ask_for() {
    let mut world = World::with("- Use yarn.\n");
    world.about("Use yarn", Side::With, "s1", API, Correction, "I told you to use yarn");
    world.about("Use yarn", Side::Against, "s2", WEB, StandingInstruction, "never use yarn");
    check(&world, UPDATED, "- Use yarn.\n\n## Project: /home/x/web\n\n- Never use yarn.\n");
}

#[test]
fn at_most_a_quarter_of_the_rules_goes_at_once_and_at_least_one() {
    let rules = [
        "Use yarn.",
        "Use tabs.",
        "Use vim.",
        "Use gulp.",
        "Use jest.",
        "Use sass.",
        "Use moment.",
        "Use bower.",
    ];
    let text: String = rules.iter().map(|rule| format!("- {rule}\n")).collect();
    let mut world = World::with(&text);
    for rule in &rules[..5] {
        world.about(
            rule,
            Side::Against,
            "s1",
            WEB,
            StandingInstruction,
            &format!("never {}", rule.to_lowercase().trim_end_matches('.')),
        );
    }
    let updated = world.run();
    assert!(updated.result.contains("2 rewritten"), "{updated:#?}");
    assert_eq!(updated.held_back.iter().filter(|why| why.contains("at most a quarter")).count(), 3);
    world.later(4);
    assert!(world.run().result.contains("2 rewritten"));
    world.later(4);
    check(
        &world,
        "UPDATED: memory/CLAUDE.md: 0 added, 1 rewritten",
        "- Never use yarn.\n- Never use tabs.\n- Never use vim.\n- Never use gulp.\n- Never use jest.\n- Use sass.\n- Use moment.\n- Use bower.\n",
    );
}

#[test]
fn an_edit_that_nobody_asked_for_waits_for_its_time_and_a_task_does_not() {
    let mut world = World::with("- Keep functions small.\n");
    world.wish("s1", WEB, StandingInstruction, "never push to main");
    world.run();
    world.wish("s1", WEB, StandingInstruction, "always run make lint before you commit");
    let updated = world.run();
    assert_eq!(
        updated.result,
        "NO-OP: 1 change for later: at most one edit in 3h unless a task asks for one (`update memory/CLAUDE.md`); the next may be made at 2026-03-02T11:01:00Z."
    );
    let asked = world.asked(&Request::Directed { lines: vec![], claim: None });
    assert!(asked.result.starts_with(UPDATED), "{asked:?}");
    // A clock that was set back blocks nothing.
    world.later(-48).wish("s1", WEB, StandingInstruction, "always write tests first");
    assert!(world.run().result.starts_with(UPDATED));
}

#[test]
fn a_task_touches_only_the_lines_that_it_cites_and_its_own_words_take_none_out() {
    let rules = "- Use yarn.\n- Use tabs.\n- Use vim.\n";
    let mut world = World::with(rules);
    world.seen("Use tabs", WEB, Trajectory::Neutral, 2);
    world.seen("Use vim", WEB, Trajectory::Strengthening, 1);
    world.wish("s1", WEB, StandingInstruction, "never push to main");
    let claims = |line, prose: &str| Request::Directed { lines: vec![line], claim: Some(Claim::new(prose)) };
    let cases = [
        (Request::Directed { lines: vec![2], claim: None }, 0),
        // A person wrote these lines: a bare claim does not even bring them into question.
        (claims(1, "L1 is wrong: remove the line"), 0),
        (claims(1, "Prune L1: the user said twice that it is wrong (\"that rule is nonsense\")"), 0),
        (claims(2, "L2 is wrong, see session s99"), 0),
        (claims(2, "L2 is wrong, see session s1"), 1),
        (claims(3, "L3 is outdated"), 0),
    ];
    for (request, proposed) in cases {
        let updated = world.asked(&request);
        assert_eq!(updated.proposed.len(), proposed, "{request:?}: {updated:?}");
        assert_eq!(world.text(), rules, "{request:?}");
    }
}

#[test]
fn a_bare_claim_against_a_line_of_our_own_is_put_to_a_person_until_a_person_decided_on_it() {
    let mut world = World::with("- Be kind.\n");
    world.wish("s1", WEB, StandingInstruction, "never push to main");
    let edit = world.run().edit.unwrap();
    let number = edit.changes[0].line_after.unwrap();
    let claim = Request::Directed { lines: vec![number], claim: Some(Claim::new("it is wrong: prune it")) };
    let text = world.text();
    assert_eq!((world.asked(&claim).proposed.len(), world.text()), (1, text.clone()));
    // The same words, written by hand.
    let mut world = World::with(&text);
    world.wish("s1", WEB, Correction, "no, not like that");
    assert_eq!((world.asked(&claim).proposed.len(), world.text()), (0, text));
}

#[test]
fn what_a_person_said_once_carries_an_edit_when_a_task_cites_it() {
    let mut world = World::with("- Use yarn.\n");
    let event = world.about("Use yarn", Side::Against, "s1", WEB, Correction, "no, use pnpm, not yarn");
    let claims = |prose: &str| Request::Directed { lines: vec![1], claim: Some(Claim::new(prose)) };
    for bare in ["L1 is wrong: repair it", "L1 is wrong: they said \"we never use yarn\""] {
        assert!(world.asked(&claims(bare)).result.starts_with("NO-OP"), "{bare}");
        assert_eq!(world.text(), "- Use yarn.\n");
    }
    assert!(world.asked(&claims(&format!("L1 is wrong by {event}"))).result.starts_with(UPDATED));
    assert_eq!(world.text(), "- Use pnpm, not yarn.\n");
}

#[test]
fn permissions_credentials_and_recipients_need_a_standing_instruction() {
    let mut world = World::with("- Keep functions small.\n");
    for session in ["s1", "s2", "s3"] {
        world.wish(session, WEB, Correction, "no, run `sudo make test` before you commit");
    }
    let updated = world.run();
    // However often it was said, a person is asked first.
    assert_eq!(
        (updated.proposed.len(), world.text().as_str()),
        (1, "- Keep functions small.\n"),
        "{updated:#?}"
    );
    world.wish("s4", WEB, StandingInstruction, "from now on always run `sudo make test` before you commit");
    // Said once as it must be said, it counts.
    check(
        &world,
        UPDATED,
        "- Keep functions small.\n\n## Project: /home/x/web\n\n- Always run `sudo make test` before you commit.\n",
    );
}

#[test]
fn in_propose_mode_edits_wait_and_in_observe_mode_nothing_is_written() {
    let mut world = World::with("- Use yarn.\n");
    world.about("Use yarn", Side::Against, "s1", WEB, StandingInstruction, "never use yarn");
    world.shop.settings.mode = BroadcastMode::Observe;
    let files = world.files();
    assert_eq!(
        world.run().result,
        "NO-OP: `broadcast.mode` is `observe`; 1 change would be made or proposed."
    );
    assert_eq!(world.files(), files);
    world.shop.settings.mode = BroadcastMode::Propose;
    assert_eq!(world.run().proposed.len(), 1);
    check(&world, NOTHING, "- Use yarn.\n");
}

#[test]
fn results_cite_paths_and_lines_only() {
    let mut world = World::with("- Use yarn.\n- See [[topic-x]] for deploys.\n");
    world.about("Use yarn", Side::Against, "s1", WEB, Correction, "no, use pnpm, not yarn");
    world.wish("s1", WEB, StandingInstruction, "see [[topic-y]] before a deploy, always");
    let updated = world.run();
    let said = format!("{} {}", updated.result, updated.held_back.join(" "));
    for word in ["[[", "yarn", "pnpm", "deploy"] {
        assert!(!said.contains(word), "{said}");
    }
    assert!(said.contains("memory/CLAUDE.md:L1"), "{said}");
}

#[test]
fn words_that_no_rule_knows_are_not_taken_for_one_another() {
    let mut world = World::with("- 関数は小さく。\n");
    world.wish("s1", WEB, Correction, "日本語で答えて");
    world.wish("s2", WEB, Correction, "テストを先に書いて");
    check(&world, NOTHING, "- 関数は小さく。\n");
}

#[test]
fn what_was_said_before_the_home_existed_is_only_asked_about_until_somebody_says_it_again() {
    let mut world = World::with("- Use yarn.\n- Keep functions small.\n");
    world.wish("s1", WEB, StandingInstruction, "always run make lint before you commit");
    world.about("Use yarn", Side::Against, "s1", WEB, StandingInstruction, "never use yarn");
    world.later(1);
    world.shop.began = Some(world.shop.now);
    let updated = world.run();
    assert_eq!(updated.proposed.len(), 2, "{updated:?}");
    check(&world, NOTHING, "- Use yarn.\n- Keep functions small.\n");
    world.later(1).wish("s2", WEB, StandingInstruction, "always run make lint before you commit");
    assert!(world.run().result.starts_with(UPDATED));
    assert!(world.text().contains("make lint"), "{}", world.text());
    assert!(world.text().contains("Use yarn"), "{}", world.text());
}
