//! Quotes without secrets.

use serde_json::Value;
use subcortex_guard::Redactor;
use subcortex_model::Event;

/// How far around a quote its text is looked at, in bytes: a secret is often known only by what stands before it.
const CONTEXT_BYTES: usize = 8 * 1024;
/// What a quote becomes that only its surroundings show to be secret.
const HIDDEN: &str = "[REDACTED]";
/// The longest quote.
const MAX_QUOTE_CHARS: usize = 400;

/// A quote from an event, without its secrets and not too long.
pub(crate) fn safe_quote(event: &Event, quote: &str) -> String {
    let redactor = Redactor::new();
    let alone = redactor.text(quote);
    let surroundings = event.payload.values().find_map(|value| surroundings(value, quote));
    let is_safe_there = surroundings.is_none_or(|text| redactor.text(text).contains(quote));
    if alone != quote {
        shortened(&alone)
    } else if is_safe_there {
        shortened(quote)
    } else {
        HIDDEN.to_owned()
    }
}

fn shortened(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(MAX_QUOTE_CHARS) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

/// The first text that holds the quote, cut to what is near it.
fn surroundings<'e>(value: &'e Value, quote: &str) -> Option<&'e str> {
    match value {
        Value::String(text) => {
            let at = text.find(quote)?;
            let start = text.floor_char_boundary(at.saturating_sub(CONTEXT_BYTES));
            let end = text.ceil_char_boundary((at + quote.len() + CONTEXT_BYTES).min(text.len()));
            text.get(start..end)
        }
        Value::Array(values) => values.iter().find_map(|value| surroundings(value, quote)),
        Value::Object(fields) => fields.values().find_map(|value| surroundings(value, quote)),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;
    use subcortex_model::{EventId, Source};

    use super::*;

    #[track_caller]
    fn check(text: &str, quote: &str, expect: &str) {
        let Value::Object(payload) = json!({"tool_name": "Bash", "input": {"command": text}}) else { return };
        let event = Event {
            id: EventId::from_log("s/u"),
            ts: Timestamp::UNIX_EPOCH,
            event_type: "agent.tool_use".into(),
            source: Source::of("claude"),
            session_key: None,
            turn: None,
            cwd: None,
            dedup: None,
            payload,
        };
        assert_eq!(safe_quote(&event, quote), expect, "{text}");
    }

    #[test]
    fn a_quote_without_a_secret_stays_verbatim() {
        check("git push origin main", "git push", "git push");
        check(" ä b ", " ä b ", "ä b");
    }

    #[test]
    fn a_secret_is_hidden_also_when_only_its_surroundings_tell() {
        check(
            "PASSWORD=hunter2-and-more ls",
            "PASSWORD=hunter2-and-more ls",
            "PASSWORD=[REDACTED:password] ls",
        );
        check("PASSWORD=hunter2-and-more ls", "hunter2-and-more ls", HIDDEN);
    }

    #[test]
    fn a_long_quote_is_cut() {
        let long = "word ".repeat(200);
        check(&long, &long, &format!("{}…", long[..MAX_QUOTE_CHARS].trim_end()));
    }
}
