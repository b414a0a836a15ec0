//! What a cycle leaves behind at each of its four exits, and how the next one goes on.

use serde_json::{Value, json};
use subcortex_fake_model::Turn;

use super::{Notes, call, done, is_exit_question};

/// What the model is told in a request.
fn told(request: &Value) -> String {
    let content = &request["messages"][0]["content"];
    content.as_str().map_or_else(|| content[0]["text"].as_str().unwrap().to_owned(), str::to_owned)
}

/// The part of a request below a heading.
fn below(request: &str, heading: &str) -> String {
    let (_, rest) =
        request.split_once(&format!("## {heading}\n")).unwrap_or_else(|| panic!("{heading}: {request}"));
    rest.split("\n## ").next().unwrap().to_owned()
}

/// Writes part after part; which one is next, it knows from its notes alone.
fn part_after_part(request: &Value, parts: usize) -> Turn {
    let notes = below(&told(request), "Your State");
    match (1..parts).find(|part| !notes.contains(&format!("wrote 4 bytes to {part}.md"))) {
        Some(part) => Turn::say(call("write_file", json!({"path": format!("{part}.md"), "content": "part"}))),
        None => Turn::say(done("UPDATED: all parts are there")),
    }
}

impl Notes {
    /// The text of the newest question at an exit.
    fn last_exit_question(&self) -> String {
        let last = self.model.requests().pop().unwrap();
        let request = serde_json::from_str(&last).unwrap();
        assert!(is_exit_question(&request), "{last}");
        told(&request)
    }

    /// The snapshots and the trace of a run, as `runs show` names them.
    fn cycle_of(&self, run: &Value) -> [String; 3] {
        let cycle = &self.record(run)["cycle"];
        ["before", "after", "trace"].map(|name| self.read(cycle[name].as_str().unwrap()))
    }
}

