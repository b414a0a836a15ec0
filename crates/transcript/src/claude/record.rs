//! The fields of one record, undecoded.

use jiff::Timestamp;
use serde::Deserialize;
use subcortex_model::Source;

use crate::draft::{Common, Payload, content_id};
use crate::raw::{self, Raw};

/// One line, split into the fields that matter here.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Record<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Raw<'a>,
    #[serde(borrow)]
    pub subtype: Raw<'a>,
    #[serde(borrow)]
    pub uuid: Raw<'a>,
    #[serde(borrow)]
    pub session_id: Raw<'a>,
    #[serde(borrow)]
    pub timestamp: Raw<'a>,
    #[serde(borrow)]
    pub cwd: Raw<'a>,
    #[serde(borrow)]
    pub git_branch: Raw<'a>,
    #[serde(borrow)]
    pub prompt_id: Raw<'a>,
    #[serde(borrow)]
    pub agent_id: Raw<'a>,
    #[serde(borrow)]
    pub forked_from: Raw<'a>,
    #[serde(borrow)]
    pub is_sidechain: Raw<'a>,
    #[serde(borrow)]
    pub is_meta: Raw<'a>,
    #[serde(borrow)]
    pub is_compact_summary: Raw<'a>,
    #[serde(borrow)]
    pub is_visible_in_transcript_only: Raw<'a>,
    #[serde(borrow)]
    pub is_virtual: Raw<'a>,
    #[serde(borrow)]
    pub turn_companion: Raw<'a>,
    #[serde(borrow)]
    pub is_api_error_message: Raw<'a>,
    #[serde(borrow)]
    pub origin: Raw<'a>,
    #[serde(borrow)]
    pub prompt_source: Raw<'a>,
    #[serde(borrow)]
    pub entrypoint: Raw<'a>,
    #[serde(borrow)]
    pub plan_content: Raw<'a>,
    #[serde(borrow)]
    pub message: Raw<'a>,
    #[serde(borrow)]
    pub request_id: Raw<'a>,
    #[serde(borrow)]
    pub tool_use_result: Raw<'a>,
    #[serde(borrow)]
    pub tool_denial_kind: Raw<'a>,
    #[serde(borrow)]
    pub user_feedback: Raw<'a>,
    #[serde(borrow)]
    pub attachment: Raw<'a>,
    #[serde(borrow)]
    pub operation: Raw<'a>,
    #[serde(borrow)]
    pub content: Raw<'a>,
    #[serde(borrow)]
    pub error: Raw<'a>,
    #[serde(borrow)]
    pub retry_attempt: Raw<'a>,
    #[serde(borrow)]
    pub data: Raw<'a>,
}

/// Where a record was copied from when a session was forked.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ForkedFrom<'a> {
    #[serde(borrow)]
    session_id: Raw<'a>,
    #[serde(borrow)]
    message_uuid: Raw<'a>,
}

/// Who sent a prompt, as newer versions say.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Origin<'a> {
    #[serde(borrow)]
    kind: Raw<'a>,
}

impl Record<'_> {
    /// What all drafts of this record share; `None` if it belongs to no session.
    pub(super) fn common(&self, fallback_session: Option<&str>) -> Option<Common> {
        let session = raw::filled(self.session_id)
            .map(|id| id.into_owned())
            .or_else(|| fallback_session.map(str::to_owned))?;
        let extra = Payload::new()
            .with_some("git_branch", raw::filled(self.git_branch).map(|branch| branch.into_owned()))
            .with_flag("is_sidechain", raw::flag(self.is_sidechain))
            .with_some("agent_id", raw::filled(self.agent_id).map(|id| id.into_owned()));
        Some(Common {
            ts: raw::text(self.timestamp).and_then(|ts| ts.parse::<Timestamp>().ok()),
            source: Source { kind: "claude".into(), name: Some("claude-code".to_owned()), channel_id: None },
            turn: raw::filled(self.prompt_id).map(|id| id.into_owned()),
            cwd: raw::filled(self.cwd).map(|cwd| cwd.into_owned()),
            source_id: self.source_id(&session),
            origin: self.origin_session().unwrap_or_else(|| session.clone()),
            session,
            extra: extra.into_fields(),
            made: 0,
            about: None,
        })
    }

    /// The session that this record was copied from.
    fn origin_session(&self) -> Option<String> {
        let fork: ForkedFrom<'_> = raw::object(self.forked_from);
        raw::filled(fork.message_uuid).and(raw::filled(fork.session_id)).map(|id| id.into_owned())
    }

    /// A copy in a forked session goes by the name of the original, so that it is not a second event.
    fn source_id(&self, session: &str) -> String {
        let fork: ForkedFrom<'_> = raw::object(self.forked_from);
        if let (Some(session), Some(uuid)) = (raw::filled(fork.session_id), raw::filled(fork.message_uuid)) {
            return format!("{session}/{uuid}");
        }
        match raw::filled(self.uuid) {
            Some(uuid) => format!("{session}/{uuid}"),
            None => content_id(session, &self.content_parts()),
        }
    }

    /// The fields that tell records without an id apart, in a fixed order.
    fn content_parts(&self) -> [&str; 8] {
        [
            self.kind,
            self.subtype,
            self.timestamp,
            self.operation,
            self.content,
            self.message,
            self.attachment,
            self.error,
        ]
        .map(|field| field.map_or("", |raw| raw.get()))
    }

    /// The kind of the sender where the record names one.
    pub(super) fn origin_kind(&self) -> Option<String> {
        origin_kind(self.origin)
    }
}

/// The `kind` of an `origin` field.
pub(super) fn origin_kind(origin: Raw<'_>) -> Option<String> {
    let origin: Origin<'_> = raw::object(origin);
    raw::filled(origin.kind).map(|kind| kind.into_owned())
}
