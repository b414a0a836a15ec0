//! Routes each line to the part that understands it.

use std::collections::{HashMap, VecDeque};

use jiff::Timestamp;
use serde_json::Value;
use subcortex_guard::{Asked, Redactor};
use subcortex_model::{Draft, Via, event_type};

use super::answers::QUESTION_TOOL;
use super::before::Before;
use super::queue::Queue;
use super::record::{Host, Record, is_strange, is_word};
use super::{assistant, attachment, progress, queue, system, user};
use crate::transcript::counted::Records;
use crate::transcript::counts::skipped;
use crate::transcript::draft::{Common, Payload};
use crate::transcript::json::{Json, Piece, Room};
use crate::transcript::peek::peek;
use crate::transcript::rest::{Line, Remainder, Rest, of_broken, strings_in};
use crate::transcript::{MAX_LINE_BYTES, Options, raw};

/// How many calls wait for their answer at most; the oldest is forgotten and its answer has no tool name.
const MAX_OPEN_CALLS: usize = 4096;
/// How many questions wait for their answer at most.
const MAX_OPEN_QUESTIONS: usize = 8;
/// How many prompts back a copy of a record is recognised.
const MAX_KNOWN_PROMPTS: usize = 64;
/// How many messages back a repeated usage is recognised.
const MAX_KNOWN_MESSAGES: usize = 64;

/// Record types that are known and say nothing about the conversation.
const BOOKKEEPING: [&str; 37] = [
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "artifact-autoreact-ledger",
    "artifact-comment-monitor",
    "atis-latch",
    "attribution-snapshot",
    "bridge-session",
    "content-replacement",
    "context-collapse-commit",
    "context-collapse-snapshot",
    "cost-state",
    "custom-title",
    "ended",
    "file-history-delta",
    "file-history-snapshot",
    "isolation-latch",
    "last-prompt",
    "marble-origami-commit",
    "permission-mode",
    "pr-link",
    "progress",
    "relocated",
    "result",
    "saved-hook-context",
    "started",
    "stream_event",
    "summary",
    "tag",
    "task-summary",
    "tools-used",
    "worktree-session",
    "worktree-state",
];

/// Record types that may hold a person's words.
const MESSAGES: [&str; 3] = ["attachment", "queue-operation", "user"];
/// Record types in which nothing is a person's, but for what is queued.
const OTHERS: [&str; 4] = ["assistant", "progress", "queue-operation", "system"];
/// Repeats the newest prompt, whose own record says whose it is.
const LAST_PROMPT: &str = "last-prompt";

/// A call whose answer has not come yet.
#[derive(Debug)]
struct OpenCall {
    tool_name: String,
    /// Whether it asked for a secret.
    asked: Option<Asked>,
}

/// What one session needs to remember between its lines.
#[derive(Debug, Default)]
pub(super) struct Session {
    /// Words that were typed while the agent worked.
    pub queue: Queue,
    /// Calls whose answers have not come yet, oldest first.
    open_calls: HashMap<String, OpenCall>,
    open_order: VecDeque<String>,
    /// Questions to a person that wait for their answer: the call, and what the agent wrote into it.
    open_questions: VecDeque<(String, Value)>,
    /// Messages whose usage was handed out.
    counted_messages: VecDeque<String>,
    /// A program started the agent, as far as the session has said: some records do not say it themselves.
    pub is_programs: bool,
    /// The newest prompt, and the record that brought it.
    prompt: Option<(String, String)>,
    /// The records of the newest prompts, by their names.
    told: VecDeque<String>,
    /// What came before the next prompt, as far as it says whose that is.
    pub before: Before,
    /// A prompt whose record does not say who started the agent: the next record may. And what is told behind it.
    held: Vec<Draft>,
    /// The time of the newest record that has one. Those without come behind it.
    newest: Option<Timestamp>,
}

impl Session {
    /// Remembers who started the agent. What is in the queue of a program's session came from the program.
    fn hosted_by(&mut self, host: Host) {
        match host {
            Host::Unnamed => {}
            Host::Person => self.is_programs = false,
            Host::Program => {
                self.is_programs = true;
                self.queue.disown();
            }
        }
    }

