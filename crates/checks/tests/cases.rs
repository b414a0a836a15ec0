//! Tables of made-up lines with turns, and of messages with what they carry. What is known to come out wrong is marked, so that the tables say how
//! good the rules are, and a change that makes one right or wrong is seen.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "common/tables.rs"]
mod tables;

/// A case that is marked as wrong and comes out right is as much of a surprise as the other way round.
fn compare(surprises: &[String]) {
    assert!(surprises.is_empty(), "{} surprises:\n{}", surprises.len(), surprises.join("\n"));
}

#[test]
fn turns_say_about_lines_what_a_person_would_say() {
    let mut surprises = Vec::new();
    for case in tables::line_cases(include_str!("cases/lines.txt")) {
        let got = tables::verdict(&case.line, &case.heading, &case.script);
        if tables::fits(got, &case.want) == case.known_wrong {
            surprises.push(format!(
                "{}\n   want {}, got {got}: {}",
                case.line,
                case.want,
                case.script.replace('\n', " ;; ")
            ));
        }
    }
    compare(&surprises);
}

#[test]
fn messages_carry_what_a_person_would_hear() {
    let (memory, cases) = tables::heard_cases(include_str!("cases/heard.txt"));
    let board = tables::board_of(&memory);
    let mut surprises = Vec::new();
    for case in cases {
        let signal = tables::heard(&case.message, &board).filter(|signal| signal.durable);
        let line = signal.as_ref().and_then(|signal| signal.line);
        let right = signal.is_some() == case.durable && (!case.durable || line == case.line);
        if right == case.known_wrong {
            surprises.push(format!(
                "want {} {:?}, got {} {line:?}: {}",
                case.durable,
                case.line,
                signal.is_some(),
                case.message
            ));
        }
    }
    compare(&surprises);
}
