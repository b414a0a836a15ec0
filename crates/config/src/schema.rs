//! The same keys as a JSON schema, for editors that check a file while it is written.

use serde_json::{Map, Value};

use crate::Config;

/// The schema of the file as pretty JSON with a newline at the end; the same text every time.
pub fn schema_json() -> String {
    let schema = sorted(schemars::schema_for!(Config).to_value());
    format!("{schema:#}\n")
}

/// Puts keys in alphabetical order. Whether a JSON object keeps the order of its making depends on which
/// features of the JSON library the other crates of a build ask for.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<(String, Value)> = object.into_iter().collect();
            entries.sort_by(|(one, _), (other, _)| one.cmp(other));
            Value::Object(entries.into_iter().map(|(key, value)| (key, sorted(value))).collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}
