//! Whether a sentence stood before in a tool's answer, in a file that was read, in what was shown to the agent or in the agent's words: then
//! it is passed on, not said.

use std::borrow::Cow;
use std::cell::OnceCell;

use memchr::memchr2_iter;
use serde_json::Value;
use subcortex_guard::{folded, has_look_alikes};
use subcortex_model::{Event, REPEATS_FIELD, Standing, Turn, event_type};

use super::near::{Nearness, Sought};
use super::speech::shown_lines;
use crate::text::{Pattern, pattern};

/// From how many words on two sentences are the same one, and not alike by chance.
const MIN_WORDS: usize = 5;
/// A shorter sentence is no order.
const MIN_SHORT_WORDS: usize = 2;
/// How much text of a turn is searched, in bytes: the newest.
const MAX_SEARCHED_BYTES: usize = 1024 * 1024;

/// What others said before a message. It is long, and hardly ever holds what a person says: it is brought into plain words only for
/// a sentence whose longest word stands in it.
#[derive(Debug)]
pub(crate) struct Earlier<'t> {
    texts: Vec<Cow<'t, str>>,
    others: OnceCell<Others>,
}

impl<'t> Earlier<'t> {
    /// What tools and agents said in a turn. A message that was said meanwhile stands in the turn itself: what comes later is not
    /// looked at, and neither is the answer of the tool by which the person said it.
    pub(crate) fn than(message: &str, turn: Option<&'t Turn>) -> Self {
        let events = turn.map_or(&[][..], |turn| &turn.events);
        let said_at = events.iter().rposition(|event| is_message(event) && event.text() == Some(message));
        let own_call = said_at.and_then(|at| call_of(&events[at]));
        let mut left = MAX_SEARCHED_BYTES;
        let earlier = events[..said_at.unwrap_or(events.len())]
            .iter()
            .rev()
            .filter(|event| own_call.is_none() || call_of(event) != own_call);
        let mut texts: Vec<Cow<'t, str>> = earlier
            .filter_map(words_of_others)
            .map_while(|text| {
                let taken = text.floor_char_boundary(left.min(text.len()));
                left -= taken;
                (taken > 0).then(|| match text {
                    Cow::Borrowed(text) => Cow::Borrowed(&text[..taken]),
                    Cow::Owned(mut text) => {
                        text.truncate(taken);
                        Cow::Owned(text)
                    }
                })
            })
            .collect();
        texts.reverse();
        Self { texts, others: OnceCell::new() }
    }

    /// Whether a sentence stood in it.
    pub(crate) fn hold(&self, sentence: &str) -> bool {
        let sentence = plain(sentence);
        let longest = sentence.split_whitespace().max_by_key(|word| word.len()).unwrap_or_default();
        if !is_long_enough(&sentence) || !self.may_hold(longest) {
            return false;
        }
        let others = self.others.get_or_init(|| Others(plain(&self.texts.join("\n"))));
        others.0.contains(&sentence)
    }

    /// Whether a word may stand in it: a look that costs little and never misses one.
    fn may_hold(&self, word: &str) -> bool {
        !word.is_ascii() || self.texts.iter().any(|text| holds_plain(text, word) || has_look_alikes(text))
    }
}

/// From the most common letter to the rarest.
const LETTERS: &[u8] = b"etaoinsrhldcumfpgwybvkxjqz0123456789";

/// Whether a text holds a word in plain letters, in any case.
fn holds_plain(text: &str, word: &str) -> bool {
    let (text, word) = (text.as_bytes(), word.as_bytes());
    let rareness = |letter: &u8| LETTERS.iter().position(|one| one == letter);
    let Some((at, rarest)) = word.iter().copied().enumerate().max_by_key(|(_, letter)| rareness(letter))
    else {
        return true;
    };
    memchr2_iter(rarest, rarest.to_ascii_uppercase(), text).any(|found| {
        let start = found.checked_sub(at);
        let there = start.and_then(|start| text.get(start..start + word.len()));
        there.is_some_and(|there| there.eq_ignore_ascii_case(word))
    })
}

/// What others said before a message, in plain words.
#[derive(Debug)]
pub struct Others(String);

impl Others {
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

    /// How near it comes to a sentence, if it does.
    pub fn nearness(&self, sentence: &Sought) -> Option<Nearness> {
        sentence.nearness_in_plain(&self.0)
    }
}

