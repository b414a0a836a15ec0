//! `assistant` records: what the agent said and which tools it used.

use std::borrow::Cow;

use serde_json::{Map, Value};
use subcortex_model::{Draft, event_type};

use super::message::{Block, Message};
use super::reader::Session;
use super::record::Record;
use crate::transcript::bound::{self, MAX_MESSAGE_BYTES};
use crate::transcript::counts::skipped;
use crate::transcript::draft::{Common, Payload};
use crate::transcript::json::{Piece, fields};
use crate::transcript::{raw, shown};

fields! {
    /// The counts of a usage that are kept.
    struct Usage {
        input_tokens: "input_tokens",
        output_tokens: "output_tokens",
        cache_creation_input_tokens: "cache_creation_input_tokens",
        cache_read_input_tokens: "cache_read_input_tokens",
    }
}

/// Reads an `assistant` record.
pub(super) fn read(
    record: &Record<'_>,
    common: &mut Common,
    session: &mut Session,
    drafts: &mut Vec<Draft>,
) -> Result<(), &'static str> {
    session.queue.settle(drafts);
    let message: Message<'_> = raw::object(record.message);
    let message_id = raw::filled(message.id).or_else(|| raw::filled(record.uuid)).unwrap_or_default();
    if !record.is_subagents() {
        session.before.spoke(&message_id);
    }
    if let Some(model) = raw::filled(message.model).filter(|model| model != "<synthetic>") {
        common.extra.insert("model".to_owned(), model.into());
    }
    let made_before = drafts.len();
    if let Some(text) = raw::filled(message.content) {
        drafts.push(spoken(record, common, text));
    }
    for block in raw::array(message.content) {
        drafts.extend(read_block(record, &message_id, common, session, block));
    }
    let first = drafts[made_before..].iter_mut().find(|draft| draft.event_type != event_type::AGENT_SHOWN);
    if let Some(first) = first {
        add_usage(record, &message, session, &mut first.payload);
    }
    if drafts.len() == made_before { Err(skipped::NO_CONTENT) } else { Ok(()) }
}

fn read_block(
    record: &Record<'_>,
    message_id: &str,
    common: &mut Common,
    session: &mut Session,
    piece: Piece<'_>,
) -> Option<Draft> {
    let block: Block<'_> = raw::object(Some(piece));
    let kind = raw::text(block.kind)?;
    let is_call = kind == "tool_use";
    match &*kind {
        "text" => raw::filled(block.text).map(|text| spoken(record, common, text)),
        "tool_use" | "server_tool_use" | "mcp_tool_use" => {
            let name = raw::text(block.name).unwrap_or_default();
            let id = raw::text(block.id).unwrap_or_default();
            let mut input = raw::value(block.input);
            session.open_call(&id, &name, &input);
            if !record.is_subagents() {
                session.before.wrote(&input);
            }
            // The answers of the service's own tools come in the agent's messages.
            if is_call && !record.is_subagents() {
                session.before.waits_for(&id, message_id);
            }
            bound::input(&mut input);
            let payload =
                Payload::new().with("tool_name", &*name).with("input", input).with("tool_use_id", &*id);
            Some(common.draft_of(&id, event_type::AGENT_TOOL_USE, payload))
        }
        // Thoughts repeat the person's words again and again.
        "thinking" => {
            let value = raw::value(Some(piece));
            shown::repeated(common, shown::texts_of(&value))
        }
        // The answers of the service's own tools.
        _ => {
            let value = raw::value(Some(piece));
            shown::draft(common, shown::texts_of(&value))
        }
    }
}

/// A text of the agent, or the program's report that its service failed.
fn spoken(record: &Record<'_>, common: &mut Common, text: Cow<'_, str>) -> Draft {
    let text = bound::others(text, MAX_MESSAGE_BYTES);
    if raw::flag(record.is_api_error_message) {
        return common.draft(event_type::AGENT_ERROR, Payload::new().with("error", text));
    }
    common.draft(event_type::AGENT_RESULT, Payload::new().with("text", text))
}

/// One message spans several records, and each repeats the usage: only the first draft carries it.
fn add_usage(
    record: &Record<'_>,
    message: &Message<'_>,
    session: &mut Session,
    payload: &mut Map<String, Value>,
) {
    let Some(id) = raw::filled(message.id).or_else(|| raw::filled(record.request_id)) else { return };
    if message.usage.is_none() || !session.counts_first(&id) {
        return;
    }
    let usage: Usage<'_> = raw::object(message.usage);
    let counts = [
        ("input_tokens", usage.input_tokens),
        ("output_tokens", usage.output_tokens),
        ("cache_creation_input_tokens", usage.cache_creation_input_tokens),
        ("cache_read_input_tokens", usage.cache_read_input_tokens),
    ];
    let counts = counts.into_iter().map(|(name, count)| (name, raw::value(count)));
    let kept: Map<String, Value> =
        counts.filter(|(_, count)| count.is_u64()).map(|(name, count)| (name.to_owned(), count)).collect();
    if !kept.is_empty() {
        payload.insert("usage".to_owned(), Value::Object(kept));
    }
}
