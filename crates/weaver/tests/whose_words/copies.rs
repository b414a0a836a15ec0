//! A session that was resumed or forked, and repeats what was said in another one.

use serde_json::{Value, json};
use subcortex_known_agents::{Agent, CLAUDE, CODEX, Options};
use subcortex_model::Draft;

use crate::home::Home;

const LINE: &str = "pnpm";

/// A correction, which becomes a line when it is heard in two sessions.
fn claude(session: &str, day: u8) -> Vec<Value> {
    let record = |number: u8, kind: &str, content: Value| {
        json!({"type": kind, "sessionId": session, "uuid": format!("{day}-{number}"), "cwd": "/p", "isSidechain": false,
            "version": "2.1.325", "promptSource": "typed", "timestamp": format!("2026-03-{day:02}T10:00:0{number}.000Z"),
            "message": {"role": kind, "content": content}})
    };
    let call =
        json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "npm install lodash"}}]);
    vec![
        record(1, "user", json!("install lodash")),
        record(2, "assistant", call),
        record(3, "user", json!([{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}])),
        record(4, "user", json!("no, use pnpm instead of npm")),
        record(5, "assistant", json!([{"type": "text", "text": "ok"}])),
    ]
}

fn codex(heads: &[Value], day: u8) -> Vec<Value> {
    let heads = heads.iter().map(|meta| json!({"type": "session_meta", "payload": meta}));
    let said =
        |text: &str| json!({"type": "event_msg", "payload": {"type": "user_message", "message": text}});
    let call = json!({"type": "response_item", "payload": {"type": "function_call", "name": "shell", "call_id": "c1",
        "arguments": json!({"command": ["bash", "-lc", "npm install lodash"]}).to_string()}});
    let output = json!({"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c1", "output": "ok"}});
    let done = json!({"type": "event_msg", "payload": {"type": "agent_message", "message": "ok"}});
    let lines = [said("install lodash"), call, output, said("no, use pnpm instead of npm"), done];
    let stamped = heads.chain(lines).enumerate().map(|(number, mut line)| {
        line["timestamp"] = json!(format!("2026-03-{day:02}T10:00:0{number}.000Z"));
        line
    });
    stamped.collect()
}

fn head(id: &str) -> Value {
    json!({"id": id, "cwd": "/p", "source": "cli"})
}

fn read(agent: &'static Agent, file: &[Value]) -> Vec<Draft> {
    let (mut reader, mut drafts) = (agent.reader(Options::default()), Vec::new());
    for line in file {
        reader.line(line.to_string().as_bytes(), &mut drafts);
    }
    reader.finish(&mut drafts);
    drafts
}

fn is_remembered(agent: &'static Agent, files: &[Vec<Value>]) -> bool {
    let mut home = Home::new();
    for file in files {
        home.hears(read(agent, file));
    }
    home.weave();
    home.remembers(LINE)
}

#[test]
fn a_copy_of_a_session_says_nothing_a_second_time() {
    assert!(!is_remembered(&CLAUDE, &[claude("s1", 1)]));
    assert!(is_remembered(&CLAUDE, &[claude("s1", 1), claude("s2", 2)]), "two sessions");
    assert!(!is_remembered(&CLAUDE, &[claude("s1", 1), claude("s2", 1)]), "resumed");
    let mut forked = claude("s2", 1);
    for record in &mut forked {
        record["forkedFrom"] = json!({"sessionId": "s1", "messageUuid": record["uuid"]});
    }
    assert!(!is_remembered(&CLAUDE, &[claude("s1", 1), forked]), "forked");
}

/// The first lines of a session that was forked: its own, and those of the sessions before it.
fn forked(of: &[&str]) -> Vec<Value> {
    let own = json!({"id": "s2", "cwd": "/p", "source": "cli", "forked_from_id": "s1"});
    std::iter::once(own).chain(of.iter().map(|id| head(id))).collect()
}

#[test]
fn a_fork_of_codex_says_nothing_a_second_time() {
    let original = || codex(&[head("s1")], 1);
    assert!(!is_remembered(&CODEX, &[original()]));
    assert!(is_remembered(&CODEX, &[original(), codex(&[head("s2")], 2)]), "two sessions");
    // It gives what it repeats its own times; some versions kept those of the original.
    let mut copied = codex(&forked(&["s1"]), 1);
    for (line, of) in copied[2..].iter_mut().zip(&original()[1..]) {
        line["timestamp"] = of["timestamp"].clone();
    }
    for (name, fork) in [
        ("with the same times", copied),
        ("with its own times", codex(&forked(&["s1"]), 2)),
        ("without the first line of the other", codex(&forked(&[]), 2)),
    ] {
        assert!(!is_remembered(&CODEX, &[original(), fork.clone()]), "{name}");
        assert!(!is_remembered(&CODEX, &[fork, original()]), "{name}, and the fork came first");
    }
}

#[test]
fn a_fork_of_codex_repeats_what_was_added_to_a_turn() {
    let with_turns = |heads: &[Value], day| {
        let mut lines = codex(heads, day);
        let started = json!({"type": "event_msg", "timestamp": lines[heads.len()]["timestamp"],
            "payload": {"type": "task_started", "turn_id": "t1"}});
        lines.insert(heads.len(), started);
        lines
    };
    let original = with_turns(&[head("s1")], 1);
    let mut other = with_turns(&[head("s3")], 2);
    other[1]["payload"]["turn_id"] = json!("t2");
    assert!(is_remembered(&CODEX, &[original.clone(), other]), "two sessions");
    assert!(!is_remembered(&CODEX, &[original, with_turns(&forked(&["s1"]), 2)]));
}

