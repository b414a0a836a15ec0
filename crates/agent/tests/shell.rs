//! The tool `shell`: programs of the list, kept inside the write root.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests write files and stop at the first surprise"
)]

mod support;

use std::sync::Arc;

use serde_json::{Value, json};
use subcortex_engine::{Cancellation, CommandSpec, Launcher, Launching, StartError};
use support::{World, without_args};

fn world(programs: &[&str]) -> World {
    let mut world = World::new();
    world.identity.programs = programs.iter().map(ToString::to_string).collect();
    world
}

async fn note_of(world: &World, args: Value) -> String {
    let (_, state) = world.hear([json!({"tool": "shell", "args": args}).to_string(), "no".into()]).await;
    without_args(&state.notes).lines().next().unwrap().to_owned()
}

async fn check(world: &World, args: Value, expect: &str) {
    let before = world.surroundings();
    assert_eq!(note_of(world, args.clone()).await, expect, "{args}");
    assert_eq!(world.surroundings(), before, "{args}");
}

#[tokio::test]
async fn a_program_runs_in_the_write_root_with_its_arguments_as_they_are() {
    let world = world(&["printf", "pwd", "ls", "cat", "sh", "env"]);
    let root = world.root().display();
    check(&world, json!({"program": "pwd"}), &format!("[TOOL] shell: exit code 0\\n{root}")).await;
    check(
        &world,
        json!({"program": "printf", "args": ["%s|", "$(id)", "; rm -rf .", "`id`", "a b", "*"]}),
        "[TOOL] shell: exit code 0\\n$(id)|; rm -rf .|`id`|a b|*|",
    )
    .await;
    check(&world, json!({"program": "ls", "args": null}), "[TOOL] shell: exit code 0\\nknown.md").await;
    check(
        &world,
        json!({"program": "sh", "args": ["-c", "echo out; echo err >&2; exit 3"]}),
        "[TOOL] shell: exit code 3\\nout\\nstandard error:\\nerr",
    )
    .await;
    let environment = note_of(&world, json!({"program": "env"})).await;
    assert!(environment.contains(&format!("TMPDIR={root}")), "{environment}");
    assert!(!environment.contains("SUBCORTEX_TOKEN") && !environment.contains("HOME="), "{environment}");
}

#[tokio::test]
async fn a_command_is_split_into_words_and_there_is_no_shell() {
    let world = world(&["printf", "date"]);
    let said = note_of(&world, json!({"command": "date -u +%Z"})).await;
    assert_eq!(said, "[TOOL] shell: exit code 0\\nUTC");
    check(
        &world,
        json!({"command": "printf '%s|' \"a b\" c\\\\ d $HOME; * | `id`"}),
        "[TOOL] shell: exit code 0\\na b|c\\|d|$HOME;|*|||`id`|",
    )
    .await;
    for (args, expect) in [
        (json!({"command": "sh -c id"}), "`sh` is not one of your programs"),
        (json!({"command": "date 'x"}), "`command` has a quote that is not closed"),
        (json!({"command": " "}), "`command` is empty"),
        (json!({"command": ["date"]}), "`command` must be a text, and is a list"),
        (json!({"command": "date", "args": ["-u"]}), "give `command` alone, or `program` and `args`"),
        (json!({"cmd": "date"}), "there is no key `cmd` here; the keys are `program`, `args`, `command`"),
    ] {
        let note = note_of(&world, args).await;
        assert!(note.starts_with(&format!("[TOOL ERROR] shell: {expect}")), "{note}");
    }
}

#[tokio::test]
async fn only_the_very_names_of_the_list_are_started() {
    let world = world(&["ls", "/bin/sh", ""]);
    for program in [
        "sh", "/bin/ls", "./ls", "ls ", "LS", "ls -l", "ls;id", "/bin/sh", "", "../ls", "$(ls)", "ls\u{0}",
        "ls\n",
    ] {
        let note = note_of(&world, json!({"program": program})).await;
        assert!(
            note.starts_with("[TOOL ERROR] shell: `") && note.contains("is not one of your programs"),
            "{note}"
        );
    }
    let expect = "[TOOL ERROR] shell: `args` must be a list of texts, and ";
    check(&world, json!({"program": "ls", "args": "-l"}), &format!("{expect}is a text")).await;
    check(&world, json!({"program": "ls", "args": [["-l"]]}), &format!("{expect}holds a list")).await;
    check(&world, json!({"program": "ls", "args": {"a": 1}}), &format!("{expect}is an object")).await;
    check(
        &world,
        json!({"program": "ls", "args": ["a\u{0}b"]}),
        "[TOOL ERROR] shell: an argument contains NUL, or they are longer than 65536 bytes",
    )
    .await;
    check(
        &world,
        json!({"program": "ls", "args": vec!["x"; 65]}),
        "[TOOL ERROR] shell: there are 65 arguments, and at most 64 are taken",
    )
    .await;
}

