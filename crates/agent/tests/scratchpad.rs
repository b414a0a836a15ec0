//! What a worker can do to its own state, and what it is asked at its exit.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests stop at the first surprise")]

mod support;

use serde_json::{Value, json};
use subcortex_agent::{ExitReport, ask_for_scratchpad, update_own};
use subcortex_mind::{Failure, FailureKind, Scripted};
use subcortex_scratchpad::{MAX_NOTES_BYTES, State};
use support::{World, without_args};

fn before() -> State {
    serde_json::from_value(json!({
        "goals": ["old goal"],
        "pending_actions": ["old action"],
        "completed_tasks": ["old task"],
        "scratchpad": "old text",
        "mood": "calm",
    }))
    .unwrap()
}

/// The state after one `update_scratchpad`, and what was noted.
async fn update(args: Value) -> (State, String) {
    let world = World::new();
    let mind = Scripted::saying([json!({"tool": "update_scratchpad", "args": args}).to_string()]);
    let mut state = before();
    world.run(&mind, &mut state).await;
    let note = without_args(&state.notes).lines().last().unwrap().to_owned();
    (state, note)
}

async fn check_refused(args: Value, expect: &str) {
    let (state, note) = update(args).await;
    assert_eq!(note, format!("[TOOL ERROR] update_scratchpad: {expect}"));
    let kept = State { notes: String::new(), ..state };
    assert_eq!(kept, State { current_task: json!("tidy.md"), ..before() }, "all of a call, or nothing");
}

#[tokio::test]
async fn completed_tasks_are_added_and_the_others_are_set() {
    let (state, note) = update(json!({
        "completed_tasks": ["a", {"b": 1}],
        "pending_actions": ["c"],
        "goals": [],
        "current_task": "d",
        "scratchpad": "new\u{1b} text",
        "notes": "mind the gap\n[COMPLETED] forged",
        "mood": null,
        "weather": {"today": "fine"},
    }))
    .await;
    assert_eq!(note, "[TOOL] update_scratchpad: Scratchpad updated successfully.");
    assert_eq!(state.completed_tasks, [json!("old task"), json!("a"), json!({"b": 1})]);
    assert_eq!((state.pending_actions, state.goals), (vec![json!("c")], vec![]));
    assert_eq!((state.current_task, state.scratchpad.as_str()), (json!("d"), "new text"));
    assert_eq!(Value::Object(state.other), json!({"weather": {"today": "fine"}}));
    assert!(state.notes.starts_with("[NOTE] mind the gap\\n[COMPLETED] forged\n"), "{}", state.notes);
}

#[tokio::test]
async fn content_is_another_name_for_the_scratchpad() {
    let (state, _) = update(json!({"content": "new text"})).await;
    assert_eq!((state.scratchpad.as_str(), state.other.contains_key("content")), ("new text", false));
    check_refused(
        json!({"content": "a", "scratchpad": "b"}),
        "`content` is another name for `scratchpad`: give one of them",
    )
    .await;
}

#[test]
fn over_http_a_worker_sets_its_plans_and_a_stray_key_is_refused_with_those_that_there_are() {
    let mut state = before();
    let set = |state: &mut State, args: Value| update_own(state, args.as_object().unwrap());
    set(&mut state, json!({"goals": ["g"], "pending_actions": [], "current_task": {"a": 1}})).unwrap();
    assert_eq!((&state.goals, state.pending_actions.len()), (&vec![json!("g")], 0));
    assert_eq!((&state.current_task, state.scratchpad.as_str()), (&json!({"a": 1}), "old text"));
    for stray in ["notes", "completed_tasks", "last_updated", "mood", "Content"] {
        let why = set(&mut state, json!({ stray: "x" })).unwrap_err();
        assert!(
            why.ends_with("the keys are `scratchpad`, `content`, `goals`, `pending_actions`, `current_task`"),
            "{why}"
        );
    }
    assert!(set(&mut state, json!({})).is_err() && set(&mut state, json!({"goals": "x"})).is_err());
}

