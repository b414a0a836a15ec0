//! Drafts as text, so that a test shows at a glance what a few records say.

use serde_json::Value;
use subcortex_model::Draft;

use crate::{Agent, Options};

/// Everything that a fresh reader makes of these records, the end of the file included.
pub(crate) fn drafts_of(agent: &Agent, records: &[Value]) -> Vec<Draft> {
    let mut reader = agent.reader(Options::default());
    let mut drafts = Vec::new();
    for record in records {
        reader.line(record.to_string().as_bytes(), &mut drafts);
    }
    reader.finish(&mut drafts);
    drafts
}

/// One line a draft: its id without the session, its type, how it came, and its text.
pub(crate) fn told(drafts: &[Draft]) -> Vec<String> {
    drafts.iter().map(line).collect()
}

fn line(draft: &Draft) -> String {
    let field = |key: &str| draft.payload.get(key).and_then(Value::as_str);
    let name = draft.key.as_ref().or(draft.source_id.as_ref());
    let id = name.and_then(|id| id.split_once('/')).map_or("?", |(_, id)| id);
    let id = if id.starts_with('~') { "~" } else { id };
    let way = field("via").or(field("kind")).map(|way| format!(" ({way})")).unwrap_or_default();
    let text = field("text").or(field("error")).or(field("tool_name")).or(field("path")).unwrap_or("-");
    format!("{id} {}{way}: {text}", draft.event_type)
}

/// Why the records that gave no draft were skipped.
pub(crate) fn skips_of(agent: &Agent, lines: &[&[u8]]) -> Vec<(&'static str, u64)> {
    let mut reader = agent.reader(Options::default());
    let mut drafts = Vec::new();
    lines.iter().for_each(|line| reader.line(line, &mut drafts));
    reader.counts().skipped.iter().map(|(reason, n)| (*reason, *n)).collect()
}
