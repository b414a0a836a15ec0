//! Forgetting after any history of edits: no word of what was forgotten is left, and nothing brings it back.

use proptest::prelude::*;
use subcortex_memory::{Forgotten, Journal, Proposal, SignalKind};

use super::world::{Side, World};
use crate::stood::Stood;
use crate::updater::{
    ByHand, DecisionError, Forgetting, Refused, accept, forget, forget_again, revert, write_by_hand,
};
use crate::{BroadcastMode, crystallizer};

use SignalKind::StandingInstruction;

const WEB: &str = "/home/x/web";
/// One word a session, which nobody else says.
const WORDS: [&str; 4] = ["zqalpha", "zqbravo", "zqcharlie", "zqdelta"];

fn session(of: usize) -> String {
    format!("session-{of}")
}

/// Checks, ledger and dossiers follow, as they do after every decision.
fn map_again(world: &World) {
    let mut broadcast = world.compiled();
    broadcast.sync(&*world.shop.disk, &world.shop.folder).unwrap();
    crystallizer::crystallize(&world.shop, &broadcast, &world.journal(), &|| false).unwrap();
}

/// Where below `memory/` a word stands.
fn places_of(world: &World, word: &str) -> Vec<String> {
    let holds = |(name, text): &(String, String)| name.contains(word) || text.contains(word);
    world.everything().into_iter().filter(holds).map(|(name, _)| name).collect()
}

fn wish(world: &mut World, of: usize) -> String {
    world.wish(&session(of), WEB, StandingInstruction, &format!("never touch `{}/`", WORDS[of]));
    world.later(4);
    let id = world.run().edit.unwrap().id;
    map_again(world);
    id
}

#[test]
fn what_was_added_reverted_and_brought_back_is_forgotten() {
    let before = "- Be kind.\n";
    let mut world = World::with(before);
    let added = wish(&mut world, 0);
    let reverted = revert(&world.shop, &added).unwrap();
    let back = revert(&world.shop, &reverted.id).unwrap();
    assert!(world.text().contains(WORDS[0]));
    assert_eq!(back.changes[0].evidence[0].session_key, Some(session(0)));
    let forgot = forget(&world.shop, &session(0), Forgetting::ForReal).unwrap();
    map_again(&world);
    assert_eq!((world.text().as_str(), forgot.lines.len()), (before, 1));
    assert_eq!(places_of(&world, WORDS[0]), [""; 0]);
}

/// As after a merge: the other home forgot, and took out what it had; this one had written the line anew.
#[test]
fn what_another_home_forgot_goes_from_page_and_journal_and_a_persons_own_line_stays() {
    let mut world = World::with("- Be kind.\n");
    wish(&mut world, 0);
    let theirs = world.broadcast().lines.into_iter().find(|line| line.text.contains(WORDS[0])).unwrap();
    let own = "Never touch zqalpha without a person.";
    write_by_hand(&world.shop, ByHand::Rewrite { line: &theirs.hash, text: own }).unwrap();
    let forgotten = Forgotten { sessions: [session(0)].into(), ..Forgotten::default() };
    forgotten.write(&*world.shop.disk, &world.shop.folder).unwrap();
    for (name, _) in world.everything().into_iter().filter(|(name, _)| name.contains("/fragments/")) {
        std::fs::remove_file(world.path(&name)).unwrap();
    }
    forget_again(&world.shop).unwrap();
    map_again(&world);
    assert!(world.text().contains(own));
    let left: Vec<String> = world.everything().into_iter().map(|(_, text)| text.replace(own, "")).collect();
    assert!(!left.iter().any(|text| text.contains("ouch zqalpha")), "{left:#?}");
    let before = world.everything();
    forget_again(&world.shop).unwrap();
    assert_eq!(world.everything(), before, "once is enough");
}

#[test]
fn a_revert_after_forgetting_does_not_bring_the_line_back() {
    let before = "- Be kind.\n";
    let mut world = World::with(before);
    let added = wish(&mut world, 0);
    let reverted = revert(&world.shop, &added).unwrap().id;
    forget(&world.shop, &session(0), Forgetting::ForReal).unwrap();
    let refused = revert(&world.shop, &reverted).unwrap_err();
    assert!(
        matches!(&refused, DecisionError::Refused(Refused::BringsBackForgotten(id)) if *id == reverted),
        "{refused}"
    );
    assert!(refused.to_string().contains("would bring back a line that was forgotten"), "{refused}");
    assert_eq!(world.text(), before);
    map_again(&world);
    assert_eq!(places_of(&world, WORDS[0]), [""; 0]);
}