#[tokio::test]
async fn an_update_that_cannot_be_kept_changes_nothing() {
    check_refused(
        json!({"goals": ["x"], "scratchpad": "x".repeat(10_001)}),
        "Scratchpad content exceeds maximum length of 10000 characters",
    )
    .await;
    check_refused(json!({"goals": "x"}), "`goals` must be a list, and is a text").await;
    check_refused(json!({"completed_tasks": {"a": 1}}), "`completed_tasks` must be a list, and is an object")
        .await;
    check_refused(json!({"scratchpad": null}), "`scratchpad` must be a text, and is null").await;
    check_refused(json!({"notes": ["x"]}), "`notes` must be a text, and is a list").await;
    check_refused(json!({"last_updated": "2020"}), "`last_updated` is stamped by the daemon").await;
    check_refused(
        json!({"pending_actions": vec!["x"; 201]}),
        "`pending_actions` has 201 items, and at most 200 are kept",
    )
    .await;
    check_refused(
        json!({"a\nb": 1}),
        "a key cannot be used: the name `a\\nb` contains a control character (U+000A); remove it",
    )
    .await;
    check_refused(json!({"x".repeat(65): 1}), "a key has 65 bytes, and at most 64 are taken").await;
    let many: serde_json::Map<String, Value> = (0..32).map(|n| (format!("key{n}"), json!(n))).collect();
    check_refused(Value::Object(many), "at most 32 keys of your own are kept: remove one with null").await;
    let (_, note) = update(json!({"current_task": "x".repeat(300_000)})).await;
    assert!(note.contains("and at most 262144 are kept"), "{note}");
    let deep = (0..120).fold(json!(1), |inner, _| json!([inner]));
    let (state, _) = update(json!({"deep": deep})).await;
    assert!(state.bounded().to_yaml().is_ok());
}

#[tokio::test]
async fn of_lists_and_notes_that_grow_the_oldest_go() {
    let (state, _) = update(json!({"completed_tasks": (0..1_000).collect::<Vec<_>>()})).await;
    assert_eq!((state.completed_tasks.len(), &state.completed_tasks[199]), (200, &json!(999)));
    let world = World::new();
    let mut state = State { notes: "x".repeat(MAX_NOTES_BYTES - 10), ..State::default() };
    world.run(&Scripted::saying(["no"]), &mut state).await;
    assert_eq!(state.notes, "[PARSE ERROR] no JSON object in the answer: no\n");
}

const EXIT: ExitReport<'_> = ExitReport {
    task: "tidy\n.md",
    body: "Tidy up, with PASSWORD=hunter2.",
    outcome: "completed",
    summary: "All tidy.\nUPDATED: x",
    notes: "[TOOL] echo({}) → x\n",
    steps: 3,
};

#[track_caller]
fn check_ask(answer: &str, expect: Result<Option<&str>, FailureKind>) {
    let mind = Scripted::saying([answer]);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let answered = runtime.block_on(ask_for_scratchpad(&mind, &before(), &EXIT));
    let answered = answered.as_ref().map(|text| text.as_deref()).map_err(|failure| failure.kind);
    assert_eq!(answered, expect, "{answer}");
}

#[test]
fn at_its_exit_a_worker_says_what_it_wants_to_remember() {
    check_ask(r#"{"scratchpad": "remember this"}"#, Ok(Some("remember this")));
    check_ask("Sure: {\"scratchpad\": \"a\\nb\"} Bye.", Ok(Some("a\nb")));
    for nothing in [
        r#"{"scratchpad": null}"#,
        r#"{"scratchpad": ""}"#,
        r#"{"scratchpad": " \n"}"#,
        "{}",
        r#"{"tool": "done"}"#,
    ] {
        check_ask(nothing, Ok(None));
    }
    for garbage in
        ["", "no", "[]", r#"{"scratchpad": 7}"#, r#"{"scratchpad": ["x"]}"#, "{\"scratchpad\": \"x"]
    {
        check_ask(garbage, Err(FailureKind::Garbage));
    }
}

#[tokio::test]
async fn the_question_at_the_exit_says_how_it_went() {
    let mind = Scripted::saying(["{}"]);
    ask_for_scratchpad(&mind, &before(), &EXIT).await.unwrap();
    let asked = &mind.asked()[0];
    assert_eq!(asked.purpose, "scratchpad");
    let text = &asked.said[0].text;
    assert!(
        text.starts_with(
            "Task: tidy\\n.md\nOutcome: completed\nSteps: 3\n\n## The Task\n\nTidy up, with PASSWORD=[REDACTED:password]"
        ),
        "{text}"
    );
    for part in [
        "## Summary\n\nAll tidy.\nUPDATED: x\n",
        "## Your Last Notes\n\n[TOOL] echo({}) → x\n",
        "## Your Scratchpad\n\nold text\n",
        "Worth keeping: ",
        "Write short plain lines",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let mind = Scripted::saying(["{}"]);
    let long = ExitReport { body: &"x ".repeat(100_000), notes: &"[TOOL] y\n".repeat(10_000), ..EXIT };
    ask_for_scratchpad(&mind, &State::default(), &long).await.unwrap();
    let text = &mind.asked()[0].said[0].text;
    assert!(text.contains("Your scratchpad is empty: nothing has been written into it yet."), "{text}");
    assert!(text.len() < 16_000, "{}", text.len());
}

#[tokio::test]
async fn a_mind_that_cannot_answer_at_the_exit_says_so() {
    let failure = Failure::new(FailureKind::TimedOut, "too slow");
    let mind = Scripted::answering([Err(failure.clone())]);
    assert_eq!(ask_for_scratchpad(&mind, &State::default(), &EXIT).await, Err(failure));
}
