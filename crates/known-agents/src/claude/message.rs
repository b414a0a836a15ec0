//! The message of a `user` or `assistant` record, and the blocks of its content.

use std::borrow::Cow;

use crate::transcript::json::fields;
use crate::transcript::raw;

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
