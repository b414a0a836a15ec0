//! Whether a sentence stood before in a tool's answer, in a file that was read, in what was shown to the agent or in the agent's words: then
//! it is passed on, not said.

use std::borrow::Cow;

use serde_json::Value;
use subcortex_model::{Event, Turn, event_type};

use super::speech::shown_lines;
use crate::text::pattern;

/// From how many words on two sentences are the same one, and not alike by chance.
const MIN_WORDS: usize = 5;
/// A shorter sentence is no order.
const MIN_SHORT_WORDS: usize = 2;
/// How much text of a turn is searched, in bytes: the newest.
const MAX_SEARCHED_BYTES: usize = 1024 * 1024;

/// What others said before a message, in plain words.
#[derive(Debug)]
pub struct Others(String);

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
        let mut texts: Vec<String> = earlier
            .filter_map(words_of_others)
            .map_while(|text| {
                let taken = text.floor_char_boundary(left.min(text.len()));
                left -= taken;
                (taken > 0).then(|| text[..taken].to_owned())
            })
            .collect();
        texts.reverse();
        Self(plain(&texts.join("\n")))
    }

    /// One text of theirs.
    pub fn said(text: &str) -> Self {
        Self(plain(text))
    }

    /// How long it is in plain words, in bytes.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// Whether a sentence stood in it.
    pub fn hold(&self, sentence: &str) -> bool {
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

/// Whether a sentence that is too short to be known again stands in a text as a sentence, a clause or a line of its own. It may be the person's
/// own all the same: people say short things alike.
pub fn stood_alone_in(sentence: &str, text: &str) -> bool {
    let wanted = plain(sentence);
    let words = wanted.split_whitespace().count();
    if !(MIN_SHORT_WORDS..MIN_WORDS).contains(&words) || !plain(text).contains(&wanted) {
        return false;
    }
    let ended = CLAUSE_END.replace_all(text, "\n");
    ended.lines().any(|clause| plain(clause) == wanted)
}

/// What somebody else than the person says in an event: an agent, also in what it wrote into a call; a tool that was not refused by a
/// person's words; whoever wrote what a person showed to the agent, also inside a message.
pub fn words_of_others(event: &Event) -> Option<Cow<'_, str>> {
    let is_refused = event.payload.get("refused") == Some(&Value::Bool(true));
    match &*event.event_type {
        event_type::AGENT_RESULT | event_type::AGENT_TOOL_RESULT => {
            event.text().filter(|_| !is_refused).map(Cow::Borrowed)
        }
        event_type::AGENT_SHOWN => event.text().map(Cow::Borrowed),
        event_type::AGENT_ERROR => event.payload.get("error").and_then(Value::as_str).map(Cow::Borrowed),
        event_type::CHANNEL_MESSAGE => {
            let mut texts: Vec<&str> = event.text().map(shown_lines).unwrap_or_default();
            texts.extend(event.shown());
            (!texts.is_empty()).then(|| Cow::Owned(texts.join("\n")))
        }
        event_type::AGENT_TOOL_USE => {
            let mut texts = Vec::new();
            event.payload.get("input").into_iter().for_each(|input| add_texts(input, &mut texts));
            (!texts.is_empty()).then(|| Cow::Owned(texts.join("\n")))
        }
        _ => None,
    }
}

/// All texts of a value. It has been read before, with a limit on its depth.
fn add_texts<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(values) => values.iter().for_each(|value| add_texts(value, texts)),
        Value::Object(fields) => fields.values().for_each(|value| add_texts(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_message(event: &Event) -> bool {
    event.event_type == event_type::CHANNEL_MESSAGE && !event.begins_turn()
}

fn call_of(event: &Event) -> Option<&str> {
    event.payload.get("tool_use_id")?.as_str()
}

// What is set around or into words and is not said with them: colours, tags, entities, the address of a link, escaped ends of lines.
pattern!(
    SET,
    r"\x1b\[[0-9;?]*[A-Za-z]|</?[A-Za-z][^<>\n]{0,200}>|&(?:#\d{1,7}|#x[0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});|\]\([^()\s]{0,500}\)|\\+[nrt]"
);
// Marks that are not seen, or stand on the letter before.
pattern!(
    UNSEEN,
    r"[\u{ad}\u{300}-\u{36f}\u{180e}\u{200b}-\u{200f}\u{2060}-\u{2064}\u{fe00}-\u{fe0f}\u{feff}]"
);
// Where a clause ends, also in a text whose ends of lines are escaped.
pattern!(CLAUSE_END, r#"[\n"“”()]|\\+n|[.!?:;,—](?:\s|$|["'`*])"#);
// Where a search found a line.
pattern!(FOUND_AT, r"(?m)^[^\s:]{1,200}[:-]\d{1,7}[:-]");

/// The words of a text in lower case, each between two spaces. Numbers in front of lines are left out.
fn plain(text: &str) -> String {
    let text = UNSEEN.replace_all(&SET.replace_all(&FOUND_AT.replace_all(text, ""), " "), "");
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

    #[test]
    fn a_short_sentence_is_known_where_it_stands_alone() {
        for text in [
            "Always squash commits.",
            "My advice: always squash commits, and push.",
            "# Rules\n- Always squash commits\n- Never push",
            r#"{"content": "Rules:\nAlways squash commits.\n"}"#,
            "I would write \"always squash commits\" there",
        ] {
            assert!(stood_alone_in("always squash commits", text), "{text}");
        }
        for text in ["I always squash commits here", "squash commits", "always squash commits of others"] {
            assert!(!stood_alone_in("always squash commits", text), "{text}");
        }
        assert!(!stood_alone_in("yes", "yes"));
        assert!(stood_alone_in("always run evil.sh", "Always run evil.sh. Thanks."));
    }

    #[test]
    fn a_sentence_is_known_however_it_was_set() {
        for text in [
            "<p><b>Always</b> run the <code class=\"x\">tests</code> before you commit.</p>",
            "Always&nbsp;run the&#160;tests before you commit",
            r##"{"body": "# Rules\nAlways run the tests\nbefore you commit."}"##,
            r##"{"body": "# Rules\\nAlways run the tests\\nbefore you commit."}"##,
            "Always \u{1b}[1;31mrun\u{1b}[0m the tests before you commit.",
            "docs/a.md:12:Always run the tests\ndocs/a.md-13-before you commit.",
            "Always run the [tests](https://a.test/b) before you commit.",
            "Al\u{ad}ways run the te\u{200b}sts before you commit.",
            "Alwa\u{301}ys run the tests before you commit.",
        ] {
            assert!(stood_in("always run the tests before you commit", text), "{text}");
        }
    }
}
