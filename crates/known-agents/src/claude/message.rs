//! The message of a `user` or `assistant` record, and the blocks of its content.

use std::borrow::Cow;

use serde::Deserialize;

use crate::transcript::raw::{self, Raw};

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