#[test]
fn a_line_that_another_session_removed_and_a_person_brought_back_is_forgotten_with_its_own_origin() {
    let mut world = World::with("- Be kind.\n");
    wish(&mut world, 0);
    let rule = format!("Never touch `{}/`", WORDS[0]);
    for from in ["s8", "s9"] {
        world.about(&rule, Side::Against, from, WEB, SignalKind::Correction, "drop that rule");
    }
    world.later(4);
    let removed = world.run().edit.unwrap();
    assert!(!world.text().contains(WORDS[0]));
    revert(&world.shop, &removed.id).unwrap();
    assert!(world.text().contains(WORDS[0]));
    forget(&world.shop, &session(0), Forgetting::ForReal).unwrap();
    map_again(&world);
    assert_eq!(places_of(&world, WORDS[0]), [""; 0]);
    assert_eq!(world.text(), "- Be kind.\n");
}

#[test]
fn a_line_that_was_added_and_rewritten_by_one_session_leaves_neither_words() {
    let mut world = World::with("- Be kind.\n");
    wish(&mut world, 0);
    let rule = format!("Never touch `{}/`", WORDS[0]);
    let text = format!("always run `make {}` before you commit", WORDS[0]);
    world.about(&rule, Side::Against, &session(0), WEB, StandingInstruction, &text);
    world.later(4);
    assert!(world.run().result.contains("1 rewritten"));
    forget(&world.shop, &session(0), Forgetting::ForReal).unwrap();
    map_again(&world);
    assert_eq!(places_of(&world, WORDS[0]), [""; 0]);
    assert_eq!(world.text(), "- Be kind.\n");
}

#[test]
fn what_a_person_wrote_by_hand_after_it_was_taken_back_is_theirs() {
    let mut world = World::with("- Be kind.\n");
    let added = wish(&mut world, 0);
    let text = world.text();
    revert(&world.shop, &added).unwrap();
    std::fs::write(world.shop.folder.broadcast(), &text).unwrap();
    assert_eq!(forget(&world.shop, &session(0), Forgetting::ForReal).unwrap().edit, None);
    assert_eq!(world.text(), text);
}

#[test]
fn a_line_that_an_editor_brings_back_stays_and_goes_when_it_is_forgotten_again() {
    let before = "- Be kind.\n";
    let mut world = World::with(before);
    wish(&mut world, 0);
    let buffer = world.text();
    forget(&world.shop, &session(0), Forgetting::ForReal).unwrap();
    std::fs::write(world.shop.folder.broadcast(), &buffer).unwrap();
    map_again(&world);
    world.later(4);
    // Nobody knows whether the person wants it: their save stands, and says nothing.
    assert_eq!((world.run().edit, world.text()), (None, buffer));
    let forgot = forget(&world.shop, &session(0), Forgetting::ForReal).unwrap();
    map_again(&world);
    assert_eq!((world.text().as_str(), forgot.lines.len()), (before, 1));
    assert_eq!(places_of(&world, WORDS[0]), [""; 0]);
}

#[test]
fn a_line_that_was_on_its_way_to_the_disk_while_it_was_forgotten_goes_when_it_is_forgotten_again() {
    let mut world = World::with("- Be kind.\n");
    let added = wish(&mut world, 0);
    let buffer = world.text();
    revert(&world.shop, &added).unwrap();
    // Emptied by an editor that is about to fill it.
    std::fs::write(world.shop.folder.broadcast(), "").unwrap();
    assert_eq!(forget(&world.shop, &session(0), Forgetting::ForReal).unwrap().lines, [""; 0]);
    std::fs::write(world.shop.folder.broadcast(), &buffer).unwrap();
    forget(&world.shop, &session(0), Forgetting::ForReal).unwrap();
    map_again(&world);
    assert_eq!(places_of(&world, WORDS[0]), [""; 0]);
    assert!(world.text().starts_with("- Be kind.\n"), "{}", world.text());
}

#[test]
fn what_somebody_else_said_since_stays_however_often_the_first_is_forgotten() {
    let mut world = World::with("- Be kind.\n");
    wish(&mut world, 0);
    forget(&world.shop, &session(0), Forgetting::ForReal).unwrap();
    let rule = format!("never touch `{}/`", WORDS[0]);
    world.wish("another-session", WEB, StandingInstruction, &rule);
    world.later(4);
    assert!(world.run().edit.is_some());
    let text = world.text();
    assert!(text.contains(WORDS[0]));
    forget(&world.shop, &session(0), Forgetting::ForReal).unwrap();
    assert_eq!(world.text(), text);
}

#[test]
fn a_pinned_check_of_a_forgotten_line_goes_with_it() {
    let mut world = World::with("- Be kind.\n");
    wish(&mut world, 0);
    let line = world.broadcast().lines.into_iter().find(|line| line.text.contains(WORDS[0])).unwrap();
    let path = world.shop.folder.checks().join(format!("{}.yaml", line.hash));
    let pinned = std::fs::read_to_string(&path).unwrap().replace("by: rules", "by: person");
    std::fs::write(&path, pinned).unwrap();
    forget(&world.shop, &session(0), Forgetting::ForReal).unwrap();
    map_again(&world);
    assert_eq!(places_of(&world, WORDS[0]), [""; 0]);
}

