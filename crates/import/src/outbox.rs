//! Drafts on their way to the spine: gathered into batches here, appended there.

use std::ops::ControlFlow;
use std::sync::mpsc::Receiver;

use jiff::Timestamp;
use serde_json::Value;
use subcortex_model::Draft;
use subcortex_spine::{AppendError, Appended, Durability, MAX_RECORD_BYTES, Spine};

/// A batch is handed over when it has this many drafts …
const BATCH_DRAFTS: usize = 2_000;
/// … or this many bytes of text, so that the batches on their way fit into little memory.
const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// A draft above this may be too large for the spine once it is written as JSON, where one byte can become six. It
/// is appended alone, because the spine takes a batch whole or not at all.
const ALONE_BYTES: usize = MAX_RECORD_BYTES / 8;
/// What a draft needs besides its texts, about.
const DRAFT_BYTES: usize = 256;

/// Gathers drafts into batches.
pub(crate) struct Batches<S> {
    send: S,
    batch: Vec<Draft>,
    batch_bytes: usize,
}

impl<S: FnMut(Vec<Draft>) -> ControlFlow<()>> Batches<S> {
    /// `send` takes each batch; [`ControlFlow::Break`] means that it takes no more.
    pub(crate) fn new(send: S) -> Self {
        Self { send, batch: Vec::new(), batch_bytes: 0 }
    }

    /// Takes all of `drafts`, in their order. [`ControlFlow::Break`] means that no more are taken.
    pub(crate) fn take(&mut self, drafts: &mut Vec<Draft>) -> ControlFlow<()> {
        for draft in drafts.drain(..) {
            let bytes = draft_bytes(&draft);
            if bytes > ALONE_BYTES {
                self.flush()?;
                (self.send)(vec![draft])?;
                continue;
            }
            self.batch.push(draft);
            self.batch_bytes += bytes;
            if self.batch.len() >= BATCH_DRAFTS || self.batch_bytes >= BATCH_BYTES {
                self.flush()?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Hands over what was gathered.
    pub(crate) fn flush(&mut self) -> ControlFlow<()> {
        if self.batch.is_empty() {
            return ControlFlow::Continue(());
        }
        self.batch_bytes = 0;
        let batch = std::mem::take(&mut self.batch);
        (self.send)(batch)
    }
}

fn draft_bytes(draft: &Draft) -> usize {
    let texts = [&draft.session_key, &draft.turn, &draft.cwd, &draft.source_id];
    let texts: usize = texts.into_iter().flatten().map(String::len).sum();
    let payload: usize = draft.payload.iter().map(|(key, value)| key.len() + value_bytes(value)).sum();
    DRAFT_BYTES + texts + payload
}

fn value_bytes(value: &Value) -> usize {
    let own = size_of::<Value>();
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => own,
        Value::String(text) => own + text.len(),
        Value::Array(values) => own + values.iter().map(value_bytes).sum::<usize>(),
        Value::Object(map) => {
            own + map.iter().map(|(key, value)| key.len() + value_bytes(value)).sum::<usize>()
        }
    }
}

/// What became of the drafts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) events: u64,
    pub(crate) duplicates: u64,
    pub(crate) refused: u64,
}

/// Appends batches until none comes any more.
pub(crate) struct Appender<'a> {
    spine: &'a mut Spine,
    clock: &'a (dyn Fn() -> Timestamp + Sync),
    tally: Tally,
}

impl<'a> Appender<'a> {
    pub(crate) fn new(spine: &'a mut Spine, clock: &'a (dyn Fn() -> Timestamp + Sync)) -> Self {
        Self { spine, clock, tally: Tally::default() }
    }

    /// Appends everything, then makes it durable.
    pub(crate) fn run(mut self, batches: Receiver<Vec<Draft>>) -> Result<Tally, AppendError> {
        for batch in batches {
            self.append(batch)?;
        }
        self.sync()?;
        self.checkpoint_index()?;
        Ok(self.tally)
    }

    /// What became of the drafts so far.
    pub(crate) fn tally(&self) -> Tally {
        self.tally
    }

    /// Makes durable what was appended.
    pub(crate) fn sync(&mut self) -> Result<(), AppendError> {
        self.spine.sync((self.clock)())
    }

    /// Makes the index durable too, so that a power cut does not cost a long catch-up.
    pub(crate) fn checkpoint_index(&mut self) -> Result<(), AppendError> {
        self.spine.checkpoint_index()
    }

    pub(crate) fn append(&mut self, batch: Vec<Draft>) -> Result<(), AppendError> {
        let is_alone = batch.len() == 1;
        match self.spine.append(batch, (self.clock)(), Durability::Written) {
            Ok(outcome) => {
                for one in outcome {
                    match one {
                        Appended::New(_) => self.tally.events += 1,
                        Appended::Duplicate => self.tally.duplicates += 1,
                    }
                }
                Ok(())
            }
            Err(AppendError::TooLarge { .. }) if is_alone => {
                self.tally.refused += 1;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}
