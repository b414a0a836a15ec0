//! Words that a person types while the agent works.
//!
//! They enter a queue (`enqueue`) and leave it in one of three ways:
//!
//! | step | what became of the words | where else they stand |
//! |---|---|---|
//! | `remove` | handed to the agent in the middle of its work | nowhere, or in an `attachment` of newer versions |
//! | `dequeue` | became the next prompt | in a `user` record |
//! | `popAll` | taken back into the input line to be changed | in the next prompt, changed |
//!
//! A step may or may not name the words it moves, and background tasks use the same queue. So words are held
//! until the agent speaks again: a record with the same words is the better report and takes their place;
//! otherwise they are handed out under the name of their `enqueue` record. Nothing is reported twice.
//!
//! No step says who queued the words, and the program queues texts of its own (what a clock sends, what another agent says). So words
//! that no other record brought are a person's only as far as a text tells ([`Via::QueuedText`]), and what the agent itself wrote is
//! nobody's.

use std::collections::VecDeque;

use subcortex_model::{Draft, Via, event_type};

use super::human::{self, Voice};
use super::message;
use super::reader::Session;
use super::record::{Record, Sender};
use super::user::text_blocks;
use crate::transcript::bound::{self, MAX_MESSAGE_BYTES};
use crate::transcript::counts::skipped;
use crate::transcript::draft::{Common, Payload};
use crate::transcript::raw;

/// How many handed-out words are remembered to recognise a late second report.
const MAX_REMEMBERED: usize = 32;

/// What has become of queued words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Removed,
    Dequeued,
}

#[derive(Debug)]
enum Slot {
    /// A person's words.
    Words {
        draft: Box<Draft>,
        text: String,
        state: State,
        /// The record itself names a person.
        is_vouched: bool,
    },
    /// A background task or a command: holds a place, says nothing.
    Other,
}

/// How the queue knows the words that a record brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    /// Not at all.
    New,
    /// They were held, and now the record reports them.
    FromQueue,
    /// They were handed out before.
    Repeated,
}

/// The queue of one session.
#[derive(Debug, Default)]
pub(super) struct Queue {
    slots: VecDeque<Slot>,
    /// Words that were handed out without another record, and whether a prompt may still repeat them.
    handed_out: VecDeque<(String, State)>,
}

/// Reads a step of the queue.
pub(super) fn read(
    record: &Record<'_>,
    common: &mut Common,
    session: &mut Session,
    _drafts: &mut Vec<Draft>,
) -> Result<(), &'static str> {
    let text = text_blocks(record.content).join("\n");
    let is_vouched = record.sender() == Sender::Person;
    let is_programs = session.is_programs || !is_vouched && session.before.is_agents(&text);
    let queue = &mut session.queue;
    match raw::text(record.operation).as_deref() {
        Some("enqueue") => return Err(queue.enqueue(record, is_programs, common, &text)),
        Some("remove") => queue.leave(&text, State::Removed),
        Some("dequeue") => queue.leave(&text, State::Dequeued),
        Some("popAll") => queue.take_back(&text),
        Some(_) | None => {}
    }
    Err(skipped::QUEUE)
}

impl Queue {
    /// Whether no words are held.
    pub(super) fn is_empty(&self) -> bool {
        !self.slots.iter().any(|slot| matches!(slot, Slot::Words { .. }))
    }

