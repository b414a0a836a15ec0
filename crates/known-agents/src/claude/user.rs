//! `user` records: what a person said, and what tools answered.

use std::borrow::Cow;

use subcortex_model::{Draft, SHOWN_FIELD, Via, WAS_QUEUED_FIELD, command, event_type};

use super::answers::{self, QUESTION_TOOL};
use super::before::Hint;
use super::human::{self, Setting, Voice};
use super::message::{self, Block, Message, kind_of};
use super::queue::Arrival;
use super::reader::Session;
use super::record::{Host, Record, Sender, is_marked, is_word};
use super::{disowned, refusal, shown};
use crate::transcript::bound::{self, MAX_MESSAGE_BYTES, MAX_RESULT_BYTES};
use crate::transcript::counts::skipped;
use crate::transcript::draft::{Common, Payload};
use crate::transcript::json::fields;
use crate::transcript::raw::{self, Raw};

/// Reads a `user` record.
pub(super) fn read(
    record: &Record<'_>,
    common: &mut Common,
    session: &mut Session,
    drafts: &mut Vec<Draft>,
) -> Result<(), &'static str> {
    let message: Message<'_> = raw::object(record.message);
    if message.role.is_some() && !is_word(message.role, &["user"]) {
        return Err(skipped::META);
    }
    // Every version names it: a record without it was not written by the program as it is known.
    common.is_strange |= message.role.is_none();
    let blocks: Vec<Block<'_>> =
        raw::array(message.content).into_iter().map(|block| raw::object(Some(block))).collect();
    if blocks.iter().any(is_answer) {
        let content = Content { blocks: &blocks, raw: message.content };
        read_results(record, common, session, &content, drafts);
        drafts.extend(shown::documents(record, &shown::of_blocks(message.content), common));
        return Ok(());
    }
    let texts = text_blocks(message.content);
    let is_copy = session.has_told(&common.source_id) && !record.may_repeat();
    if record.is_tools() {
        drafts.extend(disowned::mark(&Voice::Nobody(skipped::META), &texts, is_copy, common));
        return Err(skipped::META);
    }
    let documents = shown::of_blocks(message.content);
    let has_image = blocks.iter().any(|block| kind_of(block) == "image");
    let arrival = session.queue.arrived_as_prompt(&texts.join("\n"));
    let setting = Setting { is_programs: session.is_programs, is_live: common.is_live };
    let voice = if message::can_be_sent(record.message) {
        human::judge(record, setting, &texts, has_image)
    } else {
        Voice::Nobody(skipped::META)
    };
    let voice = match voice {
        Voice::Words { text, via } => match session.before.hint(record, &text) {
            Hint::Nobodys => {
                drafts.extend(disowned::mark(&Voice::Nobody(skipped::META), &texts, is_copy, common));
                return Err(skipped::META);
            }
            Hint::Suggested => Voice::Words { text, via: Via::Suggested },
            Hint::Doubtful if matches!(via, Via::Prompt | Via::Unsigned) => {
                Voice::Words { text, via: Via::PromptText }
            }
            Hint::None | Hint::Doubtful => Voice::Words { text, via },
        },
        Voice::Command { kind, .. } => {
            if kind == command::SLASH {
                session.before.began_command(record);
            }
            voice
        }
        Voice::Interruption { .. } => {
            session.before.interrupted();
            voice
        }
        Voice::Nobody(_) => {
            session.before.passed();
            voice
        }
    };
    drafts.extend(disowned::mark(&voice, &texts, is_copy, common));
    let shown = match &voice {
        Voice::Words { text, .. } => shown::beside(record, &texts, &documents, text),
        Voice::Nobody(reason) => {
            drafts.extend(shown::told(record, reason, &texts, &documents, common));
            None
        }
        Voice::Command { .. } | Voice::Interruption { .. } => {
            drafts.extend(shown::documents(record, &documents, common));
            None
        }
    };
    let prompt = Prompt { voice, arrival, shown, is_held: waits_for_host(record, session) };
    read_prompt(prompt, common, session, drafts)
}

/// What a record says in a person's place.
struct Prompt {
    voice: Voice,
    arrival: Arrival,
    /// What stands beside it.
    shown: Option<String>,
    /// Nobody has said yet whether a program started the agent.
    is_held: bool,
}

/// Whether the next record may still say that a program started the agent. Older versions never do.
fn waits_for_host(record: &Record<'_>, session: &Session) -> bool {
    record.host() == Host::Unnamed
        && record.sender() != Sender::Person
        && record.prompt_source.is_none()
        && !session.is_programs
}

