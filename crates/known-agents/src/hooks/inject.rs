//! The broadcast, handed to an agent at the start of its session.

use std::path::Path;

use serde_json::{Value, json};
use subcortex_model::{Draft, Source, event_type};
use subcortex_store::Disk;
use subcortex_store::durable::{follow_link, read_text};

use super::{Call, Input, Problem};
use crate::transcript::memory_file_name;

/// What agent programs take from a hook, in characters; the rest is cut off at the end of a line.
pub const MAX_INJECTED_CHARS: usize = 9_500;
/// The longest memory file that is read, in bytes.
const MAX_MEMORY_BYTES: u64 = 4 * 1024 * 1024;
/// The line by which the broadcast takes in a person's own rules.
pub const PRIORITY_LINE: &str = "@priority.md";

/// What is added to an agent's context, and the event that says so.
#[derive(Debug, Clone, PartialEq)]
pub struct Injection {
    /// One line of JSON for the hook's standard output.
    pub answer: String,
    /// `memory.loaded`
    pub draft: Draft,
}

/// What a `SessionStart` hook answers so that the agent knows the broadcast, and what it is to ask; nothing if there is no broadcast yet.
pub fn injection(
    disk: &dyn Disk,
    call: &Call<'_>,
    broadcast: &Path,
    question: Option<&str>,
) -> Result<Option<Injection>, Problem> {
    let input = Input::parse(call.input)?;
    let session = input.session()?;
    let Some(text) = context(disk, broadcast, question) else { return Ok(None) };
    let answer = json!({"hookSpecificOutput": {"hookEventName": call.event, "additionalContext": text}});
    let (agent, _) = input.whose(call.agents).ok_or(Problem::NoHooks)?;
    let path = broadcast.to_string_lossy();
    let payload =
        json!({"path": path, "load_reason": "hook", "hook": call.event, "chars": text.chars().count()});
    let payload = match payload {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Ok(None);
        }
    };
    let mut draft = input.draft(event_type::MEMORY_LOADED, Source::of(agent.name), payload)?;
    draft.source_id = Some(memory_file_name(session, /*agent*/ "", &path));
    Ok(Some(Injection { answer: format!("{answer}\n"), draft }))
}

/// The broadcast with a person's own rules in their place, cut to what fits, and what is to be asked behind it.
fn context(disk: &dyn Disk, broadcast: &Path, question: Option<&str>) -> Option<String> {
    let text = read_text(disk, &follow_link(disk, broadcast).ok()?, MAX_MEMORY_BYTES).ok()?;
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let text = if first.trim() == PRIORITY_LINE {
        let priority = read_text(disk, &broadcast.with_file_name("priority.md"), MAX_MEMORY_BYTES);
        text.replacen(PRIORITY_LINE, priority.unwrap_or_default().trim_end(), 1)
    } else {
        text
    };
    let text = text.trim();
    let sentence =
        where_pointers_lead(text, broadcast).map_or(String::new(), |sentence| format!("\n\n{sentence}"));
    let question = question.map_or(String::new(), |question| format!("\n\n{question}"));
    let room = MAX_INJECTED_CHARS.saturating_sub(question.chars().count());
    (!text.is_empty()).then(|| format!("{}{sentence}{question}", cut(text, broadcast, room)))
}

/// What a `SessionStart` hook answers where the agent takes in the broadcast by itself: where its pointers lead, if it has
/// any, and what it is to ask.
pub fn pointers_answer(
    disk: &dyn Disk,
    call: &Call<'_>,
    broadcast: &Path,
    question: Option<&str>,
) -> Option<String> {
    let file = follow_link(disk, broadcast).ok();
    let text = file.and_then(|file| read_text(disk, &file, MAX_MEMORY_BYTES).ok()).unwrap_or_default();
    let sentences = [where_pointers_lead(&text, broadcast), question.map(str::to_owned)];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    if sentences.is_empty() {
        return None;
    }
    let text = sentences.join("\n\n");
    let answer = json!({"hookSpecificOutput": {"hookEventName": call.event, "additionalContext": text}});
    Some(format!("{answer}\n"))
}

/// One sentence that says where the dossiers are that a broadcast points to; nothing if it points to none.
fn where_pointers_lead(text: &str, broadcast: &Path) -> Option<String> {
    let folder = broadcast.parent()?.display();
    (text.contains("[[topic-") || text.contains("[[entity-")).then(|| {
        format!(
            "Where a rule of {} says [[topic-x]] or [[entity-x]], open {folder}/topics/x.md or {folder}/entities/x.md when that rule applies.",
            broadcast.display()
        )
    })
}

fn cut(text: &str, broadcast: &Path, max_chars: usize) -> String {
    if text.chars().count() <= max_chars {
        return text.to_owned();
    }
    let note = format!("\n(cut short; all of it is in {})", broadcast.display());
    let room = max_chars.saturating_sub(note.chars().count());
    let end = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
    let head = text.get(..end).unwrap_or_default();
    let whole_lines = head.rfind('\n').map_or(head, |at| head.get(..at).unwrap_or_default());
    format!("{whole_lines}{note}")
}
