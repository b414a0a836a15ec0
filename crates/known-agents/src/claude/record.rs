//! The fields of one record, undecoded.

use jiff::Timestamp;
use serde::Deserialize;
use subcortex_model::Source;

use crate::transcript::Options;
use crate::transcript::draft::{Common, Payload, content_id};
use crate::transcript::raw::{self, Raw};

/// The entry points at which a person sits. Every other one is a program's.
const PERSONS_ENTRIES: [&str; 4] = ["cli", "claude-desktop", "claude-vscode", "remote_desktop"];

/// What a `mode` record says where nobody sits at a terminal.
const PROGRAMS_MODES: [&str; 3] = ["headless", "print", "sdk"];

/// What the user of the program is called where it is a person.
const USERS: [&str; 2] = ["external", "ant"];

/// The agent of a team to which its person speaks.
const TEAM_LEAD: &str = "team-lead";

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
    pub agent_name: Raw<'a>,
    #[serde(borrow)]
    pub user_type: Raw<'a>,
    #[serde(borrow)]
    pub parent_uuid: Raw<'a>,
    /// Only what the program prints for other programs has these two.
    #[serde(borrow, rename = "session_id")]
    pub printed_session_id: Raw<'a>,
    #[serde(borrow, rename = "parent_tool_use_id")]
    pub parent_tool_use_id: Raw<'a>,
    #[serde(borrow)]
    pub is_synthetic: Raw<'a>,
    #[serde(borrow)]
    pub is_replay: Raw<'a>,
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
    pub ephemeral: Raw<'a>,
    #[serde(borrow)]
    pub text_not_typed: Raw<'a>,
    #[serde(borrow)]
    pub handed_off: Raw<'a>,
    #[serde(borrow)]
    pub queue_transcript_only: Raw<'a>,
    #[serde(borrow)]
    pub local_command_output: Raw<'a>,
    #[serde(borrow)]
    pub repeats_compact_summary: Raw<'a>,
    #[serde(borrow)]
    pub wakeup_source: Raw<'a>,
    #[serde(borrow)]
    pub scheduled_task_id: Raw<'a>,
    #[serde(borrow)]
    pub holds_persons_words: Raw<'a>,
    #[serde(borrow)]
    pub is_api_error_message: Raw<'a>,
    #[serde(borrow)]
    pub origin: Raw<'a>,
    #[serde(borrow)]
    pub turn_origin: Raw<'a>,
    #[serde(borrow)]
    pub prompt_source: Raw<'a>,
    #[serde(borrow)]
    pub input_source: Raw<'a>,
    #[serde(borrow)]
    pub command_mode: Raw<'a>,
    #[serde(borrow)]
    pub mode: Raw<'a>,
    #[serde(borrow, rename = "sourceToolUseID")]
    pub source_tool_use_id: Raw<'a>,
    #[serde(borrow, rename = "sourceToolAssistantUUID")]
    pub source_tool_assistant_uuid: Raw<'a>,
    #[serde(borrow)]
    pub mcp_meta: Raw<'a>,
    #[serde(borrow)]
    pub compact_metadata: Raw<'a>,
    #[serde(borrow)]
    pub summarize_metadata: Raw<'a>,
    #[serde(borrow)]
    pub entrypoint: Raw<'a>,
    #[serde(borrow)]
    pub plan_content: Raw<'a>,
    /// What a person pasted, by the number of its placeholder.
    #[serde(borrow)]
    pub pasted_contents: Raw<'a>,
    /// What the program was at when it queued something.
    #[serde(borrow)]
    pub workload: Raw<'a>,
    #[serde(borrow)]
    pub message: Raw<'a>,
    #[serde(borrow)]
    pub request_id: Raw<'a>,
    #[serde(borrow)]
    pub tool_use_result: Raw<'a>,
    #[serde(borrow)]
    pub tool_denial_kind: Raw<'a>,
    #[serde(borrow)]
    pub tool_denial_from_host: Raw<'a>,
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
    /// Whoever passed it on.
    #[serde(borrow)]
    from: Raw<'a>,
    #[serde(borrow)]
    relay: Raw<'a>,
}

