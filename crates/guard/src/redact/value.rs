//! Redaction of JSON values, where names and values need not be guessed.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::extent::JUDGED_MAX_BYTES;
use super::header;
use super::judge::{Candidate, Join};
use super::names::{Kind, PASSWORD, SecretName, is_short_for_password, read_name};
use super::operator::{Joined, Operator};
use super::redactor::Redactor;
use super::span::{Rank, Span, replaced};
use super::vocabulary::USER_WORDS;

/// Names that a key of an object may have; longer ones are data.
const KEY_MAX_BYTES: usize = 128;

/// The private members of a JSON web key.
const KEY_MEMBERS: &[&str] = &["d", "p", "q", "dp", "dq", "qi", "k"];

/// A value that is still to be looked at, and the name it stands under.
type Open<'a> = (&'a mut Value, Option<SecretName>);

/// Redacts a value. Nesting costs no stack.
pub(super) fn redact(redactor: Redactor, value: &mut Value) {
    let mut open: Vec<Open<'_>> = vec![(value, None)];
    while let Some((value, name)) = open.pop() {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
            Value::String(text) => redact_string(redactor, text, name),
            Value::Array(items) => open_array(items, name, &mut open),
            Value::Object(map) => open_map(redactor, map, name, &mut open),
        }
    }
}

/// Redacts the fields of an object.
pub(super) fn redact_map(redactor: Redactor, map: &mut Map<String, Value>) {
    let mut value = Value::Object(std::mem::take(map));
    redact(redactor, &mut value);
    if let Value::Object(clean) = value {
        *map = clean;
    }
}

/// Items stand under the name of their array; in the arguments of a command the value of a flag stands behind it.
fn open_array<'a>(items: &'a mut [Value], name: Option<SecretName>, open: &mut Vec<Open<'a>>) {
    let mut flag = None;
    for item in items {
        let text = item.as_str().unwrap_or_default();
        let is_flag = text.starts_with("--") || (text.starts_with('-') && text.len() == 2);
        let next_flag = flag_name(text);
        open.push((item, if is_flag { name } else { flag.or(name) }));
        flag = next_flag;
    }
}

/// `--password`
fn flag_name(text: &str) -> Option<SecretName> {
    let name = text.strip_prefix("--").or_else(|| text.strip_prefix('-'))?;
    let is_name = name.len() > 1
        && name.len() <= KEY_MAX_BYTES
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    is_name.then(|| read_name(name.as_bytes()))?
}

fn open_map<'a>(
    redactor: Redactor,
    map: &'a mut Map<String, Value>,
    name: Option<SecretName>,
    open: &mut Vec<Open<'a>>,
) {
    redact_keys(redactor, map);
    let named = named_elsewhere(map).or(name);
    let is_kubernetes = map.get("kind").and_then(Value::as_str) == Some("Secret");
    let has_user = map.keys().any(|key| USER_WORDS.any_in(&key.as_bytes().to_ascii_lowercase()));
    let is_web_key = map.get("kty").is_some_and(Value::is_string);
    for (key, value) in map.iter_mut() {
        let name = match key.as_str() {
            "value" | "Value" | "default" | "current" => named,
            member if is_web_key && KEY_MEMBERS.contains(&member) => {
                Some(SecretName { kind: Kind::Secret, rule: "json-web-key" })
            }
            key if has_user && is_short_for_password(key.as_bytes()) => Some(PASSWORD),
            key if key.len() <= KEY_MAX_BYTES => read_name(key.as_bytes()),
            _ => None,
        };
        if is_kubernetes && matches!(key.as_str(), "data" | "stringData") {
            open_kubernetes(value, open);
        } else {
            open.push((value, name));
        }
    }
}

/// The data of a Kubernetes secret is secret, whatever the names are.
fn open_kubernetes<'a>(data: &'a mut Value, open: &mut Vec<Open<'a>>) {
    let name = SecretName { kind: Kind::Secret, rule: "kubernetes-secret" };
    if let Value::Object(entries) = data {
        open.extend(entries.iter_mut().map(|(_, value)| (value, Some(name))));
    } else {
        open.push((data, None));
    }
}

/// `{"name": "DB_PASSWORD", "value": …}`: the name is a value itself.
fn named_elsewhere(map: &Map<String, Value>) -> Option<SecretName> {
    ["name", "key", "Name", "Key"].iter().find_map(|field| {
        let name = map.get(*field)?.as_str().filter(|name| name.len() <= KEY_MAX_BYTES)?;
        read_name(name.as_bytes())
    })
}

/// A secret may be a key as well. Two keys that become equal are kept apart.
fn redact_keys(redactor: Redactor, map: &mut Map<String, Value>) {
    if map.keys().all(|key| *redactor.text(key) == **key) {
        return;
    }
    // How often each was met, so that the next free number is not looked for from the beginning.
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (key, value) in std::mem::take(map) {
        let clean = redactor.text(&key).into_owned();
        let count = counts.entry(clean.clone()).or_insert(0);
        let unique = loop {
            *count += 1;
            let name = if *count == 1 { clean.clone() } else { format!("{clean} {count}") };
            if !map.contains_key(&name) {
                break name;
            }
        };
        map.insert(unique, value);
    }
}

fn redact_string(redactor: Redactor, text: &mut String, name: Option<SecretName>) {
    if let Some(span) = name.and_then(|name| named_span(text, name)) {
        // The form of the whole value, if it has one, says more than the name.
        let whole = redactor.text(text);
        let is_one_label = whole.starts_with("[REDACTED:") && whole.find(']') == Some(whole.len() - 1);
        *text = if is_one_label { whole.into_owned() } else { replaced(text, vec![span]) };
        return;
    }
    let spans = name.map(|name| placed_spans(text, name)).unwrap_or_default();
    if !spans.is_empty() {
        *text = replaced(text, spans);
    }
    if let std::borrow::Cow::Owned(clean) = redactor.text(text) {
        *text = clean;
    }
}

fn named_span(text: &str, name: SecretName) -> Option<Span> {
    let value = text.as_bytes();
    let judged = &value[..value.len().min(JUDGED_MAX_BYTES)];
    let candidate = Candidate { name, value: judged, join: Join::Json, is_quoted: true };
    candidate.is_secret().then_some(Span { start: 0, end: value.len(), rule: name.rule, rank: Rank::Named })
}

/// `Authorization` and `Cookie` keep what is no secret in them.
fn placed_spans(text: &str, name: SecretName) -> Vec<Span> {
    let mut spans = Vec::new();
    let joined = Joined { operator: Operator::Colon, value_at: 0, is_spaced: false, name_is_quoted: true };
    if matches!(name.kind, Kind::Authorization | Kind::Cookie) {
        header::find(text.as_bytes(), name.kind, joined, &mut spans);
    }
    spans
}
