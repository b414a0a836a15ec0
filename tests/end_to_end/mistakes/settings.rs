//! Definitions of workers that cannot be used: the hint is what should have been written.

use super::tells;
use crate::partitions::{drop_task, home, partition};

/// What `status`, `doctor` and `tick` say of a worker that is defined like this.
#[track_caller]
fn defined(frontmatter: &str, words: &[&str]) {
    let home = home();
    partition(&home, "sorter", frontmatter);
    drop_task(&home, "sorter", "a.md", "x");
    for (args, code) in [(&["status"][..], 0), (&["doctor"], 1), (&["tick", "--partition", "sorter"], 3)] {
        let said = home.run(args);
        assert_eq!(said.code, code, "{args:?}: {said:?}");
        tells(&said.all(), words);
    }
    let doctor = home.run(&["doctor"]).out;
    tells(&doctor, &["sorter: its definition cannot be used", "correct subconscious/sorter/CLAUDE.md"]);
}

#[test]
fn a_command_in_one_text_is_split_by_the_hint() {
    defined(
        "engine: command\ncommand: ./sort.sh --fast",
        &[
            "command is `./sort.sh --fast` at subconscious/sorter/CLAUDE.md:3:10",
            "write for example `command: [./sort.sh, --fast]`",
        ],
    );
}

#[test]
fn a_duration_with_a_unit_becomes_the_number_that_was_meant() {
    defined(
        "schedule: { max_duration_ms: 10m }\nengine: command\ncommand: [./sort.sh]",
        &["schedule.max_duration_ms is `10m`", "write for example `max_duration_ms: 600000`"],
    );
}

#[test]
fn an_engine_without_its_command_says_what_to_write() {
    defined("engine: command", &["subconscious/sorter/CLAUDE.md", "write `command: [./work.sh]`"]);
}

#[test]
fn a_program_s_page_does_not_speak_of_steps() {
    let home = home();
    partition(&home, "sorter", "engine: command\ncommand: [./sort.sh]");
    let said = home.run(&["whoami", "sorter"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(!said.out.contains("Steps in a run"), "{}", said.out);
}
