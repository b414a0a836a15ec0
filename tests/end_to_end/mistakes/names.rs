//! Names that mean nothing here.

use super::refused;
use crate::partitions::{drop_task, home, script};

#[test]
fn a_mistyped_worker_gets_the_names_of_those_that_there_are() {
    let home = home();
    script(&home, "sorter", "cooldown_ticks: 0", "echo UPDATED: ok");
    for args in [
        &["drop", "sortr", "/dev/null"][..],
        &["tick", "--partition", "sortr"],
        &["pause", "sortr"],
        &["resume", "sortr"],
        &["inbox", "sortr"],
        &["inbox", "retry", "sortr", "a.md"],
        &["whoami", "sortr"],
    ] {
        refused(
            &home,
            args,
            2,
            &[
                "there is no worker `sortr`",
                "did you mean `sorter`?",
                "the workers here:",
                "memory-weaver",
                "sorter",
            ],
        );
    }
    assert!(!home.path("subconscious/sortr").exists());
}

#[test]
fn a_folder_without_a_definition_is_no_worker_and_says_what_it_lacks() {
    let home = home();
    std::fs::create_dir_all(home.path("subconscious/sorter/inbox")).unwrap();
    refused(
        &home,
        &["tick", "--partition", "sorter"],
        2,
        &["subconscious/sorter has no CLAUDE.md", "the workers here:"],
    );
}

#[test]
fn a_task_file_that_is_not_there_is_named_with_how_to_hand_one_over() {
    let home = home();
    let words = ["cannot read the task from /no/such/notes.md", "No such file", "`-`"];
    refused(&home, &["drop", "memory-weaver", "/no/such/notes.md"], 2, &words);
}

#[test]
fn a_task_that_is_not_there_cannot_be_tried_again_and_the_list_is_named() {
    let home = home();
    script(&home, "sorter", "cooldown_ticks: 0", "echo UPDATED: ok");
    let words = ["there is no task `gone.md` in the queue of sorter", "`subcortex inbox sorter`"];
    refused(&home, &["inbox", "retry", "sorter", "gone.md"], 2, &words);
}

#[test]
fn a_task_that_is_not_held_is_not_said_to_be_tried_again() {
    let home = home();
    script(&home, "sorter", "cooldown_ticks: 0", "echo UPDATED: ok");
    drop_task(&home, "sorter", "a.md", "x");
    let words =
        ["a.md was not held", "no daemon runs", "`subcortex run`", "`subcortex tick --partition sorter`"];
    refused(&home, &["inbox", "retry", "sorter", "a.md"], 0, &words);
}

#[test]
fn a_run_that_there_is_not_is_named_with_the_list() {
    refused(
        &home(),
        &["runs", "show", "nope"],
        2,
        &["there is no run `nope`", "`subcortex runs` lists them"],
    );
}

#[test]
fn an_empty_event_log_says_how_it_is_filled() {
    refused(
        &home(),
        &["spine", "tail"],
        0,
        &["the event log is empty", "`subcortex connect claude`", "`subcortex import claude`"],
    );
}

#[test]
fn a_log_that_is_not_there_yet_says_who_writes_it() {
    refused(&home(), &["log"], 2, &["there is no log yet", "`subcortex run`"]);
}
