//! What an agent was shown in a person's place or beside a person's words. Who passes it on later is not its author.

use subcortex_model::Draft;

use super::human::SUMMARY_OPENING;
use super::record::Record;
use crate::transcript::bound::{self, MAX_RESULT_BYTES};
use crate::transcript::counts::skipped;
use crate::transcript::draft::Common;
use crate::transcript::{raw, shown};

/// What stands in a record beside the words that were typed: a selection, a reminder, and what the record itself says was pasted.
pub(super) fn beside(record: &Record<'_>, blocks: &[String], words: &str) -> Option<String> {
    let pasted = raw::value(record.pasted_contents);
    let rest = shown::around(words, &blocks.join("\n"));
    let texts: Vec<&str> = rest.as_deref().into_iter().chain(shown::texts_of(&pasted)).collect();
    (!texts.is_empty()).then(|| bound::text(&texts.join("\n"), MAX_RESULT_BYTES))
}

/// Tells of a record in a person's place that is nobody's words, for this reason.
pub(super) fn told(
    record: &Record<'_>,
    reason: &str,
    blocks: &[String],
    common: &mut Common,
) -> Option<Draft> {
    let is_text = [skipped::META, skipped::OTHER_ORIGIN, skipped::WRAPPER].contains(&reason);
    let text = blocks.join("\n");
    // A summary and what is shown again repeat what a person said, too.
    let may_repeat = record.may_repeat() || text.trim_start().starts_with(SUMMARY_OPENING);
    if !is_text || may_repeat || record.is_subagents() {
        return None;
    }
    shown::draft(common, [text.as_str()])
}
