//! The fields of one line and of the payloads in it, undecoded.

use serde::Deserialize;

use crate::transcript::raw::{self, Raw};
use crate::transcript::sent::Kind;

/// What an item holds that a person sent.
pub(super) const SENT_IN_ITEMS: [Kind; 2] =
    [("input_text", &["text"]), ("input_image", &["image_url", "detail", "file_id"])];
/// What a message holds that a person sent, in the events of newer versions.
pub(super) const SENT_IN_EVENTS: [Kind; 7] = [
    ("text", &["text", "text_elements"]),
    ("image", &["image_url", "url", "detail"]),
    ("local_image", &["path", "detail"]),
    ("localImage", &["path", "detail"]),
    ("local_audio", &["path"]),
    ("skill", &["name", "path"]),
    ("mention", &["name", "path"]),
];

/// One line.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Record<'a> {
    #[serde(borrow)]
    pub timestamp: Raw<'a>,
    #[serde(borrow, rename = "type")]
    pub kind: Raw<'a>,
    #[serde(borrow)]
    pub payload: Raw<'a>,
    /// The session, in the first line of old files.
    #[serde(borrow)]
    pub id: Raw<'a>,
    #[serde(borrow)]
    pub git: Raw<'a>,
}

/// What a file says about itself: `session_meta` and `turn_context`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Meta<'a> {
    #[serde(borrow)]
    pub id: Raw<'a>,
    #[serde(borrow)]
    pub session_id: Raw<'a>,
    #[serde(borrow)]
    pub forked_from_id: Raw<'a>,
    #[serde(borrow)]
    pub cwd: Raw<'a>,
    #[serde(borrow)]
    pub originator: Raw<'a>,
    #[serde(borrow)]
    pub source: Raw<'a>,
    #[serde(borrow)]
    pub thread_source: Raw<'a>,
    /// What an agent calls the one that it starts.
    #[serde(borrow)]
    pub agent_nickname: Raw<'a>,
    #[serde(borrow)]
    pub agent_role: Raw<'a>,
    #[serde(borrow)]
    pub agent_path: Raw<'a>,
    /// The thread of the agent that started this one.
    #[serde(borrow)]
    pub parent_thread_id: Raw<'a>,
    #[serde(borrow)]
    pub git: Raw<'a>,
    /// The project's own, in older files.
    #[serde(borrow)]
    pub instructions: Raw<'a>,
    /// The project's own, and those of the program's settings, in every turn.
    #[serde(borrow)]
    pub user_instructions: Raw<'a>,
    #[serde(borrow)]
    pub developer_instructions: Raw<'a>,
    #[serde(borrow)]
    pub model: Raw<'a>,
    #[serde(borrow)]
    pub turn_id: Raw<'a>,
}

/// The state of the repository.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Git<'a> {
    #[serde(borrow)]
    pub branch: Raw<'a>,
}

/// A `response_item`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Item<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Raw<'a>,
    #[serde(borrow)]
    pub id: Raw<'a>,
    #[serde(borrow)]
    pub role: Raw<'a>,
    #[serde(borrow)]
    pub content: Raw<'a>,
    #[serde(borrow)]
    pub name: Raw<'a>,
    #[serde(borrow)]
    pub namespace: Raw<'a>,
    #[serde(borrow)]
    pub call_id: Raw<'a>,
    #[serde(borrow)]
    pub arguments: Raw<'a>,
    #[serde(borrow)]
    pub input: Raw<'a>,
    #[serde(borrow)]
    pub action: Raw<'a>,
    #[serde(borrow)]
    pub output: Raw<'a>,
    #[serde(borrow, rename = "internal_chat_message_metadata_passthrough")]
    pub passthrough: Raw<'a>,
}

/// What newer versions note beside an item.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Passthrough<'a> {
    #[serde(borrow)]
    pub turn_id: Raw<'a>,
    #[serde(borrow)]
    pub content_item_kinds: Raw<'a>,
}

/// An `event_msg`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct EventMsg<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Raw<'a>,
    #[serde(borrow)]
    pub message: Raw<'a>,
    #[serde(borrow, rename = "kind")]
    pub message_kind: Raw<'a>,
    #[serde(borrow)]
    pub reason: Raw<'a>,
    #[serde(borrow)]
    pub turn_id: Raw<'a>,
    #[serde(borrow)]
    pub item: Raw<'a>,
    #[serde(borrow)]
    pub call_id: Raw<'a>,
    #[serde(borrow)]
    pub aggregated_output: Raw<'a>,
    #[serde(borrow)]
    pub stdout: Raw<'a>,
    #[serde(borrow)]
    pub result: Raw<'a>,
}

/// A block of a content.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Raw<'a>,
    #[serde(borrow)]
    pub text: Raw<'a>,
}

/// What somebody said in a content: the texts of its text blocks, not of skills, mentions and files.
pub(super) fn spoken(content: Raw<'_>) -> Vec<String> {
    let is_text = |kind: &str| kind.eq_ignore_ascii_case("text");
    let blocks = raw::array(content).into_iter().map(|block| raw::object::<Block<'_>>(Some(block)));
    let texts = blocks.filter(|block| raw::text(block.kind).is_some_and(|kind| is_text(&kind)));
    texts.map(|block| raw::text(block.text).unwrap_or_default().into_owned()).collect()
}

/// The texts of a content: a string, or an array with text blocks among others.
pub(super) fn texts(content: Raw<'_>) -> Vec<String> {
    if let Some(text) = raw::text(content) {
        return vec![text.into_owned()];
    }
    raw::array(content)
        .into_iter()
        .map(|block| {
            let block: Block<'_> = raw::object(Some(block));
            raw::text(block.text).unwrap_or_default().into_owned()
        })
        .collect()
}