#[test]
fn a_revert_makes_no_second_line_of_words_that_stand_there_already() {
    let mut world = World::with("- Be kind.\n");
    wish(&mut world, 0);
    let rule = format!("Never touch `{}/`", WORDS[0]);
    world.about(
        &rule,
        Side::Against,
        &session(1),
        WEB,
        StandingInstruction,
        &format!("always run `make {}` before you commit", WORDS[1]),
    );
    world.later(4);
    let rewritten = world.run().edit.unwrap().id;
    let again = wish(&mut world, 0);
    let lines = || world.text().matches(WORDS[0]).count();
    assert_eq!(lines(), 1);
    revert(&world.shop, &rewritten).unwrap();
    assert_eq!(lines(), 1, "{}", world.text());
    revert(&world.shop, &again).unwrap();
    forget(&world.shop, &session(0), Forgetting::ForReal).unwrap();
    map_again(&world);
    assert_eq!(places_of(&world, WORDS[0]), [""; 0], "{}", world.text());
}

#[test]
fn what_another_session_said_for_the_line_is_heard_again() {
    let mut world = World::with("- Be kind.\n");
    wish(&mut world, 0);
    let rule = format!("never touch `{}/`", WORDS[0]);
    let said = format!("Never touch `{}/`", WORDS[0]);
    world.about(&said, Side::With, "another-session", WEB, StandingInstruction, &rule);
    let text = world.text();
    forget(&world.shop, &session(0), Forgetting::ForReal).unwrap();
    map_again(&world);
    assert_eq!(world.text(), "- Be kind.\n");
    world.run();
    assert_eq!(world.text(), text, "the order of the other session stands, at once");
    forget(&world.shop, "another-session", Forgetting::ForReal).unwrap();
    map_again(&world);
    assert_eq!(places_of(&world, WORDS[0]), [""; 0]);
}

#[test]
fn what_another_session_said_against_the_line_is_not_heard_as_a_wish_for_it() {
    let mut world = World::with("- Be kind.\n");
    wish(&mut world, 0);
    let said = format!("Never touch `{}/`", WORDS[0]);
    world.about(&said, Side::Against, "another-session", WEB, SignalKind::Correction, "drop that rule");
    forget(&world.shop, &session(0), Forgetting::ForReal).unwrap();
    map_again(&world);
    world.later(4);
    assert_eq!((world.run().edit, world.text().as_str()), (None, "- Be kind.\n"));
}

#[test]
fn a_line_that_a_person_took_out_and_wrote_again_is_theirs() {
    let mut world = World::with("- Be kind.\n");
    wish(&mut world, 0);
    let with = world.text();
    let saves = |text: &str| {
        std::fs::write(world.shop.folder.broadcast(), text).unwrap();
        Stood::note(&world.shop, &world.broadcast(), &world.journal()).unwrap();
    };
    saves("- Be kind.\n");
    saves(&with);
    assert_eq!(forget(&world.shop, &session(0), Forgetting::ForReal).unwrap().edit, None);
    assert_eq!(world.text(), with);
}

#[test]
fn a_line_that_an_edit_brought_back_after_a_person_took_it_out_is_forgotten() {
    let mut world = World::with("- Be kind.\n");
    wish(&mut world, 0);
    std::fs::write(world.shop.folder.broadcast(), "- Be kind.\n").unwrap();
    Stood::note(&world.shop, &world.broadcast(), &world.journal()).unwrap();
    let rule = format!("Never touch `{}/`.", WORDS[0]);
    world.wish(&session(1), WEB, StandingInstruction, &rule);
    world.later(4);
    let proposal = Proposal::read_all(&*world.shop.disk, &world.shop.folder).unwrap().waiting;
    assert!(world.run().edit.is_none() && proposal.is_empty());
    let proposal = Proposal::read_all(&*world.shop.disk, &world.shop.folder).unwrap().waiting.remove(0);
    accept(&world.shop, &proposal.id).unwrap();
    assert!(world.text().contains(WORDS[0]));
    forget(&world.shop, &session(1), Forgetting::ForReal).unwrap();
    assert!(!world.text().contains(WORDS[0]), "{}", world.text());
}

