//! What others are said to want, and cases that are only thought of: however often, nobody's order.

use crate::near_copies::{home_of, records, typed};

const WORD: &str = "otter";

#[test]
fn what_is_reported_or_imagined_does_not_enter_however_often_it_is_said() {
    for said in [
        "Bob always wants us to run `make otter` before a commit.",
        "If I ever say always run `make otter` then I am not well.",
        "The reviewer says never use `make otter`.",
        "The reviewer says always run `make otter` before you commit.",
        "My colleagues always say to run `make otter` first.",
        "We were told to always run `make otter` before a commit.",
        "Suppose we always run `make otter` before a commit.",
    ] {
        let sessions = ["s1", "s2", "s3", "s4"];
        let home = home_of(sessions.iter().enumerate().map(|(day, session)| {
            records(session, i64::try_from(86_400 * (sessions.len() - day)).unwrap(), &[typed(said)])
        }));
        assert!(!home.remembers(WORD), "{said}");
    }
}

#[test]
fn who_says_so_themselves_is_heard() {
    for said in [
        "I want you to always run `make otter` before you commit.",
        "When you write tests, always run `make otter` before you commit.",
    ] {
        let home = home_of([records("s1", 86_400, &[typed(said)]), records("s2", 0, &[typed(said)])]);
        assert!(home.remembers(WORD), "{said}");
    }
}
