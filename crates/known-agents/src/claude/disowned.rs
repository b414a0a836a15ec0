//! Prompts that a hook has told of already, and whose records say more.
//!
//! A hook tells of a prompt before its record is written, and knows less of it. The record's own report has the same name, so it is a
//! duplicate: what the record knows better needs an event of its own.

use subcortex_model::{DISOWNED_PROMPT_FIELD, Draft, Standing, Via, event_type};

use super::human::{self, Voice};
use crate::transcript::bound::MAX_RESULT_BYTES;
use crate::transcript::counts::skipped;
use crate::transcript::draft::{Common, Payload};

/// Why a record is nobody's, where only its fields and what came before it say so: a hook does not know.
const UNKNOWN_TO_HOOKS: [&str; 3] = [skipped::META, skipped::OTHER_ORIGIN, skipped::SIDECHAIN_PROMPT];

/// The event that says by which way a prompt really came, if no person typed it. `is_copy` is whether the file has told it by this record before,
/// with other fields. What is longer than this never enters a memory by itself.
pub(super) fn mark(voice: &Voice, blocks: &[String], is_copy: bool, common: &mut Common) -> Option<Draft> {
    let (words, via) = match voice {
        Voice::Words { text, via } if common.is_strange => (text.clone(), via.doubted()),
        Voice::Words { text, via } => (text.clone(), *via),
        Voice::Nobody(reason) if UNKNOWN_TO_HOOKS.contains(reason) => (said(blocks)?, Via::Unknown),
        Voice::Command { .. } | Voice::Interruption { .. } | Voice::Nobody(_) => return None,
    };
    let is_told = via.standing() != Standing::Words && !common.is_live && words.len() <= MAX_RESULT_BYTES;
    let own = Some(common.source_id.clone()).filter(|_| is_copy);
    let prompt = own.or(common.turn.as_ref().map(|prompt| common.name_of(prompt))).filter(|_| is_told)?;
    let payload = Payload::new().with(DISOWNED_PROMPT_FIELD, prompt).with("text", words).via(via);
    let mut draft = common.aside(event_type::PROMPT_DISOWNED, payload);
    draft.source_id = Some(format!("{}#disowned", common.source_id));
    common.asides -= 1; // it has a name of its own
    Some(draft)
}

/// The words that a hook would have taken for a person's.
fn said(blocks: &[String]) -> Option<String> {
    match human::judge_text(&blocks.join("\n"), /*is_vouched*/ false) {
        Voice::Words { text, .. } => Some(text),
        Voice::Command { .. } | Voice::Interruption { .. } | Voice::Nobody(_) => None,
    }
}