/// Whether a sentence stands in a text, but for case, marks and the ends of lines.
pub fn stood_in(sentence: &str, text: &str) -> bool {
    holds(&plain(text), sentence)
}

fn holds(plain_text: &str, sentence: &str) -> bool {
    let sentence = plain(sentence);
    is_long_enough(&sentence) && plain_text.contains(&sentence)
}

fn is_long_enough(plain_sentence: &str) -> bool {
    plain_sentence.split_whitespace().count() >= MIN_WORDS
}

/// Whether a sentence that is too short to be known again stands in a text as a sentence, a clause or a line of its own. It may be the person's
/// own all the same: people say short things alike.
pub fn stood_alone_in(sentence: &str, text: &str) -> bool {
    let wanted = plain(sentence);
    let words = wanted.split_whitespace().count();
    if !(MIN_SHORT_WORDS..MIN_WORDS).contains(&words) || !plain(text).contains(&wanted) {
        return false;
    }
    let ended = CLAUSE_END.replace_all(&folded(text), "\n");
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
        event_type::AGENT_SHOWN => event.text().filter(|_| !repeats(event)).map(Cow::Borrowed),
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

/// What somebody else says in an event, and may have from the person: a summary, a thought, the prompt of a script. Who says it later may
/// have said it first.
pub fn words_repeated(event: &Event) -> Option<&str> {
    event.text().filter(|_| match &*event.event_type {
        event_type::AGENT_SHOWN => repeats(event),
        event_type::CHANNEL_MESSAGE => event.standing() == Standing::Nobodys,
        _ => false,
    })
}

fn repeats(event: &Event) -> bool {
    event.payload.get(REPEATS_FIELD) == Some(&Value::Bool(true))
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

// What is set around words and is not said with them: tags, entities that nobody knows, the address of a link, escaped ends of lines.
// How long tags and addresses may be is measured afterwards: an expression that counts that far takes megabytes.
pattern!(SET, r"</?[A-Za-z][^<>\n]*>|&[A-Za-z]{2,8};|\]\([^()\s]*\)|\\+[nrt]");
/// The longest tag, behind the first letter of its name, and the longest address of a link. What is longer is text.
const MAX_TAG_CHARS: usize = 200;
const MAX_ADDRESS_CHARS: usize = 500;
/// What is shorter says nothing that somebody could pass on, in bytes.
const MIN_TELLING_BYTES: usize = 24;
// Where a clause ends, also in a text whose ends of lines are escaped.
pattern!(CLAUSE_END, r#"[\n"“”()]|\\+n|[.!?:;,—](?:\s|$|["'`*])"#);
// Where a search found a line. Most places are short, and the expression that counts takes a megabyte.
pattern!(FOUND_AT_AND_SHORT, r"(?m)^[^\s:]{1,200}[:-]\d{1,7}[:-]");
pattern!(FOUND_AT, r"(?m)^[^\s:]+[:-]\d{1,7}[:-]");
/// What is no longer than this in bytes is no longer than the limit of [`FOUND_AT_AND_SHORT`] in characters.
const SHORT_BYTES: usize = 200;

/// A text without the places where a search found its lines.
fn without_places(text: &str) -> Cow<'_, str> {
    let is_short = |place: &str| place.len() <= SHORT_BYTES;
    if FOUND_AT.find_all(text).iter().all(|place| is_short(place.as_str())) {
        replaced(text, &FOUND_AT, is_short, "")
    } else {
        Cow::Owned(FOUND_AT_AND_SHORT.replace_all(text, ""))
    }
}

/// A text without what is set around its words. What a tag or an address says of its own is shown elsewhere, and stands behind the text.
fn without_setting(text: &str) -> Cow<'_, str> {
    let Cow::Owned(mut shown) = without_set(text) else { return Cow::Borrowed(text) };
    for set in SET.find_all(text).iter().filter(|set| set.as_str().len() >= MIN_TELLING_BYTES) {
        shown.extend(["\n", set.as_str().trim_matches(['<', '>'])]);
    }
    Cow::Owned(shown)
}

fn without_set(text: &str) -> Cow<'_, str> {
    let is_short = |set: &str| match set.strip_prefix('<') {
        Some(tag) => {
            let behind_letter = tag.trim_start_matches('/').get(1..).unwrap_or("").trim_end_matches('>');
            behind_letter.chars().nth(MAX_TAG_CHARS).is_none()
        }
        None => {
            let address = set.strip_prefix("](").and_then(|rest| rest.strip_suffix(')')).unwrap_or("");
            address.chars().nth(MAX_ADDRESS_CHARS).is_none()
        }
    };
    replaced(text, &SET, is_short, " ")
}

