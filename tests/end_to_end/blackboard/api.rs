//! Engine `api` on a blackboard: the model chooses words, never who it is or what counts as a source.

use serde_json::json;

use super::{PAGE, pending, say, strategy, verified};
use crate::models::{Notes, call, done};

fn append(entry: &serde_json::Value) -> String {
    call("blackboard_append", json!({ "entry": entry }))
}

#[test]
fn a_model_speaks_as_its_partition_and_cites_only_what_it_fetched() {
    let steps = vec![
        call("blackboard_read", json!({})),
        append(&strategy()),
        append(&pending("somebody")),
        append(&pending("notes")),
        append(&verified("notes")),
        append(
            &json!({"kind": "UNVERIFIED", "entity": "Acme", "field": "ceo", "claimed_value": "Ann", "reason": "no page"}),
        ),
        done("NO-OP: said on the blackboard"),
    ];
    let notes = Notes::saying(
        "blackboard: { role: worker, thread: t }\nagent: { max_iterations: 10 }",
        steps,
        "null",
    );
    assert_eq!(say(&notes.home, "supervisor", "boss", &strategy()).code, 0);
    notes.drop_task("task.md", "look");
    notes.tick();
    let active = notes.read("subconscious/notes/scratchpad/active.yaml");
    for part in [
        "You are worker `notes` on thread t",
        "STRATEGY is for a supervisor",
        "is `somebody`, and you are `notes`",
        "was not fetched in this run with success",
    ] {
        assert!(active.contains(part), "{part}: {active}");
    }
    let board = notes.home.json(&["blackboard", "read", "t", "--json"]);
    let kinds: Vec<_> =
        board["entries"].as_array().unwrap().iter().map(|entry| entry["kind"].clone()).collect();
    assert_eq!(kinds, ["STRATEGY", "PENDING", "UNVERIFIED"], "{PAGE} is no source");
    assert_eq!(board["entries"][1]["by"], "notes");
}

#[test]
fn a_supervising_model_hands_out_tasks_and_cannot_end_early() {
    let steps = vec![
        append(
            &json!({"kind": "STRATEGY", "goal": "g", "entities": ["Acme"], "tool_chain": [], "assigned": {"Acme": "helper"}}),
        ),
        append(&json!({"kind": "SYNTHESIS", "text": "made up", "citations": [PAGE]})),
        done("UPDATED: all is well"),
    ];
    let notes = Notes::saying("blackboard: { role: supervisor, thread: t }", steps, "null");
    notes.partition("helper", "blackboard: { role: worker, thread: t }\nengine: api");
    notes.drop_task("task.md", "Who leads Acme?");
    let said = notes.home.run(&["tick", "--partition", "notes", "--json"]);
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.out.contains("`Acme` has no VERIFIED entry"), "{said:?}");
    let handed: Vec<_> = std::fs::read_dir(notes.home.path("subconscious/helper/inbox")).unwrap().collect();
    assert_eq!(handed.len(), 1);
    let body = std::fs::read_to_string(handed.into_iter().next().unwrap().unwrap().path()).unwrap();
    assert!(body.starts_with("[blackboard:t] g\n") && body.contains("entities: Acme\n"), "{body}");
}

#[test]
fn without_a_place_there_are_no_such_tools() {
    let notes = Notes::saying("", vec![call("blackboard_read", json!({})), done("NO-OP: none")], "null");
    notes.drop_task("task.md", "look");
    notes.tick();
    let active = notes.read("subconscious/notes/scratchpad/active.yaml");
    assert!(active.contains("you may not use this tool"), "{active}");
}
