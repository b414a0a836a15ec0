//! What an agent was shown besides the answers of its tools, as an event of its own.

use serde_json::Value;
use subcortex_model::{Draft, REPEATS_FIELD, event_type};

use super::bound::{self, MAX_RESULT_BYTES};
use super::draft::{Common, Payload};

/// A single word is no order.
const MIN_WORDS: usize = 2;

/// The event that tells what the agent was shown; none if nothing of it would be known again.
pub(crate) fn draft<'t>(common: &mut Common, texts: impl IntoIterator<Item = &'t str>) -> Option<Draft> {
    let text = texts.into_iter().filter(|text| is_telling(text)).collect::<Vec<_>>().join("\n");
    if text.is_empty() {
        return None;
    }
    let payload = Payload::new().with("text", bound::others(text, MAX_RESULT_BYTES));
    Some(common.aside(event_type::AGENT_SHOWN, payload))
}

/// The event that tells what may be an order in texts that may repeat a person's words, too: a summary, a thought.
pub(crate) fn repeated<'t>(common: &mut Common, texts: impl IntoIterator<Item = &'t str>) -> Option<Draft> {
    let text: String = texts.into_iter().map(bound::orders).collect();
    if !is_telling(&text) {
        return None;
    }
    let payload = Payload::new().with("text", text).with_flag(REPEATS_FIELD, true);
    Some(common.aside(event_type::AGENT_SHOWN, payload))
}

/// Whether a text has enough words to be known again. What is encoded has none.
pub(crate) fn is_telling(text: &str) -> bool {
    text.split_whitespace().nth(MIN_WORDS - 1).is_some()
}

/// What stands around the words in a text. Words that were put together from several places cannot be taken out again, and must not be
/// taken for somebody else's: then it is nothing.
pub(crate) fn around(words: &str, whole: &str) -> Option<String> {
    let (front, behind) = whole.split_once(words)?;
    let rest = format!("{front}\n{behind}");
    (!rest.trim().is_empty()).then_some(rest)
}

/// All texts of a value. It has been read before, with a limit on its depth.
pub(crate) fn texts_of(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(values) => values.iter().flat_map(texts_of).collect(),
        Value::Object(fields) => fields.values().flat_map(texts_of).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}
