//! Reads the lines of one rollout, in order.

use std::collections::{HashMap, VecDeque};

use jiff::{SignedDuration, Timestamp};
use subcortex_model::{Draft, Source, command, event_type};

use super::record::{
    EventMsg, Git, Item, Meta, Passthrough, Record, SENT_IN_EVENTS, SILENT_IN_EVENTS, SILENT_IN_ITEMS,
    is_of_another, spoken, texts,
};
use super::speech::Report;
use super::tools::OpenCall;
use super::{call, shown};
use crate::transcript;
use crate::transcript::bound::{self, MAX_RESULT_BYTES};
use crate::transcript::counted::Records;
use crate::transcript::counts::skipped;
use crate::transcript::draft::{Common, Payload, content_id};
use crate::transcript::json::Json;
use crate::transcript::peek::peek;
use crate::transcript::raw::{self, Raw};
use crate::transcript::rest::{Line, Remainder, Rest, of_broken, strings_in};
use crate::transcript::sent::{self, has_unknown_fields};
use crate::transcript::{MAX_LINE_BYTES, Options};

/// The sources of sessions whose prompts a person types: the terminal, an editor.
const PERSONS_SOURCES: [&str; 2] = ["cli", "vscode"];
/// Originators that are programs, in files that name no source.
const PROGRAMS: [&str; 2] = ["codex_exec", "codex_mcp_client"];
/// What the names of the libraries have in them with which programs start it.
const LIBRARY: &str = "sdk";
/// Originators at which a person sits; so do the apps, whose names begin with this word.
const PERSONS_ORIGINATORS: [&str; 5] =
    ["codex_atlas", "codex_chatgpt_desktop", "codex_cli_rs", "codex-tui", "codex_vscode"];
const APPS: &str = "Codex ";
/// How long it takes at most until a fork has copied what it begins with.
const COPIED_WITHIN: SignedDuration = SignedDuration::from_secs(10);

/// What the file said about the session so far.
#[derive(Debug, Default)]
pub(super) struct Setting {
    /// The file has said which session it is.
    is_known: bool,
    pub(super) session: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) git_branch: Option<String>,
    pub(super) model: Option<String>,
    pub(super) turn: Option<String>,
    /// The file says where its prompts come from; the first versions did not.
    pub(super) names_source: bool,
    /// A program wrote the prompts, or handed them over: the argument of `codex exec`, another agent's client.
    is_program: bool,
    /// Nobody knows the program that was started: its prompts may be anybody's.
    pub(super) is_unnamed: bool,
    /// The project's instructions, until a prompt has been told.
    pub(super) instructions: Option<String>,
    /// The oldest session that this one was forked from: what was copied goes by its name.
    pub(super) origin: Option<String>,
    /// Another agent wrote the prompts.
    pub(super) is_subagent: bool,
    /// The file was forked from another one, and does not say whose prompts that one held. When, if it says so.
    pub(super) forked: Option<Option<Timestamp>>,
}

/// Reads one rollout file of Codex.
#[derive(Debug)]
pub(crate) struct Codex {
    options: Options,
    pub(super) setting: Setting,
    pub(super) open_calls: HashMap<String, OpenCall>,
    /// User messages among the items, until an event confirms them or the agent goes on.
    pub(super) held: Vec<Draft>,
    pub(super) has_user_events: bool,
    /// The prompts of the running turn; `None` between turns.
    pub(super) prompts_in_turn: Option<usize>,
    /// The turn whose first prompt was handed out.
    pub(super) begun_turn: Option<String>,
    /// The last call, and how many messages without a name of their own stand behind it.
    pub(super) last_call: Option<String>,
    pub(super) said_behind: usize,
    pub(super) unpaired: VecDeque<(Report, blake3::Hash)>,
    /// What others said, so that it is told once.
    pub(super) told: VecDeque<blake3::Hash>,
    /// Another agent has said something: what stands next in a person's place is its words.
    pub(super) agent_speaks: bool,
    /// The agent reviews: the program words its prompt.
    pub(super) in_review: bool,
    /// Outputs that only an event has told, by their calls.
    pub(super) outputs: Vec<(String, Draft)>,
    /// User items in a file with events, until an event says the same or the agent goes on.
    pub(super) unconfirmed: Vec<(Common, String)>,
    remainder: Remainder,
}

