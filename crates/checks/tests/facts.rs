//! What a turn tells: sub-agents, refusals, commits that failed, branches, people's words about lines.
#![allow(clippy::unwrap_used, clippy::panic)]

use serde_json::json;
use subcortex_checks::{Activation, Bearing, Board, Check, Past, Verdict, judge, judge_after};
use subcortex_model::Turn;

mod common;
use common::turn;

fn check_of(yaml: &str) -> Check {
    subcortex_yaml::from_str(&format!("testable: true\n{yaml}")).unwrap()
}

fn verdicts(yaml: &str, turn: &Turn) -> Vec<Verdict> {
    judge(turn, None, &Board::new([(1, check_of(yaml))]))
}

#[track_caller]
fn check(yaml: &str, script: &str, expect: Option<Bearing>) {
    let found = verdicts(yaml, &turn(script));
    assert_eq!(found.first().map(|verdict| verdict.trajectory), expect, "{script}\n{found:?}");
}

const FOLLOWED: Option<Bearing> = Some(Bearing::Strengthening);
const MISSED: Option<Bearing> = Some(Bearing::Weakening);
const OPEN: Option<Bearing> = Some(Bearing::Neutral);

#[test]
fn an_added_line_counts_although_an_equal_one_was_there() {
    let fact = r"forbid: [{wrote: {added: '\[Fact\]'}}]";
    check(
        fact,
        r"> go\n~ a.cs | [Fact]\nA | [Fact]\nA\n[Fact]\nB".replace(r"> go\n", "> go\n").as_str(),
        MISSED,
    );
    let gap = r"forbid: [{wrote: {added: '(?m)^A\n\nB'}}]";
    check(gap, "> go\n~ a.cs | x | x\\nA\\n\\nB", MISSED);
}

#[test]
fn a_commit_that_failed_is_none() {
    let message = "forbid: [{committed: {not_message: '^fix: '}}]";
    check(message, "> go\n$ git commit -m oops => [main 1234567] oops", MISSED);
    check(message, "> go\n! git commit -m oops => hook refused", None);
    check(message, "> go\n$ git commit -m oops | tail -3 => error: hook refused", None);
}

#[test]
fn the_branch_is_known_although_records_lag_behind() {
    let named = "forbid: [{branched: {not_name: 'feat/.*'}}]";
    for script in ["git switch -qc oops", "git checkout -qb oops", "git branch -m oops"] {
        check(named, &format!("> go\n$ {script}"), MISSED);
    }
    let on_main = "forbid: [{committed: {branch: main}}]";
    check(on_main, "> go\n% main\n$ git switch -c feat/y\n$ git commit -m x", None);
    check(on_main, "> go\n% main\n$ git commit -m x", MISSED);
}

#[test]
fn what_the_shell_does_elsewhere_or_not_at_all_does_not_count() {
    let linted = "expect: [{any: [{ran: {command: ruff check}}]}]";
    check(linted, "> go\n$ ruff check", FOLLOWED);
    check(linted, "> go\n! ruff check => bash: line 1: ruff: command not found", None);
    let commits = "forbid: [{committed: {}}]";
    check(commits, "> go\n$ cd /tmp/try && git init && git commit -m x", None);
    check(commits, "> go\n$ git -C /tmp/try commit -m x", None);
}

#[test]
fn a_refused_command_follows_nothing_and_breaks_what_forbids_it() {
    let refuse = |script: &str| {
        let mut refused = turn(script);
        for event in refused.events.iter_mut().filter(|event| event.event_type == "agent.tool_result") {
            event.payload.insert("refused".into(), json!(true));
        }
        refused
    };
    let pushed = refuse("> go\n! git push --force => no");
    let found = verdicts("forbid: [{pushed: {with: --force}}]", &pushed);
    assert_eq!(found[0].trajectory, Bearing::Weakening);
    assert!(found[0].why.contains("refused by the person"), "{}", found[0].why);
    let linted = refuse("> go\n! make lint => no");
    assert!(verdicts("expect: [{any: [{ran: {role: lint}}]}]", &linted).is_empty());
}

