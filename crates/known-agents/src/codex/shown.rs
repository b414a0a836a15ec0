//! What the agent was shown besides the answers of its calls. Who passes it on later is not its author.

use serde_json::Value;
use subcortex_model::{Draft, event_type};

use super::reader::{Codex, Outcome, owned};
use super::record::{EventMsg, Record, texts};
use crate::transcript::bound::{self, MAX_RESULT_BYTES};
use crate::transcript::counts::skipped;
use crate::transcript::draft::{Common, Payload, all_texts};
use crate::transcript::raw::{self, Raw};

/// How many outputs wait for the answer of their call at most.
const MAX_WAITING: usize = 64;

/// The event that tells what the agent was shown.
pub(super) fn draft(common: &mut Common, text: &str) -> Draft {
    common.aside(event_type::AGENT_SHOWN, Payload::new().with("text", bound::text(text, MAX_RESULT_BYTES)))
}

/// What stands in a message beside the words that were typed.
pub(super) fn beside(whole: &str, words: &str) -> Option<String> {
    let (front, behind) = whole.split_once(words)?;
    let rest = format!("{front}\n{behind}");
    (!rest.trim().is_empty()).then(|| bound::text(&rest, MAX_RESULT_BYTES))
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
    ) -> Outcome {
        let output = raw::filled(event.aggregated_output).or_else(|| raw::filled(event.stdout));
        let mut found: Vec<String> = output.into_iter().map(|text| text.into_owned()).collect();
        all_texts(&raw::value(event.result), &mut found);
        let text = found.join("\n");
        if text.trim().is_empty() {
            return Err(skipped::BOOKKEEPING);
        }
        let mut common = self.common(record, payload, None)?;
        let draft = draft(&mut common, &text);
        if self.outputs.len() >= MAX_WAITING {
            self.tell_outputs(drafts);
        }
        self.outputs.push((owned(event.call_id).unwrap_or_default(), draft));
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

    /// What the agent says of its thoughts.
    pub(super) fn read_reasoning(
        &mut self,
        record: &Record<'_>,
        payload: Raw<'_>,
        summary: Raw<'_>,
        drafts: &mut Vec<Draft>,
    ) -> Outcome {
        let text = texts(summary).join("\n");
        if text.trim().is_empty() {
            return Err(skipped::BOOKKEEPING);
        }
        let mut common = self.common(record, payload, None)?;
        drafts.push(draft(&mut common, &text));
        Ok(())
    }
}

/// The project's instructions, where the first line of a file holds them.
pub(super) fn instructions(field: Raw<'_>) -> Option<String> {
    match raw::value(field) {
        Value::String(text) => Some(text).filter(|text| !text.trim().is_empty()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