#[test]
fn a_task_of_twelve_steps_is_finished_in_three_runs_of_five_from_the_notes_alone() {
    let notes = Notes::with("agent: { max_iterations: 5 }", |request, _| match is_exit_question(request) {
        true => Turn::Say(r#"{"scratchpad": null}"#),
        false => part_after_part(request, 12),
    });
    notes.drop_task("parts", "Write all the parts.");
    for (run_number, parts) in [(1, 5), (2, 10)] {
        let run = notes.tick();
        assert_eq!((&run["outcome"], &run["acked"]), (&json!("error"), &json!([])), "{run}");
        let [before, after, trace] = notes.cycle_of(&run);
        assert!(
            !before.contains(&format!("to {parts}.md")) && after.contains(&format!("to {parts}.md")),
            "{after}"
        );
        assert!(after.contains("current_task: parts\n") && !after.contains(" failed: "), "{after}");
        assert!(
            trace.contains("step 5: write_file") && trace.contains("incomplete - max steps reached"),
            "{trace}"
        );
        let question = notes.last_exit_question();
        assert!(question.contains("\nSteps: 5\n") && question.contains("Write all the parts."), "{question}");
        let summary = below(&question, "Summary");
        assert_eq!(summary.trim(), "Reached maximum steps (5) without completing task", "run {run_number}");
        assert!(below(&question, "Your Last Notes").contains(&format!("to {parts}.md")), "{question}");
        assert_eq!(notes.record(&run)["exits"][0]["scratchpad"], "", "nothing was saved");
    }
    let run = notes.tick();
    assert_eq!((&run["outcome"], &run["acked"]), (&json!("terminal"), &json!(["parts"])), "{run}");
    assert_eq!(notes.record(&run)["exits"][0]["steps"], 2);
    assert!((1..12).all(|part| notes.read(&format!("subconscious/notes/files/{part}.md")) == "part"));
    let shown = notes.home.run(&["spine", "tail", "--type", "scratchpad_update", "--json"]).out;
    assert_eq!(shown, "", "a step that saved nothing is not recorded");
}

/// One step, then what the script does with the second.
fn after_one_step(definition: &str, second: impl Fn() -> Turn + Send + Sync + 'static) -> (Notes, Value) {
    let notes = Notes::with(definition, move |request, _| {
        if is_exit_question(request) {
            return Turn::Say(r#"{"scratchpad": "it got this far"}"#);
        }
        match told(request).contains("This is step 1 of") {
            true => Turn::say(call("echo", json!({"text": "one", "message_token": "x"}))),
            false => second(),
        }
    });
    notes.drop_task("task", "do it");
    let run = notes.tick();
    (notes, run)
}

#[test]
fn each_exit_leaves_its_snapshots_its_trace_and_its_question() {
    type Case = (&'static str, &'static str, fn() -> Turn, &'static str, u32, bool, bool);
    // Name, definition, second step, outcome of the exit, steps, whether the state is kept, whether the cycle failed.
    let cases: [Case; 4] = [
        ("completed", "", || Turn::say(done("NO-OP: seen")), "completed", 2, true, false),
        ("error", "", || Turn::Refuse(401), "error", 2, true, true),
        (
            "max steps",
            "agent: { max_iterations: 2 }",
            || Turn::Say("well"),
            "incomplete - max steps reached",
            2,
            true,
            false,
        ),
        ("exception", "schedule: { max_duration_ms: 4000 }", || Turn::Wait, "exception", 2, false, true),
    ];
    for (name, definition, second, outcome, steps, kept, failed) in cases {
        let (notes, run) = after_one_step(definition, second);
        let [before, after, trace] = notes.cycle_of(&run);
        let exit = &notes.record(&run)["exits"][0];
        assert_eq!((&exit["outcome"], &exit["steps"]), (&json!(outcome), &json!(steps)), "{name}: {exit}");
        assert_eq!(exit["saved"], "it got this far", "{name}");
        assert!(
            before.contains("notes: \"\"") && after.contains("scratchpad: it got this far"),
            "{name}: {after}"
        );
        assert_eq!(after.contains("[TOOL ERROR] echo("), kept, "{name}: {after}");
        assert_eq!(after.contains(" failed: "), failed, "{name}: {after}");
        assert!(trace.contains("step 1: echo") && trace.contains(outcome), "{name}: {trace}");
        let question = notes.last_exit_question();
        assert!(question.contains(&format!("Outcome: {outcome}\nSteps: {steps}\n")), "{name}: {question}");
        assert!(below(&question, "The Task").contains("do it"), "{name}: {question}");
        assert!(below(&question, "Your Last Notes").contains("[TOOL ERROR] echo("), "{name}: {question}");
        assert!(
            question.contains("Your scratchpad is empty: nothing has been written"),
            "{name}: {question}"
        );
    }
}

#[test]
fn a_daemon_that_is_killed_in_the_third_run_loses_that_run_s_notes_and_no_others() {
    let notes = Notes::with("agent: { max_iterations: 5 }", |request, _| {
        if is_exit_question(request) {
            return Turn::Say(r#"{"scratchpad": null}"#);
        }
        let stuck =
            told(request).contains("to 11.md") && !told(request).contains("the daemon ended during it");
        if stuck { Turn::Wait } else { part_after_part(request, 14) }
    });
    notes.drop_task("parts", "Write all the parts.");
    notes.tick();
    notes.tick();
    let asked = notes.model.requests().len();
    let mut command = notes.home.command(&["tick", "--partition", "notes"]).spawn().unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while notes.model.requests().len() < asked + 2 {
        assert!(std::time::Instant::now() < until, "the third run never came to its second step");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    command.kill().unwrap();
    command.wait().unwrap();
    let run = notes.tick();
    assert_eq!(run["outcome"], "terminal", "{run}");
    let [before, after, _] = notes.cycle_of(&run);
    assert!(before.contains("to 10.md") && !before.contains("to 11.md"), "{before}");
    assert!(before.contains(" failed: the daemon ended during it") && after.contains("to 13.md"), "{after}");
}

#[test]
fn a_person_resets_a_scratchpad_and_what_it_held_is_snapshotted_first() {
    let notes = Notes::saying("", vec![done("NO-OP: seen")], r#"{"scratchpad": "old words"}"#);
    notes.drop_task("task", "do it");
    notes.tick();
    let said = notes.home.run(&["scratchpad", "reset", "notes"]);
    assert_eq!(said.code, 0, "{said:?}");
    let before = said.out.trim().rsplit(' ').next().unwrap().to_owned();
    assert!(std::fs::read_to_string(before).unwrap().contains("scratchpad: old words"));
    let active = notes.read("subconscious/notes/scratchpad/active.yaml");
    assert!(active.contains("scratchpad: \"\"") && active.contains("completed_tasks: []"), "{active}");
    let as_worker =
        notes.home.command(&["scratchpad", "reset", "notes"]).env("SUBCORTEX_TOKEN", "x").output();
    assert_eq!(as_worker.unwrap().status.code(), Some(1), "a worker is no person");
    assert_eq!(notes.home.run(&["scratchpad", "reset", "nobody"]).code, 2);
    assert_eq!(notes.home.run(&["scratchpad", "reset", "../notes"]).code, 2);
}

#[test]
fn a_scratchpad_is_not_reset_while_its_worker_runs() {
    let notes = Notes::with("", |request, _| match is_exit_question(request) {
        true => Turn::Say(r#"{"scratchpad": null}"#),
        false => Turn::Wait,
    });
    let daemon = notes.home.daemon();
    notes.drop_task("task", "do it");
    notes.model.wait_until_asked();
    let said = notes.home.run(&["scratchpad", "reset", "notes"]);
    assert!(said.code == 2 && said.err.contains("`notes` is running"), "{said:?}");
    assert_eq!(notes.home.run(&["pause", "notes"]).code, 0);
    daemon.wait_for_all(&["run ended", "notes"]);
    let said = notes.home.run(&["scratchpad", "reset", "notes"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(!notes.read("subconscious/notes/scratchpad/active.yaml").contains(" failed: "));
    daemon.signal("TERM");
    assert!(daemon.end().success());
}

#[test]
fn a_scratchpad_of_an_earlier_version_is_read_and_goes_on() {
    let notes = Notes::saying("", vec![done("NO-OP: seen")], r#"{"scratchpad": null}"#);
    std::fs::create_dir_all(notes.home.path("subconscious/notes/scratchpad")).unwrap();
    let old =
        "completed_tasks: [older, {odd: 1}]\ncurrent_task: older\nnotes: \"[TOOL] echo: x\"\ncontent: mine\n";
    notes.home.write("subconscious/notes/scratchpad/active.yaml", old);
    notes.drop_task("task", "do it");
    assert_eq!(notes.tick()["outcome"], "terminal");
    let active = notes.read("subconscious/notes/scratchpad/active.yaml");
    for part in
        ["- older\n", "odd: 1", "task: task\n", "summary: \"NO-OP: seen\"", "[TOOL] echo: x", "content: mine"]
    {
        assert!(active.contains(part), "{part}: {active}");
    }
}
