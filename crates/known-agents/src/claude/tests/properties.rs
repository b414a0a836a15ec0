//! Whatever stands in a file, reading it ends well and gives the same ids every time.

use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::testkit::drafts_of;
use crate::{AGENTS, CLAUDE, Options};

const KEYS: [&str; 24] = [
    "type",
    "uuid",
    "sessionId",
    "timestamp",
    "cwd",
    "message",
    "content",
    "attachment",
    "operation",
    "origin",
    "kind",
    "text",
    "id",
    "name",
    "input",
    "tool_use_id",
    "is_error",
    "toolUseResult",
    "answers",
    "questions",
    "question",
    "prompt",
    "payload",
    "role",
];
const WORDS: [&str; 24] = [
    "user",
    "assistant",
    "system",
    "attachment",
    "queue-operation",
    "enqueue",
    "remove",
    "dequeue",
    "popAll",
    "text",
    "tool_use",
    "tool_result",
    "queued_command",
    "human",
    "s",
    "hello",
    "<system-reminder>",
    "2026-03-01T10:00:00Z",
    "response_item",
    "event_msg",
    "user_message",
    "function_call",
    "function_call_output",
    "message",
];

/// Values that look like records more often than chance would have it.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        proptest::sample::select(WORDS.as_slice()).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((proptest::sample::select(KEYS.as_slice()), inner), 0..8).prop_map(
                |fields| {
                    Value::Object(
                        fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>(),
                    )
                }
            ),
        ]
    })
}

/// A record with a type and a session, and anything else.
fn record() -> impl Strategy<Value = Value> {
    (value(), proptest::sample::select(WORDS.as_slice())).prop_map(|(value, kind)| {
        let mut record = if let Value::Object(fields) = value { fields } else { Map::new() };
        record.insert("type".to_owned(), kind.into());
        record.insert("sessionId".to_owned(), "s".into());
        Value::Object(record)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_read_without_a_panic(lines in proptest::collection::vec(any::<Vec<u8>>(), 0..20)) {
        for agent in AGENTS {
            let mut reader = agent.reader(Options::default());
            let mut drafts = Vec::new();
            lines.iter().for_each(|line| reader.line(line, &mut drafts));
            reader.finish(&mut drafts);
        }
    }

    #[test]
    fn a_second_reading_gives_the_same_drafts(records in proptest::collection::vec(record(), 0..20)) {
        for agent in AGENTS {
            prop_assert_eq!(drafts_of(agent, &records), drafts_of(agent, &records));
        }
    }

    #[test]
    fn every_record_is_either_skipped_or_gives_drafts(records in proptest::collection::vec(record(), 0..20)) {
        let mut reader = CLAUDE.reader(Options::default());
        let mut drafts = Vec::new();
        let mut silent = 0;
        for record in &records {
            let before = drafts.len();
            reader.line(record.to_string().as_bytes(), &mut drafts);
            silent += u64::from(drafts.len() == before);
        }
        let counts = reader.counts();
        prop_assert_eq!(counts.records, records.len() as u64);
        prop_assert_eq!(counts.events, drafts.len() as u64);
        prop_assert!(counts.skipped.values().sum::<u64>() >= silent);
    }

    #[test]
    fn bytes_cut_out_of_a_record_are_read_without_a_panic(record in record(), from in 0_usize..300, to in 0_usize..300) {
        let mut line = record.to_string().into_bytes();
        let to = to.min(line.len());
        line.drain(from.min(to)..to);
        for agent in AGENTS {
            agent.reader(Options::default()).line(&line, &mut Vec::new());
        }
    }
}