/// The error says why a record gives no draft.
pub(super) type DraftResult = Result<(), &'static str>;

impl Codex {
    pub(crate) fn new(options: Options) -> Self {
        let setting = Setting { session: options.fallback_session.clone(), ..Setting::default() };
        Self {
            options,
            setting,
            open_calls: HashMap::new(),
            held: Vec::new(),
            has_user_events: false,
            prompts_in_turn: None,
            begun_turn: None,
            last_call: None,
            said_behind: 0,
            unpaired: VecDeque::new(),
            told: VecDeque::new(),
            agent_speaks: false,
            in_review: false,
            outputs: Vec::new(),
            unconfirmed: Vec::new(),
            remainder: Remainder::default(),
        }
    }

    /// The first of these names the session. Later ones come from a session that this one was forked from, or from whoever
    /// went on with it: where the prompts of one end and those of the other begin, nothing says.
    fn read_meta(&mut self, record: &Record<'_>, payload: Raw<'_>) -> DraftResult {
        let meta: Meta<'_> = raw::object(payload);
        let setting = &mut self.setting;
        let Some(id) = owned(meta.id).or_else(|| owned(meta.session_id)) else {
            setting.is_program = true; // whoever it is, nobody can say
            return Err(skipped::BOOKKEEPING);
        };
        setting.is_program |= is_programs(&meta);
        setting.is_subagent |= is_subagents(&meta);
        setting.is_unnamed |= meta.originator.is_some() && !is_persons_originator(meta.originator);
        setting.instructions = owned(meta.instructions).or(setting.instructions.take());
        if std::mem::replace(&mut setting.is_known, true) {
            setting.origin = Some(id);
            setting.forked = None;
            return Err(skipped::BOOKKEEPING);
        }
        let git: Git<'_> = raw::object(meta.git);
        setting.origin = owned(meta.forked_from_id);
        setting.forked = meta.forked_from_id.map(|_| time_of(record));
        setting.session = Some(id);
        setting.cwd = owned(meta.cwd);
        setting.git_branch = owned(git.branch);
        setting.names_source = meta.source.is_some();
        Err(skipped::BOOKKEEPING)
    }

    /// Events of another thread say whose they are: that of an agent, or of a session that goes on elsewhere.
    fn expect_this_thread(&self, event: &EventMsg<'_>) -> DraftResult {
        let Setting { session, origin, .. } = &self.setting;
        let is_this = |thread: &str| [session, origin].into_iter().flatten().any(|own| own == thread);
        let is_known = event.thread_id.is_none() || raw::text(event.thread_id).is_some_and(|id| is_this(&id));
        if is_known { Ok(()) } else { Err(skipped::OTHER_ORIGIN) }
    }

    /// What stands behind another agent's message, in a person's place, is the same: an item, and the event that confirms it.
    fn expect_a_person(&self) -> DraftResult {
        if self.agent_speaks { Err(skipped::SIDECHAIN_PROMPT) } else { Ok(()) }
    }

    /// A message in a person's place names another sender. The item that says the same does not, and is no person's either.
    fn others_said(&mut self, record: &Record<'_>, payload: Raw<'_>, drafts: &mut Vec<Draft>) -> DraftResult {
        self.has_user_events = true;
        self.held.clear();
        self.tell_others(record, payload, drafts)
    }

