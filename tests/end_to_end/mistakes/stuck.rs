//! Work that does not come to an end: whose program it is, what it said, and the command that helps.

use super::{refused, tells};
use crate::models::Notes;
use crate::partitions::{drop_task, home, partition, run_records, script};
use crate::support::TestHome;

/// A worker whose program fails, and says why.
fn failing() -> TestHome {
    let home = home();
    script(&home, "sorter", "cooldown_ticks: 0", "echo noise >&2; echo 'disk quota exceeded' >&2; exit 7");
    drop_task(&home, "sorter", "a.md", "x");
    home
}

/// A worker whose only task is held.
fn held() -> TestHome {
    let home = failing();
    for _ in 0..3 {
        assert_eq!(home.run(&["tick", "--partition", "sorter"]).code, 1);
    }
    home
}

#[test]
fn a_program_that_is_not_there_is_named_wherever_one_looks() {
    let home = home();
    partition(&home, "sorter", "engine: command\ncommand: [./sort.sh]");
    drop_task(&home, "sorter", "a.md", "x");
    let words = [
        "cannot start `HOME/subconscious/sorter/sort.sh`: there is no such file",
        "create it, or correct the command",
    ];
    for (args, code) in [(&["status"][..], 0), (&["doctor"], 1), (&["tick", "--partition", "sorter"], 2)] {
        refused(&home, args, code, &words);
    }
    refused(&home, &["inbox"], 0, &words);
    refused(
        &home,
        &["status"],
        0,
        &["1 task waits until then", "`subcortex tick --partition sorter` tries it"],
    );
}

#[test]
fn a_program_that_is_not_executable_gets_the_chmod_that_helps() {
    let home = home();
    partition(&home, "sorter", "engine: command\ncommand: [./sort.sh]");
    home.write("subconscious/sorter/sort.sh", "#!/bin/sh\n");
    drop_task(&home, "sorter", "a.md", "x");
    refused(
        &home,
        &["doctor"],
        1,
        &["it is not an executable file", "`chmod +x HOME/subconscious/sorter/sort.sh`"],
    );
}

#[test]
fn a_program_that_fails_is_shown_with_the_end_of_its_standard_error() {
    let home = failing();
    refused(
        &home,
        &["tick", "--partition", "sorter"],
        1,
        &["failed", "it said: disk quota exceeded", "`subcortex runs show "],
    );
    refused(
        &home,
        &["status"],
        0,
        &["its last run failed", "exit code 7", "it said: disk quota exceeded", "`subcortex runs show "],
    );
    refused(&home, &["doctor"], 0, &["its last run failed", "it said: disk quota exceeded"]);
    refused(&home, &["inbox"], 0, &["a.md  waiting, 1 attempt failed: ", "exit code 7"]);
    let run = run_records(&home)[0]["run_id"].as_str().unwrap().to_owned();
    refused(&home, &["runs", "show", &run], 0, &["standard error, its end:", "  disk quota exceeded"]);
}

#[test]
fn a_long_standard_error_is_kept_from_its_end() {
    let home = home();
    let script_text = "i=0; while [ $i -lt 2000 ]; do echo \"line $i of the noise\" >&2; i=$((i+1)); done; echo 'the cause' >&2; exit 1";
    script(&home, "sorter", "cooldown_ticks: 0", script_text);
    drop_task(&home, "sorter", "a.md", "x");
    refused(&home, &["tick", "--partition", "sorter"], 1, &["it said: the cause"]);
}

#[test]
fn a_held_task_says_what_that_means_and_how_to_try_it_again() {
    let home = held();
    let retry = "subcortex inbox retry sorter a.md";
    refused(
        &home,
        &["inbox"],
        0,
        &["a.md  held, 3 attempts failed: ", "exit code 7", "nothing tries it again before: ", retry],
    );
    for (args, code) in [(&["status"][..], 0), (&["doctor"], 1)] {
        let words = [
            "1 task is held: nothing tries it again until you say so",
            "it said: disk quota exceeded",
            retry,
        ];
        refused(&home, args, code, &words);
    }
    refused(&home, &["status"], 0, &["1 stuck"]);
}

