//! The JSON object that was asked for, in whatever a model wrote around it.

use serde_json::{Map, Value};

/// The longest answer that is looked through, in bytes.
pub const MAX_ANSWER_BYTES: usize = 1024 * 1024;
/// How many opening braces are tried, so that an answer of nothing but braces is soon given up.
const MAX_BRACES: usize = 1_000;

/// The answer as an object: the whole text if it is one, else the first `{…}` in it that is. Of several the first
/// counts. `None` when there is none, or the text is longer than [`MAX_ANSWER_BYTES`].
pub fn first_object(text: &str) -> Option<Map<String, Value>> {
    if text.len() > MAX_ANSWER_BYTES {
        return None;
    }
    if let Ok(Value::Object(object)) = serde_json::from_str(text.trim()) {
        return Some(object);
    }
    let starts = text.match_indices('{').take(MAX_BRACES);
    starts
        .map(|(start, _)| serde_json::Deserializer::from_str(&text[start..]))
        .find_map(|reader| reader.into_iter::<Map<String, Value>>().next().and_then(Result::ok))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Option<Value>) {
        assert_eq!(first_object(text).map(Value::Object), expect, "{text:?}");
    }

    #[test]
    fn an_object_is_found_alone_in_prose_and_in_a_fence() {
        let object = || Some(json!({"tool": "echo", "args": {"text": "}{"}}));
        check(r#"{"tool": "echo", "args": {"text": "}{"}}"#, object());
        check(
            "Sure! Here it is:\n```json\n{\"tool\": \"echo\", \"args\": {\"text\": \"}{\"}}\n```\nDone.",
            object(),
        );
        check(
            r#"I use {braces} like {this: one}. {"tool": "echo", "args": {"text": "}{"}} and {"tool": "done"}"#,
            object(),
        );
    }

    #[test]
    fn what_is_no_object_is_none() {
        for text in ["", "done", "[1, 2]", "42", "{", "{\"tool\": ", "}{", "{{{{", "null"] {
            check(text, None);
        }
    }

    #[test]
    fn a_long_or_deep_answer_costs_no_time_and_no_stack() {
        check(&"{".repeat(500_000), None);
        check(&"{\"a\":".repeat(150_000), None);
        check(&format!("{{\"a\": \"{}\"}}", "x".repeat(MAX_ANSWER_BYTES)), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_fail(text in ".{0,200}") {
            first_object(&text);
        }

        #[test]
        fn an_object_behind_any_words_is_found(words in "[^{}\"]{0,80}") {
            let text = format!("{words}{{\"tool\": \"done\"}}");
            prop_assert_eq!(first_object(&text).map(Value::Object), Some(json!({"tool": "done"})));
        }
    }
}
