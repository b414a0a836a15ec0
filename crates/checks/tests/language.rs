//! What a check can say, written as people write it, held against turns.
#![allow(clippy::unwrap_used, clippy::panic)]

use subcortex_checks::{Bearing, Board, Check, Past, Verdict, judge_after};
use subcortex_model::Turn;

mod common;
use common::turn;

fn board(yaml: &str) -> Board {
    let check: Check = subcortex_yaml::from_str(&format!("testable: true\n{yaml}")).unwrap();
    Board::new([(1, check)])
}

/// What the last of these turns says about the line.
fn verdict(yaml: &str, scripts: &[&str]) -> Option<Verdict> {
    let board = board(yaml);
    let turns: Vec<Turn> = scripts.iter().map(|script| turn(script)).collect();
    let mut past = Past::start();
    let mut last = None;
    for (at, turn) in turns.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| &turns[at]);
        last = judge_after(turn, before, &past, &board).into_iter().next();
        past.add(turn);
    }
    last
}

fn seen(verdict: Option<&Verdict>) -> &'static str {
    match verdict.map(|verdict| verdict.trajectory) {
        Some(Bearing::Strengthening) => "S",
        Some(Bearing::Weakening) => "W",
        Some(Bearing::Neutral) => "N",
        None => "-",
    }
}

#[track_caller]
fn check(yaml: &str, cases: &[(&[&str], &str)]) {
    for (scripts, expect) in cases {
        let verdict = verdict(yaml, scripts);
        assert_eq!(seen(verdict.as_ref()), *expect, "{yaml}\n{scripts:?}\n{verdict:?}");
    }
}

const TESTED_COMMITS: &str = "
trigger: [{committed: {}}]
expect: [{any: [{ran: {role: test, outcome: passed}}], order: before_trigger, since: {edit: ['*.py']}}]
unmet: missed
why: tests before each commit
";

#[test]
fn a_window_reaches_over_turns_and_ends_at_an_edit() {
    check(
        TESTED_COMMITS,
        &[
            (&["> go\n~ a.py | a | b\n$ pytest\n$ git commit -m x"], "S"),
            (&["> go\n$ pytest\n~ a.py | a | b\n$ git commit -m x"], "W"),
            (&["> go\n~ a.py | a | b\n$ make test", "> commit\n$ git commit -m x"], "S"),
            (&["> go\n$ make test\n~ a.py | a | b", "> commit\n$ git commit -m x"], "W"),
            (&["> go\n$ make test\n~ a.md | a | b", "> commit\n$ git commit -m x"], "S"),
            (&["> go\n~ a.py | a | b\n$ pytest | tail => 2 failed, 1 passed\n$ git commit -m x"], "W"),
            (&["> go\n~ a.py | a | b\n$ pytest\n$ git commit -m x\n~ a.py | b | c\n$ git commit -m y"], "W"),
        ],
    );
    let missed = verdict(TESTED_COMMITS, &["> go\n$ pytest\n~ a.py | a | b\n$ git commit -m x"]).unwrap();
    assert_eq!(
        missed.why,
        "a commit without a run of the tests that passes since the last edit (the line: tests before each commit)"
    );
}

#[test]
fn what_nobody_knows_is_left_open() {
    let turn = turn("> commit\n$ git commit -m x");
    let verdicts = judge_after(&turn, None, &Past::unknown(), &board(TESTED_COMMITS));
    assert_eq!(seen(verdicts.first()), "N");
    let verdicts = judge_after(&turn, None, &Past::start(), &board(TESTED_COMMITS));
    assert_eq!(seen(verdicts.first()), "W");
}

#[test]
fn conditions_are_combined() {
    check(
        "
trigger:
  - all:
      - wrote: {paths: ['*.sql']}
      - any: [{committed: {}}, {pushed: {}}]
      - none: [{said: {by: person, text: hotfix}}]
expect: [{any: [{read: {paths: [docs/db.md]}}, {all: [{ran: {command: dbctl plan}}, {used: {tool: Skill, input: review}}]}]}]
unmet: missed
",
        &[
            (&["> go\n~ a.sql | a | b"], "-"),
            (&["> go\n~ a.sql | a | b\n$ git commit -m x"], "W"),
            (&["> hotfix\n~ a.sql | a | b\n$ git commit -m x"], "-"),
            (&["> go\n? docs/db.md\n~ a.sql | a | b\n$ git push"], "S"),
            (&["> go\n$ dbctl plan\n~ a.sql | a | b\n$ git push"], "W"),
        ],
    );
    check(
        "
forbid: [{all: [{pushed: {}}, {none: [{earlier: {any: [{said: {by: person, text: push}}]}}]}]}]
",
        &[(&["> go\n$ git push"], "W"), (&["> push it when done\n< ok", "> now\n$ git push"], "-")],
    );
}