    fn read_turn(&mut self, record: &Record<'_>, payload: Raw<'_>, drafts: &mut Vec<Draft>) -> DraftResult {
        let meta: Meta<'_> = raw::object(payload);
        let setting = &mut self.setting;
        setting.cwd = owned(meta.cwd).or(setting.cwd.take());
        setting.model = owned(meta.model).or(setting.model.take());
        setting.turn = owned(meta.turn_id).or(setting.turn.take());
        // The same in every turn, and told once.
        let instructions = [meta.user_instructions, meta.developer_instructions];
        let texts: Vec<String> = instructions.into_iter().filter_map(owned).collect();
        let new: Vec<&str> = texts.iter().map(String::as_str).filter(|text| self.is_new(text)).collect();
        let mut common = self.common(record, payload, None)?;
        drafts.push(transcript::shown::draft(&mut common, new).ok_or(skipped::BOOKKEEPING)?);
        Ok(())
    }

    /// What the drafts of this record share. `id` is unique within the session.
    pub(super) fn common(
        &self,
        record: &Record<'_>,
        payload: Raw<'_>,
        id: Option<&str>,
    ) -> Result<Common, &'static str> {
        let setting = &self.setting;
        let session = setting.session.clone().ok_or(skipped::NO_SESSION)?;
        if self.options.is_own(setting.cwd.as_deref()) {
            return Err(skipped::OWN_RUN);
        }
        let origin = setting.origin.clone().unwrap_or_else(|| session.clone());
        let json = |raw: Raw<'_>| raw.map_or_else(String::new, |raw| raw.get().to_owned());
        let source_id = match id {
            Some(id) => format!("{origin}/{id}"),
            None => content_id(&origin, &[&json(record.timestamp), &json(payload)]),
        };
        let extra = Payload::new()
            .with_some("git_branch", setting.git_branch.clone())
            .with_flag("is_sidechain", setting.is_subagent);
        Ok(Common {
            ts: time_of(record),
            source: Source { kind: "codex".into(), name: Some("codex-cli".to_owned()), channel_id: None },
            origin,
            session,
            turn: setting.turn.clone(),
            cwd: setting.cwd.clone(),
            source_id,
            extra: extra.into_fields(),
            is_live: self.options.is_live,
            is_strange: false,
            made: 0,
            asides: 0,
            about: None,
        })
    }

    fn read_item(&mut self, record: &Record<'_>, payload: Raw<'_>, drafts: &mut Vec<Draft>) -> DraftResult {
        let item: Item<'_> = raw::object(payload);
        let passthrough: Passthrough<'_> = raw::object(item.passthrough);
        if let Some(turn) = owned(passthrough.turn_id) {
            self.setting.turn = Some(turn);
        }
        let kind = raw::text(item.kind).unwrap_or_default();
        let role = raw::text(item.role).unwrap_or_default();
        match (&*kind, &*role) {
            ("message", "user") => {
                self.expect_a_person()?;
                if is_of_another(payload) {
                    return self.tell_others(record, payload, drafts);
                }
                let mut common = self.common(record, payload, owned(item.id).as_deref())?;
                common.is_strange = has_unknown_fields::<Item<'_>>(payload, &SILENT_IN_ITEMS);
                self.hold_user_item(common, &item, &passthrough)
            }
            ("message", "assistant") => {
                self.agent_speaks = false;
                self.release_held(drafts);
                let text = texts(item.content).join("\n");
                let common = self.common(record, payload, owned(item.id).as_deref())?;
                self.agent_said(common, &text, Report::Item, drafts)
            }
            // The program's own instructions, or nobody's.
            ("message", _) => self.tell_others(record, payload, drafts),
            ("function_call_output" | "custom_tool_call_output", _) => {
                self.read_output(record, payload, &item, drafts)
            }
            (kind, _) => {
                self.agent_speaks = false;
                self.release_held(drafts);
                self.tell_unconfirmed(drafts);
                match call::is_call(kind) {
                    true => self.read_call(record, payload, &item, drafts),
                    // Thoughts, what a search found, what another agent wrote.
                    false => self.tell_others(record, payload, drafts),
                }
            }
        }
    }

    fn read_event(&mut self, record: &Record<'_>, payload: Raw<'_>, drafts: &mut Vec<Draft>) -> DraftResult {
        let event: EventMsg<'_> = raw::object(payload);
        match &*raw::text(event.kind).unwrap_or_default() {
            "task_started" | "turn_started" => {
                self.setting.turn = owned(event.turn_id).or(self.setting.turn.take());
                self.prompts_in_turn = Some(0);
                Err(skipped::BOOKKEEPING)
            }
            "task_complete" | "turn_complete" => {
                self.prompts_in_turn = None;
                self.tell_others(record, payload, drafts)
            }
            "entered_review_mode" => {
                self.in_review = true;
                Err(skipped::BOOKKEEPING)
            }
            "exited_review_mode" => {
                self.in_review = false;
                self.tell_others(record, payload, drafts)
            }
            "exec_command_end" | "mcp_tool_call_end" => self.read_ended(record, payload, &event, drafts),
            "user_message" => {
                let is_plain = raw::text(event.message_kind).is_none_or(|kind| kind == "plain");
                let text = raw::text(event.message).filter(|_| is_plain).ok_or(skipped::WRAPPER)?;
                self.expect_a_person()?;
                self.expect_this_thread(&event)?;
                if is_of_another(payload) {
                    return self.others_said(record, payload, drafts);
                }
                let mut common = self.common(record, payload, None)?;
                common.is_strange = has_unknown_fields::<EventMsg<'_>>(payload, &SILENT_IN_EVENTS);
                self.user_said(common, &text, drafts)
            }
            "agent_message" => {
                let text = raw::text(event.message).unwrap_or_default();
                let common = self.common(record, payload, None)?;
                self.agent_said(common, &text, Report::Event, drafts)
            }
            "item_completed" => self.read_completed(record, payload, &event, drafts),
            "turn_aborted" => {
                self.prompts_in_turn = None;
                self.release_held(drafts);
                if raw::text(event.reason).is_some_and(|reason| reason != "interrupted") {
                    return Err(skipped::BOOKKEEPING);
                }
                let mut common = self.common(record, payload, None)?;
                let payload = Payload::new().with("command", "interrupt").with("kind", command::INTERRUPT);
                drafts.push(common.draft(event_type::CHANNEL_COMMAND, payload));
                Ok(())
            }
            "error" => {
                let mut common = self.common(record, payload, None)?;
                let error = raw::text(event.message).unwrap_or_default();
                let payload = Payload::new().with("error", bound::text(&error, MAX_RESULT_BYTES));
                drafts.push(common.draft(event_type::AGENT_ERROR, payload));
                Ok(())
            }
            kind if shown::is_others(kind.as_bytes()) => self.tell_others(record, payload, drafts),
            _ => Err(skipped::BOOKKEEPING),
        }
    }

    /// The events of newer versions: what was said, as an item of its own form.
    fn read_completed(
        &mut self,
        record: &Record<'_>,
        payload: Raw<'_>,
        event: &EventMsg<'_>,
        drafts: &mut Vec<Draft>,
    ) -> DraftResult {
        let item: Item<'_> = raw::object(event.item);
        let text = spoken(item.content).join("\n");
        let mut common = self.common(record, payload, owned(item.id).as_deref())?;
        match raw::text(item.kind).as_deref() {
            Some("UserMessage") => {
                self.expect_a_person()?;
                self.expect_this_thread(event)?;
                if is_of_another(payload) || is_of_another(event.item) {
                    return self.others_said(record, payload, drafts);
                }
                common.is_strange = has_unknown_fields::<EventMsg<'_>>(payload, &SILENT_IN_EVENTS)
                    || has_unknown_fields::<Item<'_>>(event.item, &SILENT_IN_EVENTS);
                if !sent::is_a_persons(item.content, &SENT_IN_EVENTS) {
                    return Err(skipped::META);
                }
                self.user_said(common, &text, drafts)
            }
            Some("AgentMessage") => self.agent_said(common, &text, Report::Event, drafts),
            Some(kind) if shown::is_others_item(kind) => {
                self.tell_others(record, payload, drafts).map_err(|_| skipped::REPEATED)
            }
            Some(_) | None => Err(skipped::REPEATED),
        }
    }
}