/// Whether a block is what a tool answered, of whatever kind of tools.
fn is_answer(block: &Block<'_>) -> bool {
    block.tool_use_id.is_some() || kind_of(block).ends_with("tool_result")
}

/// The content of a message, as blocks and as it stands in the file.
struct Content<'a> {
    blocks: &'a [Block<'a>],
    raw: Raw<'a>,
}

/// The texts of a content field: a string, or an array with text blocks among others.
pub(super) fn text_blocks(content: Raw<'_>) -> Vec<String> {
    if let Some(text) = raw::text(content) {
        return vec![text.into_owned()];
    }
    raw::array(content)
        .into_iter()
        .filter_map(|block| {
            let block: Block<'_> = raw::object(Some(block));
            // Documents and search results have texts too, and are nobody's words.
            let is_said = kind_of(&block) == "text" && !is_marked(block.is_meta);
            is_said.then(|| raw::text(block.text).map(Cow::into_owned)).flatten()
        })
        .collect()
}

fn read_prompt(
    prompt: Prompt,
    common: &mut Common,
    session: &mut Session,
    drafts: &mut Vec<Draft>,
) -> Result<(), &'static str> {
    match prompt.voice {
        Voice::Words { text, via } => {
            match prompt.arrival {
                Arrival::Repeated => return Err(skipped::REPEATED),
                // A prompt past the queue shows that the queue was empty.
                Arrival::New => session.queue.finish(drafts),
                Arrival::FromQueue => session.queue.settle(drafts),
            }
            let payload = Payload::new()
                .with("text", bound::text(&text, MAX_MESSAGE_BYTES))
                .with_some(SHOWN_FIELD, prompt.shown)
                .with_flag(WAS_QUEUED_FIELD, prompt.arrival == Arrival::FromQueue)
                .via(via);
            let prompt_id = prompt_id(common, session);
            let draft = common.draft_of(&prompt_id, event_type::CHANNEL_MESSAGE, payload);
            session.tells(&common.source_id);
            match prompt.is_held {
                true => session.hold(draft),
                false => drafts.push(draft),
            }
        }
        Voice::Command { command, text, kind } => {
            session.queue.settle(drafts);
            let payload = Payload::new()
                .with("command", command)
                .with("kind", kind)
                .with("text", bound::text(&text, MAX_MESSAGE_BYTES));
            let prompt_id = prompt_id(common, session);
            drafts.push(common.draft_of(&prompt_id, event_type::CHANNEL_COMMAND, payload));
        }
        Voice::Interruption { for_tool_use } => {
            let payload = Payload::new()
                .with("command", "interrupt")
                .with("kind", command::INTERRUPT)
                .with_flag("for_tool_use", for_tool_use);
            drafts.push(common.draft(event_type::CHANNEL_COMMAND, payload));
        }
        Voice::Nobody(reason) => return Err(reason),
    }
    Ok(())
}

/// The id of the prompt that this record begins; empty if it has none.
fn prompt_id(common: &Common, session: &mut Session) -> String {
    session.drop_questions();
    let id = common.turn.clone().unwrap_or_default();
    if session.begins_prompt(&id, &common.source_id) { id } else { String::new() }
}

/// Reads the answers of tools, and what a person said in them.
fn read_results(
    record: &Record<'_>,
    common: &mut Common,
    session: &mut Session,
    content: &Content<'_>,
    drafts: &mut Vec<Draft>,
) {
    let may_hold_remarks = message::is_a_persons_beside_answers(content.raw);
    let blocks = content.blocks;
    // The fields of a record speak of its one answer; of several, nobody knows which is meant.
    let answers = blocks.iter().filter(|block| kind_of(block) == "tool_result").count();
    let fields = if answers == 1 { record } else { &Record::default() };
    for block in blocks {
        match &*kind_of(block) {
            "tool_result" => {
                let call_id = raw::text(block.tool_use_id).unwrap_or_default();
                let name = if call_id.is_empty() { String::new() } else { [&*call_id, ":output"].concat() };
                let is_subagents = record.is_subagents();
                common.within(&name, |common| {
                    read_result(fields, is_subagents, common, session, block, drafts);
                });
            }
            "text" if may_hold_remarks => read_remark(record, session, common, block, drafts),
            _ => {}
        }
    }
}

