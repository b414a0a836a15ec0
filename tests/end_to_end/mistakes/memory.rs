//! Rules, edits, proposals and evidence that are named wrongly.

use serde_json::json;

use super::{refused, tells};
use crate::support::TestHome;

const RULES: &str = "# Rules\n- Use npm, not pnpm.\n- Never push to `main`.\n";

fn home() -> TestHome {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", RULES);
    home
}

/// A home in which a person's words became an edit. Its name.
fn edited() -> (TestHome, String) {
    let home = home();
    home.says("session-one", "From now on always use pnpm, not npm.");
    home.says("session-one", "ok");
    home.run(&["tick", "--partition", "memory-weaver"]);
    let history = home.json(&["history", "--json"]);
    let id = history[0]["id"].as_str().unwrap_or_else(|| panic!("{history}")).to_owned();
    (home, id)
}

#[test]
fn a_rule_that_stands_there_already_is_named_with_the_way_to_change_it() {
    let home = home();
    let words = ["memory/CLAUDE.md:L3 says that already", "Never push to `main`.", "subcortex rule edit L3"];
    refused(&home, &["rule", "add", "Never push to `main`."], 2, &words);
    assert_eq!(std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap(), RULES);
}

#[test]
fn a_rule_that_is_too_long_or_no_plain_sentence_is_refused_with_the_limit() {
    let home = home();
    let long = "very ".repeat(60);
    refused(&home, &["rule", "add", &long], 2, &["longer than 200 characters", "one plain sentence"]);
    refused(&home, &["rule", "add", "# Rules"], 2, &["Markdown", "one plain sentence"]);
    refused(&home, &["rule", "add", "one\ntwo"], 2, &["a line break", "one plain sentence"]);
    refused(&home, &["rule", "add", "Use password=hunter2secret here"], 2, &["it holds a secret"]);
}

#[test]
fn a_line_that_is_no_rule_is_told_with_those_that_are() {
    let home = home();
    let words = ["line 99 is no rule", "L2 to L3", "`subcortex rule list`"];
    refused(&home, &["rule", "edit", "L99", "Be kind."], 2, &words);
    refused(&home, &["rule", "remove", "L1"], 2, &["line 1 is no rule", "L2 to L3"]);
    refused(&home, &["rule", "remove", "three"], 2, &["`three` names no line", "L12"]);
}

#[test]
fn a_project_that_is_no_folder_is_told_with_what_is_wanted() {
    let home = home();
    let words = ["/no/such/project", "--project takes the folder of the project"];
    refused(&home, &["rule", "add", "Be kind.", "--project", "/no/such/project"], 2, &words);
    refused(&home, &["rule", "list", "--project", "/dev/null"], 2, &["is no folder", "--project ."]);
}

#[test]
fn a_rule_of_everywhere_is_not_taken_out_as_one_of_a_project() {
    let home = home();
    let here = home.path("..").canonicalize().unwrap();
    let args = ["rule", "remove", "L2", "--project", here.to_str().unwrap()];
    refused(&home, &args, 2, &["L2 applies everywhere", "`subcortex rule list --project"]);
}

#[test]
fn an_agent_that_writes_rules_by_hand_is_told_how_it_hands_them_over() {
    let home = home();
    for args in [&["rule", "add", "Be kind."][..], &["rule", "remove", "L2"], &["rule", "edit", "L2", "x y"]]
    {
        let output = home.command(args).env("CLAUDECODE", "1").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        tells(
            &said,
            &[
                "only a person changes rules by hand, and this is called by Claude Code",
                "`subcortex remember --session S --quote TEXT RULE`",
            ],
        );
    }
    assert_eq!(std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap(), RULES);
}

#[test]
fn an_edit_that_there_is_not_gets_the_nearest_or_the_list() {
    let (home, id) = edited();
    let mistyped = format!("{}zz", &id[..id.len() - 2]);
    refused(&home, &["revert", &mistyped], 2, &["there is no edit", &format!("did you mean {id}?")]);
    refused(&home, &["revert", "yesterday"], 2, &["there is no edit `yesterday`", "`subcortex history`"]);
    refused(&super::super::support::TestHome::new(), &["revert", "x"], 2, &["there is none yet"]);
}

