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
    if let Some(path) = end_of_path(quote, &texts) {
        return path;
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

/// As much of the end of a path as stands in one of the texts, with the slashes of either kind of system: two files of one name are two.
fn end_of_path(path: &str, texts: &[&str]) -> Option<String> {
    let stands = |end: &String| !end.is_empty() && texts.iter().any(|text| text.contains(end.as_str()));
    let starts = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1));
    let mut ends =
        starts.filter_map(|start| path.get(start..)).flat_map(|end| [end.to_owned(), end.replace('/', "\\")]);
    ends.find(stands)
}

fn strings<'e>(value: &'e Value, into: &mut Vec<&'e str>) {
    match value {
        Value::String(text) => into.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, into)),
        Value::Object(fields) => fields.values().for_each(|item| strings(item, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_as_far_as_it_stands_there() {
        let texts = ["edit D:\\repo\\skills\\a\\SKILL.md", "/home/x/src/a.rs"];
        assert_eq!(end_of_path("skills/a/SKILL.md", &texts).as_deref(), Some("skills\\a\\SKILL.md"));
        assert_eq!(end_of_path("repo/src/a.rs", &texts).as_deref(), Some("src/a.rs"));
        assert_eq!(end_of_path("a.rs", &texts).as_deref(), Some("a.rs"));
        assert_eq!(end_of_path("lib/b.rs", &texts), None);
    }
}
