//! A thread for programs.

use serde_json::{Map, Value, json};
use subcortex_blackboard::{Entry, Fact, Record, ThreadId};

use crate::Thread;

/// One JSON document: what was appended, and what it comes to.
pub fn document(id: &ThreadId, thread: &Thread) -> Value {
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
