//! What came before a prompt in its session, as far as it says whose the prompt is.
//!
//! Records of older versions say little of themselves. That a text was proposed, scheduled or brought by a tool stands in the records in
//! front of it then.

use std::collections::{BTreeSet, VecDeque};

use serde_json::Value;

use super::record::{Record, Sender};
use crate::transcript::raw;

/// How many texts of the agent and of the program are known again, each.
const MAX_KNOWN: usize = 256;
/// Tools whose answer only says that a text follows, in a person's place.
const EXPANDING_TOOLS: [&str; 2] = ["Skill", "SlashCommand"];
/// What a summary of the conversation so far hangs on.
const BOUNDARY: &str = "compact_boundary";
/// What a person started.
const COMMAND: &str = "local_command";

/// Whose a prompt is, as far as what came before it tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hint {
    /// Nothing speaks against a person.
    None,
    /// The program or the agent wrote it.
    Nobodys,
    /// The program proposed it.
    Suggested,
    /// A person may have typed it, and so may the program have put it there.
    Doubtful,
}

/// What is remembered of a session.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// What the agent wrote into calls as a prompt: for a clock, or for another agent.
    prompts: Known,
    /// What the program said or proposed in records of its own.
    suggestions: Known,
    /// The next prompt is a proposal that was accepted before it was shown to be one.
    is_accepted: bool,
    /// The record of the newest command of the program.
    command: Option<String>,
    /// The record that a summary hangs on.
    boundary: Option<String>,
    /// The calls of the agent's newest message that have no answer yet.
    unanswered: BTreeSet<String>,
    /// That message.
    message: Option<String>,
    /// A tool has said that a text follows.
    expands: bool,
}

impl Before {
    /// Whether a reader that has not seen the session from its beginning would judge prompts in the same way.
    pub(super) fn is_plain(&self) -> bool {
        self.prompts.0.is_empty()
            && self.suggestions.0.is_empty()
            && !self.is_accepted
            && self.command.is_none()
            && self.boundary.is_none()
            && self.unanswered.is_empty()
            && !self.expands
    }

    /// The agent wrote this into a call.
    pub(super) fn wrote(&mut self, input: &Value) {
        if let Some(prompt) = input.get("prompt").and_then(Value::as_str) {
            self.prompts.add(prompt);
        }
    }

    /// The agent waits for the answer of a call.
    pub(super) fn waits_for(&mut self, call: &str, message: &str) {
        if self.message.as_deref() != Some(message) {
            self.message = Some(message.to_owned());
            self.unanswered.clear();
        }
        self.unanswered.insert(call.to_owned());
    }

    /// The agent said something: whatever it waited for has come.
    pub(super) fn spoke(&mut self, message: &str) {
        self.expands = false;
        if self.message.as_deref() != Some(message) {
            self.unanswered.clear();
        }
    }

    /// A tool answered.
    pub(super) fn answered(&mut self, call: &str, tool: Option<&str>) {
        self.unanswered.remove(call);
        self.expands = tool.is_some_and(|tool| EXPANDING_TOOLS.contains(&tool));
    }

    /// A person stopped the agent: no answer is missing any more.
    pub(super) fn interrupted(&mut self) {
        self.unanswered.clear();
        self.expands = false;
    }

    /// Takes in a record of the program's own kind.
    pub(super) fn system(&mut self, record: &Record<'_>) {
        match raw::text(record.subtype).as_deref() {
            Some(BOUNDARY) => self.boundary = raw::filled(record.uuid).map(|uuid| uuid.into_owned()),
            // A command of a person has a record of this kind, too.
            Some(COMMAND) => {}
            Some(_) | None => raw::filled(record.content).iter().for_each(|text| self.suggestions.add(text)),
        }
    }

    /// A proposal was accepted, as a record of its own says.
    pub(super) fn accepted(&mut self) {
        self.is_accepted = true;
    }

    /// A person gave a command of the program.
    pub(super) fn began_command(&mut self, record: &Record<'_>) {
        self.command = raw::filled(record.uuid).map(|uuid| uuid.into_owned());
    }

    /// Whether the agent wrote this text, to be put in a person's place.
    pub(super) fn is_agents(&self, text: &str) -> bool {
        self.prompts.holds(text)
    }

    /// A record in a person's place that holds no words of anybody.
    pub(super) fn passed(&mut self) {
        self.expands = false;
    }

    /// What speaks against a person's having typed a record with this text. A field that names one speaks for it, but for a proposal.
    pub(super) fn hint(&mut self, record: &Record<'_>, text: &str) -> Hint {
        let expands = std::mem::take(&mut self.expands);
        let is_accepted = std::mem::take(&mut self.is_accepted);
        if is_accepted || self.suggestions.holds(text) {
            return Hint::Suggested;
        }
        if record.sender() == Sender::Person || record.prompt_source.is_some() {
            return Hint::None;
        }
        let parent = raw::filled(record.parent_uuid);
        let hangs_on = |known: &Option<String>| known.is_some() && parent.as_deref() == known.as_deref();
        // What a command was replaced by, a summary, the text that a tool announced, and what a clock sends.
        if expands || hangs_on(&self.command) || hangs_on(&self.boundary) || self.is_agents(text) {
            return Hint::Nobodys;
        }
        // A person's words wait in the queue then, unless the program was ended and began anew.
        if self.unanswered.is_empty() { Hint::None } else { Hint::Doubtful }
    }
}

/// Texts that are known again, but for their white space: the newest.
#[derive(Debug, Default)]
struct Known(VecDeque<blake3::Hash>);

impl Known {
    fn add(&mut self, text: &str) {
        let Some(hash) = hash(text).filter(|hash| !self.0.contains(hash)) else { return };
        self.0.push_back(hash);
        if self.0.len() > MAX_KNOWN {
            self.0.pop_front();
        }
    }

    fn holds(&self, text: &str) -> bool {
        !self.0.is_empty() && hash(text).is_some_and(|hash| self.0.contains(&hash))
    }
}

fn hash(text: &str) -> Option<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    let mut words = text.split_whitespace().peekable();
    words.peek()?;
    for word in words {
        hasher.update(word.as_bytes());
        hasher.update(b" ");
    }
    Some(hasher.finalize())
}
