//! `hook`: what agents tell while they work is on the spine once, and nothing ever stops an agent.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Mounted, Said, TestHome};

fn input(fields: Value) -> Value {
    let mut input = json!({"session_id": "s1", "transcript_path": "/nowhere/s1.jsonl", "cwd": "/home/someone/project",
        "prompt_id": "p1"});
    input.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    input
}

fn hook_with(home: &TestHome, args: &[&str], envs: &[(&str, &str)], stdin: &[u8]) -> Said {
    let mut child = home
        .command(&[&["hook"], args].concat())
        .envs(envs.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A hook that has ended already does not read.
    drop(child.stdin.take().unwrap().write_all(stdin));
    let output = child.wait_with_output().unwrap();
    Said {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Calls a hook; it must end well and say nothing.
#[track_caller]
fn hook(home: &TestHome, event: &str, fields: Value) {
    let said = hook_with(home, &[event], &[], input(fields).to_string().as_bytes());
    assert_eq!((said.code, &*said.out, &*said.err), (0, "", ""), "{event}");
}

fn events(home: &TestHome) -> Vec<String> {
    let lines = home.run(&["spine", "cat", "--kind", "claude"]).out;
    lines
        .lines()
        .map(|line| {
            let event: Value = serde_json::from_str(line).unwrap();
            let payload = &event["payload"];
            let text = ["text", "path", "tool_name", "reason"].iter().find_map(|key| payload[*key].as_str());
            format!("{}: {}", event["type"].as_str().unwrap(), text.unwrap_or("-"))
        })
        .collect()
}

fn log(home: &TestHome) -> String {
    std::fs::read_to_string(home.path("var/log/hooks.log")).unwrap_or_default()
}

#[test]
fn a_session_is_on_the_spine_while_it_happens_and_its_transcript_adds_only_what_hooks_cannot_know() {
    let home = TestHome::new();
    hook(&home, "SessionStart", json!({"source": "startup"}));
    hook(&home, "InstructionsLoaded", json!({"file_path": "/p/CLAUDE.md", "memory_type": "Project"}));
    hook(&home, "UserPromptSubmit", json!({"prompt": "use tabs"}));
    let bash = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"});
    hook(&home, "PreToolUse", bash.clone());
    let mut done = bash;
    done["tool_response"] = json!({"stdout": "a\nb", "stderr": ""});
    hook(&home, "PostToolUse", done);
    // Words that are typed meanwhile carry the id of the running prompt.
    hook(&home, "UserPromptSubmit", json!({"prompt": "and no semicolons"}));
    hook(&home, "SessionEnd", json!({"reason": "other"}));
    let live = [
        "memory.loaded: /p/CLAUDE.md",
        "channel.message: use tabs",
        "agent.tool_use: Bash",
        "agent.tool_result: a\nb",
        "agent.session_end: other",
    ];
    assert_eq!(events(&home), live);

    let record = |kind: &str, uuid: &str, fields: Value| {
        let mut record = json!({"type": kind, "uuid": uuid, "sessionId": "s1", "promptId": "p1", "isSidechain": false,
            "timestamp": "2026-03-01T10:00:00.000Z", "cwd": "/home/someone/project"});
        record.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        record.to_string()
    };
    let content = |block: Value| json!({"message": {"id": "m", "content": [block]}});
    let transcript = [
        record(
            "user",
            "u1",
            json!({"promptSource": "typed", "message": {"role": "user", "content": "use tabs"}}),
        ),
        record(
            "attachment",
            "u2",
            json!({"attachment": {"type": "instructions", "files": [{"path": "/p/CLAUDE.md"}]}}),
        ),
        record("assistant", "u3", content(json!({"type": "text", "text": "I look first."}))),
        record(
            "assistant",
            "u4",
            content(json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}})),
        ),
        record("user", "u5", content(json!({"type": "tool_result", "tool_use_id": "t1", "content": "a\nb"}))),
        record(
            "attachment",
            "u6",
            json!({"attachment": {"type": "queued_command", "prompt": "and no semicolons"}}),
        ),
        record("assistant", "u7", content(json!({"type": "text", "text": "Done."}))),
    ];
    let file = home.path("../s1.jsonl");
    std::fs::write(&file, transcript.join("\n") + "\n").unwrap();
    let summary = home.json(&["import", "claude", file.to_str().unwrap(), "--json"]);
    assert_eq!((&summary["events"], &summary["duplicates"]), (&json!(3), &json!(4)));
    let later = ["agent.result: I look first.", "channel.message: and no semicolons", "agent.result: Done."];
    assert_eq!(events(&home), [&live[..], &later[..]].concat());
    assert_eq!(home.run(&["spine", "verify"]).code, 0);
}

