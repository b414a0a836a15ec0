//! What an agent was shown in a person's place or beside a person's words. Who passes it on later is not its author.

use subcortex_model::Draft;

use super::human::SUMMARY_OPENING;
use super::message::{Block, kind_of};
use super::record::{Record, is_marked};
use crate::transcript::bound::{self, MAX_RESULT_BYTES};
use crate::transcript::counts::skipped;
use crate::transcript::draft::Common;
use crate::transcript::raw::Raw;
use crate::transcript::{raw, shown, unread_of_others};

/// Why a record is nobody's words, where it has words at all.
const TOLD: [&str; 4] = [skipped::META, skipped::OTHER_ORIGIN, skipped::SIDECHAIN_PROMPT, skipped::WRAPPER];

/// What the blocks of a content say that are no words of anybody at the prompt or at a tool: documents, search results, resources.
pub(super) fn of_blocks(content: Raw<'_>) -> Vec<String> {
    let is_others = |block: Raw<'_>| {
        let block: Block<'_> = raw::object(block);
        let is_text = kind_of(&block) == "text" && !is_marked(block.is_meta);
        !is_text && block.tool_use_id.is_none() && !kind_of(&block).ends_with("tool_result")
    };
    let blocks = raw::array(content).into_iter().map(Some).filter(|block| is_others(*block));
    blocks.flat_map(telling).collect()
}

/// The texts of a block, of whatever kind. A document that is not there as text may say anything.
pub(super) fn telling(block: Raw<'_>) -> Vec<String> {
    let value = raw::value(block);
    let says = |path: &str, word: &str| value.pointer(path).is_some_and(|field| field == word);
    let is_unread = says("/type", "document") && says("/source/type", "base64");
    let texts = shown::texts_of(&value).into_iter().filter(|text| shown::is_telling(text));
    texts.map(str::to_owned).chain(is_unread.then(unread_of_others)).collect()
}

/// What stands in a record beside the words that were typed: a selection, a reminder, a document, and what the record itself says was pasted.
pub(super) fn beside(
    record: &Record<'_>,
    blocks: &[String],
    documents: &[String],
    words: &str,
) -> Option<String> {
    let pasted = raw::value(record.pasted_contents);
    let rest = shown::around(words, &blocks.join("\n"));
    let documents = documents.iter().map(String::as_str);
    let texts: Vec<&str> =
        rest.as_deref().into_iter().chain(shown::texts_of(&pasted)).chain(documents).collect();
    (!texts.is_empty()).then(|| bound::others(texts.join("\n"), MAX_RESULT_BYTES))
}

/// Tells of a record in a person's place that is nobody's words, for this reason.
pub(super) fn told(
    record: &Record<'_>,
    reason: &str,
    blocks: &[String],
    beside: &[String],
    common: &mut Common,
) -> Option<Draft> {
    let text = blocks.join("\n");
    if record.may_repeat() || text.trim_start().starts_with(SUMMARY_OPENING) {
        return shown::repeated(common, [&*text].into_iter().chain(beside.iter().map(String::as_str)));
    }
    let text = Some(text).filter(|_| TOLD.contains(&reason));
    let told: Vec<String> = text.into_iter().chain(beside.iter().cloned()).collect();
    documents(record, &told, common)
}

/// Tells of documents that no words stand beside.
pub(super) fn documents(record: &Record<'_>, documents: &[String], common: &mut Common) -> Option<Draft> {
    let texts = documents.iter().map(String::as_str);
    if record.may_repeat() { shown::repeated(common, texts) } else { shown::draft(common, texts) }
}
