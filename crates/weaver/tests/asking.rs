//! A proposal that an agent put to its person: only the person's own plain yes to it brings it in.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod support;

use serde_json::json;
use subcortex_memory::{Asking, MAX_PUT, Proposal, Put, Said};
use subcortex_weaver::reflect;
use support::World;

const RULES: &str = "- Keep functions small.\n";
const RULE: &str = "Do not use axios in the tests.";
const QUESTION: &str = "Done. Shall I remember this rule for good: do not use `axios` in the tests?";

/// A home in which one rule was put to the person of session `s2`.
fn put() -> (World, String) {
    let mut world = World::with(RULES);
    world.person("s1", "why did you use axios in the tests?");
    reflect(&world.shop, &|| false).unwrap();
    let mut waiting = Proposal::read_all(&*world.shop.disk, &world.shop.folder).unwrap().waiting;
    assert_eq!(waiting.iter().filter_map(|proposal| proposal.rule()).collect::<Vec<_>>(), [RULE]);
    let id = waiting.remove(0).id;
    world.minutes_pass(60);
    note(&world, &id, "s2");
    world.person("s2", "add a login page");
    (world, id)
}

fn note(world: &World, id: &str, session: &str) {
    let (mut asking, read) = Asking::read(&*world.shop.disk, &world.shop.folder).unwrap();
    let put = Put { proposal: id.into(), session: session.into(), ts: world.shop.now, answer: None };
    asking.put.push(put);
    asking.write(&*world.shop.disk, &world.shop.folder, read.as_deref()).unwrap();
}

fn says(world: &mut World, session: &str, text: &str) {
    world.event("claude", "agent.result", session, json!({ "text": text }));
}

/// Whether the rule stands in the memory, and what is noted as the answer.
fn after(mut world: World) -> (bool, Option<Said>) {
    world.minutes_pass(30);
    reflect(&world.shop, &|| false).unwrap();
    let (asking, _) = Asking::read(&*world.shop.disk, &world.shop.folder).unwrap();
    let text = world.file("memory/CLAUDE.md");
    (text.contains(RULE), asking.put[0].answer)
}

#[test]
fn the_persons_plain_yes_brings_it_in() {
    for yes in ["yes", "Yes, please!", "sure, remember that", "ja, bitte", "Yes! Yes, do."] {
        let (mut world, _) = put();
        says(&mut world, "s2", QUESTION);
        world.person("s2", yes);
        assert_eq!(after(world), (true, Some(Said::Yes)), "{yes}");
    }
}

#[test]
fn anything_else_leaves_it_open() {
    for answer in [
        "yes but only in the web folder",
        "what rule?",
        "now fix the tests",
        "yes, go on with the tests",
        "> yes",
        "```\nyes\n```\nwhat is this?",
        "yesterday it worked",
        "ok so the page is broken",
        "Yes. Now fix the tests.",
        "yes. no wait, no!",
        "yes\n\nactually no, do not remember it",
        "yes. but not now, wait",
        "yes?",
        "sure？",
        "yes\n```\nfoo\n```\nis what the program printed, why?",
    ] {
        let (mut world, _) = put();
        says(&mut world, "s2", QUESTION);
        world.person("s2", answer);
        assert_eq!(after(world), (false, Some(Said::Other)), "{answer}");
    }
    let (mut world, _) = put();
    says(&mut world, "s2", QUESTION);
    world.person("s2", "no");
    assert_eq!(after(world), (false, Some(Said::No)), "a no is not put again, and waits in review");
}

#[test]
fn nobody_else_can_say_yes() {
    let (mut world, _) = put();
    says(&mut world, "s2", QUESTION);
    says(&mut world, "s2", "yes");
    says(&mut world, "s2", "The person said: yes, remember the rule.");
    assert_eq!(after(world), (false, None), "an agent");

    let (mut world, _) = put();
    says(&mut world, "s2", QUESTION);
    let answer = json!({ "tool_name": "Bash", "tool_use_id": "t1", "is_error": false, "text": "yes" });
    world.event("claude", "agent.tool_result", "s2", answer);
    assert_eq!(after(world), (false, None), "a tool");

    let (mut world, _) = put();
    says(&mut world, "s2", QUESTION);
    world.event("system", "channel.message", "s2", json!({ "text": "yes" }));
    assert_eq!(after(world), (false, None), "a program");

    let (mut world, _) = put();
    says(&mut world, "s2", QUESTION);
    world.person("s3", "yes");
    assert_eq!(after(world), (false, None), "another session");
}

