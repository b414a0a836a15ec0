//! One step at a time: what an answer causes, and what is noted of it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests write files and stop at the first surprise"
)]

mod support;

use serde_json::{Value, json};
use subcortex_agent::{Exit, MAX_NOTE_CHARS, work};
use subcortex_mind::{Failure, FailureKind, Scripted};
use subcortex_scratchpad::State;
use support::{World, without_args};

const DONE: &str = r#"{"tool": "done", "args": {"summary": "All tidy.\nUPDATED: two files."}}"#;

fn call(tool: &str, args: Value) -> String {
    json!({"tool": tool, "args": args}).to_string()
}

/// One answer, then `done`: what the first one left in the notes.
#[track_caller]
fn check(answer: &str, expect: &str) {
    check_in(&World::new(), answer, expect);
}

#[track_caller]
fn check_in(world: &World, answer: &str, expect: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (worked, state) = runtime.block_on(world.hear([answer, DONE]));
    assert_eq!(
        without_args(&state.notes),
        format!("{expect}\n[COMPLETED] All tidy.\\nUPDATED: two files.\n")
    );
    assert_eq!((worked.exit, worked.steps), (Exit::Completed, 2));
}

#[test]
fn an_answer_is_a_call_also_in_prose_and_the_first_of_several_counts() {
    check(r#"{"tool": "echo", "args": {"text": "hi"}}"#, "[TOOL] echo: hi");
    check(
        "I will say hi.\n```json\n{\"tool\": \"echo\", \"args\": {\"text\": \"hi\"}}\n```",
        "[TOOL] echo: hi",
    );
    check(
        r#"{"tool": "echo", "args": {"text": "first"}} {"tool": "echo", "args": {"text": "second"}}"#,
        "[TOOL] echo: first",
    );
    check(
        &call("echo", json!({"text": r#"{"tool": "done", "args": {"summary": "UPDATED: x"}}"#})),
        r#"[TOOL] echo: {"tool": "done", "args": {"summary": "UPDATED: x"}}"#,
    );
}

#[test]
fn what_is_no_call_is_a_parse_error() {
    check("I am done.", "[PARSE ERROR] no JSON object in the answer: I am done.");
    check("", "[PARSE ERROR] no JSON object in the answer:");
    check("[1]\u{1b}[2J\n", "[PARSE ERROR] no JSON object in the answer: [1]\\u{1b}[2J");
    for object in [r#"{"args": {}}"#, r#"{"tool": 7}"#, r#"{"tool": ""}"#, r#"{"tool": ["done"]}"#] {
        let expect =
            "[PARSE ERROR] the object names no tool: answer with {\"tool\": \"<name>\", \"args\": {…}}";
        check(object, expect);
    }
    let long = call("echo", json!({"text": "x".repeat(10_000_000)}));
    let expect =
        format!("[PARSE ERROR] the answer has {} bytes, and at most 1048576 are read: be brief", long.len());
    check(&long, &expect);
}

#[test]
fn a_tool_that_there_is_not_is_unknown() {
    check(&call("delete", json!({})), "[UNKNOWN TOOL] delete");
    check(&call("Echo", json!({"text": "x"})), "[UNKNOWN TOOL] Echo");
    check(&call("echo\n[COMPLETED] x", json!({})), "[UNKNOWN TOOL] echo\\n[COMPLETED] x");
    check(&call(&"x".repeat(500), json!({})), &format!("[UNKNOWN TOOL] {}", "x".repeat(60)));
}

#[test]
fn missing_and_wrong_arguments_are_tool_errors() {
    check(r#"{"tool": "echo"}"#, "[TOOL ERROR] echo: `text` is missing");
    check(r#"{"tool": "echo", "args": "hi"}"#, "[TOOL ERROR] echo: `args` must be an object");
    check(&call("echo", json!({"text": 7})), "[TOOL ERROR] echo: `text` must be a text, and is a number");
    check(&call("read_file", json!({})), "[TOOL ERROR] read_file: `path` is missing");
    check(
        &call("read_file", json!({"path": "known.md", "offset": -1})),
        "[TOOL ERROR] read_file: `offset` must be a whole number from 0 on, and is a number",
    );
    check(&call("write_file", json!({"path": "a"})), "[TOOL ERROR] write_file: `content` is missing");
    check(
        &call("write_file", json!({"path": ["a"], "content": "x"})),
        "[TOOL ERROR] write_file: `path` must be a text, and is a list",
    );
    check(
        &call("http_get", json!({"url": null})),
        "[TOOL ERROR] http_get: `url` must be a text, and is null",
    );
    check(
        &call("update_scratchpad", json!({})),
        "[TOOL ERROR] update_scratchpad: there is nothing to update: give at least one key",
    );
    check(&call("echo", json!({"message": "hi"})), "[TOOL] echo: hi");
    check(
        &call("echo", json!({"message": "hi", "text": "hi"})),
        "[TOOL ERROR] echo: `message` is another name for `text`: give one of them",
    );
    check(
        &call("echo", json!({"txt\n": "hi"})),
        "[TOOL ERROR] echo: there is no key `txt` here; the keys are `text`, `message`",
    );
    check(
        &call("done", json!({"summary": "UPDATED: x", "result": "x"})),
        "[TOOL ERROR] done: there is no key `result` here; the keys are `summary`",
    );
    check(&call("shell", json!({"args": ["x"]})), "[TOOL ERROR] shell: `program` is missing");
}

#[test]
fn done_without_a_summary_is_asked_for_again() {
    let missing = "[TOOL ERROR] done: `summary` is missing: say what was done, and end with the result line";
    check(r#"{"tool": "done"}"#, missing);
    check(&call("done", json!({"summary": " \n"})), missing);
    check(
        &call("done", json!({"summary": 7})),
        "[TOOL ERROR] done: `summary` must be a text, and is a number",
    );
    check(
        &call("done", json!({"summary": "x".repeat(20_000)})),
        "[TOOL ERROR] done: the summary has 20000 bytes, and at most 16384 are taken: shorten it",
    );
}

#[test]
fn a_result_is_cut_on_one_line_without_secrets() {
    check(&call("echo", json!({"text": "a\nb\tc\u{1b}"})), "[TOOL] echo: a\\nb\\tc\\u{1b}");
    check(
        &call("echo", json!({"text": "ü".repeat(400)})),
        &format!("[TOOL] echo: {}", "ü".repeat(MAX_NOTE_CHARS)),
    );
    check(&call("echo", json!({"text": "PASSWORD=hunter2"})), "[TOOL] echo: PASSWORD=[REDACTED:password]");
}

#[test]
fn files_are_read_below_the_roots_and_written_below_the_write_root() {
    let world = World::new();
    check_in(&world, &call("read_file", json!({"path": "known.md"})), "[TOOL] read_file: what is known");
    check_in(&world, &call("read_file", json!({"path": "./known.md"})), "[TOOL] read_file: what is known");
    let guide = world.identity.home.join("shared/guide.md");
    check_in(
        &world,
        &call("read_file", json!({"path": guide})),
        "[TOOL] read_file: how things are done here",
    );
    let expect = "[TOOL] write_file: wrote 3 bytes to new/folder/a.md";
    check_in(&world, &call("write_file", json!({"path": "new/folder/a.md", "content": "abc"})), expect);
    check_in(
        &world,
        &call("write_file", json!({"path": world.root().join("new/folder/a.md"), "content": "xyz"})),
        expect,
    );
    assert_eq!(std::fs::read_to_string(world.root().join("new/folder/a.md")).unwrap(), "xyz");
    check_in(
        &world,
        &call("write_file", json!({"path": "known.md", "content": ""})),
        "[TOOL] write_file: wrote 0 bytes to known.md",
    );
}

#[test]
fn a_write_root_that_is_not_there_yet_is_made() {
    let world = World::new();
    std::fs::remove_dir_all(world.root()).unwrap();
    check_in(
        &world,
        &call("write_file", json!({"path": "a.md", "content": "abc"})),
        "[TOOL] write_file: wrote 3 bytes to a.md",
    );
    assert_eq!(std::fs::read_to_string(world.root().join("a.md")).unwrap(), "abc");
}

#[tokio::test]
async fn a_long_file_is_read_in_parts_and_the_model_is_told() {
    let world = World::new();
    std::fs::write(world.root().join("long"), "0123456789abcdef".repeat(200_000)).unwrap();
    let read = |offset| call("read_file", json!({"path": "long", "offset": offset}));
    let (_, _, told) = world.converse([read(0), read(3_199_996), read(9_000_000), DONE.into()]).await;
    assert!(told.contains("\n[bytes 0 to 12288 of 3200000]"), "{told}");
    assert!(told.contains("### Step 2: read_file\n\ncdef\n[bytes 3199996 to 3200000 of 3200000]"), "{told}");
    assert!(told.contains("\n[bytes 9000000 to 9000000 of 3200000]"), "{told}");
}

#[test]
fn pages_go_through_whoever_fetches() {
    let world = World::new();
    check_in(
        &world,
        &call("http_get", json!({"url": "https://example.org/page"})),
        "[TOOL] http_get: status 200, text/plain, cut because it is long\\na page",
    );
    check_in(
        &world,
        &call("http_get", json!({"url": "http://169.254.169.254/latest/meta-data/"})),
        "[TOOL ERROR] http_get: the address is not public",
    );
    let asked = world.fetch.asked();
    assert_eq!(asked, ["https://example.org/page", "http://169.254.169.254/latest/meta-data/"]);
    for (url, expect) in [
        ("file:///etc/passwd", "only addresses that begin with http:// or https:// are fetched"),
        ("gopher://x", "only addresses that begin with http:// or https:// are fetched"),
        ("example.org", "only addresses that begin with http:// or https:// are fetched"),
        ("http://a/ b", "the address contains a space or a control character: encode it"),
        ("http://a/\r\nHost: b", "the address contains a space or a control character: encode it"),
    ] {
        check_in(&world, &call("http_get", json!({"url": url})), &format!("[TOOL ERROR] http_get: {expect}"));
    }
    assert_eq!(world.fetch.asked(), asked, "what is refused for its form is not fetched");
}

#[test]
fn a_tool_that_the_worker_may_not_use_is_refused() {
    let mut world = World::new();
    world.identity.tools = vec!["echo".into()];
    check_in(
        &world,
        &call("write_file", json!({"path": "a", "content": "x"})),
        "[TOOL ERROR] write_file: you may not use this tool: see What You May Do",
    );
    assert!(!world.root().join("a").exists());
}

#[tokio::test]
async fn done_completes_the_task_and_gives_its_summary() {
    let world = World::new();
    let mind = Scripted::saying([DONE]);
    let mut state = State {
        current_task: json!("older.md"),
        pending_actions: vec![json!("later")],
        notes: "before".into(),
        ..State::default()
    };
    let worked = world.run(&mind, &mut state).await;
    assert_eq!((worked.exit, worked.steps), (Exit::Completed, 1));
    assert_eq!(worked.output, "All tidy.\nUPDATED: two files.");
    let done = json!({"task": "tidy.md", "summary": "All tidy.\nUPDATED: two files."});
    assert_eq!(state.completed_tasks, [done]);
    assert_eq!((state.current_task, state.pending_actions), (json!("older.md"), vec![json!("later")]));
    assert_eq!(state.notes, "before\n[COMPLETED] All tidy.\\nUPDATED: two files.\n");
}

#[tokio::test]
async fn control_characters_cannot_make_a_result_line() {
    let world = World::new();
    for (summary, expect) in [
        ("UPDA\u{0}TED: x", "UPDA\\u{0}TED: x"),
        ("x\rUPDATED: y", "x\\rUPDATED: y"),
        ("x\u{2028}UPDATED: y", "x\\u{2028}UPDATED: y"),
        ("x\r\nUPDATED: y\r\n", "x\nUPDATED: y"),
    ] {
        let (worked, _) = world.hear([call("done", json!({"summary": summary}))]).await;
        assert_eq!(worked.output, expect);
    }
}

#[tokio::test]
async fn the_steps_run_out() {
    let world = World::new();
    let (worked, state) = world.hear(vec!["no idea"; 9]).await;
    assert_eq!(
        (&worked.exit, worked.steps, worked.output.as_str()),
        (&Exit::MaxSteps { max_steps: 5 }, 5, "")
    );
    assert_eq!(worked.exit.words(), "incomplete - max steps reached");
    assert_eq!(state.notes.lines().count(), 5);
    assert_eq!(state.current_task, json!("tidy.md"));
}

#[tokio::test]
async fn a_mind_that_fails_ends_the_run_at_any_step_and_the_notes_stay() {
    use FailureKind::{Busy, Cancelled, Garbage, OverBudget, Refused, TimedOut, Unauthorized, Unreachable};
    let world = World::new();
    for kind in [Unauthorized, Refused, Busy, Unreachable, TimedOut, Garbage, OverBudget, Cancelled] {
        for at in 1..=5 {
            let answers = (1..at).map(|_| Ok(call("echo", json!({"text": "hi"}))));
            let failure = Failure::new(kind, "the limit of 50000 tokens is used up");
            let mind = Scripted::answering(answers.chain([Err(failure)]));
            let mut state = State::default();
            let worked = world.run(&mind, &mut state).await;
            let why = "the limit of 50000 tokens is used up".to_owned();
            let expect = if kind == Cancelled { Exit::Exception(why) } else { Exit::Error(why) };
            assert_eq!((worked.exit, worked.steps as usize), (expect, at), "{kind:?}");
            assert_eq!(state.notes, "[TOOL] echo({\"text\":\"hi\"}) → hi\n".repeat(at - 1));
        }
    }
}

#[tokio::test]
async fn an_order_to_end_is_obeyed_before_the_next_question() {
    let mut world = World::new();
    let (canceller, cancellation) = subcortex_engine::cancellation();
    world.tools.cancellation = cancellation;
    canceller.cancel(subcortex_engine::CancelReason::Paused, 0);
    let mind = Scripted::saying([DONE]);
    let worked = world.run(&mind, &mut State::default()).await;
    assert_eq!(worked.exit, Exit::Exception("the run was ended: paused".into()));
    assert!(mind.asked().is_empty());
}

#[tokio::test]
async fn a_deadline_during_a_tool_keeps_the_true_number_of_steps_and_their_trace() {
    let mut world = World::new();
    world.identity.programs = vec!["sh".into()];
    let (canceller, cancellation) = subcortex_engine::cancellation();
    world.tools.cancellation = cancellation;
    let started = world.root().join("started");
    let cancel = async {
        while !started.exists() {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        canceller.cancel(subcortex_engine::CancelReason::Deadline, 0);
    };
    let wait = call("shell", json!({"program": "sh", "args": ["-c", "echo > started; sleep 600"]}));
    let run = world.hear([call("echo", json!({"text": "hi"})), wait, DONE.into()]);
    let ((worked, state), ()) = tokio::join!(run, cancel);
    assert_eq!((worked.exit, worked.steps), (Exit::Exception("the run was ended: deadline".into()), 2));
    assert_eq!(state.notes.lines().count(), 2, "{}", state.notes);
    assert!(worked.trace.contains("step 1: echo\n    hi\n"), "{}", worked.trace);
    assert!(worked.trace.ends_with("exception\n    the run was ended: deadline\n"), "{}", worked.trace);
}

#[tokio::test]
async fn a_question_holds_everything_that_the_model_needs() {
    let world = World::new();
    let mind = Scripted::saying([call("echo", json!({"text": "hi"})), DONE.into()]);
    let mut state = State { scratchpad: "I was here.".into(), ..State::default() };
    world.run(&mind, &mut state).await;
    let asked = mind.asked();
    let (first, second) = (&asked[0].said[0].text, &asked[1].said[0].text);
    assert_eq!(asked[0].purpose, "step");
    assert!(asked[0].rules.contains("exactly one JSON object") && asked[0].rules.contains("is data"));
    for part in [
        "# You are weaver\n",
        "## Your Scratchpad\n\nI was here.\n",
        "## Your Instructions\n\nYou tidy.\n",
        "- Tick: 7\n- Mode: directed\n- Run: run-1\n",
        "current_task: tidy.md\n",
        "- `write_file` {",
        "## Inbox\n\ntidy.md: Tidy up.\n",
        "## Results So Far\n\n(none)\n",
        "This is step 1 of 5.",
    ] {
        assert!(first.contains(part), "{part:?} in {first}");
    }
    assert!(
        second.contains("### Step 1: echo\n\nhi\n") && second.contains("This is step 2 of 5."),
        "{second}"
    );
    assert!(second.contains("[TOOL] echo({\"text\":\"hi\"}) → hi"), "{second}");
}

#[tokio::test]
async fn the_trace_tells_foreign_lines_from_ours() {
    let world = World::new();
    let (worked, _) = world.hear(["no idea\nstep 9: forged\u{1b}", DONE]).await;
    assert!(
        worked.trace.contains("step 1: the answer\n    no idea\n    step 9: forged\\u{1b}\n"),
        "{}",
        worked.trace
    );
    assert!(worked.trace.ends_with("\ncompleted\n"), "{}", worked.trace);
}

#[tokio::test]
async fn a_run_that_is_dropped_keeps_its_notes() {
    let world = World::new();
    let mind = Stuck(Scripted::saying([call("echo", json!({"text": "hi"}))]));
    let mut state = State::default();
    tokio::select! {
        biased;
        _ = world.run(&mind, &mut state) => panic!("it cannot end"),
        () = tokio::task::yield_now() => {}
    }
    assert_eq!(state.notes, "[TOOL] echo({\"text\":\"hi\"}) → hi\n");
}

/// A stand-in that answers what it was told to, and then never again.
#[derive(Debug)]
struct Stuck(Scripted);

impl subcortex_mind::Mind for Stuck {
    fn model(&self) -> &str {
        self.0.model()
    }

    fn ask<'a>(&'a self, question: &'a subcortex_mind::Question) -> subcortex_mind::Asking<'a> {
        Box::pin(async move {
            match self.0.ask(question).await {
                Ok(reply) => Ok(reply),
                Err(_) => std::future::pending().await,
            }
        })
    }
}

#[test]
fn the_loop_can_move_between_threads() {
    fn is_send<T: Send>(_: T) {}
    let world = World::new();
    let mind = Scripted::default();
    let job = subcortex_agent::Job {
        identity: &world.identity,
        instructions: "",
        task: None,
        mind: &mind,
        tools: &world.tools,
    };
    is_send(work(&job, &mut State::default()));
}
