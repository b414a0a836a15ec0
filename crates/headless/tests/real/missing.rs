//! Programs that are not there, or are something else. These need no agent.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use subcortex_engine::Cancellation;
use subcortex_headless::{AgentEnding, AgentOutcome, Headless};
use subcortex_known_agents::headless::{Order, PermissionMode};
use subcortex_known_agents::{Agent, CLAUDE, CODEX};
use subcortex_mind::{FailureKind, Mind, Question};

use crate::stage::{failed, launcher};

fn headless(agent: &'static Agent, program: &Path) -> Headless {
    let environment: BTreeMap<_, _> =
        [("PATH".into(), "/usr/bin:/bin".into()), ("API_KEY".into(), "hidden".into())].into();
    Headless { agent, program: program.into(), environment, launcher: launcher() }
}

fn order(cwd: &Path) -> Order {
    Order {
        run_id: "r1".into(),
        cwd: cwd.into(),
        prompt: "Say hello.".into(),
        model: None,
        tools: Vec::new(),
        max_turns: 1,
        max_usd: None,
        max_output_tokens: None,
        gatekeeper: None,
        schema: None,
        subagents: None,
        readable: Vec::new(),
        changeable: Vec::new(),
        mode: PermissionMode::default(),
        writable: None,
        max_duration_ms: 60_000,
    }
}

#[tokio::test]
async fn a_program_that_is_missing_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    for (agent, name) in [(&CLAUDE, "claude-that-is-nowhere"), (&CODEX, "/nowhere/codex")] {
        let headless = headless(agent, Path::new(name));
        let missing = headless.run(order(dir.path()), Cancellation::never()).await.unwrap_err().to_string();
        for part in [name, &format!("agents.{}", agent.name), "choose another engine"] {
            assert!(missing.contains(part), "{missing}");
        }
        assert!(!format!("{headless:?}").contains("hidden"));
        let mind =
            Arc::new(headless).as_mind("r1".into(), dir.path().into(), None, 60_000, Cancellation::never());
        let failure = mind.ask(&Question::new("judge", "", "Is it so?")).await.unwrap_err();
        assert!(
            failure.kind == FailureKind::Refused && failure.message.contains("another engine"),
            "{failure}"
        );
    }
}

#[tokio::test]
async fn a_working_directory_that_is_not_there_is_named() {
    let headless = headless(&CLAUDE, Path::new("/bin/true"));
    let missing =
        headless.run(order(Path::new("/nowhere")), Cancellation::never()).await.unwrap_err().to_string();
    assert!(missing.contains("cannot run in `/nowhere`") && !missing.contains("install"), "{missing}");
}

/// A stand-in for an agent: a shell script.
async fn run_script(agent: &'static Agent, script: &str) -> AgentOutcome {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("agent");
    std::fs::write(&program, format!("#!/bin/sh\ncat > stdin.txt\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    headless(agent, &program).run(order(dir.path()), Cancellation::never()).await.unwrap()
}

#[tokio::test]
async fn a_program_that_does_not_know_our_options_is_refused_with_its_words() {
    let outcome = run_script(&CLAUDE, "echo \"error: unknown option '--tools'\" >&2; exit 1").await;
    let why = failed(&outcome, FailureKind::Refused);
    assert!(why.contains("exited with 1") && why.contains("unknown option '--tools'"), "{why}");
    assert!(outcome.stderr.contains("unknown option"));
}

#[tokio::test]
async fn an_exit_code_alone_is_no_success_and_a_report_alone_neither() {
    failed(&run_script(&CLAUDE, "exit 0").await, FailureKind::Refused);
    failed(&run_script(&CODEX, "echo '{\"type\": \"thread.started\"}'").await, FailureKind::Garbage);
    let good = r#"echo '{"subtype":"success","is_error":false,"result":"Hello.","type":"result"}'"#;
    assert_eq!(run_script(&CLAUDE, good).await.ending, AgentEnding::Well);
    let outcome = run_script(&CLAUDE, &format!("{good}; exit 3")).await;
    assert!(failed(&outcome, FailureKind::Garbage).contains("exited with 3"), "{outcome:?}");
    let outcome = run_script(&CLAUDE, &format!("{good}; printf '{{\"type\":\"resu'")).await;
    assert!(failed(&outcome, FailureKind::Garbage).contains("breaks off"), "{outcome:?}");
}

#[tokio::test]
async fn the_report_is_found_behind_a_flood() {
    let flood = r#"line=$(printf '%01000d' 7)
        i=0; while [ $i -lt 6000 ]; do echo "{\"type\":\"user\",\"text\":\"$line\"}"; i=$((i+1)); done
        echo '{"subtype":"success","is_error":false,"result":"Hello.","type":"result"}'"#;
    let outcome = run_script(&CLAUDE, flood).await;
    assert_eq!((outcome.ending, outcome.text.as_str()), (AgentEnding::Well, "Hello."));
}
