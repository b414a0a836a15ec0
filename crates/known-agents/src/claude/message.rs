//! The message of a `user` or `assistant` record, and the blocks of its content.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;

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

/// The message of a record.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) id: Raw<'a>,
    #[serde(borrow)]
    pub(super) role: Raw<'a>,
    #[serde(borrow)]
    pub(super) model: Raw<'a>,
    #[serde(borrow)]
    pub(super) usage: Raw<'a>,
    #[serde(borrow)]
    pub(super) content: Raw<'a>,
}

/// One block of a message's content: words, a call of a tool, or its answer.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Raw<'a>,
    #[serde(borrow)]
    pub(super) text: Raw<'a>,
    #[serde(borrow)]
    pub(super) id: Raw<'a>,
    #[serde(borrow)]
    pub(super) name: Raw<'a>,
    #[serde(borrow)]
    pub(super) input: Raw<'a>,
    #[serde(borrow)]
    pub(super) tool_use_id: Raw<'a>,
    #[serde(borrow)]
    pub(super) is_error: Raw<'a>,
    #[serde(borrow, rename = "isMeta")]
    pub(super) is_meta: Raw<'a>,
    #[serde(borrow)]
    pub(super) content: Raw<'a>,
}

/// What a block is: `text`, `tool_use`, `tool_result` …
pub(super) fn kind_of<'a>(block: &Block<'a>) -> Cow<'a, str> {
    raw::text(block.kind).unwrap_or_default()
}

/// Whether a person can have sent this message.
pub(super) fn can_be_sent(message: Raw<'_>) -> bool {
    let fields: BTreeMap<String, Raw<'_>> = raw::object(message);
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
