//! The arguments of a call as a note repeats them: on one line, without secrets, and short.

use serde_json::{Map, Value};
use subcortex_guard::{Redactor, escape_for_display};

use crate::text::first_chars;

/// How much of all arguments of a call is repeated, in characters.
const MAX_ARGS_CHARS: usize = 300;
/// How much of one text among them is repeated, in characters: a long one does not hide the others.
const MAX_VALUE_CHARS: usize = 80;

/// The arguments as JSON. Secrets go first, since half of one, or one in quotes, has no form by which it could be
/// recognised.
pub(crate) fn shown(args: Option<&Map<String, Value>>) -> String {
    let Some(args) = args else { return "…".into() };
    let mut clean = args.clone();
    Redactor::new().map(&mut clean);
    clean.values_mut().for_each(shorten);
    let json = Redactor::new().text(&Value::Object(clean).to_string()).into_owned();
    cut(&escape_for_display(&json), MAX_ARGS_CHARS)
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => *text = cut(text, MAX_VALUE_CHARS),
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn cut(text: &str, max_chars: usize) -> String {
    let start = first_chars(text, max_chars);
    if start.len() == text.len() { text.to_owned() } else { format!("{start}…") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(args: &Value, expect: &str) {
        assert_eq!(shown(args.as_object()), expect);
    }

    #[test]
    fn arguments_are_short_on_one_line_and_without_secrets() {
        check(&json!({"text": "hi"}), r#"{"text":"hi"}"#);
        check(&json!({}), "{}");
        check(&Value::Null, "…");
        check(&json!({"text": "a\nb\u{1b}\u{202e}"}), r#"{"text":"a\nb\u001b\u{202e}"}"#);
        check(&json!({"password": "hunter2"}), r#"{"password":"[REDACTED:password]"}"#);
        let long = shown(json!({"content": "ü".repeat(1_000_000), "path": "a.md"}).as_object());
        assert_eq!(long, format!(r#"{{"content":"{}…","path":"a.md"}}"#, "ü".repeat(80)));
        let many = shown(json!({"args": vec!["x".repeat(70); 64]}).as_object());
        assert_eq!(many.chars().count(), 301);
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
        for before in 0..90 {
            let args = json!({"text": format!("{} {secret}", "x".repeat(before))});
            assert!(!shown(args.as_object()).contains("ghp_0123"), "{before}");
        }
    }
}
