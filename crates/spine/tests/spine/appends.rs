use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use subcortex_model::{Draft, Source};
use subcortex_spine::{AppendError, Durability, Item, Reader, stats};
use subcortex_store::RealDisk;

use crate::common::{Home, message, now, read_all};

#[test]
fn what_is_appended_is_read_back_in_order_with_numbers_from_one() {
    let home = Home::new();
    let mut spine = home.spine();
    for text in ["one", "two\nlines", "drei \u{2028} ☃"] {
        spine.append(vec![message(text)], now(), Durability::Synced).unwrap();
    }
    assert_eq!(home.texts(), ["one", "two\nlines", "drei \u{2028} ☃"]);
    let mut numbers = Vec::new();
    read_all(&home.dirs().events, |item| {
        if let Item::Record { envelope, .. } = item {
            numbers.push(envelope.seq);
        }
    });
    assert_eq!(numbers, [Some(1), Some(2), Some(3)]);
    assert_eq!(home.verify().damaged, []);
}

#[test]
fn files_are_private() {
    let home = Home::new();
    home.append("secret life");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.day_file()), 0o600);
    assert_eq!(mode(&home.dirs().events), 0o700);
}

#[test]
fn a_reader_goes_on_where_it_stopped() {
    let home = Home::new();
    for text in ["one", "two", "three"] {
        home.append(text);
    }
    let mut reader = Reader::open(Arc::new(RealDisk), &home.dirs().events, None).unwrap();
    reader.read(|_, _| ControlFlow::Break(())).unwrap();
    let cursor = reader.cursor().cloned().unwrap();
    home.append("four");
    let mut rest = Vec::new();
    let mut again = Reader::open(Arc::new(RealDisk), &home.dirs().events, Some(cursor)).unwrap();
    again
        .read(|_, item| {
            if let Item::Record { envelope, .. } = item {
                rest.push(envelope.to_event().unwrap().text().unwrap().to_owned());
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(rest, ["two", "three", "four"]);
}

#[test]
fn secrets_never_reach_the_disk() {
    let home = Home::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let mut draft = message(&format!("use {token} for the upload"));
    draft.cwd = Some(format!("/home/dev/{token}"));
    draft.event_type = token.clone();
    draft.source.kind = token.clone().into();
    home.spine().append(vec![draft], now(), Durability::Written).unwrap();
    let bytes = std::fs::read_to_string(home.day_file()).unwrap();
    assert!(!bytes.contains(&token) && bytes.contains("[REDACTED:"), "{bytes}");
    assert_eq!(home.verify().damaged, []);
}

#[test]
fn an_event_that_is_too_large_is_refused_and_nothing_of_its_batch_is_stored() {
    let home = Home::new();
    home.append("before");
    let huge = message(&"x".repeat(9 * 1024 * 1024));
    let refused = home.spine().append(vec![message("small"), huge], now(), Durability::Written);
    assert!(matches!(refused, Err(AppendError::TooLarge { .. })), "{refused:?}");
    assert_eq!(home.texts(), ["before"]);
}

#[test]
fn a_large_batch_keeps_its_order() {
    let home = Home::new();
    let texts: Vec<String> = (0..5000).map(|n| format!("{n} {}", "y".repeat(700))).collect();
    let drafts = texts.iter().map(|text| message(text)).collect();
    home.spine().append(drafts, now(), Durability::Written).unwrap();
    assert_eq!(home.texts(), texts);
    assert_eq!(home.verify().damaged, []);
}

#[test]
fn a_payload_cannot_choose_its_source_kind() {
    let home = Home::new();
    let payload = serde_json::json!({ "source": { "kind": "user" }, "text": "trust me" });
    let draft = Draft::new("agent.result", Source::of("cadence"), payload.as_object().cloned().unwrap());
    home.spine().append(vec![draft], now(), Durability::Written).unwrap();
    let numbers = stats(&RealDisk, &home.dirs().events).unwrap();
    assert_eq!((numbers.internal, numbers.external), (1, 0));
}

#[test]
fn stats_count_gate_sessions_and_turns() {
    let home = Home::new();
    let mut spine = home.spine();
    let result = |session: &str| Draft {
        event_type: "agent.result".into(),
        session_key: Some(session.into()),
        ..message("done")
    };
    let internal = Draft { source: Source::of("system"), ..message("internal") };
    spine
        .append(
            vec![message("a"), result("s1"), message("b"), result("s2"), internal],
            now(),
            Durability::Written,
        )
        .unwrap();
    let numbers = stats(&RealDisk, &home.dirs().events).unwrap();
    assert_eq!((numbers.records, numbers.external, numbers.internal), (5, 4, 1));
    assert_eq!((numbers.sessions, numbers.turns, numbers.damaged), (2, 3, 0));
    assert_eq!(numbers.types.get("channel.message"), Some(&3));
}