impl Codex {
    fn read_record(&mut self, record: &Record<'_>, payload: Raw<'_>, drafts: &mut Vec<Draft>) -> DraftResult {
        match &*raw::text(record.kind).unwrap_or_default() {
            "session_meta" => self.read_meta(record, payload),
            "turn_context" => self.read_turn(record, payload, drafts),
            "response_item"
            | "message"
            | "function_call"
            | "function_call_output"
            | "local_shell_call"
            | "custom_tool_call"
            | "custom_tool_call_output" => self.read_item(record, payload, drafts),
            "event_msg" => self.read_event(record, payload, drafts),
            "" if record.id.is_some() => self.read_meta(record, payload),
            "inter_agent_communication" | "inter_agent_communication_metadata" => {
                self.agent_speaks = true;
                self.tell_others(record, payload, drafts)
            }
            "compacted" => self.tell_summary(record, payload, drafts),
            "reasoning" => self.tell_others(record, payload, drafts),
            "world_state" | "token_usage_record" | "security_risk_score" | "" => Err(skipped::BOOKKEEPING),
            _ => Err(skipped::UNKNOWN_TYPE),
        }
    }

    /// Tells what a line says that none of its drafts does. It may repeat a person's words; what others alone say is told by now.
    fn rest_of(
        &mut self,
        record: &Record<'_>,
        payload: Raw<'_>,
        skipped: Option<&str>,
        drafts: &[Draft],
    ) -> Option<Draft> {
        if matches!(skipped, Some(skipped::QUEUE | skipped::REPEATED | skipped::OWN_RUN)) {
            return None;
        }
        let mut common = self.common(record, payload, None).ok()?;
        let kept = self.held.iter().chain(self.outputs.iter().map(|(_, draft)| draft));
        let drafts = drafts.iter().chain(kept).collect();
        let line = Line { strings: strings_in(payload?, self.options.rest), drafts, may_repeat: true };
        self.remainder.told(self.options.rest, &mut common, &line)
    }