#[tokio::test]
async fn what_a_program_does_stays_inside() {
    let mut world = world(&["sh"]);
    let script = "echo mine > here && echo x > ../CLAUDE.md; echo x > ../PAUSED; rm -rf ../inbox ../../other; ln -s .. out; echo x > out/PAUSED; \
                  echo x > ../../../memory/CLAUDE.md; mv ../scratchpad .; : > /dev/null && echo still here";
    let before = world.surroundings();
    let note = note_of(&world, json!({"program": "sh", "args": ["-c", script]})).await;
    assert!(note.starts_with("[TOOL] shell: exit code 0\\nstill here"), "{note}");
    assert_eq!(world.surroundings(), before);
    assert_eq!(std::fs::read_to_string(world.root().join("here")).unwrap(), "mine\n");
    // The link that the program made leads nowhere for the other tools.
    let write = json!({"tool": "write_file", "args": {"path": "out/PAUSED", "content": "x"}}).to_string();
    let (_, state) = world.hear([write]).await;
    assert_eq!(
        without_args(&state.notes),
        "[TOOL ERROR] write_file: `out` is a symbolic link, and a folder is needed there: use another path\n"
    );
    world.identity.writes.clear();
    let note = note_of(&world, json!({"program": "sh", "args": ["-c", "echo x > y"]})).await;
    assert_eq!(note, "[TOOL ERROR] shell: there is no folder to run a program in");
}

#[tokio::test]
async fn a_program_that_takes_too_long_is_ended_and_much_output_is_cut() {
    let mut world = world(&["sh", "yes"]);
    world.tools.step_limit_ms = 300;
    check(
        &world,
        json!({"program": "sh", "args": ["-c", "trap '' TERM; sleep 600"]}),
        "[TOOL ERROR] shell: the program was ended: it was not done after 300 ms",
    )
    .await;
    world.tools.step_limit_ms = 60_000;
    let shell = json!({"program": "sh", "args": ["-c", "yes | head -c 10000000"]});
    let answer = json!({"tool": "shell", "args": shell}).to_string();
    let (worked, state, told) = world.converse([answer, "no".into()]).await;
    assert!(told.contains("bytes left out"), "{state:?}");
    assert!(told.len() < 100_000 && worked.trace.len() < 100_000 && state.notes.len() < 1_000);
}

/// A stand-in for a kernel without Landlock: what the launcher says there.
#[derive(Debug)]
struct Unfenced;

impl Launcher for Unfenced {
    fn launch(&self, spec: CommandSpec, _: Cancellation) -> Launching<'_> {
        assert!(spec.writable.is_some(), "a program of a model is always fenced");
        Box::pin(std::future::ready(Err(StartError::CannotConfine { why: "no Landlock".into() })))
    }
}

#[tokio::test]
async fn where_programs_cannot_be_kept_inside_none_is_started() {
    let mut world = world(&["ls"]);
    world.tools.launcher = Arc::new(Unfenced);
    let note = note_of(&world, json!({"program": "ls"})).await;
    assert!(
        note.starts_with(
            "[TOOL ERROR] shell: programs cannot be kept inside their folders here: no Landlock"
        ),
        "{note}"
    );
}

#[tokio::test]
async fn an_order_to_end_ends_the_program_and_the_run() {
    let mut world = world(&["sh"]);
    let (canceller, cancellation) = subcortex_engine::cancellation();
    world.tools.cancellation = cancellation;
    let shell = json!({"program": "sh", "args": ["-c", "echo > started; sleep 600"]});
    let started = world.root().join("started");
    let cancel = async {
        while !started.exists() {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        canceller.cancel(subcortex_engine::CancelReason::Paused, 0);
    };
    let run = world.hear([json!({"tool": "shell", "args": shell}).to_string(), "no".into()]);
    let ((worked, state), ()) = tokio::join!(run, cancel);
    assert_eq!(without_args(&state.notes), "[TOOL ERROR] shell: the program was ended: paused\n");
    assert_eq!(worked.exit, subcortex_agent::Exit::Exception("the run was ended: paused".into()));
}
