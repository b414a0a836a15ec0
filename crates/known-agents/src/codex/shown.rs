//! What the agent was shown besides the answers of its calls. Who passes it on later is not its author.

use subcortex_model::Draft;

use super::reader::{Codex, DraftResult, owned};
use super::record::{EventMsg, Record};
use crate::transcript::bound;
use crate::transcript::counts::skipped;
use crate::transcript::raw::{self, Raw};
use crate::transcript::shown;

/// How many outputs wait for the answer of their call at most.
const MAX_WAITING: usize = 64;
/// How many texts are remembered, so that what two records say is told once.
const MAX_REMEMBERED: usize = 256;

/// Events in which all words are the agent's, another agent's, a tool's or the program's. Others are not looked at: a goal, a thread's name
/// or the hint of a review may be what a person typed.
const OTHERS_EVENTS: [&str; 29] = [
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "apply_patch_approval_request",
    "background_event",
    "collab_agent_interaction_begin",
    "collab_agent_interaction_end",
    "collab_agent_spawn_begin",
    "collab_agent_spawn_end",
    "collab_close_end",
    "collab_resume_end",
    "collab_waiting_end",
    "deprecation_notice",
    "dynamic_tool_call_request",
    "dynamic_tool_call_response",
    "elicitation_request",
    "exec_approval_request",
    "exited_review_mode",
    "guardian_assessment",
    "guardian_warning",
    "hook_completed",
    "image_generation_end",
    "patch_apply_end",
    "plan_update",
    "request_user_input",
    "stream_error",
    "sub_agent_activity",
    "turn_diff",
    "warning",
    "web_search_end",
];
/// The ends of turns, which repeat what the agent said last.
const ENDS: [&str; 2] = ["task_complete", "turn_complete"];
/// Completed items that a person may have typed into, or that say nothing.
const PERSONS_ITEMS: [&str; 4] = ["UserMessage", "user_message", "EnteredReviewMode", "ContextCompaction"];

/// Whether an event of this kind is told as others' words.
pub(super) fn is_others(kind: &[u8]) -> bool {
    OTHERS_EVENTS.iter().chain(&ENDS).any(|known| known.as_bytes() == kind)
}

/// Whether a completed item of this kind is.
pub(super) fn is_others_item(kind: &str) -> bool {
    !kind.is_empty() && !PERSONS_ITEMS.contains(&kind)
}

impl Codex {
    /// What a command or a server put out, as an event says. The answer of the call says it again in most files, and then it waits
    /// for nothing.
    pub(super) fn read_ended(
        &mut self,
        record: &Record<'_>,
        payload: Raw<'_>,
        event: &EventMsg<'_>,
        drafts: &mut Vec<Draft>,
    ) -> DraftResult {
        let output = raw::filled(event.aggregated_output).or_else(|| raw::filled(event.stdout));
        let result = raw::value(event.result);
        let mut common = self.common(record, payload, None)?;
        let call = owned(event.call_id).unwrap_or_default();
        let asked = self.open_calls.get(&call).and_then(|open| open.asked);
        let texts = output.as_deref().into_iter().chain(shown::texts_of(&result));
        let texts: Vec<String> = texts.map(|text| bound::answer(text, asked)).collect();
        let draft =
            shown::draft(&mut common, texts.iter().map(String::as_str)).ok_or(skipped::BOOKKEEPING)?;
        if self.outputs.len() >= MAX_WAITING {
            self.tell_outputs(drafts);
        }
        self.outputs.push((call, draft));
        Err(skipped::REPEATED)
    }

    /// The answer of a call came, and says all that an event may have said before.
    pub(super) fn drop_output(&mut self, call_id: &str) {
        self.outputs.retain(|(of, _)| of != call_id);
    }

    /// Nobody repeated these.
    pub(super) fn tell_outputs(&mut self, drafts: &mut Vec<Draft>) {
        drafts.extend(self.outputs.drain(..).map(|(_, draft)| draft));
    }

    /// What others say in a record, whatever its fields are; nothing that was told before.
    pub(super) fn tell_others(
        &mut self,
        record: &Record<'_>,
        payload: Raw<'_>,
        drafts: &mut Vec<Draft>,
    ) -> DraftResult {
        let value = raw::value(payload);
        let texts = shown::texts_of(&value).into_iter().filter(|text| shown::is_telling(text));
        let new: Vec<&str> = texts.filter(|text| self.is_new(text)).collect();
        let mut common = self.common(record, payload, None)?;
        drafts.push(shown::draft(&mut common, new).ok_or(skipped::BOOKKEEPING)?);
        Ok(())
    }

    /// A summary of the conversation so far, with what it keeps of it: a person's words are among it.
    pub(super) fn tell_summary(
        &mut self,
        record: &Record<'_>,
        payload: Raw<'_>,
        drafts: &mut Vec<Draft>,
    ) -> DraftResult {
        let value = raw::value(payload);
        let mut common = self.common(record, payload, None)?;
        drafts.push(shown::repeated(&mut common, shown::texts_of(&value)).ok_or(skipped::BOOKKEEPING)?);
        Ok(())
    }

    /// Whether a text has not been told yet. From here on it has.
    pub(super) fn is_new(&mut self, text: &str) -> bool {
        let hash = blake3::hash(text.trim().as_bytes());
        if self.told.contains(&hash) {
            return false;
        }
        self.told.push_back(hash);
        if self.told.len() > MAX_REMEMBERED {
            self.told.pop_front();
        }
        true
    }
}