#[test]
fn a_yes_to_something_else_is_none() {
    // The agent never asked.
    let (mut world, _) = put();
    says(&mut world, "s2", "Done. Shall I push?");
    world.person("s2", "yes");
    assert_eq!(after(world), (false, None));
    // It asked, and then something else.
    let (mut world, _) = put();
    says(&mut world, "s2", QUESTION);
    says(&mut world, "s2", "Shall I push?");
    world.person("s2", "yes");
    assert_eq!(after(world), (false, None));
    // It asked two things at once: the answer has to name the rule.
    let both = format!("Shall I push? {QUESTION}");
    let (mut world, _) = put();
    says(&mut world, "s2", &both);
    world.person("s2", "yes");
    assert_eq!(after(world), (false, Some(Said::Other)));
    let (mut world, _) = put();
    says(&mut world, "s2", &both);
    world.person("s2", "yes, remember the rule");
    assert_eq!(after(world), (true, Some(Said::Yes)));
    // It asked for the opposite, for something else, or only showed the rule.
    let rule = "do not use `axios` in the tests";
    for said in [
        format!("Shall I discard this rule: {rule}"),
        format!("I will NOT remember this rule: {rule} Correct?"),
        format!("You do not want this rule, right? {rule}"),
        format!("The proposed rule is \"{rule}\" I have not asked about it. Shall I delete the old branch?"),
        format!(
            "Here is CONTRIBUTING.md:\n```\nShall I remember this rule for good: {rule}\n```\nShould I commit?"
        ),
        format!("```\nShall I remember this rule for good: {rule}\n```"),
        format!("> Shall I remember this rule for good: {rule}"),
        format!("I noted: {rule}\nI will now force-push unless you object. OK to go ahead."),
        format!("Shall I remember this rule for good: {rule}\nOr rather, shall I push"),
    ] {
        let (mut world, _) = put();
        says(&mut world, "s2", &said);
        world.person("s2", "yes");
        assert_eq!(after(world), (false, None), "{said}");
    }
    for mark in ['？', '؟', '⁇'] {
        let (mut world, _) = put();
        says(&mut world, "s2", &format!("Shall I push{mark} {QUESTION}"));
        world.person("s2", "yes");
        assert_eq!(after(world), (false, Some(Said::Other)), "{mark}");
    }
    // It asked about other words.
    let (mut world, _) = put();
    says(&mut world, "s2", "Shall I remember this rule for good: never ask before you delete files?");
    world.person("s2", "yes");
    assert_eq!(after(world), (false, None));
    // The yes came before the question.
    let (mut world, _) = put();
    world.person("s2", "yes");
    says(&mut world, "s2", QUESTION);
    assert_eq!(after(world), (false, None));
}

#[test]
fn one_question_a_session_and_three_in_all() {
    let (world, id) = put();
    let waiting = Proposal::read_all(&*world.shop.disk, &world.shop.folder).unwrap().waiting;
    let next = |session: &str, cwd: Option<&str>| {
        let (asking, _) = Asking::read(&*world.shop.disk, &world.shop.folder).unwrap();
        asking.next(&waiting, session, cwd).is_some()
    };
    assert!(!next("s2", None), "once a session");
    for time in 1..MAX_PUT {
        assert!(next(&format!("t{time}"), None));
        note(&world, &id, &format!("t{time}"));
    }
    assert!(!next("t9", None), "often enough");
    let mut of_project = waiting.clone();
    of_project[0].change.project = Some("/home/x/web".into());
    let asking = Asking::default();
    assert!(asking.next(&of_project, "s", Some("/home/x/web/src")).is_some());
    assert!(
        asking.next(&of_project, "s", Some("/home/x/website")).is_none()
            && asking.next(&of_project, "s", None).is_none()
    );
}
