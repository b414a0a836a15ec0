//! A thread for people, and for programs.

use std::io::{self, Write as _};

use serde_json::{Map, Value, json};
use subcortex_blackboard::{Entry, Fact, Record, ThreadId};
use subcortex_boards::Thread;
use subcortex_guard::escape_for_display;

use crate::failure::Failure;
use crate::output::ignore_closed_pipe;

/// One JSON document: what was appended, and what it comes to.
pub(super) fn document(id: &ThreadId, thread: &Thread) -> Value {
    let board = thread.board();
    let facts: Vec<Value> =
        board.facts().map(|(key, fact)| fact_json(&key.entity, &key.field, fact)).collect();
    json!({
        "thread": id.as_str(),
        "entries": thread.records().iter().map(entry_json).collect::<Vec<_>>(),
        "facts": facts,
        "failed_urls": board.failed_urls().collect::<Vec<_>>(),
        "tombstones": board.tombstones().collect::<Vec<_>>(),
        "open_directives": board.open_directives(),
        "obstacles": board.obstacles().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "synthesis": board.synthesis(),
    })
}

/// The entry's own fields, with who said it when.
fn entry_json(record: &Record) -> Value {
    let mut fields = Map::new();
    fields.insert("seq".into(), json!(record.seq));
    fields.insert("ts".into(), json!(record.ts));
    fields.insert("role".into(), json!(record.role));
    fields.insert("by".into(), json!(record.by));
    if let Ok(Value::Object(entry)) = serde_json::to_value(&record.entry) {
        fields.extend(entry);
    }
    if matches!(record.entry, Entry::Verified { .. }) {
        fields.insert("checked".into(), json!(record.checked));
    }
    Value::Object(fields)
}

fn fact_json(entity: &str, field: &str, fact: &Fact) -> Value {
    match fact {
        Fact::Pending { holder, turn } => {
            json!({"entity": entity, "field": field, "state": "pending", "by": holder, "turn": turn})
        }
        Fact::Verified { value, source_url, by, checked } => {
            json!({"entity": entity, "field": field, "state": "verified", "value": value, "source_url": source_url, "by": by, "checked": checked})
        }
        Fact::Unverified { by, claimed_value, reason } => {
            json!({"entity": entity, "field": field, "state": "unverified", "by": by, "claimed_value": claimed_value, "reason": reason})
        }
        Fact::Released => json!({"entity": entity, "field": field, "state": "open"}),
    }
}

/// One line a record; what stands in it came from outside.
pub(super) fn line(record: &Record) -> String {
    let time = record.ts.strftime("%H:%M:%S");
    let who = format!("{} {}", record.role, record.by);
    let text = format!("{time}  {:>4}  {:<14}  {who}: {}", record.seq, record.entry.kind(), words(record));
    let text: String = text.split(['\n', '\t']).collect::<Vec<_>>().join(" ");
    format!("{}\n", escape_for_display(&text))
}

fn words(record: &Record) -> String {
    match &record.entry {
        Entry::Strategy(plan) => {
            let query = plan.query.as_ref().map_or_else(String::new, |query| format!("; look for: {query}"));
            format!("{} ({}){query}", plan.goal, plan.entities.join(", "))
        }
        Entry::Pending { entity, field, .. } => format!("{entity} / {field}"),
        Entry::Verified { entity, field, value, source_url, .. } => {
            let unchecked = if record.checked { "" } else { ", unchecked" };
            format!("{entity} / {field} = {value} ({source_url}{unchecked})")
        }
        Entry::Unverified { entity, field, claimed_value, reason } => {
            let claimed = claimed_value.as_deref().unwrap_or("nothing");
            format!("{entity} / {field}: {claimed}, because {reason}")
        }
        Entry::FailedUrl { url, failure_reason, .. } | Entry::Tombstone { url, failure_reason, .. } => {
            format!("{url} ({failure_reason})")
        }
        Entry::UserDirective { text } => text.clone(),
        Entry::Synthesis { text, citations } => format!("{text} [{}]", citations.join(", ")),
    }
}

/// What is left to do, for people.
pub(super) fn summary(thread: &Thread) -> String {
    let board = thread.board();
    if board.synthesis().is_some() || thread.records().is_empty() {
        return String::new();
    }
    let open: Vec<_> = board
        .obstacles()
        .iter()
        .map(|one| format!("  - {}\n", escape_for_display(&one.to_string())))
        .collect();
    match (board.strategy().is_some(), open.is_empty()) {
        (true, true) => "everything is settled: the supervisor may append a SYNTHESIS\n".into(),
        (true, false) => format!("before a SYNTHESIS:\n{}", open.concat()),
        (false, _) => "waiting for a STRATEGY of the supervisor\n".into(),
    }
}

/// Writes records as they come; says whether anybody still reads.
pub(super) fn follow(records: &[Record]) -> Result<bool, Failure> {
    let mut out = io::stdout().lock();
    for record in records {
        match out.write_all(line(record).as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(false),
            result => ignore_closed_pipe(result)?,
        }
    }
    Ok(true)
}
