//! `attachment` records: what the program added to a conversation by itself.

use subcortex_model::{Draft, Via, event_type};

use super::human::{self, Voice};
use super::message;
use super::queue::{Arrival, is_message, is_persons, queued_payload};
use super::reader::Session;
use super::record::{Host, Record, Sender, is_marked, is_strange_origin, is_word};
use super::user::text_blocks;
use crate::transcript::counts::skipped;
use crate::transcript::draft::{Common, Payload, memory_file_name};
use crate::transcript::json::fields;
use crate::transcript::raw::{self, Raw};
use crate::transcript::sent::has_unknown_fields;
use crate::transcript::shown;

fields! {
    struct Attachment {
        kind: "type",
        prompt: "prompt",
        command_mode: "commandMode",
        origin: "origin",
        is_meta: "isMeta",
        input_source: "inputSource",
        text_not_typed: "textNotTyped",
        handed_off: "handedOff",
        forwarded_intent: "forwardedIntent",
        carried_by_compaction: "carriedByCompaction",
        wakeup_source: "wakeupSource",
        scheduled_task_id: "scheduledTaskId",
        path: "path",
        content: "content",
        files: "files",
        reason: "reason",
    }
}

fields! {
    /// A memory file as it was put into the context.
    struct MemoryFile {
        path: "path",
        memory_type: "type",
    }
}

impl Attachment<'_> {
    /// Whether a person typed the queued words, as far as its own fields say.
    fn is_typed(&self) -> bool {
        let is_prompt = self.command_mode.is_none() || is_word(self.command_mode, &["prompt"]);
        let is_typed = self.input_source.is_none() || is_word(self.input_source, &["typed", "queued"]);
        let marks = [
            self.is_meta,
            self.text_not_typed,
            self.handed_off,
            self.forwarded_intent,
            self.carried_by_compaction,
            self.wakeup_source,
            self.scheduled_task_id,
        ];
        is_prompt && is_typed && !marks.into_iter().any(is_marked)
    }
}

/// Fields that say nothing of who queued something, beside those that are looked at.
const SILENT: [&str; 4] = ["imagePasteIds", "source_uuid", "timestamp", "uuid"];

/// Attachments that put somebody's text before the agent: a file, a selection, what a hook or a server says.
const SHOWN: [&str; 12] = [
    "async_hook_response",
    "edited_text_file",
    "file",
    "hook_additional_context",
    "hook_success",
    "instructions",
    "invoked_skills",
    "mcp_resource",
    "nested_memory",
    "relevant_memories",
    "selected_lines_in_ide",
    "teammate_mailbox",
];

/// Whether an attachment of this type may give an event.
pub(super) fn is_of_interest(kind: &[u8]) -> bool {
    kind == b"queued_command" || SHOWN.iter().any(|shown| shown.as_bytes() == kind)
}

/// Reads an `attachment` record.
pub(super) fn read(
    record: &Record<'_>,
    common: &mut Common,
    session: &mut Session,
    drafts: &mut Vec<Draft>,
) -> Result<(), &'static str> {
    let attachment: Attachment<'_> = raw::object(record.attachment);
    if is_word(attachment.kind, &SHOWN) && !record.is_subagents() {
        drafts.extend(shown::draft(common, shown::texts_of(&raw::value(record.attachment))));
    }
    match raw::text(attachment.kind).as_deref() {
        Some("queued_command") => read_queued(record, &attachment, common, session, drafts),
        Some("nested_memory") => {
            let file: MemoryFile<'_> = raw::object(attachment.content);
            let path =
                raw::filled(attachment.path).or_else(|| raw::filled(file.path)).ok_or(skipped::EMPTY)?;
            drafts.push(memory_loaded(common, &path, file.memory_type, attachment.reason));
            Ok(())
        }
        Some("instructions") => {
            let made_before = common.made;
            for file in raw::array(attachment.files) {
                let file: MemoryFile<'_> = raw::object(Some(file));
                if let Some(path) = raw::filled(file.path) {
                    drafts.push(memory_loaded(common, &path, file.memory_type, attachment.reason));
                }
            }
            if common.made == made_before { Err(skipped::EMPTY) } else { Ok(()) }
        }
        Some(kind) if SHOWN.contains(&kind) => Ok(()),
        Some(_) | None => Err(skipped::BOOKKEEPING),
    }
}

/// A file counts once a session and agent, whoever reports it: a hook knows no record, and records repeat it.
fn memory_name(common: &Common, path: &str) -> String {
    let agent = common.extra.get("agent_id").and_then(|id| id.as_str()).unwrap_or_default();
    memory_file_name(&common.origin, agent, path)
}

fn memory_loaded(common: &mut Common, path: &str, memory_type: Raw<'_>, reason: Raw<'_>) -> Draft {
    let payload = Payload::new()
        .with("path", path)
        .with_some("memory_type", raw::filled(memory_type).map(|text| text.into_owned()))
        .with_some("load_reason", raw::filled(reason).map(|text| text.into_owned()));
    let mut draft = common.draft(event_type::MEMORY_LOADED, payload);
    draft.key = Some(memory_name(common, path));
    draft
}

/// Words from the queue, delivered in the middle of the agent's work.
fn read_queued(
    record: &Record<'_>,
    attachment: &Attachment<'_>,
    common: &mut Common,
    session: &mut Session,
    drafts: &mut Vec<Draft>,
) -> Result<(), &'static str> {
    common.is_strange |= has_unknown_fields::<Attachment<'_>>(record.attachment, &SILENT)
        || is_strange_origin(attachment.origin);
    let prompt = text_blocks(attachment.prompt).join("\n");
    let arrival = session.queue.arrived_in_attachment(&prompt);
    let senders = [Sender::of(attachment.origin), record.sender()];
    let is_vouched = senders.contains(&Sender::Person);
    let is_programs = session.is_programs || !is_vouched && session.before.is_agents(&prompt);
    let is_sent = message::is_a_persons(attachment.prompt) && attachment.is_typed();
    // The fields of a record that say whose it is may as well stand inside.
    let inside: Record<'_> = raw::object(record.attachment);
    let is_persons = is_persons(record) && is_persons(&inside) && inside.host() != Host::Program;
    if senders.contains(&Sender::Other) || is_programs || !is_persons || !is_sent {
        return Err(skipped::OTHER_ORIGIN);
    }
    match human::judge_text(&prompt, is_vouched) {
        Voice::Words { text, .. } if is_message(&text) => {
            if arrival == Arrival::Repeated {
                return Err(skipped::REPEATED);
            }
            drafts.push(common.draft(event_type::CHANNEL_MESSAGE, queued_payload(&text, Via::Queued)));
            Ok(())
        }
        Voice::Nobody(reason) => Err(reason),
        Voice::Words { .. } | Voice::Command { .. } | Voice::Interruption { .. } => Err(skipped::WRAPPER),
    }
}