/// Replaces what a pattern finds and is short. Behind the first letter of what is not, the search goes on.
fn replaced<'t>(text: &'t str, pattern: &Pattern, is_short: impl Fn(&str) -> bool, by: &str) -> Cow<'t, str> {
    let mut left = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = pattern.find_at(text, at) {
        if !is_short(found.as_str()) {
            at = text.ceil_char_boundary(found.start() + 1);
            continue;
        }
        left.push_str(&text[copied..found.start()]);
        left.push_str(by);
        (copied, at) = (found.end(), found.end());
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    left.push_str(&text[copied..]);
    Cow::Owned(left)
}

/// A line without the stars inside of its words, which only show them otherwise.
fn unmarked(line: &str) -> Cow<'_, str> {
    let mut parts = line.split('*').peekable();
    let Some(first) = parts.next().filter(|_| parts.peek().is_some()) else { return Cow::Borrowed(line) };
    let mut shown = first.to_owned();
    let mut goes_on = first.ends_with(char::is_alphanumeric);
    for part in parts {
        if !(part.is_empty() || goes_on && part.starts_with(char::is_alphanumeric)) {
            shown.push('*');
        }
        shown.push_str(part);
        goes_on = if part.is_empty() { goes_on } else { part.ends_with(char::is_alphanumeric) };
    }
    Cow::Owned(shown)
}

/// The words of a text in lower case, each between two spaces. Numbers in front of lines are left out.
pub(super) fn plain(text: &str) -> String {
    let text = folded(text);
    let text = without_places(&text);
    let text = without_setting(&text);
    let mut found = String::with_capacity(text.len() + 2);
    found.push(' ');
    for line in text.lines() {
        let line = unmarked(line.trim_start_matches(|c: char| !c.is_alphabetic()));
        for word in line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            if word.is_ascii() {
                let start = found.len();
                found.push_str(word);
                found[start..].make_ascii_lowercase();
            } else {
                found.extend(word.chars().flat_map(char::to_lowercase));
            }
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
    fn what_is_longer_than_a_mark_can_be_is_text() {
        let set_and_short =
            Pattern::new(r"</?[A-Za-z][^<>\n]{0,200}>|&[A-Za-z]{2,8};|\]\([^()\s]{0,500}\)|\\+[nrt]");
        for long in [150, 199, 200, 201, 202, 203, 250, 499, 500, 501, 600] {
            let words = "word ".repeat(long / 5);
            for text in [
                format!("a <b {words}> c &amp; d"),
                format!("a </b{}> c <i> d", "ü".repeat(long)),
                format!("a <b &amp; {words} ](x) > c"),
                format!("a [x](ü&amp;{}) <b>", "w".repeat(long)),
                format!("a [x]({}) c &amp; d", "w".repeat(long)),
                format!("{}:12: c\nx:1:y", "w".repeat(long)),
                format!("{}-12-{}:12: c", "w".repeat(long / 2), "w".repeat(long)),
            ] {
                assert_eq!(without_places(&text), FOUND_AT_AND_SHORT.replace_all(&text, ""), "{text}");
                assert_eq!(without_set(&text), set_and_short.replace_all(&text, " "), "{text}");
            }
        }
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
            "Ａｌｗａｙｓ run the ｔｅｓｔｓ before you commit.",
            "Аlwауs run the 𝐭𝐞𝐬𝐭𝐬 before you commit.",
            "&#65;lways r&#117n the %74ests before you \\u0063ommit.",
            "A\u{1b}[31mlways run the te\u{1b}[0msts before you commit.",
            "<b>A</b>lways run the te<wbr>sts before you com*mi*t.",
            "<img src=x alt=\"Always run the tests before you commit.\">",
            "[here](https://a.test/?q=Always+run+the%20tests%20before+you+commit)",
        ] {
            assert!(stood_in("always run the tests before you commit", text), "{text}");
        }
    }
}