    /// Keeps a prompt back until the next record.
    pub(super) fn hold(&mut self, draft: Draft) {
        self.held.push(draft);
    }

    /// Hands out the prompt that was kept back. In a program's session it is the program's.
    fn release(&mut self, drafts: &mut Vec<Draft>) {
        for mut draft in self.held.drain(..) {
            if self.is_programs && draft.event_type == event_type::CHANNEL_MESSAGE {
                draft.payload.extend(Payload::new().via(Via::Sdk).into_fields());
            }
            drafts.push(draft);
        }
    }

    /// Remembers which tool a call was for.
    pub(super) fn open_call(&mut self, id: &str, tool_name: &str, input: &Value) {
        if tool_name == QUESTION_TOOL && !self.open_questions.iter().any(|(open, _)| open == id) {
            self.open_questions.push_back((id.to_owned(), input.clone()));
            if self.open_questions.len() > MAX_OPEN_QUESTIONS {
                self.open_questions.pop_front();
            }
        }
        let call = OpenCall { tool_name: tool_name.to_owned(), asked: Redactor::new().asked_by(input) };
        if self.open_calls.insert(id.to_owned(), call).is_none() {
            self.open_order.push_back(id.to_owned());
        }
        if self.open_order.len() > MAX_OPEN_CALLS
            && let Some(oldest) = self.open_order.pop_front()
        {
            self.open_calls.remove(&oldest);
        }
    }

    /// The answer to a call came; if it was a question, all that the agent wrote into it: a call may be handed over with answers.
    pub(super) fn question_answered(&mut self, call_id: &str) -> Value {
        let at = self.open_questions.iter().position(|(open, _)| open == call_id);
        at.and_then(|at| self.open_questions.remove(at)).map(|(_, questions)| questions).unwrap_or_default()
    }

    /// A person went on without answering.
    pub(super) fn drop_questions(&mut self) {
        self.open_questions.clear();
    }

    /// Whether this record is the first of its prompt: further ones (there are none in the versions that
    /// were looked at) go by their own names.
    pub(super) fn begins_prompt(&mut self, prompt_id: &str, record: &str) -> bool {
        match &self.prompt {
            Some((known, begun_by)) if known == prompt_id => begun_by == record,
            Some(_) | None => {
                self.prompt = Some((prompt_id.to_owned(), record.to_owned()));
                true
            }
        }
    }

    /// A record has told a prompt.
    pub(super) fn tells(&mut self, record: &str) {
        self.told.push_back(record.to_owned());
        if self.told.len() > MAX_KNOWN_PROMPTS {
            self.told.pop_front();
        }
    }

    /// Whether a record of this name has told a prompt.
    pub(super) fn has_told(&self, record: &str) -> bool {
        self.told.iter().any(|told| told == record)
    }

    /// The tool whose answer this is.
    pub(super) fn tool_of(&self, call_id: &str) -> Option<&str> {
        self.open_calls.get(call_id).map(|call| call.tool_name.as_str())
    }

    /// Whether the call of this answer asked for a secret.
    pub(super) fn asked_by(&self, call_id: &str) -> Option<Asked> {
        self.open_calls.get(call_id).and_then(|call| call.asked)
    }

    /// Whether this message's usage has not been handed out yet. One message spans several records.
    pub(super) fn counts_first(&mut self, message_id: &str) -> bool {
        if self.counted_messages.iter().rev().any(|known| known == message_id) {
            return false;
        }
        self.counted_messages.push_back(message_id.to_owned());
        if self.counted_messages.len() > MAX_KNOWN_MESSAGES {
            self.counted_messages.pop_front();
        }
        true
    }
}

/// Reads one session file of Claude Code.
#[derive(Debug)]
pub(crate) struct Claude {
    options: Options,
    /// Two terminals may write into one file.
    sessions: HashMap<String, Session>,
    remainder: Remainder,
    room: Room,
}

impl Claude {
    pub(crate) fn new(options: Options) -> Self {
        Self { options, sessions: HashMap::new(), remainder: Remainder::default(), room: Room::default() }
    }

