//! The fields of one record, undecoded.

use jiff::Timestamp;
use subcortex_model::Source;

use crate::transcript::Options;
use crate::transcript::draft::{Common, Payload, content_id};
use crate::transcript::json::fields;
use crate::transcript::raw::{self, Raw};
use crate::transcript::sent::has_unknown_fields;

/// The entry points at which a person sits. Every other one is a program's.
const PERSONS_ENTRIES: [&str; 4] = ["cli", "claude-desktop", "claude-vscode", "remote_desktop"];

/// The entry points of what a phone or a browser drives, and a program as well: only with a sender they are a person's.
const RELAYS: [&str; 2] = ["remote", "remote_mobile"];

/// What a `mode` record says where nobody sits at a terminal.
const PROGRAMS_MODES: [&str; 3] = ["headless", "print", "sdk"];

/// What the user of the program is called where it is a person.
const USERS: [&str; 2] = ["external", "ant"];

/// The agent of a team to which its person speaks.
const TEAM_LEAD: &str = "team-lead";

/// Fields that say nothing of who sent a record, beside those that are looked at.
const SILENT: [&str; 10] = [
    "classifierMetaLines",
    "imagePasteIds",
    "logicalParentUuid",
    "permissionMode",
    "rendered",
    "slug",
    "teamName",
    "thinkingMetadata",
    "todos",
    "version",
];

fields! {
    /// One line, split into the fields that matter here.
    pub(super) struct Record {
        kind: "type",
        subtype: "subtype",
        uuid: "uuid",
        session_id: "sessionId",
        timestamp: "timestamp",
        cwd: "cwd",
        git_branch: "gitBranch",
        prompt_id: "promptId",
        agent_id: "agentId",
        agent_name: "agentName",
        user_type: "userType",
        parent_uuid: "parentUuid",
        /// Only what the program prints for other programs has these two.
        printed_session_id: "session_id",
        parent_tool_use_id: "parent_tool_use_id",
        is_synthetic: "isSynthetic",
        is_replay: "isReplay",
        forked_from: "forkedFrom",
        is_sidechain: "isSidechain",
        is_meta: "isMeta",
        is_compact_summary: "isCompactSummary",
        is_visible_in_transcript_only: "isVisibleInTranscriptOnly",
        is_virtual: "isVirtual",
        turn_companion: "turnCompanion",
        ephemeral: "ephemeral",
        text_not_typed: "textNotTyped",
        handed_off: "handedOff",
        queue_transcript_only: "queueTranscriptOnly",
        local_command_output: "localCommandOutput",
        repeats_compact_summary: "repeatsCompactSummary",
        wakeup_source: "wakeupSource",
        scheduled_task_id: "scheduledTaskId",
        holds_persons_words: "holdsPersonsWords",
        is_api_error_message: "isApiErrorMessage",
        is_teammate: "isTeammate",
        is_hook_output: "isHookOutput",
        hook_event: "hookEvent",
        synthetic: "synthetic",
        source_session: "sourceSession",
        is_snapshot_update: "isSnapshotUpdate",
        is_auto_continuation: "isAutoContinuation",
        cron_id: "cronId",
        origin: "origin",
        turn_origin: "turnOrigin",
        prompt_source: "promptSource",
        input_source: "inputSource",
        command_mode: "commandMode",
        mode: "mode",
        tool_use_id: "toolUseID",
        parent_tool_use: "parentToolUseID",
        source_tool_use_id: "sourceToolUseID",
        source_tool_assistant_uuid: "sourceToolAssistantUUID",
        mcp_meta: "mcpMeta",
        compact_metadata: "compactMetadata",
        summarize_metadata: "summarizeMetadata",
        entrypoint: "entrypoint",
        plan_content: "planContent",
        /// What a person pasted, by the number of its placeholder.
        pasted_contents: "pastedContents",
        /// What the program was at when it queued something.
        workload: "workload",
        message: "message",
        request_id: "requestId",
        tool_use_result: "toolUseResult",
        tool_denial_kind: "toolDenialKind",
        tool_denial_from_host: "toolDenialFromHost",
        user_feedback: "userFeedback",
        attachment: "attachment",
        operation: "operation",
        content: "content",
        error: "error",
        retry_attempt: "retryAttempt",
        data: "data",
    }
}

fields! {
    /// Where a record was copied from when a session was forked.
    struct ForkedFrom {
        session_id: "sessionId",
        message_uuid: "messageUuid",
    }
}

fields! {
    /// Who sent a prompt, as newer versions say.
    struct Origin {
        kind: "kind",
        /// Whoever passed it on.
        from: "from",
        relay: "relay",
    }
}

/// Whether a record has a field that may say that no person sent it, and that nobody knows.
pub(super) fn is_strange(record: Raw<'_>, origin: Raw<'_>) -> bool {
    has_unknown_fields::<Record<'_>>(record, &SILENT) || is_strange_origin(origin)
}

/// Whether an `origin` says more than anybody knows.
pub(super) fn is_strange_origin(origin: Raw<'_>) -> bool {
    has_unknown_fields::<Origin<'_>>(origin, &[])
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
            is_strange: false,
            made: 0,
            asides: 0,
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
            Some(uuid) => [session, "/", &uuid].concat(),
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

    /// Whether no field says who sent it.
    pub(super) fn names_no_sender(&self) -> bool {
        [self.origin, self.turn_origin, self.prompt_source].into_iter().all(|field| field.is_none())
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
            entry if is_word(entry, &RELAYS) && self.sender() == Sender::Person => Host::Person,
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
        let marks = [
            self.is_meta,
            self.is_api_error_message,
            self.is_teammate,
            self.is_hook_output,
            self.hook_event,
            self.synthetic,
            self.source_session,
            self.is_snapshot_update,
            self.is_auto_continuation,
        ];
        marks.into_iter().any(is_marked) || self.may_repeat()
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
            self.tool_use_id,
            self.parent_tool_use,
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
        let marks = [self.wakeup_source, self.scheduled_task_id, self.cron_id, self.workload];
        marks.into_iter().any(is_marked)
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
