//! The rulebook's own examples: each entry knows its sayings, and says of its turns what it should.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::turn;
use subcortex_checks::reading::{Entry, Reading, entries, read, spelled_out};
use subcortex_checks::{Bearing, Board, Check, Past, judge_after};

/// More ways than this are a pattern that nobody reads.
const MOST_SAYINGS: usize = 40;

fn verdict(check: &Check, script: &str) -> &'static str {
    let board = Board::new([(1, check.clone())]);
    let script = script.split(" ;; ").map(str::trim).collect::<Vec<_>>().join("\n");
    match judge_after(&turn(&script), None, &Past::start(), &board).first().map(|verdict| verdict.trajectory)
    {
        Some(Bearing::Strengthening) => "followed",
        Some(Bearing::Weakening) => "missed",
        Some(Bearing::Neutral) | None => "untouched",
    }
}

fn troubles(name: &str, entry: &Entry) -> Vec<String> {
    let mut found = Vec::new();
    let sayings: Vec<String> = entry.says.iter().flat_map(|says| spelled_out(says)).collect();
    if sayings.len() > MOST_SAYINGS {
        found.push(format!("{name}: {} sayings; words that change nothing go to `also`", sayings.len()));
    }
    for says in sayings.iter().filter(|says| !says.contains('{')) {
        match read(says, &[]) {
            Reading::Tested(check) if check.family == format!("rulebook/{name}") => {}
            Reading::Tested(check) => found.push(format!("{name}: `{says}` is read as {}", check.family)),
            Reading::Doubtful(check) => found.push(format!("{name}: `{says}` is not read: {}", check.why)),
        }
    }
    for unlike in &entry.unlike {
        if let Reading::Tested(check) = read(unlike, &[])
            && check.family == format!("rulebook/{name}")
        {
            found.push(format!("{name}: `{unlike}` means something else"));
        }
    }
    let line = entry.examples.line.as_ref().or(sayings.first()).unwrap();
    let Reading::Tested(check) = read(line, &[]) else {
        found.push(format!("{name}: `{line}` is not read"));
        return found;
    };
    if check.family != format!("rulebook/{name}") {
        found.push(format!("{name}: `{line}` is read as {}", check.family));
    }
    let examples = &entry.examples;
    let wanted =
        [("followed", &examples.followed), ("missed", &examples.missed), ("untouched", &examples.untouched)];
    for (want, scripts) in wanted {
        for script in scripts {
            let got = verdict(&check, script);
            if got != want {
                found.push(format!("{name}: want {want}, got {got}: {script}"));
            }
        }
    }
    if examples.followed.len() + examples.missed.len() == 0 || examples.untouched.is_empty() {
        found.push(format!("{name}: has too few examples"));
    }
    found
}

#[test]
fn every_entry_does_what_its_examples_say() {
    let found: Vec<String> = entries()
        .into_iter()
        .flat_map(|(name, entry)| match entry {
            Ok(entry) => troubles(name, &entry),
            Err(problem) => vec![format!("{name}: {problem}")],
        })
        .collect();
    assert!(found.is_empty(), "{} troubles:\n{}", found.len(), found.join("\n"));
}
