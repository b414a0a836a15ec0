//! What tools and agents said last in a session, so that a person who passes it on is not taken for its author.

use std::collections::VecDeque;

use subcortex_checks::{Others as Words, words_of_others};
use subcortex_model::{Event, Turn, event_type};

/// How much of it is kept for a session, in bytes.
const MAX_KEPT_BYTES: usize = 256 * 1024;

/// The last words of others in a session, oldest first.
#[derive(Debug, Default)]
pub(super) struct Others {
    texts: VecDeque<Said>,
    bytes: usize,
}

#[derive(Debug)]
struct Said {
    /// The tool call that it is the answer of.
    answers: Option<String>,
    words: Words,
}

impl Others {
    pub(super) fn of(turn: &Turn) -> Self {
        let mut others = Self::default();
        turn.events.iter().for_each(|event| others.add(event));
        others
    }

    /// How much is kept.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes in what an event says that is no person's.
    pub(super) fn add(&mut self, event: &Event) {
        let Some(text) = words_of_others(event) else { return };
        let words = Words::said(&text[..text.floor_char_boundary(MAX_KEPT_BYTES)]);
        self.bytes += words.bytes();
        let answers = call_of(event).filter(|_| event.event_type == event_type::AGENT_TOOL_RESULT);
        self.texts.push_back(Said { answers, words });
        while self.bytes > MAX_KEPT_BYTES {
            let Some(oldest) = self.texts.pop_front() else { break };
            self.bytes -= oldest.words.bytes();
        }
    }

    /// Whether words of a message stood in it before. A person's words in the answer of a tool are their own, and what the agent wrote into
    /// the call is the agent's.
    pub(super) fn said(&self, words: &str, message: &Event) -> bool {
        let own = call_of(message);
        let others = self.texts.iter().filter(|said| own.is_none() || said.answers != own);
        others.into_iter().any(|said| said.words.hold(words))
    }
}

fn call_of(event: &Event) -> Option<String> {
    event.payload.get("tool_use_id")?.as_str().map(str::to_owned)
}