#[test]
fn a_second_line_that_a_person_wrote_beside_the_learned_one_stays() {
    let mut world = World::with("- Be kind.\n");
    wish(&mut world, 0);
    let line = world.broadcast().lines.into_iter().find(|line| line.text.contains(WORDS[0])).unwrap().text;
    let twice = world.text().replace(&line, &format!("{line}\n{line}"));
    std::fs::write(world.shop.folder.broadcast(), &twice).unwrap();
    forget(&world.shop, &session(0), Forgetting::ForReal).unwrap();
    assert_eq!(world.text().matches(WORDS[0]).count(), 1, "{}", world.text());
}

/// What happens next.
#[derive(Debug, Clone)]
enum Act {
    Wish(usize),
    /// A session wants another rule in the place of one that is there.
    Rewrite(usize, usize),
    /// An edit is taken back, which may itself have taken something back.
    Revert(usize),
    Accept(usize),
    Forget(usize),
}

fn act() -> impl Strategy<Value = Act> {
    let who = 0..WORDS.len();
    prop_oneof![
        3 => who.clone().prop_map(Act::Wish),
        3 => (who.clone(), 0..6usize).prop_map(|(who, line)| Act::Rewrite(who, line)),
        6 => (0..12usize).prop_map(Act::Revert),
        1 => (0..4usize).prop_map(Act::Accept),
        2 => who.prop_map(Act::Forget),
    ]
}

struct Story {
    world: World,
    forgotten: Vec<usize>,
    times: usize,
}

impl Story {
    fn play(&mut self, act: &Act) {
        self.world.later(4);
        self.times += 1;
        match *act {
            Act::Wish(who) if !self.forgotten.contains(&who) => {
                let text = format!("never touch `{}/` number{}", WORDS[who], self.times % 3);
                self.world.wish(&session(who), WEB, StandingInstruction, &text);
                self.world.run();
            }
            Act::Rewrite(who, line) if !self.forgotten.contains(&who) => {
                let lines = self.world.broadcast().lines;
                let Some(line) = lines.get(line) else { return };
                let rule = line.text.trim_start_matches(['-', ' ']).to_owned();
                let text =
                    format!("always run `make {} number{}` before you commit", WORDS[who], self.times % 3);
                self.world.about(&rule, Side::Against, &session(who), WEB, StandingInstruction, &text);
                self.world.run();
            }
            Act::Revert(edit) => {
                let edits = self.world.journal().edits;
                let Some(edit) = edits.get(edit) else { return };
                // Refusals are fine; failures are not.
                if let Err(DecisionError::Weave(error)) = revert(&self.world.shop, &edit.id) {
                    panic!("{error}");
                }
            }
            Act::Accept(proposal) => {
                let waiting =
                    Proposal::read_all(&*self.world.shop.disk, &self.world.shop.folder).unwrap().waiting;
                let Some(proposal) = waiting.get(proposal) else { return };
                if let Err(DecisionError::Weave(error)) = accept(&self.world.shop, &proposal.id) {
                    panic!("{error}");
                }
            }
            Act::Forget(who) => {
                forget(&self.world.shop, &session(who), Forgetting::ForReal).unwrap();
                self.forgotten.push(who);
            }
            Act::Wish(_) | Act::Rewrite(..) => return,
        }
        map_again(&self.world);
        for who in &self.forgotten {
            assert_eq!(places_of(&self.world, WORDS[*who]), [""; 0], "{}", self.world.text());
        }
    }
}

/// Plays a history, and lets everybody be forgotten behind it.
fn play(acts: &[Act], proposes: bool) {
    let mut world = World::with("- Be kind.\n- Use tabs.\n- Keep functions small.\n- Write tests.\n");
    if proposes {
        world.shop.settings.mode = BroadcastMode::Propose;
    }
    let mut story = Story { world, forgotten: Vec::new(), times: 0 };
    for act in acts {
        story.play(act);
    }
    for who in 0..WORDS.len() {
        story.play(&Act::Forget(who));
    }
    // Nothing of anybody is left, and nothing brings it back.
    for edit in Journal::read(&*story.world.shop.disk, &story.world.shop.folder).unwrap().edits {
        let _ = revert(&story.world.shop, &edit.id);
    }
    map_again(&story.world);
    for word in WORDS {
        assert_eq!(places_of(&story.world, word), [""; 0]);
    }
}

fn histories(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(histories(24))]

    #[test]
    fn no_history_of_edits_leaves_words_that_were_forgotten(
        acts in proptest::collection::vec(act(), 1..16),
        proposes in proptest::bool::weighted(0.2),
    ) {
        play(&acts, proposes);
    }
}

proptest! {
    #![proptest_config(histories(4_000))]

    #[test]
    #[ignore = "takes minutes: some dozens of histories are played above"]
    fn none_of_thousands_of_histories_leaves_words_that_were_forgotten(
        acts in proptest::collection::vec(act(), 1..24),
        proposes in proptest::bool::weighted(0.2),
    ) {
        play(&acts, proposes);
    }
}
