//! What a person decides about proposals holds, and `why` shows what people come for.

use serde_json::{Value, json};

use crate::support::TestHome;

const WISH: &str = "Please always run `cargo nextest run` before you commit.";

/// A home in which edits are only proposed.
fn proposing(rules: &str) -> TestHome {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", rules);
    home.write("config/subcortex.yaml", "broadcast:\n  mode: propose\n");
    home
}

fn turn(home: &TestHome, session: &str, text: &str) {
    home.says(session, text);
    home.says(session, "ok");
    assert_eq!(home.run(&["tick", "--partition", "memory-weaver"]).code, 0);
}

fn waiting(home: &TestHome) -> Vec<Value> {
    home.json(&["review", "--json"]).as_array().unwrap().clone()
}

fn memory(home: &TestHome) -> String {
    std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap()
}

fn ran(home: &TestHome, session: &str, command: &str) {
    let payload = json!({ "tool_name": "Bash", "input": { "command": command } }).to_string();
    assert_eq!(home.tell("agent.tool_use", session, &["--payload", &payload]).code, 0);
}

#[test]
fn a_proposal_that_was_accepted_in_other_words_is_settled_until_the_person_says_it_again() {
    let home = proposing("- Be kind.\n");
    turn(&home, "s1", WISH);
    let id = waiting(&home)[0]["id"].as_str().unwrap().to_owned();
    let words = "Never use `sudo` in a script.";
    let accepted = home.run(&["review", "accept", &id, "--words", words]);
    assert_eq!(accepted.code, 0, "{accepted:?}");
    assert!(memory(&home).contains(words), "{}", memory(&home));
    let history = home.run(&["history"]).out;
    assert!(history.contains("the words are those with which a person accepted it"), "{history}");
    turn(&home, "s2", "Have a look at the parser.");
    assert_eq!(waiting(&home), Vec::<Value>::new());
    turn(&home, "s3", WISH);
    assert_eq!(waiting(&home).len(), 1, "what is said later is heard");
}

#[test]
fn misses_are_shown_before_the_newest_of_what_went_well_and_the_branch_is_named() {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", "- Never commit to `main`.\n");
    for (session, branch) in (0..26).map(|n| (format!("s{n}"), if n == 1 { "main" } else { "feat" })) {
        home.says(&session, "Mend the parser and commit.");
        ran(&home, &session, &format!("git checkout {branch}"));
        ran(&home, &session, "git commit -am 'parser'");
        home.says(&session, "thanks");
    }
    assert_eq!(home.run(&["tick", "--partition", "memory-weaver"]).code, 0);
    let why = home.run(&["why", "L1"]).out;
    let first = why.lines().find(|line| line.starts_with("missed  ") || line.starts_with("followed  "));
    assert!(first.is_some_and(|line| line.starts_with("missed")), "{why}");
    assert!(why.contains("a commit on `main`"), "{why}");
    assert!(why.contains("misses first"), "{why}");
}

#[test]
fn a_session_whose_name_begins_with_digits_is_no_line() {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", "- Never push to `main`.\n");
    let session = "14255944-5f0c-4f2b-9d63-0a1b2c3d4e5f";
    home.says(session, "Push it.");
    ran(&home, session, "git push origin main");
    home.says(session, "thanks");
    assert_eq!(home.run(&["tick", "--partition", "memory-weaver"]).code, 0);
    let why = home.run(&["why", "14255944"]);
    assert_eq!(why.code, 0, "{why:?}");
    assert!(why.out.contains("says something about memory/CLAUDE.md:L1"), "{why:?}");
    let none = home.run(&["why", "77777777"]);
    assert!(none.err.contains("is no rule"), "{none:?}");
}

#[test]
fn a_check_of_ones_own_is_said_to_judge_from_now_on() {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", "- Never push to `main`.\n");
    let hash = home.json(&["check", "L1", "--json"])[0]["hash"].as_str().unwrap().to_owned();
    std::fs::create_dir_all(home.path("memory/checks")).unwrap();
    assert!(!home.run(&["why", "L1"]).out.contains("your own check"));
    let check = "line: mine\nby: person\ncheck:\n  testable: true\n  forbid:\n  - ran: {command: git push}\n  why: nothing is pushed\n";
    home.write(&format!("memory/checks/{hash}.yaml"), check);
    let why = home.run(&["why", "L1"]).out;
    assert!(why.contains("your own check, which judges from when you wrote it on"), "{why}");
}
