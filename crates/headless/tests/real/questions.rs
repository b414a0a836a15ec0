//! Both agents as minds.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use subcortex_engine::{Cancellation, cancellation};
use subcortex_fake_model::Turn;
use subcortex_headless::AgentMind;
use subcortex_mind::{FailureKind, Mind, Question, Said, Speaker, Usage};

use crate::claude::schema;
use crate::stage::Stage;

/// How long an answer may take on a busy machine, in milliseconds.
const PATIENCE_MS: u64 = 300_000;

fn mind(stage: &Stage, model: Option<&str>, max_duration_ms: u64, cancellation: Cancellation) -> AgentMind {
    let model = model.map(str::to_owned);
    Arc::clone(&stage.headless).as_mind("r1".into(), stage.path("work"), model, max_duration_ms, cancellation)
}

fn patient(stage: &Stage, model: Option<&str>) -> AgentMind {
    mind(stage, model, PATIENCE_MS, Cancellation::never())
}

fn judges(request: &Value, _answered: usize) -> Turn {
    let has_form = request["tools"].to_string().contains("StructuredOutput");
    if has_form { Turn::Call("", "StructuredOutput", json!({"name": "n"})) } else { Turn::Say("Yes.") }
}

#[tokio::test]
async fn claude_is_asked_with_rules_and_without_tools() {
    let Some(stage) = Stage::claude("claude_is_asked_with_rules_and_without_tools", judges) else { return };
    let mind = patient(&stage, Some("claude-sonnet-4-5"));
    assert_eq!(mind.model(), "claude-sonnet-4-5");
    let reply = mind.ask(&Question::new("judge", "OUR_RULES\nin two lines", "Is it so?")).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.model.as_str()), ("Yes.", "claude-sonnet-4-5"));
    assert_eq!(reply.usage, Usage { input: 10, output: 25, cache_read: 4, cache_write: 3 });
    assert!(reply.cost_usd.is_some());
    let request: Value = serde_json::from_str(&stage.model.requests()[0]).unwrap();
    assert!(request["system"].to_string().contains("OUR_RULES"));
    assert_eq!(request["tools"].as_array().map_or(0, Vec::len), 0);

    let mut question = Question::new("judge", "OUR_RULES", "Is it so?");
    question.schema = Some(schema());
    let reply = mind.ask(&question).await.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&reply.text).unwrap(), json!({"name": "n"}));
}

#[tokio::test]
async fn codex_is_asked_with_rules_and_a_conversation() {
    let Some(stage) = Stage::codex("codex_is_asked_with_rules_and_a_conversation", judges) else { return };
    let mind = patient(&stage, None);
    assert_eq!(mind.model(), "codex");
    let mut question = Question::new("step", "OUR \"RULES\"\n", "First?");
    question.said.push(Said { by: Speaker::Model, text: "Second.".into() });
    question.said.push(Said { by: Speaker::Us, text: "Third?".into() });
    let reply = mind.ask(&question).await.unwrap();
    assert_eq!(reply.text, "Yes.");
    assert_eq!(reply.usage, Usage { input: 6, output: 20, cache_read: 4, cache_write: 0 });
    let request: Value = serde_json::from_str(&stage.model.requests()[0]).unwrap();
    let input = request["input"].to_string();
    for part in [r#"OUR \"RULES\""#, "First?", "Second.", "Third?"] {
        assert!(input.contains(part), "{part} is not in {input}");
    }
}

#[tokio::test]
async fn a_question_fails_with_its_reason_and_what_it_took() {
    let test = "a_question_fails_with_its_reason_and_what_it_took";
    let Some(stage) = Stage::claude(test, |_, _| Turn::Say("I would rather not.")) else { return };
    let mind = patient(&stage, None);
    assert_eq!(mind.model(), "claude");
    let mut question = Question::new("judge", "", "Is it so?");
    question.schema = Some(schema());
    let failure = mind.ask(&question).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Garbage, "{failure}");
    assert!(failure.usage.output > 0, "{failure:?}");

    question.rules = "x".repeat(200_000);
    let failure = mind.ask(&question).await.unwrap_err();
    assert!(failure.kind == FailureKind::Refused && failure.message.contains("rules"), "{failure}");
}

#[tokio::test]
async fn a_question_is_taken_back_by_deadline_cancellation_and_drop() {
    let test = "a_question_is_taken_back_by_deadline_cancellation_and_drop";
    let Some(stage) = Stage::codex(test, |_, _| Turn::Wait) else { return };
    let question = Question::new("judge", "", "Is it so?");
    let hasty = mind(&stage, None, 3_000, Cancellation::never());
    assert_eq!(hasty.ask(&question).await.unwrap_err().kind, FailureKind::TimedOut);

    let (canceller, cancelled) = cancellation();
    canceller.cancel(subcortex_engine::CancelReason::Paused, /*grace_ms*/ 0);
    let paused = mind(&stage, None, PATIENCE_MS, cancelled);
    let failure = paused.ask(&question).await.unwrap_err();
    assert!(failure.kind == FailureKind::Cancelled && failure.message.contains("paused"), "{failure}");

    let Some(stage) = Stage::codex(test, |_, _| Turn::Wait) else { return };
    let stage = Arc::new(stage);
    let asked = Arc::clone(&stage);
    let model_was_asked = tokio::task::spawn_blocking(move || asked.model.wait_until_asked());
    let mind = patient(&stage, None);
    tokio::select! {
        answer = mind.ask(&question) => panic!("{answer:?}"),
        waited = model_was_asked => waited.unwrap(),
    }
    let gone = async {
        while !stage.processes().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_millis(PATIENCE_MS), gone).await.unwrap();
}