#[test]
fn a_worker_whose_work_is_all_held_is_not_run_without_a_task() {
    let home = held();
    let runs = run_records(&home).len();
    let words = ["nothing ran: ", "is held (three attempts failed)", "`subcortex inbox retry sorter NAME`"];
    refused(&home, &["tick", "--partition", "sorter"], 3, &words);
    assert_eq!(run_records(&home).len(), runs);
    drop_task(&home, "sorter", "b.md", "x");
    assert_eq!(home.run(&["tick", "--partition", "sorter"]).code, 1, "what is not held is worked on");
}

#[test]
fn a_held_task_with_a_strange_name_gets_a_command_that_can_be_pasted() {
    let home = home();
    script(&home, "sorter", "cooldown_ticks: 0", "exit 1");
    drop_task(&home, "sorter", "it's new.md", "x");
    for _ in 0..3 {
        home.run(&["tick", "--partition", "sorter"]);
    }
    refused(&home, &["inbox"], 0, &[r"subcortex inbox retry sorter 'it'\''s new.md'"]);
}

#[test]
fn a_program_without_a_result_line_is_told_what_a_result_is() {
    let home = home();
    script(&home, "sorter", "cooldown_ticks: 0", "echo all done");
    drop_task(&home, "sorter", "a.md", "x");
    refused(&home, &["tick", "--partition", "sorter"], 3, &["no result", "UPDATED:"]);
    refused(
        &home,
        &["status"],
        0,
        &["its last run gave no result", "`subcortex tick --partition sorter` tries it now"],
    );
}

#[test]
fn a_worker_that_is_switched_off_says_so_where_its_task_waits() {
    let home = home();
    script(&home, "sorter", "enabled: false", "echo UPDATED: ok");
    drop_task(&home, "sorter", "a.md", "x");
    let words = [
        "1 task waits, and it is switched off (`enabled: false`)",
        "`subcortex tick --partition sorter` runs it once",
    ];
    refused(&home, &["status"], 0, &words);
    refused(&home, &["doctor"], 0, &words);
}

#[test]
fn a_worker_that_no_task_wakes_says_so_where_its_task_waits() {
    let home = home();
    script(&home, "sorter", "wake_on: [events]", "echo UPDATED: ok");
    drop_task(&home, "sorter", "a.md", "x");
    refused(
        &home,
        &["status"],
        0,
        &["no task wakes it (`wake_on` has no `inbox`)", "add `inbox` to `wake_on`"],
    );
}

#[test]
fn a_file_that_can_be_no_task_is_named_with_its_place() {
    let home = home();
    script(&home, "sorter", "cooldown_ticks: 0", "echo UPDATED: ok");
    std::os::unix::fs::symlink("/etc/hostname", home.path("subconscious/sorter/inbox/link.md")).unwrap();
    refused(&home, &["status"], 0, &["link.md can be no task: ", "take it out of subconscious/sorter/inbox"]);
}

#[test]
fn answers_that_cannot_be_read_are_not_called_too_few_steps() {
    let babble = || "I would rather talk about the weather.".to_owned();
    let notes = Notes::saying("", (0..5).map(|_| babble()).collect(), r#"{"scratchpad": null}"#);
    notes.drop_task("a.md", "look");
    let reason = notes.tick()["tasks"][0]["reason"].as_str().unwrap().to_owned();
    tells(
        &reason,
        &["none of the model's 5 answers was the call of a tool", "about the weather", "`api.wire`"],
    );
    assert!(!reason.contains("max_iterations"), "{reason}");
}

#[test]
fn an_edit_that_waits_is_shown_with_its_time() {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", "- Keep functions small.\n");
    home.says("s1", "From now on never edit the file generated_1.rs.");
    home.says("s1", "ok");
    let first = home.run(&["tick", "--partition", "memory-weaver"]);
    tells(&first.out, &["done", "UPDATED: memory/CLAUDE.md"]);
    home.says("s2", "From now on never edit the file generated_2.rs.");
    home.says("s2", "ok");
    assert_eq!(home.run(&["tick", "--partition", "memory-weaver"]).code, 0);
    let words =
        ["1 change waits until ", "(in 3 h)", "at most one edit in 3 h", "`broadcast.min_rewrite_interval`"];
    refused(&home, &["status"], 0, &words);
}
