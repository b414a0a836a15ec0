//! What an agent was shown in a person's place or beside a person's words. Who passes it on later is not its author.

use subcortex_model::{Draft, event_type};

use super::record::Record;
use crate::transcript::bound::{self, MAX_RESULT_BYTES};
use crate::transcript::draft::{Common, Payload, all_texts};
use crate::transcript::raw;

/// What stands in a record beside the words that were typed: a selection, a reminder, and what the record itself says was pasted.
pub(super) fn beside(record: &Record<'_>, blocks: &[String], words: &str) -> Option<String> {
    let whole = blocks.join("\n");
    // Words that were put together from several places cannot be taken out again, and must not be taken for somebody else's.
    let rest = whole.split_once(words).map(|(front, behind)| format!("{front}\n{behind}"));
    let mut texts: Vec<String> = rest.into_iter().filter(|rest| !rest.trim().is_empty()).collect();
    if record.pasted_contents.is_some() {
        all_texts(&raw::value(record.pasted_contents), &mut texts);
    }
    (!texts.is_empty()).then(|| bound::text(&texts.join("\n"), MAX_RESULT_BYTES))
}

/// Tells of a record in a person's place that is nobody's words.
pub(super) fn told(record: &Record<'_>, blocks: &[String], common: &mut Common, drafts: &mut Vec<Draft>) {
    // A summary and what is shown again repeat what a person said, too.
    if record.is_subagents() || record.may_repeat() {
        return;
    }
    let text = blocks.join("\n");
    if !text.trim().is_empty() {
        drafts.push(draft(common, &text));
    }
}

/// The event that tells what an agent was shown.
pub(super) fn draft(common: &mut Common, text: &str) -> Draft {
    common.aside(event_type::AGENT_SHOWN, Payload::new().with("text", bound::text(text, MAX_RESULT_BYTES)))
}
