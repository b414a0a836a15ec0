//! How a message reached an agent, and with that whose words it holds.
//!
//! Whoever writes a `channel.message` says it in the payload's `via`, from what the record's own fields say (who refused,
//! what was typed), never from how a text looks. Everybody else decides by [`Via::standing`] alone.

use serde_json::{Map, Value};

/// The way of a message. In the log it is the payload's `via`, see [`Via::word`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Via {
    /// Typed by a person at the prompt; has no word in the log.
    Prompt,
    /// A note that a person told the agent to keep.
    Memory,
    /// A prompt through the interface for programs: a script, or a person behind another program.
    Sdk,
    /// A prompt that the agent program proposed, and that a person sent as it was.
    Suggested,
    /// Typed by a person while the agent worked, and given to it there.
    Queued,
    /// What left the queue of the agent program without a record that names its author: the program puts texts of its own there, too.
    QueuedText,
    /// A prompt in a record that names no sender, as older versions write them: a person at a terminal, or whoever called the program.
    Unsigned,
    /// A prompt where the program may have put a text of its own, with no field that says which of it was typed.
    PromptText,
    /// Typed by a person who refused a tool call, in a field of its own.
    Refusal,
    /// A refusal's reason that stands in the answer of the refused call only: the text alone says that a person typed it.
    RefusalText,
    /// Added by a person who allowed a tool call.
    Approval,
    /// A person's own words in answer to a question of the agent.
    Answer,
    /// What a person picked of what the agent had offered: their choice, in the agent's words.
    Picked,
    /// A way that this version does not know, or one that earlier versions told from how a text looked.
    Unknown,
}

/// What may become of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// A person's own words: they may enter the memory.
    Words,
    /// A person's words, as far as their place tells: they count where lines are judged, and bring one in only if a person agrees.
    Unsigned,
    /// A person's words, as far as a text tells: they may be proposed to a person, and never enter by themselves.
    Hearsay,
    /// Not a person's words: nothing is heard in them.
    Nobodys,
}

impl Standing {
    /// Whether it counts as a person's where lines are judged.
    pub fn is_a_persons(self) -> bool {
        match self {
            Self::Words | Self::Unsigned => true,
            Self::Hearsay | Self::Nobodys => false,
        }
    }
}

impl Via {
    /// Every way.
    pub const ALL: [Self; 14] = [
        Self::Prompt,
        Self::Memory,
        Self::Sdk,
        Self::Suggested,
        Self::Queued,
        Self::QueuedText,
        Self::Unsigned,
        Self::PromptText,
        Self::Refusal,
        Self::RefusalText,
        Self::Approval,
        Self::Answer,
        Self::Picked,
        Self::Unknown,
    ];

    /// The field of a payload that holds the word.
    pub const FIELD: &str = "via";

    /// The word in the log. `refusal`, `approval` and `answer` are taken: earlier versions wrote them for whatever looked
    /// like one, so they are read as [`Via::Unknown`].
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Prompt => None,
            Self::Memory => Some("memory"),
            Self::Sdk => Some("sdk"),
            Self::Suggested => Some("suggested"),
            Self::Queued => Some("queued"),
            Self::QueuedText => Some("queued_text"),
            Self::Unsigned => Some("unsigned"),
            Self::PromptText => Some("prompt_text"),
            Self::Refusal => Some("typed_refusal"),
            Self::RefusalText => Some("refusal_text"),
            Self::Approval => Some("typed_approval"),
            Self::Answer => Some("typed_answer"),
            Self::Picked => Some("picked"),
            Self::Unknown => Some("unknown"),
        }
    }

    /// The way of a message with this payload.
    pub fn of(payload: &Map<String, Value>) -> Self {
        Self::of_field(payload.get(Self::FIELD))
    }

    /// The way that a payload's field says. Without a field the message was typed.
    pub fn of_field(field: Option<&Value>) -> Self {
        let Some(field) = field else { return Self::Prompt };
        let word = field.as_str();
        Self::ALL.into_iter().find(|via| word.is_some() && via.word() == word).unwrap_or(Self::Unknown)
    }

    /// What may become of the message.
    pub fn standing(self) -> Standing {
        match self {
            Self::Prompt | Self::Memory | Self::Queued | Self::Refusal | Self::Approval | Self::Answer => {
                Standing::Words
            }
            Self::Unsigned => Standing::Unsigned,
            Self::QueuedText | Self::PromptText | Self::RefusalText => Standing::Hearsay,
            Self::Sdk | Self::Suggested | Self::Picked | Self::Unknown => Standing::Nobodys,
        }
    }

    /// The same way where nobody can say when or where the message was said: then it is asked about at most.
    #[must_use]
    pub fn doubted(self) -> Self {
        match self {
            Self::Prompt | Self::Memory | Self::Unsigned => Self::PromptText,
            Self::Queued | Self::Approval | Self::Answer => Self::QueuedText,
            Self::Refusal => Self::RefusalText,
            Self::QueuedText
            | Self::PromptText
            | Self::RefusalText
            | Self::Sdk
            | Self::Suggested
            | Self::Picked
            | Self::Unknown => self,
        }
    }

    /// Whether a turn begins with the message. What is said while the agent works belongs to the turn that goes on.
    pub fn begins_turn(self) -> bool {
        match self {
            Self::Prompt | Self::Unsigned | Self::PromptText | Self::Memory | Self::Sdk | Self::Suggested => {
                true
            }
            Self::Queued
            | Self::QueuedText
            | Self::Refusal
            | Self::RefusalText
            | Self::Approval
            | Self::Answer
            | Self::Picked
            | Self::Unknown => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_is_read_as_it_is_written() {
        for via in Via::ALL {
            assert_eq!(Via::of_field(via.word().map(Value::from).as_ref()), via);
        }
    }

    #[test]
    fn what_is_doubted_never_enters_and_begins_a_turn_as_before() {
        for via in Via::ALL {
            assert_ne!(via.doubted().standing(), Standing::Words, "{via:?}");
            assert_eq!(via.doubted().begins_turn(), via.begins_turn(), "{via:?}");
            let is_heard = |via: Via| via.standing() != Standing::Nobodys;
            assert_eq!(is_heard(via.doubted()), is_heard(via), "{via:?}");
        }
    }

    #[test]
    fn what_earlier_versions_told_from_looks_is_nobodys_and_begins_no_turn() {
        for word in ["refusal", "answer", "approval", "queue", "prompt", "", "Queued"] {
            let via = Via::of_field(Some(&word.into()));
            assert_eq!(
                (via, via.standing(), via.begins_turn()),
                (Via::Unknown, Standing::Nobodys, false),
                "{word}"
            );
        }
        for odd in [Value::Null, 7.into(), true.into(), Value::Array(Vec::new())] {
            assert_eq!(Via::of_field(Some(&odd)), Via::Unknown, "{odd}");
        }
    }
}
