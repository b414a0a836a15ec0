//! What the agent was shown besides the answers of its calls. Who passes it on later is not its author.

use subcortex_model::Draft;

use super::reader::{Codex, Outcome, owned};
use super::record::{EventMsg, Record, texts};
use crate::transcript::bound;
use crate::transcript::counts::skipped;
use crate::transcript::raw::{self, Raw};
use crate::transcript::shown;

/// How many outputs wait for the answer of their call at most.
const MAX_WAITING: usize = 64;

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

    /// What the agent says of its thoughts.
    pub(super) fn read_reasoning(
        &mut self,
        record: &Record<'_>,
        payload: Raw<'_>,
        summary: Raw<'_>,
        drafts: &mut Vec<Draft>,
    ) -> Outcome {
        let thoughts = texts(summary);
        if thoughts.is_empty() {
            return Err(skipped::BOOKKEEPING);
        }
        let mut common = self.common(record, payload, None)?;
        let draft = shown::draft(&mut common, thoughts.iter().map(String::as_str));
        drafts.push(draft.ok_or(skipped::BOOKKEEPING)?);
        Ok(())
    }
}
