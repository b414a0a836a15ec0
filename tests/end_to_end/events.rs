//! `event add` and `spine`: what goes in comes out, and mistakes are answered.

use std::process::Stdio;

use crate::support::TestHome;

#[test]
fn an_event_gets_an_id_and_can_be_read_back() {
    let home = TestHome::new();
    let id = home.add("use pnpm, not npm").out;
    assert!(id.starts_with("evt_") && id.len() == "evt_".len() + 36 + 1, "{id}");
    let record: serde_json::Value =
        serde_json::from_str(&home.run(&["spine", "tail", "--json"]).out).unwrap();
    assert_eq!(record["id"], id.trim_end());
    assert_eq!(record["source"], serde_json::json!({"kind": "claude"}));
    assert_eq!(record["payload"]["text"], "use pnpm, not npm");
    assert_eq!(record["seq"], 1);
}

#[test]
fn tail_filters_by_kind_and_type_and_shows_the_newest() {
    let home = TestHome::new();
    for n in 0..15 {
        home.add(&format!("message {n}"));
    }
    home.run(&["event", "add", "--kind", "codex", "--type", "agent.result", "--text", "done"]);
    assert_eq!(home.run(&["spine", "tail"]).out.lines().count(), 10);
    assert_eq!(home.run(&["spine", "tail", "--kind", "codex"]).out.lines().count(), 1);
    assert_eq!(home.run(&["spine", "tail", "-n", "3", "--type", "channel.message"]).out.lines().count(), 3);
    assert_eq!(home.run(&["spine", "cat"]).out.lines().count(), 16);
}

#[test]
fn follow_shows_events_as_they_come() {
    let home = TestHome::new();
    let mut tail = home.command(&["spine", "tail", "-f"]).stdout(Stdio::piped()).spawn().unwrap();
    home.add("hello");
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(tail.stdout.take().unwrap()), &mut line)
        .unwrap();
    tail.kill().unwrap();
    tail.wait().unwrap();
    assert!(line.contains("hello"), "{line}");
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let home = TestHome::new();
    for n in 0..50 {
        home.add(&format!("{n} {}", "x".repeat(5000)));
    }
    let mut cat = home.command(&["spine", "cat"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(cat.stdout.take());
    assert!(cat.wait().unwrap().success());
}

#[test]
fn an_event_of_an_internal_kind_is_stored_and_never_evidence() {
    let home = TestHome::new();
    let said =
        home.run(&["event", "add", "--kind", "cadence", "--type", "channel.message", "--text", "believe me"]);
    assert_eq!(said.code, 0);
    assert!(said.err.contains("never taken as evidence"), "{}", said.err);
    let stats = home.json(&["spine", "stats", "--json"]);
    assert_eq!((&stats["external"], &stats["internal"]), (&0.into(), &1.into()));
}

#[test]
fn hostile_text_reaches_the_terminal_escaped() {
    let home = TestHome::new();
    home.add("red \u{1b}[31m bell \u{7} override \u{202e} end");
    let shown = home.run(&["spine", "tail"]).out;
    assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{shown:?}");
}

#[test]
fn mistakes_are_refused_with_code_2() {
    let home = TestHome::new();
    for (args, expect) in [
        (&["event", "add", "--kind", "", "--type", "x", "--text", "t"][..], "empty"),
        (&["event", "add", "--kind", "a b", "--type", "x", "--text", "t"], "white space"),
        (&["event", "add", "--kind", "a", "--type", "x", "--payload", "[1]"], "must be a JSON object"),
        (&["event", "add", "--kind", "a", "--type", "x", "--payload", "{"], "not JSON"),
        (&["event", "add", "--kind", "a", "--type", "x"], "--payload"),
        (&["event", "add", "--kind", "a", "--type", "x", "--text", "t", "--ts", "yesterday"], "--ts"),
        (&["spine", "frobnicate"], "frobnicate"),
        (&["strat"], "status"),
    ] {
        let said = home.run(args);
        assert_eq!(said.code, 2, "{args:?}: {said:?}");
        assert!(said.err.contains(expect), "{args:?}: {}", said.err);
        assert_eq!(said.out, "");
    }
    assert_eq!(home.run(&["spine", "cat"]).out, "");
}

#[test]
fn an_event_reported_twice_is_stored_once() {
    let home = TestHome::new();
    let add = || {
        home.run(&["event", "add", "--kind", "claude", "--type", "t", "--text", "x", "--source-id", "s/1"])
    };
    assert!(add().out.starts_with("evt_"));
    let again = add();
    assert_eq!((again.code, &*again.out), (0, ""));
    assert_eq!(home.run(&["spine", "cat"]).out.lines().count(), 1);
}

#[test]
fn damage_is_reported_with_its_place_and_code_1() {
    let home = TestHome::new();
    home.add("one");
    home.add("two");
    let day = std::fs::read_dir(home.path("var/events"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .unwrap();
    let mut bytes = std::fs::read(&day).unwrap();
    bytes[10] ^= 1;
    std::fs::write(&day, bytes).unwrap();
    let said = home.run(&["spine", "verify", "--json"]);
    assert_eq!(said.code, 1);
    let found: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(found["records"], 1);
    assert_eq!(found["damaged"][0]["offset"], 0);
    assert_eq!(found["damaged"][0]["reason"], "the checksum does not match");
}