#[test]
fn a_beginning_that_fits_two_edits_is_refused_with_both() {
    let (home, first) = edited();
    assert_eq!(home.run(&["rule", "add", "Be kind to everybody."]).code, 0);
    let history = home.json(&["history", "--json"]);
    let second = history[1]["id"].as_str().unwrap();
    let words = ["the beginning of 2 edits", "write more", &first, second];
    refused(&home, &["revert", "edit_0"], 2, &words);
}

#[test]
fn a_change_that_an_edit_does_not_have_is_told_with_how_many_it_has() {
    let (home, id) = edited();
    refused(
        &home,
        &["revert", &id, "--change", "7"],
        2,
        &["has 1 change", "`subcortex history` numbers them"],
    );
    refused(&home, &["revert", &id, "--change", "0"], 2, &["--change"]);
    assert_eq!(home.run(&["revert", &id]).code, 0);
    refused(&home, &["revert", &id], 2, &["is undone already", "nothing was changed"]);
}

#[test]
fn a_proposal_that_there_is_not_is_told_with_the_list() {
    let home = home();
    for verb in ["accept", "reject"] {
        refused(&home, &["review", verb, "prop_none"], 2, &["there is no proposal", "`subcortex review`"]);
    }
    refused(&home, &["review"], 0, &["nothing waits for you"]);
}

#[test]
fn an_origin_that_nobody_knows_is_not_forgotten_and_the_nearest_is_named() {
    let (home, _) = edited();
    let words = ["there is no line, session or event `session-onne`", "did you mean session-one?"];
    refused(&home, &["forget", "--origin", "session-onne"], 2, &words);
    // A short beginning is enough to look, and too little to forget.
    refused(&home, &["forget", "--origin", "sess"], 2, &["there is no line, session or event `sess`"]);
    assert!(!home.path("memory/state/forgotten.json").exists());
    assert!(std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap().contains("pnpm"));
    let said = home.run(&["forget", "--origin", "session-o"]);
    assert_eq!(said.code, 0, "{said:?}");
    tells(&said.out, &["meant: session-one", "gone: memory/CLAUDE.md:L2"]);
}

#[test]
fn why_of_something_unknown_says_what_can_be_asked_about() {
    let (home, _) = edited();
    refused(&home, &["why", "L99"], 2, &["line 99", "is no rule", "`subcortex rule list`", "audit"]);
    let words = ["there is no line, session or event `monday`", "name a line (L12), a session or an event"];
    refused(&home, &["why", "monday"], 2, &words);
    let said = home.run(&["why", "session-o"]);
    assert_eq!(said.code, 0, "{said:?}");
    tells(&said.out, &["session-one", "From now on always use pnpm, not npm.", "subcortex revert edit_"]);
}

#[test]
fn a_session_that_taught_nothing_yet_is_told_from_one_that_nobody_knows() {
    let home = home();
    home.says("quiet-session", "good morning");
    let words = [
        "`quiet-session` is in the event log",
        "not enough data yet",
        "subcortex tick --partition memory-weaver",
    ];
    refused(&home, &["why", "quiet-se"], 2, &words);
    let said = home.run(&["why", "L2"]);
    tells(&said.out, &["not enough data yet: no turn has touched it", "holds everywhere"]);
}

#[test]
fn a_home_without_a_memory_says_how_it_gets_one() {
    let home = TestHome::new();
    refused(&home, &["rule", "list"], 0, &["no rules yet", "subcortex rule add"]);
    refused(&home, &["history"], 0, &["no edits yet", "subcortex rule add"]);
    refused(&home, &["check"], 2, &["there is no memory/CLAUDE.md yet", "`subcortex adopt FILE`"]);
    assert_eq!(home.json(&["rule", "list", "--json"]), json!([]));
}
