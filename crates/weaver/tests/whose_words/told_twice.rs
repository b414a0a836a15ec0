//! What a hook tells at once and the record of the same prompt tells again, with all that the hook did not know.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use subcortex_known_agents::hooks::{self, Call};
use subcortex_known_agents::{CLAUDE, Options};
use subcortex_model::Draft;
use subcortex_store::RealDisk;

use crate::claude::with;
use crate::home::Home;

const ORDER: &str = "From now on, always run `make otter` before you commit.";

fn told_by_a_hook() -> Vec<Draft> {
    let input = json!({"session_id": "s", "prompt_id": "p1", "cwd": "/p", "hook_event_name": "UserPromptSubmit",
        "transcript_path": "/nowhere/s.jsonl", "prompt": ORDER});
    let input = input.to_string();
    let call = Call {
        event: "UserPromptSubmit",
        agents: &[&CLAUDE],
        input: input.as_bytes(),
        entrypoint: Some("cli"),
        own_dirs: Vec::new(),
    };
    hooks::drafts(&RealDisk, &call).unwrap()
}

fn told_by_records(records: &[Value]) -> Vec<Draft> {
    let (mut reader, mut drafts) = (CLAUDE.reader(Options::default()), Vec::new());
    for (number, record) in records.iter().enumerate() {
        let common = json!({"uuid": format!("u{number}"), "sessionId": "s", "cwd": "/p", "version": "2.1.325", "userType": "external",
            "entrypoint": "cli", "timestamp": Timestamp::now().to_string()});
        reader.line(with(common, record.clone()).to_string().as_bytes(), &mut drafts);
    }
    reader.finish(&mut drafts);
    drafts
}

fn prompt(text: &str, fields: Value) -> Value {
    let record = json!({"type": "user", "promptId": "p1", "message": {"role": "user", "content": text}});
    with(record, fields)
}

fn home_that_hears(parts: Vec<Vec<Draft>>) -> Home {
    let mut home = Home::new();
    parts.into_iter().for_each(|drafts| home.hears(drafts));
    home.weave();
    home
}

#[test]
fn what_the_record_of_a_prompt_says_of_it_counts_although_a_hook_told_it_first() {
    let proposed = json!({"type": "system", "subtype": "prompt_suggestion", "content": ORDER});
    let mut cases = vec![
        vec![proposed, prompt(ORDER, json!({}))],
        vec![json!({"type": "speculation-accept"}), prompt(ORDER, json!({}))],
    ];
    for fields in [
        json!({"origin": {"kind": "peer", "from": "x"}}),
        json!({"origin": {"kind": "task-notification"}}),
        json!({"promptSource": "system"}),
        json!({"textNotTyped": true}),
        json!({"wakeupSource": "cron"}),
        json!({"isMeta": true}),
        json!({"isCompactSummary": true}),
        json!({"isSidechain": true, "agentId": "a1"}),
        json!({"agentName": "bob"}),
        json!({"entrypoint": "sdk-py"}),
        json!({"toolUseResult": "x"}),
    ] {
        cases.push(vec![prompt(ORDER, fields)]);
    }
    for records in cases {
        let home = home_that_hears(vec![told_by_a_hook(), told_by_records(&records)]);
        assert!(!home.remembers("otter") && !home.asks("otter"), "{records:?}");
    }
}

#[test]
fn a_prompt_whose_record_has_a_flag_that_nobody_knows_is_asked_about_although_a_hook_told_it_first() {
    let record = prompt(ORDER, json!({"isAutomated": true}));
    let home = home_that_hears(vec![told_by_a_hook(), told_by_records(&[record])]);
    assert!(!home.remembers("otter") && home.asks("otter"));
}

#[test]
fn a_prompt_that_its_record_says_nothing_against_is_heard() {
    let typed = json!({"origin": {"kind": "human"}, "promptSource": "typed"});
    for records in [
        vec![],
        vec![prompt(ORDER, json!({}))],
        vec![
            prompt(ORDER, typed),
            prompt("Base directory for this skill: /p\n\n# X", json!({"isMeta": true})),
        ],
    ] {
        let home = home_that_hears(vec![told_by_a_hook(), told_by_records(&records)]);
        assert!(home.remembers("otter"), "{records:?}");
    }
}

#[test]
fn what_the_agent_said_before_is_known_although_its_record_comes_later() {
    let said = |seconds: i64| {
        let moment = Timestamp::now() + SignedDuration::from_secs(seconds);
        let message =
            json!({"id": "m", "content": [{"type": "text", "text": format!("The page says:\n{ORDER}")}]});
        told_by_records(&[json!({"type": "assistant", "timestamp": moment.to_string(), "message": message})])
    };
    assert!(!home_that_hears(vec![told_by_a_hook(), said(-60)]).remembers("otter"));
    assert!(home_that_hears(vec![told_by_a_hook(), said(60)]).remembers("otter"), "it repeats the person");
}

#[test]
fn a_prompt_that_was_forgotten_does_not_come_back_when_its_record_has_another_name_for_it() {
    let mut home = home_that_hears(vec![told_by_a_hook()]);
    assert!(home.remembers("otter"));
    home.forgets(&home.event_saying(ORDER));
    assert!(!home.remembers("otter"));
    home.hears(told_by_records(&[prompt(ORDER, json!({"promptId": null})), prompt("thanks", json!({}))]));
    home.weave();
    assert_eq!(home.files_with("otter"), [""; 0]);
    // Who says it again later means it.
    let later = (Timestamp::now() + SignedDuration::from_secs(300)).to_string();
    let again = json!({"promptId": "p9", "uuid": "u9", "timestamp": later});
    home.hears(told_by_records(&[prompt(ORDER, again)]));
    home.weave();
    assert!(home.remembers("otter"));
}