#[test]
fn a_forgotten_session_of_codex_does_not_come_back_by_its_fork() {
    let said = |heads: &[Value], day: u8, more: &[&str]| {
        let heads = heads.iter().map(|meta| json!({"type": "session_meta", "payload": meta}));
        let texts = [ORDER].into_iter().chain(more.iter().copied());
        let said = texts
            .map(|text| json!({"type": "event_msg", "payload": {"type": "user_message", "message": text}}));
        let stamped = heads.chain(said).enumerate().map(|(number, mut line)| {
            line["timestamp"] = json!(format!("2026-03-{day:02}T10:00:0{number}.000Z"));
            line
        });
        stamped.collect::<Vec<Value>>()
    };
    let mut home = Home::new();
    home.hears(read(&CODEX, &said(&[head("s1")], 1, &[])));
    home.weave();
    assert!(home.remembers(WORD));
    home.forgets("s1");
    home.hears(read(&CODEX, &said(&forked(&["s1"]), 2, &["thanks"])));
    home.weave();
    assert_eq!(home.files_with(WORD), [""; 0]);
}

const ORDER: &str = "From now on, always run `make zebrafish` before you commit.";
const WORD: &str = "zebrafish";

/// A session with an order, and one that was resumed from it: the same records under another name, and more behind them.
fn ordered(session: &str, more: &[&str]) -> Vec<Value> {
    let record = |number: usize, kind: &str, text: &str| {
        json!({"type": kind, "sessionId": session, "uuid": format!("u{number}"), "promptId": format!("p{number}"), "cwd": "/p",
            "isSidechain": false, "version": "2.1.325", "promptSource": "typed", "timestamp": format!("2026-03-01T10:00:{number:02}.000Z"),
            "message": {"role": kind, "content": [{"type": "text", "text": text}]}})
    };
    let said = [ORDER].into_iter().chain(more.iter().copied()).enumerate();
    let turns =
        said.flat_map(|(at, text)| [record(2 * at, "user", text), record(2 * at + 1, "assistant", "ok")]);
    turns.collect()
}

#[test]
fn a_forgotten_session_does_not_come_back_by_its_copy() {
    let mut home = Home::new();
    home.hears(read(&CLAUDE, &ordered("q1", &[])));
    home.weave();
    assert!(home.remembers(WORD));
    home.forgets("q1");
    home.hears(read(&CLAUDE, &ordered("q2", &["thanks"])));
    home.weave();
    assert_eq!(home.files_with(WORD), [""; 0]);
}

#[test]
fn a_session_that_was_forgotten_before_any_run_does_not_come_back_by_its_copy() {
    let mut home = Home::new();
    home.hears(read(&CLAUDE, &ordered("q1", &[])));
    home.forgets("q1");
    home.hears(read(&CLAUDE, &ordered("q2", &["thanks"])));
    home.weave();
    assert_eq!(home.files_with(WORD), [""; 0]);
}

#[test]
fn a_session_is_forgotten_with_the_copies_that_are_there() {
    for (first, second) in [("q1", "q2"), ("q2", "q1")] {
        let mut home = Home::new();
        home.hears(read(&CLAUDE, &ordered(first, &[])));
        home.hears(read(&CLAUDE, &ordered(second, &["thanks"])));
        home.weave();
        assert!(home.remembers(WORD));
        home.forgets("q1");
        home.weave();
        assert_eq!(home.files_with(WORD), [""; 0], "{first}");
    }
}

#[test]
fn what_a_forgotten_session_says_later_does_not_come_back_by_its_copy() {
    let mut home = Home::new();
    home.hears(read(&CLAUDE, &ordered("q1", &[])[2..]));
    home.forgets("q1");
    home.hears(read(&CLAUDE, &ordered("q1", &[])));
    home.weave();
    home.hears(read(&CLAUDE, &ordered("q2", &["thanks"])));
    home.weave();
    assert_eq!(home.files_with(WORD), [""; 0]);
}

#[test]
fn a_prompt_that_a_hook_told_is_forgotten_with_the_record_that_repeats_it() {
    let mut home = Home::new();
    let mut told = read(&CLAUDE, &ordered("q1", &[]));
    // A hook knows the prompt's name, and the moment in which it was called.
    told[0].ts = told[0].ts.map(|ts| ts + jiff::SignedDuration::from_millis(250));
    told[0].source_id = Some("q1/~hook".to_owned());
    home.hears(told);
    home.forgets("q1");
    home.hears(read(&CLAUDE, &ordered("q2", &["thanks"])));
    home.weave();
    assert_eq!(home.files_with(WORD), [""; 0]);
}

#[test]
fn what_is_said_in_a_resumed_session_and_the_same_words_said_anew_are_heard() {
    let after = |more: &[&str]| {
        let mut home = Home::new();
        home.hears(read(&CLAUDE, &ordered("q1", &[])));
        home.forgets("q1");
        home.hears(read(&CLAUDE, &ordered("q2", more)));
        home.weave();
        home
    };
    let home = after(&["hi", "From now on, always run `make otter` before you push."]);
    assert!(home.remembers("otter") && !home.remembers(WORD));
    assert!(after(&["hi", "and now", ORDER]).remembers(WORD), "said at another time");
}

#[test]
fn what_is_said_in_a_session_after_it_was_forgotten_is_heard() {
    let mut home = Home::new();
    home.hears(read(&CLAUDE, &ordered("q1", &[])));
    home.weave();
    home.forgets("q1");
    let mut later = ordered("q1", &["From now on, always run `make otter` before you push."]);
    for record in &mut later[2..] {
        let moment = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(2);
        record["timestamp"] = json!(moment.to_string());
    }
    home.hears(read(&CLAUDE, &later));
    home.weave();
    assert!(home.remembers("otter"));
    assert_eq!(home.files_with(WORD), [""; 0]);
}
