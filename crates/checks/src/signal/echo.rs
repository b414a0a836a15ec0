//! Whether a sentence stood before in a tool's answer, in a file that was read or in the agent's words: then it is passed on, not said.

use serde_json::Value;
use subcortex_model::{Event, Turn, event_type};

/// From how many words on two sentences are the same one, and not alike by chance.
const MIN_WORDS: usize = 5;
/// How much text of a turn is searched, in bytes: the newest.
const MAX_SEARCHED_BYTES: usize = 1024 * 1024;

/// What others said before a message, in plain words.
pub(crate) struct Others(String);

impl Others {
    /// What tools and agents said in a turn. A message that was said meanwhile stands in the turn itself: what comes later is not
    /// looked at, and neither is the answer of the tool by which the person said it.
    pub(crate) fn before(message: &str, turn: Option<&Turn>) -> Self {
        let events = turn.map_or(&[][..], |turn| &turn.events);
        let said_at = events.iter().rposition(|event| is_message(event) && event.text() == Some(message));
        let own_call = said_at.and_then(|at| call_of(&events[at]));
        let mut left = MAX_SEARCHED_BYTES;
        let earlier = events[..said_at.unwrap_or(events.len())]
            .iter()
            .rev()
            .filter(|event| own_call.is_none() || call_of(event) != own_call);
        let mut texts: Vec<&str> = earlier
            .filter_map(words_of_others)
            .map_while(|text| {
                let taken = text.floor_char_boundary(left.min(text.len()));
                left -= taken;
                (taken > 0).then_some(&text[..taken])
            })
            .collect();
        texts.reverse();
        Self(plain(&texts.join("\n")))
    }

    /// Whether a sentence stood in it.
    pub(crate) fn hold(&self, sentence: &str) -> bool {
        holds(&self.0, sentence)
    }
}

/// Whether a sentence stands in a text, but for case, marks and the ends of lines.
pub fn stood_in(sentence: &str, text: &str) -> bool {
    holds(&plain(text), sentence)
}

fn holds(plain_text: &str, sentence: &str) -> bool {
    let sentence = plain(sentence);
    sentence.split_whitespace().count() >= MIN_WORDS && plain_text.contains(&sentence)
}

/// What somebody else than the person says in an event: an agent, or a tool that was not refused by a person's words.
pub fn words_of_others(event: &Event) -> Option<&str> {
    let is_refused = event.payload.get("refused") == Some(&Value::Bool(true));
    let is_others = matches!(&*event.event_type, event_type::AGENT_RESULT | event_type::AGENT_TOOL_RESULT);
    event.text().filter(|_| is_others && !is_refused)
}

fn is_message(event: &Event) -> bool {
    event.event_type == event_type::CHANNEL_MESSAGE && !event.begins_turn()
}

fn call_of(event: &Event) -> Option<&str> {
    event.payload.get("tool_use_id")?.as_str()
}

/// The words of a text in lower case, each between two spaces. Numbers in front of lines are left out.
fn plain(text: &str) -> String {
    let mut found = String::with_capacity(text.len() + 2);
    found.push(' ');
    for line in text.lines() {
        let line = line.trim_start_matches(|c: char| !c.is_alphabetic());
        for word in line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            found.extend(word.chars().flat_map(char::to_lowercase));
            found.push(' ');
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_known_by_its_words() {
        let text = "  12→# Rules\n  13→Always run the\n  14→tests, before you `commit`.\n";
        assert!(stood_in("always run the tests before you commit", text));
        assert!(!stood_in("always run the tests before you push", text));
        assert!(!stood_in("run the tests", text), "too short to be known");
        assert!(!stood_in("ways run the tests before you commit", text), "words are whole");
    }
}