    /// The sessions of the file, the same way on every reading.
    fn in_order(&mut self) -> impl Iterator<Item = &mut Session> {
        let mut sessions: Vec<_> = self.sessions.iter_mut().collect();
        sessions.sort_by_key(|(id, _)| *id);
        sessions.into_iter().map(|(_, session)| session)
    }

    fn record(
        &mut self,
        whole: Piece<'_>,
        mut record: Record<'_>,
        drafts: &mut Vec<Draft>,
    ) -> Result<(), &'static str> {
        if self.options.is_subagents {
            record.is_sidechain = Some(Piece::yes());
        }
        let record = &record;
        let kind = raw::text(record.kind).unwrap_or_default();
        let is_note = matches!(&*kind, "speculation-accept" | "mode");
        let read = match &*kind {
            "user" => user::read,
            "assistant" => assistant::read,
            "system" => system::read,
            "attachment" => attachment::read,
            "queue-operation" => queue::read,
            _ if is_note => note,
            "progress" => {
                let inner = progress::inner(record).filter(|inner| inner.data.is_none());
                return inner.map_or(Err(skipped::BOOKKEEPING), |inner| self.record(whole, inner, drafts));
            }
            other => return Err(skip_reason(other)),
        };
        let mut common = record.common(&self.options).ok_or(skipped::NO_SESSION)?;
        if self.options.is_own(common.cwd.as_deref()) {
            return Err(skipped::OWN_RUN);
        }
        let others = self.sessions.iter_mut().filter(|(id, _)| **id != common.session && !is_note);
        others.for_each(|(_, session)| session.release(drafts)); // at most one keeps something back, so the order stays
        let session = self.sessions.entry(common.session.clone()).or_default();
        session.newest = session.newest.max(common.ts);
        common.is_strange = MESSAGES.contains(&&*kind) && is_strange(Some(whole), record.origin);
        session.hosted_by(record.host());
        if !is_note {
            session.release(drafts);
        }
        read(record, &mut common, session, drafts)
    }
}

impl Claude {
    /// Tells what a record says that none of its drafts does. What is queued, or was told before, may be a person's and is told elsewhere.
    fn tell_rest(&mut self, whole: Piece<'_>, skipped: Option<&str>, drafts: &mut Vec<Draft>, made: usize) {
        let record: Record<'_> = raw::object(Some(whole));
        let kind = raw::text(record.kind).unwrap_or_default();
        let is_told = matches!(skipped, Some(skipped::QUEUE | skipped::REPEATED | skipped::OWN_RUN));
        let Some(mut common) = record.common(&self.options).filter(|_| !is_told && kind != LAST_PROMPT)
        else {
            return;
        };
        if self.options.is_own(common.cwd.as_deref()) {
            return;
        }
        let session = self.sessions.entry(common.session.clone()).or_default();
        common.ts = common.ts.or(session.newest);
        let told: Vec<&Draft> = drafts[made..].iter().chain(&session.held).collect();
        let is_its =
            |draft: &&&Draft| draft.source_id.as_ref().is_some_and(|id| id.starts_with(&common.source_id));
        let is_persons = told.iter().filter(is_its).any(|draft| draft.event_type.starts_with("channel."));
        let is_others = match &*kind {
            "user" => !record.may_repeat(),
            "attachment" => skipped != Some(skipped::WRAPPER),
            kind => OTHERS.contains(&kind),
        };
        let line = Line {
            strings: strings_in(whole, self.options.rest),
            drafts: told,
            may_repeat: is_persons || !is_others,
        };
        let rest = self.remainder.told(self.options.rest, &mut common, &line);
        // Behind what is kept back, as it stands in the file.
        if session.held.is_empty() { drafts.extend(rest) } else { session.held.extend(rest) }
    }

    /// Tells what a line says that is no record, in the session of the file: what else it was part of, nobody knows.
    fn tell_broken(&mut self, line: &[u8], drafts: &mut Vec<Draft>) {
        let is_known = |id: &&String| self.sessions.contains_key(*id);
        let named = self.options.fallback_session.as_ref().filter(is_known);
        let session = named.or_else(|| self.sessions.keys().min()).cloned();
        let fallback_session = session.or_else(|| self.options.fallback_session.clone());
        let options = Options { fallback_session, ..self.options.clone() };
        let Some(mut common) = Record::default().common(&options) else { return };
        let session = self.sessions.entry(common.session.clone()).or_default();
        common.ts = session.newest;
        session.release(drafts);
        drafts.extend(of_broken(line, common));
    }
}