#[test]
fn a_subagents_work_is_the_agents_and_its_words_are_not() {
    let mut shared = turn("> go\n$ make lint\n< The schema is ready.");
    for event in shared.events.iter_mut().skip(1) {
        event.payload.insert("is_sidechain".into(), json!(true));
    }
    let ran = verdicts("expect: [{any: [{ran: {role: lint}}]}]", &shared);
    assert_eq!(ran.len(), 1);
    assert!(verdicts("forbid: [{said: {text: ready}}]", &shared).is_empty());
}

#[test]
fn a_prohibition_that_was_merely_not_broken_was_not_followed() {
    let prints =
        "trigger: [{wrote: {paths: ['*.py']}}]\nforbid: [{wrote: {added: 'print\\('}}]\nunmet: followed";
    check(prints, "> go\n~ a.py | x | y", OPEN);
    check(prints, "> go\n~ a.py | print(x) | log(x)", FOLLOWED);
    check(prints, "> go\n~ a.py | x | print(x)", MISSED);
    let landing = "trigger: [{committed: {}}]\nforbid: [{committed: {with: --no-verify}}]\nunmet: missed";
    check(landing, "> go\n$ git commit -m x", MISSED);
}

#[test]
fn not_asking_is_not_asking() {
    let plans = "forbid: [{wrote: {paths: [PLAN.md]}}]\nunless: [{said: {by: person, text: '(?i)plan'}}]";
    check(plans, "> write a plan first\n+ PLAN.md | x", OPEN);
    check(plans, "> fix it, i didn't ask for a plan\n+ PLAN.md | x", MISSED);
    check(plans, "> fix it\n+ PLAN.md | x", MISSED);
}

/// What the second turn says about a line whose check looks for `print(`.
fn after_a_breach(opening: &str) -> Vec<Verdict> {
    let check = check_of(
        "forbid: [{wrote: {added: 'print\\('}}]\nexpect: [{any: [{wrote: {added: 'logger\\.'}}]}]\nwhy: use the logger\ncues: {stems: [print, logger]}",
    );
    let other = check_of("forbid: [{ran: {command: rm}}]\ncues: {stems: [delet, fold]}");
    let board = Board::new([(1, check), (2, other)]);
    let before = turn("> go\n~ a.py | x | print(x)");
    let now = turn(&format!("> {opening}\n~ a.py | print(x) | logger.info(x)"));
    let mut past = Past::start();
    past.add(&before);
    judge_after(&now, Some(&before), &past, &board)
}

#[test]
fn words_after_which_a_breach_is_taken_back_are_about_the_line() {
    for opening in ["no prints please", "that ends up in stdout of the worker"] {
        let found = after_a_breach(opening);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].line, found[0].trajectory), (1, Bearing::Weakening), "{opening}");
        assert_eq!((found[0].quote.as_str(), found[0].activation), (opening, Activation::Missed));
        // Either the line's own test says what was broken, or the person's objection does.
        let why = &found[0].why;
        assert!(["use the logger", "objects"].iter().any(|part| why.contains(part)), "{why}");
    }
}

#[test]
fn a_turn_that_nobody_complained_about_is_followed() {
    let check = check_of("expect: [{any: [{wrote: {added: 'logger\\.'}}]}]\ncues: {stems: [logger]}");
    let board = Board::new([(1, check)]);
    let before = turn("> go\n~ a.py | x | y");
    let now = turn("> now the import side the same way\n~ b.py | x | logger.info(x)");
    let found = judge(&now, Some(&before), &board);
    assert_eq!(found[0].trajectory, Bearing::Strengthening, "{found:?}");
}

#[test]
fn what_is_said_to_last_about_a_line_outweighs_the_deed_that_follows() {
    let check =
        check_of("expect: [{any: [{ran: {command: pnpm}}]}]\ncues: {stems: [pnpm, npm], code: [pnpm]}");
    let board = Board::new([(1, check)]);
    let now = turn("> from now on always use pnpm, never npm\n$ pnpm install");
    let found = judge(&now, None, &board);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].trajectory, Bearing::Weakening);
}
