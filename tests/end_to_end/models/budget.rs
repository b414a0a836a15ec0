//! What may be spent, and what is shown of it.

use serde_json::json;

use super::{Notes, call, done};

/// A dollar a token for what is read afresh: sums can be done in the head.
const PRICES: &str = "prices: { scripted: {input: 1000000, output: 0} }";

fn talkative(count: usize) -> Vec<String> {
    vec![call("echo", json!({"text": "still here"})); count]
}

#[test]
fn a_run_that_reaches_its_tokens_is_ended_cleanly_and_says_so() {
    let limits = "agent: { max_iterations: 50 }\nbudget: { tokens_per_run: 2600 }";
    let notes = Notes::saying(limits, talkative(50), r#"{"scratchpad": "too long"}"#);
    notes.drop_task("task", "talk");
    let run = notes.tick();
    assert_eq!((&run["outcome"], &run["acked"]), (&json!("error"), &json!([])), "{run}");
    let reason = run["tasks"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("limit of 2600 tokens"), "{reason}");
    let record = notes.record(&run);
    let tokens = record["tokens"].as_u64().unwrap();
    assert!(tokens > 0 && tokens <= 2600, "{tokens}");
    assert!(notes.model.requests().len() < 50);
    assert_eq!(record["exits"][0]["outcome"], "error");
}

#[test]
fn a_day_s_money_ends_a_partition_s_runs_and_then_everybody_s_and_status_shows_it() {
    for (partition, home) in [("budget: { usd_per_day: 26000 }", "null"), ("", "26000")] {
        let steps = vec![done("NO-OP: one"), done("NO-OP: two"), done("NO-OP: three")];
        let notes = Notes::saying(partition, steps, r#"{"scratchpad": null}"#);
        notes.settings(&format!("budget: {{ usd_per_day: {home}, {PRICES} }}\n"));
        notes.drop_task("one", "look");
        let first = notes.tick();
        assert_eq!(first["outcome"], "terminal", "{first}");
        assert_eq!(notes.record(&first)["cost_usd"], json!(20.0), "two answers of ten tokens read afresh");
        // What a question may cost is set aside before it is asked: about a thousand tokens each.
        notes.settings(&format!(
            "budget: {{ usd_per_day: {}, {PRICES} }}\n",
            if home == "null" { "null" } else { "100" }
        ));
        if home == "null" {
            notes.partition("notes", "engine: api\nbudget: { usd_per_day: 100 }");
        }
        notes.drop_task("two", "look again");
        let asked = notes.model.requests().len();
        let second = notes.tick();
        assert_eq!(second["outcome"], "refused", "{second}");
        let reason = second["tasks"][0]["reason"].as_str().unwrap();
        assert!(reason.contains("reached what may be spent today"), "{reason}");
        assert_eq!(notes.model.requests().len(), asked, "nothing was asked");
        let task = &notes.home.json(&["inbox", "notes", "--json"])[0];
        assert_eq!(task["attempts"], 0, "an empty purse is not the task's fault: {task}");
        let status = notes.home.json(&["status", "--json"]);
        assert_eq!(status["spend"]["today"]["usd"], json!(20.0), "{status}");
        assert_eq!(status["spend"]["partitions"]["notes"]["tokens"], json!(84), "{status}");
        let shown = notes.home.run(&["status"]).out;
        assert!(shown.contains("84 tokens, 20.0000 USD"), "{shown}");
    }
}

#[test]
fn the_account_is_kept_and_a_limit_on_money_needs_a_price() {
    let notes = Notes::saying("", vec![done("NO-OP: one"), done("NO-OP: two")], r#"{"scratchpad": null}"#);
    notes.drop_task("one", "look");
    let run = notes.tick();
    assert_eq!(run["outcome"], "terminal", "{run}");
    assert_eq!(notes.record(&run)["cost_usd"], json!(null), "nobody knows the price");
    let day = std::fs::read_dir(notes.home.path("var/usage")).unwrap().next().unwrap().unwrap().path();
    let lines: Vec<serde_json::Value> = std::fs::read_to_string(day)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let purposes: Vec<&str> = lines.iter().map(|line| line["purpose"].as_str().unwrap()).collect();
    assert_eq!(purposes, ["step", "scratchpad"]);
    assert_eq!(
        (&lines[0]["input"], &lines[0]["cache_read"], &lines[0]["run_id"]),
        (&json!(10), &json!(4), &run["run_id"])
    );
    notes.settings("budget: { usd_per_day: 5 }\n");
    notes.drop_task("two", "look");
    let reason = notes.tick()["tasks"][0]["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("no price for the model `scripted`"), "{reason}");
}