    /// Takes in what was queued; says why it gives no draft now.
    fn enqueue(
        &mut self,
        record: &Record<'_>,
        is_programs: bool,
        common: &mut Common,
        text: &str,
    ) -> &'static str {
        let is_vouched = record.sender() == Sender::Person;
        let is_persons = !is_programs && is_persons(record) && message::is_a_persons(record.content);
        let (slot, reason) = match human::judge_text(text, is_vouched) {
            Voice::Words { text: words, .. } if is_persons && is_message(&words) => {
                let via = if is_vouched || record.says_typed() { Via::Queued } else { Via::QueuedText };
                let payload = queued_payload(&words, via);
                let draft = Box::new(common.draft(event_type::CHANNEL_MESSAGE, payload));
                let words = Slot::Words { draft, text: normal(text), state: State::Waiting, is_vouched };
                (words, skipped::QUEUE)
            }
            Voice::Nobody(_) => (Slot::Other, skipped::OTHER_ORIGIN),
            Voice::Words { .. } | Voice::Command { .. } | Voice::Interruption { .. } if is_persons => {
                (Slot::Other, skipped::QUEUE)
            }
            Voice::Words { .. } | Voice::Command { .. } | Voice::Interruption { .. } => {
                (Slot::Other, skipped::OTHER_ORIGIN)
            }
        };
        self.slots.push_back(slot);
        reason
    }

    /// The session turns out to be a program's. Places are kept for the steps that are still to come.
    pub(super) fn disown(&mut self) {
        self.slots.retain_mut(|slot| match slot {
            Slot::Words { is_vouched: false, state: State::Waiting, .. } => {
                *slot = Slot::Other;
                true
            }
            Slot::Words { is_vouched, .. } => *is_vouched,
            Slot::Other => true,
        });
    }

    /// Moves one slot on: the one with these words, or the oldest if the step names none.
    fn leave(&mut self, text: &str, into: State) {
        let named = normal(text);
        let is_next = |slot: &Slot| match slot {
            Slot::Words { state: State::Waiting, text, .. } => named.is_empty() || *text == named,
            Slot::Words { .. } => false,
            Slot::Other => named.is_empty(),
        };
        let Some(at) = self.slots.iter().position(is_next).or_else(|| self.first_other()) else { return };
        match &mut self.slots[at] {
            Slot::Words { state, .. } => *state = into,
            Slot::Other => drop(self.slots.remove(at)),
        }
    }

    fn first_other(&self) -> Option<usize> {
        self.slots.iter().position(|slot| matches!(slot, Slot::Other))
    }

    /// The person took the words back: they are not said yet.
    fn take_back(&mut self, text: &str) {
        let named = normal(text);
        self.slots.retain(|slot| match slot {
            Slot::Words { state: State::Waiting, text, .. } => {
                !named.is_empty() && !named.contains(text.as_str())
            }
            Slot::Words { .. } => true,
            Slot::Other => !named.is_empty(),
        });
    }

    /// An attachment brings these words, so the queue does not have to.
    pub(super) fn arrived_in_attachment(&mut self, text: &str) -> Arrival {
        let text = normal(text);
        let is_same = |slot: &Slot| matches!(slot, Slot::Words { text: queued, .. } if *queued == text);
        match self.slots.iter().position(is_same) {
            Some(at) if matches!(self.slots[at], Slot::Words { state: State::Waiting, .. }) => {
                // The step of the queue comes after the attachment and should find a slot to take out.
                self.slots[at] = Slot::Other;
                Arrival::FromQueue
            }
            Some(at) => {
                self.slots.remove(at);
                Arrival::FromQueue
            }
            None if self.was_handed_out(|known, _| *known == text) => Arrival::Repeated,
            None => Arrival::New,
        }
    }

    /// A prompt brings these words, whoever sent it, so the queue does not have to.
    pub(super) fn arrived_as_prompt(&mut self, text: &str) -> Arrival {
        if self.slots.is_empty() && self.handed_out.is_empty() {
            return Arrival::New;
        }
        let text = normal(text);
        let held_before = self.slots.len();
        self.slots.retain(|slot| match slot {
            // Several queued messages may become one prompt.
            Slot::Words { text: queued, state: State::Dequeued, .. } => !text.contains(queued.as_str()),
            Slot::Words { text: queued, .. } => *queued != text,
            Slot::Other => true,
        });
        if self.slots.len() < held_before {
            Arrival::FromQueue
        } else if self.was_handed_out(|known, state| state == State::Dequeued && *known == text) {
            Arrival::Repeated
        } else {
            Arrival::New
        }
    }

    fn was_handed_out(&mut self, is_it: impl Fn(&String, State) -> bool) -> bool {
        let at = self.handed_out.iter().position(|(known, state)| is_it(known, *state));
        at.and_then(|at| self.handed_out.remove(at)).is_some()
    }

    /// The agent goes on: words that left the queue and came in no record are handed out now.
    pub(super) fn settle(&mut self, drafts: &mut Vec<Draft>) {
        if self.is_empty() {
            return;
        }
        self.hand_out(drafts, |state| state != State::Waiting);
    }

    /// Nothing more will come: hands out whatever is held.
    pub(super) fn finish(&mut self, drafts: &mut Vec<Draft>) {
        self.hand_out(drafts, |_| true);
    }

    fn hand_out(&mut self, drafts: &mut Vec<Draft>, is_due: impl Fn(State) -> bool) {
        for slot in std::mem::take(&mut self.slots) {
            match slot {
                Slot::Words { draft, text, state, .. } if is_due(state) => {
                    drafts.push(*draft);
                    self.handed_out.push_back((text, state));
                    if self.handed_out.len() > MAX_REMEMBERED {
                        self.handed_out.pop_front();
                    }
                }
                slot @ (Slot::Words { .. } | Slot::Other) => self.slots.push_back(slot),
            }
        }
    }
}

/// Whether a person may have queued something, as far as the record's own fields say.
pub(super) fn is_persons(record: &Record<'_>) -> bool {
    record.sender() != Sender::Other
        && !record.is_programs()
        && !record.is_scheduled()
        && !record.is_tools()
        && !record.is_subagents()
        && record.is_typed()
}

/// The payload of words that were typed while the agent worked.
pub(super) fn queued_payload(words: &str, via: Via) -> Payload {
    Payload::new().with("text", bound::text(words, MAX_MESSAGE_BYTES)).via(via)
}

/// Whether queued words are a message. Background tasks queue JSON, and commands have records of their own.
pub(super) fn is_message(words: &str) -> bool {
    let is_json = words.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(words).is_ok();
    !is_json && !human::is_slash_command(words)
}

/// Records of the same words differ in their white space.
fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