    /// User items that no event confirmed: the program put them there.
    pub(super) fn tell_unconfirmed(&mut self, drafts: &mut Vec<Draft>) {
        for (mut common, text) in std::mem::take(&mut self.unconfirmed) {
            let line = Line { strings: vec![text.into()], drafts: Vec::new(), may_repeat: true };
            drafts.extend(self.remainder.told(self.options.rest, &mut common, &line));
        }
    }
}

impl Records for Codex {
    fn read(&mut self, line: &[u8], drafts: &mut Vec<Draft>) -> DraftResult {
        let is_bookkeeping = is_bookkeeping(line);
        let has_rest = !self.options.is_live && self.options.rest.may_be_in(line);
        if is_bookkeeping && !has_rest {
            return Err(skipped::BOOKKEEPING);
        }
        if line.len() > MAX_LINE_BYTES {
            return Err(skipped::TOO_LONG);
        }
        let text = raw::line(line);
        let Some(json) = line.starts_with(b"{").then(|| Json::parse(&text)).flatten() else {
            let common = self.common(&Record::default(), None, None).ok().filter(|_| has_rest);
            drafts.extend(common.and_then(|common| of_broken(line, common)));
            return Err(skipped::BROKEN);
        };
        let record: Record<'_> = json.root().object().ok_or(skipped::BROKEN)?;
        // Old files have the items bare, without a payload around them.
        let payload = record.payload.or_else(|| Some(json.root()));
        let made = drafts.len();
        let read = match is_bookkeeping {
            true => Err(skipped::BOOKKEEPING),
            false => self.read_record(&record, payload, drafts),
        };
        if has_rest {
            let rest = self.rest_of(&record, payload, read.err(), &drafts[made..]);
            drafts.extend(rest);
        }
        read
    }

