//! Every action of the page, done by clicks, and what came of it in the home; and that an open page hears of what others do.

use serde_json::{Value, json};

use super::browser::{Browser, Scheme};
use super::{Lively, say};
use crate::partitions::script;

#[test]
fn every_action_of_the_page_does_what_the_command_does() {
    let Some(browser) = Browser::start("every_action_of_the_page", Scheme::Light) else { return };
    let lively = Lively::new();
    browser.go(&lively.link);
    let show = |view: &str| drop(browser.run(&format!("location.hash = '#/{view}'")));

    // The kill switch of everything, with its reason, and that of one partition.
    show("now");
    browser.write("#pause-why", "the disk is replaced");
    browser.click("#pause-all");
    browser.sees("Everything is paused.");
    browser.wait("document.querySelector('#glance').innerText.includes('the disk is replaced')");
    assert_eq!(std::fs::read_to_string(lively.home.path("PAUSED")).unwrap(), "the disk is replaced\n");
    browser.click("#resume-all");
    browser.wait("document.querySelector('#pause-all')");
    assert!(!lively.home.path("PAUSED").exists());
    browser.click("#pause-quiet");
    browser.wait("document.querySelector('#resume-quiet')");
    assert!(lively.home.path("subconscious/quiet/PAUSED").exists());
    browser.click("#resume-quiet");
    browser.wait("document.querySelector('#pause-quiet')");
    assert!(!lively.home.path("subconscious/quiet/PAUSED").exists());

    // A proposal in a person's own words; then the edit that this made is taken back.
    show("review");
    let id = lively.look("review")["waiting"][0]["id"].as_str().unwrap().to_owned();
    browser.write(&format!("#words-{id}"), "Run `cargo nextest run` before each commit, please.");
    browser.click(&format!("#accept-{id}"));
    browser.sees("Accepted");
    assert!(
        lively.memory().contains("- Run `cargo nextest run` before each commit, please.\n"),
        "{}",
        lively.memory()
    );
    show("broadcast");
    let edit = lively.look("edits")[0]["id"].as_str().unwrap().to_owned();
    browser.click("#edits-seen");
    browser.wait("!document.querySelector('#edits-seen')");
    assert_eq!(lively.look("broadcast")["unseen_edits"], 0);
    browser.click(&format!("#revert-{edit}"));
    browser.sees("Really take it back?");
    assert!(lively.memory().contains("nextest"), "one click takes nothing back");
    browser.click(&format!("#revert-{edit}"));
    browser.sees("The edit is taken back.");
    assert!(!lively.memory().contains("nextest"), "{}", lively.memory());
    assert_eq!(lively.look("edits")[0]["reverts"], edit.as_str());

    // A held task is tried again, and a new one handed over.
    show("inboxes");
    browser.click("[id='says-fails-deploy.md'] summary");
    browser.sees("note the deploy steps");
    browser.click("[id='retry-fails-deploy.md']");
    browser.sees("deploy.md is tried again.");
    browser.run("document.querySelector('#task-partition').value = 'quiet'");
    browser.write("#task-name", "from the page.md");
    browser.write("#task-body", "look after the flowers");
    browser.click("#task-send");
    browser.sees("The task is handed over.");
    let runs = || lively.look("runs");
    let has_run =
        |runs: &Value| runs["runs"].as_array().unwrap().iter().any(|run| run["partition"] == "quiet");
    let start = std::time::Instant::now();
    while !has_run(&runs()) {
        assert!(start.elapsed().as_secs() < 60, "{:#}", runs());
        std::thread::sleep(std::time::Duration::from_millis(100));
    }

    // A directive.
    show("blackboards/research");
    browser.write("#directive", "also ask for the CFO");
    browser.click("#directive-send");
    browser.wait("[...document.querySelectorAll('.talk li')].some((one) => one.innerText.includes('also ask for the CFO'))");
    let board = lively.home.json(&["blackboard", "read", "research", "--json"]);
    assert_eq!(board["open_directives"], json!(["also ask for the CFO"]));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_rejected_proposal_is_gone_for_good() {
    let Some(browser) = Browser::start("a_rejected_proposal", Scheme::Light) else { return };
    let lively = Lively::new();
    browser.go(&lively.link);
    browser.run("location.hash = '#/review'");
    let id = lively.look("review")["waiting"][0]["id"].as_str().unwrap().to_owned();
    let memory = lively.memory();
    browser.click(&format!("#reject-{id}"));
    browser.click(&format!("#reject-{id}"));
    browser.sees("Nothing waits for you.");
    assert_eq!(lively.home.json(&["review", "--json"]), json!([]));
    assert_eq!(lively.memory(), memory);
}

#[test]
fn an_open_page_hears_what_others_do_and_loses_nothing_that_is_being_written() {
    let Some(browser) = Browser::start("an_open_page_hears", Scheme::Light) else { return };
    let lively = Lively::new();
    browser.go(&lively.link);
    let show = |view: &str, part: &str| {
        browser.run(&format!("location.hash = '#/{view}'"));
        browser.sees(part);
    };
    show("spine", "channel.message");
    lively.home.says("wed", "the roof is green now");
    browser.sees("the roof is green now");
    show("blackboards/research", "Who leads Acme?");
    browser.write("#directive", "half a sent");
    say(
        &lively.home,
        "worker",
        "w1",
        &json!({ "kind": "UNVERIFIED", "entity": "Acme", "field": "ceo", "claimed_value": "Ann Onymous", "reason": "no page" }),
    );
    browser.sees("Ann Onymous");
    assert_eq!(browser.run("return document.querySelector('#directive').value"), "half a sent");
    assert_eq!(browser.run("return document.activeElement.id"), "directive");
    show("now", "Pause everything");
    assert_eq!(lively.home.run(&["pause", "--why", "from a terminal"]).code, 0);
    browser.sees("from a terminal");
    assert_eq!(lively.home.run(&["resume"]).code, 0);
    browser.wait("document.querySelector('#pause-all')");
    script(
        &lively.home,
        "slow",
        "cooldown_ticks: 0",
        "cat; while [ ! -e ../../go ]; do sleep 0.05; done; echo UPDATED: at last",
    );
    lively.home.write("subconscious/slow/inbox/long.md", "take your time");
    browser.sees("has been at work since");
    assert!(browser.text().contains("on long.md"), "{}", browser.text());
    show("runs", "at work");
    lively.home.write("go", "");
    browser.sees("at last");
    show("inboxes", "deploy.md");
    assert_eq!(lively.home.run(&["pause", "quiet"]).code, 0);
    lively.home.write("subconscious/quiet/inbox/handed-over-by-somebody.md", "x");
    browser.sees("handed-over-by-somebody.md");
    show("broadcast", "Be kind to each other");
    lively.home.write("memory/CLAUDE.md", format!("{}- A line that a person typed.\n", lively.memory()));
    browser.sees("A line that a person typed.");
    assert_eq!(browser.complaints(), Vec::<String>::new());
    // A daemon that ends is missed.
    lively.daemon.signal("TERM");
    browser.sees("The daemon does not answer.");
}