impl Record<'_> {
    /// What all drafts of this record share; `None` if it belongs to no session.
    pub(super) fn common(&self, options: &Options) -> Option<Common> {
        let session = raw::filled(self.session_id)
            .map(|id| id.into_owned())
            .or_else(|| options.fallback_session.clone())?;
        let extra = Payload::new()
            .with_some("git_branch", raw::filled(self.git_branch).map(|branch| branch.into_owned()))
            .with_flag("is_sidechain", self.is_subagents())
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
            is_live: options.is_live,
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

    /// Who sent it, where the record says so.
    pub(super) fn sender(&self) -> Sender {
        let turn = match raw::text(self.turn_origin).as_deref() {
            // An editor, for a person, or a script: where the program was started tells them apart.
            Some("sdk") => Sender::Unnamed,
            Some("human") => Sender::Person,
            Some(_) => Sender::Other,
            None if self.turn_origin.is_some() => Sender::Other,
            None => Sender::Unnamed,
        };
        Sender::of(self.origin).and(turn)
    }

    /// Whether it came through the interface for programs.
    pub(super) fn is_by_interface(&self) -> bool {
        [self.prompt_source, self.turn_origin].into_iter().any(|field| is_word(field, &["sdk"]))
    }

    /// Whether the agent runs in a terminal, with a person in front of it.
    pub(super) fn is_at_terminal(&self) -> bool {
        is_word(self.entrypoint, &["cli"])
    }

    /// Who started the agent, where the record says so.
    pub(super) fn host(&self) -> Host {
        let is_printing = is_word(self.kind, &["mode"]) && is_word(self.mode, &PROGRAMS_MODES);
        match self.entrypoint {
            None if self.printed_session_id.is_some() || is_printing => Host::Program,
            None => Host::Unnamed,
            entry if is_word(entry, &PERSONS_ENTRIES) => Host::Person,
            Some(_) => Host::Program,
        }
    }

    /// Whether it is part of a subagent's work.
    pub(super) fn is_subagents(&self) -> bool {
        let is_teammates = self.agent_name.is_some() && !is_word(self.agent_name, &[TEAM_LEAD]);
        let is_users = self.user_type.is_none() || is_word(self.user_type, &USERS);
        is_marked(self.is_sidechain)
            || !is_users
            || self.agent_id.is_some()
            || self.parent_tool_use_id.is_some()
            || is_teammates
    }

    /// Whether what was queued is a prompt that somebody typed, as far as the fields say.
    pub(super) fn is_typed(&self) -> bool {
        let modes = [self.command_mode, self.mode];
        let sources = [self.prompt_source, self.input_source];
        modes.into_iter().all(|mode| mode.is_none() || is_word(mode, &["prompt"]))
            && sources.into_iter().all(|source| source.is_none() || is_word(source, &["typed", "queued"]))
    }

    /// Whether a field says that somebody typed it.
    pub(super) fn says_typed(&self) -> bool {
        [self.prompt_source, self.input_source].into_iter().any(|source| is_word(source, &["typed"]))
    }

    /// Whether the program marked the record as its own.
    pub(super) fn is_programs(&self) -> bool {
        is_marked(self.is_meta) || self.may_repeat()
    }

    /// Whether a record of the program may repeat what a person has said elsewhere: a summary, a replay.
    pub(super) fn may_repeat(&self) -> bool {
        let marks = [
            self.is_compact_summary,
            self.is_visible_in_transcript_only,
            self.is_virtual,
            self.turn_companion,
            self.ephemeral,
            self.text_not_typed,
            self.handed_off,
            self.queue_transcript_only,
            self.local_command_output,
            self.repeats_compact_summary,
            self.is_synthetic,
            self.is_replay,
            self.compact_metadata,
            self.summarize_metadata,
        ];
        marks.into_iter().any(is_marked)
    }

    /// Whether it has a field that only the answer of a tool has. Whatever else stands in such a record, nobody typed it as a prompt.
    pub(super) fn is_tools(&self) -> bool {
        let fields = [
            self.tool_use_result,
            self.source_tool_use_id,
            self.source_tool_assistant_uuid,
            self.tool_denial_kind,
            self.user_feedback,
            self.mcp_meta,
        ];
        fields.into_iter().any(|field| field.is_some())
    }

    /// Whether a clock sent it: what a schedule says was written when it was made, by whomever.
    pub(super) fn is_scheduled(&self) -> bool {
        is_marked(self.wakeup_source) || is_marked(self.scheduled_task_id) || is_marked(self.workload)
    }
}

/// Whether a field is one of these words.
pub(super) fn is_word(field: Raw<'_>, words: &[&str]) -> bool {
    raw::text(field).is_some_and(|text| words.contains(&&*text))
}

/// Who started the agent program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Host {
    /// The record does not say it; older versions never do.
    Unnamed,
    /// A person, at a terminal, in an editor or in an app.
    Person,
    /// A script, another program, or something that this version does not know.
    Program,
}

/// Whether a mark is set: to anything but no.
pub(super) fn is_marked(raw: Raw<'_>) -> bool {
    raw.is_some_and(|raw| raw.get() != "false")
}

/// Who sent something, as newer versions say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sender {
    /// The record says nothing about it.
    Unnamed,
    /// A person.
    Person,
    /// A notification, a peer, a scheduler, or somebody that this version does not know.
    Other,
}

impl Sender {
    /// The sender that two fields name: whoever is no person counts, in either.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Other, _) | (_, Self::Other) => Self::Other,
            (Self::Person, _) | (_, Self::Person) => Self::Person,
            (Self::Unnamed, Self::Unnamed) => Self::Unnamed,
        }
    }

    /// The sender that an `origin` names.
    pub(super) fn of(origin: Raw<'_>) -> Self {
        if origin.is_none() {
            return Self::Unnamed;
        }
        let origin: Origin<'_> = raw::object(origin);
        match raw::text(origin.kind).as_deref() {
            Some("human") if !is_marked(origin.from) && !is_marked(origin.relay) => Self::Person,
            Some(_) | None => Self::Other,
        }
    }
}
