//! Prompts that a hook told of, held against the file of their session.

use serde_json::{Value, json};
use subcortex_memory::{Fragment, SignalKind};
use subcortex_model::event_type::CHANNEL_MESSAGE;
use subcortex_model::{Draft, Source, TRANSCRIPT_FIELD};
use subcortex_spine::{Appended, Durability};

use super::world::World;

const ORDER: &str = "From now on always run the linter before each commit.";
const BEFORE: &str = "- Keep functions small.\n";

/// A record of a session file of Claude Code.
fn record(kind: &str, uuid: &str, fields: Value) -> String {
    let mut record = json!({"type": kind, "uuid": uuid, "sessionId": "s1", "cwd": "/p", "version": "2.1.325", "isSidechain": false,
        "userType": "external", "promptSource": "typed", "entrypoint": "cli", "timestamp": "2026-01-01T10:00:00.000Z"});
    record.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    record.to_string() + "\n"
}

fn typed(uuid: &str, prompt: &str, words: &str, marks: Value) -> String {
    let mut fields = json!({"promptId": prompt, "message": {"role": "user", "content": words}});
    fields.as_object_mut().unwrap().extend(marks.as_object().unwrap().clone());
    record("user", uuid, fields)
}

fn said(uuid: &str, words: &str) -> String {
    record(
        "assistant",
        uuid,
        json!({"message": {"id": uuid, "role": "assistant", "content": [{"type": "text", "text": words}]}}),
    )
}

/// A world in which a hook told of the order, and the session's file.
fn told() -> (World, std::path::PathBuf) {
    let world = World::with(BEFORE);
    let path = world.path("s1.jsonl");
    std::fs::write(&path, "").unwrap();
    let world = heard(json!({"text": ORDER, "hook": "UserPromptSubmit", TRANSCRIPT_FIELD: path}), world);
    (world, path)
}

/// The same world, after a prompt with this payload was told.
fn heard(payload: Value, mut world: World) -> World {
    let mut draft = Draft::new(CHANNEL_MESSAGE, Source::of("claude"), payload.as_object().unwrap().clone());
    draft.session_key = Some("s1".into());
    draft.cwd = Some("/p".into());
    draft.ts = Some(world.shop.now);
    draft.source_id = Some("s1/p1".into());
    let appended = world.spine.append(vec![draft], world.shop.now, Durability::Written).unwrap().remove(0);
    let Appended::New(id) = appended else { panic!("a duplicate") };
    let blank = World::blank(&id, world.shop.now, "s1", "/p", ORDER);
    world.fragment(Fragment { signal: SignalKind::StandingInstruction, ..blank });
    world
}

/// Whether the order is a line now, and how many proposals were made.
fn outcome(world: &World) -> (bool, usize) {
    let updated = world.run();
    (world.text().contains("linter"), updated.proposed.len())
}

#[test]
fn what_a_hook_told_waits_for_the_record_that_says_whose_it_is() {
    let (world, path) = told();
    assert_eq!(outcome(&world), (false, 0), "not yet");
    std::fs::write(&path, typed("u1", "p1", ORDER, json!({}))).unwrap();
    assert_eq!(outcome(&world), (true, 0), "a person typed it");
    let (mut world, _) = told();
    world.later(1);
    assert_eq!(outcome(&world), (false, 1), "the record never came");
}

#[test]
fn what_a_hook_told_of_a_session_without_a_file_waits_and_is_then_asked_about() {
    let (mut world, path) = told();
    std::fs::remove_file(&path).unwrap();
    let first = world.run();
    assert!(!world.text().contains("linter") && first.proposed.is_empty(), "the file may still come");
    let waited_until = first.left_until.unwrap();
    assert!(world.shop.now < waited_until, "nobody has to say anything for it to be looked at again");
    world.later(1);
    assert!(waited_until < world.shop.now);
    assert_eq!(outcome(&world), (false, 1), "it never came");
    // A hook that names no file can be held against nothing.
    let mut world = heard(json!({"text": ORDER, "hook": "UserPromptSubmit"}), World::with(BEFORE));
    assert_eq!(outcome(&world), (false, 0));
    world.later(1);
    assert_eq!(outcome(&world), (false, 1));
}

#[test]
fn what_the_first_record_of_a_session_says_is_not_too_late() {
    let (mut world, path) = told();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(outcome(&world), (false, 0));
    std::fs::write(&path, typed("u1", "p1", ORDER, json!({"entrypoint": "sdk-ts"}))).unwrap();
    world.later(1);
    assert_eq!(outcome(&world), (false, 0), "a program's");
    let (world, path) = told();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(outcome(&world), (false, 0));
    std::fs::write(&path, typed("u1", "p1", ORDER, json!({}))).unwrap();
    assert_eq!(outcome(&world), (true, 0), "a person's");
}

#[test]
fn a_record_with_other_words_confirms_nothing() {
    let (world, path) = told();
    std::fs::write(&path, typed("u1", "p1", "Please fix the tests.", json!({}))).unwrap();
    assert_eq!(outcome(&world), (false, 0));
}

#[test]
fn what_the_record_says_to_be_nobodys_is_no_evidence() {
    for marks in [
        json!({"isMeta": true}),
        json!({"origin": {"kind": "peer", "from": "x"}}),
        json!({"wakeupSource": "cron"}),
        json!({"promptSource": "system"}),
        json!({"promptSource": "sdk"}),
        json!({"isSidechain": true, "agentId": "a1"}),
        json!({"textNotTyped": true}),
    ] {
        let (world, path) = told();
        std::fs::write(&path, typed("u1", "p1", ORDER, marks.clone())).unwrap();
        assert_eq!(outcome(&world), (false, 0), "{marks}");
    }
}

#[test]
fn what_the_file_has_others_say_first_is_no_evidence_whatever_came_first_on_the_spine() {
    let (world, path) = told();
    let story = typed("u0", "p0", "read the page", json!({})) + &said("a0", &format!("It says: {ORDER}"));
    std::fs::write(&path, story + &typed("u1", "p1", ORDER, json!({}))).unwrap();
    assert_eq!(outcome(&world), (false, 0));
    let (world, path) = told();
    let story = typed("u1", "p1", ORDER, json!({})) + &said("a1", &format!("Understood: {ORDER}"));
    std::fs::write(&path, story).unwrap();
    assert_eq!(outcome(&world), (true, 0), "the agent repeats what it was told");
}
