//! The form in which a model writes a check, and what of it is taken.
//!
//! It is the language of the check files with two short forms: a condition alone where something is expected, and what is left out
//! is what people mean by leaving it out. Scope, cues and the words of a report are not the model's to say.

use serde_json::{Map, Value, json};
use subcortex_checks::{Check, in_words};

use super::trial::Examples;

/// The longest answer about one rule, in bytes.
const MAX_BYTES: usize = 16 * 1024;
/// The longest reason that is kept, in characters.
const MAX_WHY_CHARS: usize = 160;

/// What a model may say of a check.
const FIELDS: [&str; 9] = ["trigger", "maybe", "expect", "near", "forbid", "unless", "unmet", "mixed", "why"];

/// The check and the examples of an answer, for a rule that is read as `known` without a model; or what is wrong with it.
pub(super) fn read(answer: &Value, known: &Check) -> Result<(Check, Examples), String> {
    let Value::Object(answer) = answer else { return Err("it is no object".into()) };
    if answer.values().map(|value| value.to_string().len()).sum::<usize>() > MAX_BYTES {
        return Err("it is too long".into());
    }
    if let Some(odd) = answer.keys().find(|key| *key != "examples" && !FIELDS.contains(&key.as_str())) {
        return Err(format!("there is no `{}`", odd.chars().take(40).collect::<String>()));
    }
    let examples = answer.get("examples").cloned().unwrap_or_else(|| json!({}));
    let examples: Examples =
        serde_json::from_value(examples).map_err(|error| format!("its examples cannot be read: {error}"))?;
    let mut check = check(answer)?;
    if check.forbid.is_empty() && check.expect.is_empty() {
        return Err("it neither expects nor forbids anything".into());
    }
    check.testable = true;
    check.family = "model".into();
    check.scope.clone_from(&known.scope);
    check.cues.clone_from(&known.cues);
    check.why = if check.why.trim().is_empty() {
        in_words(&check)
    } else {
        check.why.trim().chars().filter(|c| !c.is_control()).take(MAX_WHY_CHARS).collect()
    };
    if let Some(why) = check.problem() {
        return Err(why);
    }
    Ok((check, examples))
}

fn check(answer: &Map<String, Value>) -> Result<Check, String> {
    let mut written: Map<String, Value> = answer
        .iter()
        .filter(|(key, value)| *key != "examples" && !value.is_null())
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    if let Some(Value::Array(expected)) = written.get_mut("expect") {
        expected.iter_mut().for_each(spell_out);
    }
    let has = |key: &str| answer.get(key).and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    let unmet = if has("trigger") && has("expect") { "missed" } else { "open" };
    written.entry("unmet").or_insert_with(|| json!(unmet));
    written.entry("mixed").or_insert_with(|| json!("missed"));
    Check::from_json(Value::Object(written)).map_err(|error| error.to_string())
}

/// `{"ran": …}` is short for `{"any": [{"ran": …}]}`; `any` alone may be a condition or what is expected, which comes to the same.
fn spell_out(expected: &mut Value) {
    let Value::Object(fields) = expected else { return };
    if fields.contains_key("any") {
        return;
    }
    let beside: Map<String, Value> = ["order", "since"]
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), fields.remove(key)?)))
        .collect();
    let mut whole = json!({ "any": [Value::Object(std::mem::take(fields))] });
    if let Some(whole) = whole.as_object_mut() {
        whole.extend(beside);
    }
    *expected = whole;
}