#[test]
fn each_added_unit_is_looked_at_by_itself() {
    let hints = "
expect: [{any: [{added: {unit: function, paths: ['*.py'], has: '->'}}]}]
forbid: [{added: {unit: function, paths: ['*.py'], lacks: '->', unless: 'def __init__'}}]
mixed: missed
";
    check(
        hints,
        &[
            (&["> go\n+ a.py | def a() -> int:\\n    return 1"], "S"),
            (&["> go\n+ a.py | def a() -> int:\\n    return 1\\n\\ndef b():\\n    return 2"], "W"),
            (&["> go\n+ a.py | class A:\\n    def __init__(self):\\n        pass"], "-"),
            (&["> go\n~ a.py | def a():\\n    return 1 | def a():\\n    return 2"], "-"),
        ],
    );
}

#[test]
fn the_first_run_after_an_edit_is_told_from_the_others() {
    let first = "forbid: [{ran: {role: test, outcome: failed, first_after_edit: true}}]";
    check(
        first,
        &[
            (&["> go\n~ a.py | a | b\n! pytest => 1 failed"], "W"),
            (&["> go\n~ a.py | a | b\n$ pytest\n! pytest => 1 failed"], "-"),
        ],
    );
}

#[test]
fn assignments_removed_text_and_the_files_of_a_commit_can_be_asked_for() {
    check(
        "expect: [{any: [{ran: {command: make test, env: 'CI=1'}}]}]",
        &[(&["> go\n$ CI=1 make test"], "S"), (&["> go\n$ make test"], "-")],
    );
    check(
        "forbid: [{wrote: {removed: 'TODO'}}]",
        &[(&["> go\n~ a.py | # TODO x\\na | a"], "W"), (&["> go\n~ a.py | a | # TODO x\\na"], "-")],
    );
    check(
        "forbid: [{committed: {files: ['*.env']}}]",
        &[
            (&["> go\n$ git add a.py .env && git commit -m x"], "W"),
            (&["> go\n~ x.env | a | b\n$ git commit -am x"], "W"),
            (&["> go\n$ git add a.py && git commit -m x"], "-"),
        ],
    );
}

#[test]
fn what_can_never_match_is_refused_with_its_place() {
    for (yaml, place, words) in [
        ("trigger:\n  - wrote: {added: 'foo('}\n", 2, "unclosed group"),
        ("trigger:\n  - wrote: {ading: foo}\n", 2, "ading"),
        ("forbid:\n  - wrote: {added: ''}\n", 2, "only the empty text"),
        ("forbid:\n  - committed: {message: '^$'}\n", 2, "only the empty text"),
        ("forbid:\n  - read: {paths: []}\n", 2, "names no path"),
        ("forbid:\n  - wrote: {edited: true, whole: true}\n", 2, "edited"),
        ("forbid:\n  - all: []\n", 2, "at least one"),
        ("trigger:\n  - none: [{committed: {}}]\n", 2, "put them into `all`"),
        ("expect:\n  - any:\n      - said: {by: person}\n", 3, "looks for no words"),
    ] {
        let problem = subcortex_yaml::from_str::<Check>(yaml).unwrap_err();
        let told = problem.at("checks/x.yaml");
        assert!(told.contains(words), "{yaml}\n{told}");
        assert!(problem.line.is_some_and(|line| line <= place), "{yaml}\n{told}");
    }
}

#[test]
fn a_check_of_the_first_version_is_read_and_written_as_it_was() {
    let yaml = "testable: true\nfamily: run-after\ntrigger: [{wrote: {paths: ['apps/api/**'], words: [dto]}}]\nexpect: [{any: [{ran: {command: pnpm gen}}], order: after_trigger}]\nnear: []\nforbid: [{read: {paths: [a.md]}}, {used: {tool: 'mcp__*'}}, {pushed: {branch: main}}, {refused: {text: no}}]\nunless: [{said: {by: person, text: (?i)skip}}]\nunmet: missed\nmixed: open\nscope: {}\nwhy: x\n";
    let check: Check = subcortex_yaml::from_str(yaml).unwrap();
    let written = serde_json::to_value(&check).unwrap();
    assert_eq!(
        written["expect"][0],
        serde_json::json!({"any": [{"ran": {"command": "pnpm gen"}}], "order": "after_trigger"})
    );
    assert_eq!(written["forbid"][2], serde_json::json!({"pushed": {"branch": "main"}}));
    assert_eq!(serde_json::from_value::<Check>(written).unwrap(), check);
}
