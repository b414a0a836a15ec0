//! Codex.

use serde_json::{Value, json};
use subcortex_engine::{ProcessEnding, cancellation};
use subcortex_fake_model::{Script, Turn};
use subcortex_headless::AgentEnding;
use subcortex_known_agents::headless::Order;
use subcortex_mind::{FailureKind, Usage};

use crate::claude::schema;
use crate::stage::{Stage, failed, went_well};

fn says_hello(_request: &Value, _answered: usize) -> Turn {
    Turn::Say("Hello.")
}

#[tokio::test]
async fn codex_answers_and_says_what_it_took() {
    let Some(stage) = Stage::codex("codex_answers_and_says_what_it_took", says_hello) else { return };
    let prompt = "a\0b \u{1b}[2J /help @work";
    let outcome = stage.run(Order { prompt: prompt.into(), ..stage.order(&[]) }).await;
    went_well(&outcome);
    assert_eq!((outcome.text.as_str(), outcome.cost_usd), ("Hello.", None));
    assert_eq!(outcome.usage, Usage { input: 6, output: 20, cache_read: 4, cache_write: 0 });
    let request: Value = serde_json::from_str(&stage.model.requests()[0]).unwrap();
    let names: Vec<_> =
        request["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["request_user_input"], "a tool that asks nobody is all that it has");
    assert!(request["input"].to_string().contains("[2J /help @work"), "{}", request["input"]);
}

/// Writes inside and outside.
fn writes_around(request: &Value, answered: usize) -> Turn {
    let prompt = request["input"].to_string();
    let root = prompt.split("ROOT=").nth(1).unwrap().split("=END").next().unwrap().to_owned();
    let command = format!("touch {root}/work/a; touch {root}/elsewhere/b; echo tried");
    match answered {
        0 => Turn::Call("", "exec_command", json!({"cmd": command})),
        _ => Turn::Say("Done."),
    }
}

#[tokio::test]
async fn codex_writes_only_where_its_tools_may() {
    let Some(stage) = Stage::codex("codex_writes_only_where_its_tools_may", writes_around) else { return };
    let written = || ["work/a", "elsewhere/b"].map(|path| stage.path(path).exists());
    for (tools, expect) in
        [(&[][..], [false, false]), (&["Read"], [false, false]), (&["Read", "Write"], [true, false])]
    {
        let order = Order { prompt: format!("ROOT={}=END", stage.path("").display()), ..stage.order(tools) };
        went_well(&stage.run(order).await);
        assert_eq!(written(), expect, "{tools:?}: {}", stage.model.requests().pop().unwrap());
    }
}

#[tokio::test]
async fn the_users_codex_set_up_takes_no_part_and_no_rollout_is_left() {
    let test = "the_users_codex_set_up_takes_no_part_and_no_rollout_is_left";
    let Some(mut stage) = Stage::codex(test, says_hello) else { return };
    stage.trust_hooks();
    let mark = stage.path("touched");
    let touch = format!("[\"touch\", {mark:?}]");
    let config = std::fs::read_to_string(stage.path("home/.codex/config.toml")).unwrap();
    stage.write("home/.codex/config.toml", &format!("notify = {touch}\n{config}"));
    stage.append(
        "home/.codex/config.toml",
        &format!("[mcp_servers.probe]\ncommand = \"touch\"\nargs = [{mark:?}]\n"),
    );
    let hook = json!([{"hooks": [{"type": "command", "command": format!("touch {}", mark.display())}]}]);
    let hooks = json!({"hooks": {"SessionStart": hook, "UserPromptSubmit": hook, "Stop": hook}});
    stage.write("home/.codex/hooks.json", &hooks.to_string());
    stage.write("work/AGENTS.md", "WORDS_OF_THE_USER");
    let skill = "---\nname: users-skill\ndescription: WORDS_OF_THE_USER\n---\n";
    stage.write("home/.codex/skills/users-skill/SKILL.md", skill);
    went_well(&stage.run(stage.order(&["Read"])).await);
    assert!(!mark.exists(), "a hook, a server or a notifier was started");
    assert!(!stage.model.requests()[0].contains("WORDS_OF_THE_USER"));
    assert_eq!(stage.files_ending(".jsonl"), Vec::<std::path::PathBuf>::new());
}

#[tokio::test]
async fn codex_is_told_its_subagents_and_its_schema_in_words() {
    let test = "codex_is_told_its_subagents_and_its_schema_in_words";
    let Some(stage) = Stage::codex(test, |_, _| Turn::Say("{\"name\": \"n\"}")) else { return };
    stage.write("agents/scanner.md", "---\nname: scanner\ndescription: scans\n---\nSCANNER_RULES\n");
    let order = Order { schema: Some(schema()), subagents: Some(stage.path("agents")), ..stage.order(&[]) };
    let outcome = stage.run(order.clone()).await;
    went_well(&outcome);
    assert_eq!(outcome.structured, Some(json!({"name": "n"})));
    assert!(stage.model.requests()[0].contains("SCANNER_RULES"));
    let Some(other) = Stage::codex(test, says_hello) else { return };
    let outcome = other.run(Order { cwd: other.path("work"), ..order }).await;
    assert!(failed(&outcome, FailureKind::Garbage).contains("JSON object"), "{outcome:?}");
}

#[tokio::test]
async fn failures_of_the_model_of_codex_are_told_apart() {
    let test = "failures_of_the_model_of_codex_are_told_apart";
    let cases: [(Script, FailureKind); 4] = [
        (|_, _| Turn::Refuse(401), FailureKind::Unauthorized),
        (|_, _| Turn::Refuse(429), FailureKind::Busy),
        (|_, _| Turn::Refuse(500), FailureKind::Busy),
        (|_, _| Turn::BreakOff, FailureKind::Unreachable),
    ];
    for (script, kind) in cases {
        let Some(stage) = Stage::codex(test, script) else { return };
        failed(&stage.run(stage.order(&[])).await, kind);
    }
}

#[tokio::test]
async fn a_prompt_of_one_mebibyte_reaches_the_model_of_codex() {
    let test = "a_prompt_of_one_mebibyte_reaches_the_model_of_codex";
    let Some(stage) = Stage::codex(test, says_hello) else { return };
    let prompt = format!("BEGIN {} END_OF_IT", "lorem ipsum ".repeat(87_370));
    assert!(prompt.len() > 1_048_000);
    went_well(&stage.run(Order { prompt: prompt.clone(), ..stage.order(&[]) }).await);
    assert!(stage.model.requests()[0].contains(&prompt));
}

#[tokio::test]
async fn a_codex_that_hangs_is_ended() {
    let Some(stage) = Stage::codex("a_codex_that_hangs_is_ended", |_, _| Turn::Wait) else { return };
    let outcome = stage.run(Order { max_duration_ms: 5_000, ..stage.order(&[]) }).await;
    assert_eq!(outcome.ending, AgentEnding::Process(ProcessEnding::DeadlineReached), "{outcome:?}");
    let (canceller, cancelled) = cancellation();
    canceller.cancel(subcortex_engine::CancelReason::Paused, /*grace_ms*/ 0);
    let outcome = stage.headless.run(stage.order(&[]), cancelled).await.unwrap();
    assert_eq!(
        outcome.ending,
        AgentEnding::Process(ProcessEnding::Cancelled { reason: subcortex_engine::CancelReason::Paused })
    );
}
