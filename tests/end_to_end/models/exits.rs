//! How a worker with a model leaves, what it is asked then, and what stays on the disk.

use serde_json::json;
use subcortex_fake_model::Turn;

use super::{Notes, call, done, is_exit_question};

/// Exactly the three files of a cycle.
#[track_caller]
fn three_files(notes: &Notes) {
    let names = notes.scratchpad_files();
    let [after, before, active] = names.as_slice() else { panic!("{names:?}") };
    let cycle = before.strip_suffix("_before.yaml").unwrap();
    assert_eq!((after.as_str(), active.as_str()), (format!("{cycle}_after.yaml").as_str(), "active.yaml"));
}

#[test]
fn a_task_is_done_acked_and_remembered_and_the_trace_tells_the_whole_story() {
    let steps = vec![
        call("write_file", json!({"path": "a.md", "content": "tabs"})),
        format!("Well, I am done: {}", done("wrote a.md\nUPDATED: one note")),
    ];
    let notes = Notes::saying("", steps, r#"{"scratchpad": "a.md holds the rule about tabs"}"#);
    notes.drop_task("one:two.md", "remember: we use tabs");
    let run = notes.tick();
    assert_eq!(run["outcome"], "terminal", "{run}");
    assert_eq!(run["result"], "UPDATED: one note");
    assert_eq!(run["acked"], json!(["one:two.md"]));
    assert_eq!(run["changed"], json!(["subconscious/notes/files/a.md"]));
    assert!(!notes.home.path("subconscious/notes/inbox/one:two.md").exists());
    assert_eq!(notes.read("subconscious/notes/files/a.md"), "tabs");
    three_files(&notes);
    let active = notes.read("subconscious/notes/scratchpad/active.yaml");
    assert!(active.contains("scratchpad: a.md holds the rule about tabs"), "{active}");
    assert!(
        active.contains(r#"[TOOL] write_file({"content":"tabs","path":"a.md"}) → wrote 4 bytes to a.md"#),
        "{active}"
    );
    assert!(
        active.contains("[COMPLETED]")
            && active.contains("- summary: |-\n")
            && active.contains("  task: one:two.md\n"),
        "{active}"
    );
    let requests = notes.model.requests();
    assert_eq!(requests.len(), 3, "two steps and one question at the exit");
    assert!(requests[0].contains("one%3Atwo.md: remember: we use tabs"), "{}", requests[0]);
    assert!(requests[0].contains("# You are notes") && requests[0].contains("## Your Scratchpad"));
    assert!(requests[0].contains("Keep notes of what people say."));
    let record = notes.record(&run);
    let exit = json!([{"task": "one:two.md", "outcome": "completed", "steps": 2,
        "scratchpad": "scratchpad_update", "saved": "a.md holds the rule about tabs"}]);
    assert_eq!(record["exits"], exit);
    assert_eq!(record["tokens"], json!(3 * (10 + 3 + 4 + 25)), "each answer of the script");
    let shown = notes.home.run(&["runs", "show", run["run_id"].as_str().unwrap()]).out;
    assert!(shown.contains("left one:two.md after 2 steps, completed; scratchpad_update"), "{shown}");
    assert!(shown.contains("spent 126 tokens"), "{shown}");
    let told = notes.home.run(&["spine", "tail", "--type", "scratchpad_update", "--json"]).out;
    assert!(told.contains("completed") && told.contains("a.md holds the rule about tabs"), "{told}");
    let cycle = notes.scratchpad_files()[0].replace("_after.yaml", "");
    for (name, below) in [
        ("before", format!("subconscious/notes/scratchpad/{cycle}_before.yaml")),
        ("after ", format!("subconscious/notes/scratchpad/{cycle}_after.yaml")),
        ("trace ", format!("var/log/cycles/notes/cycle_{cycle}.log")),
    ] {
        assert!(shown.contains(&format!("  {name} {}\n", notes.home.path(&below).display())), "{shown}");
    }
    let trace = notes.read(&format!("var/log/cycles/notes/cycle_{cycle}.log"));
    assert!(trace.contains("Well, I am done") && trace.contains("write_file"), "{trace}");
}

#[test]
fn the_next_run_reads_what_the_last_one_remembered_and_an_empty_answer_keeps_it() {
    let steps = vec![done("NO-OP: nothing"), done("NO-OP: nothing again")];
    let notes = Notes::with("", {
        let steps = std::sync::Mutex::new(steps.into_iter());
        let mut answers = [r#"{"scratchpad": "remember the milk"}"#, r#"{"scratchpad": null}"#].into_iter();
        let answers = std::sync::Mutex::new(move || answers.next().unwrap());
        move |request, _| match is_exit_question(request) {
            true => Turn::say((answers.lock().unwrap())()),
            false => Turn::say(steps.lock().unwrap().next().unwrap()),
        }
    });
    for name in ["one", "two"] {
        notes.drop_task(name, "look around");
        assert_eq!(notes.tick()["outcome"], "terminal");
    }
    let requests = notes.model.requests();
    assert!(requests[2].contains("remember the milk"), "the second run knows: {}", requests[2]);
    let active = notes.read("subconscious/notes/scratchpad/active.yaml");
    assert!(active.contains("scratchpad: remember the milk"), "{active}");
    let befores = notes.scratchpad_files().into_iter().filter(|name| name.ends_with("_before.yaml"));
    let befores: Vec<String> =
        befores.map(|name| notes.read(&format!("subconscious/notes/scratchpad/{name}"))).collect();
    let second = befores.iter().find(|before| !before.contains("last_updated: null"));
    assert!(second.is_some_and(|before| before.contains("scratchpad: remember the milk")), "{befores:?}");
}

#[test]
fn a_model_that_fails_at_any_of_the_four_exits_leaves_three_files_and_the_task_as_it_is() {
    // What the steps do, how the run is to end, and whether the task is acked.
    let cases: [(&str, &str, &str, bool); 4] = [
        ("done", "completed", "terminal", true),
        ("refuse", "error", "refused", false),
        ("babble", "incomplete - max steps reached", "error", false),
        ("hang", "exception", "timeout", false),
    ];
    for (steps, exit, outcome, acked) in cases {
        // The time is for the run that hangs; the others end long before.
        let limits = "schedule: { max_duration_ms: 3000 }\nagent: { max_iterations: 2 }";
        let limits = if steps == "hang" { limits } else { "agent: { max_iterations: 2 }" };
        let notes = Notes::with(limits, move |request, _| {
            if is_exit_question(request) {
                return Turn::BreakOff;
            }
            match steps {
                "done" => Turn::say(done("NO-OP: seen")),
                "refuse" => Turn::Refuse(401),
                "babble" => Turn::Say("I would rather talk about the weather."),
                _ => Turn::Wait,
            }
        });
        notes.drop_task("task", "do it");
        let run = notes.tick();
        assert_eq!(run["outcome"], outcome, "{steps}: {run}");
        assert_eq!(run["acked"], if acked { json!(["task"]) } else { json!([]) }, "{steps}");
        assert_eq!(notes.home.path("subconscious/notes/inbox/task").exists(), !acked, "{steps}");
        let record = notes.record(&run);
        assert_eq!(record["exits"][0]["outcome"], exit, "{record}");
        assert_eq!(record["exits"][0]["scratchpad"], "scratchpad_update_failed", "{record}");
        assert!(record["exits"][0]["why"].is_string(), "{record}");
        three_files(&notes);
        let active = notes.read("subconscious/notes/scratchpad/active.yaml");
        // The last step ends a cycle; it is no failure of it.
        assert_eq!(active.contains(" failed: "), ["refuse", "hang"].contains(&steps), "{steps}: {active}");
    }
}

#[test]
fn an_ack_does_not_wait_for_the_question_and_a_kill_switch_takes_it_back() {
    let notes = Notes::with("", |request, _| match is_exit_question(request) {
        true => Turn::Wait,
        false => Turn::say(done("NO-OP: seen")),
    });
    let daemon = notes.home.daemon();
    notes.drop_task("task", "do it");
    let inbox = notes.home.path("subconscious/notes/inbox/task");
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    // The model is asked what to remember and never answers; the task is acked all the same.
    while inbox.exists() || notes.model.requests().len() < 2 {
        assert!(std::time::Instant::now() < until, "the ack waits for the model");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(notes.home.run(&["pause"]).code, 0);
    daemon.wait_for_all(&["run ended", "notes"]);
    let run = &notes.home.json(&["runs", "--json"])[0];
    assert_eq!(run["acked"], json!(["task"]), "{run}");
    let record = notes.record(run);
    assert_eq!(record["exits"][0]["scratchpad"], "scratchpad_update_failed", "{record}");
    three_files(&notes);
    daemon.signal("TERM");
    assert!(daemon.end().success());
}

#[test]
fn an_engine_that_is_not_set_up_is_refused_with_what_to_do_and_the_task_stays() {
    let notes = Notes::saying("", vec![], "");
    notes.drop_task("task", "do it");
    let cases = [
        ("", "engine `api` has no address: write `base_url:"),
        ("api: {base_url: \"http://127.0.0.1:1\"}\n", "engine `api` has no model"),
        ("api: {base_url: \"ftp://x\", model: m}\n", "http"),
        (
            "api: {base_url: \"http://127.0.0.1:1\", model: m, key_env: NO_SUCH_KEY}\n",
            "`api.key_env` names $NO_SUCH_KEY, which is not set",
        ),
        (
            "api: {base_url: \"http://127.0.0.1:1\", model: m, key_file: /dev/null/x}\n",
            "`api.key_file` cannot be used",
        ),
        ("api: {base_url: \"http://127.0.0.1:1\", model: m, max_retries: 0}\n", "127.0.0.1:1"),
    ];
    for (settings, why) in cases {
        notes.home.write("config/subcortex.yaml", settings);
        let run = notes.tick();
        assert_eq!(run["outcome"], "refused", "{settings}: {run}");
        let reason = run["tasks"][0]["reason"].as_str().unwrap();
        assert!(reason.contains(why), "{settings}: {reason}");
        if why != "127.0.0.1:1" {
            let doctor = notes.home.run(&["doctor"]);
            assert!(doctor.code == 1 && doctor.out.contains("notes: it cannot run on api"), "{doctor:?}");
        }
    }
    let task = &notes.home.json(&["inbox", "notes", "--json"])[0];
    assert_eq!(
        (&task["state"], &task["attempts"]),
        (&json!("pending"), &json!(0)),
        "not the task's fault: {task}"
    );
    let key = notes.home.path("key");
    std::fs::write(&key, "sk-1\n").unwrap();
    let readable =
        format!("api: {{base_url: \"http://127.0.0.1:1\", model: m, key_file: {}}}\n", key.display());
    notes.home.write("config/subcortex.yaml", readable);
    let reason = notes.tick()["tasks"][0]["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("chmod 600"), "{reason}");
}

#[test]
fn a_definition_that_cannot_be_used_is_named_with_its_place_wherever_one_looks() {
    let notes = Notes::saying("", vec![], "");
    notes.partition("notes", "engine: apl");
    let place = "engine is `apl` at subconscious/notes/CLAUDE.md:2:9";
    for command in [&["tick", "--partition", "notes"][..], &["doctor"], &["status"]] {
        let said = notes.home.run(command);
        assert!((said.out.clone() + &said.err).contains(place), "{command:?}: {said:?}");
    }
    assert_eq!(notes.home.run(&["doctor"]).code, 1);
}
