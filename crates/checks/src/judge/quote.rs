//! Makes sure that a quote stands verbatim in its event.

use serde_json::Value;
use subcortex_model::Event;

/// The quote if it stands in a text of the event's payload, else the nearest part of the event that does.
pub(crate) fn verbatim(event: &Event, quote: &str) -> String {
    let mut texts = Vec::new();
    for value in event.payload.values() {
        strings(value, &mut texts);
    }
    if !quote.is_empty() && texts.iter().any(|text| text.contains(quote)) {
        return quote.to_owned();
    }
    let name = quote.rsplit('/').next().unwrap_or(quote);
    if !name.is_empty() && texts.iter().any(|text| text.contains(name)) {
        return name.to_owned();
    }
    let line = quote
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && texts.iter().any(|text| text.contains(line)));
    line.map(str::to_owned)
        .or_else(|| {
            texts
                .iter()
                .find(|text| !text.trim().is_empty())
                .map(|text| crate::text::excerpt(text, 120).to_owned())
        })
        .unwrap_or_default()
}

fn strings<'e>(value: &'e Value, into: &mut Vec<&'e str>) {
    match value {
        Value::String(text) => into.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, into)),
        Value::Object(fields) => fields.values().for_each(|item| strings(item, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
