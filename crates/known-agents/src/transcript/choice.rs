//! An answer to a question of the agent, taken apart: what was picked of the offer, and what the person typed.

use serde_json::Value;

/// What stands between several picked options.
pub(crate) const SEPARATOR: &str = ", ";
/// From how many words on a text that the agent offered is recognised inside what was typed.
const MIN_ECHOED_WORDS: usize = 3;
/// The text of an option that is picked.
const LABEL: &str = "label";

/// The two parts of an answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    pub picked: Option<String>,
    pub typed: Option<String>,
}

/// What the agent offered in a question.
#[derive(Debug, Default)]
pub(crate) struct Offered<'a> {
    labels: Vec<&'a str>,
    others: Vec<&'a str>,
}

/// What can be picked in a question, and everything that the agent `wrote` there, in whatever field and however deep.
pub(crate) fn offered<'a>(asked: &'a Value, wrote: &[&'a Value]) -> Offered<'a> {
    let options = asked.get("options").and_then(Value::as_array);
    let mut offered = Offered::default();
    for option in options.into_iter().flatten() {
        // Some versions have the options as plain texts.
        let others = option.as_object().into_iter().flatten().map(|(_, text)| text);
        let texts = option.get(LABEL).into_iter().chain([option]).chain(others).filter_map(Value::as_str);
        offered.labels.extend(texts.map(str::trim).find(|text| !text.is_empty()));
    }
    // The longest first: a label may begin with another one, or hold the separator.
    offered.labels.sort_by_key(|label| std::cmp::Reverse(label.len()));
    wrote.iter().chain(&[asked]).for_each(|value| add_texts(value, &mut offered.others));
    offered
}

fn add_texts<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(values) => values.iter().for_each(|value| add_texts(value, texts)),
        Value::Object(fields) => fields.values().for_each(|value| add_texts(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Takes an answer apart. Typed is what is left when no label is left in front; if it repeats what the agent wrote, it is
/// the agent's wording all the same.
pub(crate) fn split(answer: &str, offered: &Offered<'_>) -> Choice {
    let answer = answer.trim();
    let mut rest = answer;
    while let Some(behind) = offered.labels.iter().find_map(|label| behind_label(rest, label)) {
        rest = behind;
    }
    let picked = answer[..answer.len() - rest.len()].trim_end_matches(SEPARATOR).trim();
    if !rest.is_empty() && offered.is_echoed_in(rest) {
        return Choice { picked: Some(answer.to_owned()), typed: None };
    }
    let part = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Choice { picked: part(picked), typed: part(rest) }
}

fn behind_label<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(label)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(SEPARATOR) }
}

impl Offered<'_> {
    /// Whether what was typed repeats a text of the agent's, or is a part of one.
    fn is_echoed_in(&self, typed: &str) -> bool {
        let typed = plain(typed);
        if typed.is_empty() {
            return false;
        }
        let mut texts = self.labels.iter().chain(&self.others);
        texts.any(|text| {
            let text = plain(text);
            let is_long = text.split(' ').count() >= MIN_ECHOED_WORDS;
            holds(&text, &typed) || is_long && holds(&typed, &text)
        })
    }
}

/// Whether these words stand in a text, one after the other. Both are plain.
fn holds(text: &str, words: &str) -> bool {
    format!(" {text} ").contains(&format!(" {words} "))
}

/// Letters and digits in lower case, the rest as single spaces.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(answer: &str, picked: Option<&str>, typed: Option<&str>) {
        let asked = json!({"question": "How to install?", "options": [
            {"label": "npm", "description": "the registry, as it is"},
            {"label": "npm, always from the mirror"},
            {"label": "pnpm", "preview": "pnpm add x"},
        ]});
        let found = split(answer, &offered(&asked, &[]));
        assert_eq!((found.picked.as_deref(), found.typed.as_deref()), (picked, typed), "{answer}");
    }

    #[test]
    fn labels_with_the_separator_in_them_are_labels() {
        check("npm, always from the mirror", Some("npm, always from the mirror"), None);
        check("npm, always from the mirror, pnpm", Some("npm, always from the mirror, pnpm"), None);
        check("npm, pnpm", Some("npm, pnpm"), None);
    }

    #[test]
    fn what_is_left_is_typed() {
        check("npm, but never on main", Some("npm"), Some("but never on main"));
        check("use yarn", None, Some("use yarn"));
        check("npmx", None, Some("npmx"));
        check("", None, None);
    }

    #[test]
    fn what_repeats_the_agents_words_is_not_typed() {
        check("yes: NPM, always from the mirror!", Some("yes: NPM, always from the mirror!"), None);
        check("the registry, as it is", Some("the registry, as it is"), None);
        check("always from the mirror", Some("always from the mirror"), None);
        check("The registry.", Some("The registry."), None);
        check("How to install? yarn", Some("How to install? yarn"), None);
    }
}