impl Records for Claude {
    fn read(&mut self, line: &[u8], drafts: &mut Vec<Draft>) -> Result<(), &'static str> {
        let unparsed = skips_unparsed(line);
        let has_rest = !self.options.is_live && self.options.rest.may_be_in(line);
        if let Some(reason) = unparsed.filter(|_| !has_rest) {
            return Err(reason);
        }
        if line.len() > MAX_LINE_BYTES {
            return Err(unparsed.unwrap_or(skipped::TOO_LONG));
        }
        let text = raw::line(line);
        let is_object = line.starts_with(b"{");
        let parsed = is_object.then(|| Json::parse_in(&text, std::mem::take(&mut self.room))).flatten();
        let Some(json) = parsed else {
            if has_rest {
                self.tell_broken(line, drafts);
            }
            return Err(unparsed.unwrap_or(skipped::BROKEN));
        };
        let made = drafts.len();
        let read = match (unparsed, json.root().object()) {
            (Some(reason), _) => Err(reason),
            (None, Some(record)) => self.record(json.root(), record, drafts),
            (None, None) => Err(skipped::BROKEN),
        };
        if has_rest {
            self.tell_rest(json.root(), read.err(), drafts, made);
        }
        self.room = json.into_room();
        read
    }

    fn pause(&mut self, drafts: &mut Vec<Draft>) {
        self.in_order().for_each(|session| session.release(drafts));
    }

    fn finish(&mut self, drafts: &mut Vec<Draft>) {
        for session in self.in_order() {
            session.release(drafts);
            session.queue.finish(drafts);
        }
    }

    fn rest(&self) -> Rest {
        self.options.rest
    }

    fn is_settled(&self) -> bool {
        // Only who has seen the question knows that its answer is a person's, and only who has seen who started the agent, and what it
        // wrote, that what is queued is not.
        let is_open = |session: &Session| {
            !session.queue.is_empty()
                || !session.open_questions.is_empty()
                || session.is_programs
                || !session.held.is_empty()
                || !session.before.is_plain()
        };
        !self.sessions.values().any(is_open)
    }
}

/// Records that only say something of what comes next.
fn note(
    record: &Record<'_>,
    _common: &mut Common,
    session: &mut Session,
    _drafts: &mut Vec<Draft>,
) -> Result<(), &'static str> {
    if is_word(record.kind, &["speculation-accept"]) {
        session.before.accepted();
    }
    Err(skipped::BOOKKEEPING)
}

/// Whether the first keys alone already show that the line gives nothing.
fn skips_unparsed(line: &[u8]) -> Option<&'static str> {
    let found = peek(line, b"attachment", |kind| kind == b"attachment");
    match (found.kind, found.inner_kind) {
        (
            Some(b"user" | b"assistant" | b"system" | b"queue-operation" | b"speculation-accept" | b"mode"),
            _,
        ) => None,
        // Only attachment records have an `attachment`, so its own type decides, also when it comes first.
        (None | Some(b"attachment"), Some(inner)) => {
            (!attachment::is_of_interest(inner)).then_some(skipped::BOOKKEEPING)
        }
        (None | Some(b"attachment"), None) => None,
        (Some(b"progress"), _) => (!progress::may_hold_work(line)).then_some(skipped::BOOKKEEPING),
        (Some(kind), _) => Some(std::str::from_utf8(kind).map_or(skipped::UNKNOWN_TYPE, skip_reason)),
    }
}

fn skip_reason(kind: &str) -> &'static str {
    if BOOKKEEPING.binary_search(&kind).is_ok() { skipped::BOOKKEEPING } else { skipped::UNKNOWN_TYPE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bookkeeping_types_are_sorted_because_they_are_searched_by_halves() {
        assert!(BOOKKEEPING.is_sorted());
    }
}