#[test]
fn whatever_comes_the_agent_goes_on_and_the_log_says_what_was_wrong() {
    let home = TestHome::new();
    for (args, stdin, expect) in [
        (&["Stop"][..], &b""[..], "nothing came on standard input"),
        (&["Stop"], b"{\"session_id\":", "not a JSON object"),
        (&["Stop"], b"\xff\0garbage", "not a JSON object"),
        (&["Stop"], b"{}", "no session_id"),
        (&["Invented"], br#"{"session_id":"s1"}"#, "no hook event of that name"),
        (
            &["ghp_Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh4Jk0Lz1Xc"],
            br#"{"session_id":"s1"}"#,
            "event=[REDACTED:github-token]",
        ),
        (&["Stop", "--flag-of-another-version"], b"{}", "command line is not understood"),
        (&[], b"{}", "command line is not understood"),
    ] {
        let said = hook_with(&home, args, &[], stdin);
        assert_eq!((said.code, &*said.out, &*said.err), (0, "", ""), "{args:?}");
        assert!(log(&home).lines().last().unwrap().contains(expect), "{args:?}: {}", log(&home));
    }
    assert!(events(&home).is_empty());
    assert_eq!(home.command(&["hook", "--help"]).output().unwrap().status.code(), Some(0));
}

#[test]
fn own_runs_and_homes_that_are_gone_leave_no_trace() {
    let prompt = input(json!({"prompt": "use tabs"})).to_string();
    let home = TestHome::new();
    let said = hook_with(&home, &["UserPromptSubmit"], &[("SUBCORTEX_RUN_ID", "r1")], prompt.as_bytes());
    assert_eq!((said.code, &*said.out, events(&home).len()), (0, "", 0));
    hook(&home, "UserPromptSubmit", json!({"prompt": "use tabs", "cwd": home.path("var")}));
    assert!(events(&home).is_empty());
    let gone = TestHome::bare();
    hook(&gone, "UserPromptSubmit", json!({"prompt": "use tabs"}));
    assert!(!gone.path("").exists());
}

#[test]
fn a_read_only_home_does_not_disturb_the_agent() {
    let Some(disk) = Mounted::tmpfs("a_read_only_home_does_not_disturb_the_agent", "size=8m") else { return };
    let home = TestHome::inside(disk.path());
    assert_eq!(home.run(&["init"]).code, 0);
    disk.remount("ro");
    hook(&home, "UserPromptSubmit", json!({"prompt": "use tabs"}));
    disk.remount("rw");
    hook(&home, "UserPromptSubmit", json!({"prompt": "use tabs"}));
    assert_eq!(events(&home), ["channel.message: use tabs"]);
}

#[test]
fn a_hook_that_cannot_write_notes_it_in_a_log_that_does_not_grow_without_end() {
    let home = TestHome::new();
    std::fs::remove_dir_all(home.path("var/events")).unwrap();
    home.write("var/events", "");
    home.write("var/log/hooks.log", "x".repeat(300_000));
    hook(&home, "UserPromptSubmit", json!({"prompt": "use tabs"}));
    let log = log(&home);
    assert!(log.contains("event=UserPromptSubmit") && log.lines().count() == 1, "{log}");
    assert!(!log.contains("use tabs"), "what was said is not for logs");
    assert_eq!(std::fs::metadata(home.path("var/log/hooks.1.log")).unwrap().len(), 300_000);
    assert_eq!(
        std::fs::metadata(home.path("var/log/hooks.log")).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn secrets_do_not_reach_the_disk() {
    let home = TestHome::new();
    let secret = format!("ghp_{}", "a1B2c3D4e5".repeat(4)).chars().take(40).collect::<String>();
    hook(
        &home,
        "PostToolUse",
        json!({"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": format!("echo {secret}")},
            "tool_response": {"stdout": secret, "stderr": ""}}),
    );
    let spine = home.run(&["spine", "cat"]).out;
    assert_eq!(spine.lines().count(), 2);
    assert!(!spine.contains(&secret), "{spine}");
}

#[test]
fn a_session_begins_with_the_broadcast_if_the_hook_is_to_hand_it_over() {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", "- use tabs\n");
    let start = input(json!({"source": "startup"})).to_string();
    let said = hook_with(&home, &["SessionStart", "--inject"], &[], start.as_bytes());
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(
        answer,
        json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "- use tabs"}})
    );
    assert_eq!((said.code, &*said.err), (0, ""));
    assert_eq!(events(&home), [format!("memory.loaded: {}", home.path("memory/CLAUDE.md").display())]);
    hook(&home, "SessionStart", json!({"source": "startup"}));
}

#[test]
fn hooks_of_many_agents_at_once_lose_nothing() {
    let home = TestHome::new();
    std::thread::scope(|scope| {
        for agent in 0..4 {
            let home = &home;
            scope.spawn(move || {
                for call in 0..5 {
                    let id = format!("t{agent}-{call}");
                    hook(
                        home,
                        "PreToolUse",
                        json!({"tool_name": "Bash", "tool_input": {}, "tool_use_id": id}),
                    );
                }
            });
        }
    });
    assert_eq!(events(&home).len(), 20);
    assert_eq!(home.run(&["spine", "verify"]).code, 0);
    assert_eq!(log(&home), "");
}

/// Versions that name no prompt in their hooks: only the transcript can name it, and it is made a moment after the first hook.
#[test]
fn the_first_prompt_of_a_session_whose_hooks_name_none_is_told_once() {
    let home = TestHome::new();
    let projects = home.path("../agent/projects");
    std::fs::create_dir_all(&projects).unwrap();
    let file = projects.join("-p/s1.jsonl");
    let wish = "From now on always use pnpm, not npm.";
    let hook_of = |text: &str| {
        hook(
            &home,
            "UserPromptSubmit",
            json!({"prompt": text, "prompt_id": null, "transcript_path": file, "cwd": "/p"}),
        );
    };
    let record = |id: &str, text: &str| {
        let record = json!({"type": "user", "uuid": id, "sessionId": "s1", "cwd": "/p", "version": "2.1.100",
            "timestamp": "2126-01-01T00:00:00.000Z", "message": {"role": "user", "content": text}});
        format!("{record}\n")
    };
    hook_of(wish);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, record("u1", wish)).unwrap();
    hook_of("go on");
    std::fs::write(&file, record("u1", wish) + &record("u2", "go on")).unwrap();
    assert_eq!(home.run(&["import", "claude", file.to_str().unwrap()]).code, 0);
    assert_eq!(events(&home), [format!("channel.message: {wish}"), "channel.message: go on".to_owned()]);
}