fn read_result(
    record: &Record<'_>,
    is_subagents: bool,
    common: &mut Common,
    session: &mut Session,
    block: &Block<'_>,
    drafts: &mut Vec<Draft>,
) {
    let call_id = raw::text(block.tool_use_id).unwrap_or_default();
    let questions = session.question_answered(&call_id);
    if !is_subagents {
        let tool = session.tool_of(&call_id).map(str::to_owned);
        session.before.answered(&call_id, tool.as_deref());
    }
    let (tool_name, asked) = (session.tool_of(&call_id), session.asked_by(&call_id));
    let answer = answer_of(block);
    let is_error = raw::flag(block.is_error);
    let is_refused = is_error && refusal::is_refused(record, tool_name, &answer);
    let typed = || refusal::typed(record).map(|words| (words, Via::Refusal));
    let told = || refusal::told(record, tool_name, &answer).map(|words| (words, Via::RefusalText));
    let refused_with = if is_refused { typed().or_else(told) } else { None };
    let payload = Payload::new()
        .with_some("tool_name", tool_name)
        .with("tool_use_id", &*call_id)
        .with("is_error", is_error)
        .with("text", bound::answer(answer, asked))
        .with_flag("refused", is_refused)
        .with_flag("interrupted", was_interrupted(record.tool_use_result));
    drafts.push(common.draft(event_type::AGENT_TOOL_RESULT, payload));

    if is_refused && session.is_programs {
        return; // a script decides, and says why
    }
    if is_refused {
        if let Some((words, via)) = refused_with {
            let payload = said(&words, via, &call_id, tool_name);
            drafts.push(common.draft(event_type::CHANNEL_MESSAGE, payload));
        }
        return;
    }
    // A script answers its agent's questions, and an agent those of its subagents.
    let is_asked = !is_subagents && !session.is_programs;
    if is_error || !is_asked || tool_name != Some(QUESTION_TOOL) {
        return;
    }
    for answer in answers::from_result(&raw::value(record.tool_use_result), &questions) {
        let payload = said(&answer.text, answer.via, &call_id, tool_name)
            .with("question", bound::text(&answer.question, MAX_RESULT_BYTES));
        drafts.push(common.draft(event_type::CHANNEL_MESSAGE, payload));
    }
}

/// A person's words inside a tool's answer.
fn said(words: &str, via: Via, call_id: &str, tool_name: Option<&str>) -> Payload {
    Payload::new()
        .with("text", bound::text(words, MAX_MESSAGE_BYTES))
        .via(via)
        .with("tool_use_id", call_id)
        .with_some("tool_name", tool_name)
}

/// A text beside a tool's answer: what a person added when allowing the call, if the record says so.
fn read_remark(
    record: &Record<'_>,
    session: &mut Session,
    common: &mut Common,
    block: &Block<'_>,
    drafts: &mut Vec<Draft>,
) {
    let text = raw::text(block.text).unwrap_or_default();
    let setting = Setting { is_programs: session.is_programs, is_live: common.is_live };
    match human::judge(record, setting, &[text.into_owned()], /*has_image*/ false) {
        Voice::Words { text, .. } => {
            let is_persons = raw::flag(record.holds_persons_words) && !session.is_programs;
            if is_persons && record.tool_denial_kind.is_none() {
                let payload =
                    Payload::new().with("text", bound::text(&text, MAX_MESSAGE_BYTES)).via(Via::Approval);
                drafts.push(common.draft(event_type::CHANNEL_MESSAGE, payload));
            }
        }
        Voice::Interruption { for_tool_use } => {
            session.before.interrupted();
            let payload = Payload::new()
                .with("command", "interrupt")
                .with("kind", command::INTERRUPT)
                .with_flag("for_tool_use", for_tool_use);
            drafts.push(common.draft(event_type::CHANNEL_COMMAND, payload));
        }
        Voice::Command { .. } | Voice::Nobody(_) => {}
    }
}

/// What a tool answered, as one text.
fn answer_of<'a>(block: &Block<'a>) -> Cow<'a, str> {
    if let Some(text) = raw::text(block.content) {
        return text;
    }
    let parts: Vec<String> = raw::array(block.content)
        .into_iter()
        .map(|raw_part| {
            let part: Block<'_> = raw::object(Some(raw_part));
            match raw::text(part.text) {
                Some(text) => text.into_owned(),
                None => match &*shown::telling(Some(raw_part)) {
                    [] => format!("[{}]", kind_of(&part)),
                    texts => texts.join("\n"),
                },
            }
        })
        .collect();
    Cow::Owned(parts.join("\n"))
}

/// Whether a person stopped the tool while it ran.
fn was_interrupted(result: Raw<'_>) -> bool {
    fields! {
        struct Interruption {
            interrupted: "interrupted",
        }
    }
    let is_named = result.is_some_and(|result| {
        memchr::memmem::find(result.get().as_bytes(), b"\"interrupted\":true").is_some()
    });
    is_named && raw::flag(raw::object::<Interruption<'_>>(result).interrupted)
}
