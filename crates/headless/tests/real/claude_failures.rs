//! Claude Code, when its model fails, or it is ended.

use std::sync::Arc;

use serde_json::{Value, json};
use subcortex_engine::{ProcessEnding, cancellation};
use subcortex_fake_model::{Script, Turn};
use subcortex_headless::AgentEnding;
use subcortex_known_agents::headless::Order;
use subcortex_mind::FailureKind;

use crate::stage::{Stage, failed};

async fn check(test: &str, script: Script, kind: FailureKind, part: &str) {
    let Some(stage) = Stage::claude(test, script) else { return };
    let outcome = stage.run(stage.order(&[])).await;
    assert!(failed(&outcome, kind).contains(part), "{outcome:?}");
}

#[tokio::test]
async fn a_wrong_key_is_a_matter_for_a_person() {
    let script: Script = |_, _| Turn::Refuse(401);
    check("a_wrong_key_is_a_matter_for_a_person", script, FailureKind::Unauthorized, "log in").await;
}

#[tokio::test]
async fn a_model_that_has_too_much_to_do_is_busy() {
    let test = "a_model_that_has_too_much_to_do_is_busy";
    check(test, |_, _| Turn::Refuse(429), FailureKind::Busy, "429").await;
    check(test, |_, _| Turn::Refuse(529), FailureKind::Busy, "529").await;
}

#[tokio::test]
async fn an_unknown_model_is_refused() {
    let script: Script = |_, _| Turn::Refuse(404);
    check("an_unknown_model_is_refused", script, FailureKind::Refused, "model").await;
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_no_answer() {
    let script: Script = |_, _| Turn::BreakOff;
    check("an_answer_that_breaks_off_is_no_answer", script, FailureKind::Unreachable, "network").await;
}

#[tokio::test]
async fn nobody_who_is_logged_in_is_told_apart_from_a_broken_network() {
    let test = "nobody_who_is_logged_in_is_told_apart_from_a_broken_network";
    let Some(mut stage) = Stage::claude(test, |_, _| Turn::Say("never asked")) else { return };
    let headless = Arc::get_mut(&mut stage.headless).unwrap();
    headless.environment.insert("ANTHROPIC_BASE_URL".into(), "http://127.0.0.1:9".into());
    let outcome = stage.run(stage.order(&[])).await;
    failed(&outcome, FailureKind::Unreachable);
    let headless = Arc::get_mut(&mut stage.headless).unwrap();
    headless.environment.remove(&std::ffi::OsString::from("ANTHROPIC_API_KEY"));
    let outcome = stage.run(stage.order(&[])).await;
    assert!(failed(&outcome, FailureKind::Unauthorized).contains("log in"), "{outcome:?}");
}

/// Starts a command that outlives everything.
fn runs_an_endless_command(_request: &Value, answered: usize) -> Turn {
    match answered {
        0 => Turn::Call("", "Bash", json!({"command": "touch started; sleep 1000", "description": "wait"})),
        _ => Turn::Say("Done."),
    }
}

#[tokio::test]
async fn a_run_that_is_cancelled_ends_with_all_its_processes() {
    let test = "a_run_that_is_cancelled_ends_with_all_its_processes";
    let Some(stage) = Stage::claude(test, runs_an_endless_command) else { return };
    let (canceller, cancelled) = cancellation();
    let started = stage.path("work/started");
    let cancelling = async {
        while !started.exists() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        assert!(stage.processes().len() >= 2, "the agent and its command");
        canceller.cancel(subcortex_engine::CancelReason::Paused, /*grace_ms*/ 500);
    };
    let (outcome, ()) = tokio::join!(stage.headless.run(stage.order(&["Bash"]), cancelled), cancelling);
    let outcome = outcome.unwrap();
    assert_eq!(
        outcome.ending,
        AgentEnding::Process(ProcessEnding::Cancelled { reason: subcortex_engine::CancelReason::Paused })
    );
    assert_eq!(stage.processes(), Vec::<String>::new());
    assert_eq!(outcome.usage.input, 10, "what it took until then is counted");
}

#[tokio::test]
async fn an_interrupt_from_outside_is_no_success_although_it_exits_with_0() {
    let test = "an_interrupt_from_outside_is_no_success_although_it_exits_with_0";
    let Some(stage) = Stage::claude(test, |_, _| Turn::Wait) else { return };
    let stage = Arc::new(stage);
    let asked = Arc::clone(&stage);
    let interrupting = tokio::task::spawn_blocking(move || {
        asked.model.wait_until_asked();
        let pids = asked.processes();
        assert!(std::process::Command::new("kill").arg("-INT").args(pids).status().unwrap().success());
    });
    let outcome = stage.run(stage.order(&[])).await;
    interrupting.await.unwrap();
    failed(&outcome, FailureKind::Garbage);
}

#[tokio::test]
async fn a_model_that_never_answers_meets_the_deadline() {
    let test = "a_model_that_never_answers_meets_the_deadline";
    let Some(stage) = Stage::claude(test, |_, _| Turn::Wait) else { return };
    let outcome = stage.run(Order { max_duration_ms: 8_000, ..stage.order(&[]) }).await;
    assert_eq!(outcome.ending, AgentEnding::Process(ProcessEnding::DeadlineReached), "{outcome:?}");
}
