//! The fields of one line and of the payloads in it, undecoded.

use crate::transcript::json::fields;
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

/// Fields of an item, and of an event, that say nothing of who sent it, beside those that are looked at.
pub(super) const SILENT_IN_ITEMS: [&str; 4] = ["end_turn", "phase", "status", "timestamp"];
pub(super) const SILENT_IN_EVENTS: [&str; 8] = [
    "audio",
    "client_id",
    "images",
    "local_audio",
    "local_images",
    "text_elements",
    "thread_id",
    "completed_at_ms",
];

fields! {
    /// One line.
    pub(super) struct Record {
        timestamp: "timestamp",
        kind: "type",
        payload: "payload",
        /// The session, in the first line of old files.
        id: "id",
        git: "git",
    }
}

fields! {
    /// What a file says about itself: `session_meta` and `turn_context`.
    pub(super) struct Meta {
        id: "id",
        session_id: "session_id",
        forked_from_id: "forked_from_id",
        cwd: "cwd",
        originator: "originator",
        source: "source",
        thread_source: "thread_source",
        /// What an agent calls the one that it starts.
        agent_nickname: "agent_nickname",
        agent_role: "agent_role",
        agent_path: "agent_path",
        /// The thread of the agent that started this one.
        parent_thread_id: "parent_thread_id",
        git: "git",
        /// The project's own, in older files.
        instructions: "instructions",
        /// The project's own, and those of the program's settings, in every turn.
        user_instructions: "user_instructions",
        developer_instructions: "developer_instructions",
        model: "model",
        turn_id: "turn_id",
    }
}

fields! {
    /// The state of the repository.
    pub(super) struct Git {
        branch: "branch",
    }
}

fields! {
    /// A `response_item`.
    pub(super) struct Item {
        kind: "type",
        id: "id",
        role: "role",
        content: "content",
        name: "name",
        namespace: "namespace",
        call_id: "call_id",
        arguments: "arguments",
        input: "input",
        action: "action",
        output: "output",
        summary: "summary",
        passthrough: "internal_chat_message_metadata_passthrough",
    }
}

fields! {
    /// What newer versions note beside an item.
    pub(super) struct Passthrough {
        turn_id: "turn_id",
        content_item_kinds: "content_item_kinds",
    }
}

fields! {
    /// An `event_msg`.
    pub(super) struct EventMsg {
        kind: "type",
        message: "message",
        message_kind: "kind",
        reason: "reason",
        turn_id: "turn_id",
        thread_id: "thread_id",
        item: "item",
        call_id: "call_id",
        aggregated_output: "aggregated_output",
        stdout: "stdout",
        result: "result",
    }
}

fields! {
    /// A block of a content.
    pub(super) struct Block {
        kind: "type",
        text: "text",
    }
}

fields! {
    /// What names whoever sent a message, where it is no person.
    struct Sender {
        author: "author",
        sender: "sender",
        origin: "origin",
        source: "source",
        agent_id: "agent_id",
        agent_path: "agent_path",
        is_meta: "is_meta",
    }
}

/// Whether a message names a sender, and no person.
pub(super) fn is_of_another(message: Raw<'_>) -> bool {
    let Sender { author, sender, origin, source, agent_id, agent_path, is_meta } = raw::object(message);
    let fields = [author, sender, origin, source, agent_id, agent_path, is_meta];
    let says_no = |field: Raw<'_>| {
        field.is_some_and(|field| matches!(field.get(), "false" | "\"\"" | "\"user\"" | "\"human\""))
    };
    fields.into_iter().any(|field| field.is_some() && !says_no(field))
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
