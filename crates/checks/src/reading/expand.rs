//! Checks as the data write them: `@python` for the paths of a language, `role: test` for the commands of a role, `{slot}` for what a
//! line says there.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::language::{Check, Condition};
use crate::text::pattern;

use super::words::words;

/// What the slots of an entry stand for in one line.
pub(crate) type Slots = BTreeMap<String, String>;

/// The conditions that one written condition stands for; none when it cannot be understood.
pub(crate) fn conditions(written: &Value) -> Vec<Condition> {
    each(written).into_iter().filter_map(|one| serde_json::from_value(one).ok()).collect()
}

// `server/[domain].ts`, `packages/{package}/`, `docs/<topic>.md`, `plans/feature_name.md`: what stands for any name.
pattern!(
    OPEN_NAME,
    r"(?:^|/)\[[A-Za-z][\w -]*\]|\{[A-Za-z][\w -]*\}|<[A-Za-z][\w -]*>|\b(?:feature|your|my|component|module|plugin|file|page|package)[-_]name\b|\byour[-_][a-z]+\b"
);

/// A check of which the paths that a line names stand open where they hold a placeholder.
pub(crate) fn with_open_names(written: &Value) -> Value {
    match written {
        Value::Array(list) => Value::Array(list.iter().map(with_open_names).collect()),
        Value::Object(map) => {
            let open = |(key, value): (&String, &Value)| {
                let are_paths = matches!(key.as_str(), "paths" | "except" | "files" | "not_files");
                (key.clone(), if are_paths { opened(value) } else { with_open_names(value) })
            };
            Value::Object(map.iter().map(open).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => written.clone(),
    }
}

fn opened(paths: &Value) -> Value {
    match paths {
        Value::Array(list) => Value::Array(list.iter().map(opened).collect()),
        Value::String(path) => {
            let mut open = String::new();
            let mut rest = path.as_str();
            while let Some(found) = OPEN_NAME.find(rest) {
                open.push_str(rest.get(..found.start()).unwrap_or(""));
                open.push_str(if found.as_str().starts_with('/') { "/*" } else { "*" });
                rest = rest.get(found.end()..).unwrap_or("");
            }
            open.push_str(rest);
            Value::String(open)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => paths.clone(),
    }
}

/// A check with its names, roles and slots filled in.
pub(crate) fn check(written: &Value, slots: &Slots) -> Result<Check, String> {
    let filled = fill(written, slots);
    let Value::Object(mut map) = filled else { return Err("a check is a mapping".into()) };
    for key in ["trigger", "maybe", "near", "forbid", "unless"] {
        if let Some(Value::Array(list)) = map.get(key) {
            let expanded = list.iter().flat_map(each).collect();
            map.insert(key.to_owned(), Value::Array(expanded));
        }
    }
    if let Some(Value::Array(list)) = map.get("expect") {
        let expanded = list.iter().map(expectation).collect();
        map.insert("expect".to_owned(), Value::Array(expanded));
    }
    Check::from_json(Value::Object(map)).map_err(|error| error.to_string())
}

/// `- ran: …` is short for `- any: [ran: …]`.
fn expectation(written: &Value) -> Value {
    let Some(any) = written.get("any").and_then(Value::as_array) else {
        return json!({ "any": each(written) });
    };
    let mut whole = written.clone();
    if let Some(map) = whole.as_object_mut() {
        map.insert("any".into(), Value::Array(any.iter().flat_map(each).collect()));
    }
    whole
}

/// One written condition as those of the language: a group of commands becomes any of them.
fn each(written: &Value) -> Vec<Value> {
    let plain = paths_named(written);
    let Some(role) = plain.get("ran").and_then(|ran| ran.get("role")).and_then(Value::as_str) else {
        return vec![plain];
    };
    let rest: Map<String, Value> = plain
        .get("ran")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter(|(key, _)| *key != "role")
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let Some(commands) = words().programs.get(role) else { return vec![plain] };
    let one = |command: &String| {
        let mut ran = rest.clone();
        ran.insert("command".into(), json!(command));
        json!({ "ran": ran })
    };
    vec![json!({ "any": commands.iter().map(one).collect::<Vec<_>>() })]
}

/// `@name` among paths becomes the paths of that name.
fn paths_named(written: &Value) -> Value {
    match written {
        Value::Array(list) => Value::Array(list.iter().flat_map(named).collect()),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, value)| (key.clone(), paths_named(value))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => written.clone(),
    }
}

fn named(written: &Value) -> Vec<Value> {
    match written.as_str().and_then(|text| text.strip_prefix('@')).and_then(|name| words().paths_of(name)) {
        Some(paths) => paths.iter().flat_map(|path| named(&json!(path))).collect(),
        None if written.is_object() => each(written),
        None => vec![written.clone()],
    }
}

/// Puts what the line says into the slots: as it is, or as an expression for it (`{/slot}`).
fn fill(written: &Value, slots: &Slots) -> Value {
    match written {
        Value::String(text) => {
            let mut text = text.clone();
            for (name, said) in slots {
                text = text.replace(&format!("{{{name}}}"), said);
                text = text.replace(&format!("{{/{name}}}"), &super::looks::expression(said));
            }
            Value::String(text)
        }
        Value::Array(list) => Value::Array(list.iter().map(|one| fill(one, slots)).collect()),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, value)| (key.clone(), fill(value, slots))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => written.clone(),
    }
}