    fn finish(&mut self, drafts: &mut Vec<Draft>) {
        self.release_held(drafts);
        self.tell_unconfirmed(drafts);
        self.tell_outputs(drafts);
    }

    fn rest(&self) -> Rest {
        self.options.rest
    }

    fn is_settled(&self) -> bool {
        // Session, directory and open calls are only known to a reader that has seen the beginning.
        false
    }
}

impl Setting {
    /// Whether the prompts are a program's. A file that has not said which session it is has said nothing of who speaks.
    pub(super) fn is_programs(&self) -> bool {
        self.is_program || !self.is_known
    }

    /// Whether a prompt of this time may be a copy from a session of which nobody knows who spoke in it.
    pub(super) fn may_be_copied(&self, ts: Option<Timestamp>) -> bool {
        let is_later = |forked: Timestamp| ts.is_some_and(|ts| ts.duration_since(forked) > COPIED_WITHIN);
        self.forked.is_some_and(|forked| !forked.is_some_and(is_later))
    }

    /// The project's instructions, once.
    pub(super) fn take_instructions(&mut self) -> Option<String> {
        self.instructions.take()
    }
}

fn time_of(record: &Record<'_>) -> Option<Timestamp> {
    raw::text(record.timestamp).and_then(|ts| ts.parse().ok())
}

/// Whether a session's prompts are a program's.
fn is_programs(meta: &Meta<'_>) -> bool {
    let is_persons = |source| raw::text(source).is_some_and(|source| PERSONS_SOURCES.contains(&&*source));
    meta.source.is_some() && !is_persons(meta.source)
        || raw::text(meta.originator).is_some_and(|name| PROGRAMS.contains(&&*name) || name.contains(LIBRARY))
}

/// Whether a person sits at the program that was started.
fn is_persons_originator(originator: Raw<'_>) -> bool {
    raw::text(originator).is_some_and(|name| PERSONS_ORIGINATORS.contains(&&*name) || name.starts_with(APPS))
}

/// Whether a session's prompts are another agent's.
fn is_subagents(meta: &Meta<'_>) -> bool {
    meta.agent_nickname.is_some()
        || meta.agent_role.is_some()
        || meta.agent_path.is_some()
        || meta.parent_thread_id.is_some()
        || meta.thread_source.is_some_and(|source| source.get() != "\"user\"")
        || meta
            .source
            .is_some_and(|source| source.get().starts_with('{') && source.get().contains("subagent"))
}

/// A text that is there, as a string of its own.
pub(super) fn owned(raw: Raw<'_>) -> Option<String> {
    raw::filled(raw).map(|text| text.into_owned())
}

/// Whether the first keys alone show that the line gives nothing and says nothing about the session.
fn is_bookkeeping(line: &[u8]) -> bool {
    let found = peek(line, b"payload", |kind| matches!(kind, b"event_msg" | b"response_item"));
    match (found.kind, found.inner_kind) {
        (Some(b"event_msg"), Some(inner)) => {
            !matches!(
                inner,
                b"user_message"
                    | b"agent_message"
                    | b"item_completed"
                    | b"turn_aborted"
                    | b"error"
                    | b"task_started"
                    | b"turn_started"
                    | b"task_complete"
                    | b"turn_complete"
                    | b"entered_review_mode"
                    | b"exited_review_mode"
                    | b"exec_command_end"
                    | b"mcp_tool_call_end"
            ) && !shown::is_others(inner)
        }
        (Some(b"response_item"), Some(inner)) => {
            matches!(inner, b"ghost_snapshot" | b"compaction")
        }
        (Some(kind), _) => matches!(kind, b"world_state" | b"token_usage_record"),
        (None, _) => false,
    }
}
