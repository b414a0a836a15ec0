//! The message of a `user` or `assistant` record, and the blocks of its content.

use std::borrow::Cow;

use crate::transcript::json::fields;
use crate::transcript::raw::{self, Raw};
use crate::transcript::sent::{self, Kind};

/// The fields of a message that somebody sent. The agent's have more: an id, a model, what they cost.
const SENT_FIELDS: [&str; 2] = ["role", "content"];
/// What a person can send.
const SENT: [Kind; 3] = [
    ("text", &["text", "isMeta", "cache_control"]),
    ("image", &["source", "isMeta", "cache_control"]),
    ("document", &["source", "title", "context", "citations", "isMeta", "cache_control"]),
];

fields! {
    /// The message of a record.
    pub(super) struct Message {
        id: "id",
        role: "role",
        model: "model",
        usage: "usage",
        content: "content",
    }
}

fields! {
    /// One block of a message's content: words, a call of a tool, or its answer.
    pub(super) struct Block {
        kind: "type",
        text: "text",
        id: "id",
        name: "name",
        input: "input",
        tool_use_id: "tool_use_id",
        is_error: "is_error",
        is_meta: "isMeta",
        content: "content",
    }
}

/// What a block is: `text`, `tool_use`, `tool_result` …
pub(super) fn kind_of<'a>(block: &Block<'a>) -> Cow<'a, str> {
    raw::text(block.kind).unwrap_or_default()
}

/// Whether a person can have sent this message.
pub(super) fn can_be_sent(message: Raw<'_>) -> bool {
    let fields = raw::all_fields(message);
    let is_known = |(name, value): (&String, &Raw<'_>)| value.is_none() || SENT_FIELDS.contains(&&**name);
    fields.iter().all(is_known) && is_a_persons(fields.get("content").copied().flatten())
}

/// Whether a person can have sent this content.
pub(super) fn is_a_persons(content: Raw<'_>) -> bool {
    sent::is_a_persons(content, &SENT)
}

/// Whether everything in a content but the answers of tools can be a person's.
pub(super) fn is_a_persons_beside_answers(content: Raw<'_>) -> bool {
    let blocks = raw::array(content).into_iter().map(Some);
    let is_answer = |block: Raw<'_>| kind_of(&raw::object(block)) == "tool_result";
    blocks.filter(|block| !is_answer(*block)).all(|block| sent::is_one_of(block, &SENT))
}
