//! When two sentences say the same rule.

use serde_json::{Value, json};

use crate::language::Check;

use super::restate_as_rule;

/// How much of the hash names a test: 64 bits, for a memory of a few hundred lines.
const KEY_HEX_CHARS: usize = 16;

/// Names the rule that a line or a person's sentence says. Two wordings that compile to the same test have the same key; where
/// nothing can be tested, the same content words with the same polarity have.
pub fn rule_key(line: &str) -> String {
    let rule = restate_as_rule(line);
    let rule = rule.as_deref().unwrap_or(line);
    let check = crate::reading::compile(rule, &[]);
    if check.testable && check.family != "echo" {
        let bytes = test_of(&check).to_string();
        let hash = blake3::hash(bytes.as_bytes()).to_hex();
        return format!("test:{}", hash.get(..KEY_HEX_CHARS).unwrap_or(&hash));
    }
    words_of(rule)
}

/// Names a rule by its content words and its polarity alone, whether it can be tested or not.
pub fn words_key(line: &str) -> String {
    let rule = restate_as_rule(line);
    words_of(rule.as_deref().unwrap_or(line))
}

fn words_of(rule: &str) -> String {
    let (mut stems, forbids) = crate::reading::words_and_side(rule);
    stems.sort();
    format!("{}:{}", if forbids { "not" } else { "words" }, stems.join(" "))
}

/// Whether two sentences say the same rule, wording aside.
pub fn same_rule(a: &str, b: &str) -> bool {
    rule_key(a) == rule_key(b)
}

/// What of a check decides verdicts, in an order that the wording has no say in.
fn test_of(check: &Check) -> Value {
    sorted(json!({
        "trigger": check.trigger,
        "maybe": check.maybe,
        "expect": check.expect,
        "forbid": without_exceptions(json!(check.forbid)),
        "unless": check.unless,
        "unmet": check.unmet,
        "paths": check.scope.paths,
        // An idiom may forbid more than the words do: "use pnpm" is not "use pnpm, not npm".
        "against": check.cues.against,
    }))
}

/// Commands that must not be run, by their names alone: that `npm` is fine where `pnpm` runs it is a matter of looking, not of the rule,
/// and what forbids a command forbids each way of calling it.
fn without_exceptions(forbidden: Value) -> Value {
    let Value::Array(mut conditions) = forbidden else { return forbidden };
    for condition in &mut conditions {
        if let Some(ran) = condition.get_mut("ran").and_then(Value::as_object_mut) {
            ran.remove("without");
        }
    }
    let is_plain = |ran: &Value| ran.as_object().is_some_and(|ran| ran.len() == 1);
    let ran = |condition: &Value| condition.get("ran").cloned();
    let banned: Vec<Value> = conditions.iter().filter_map(ran).filter(is_plain).collect();
    let is_said = |ran: &Value| banned.iter().any(|plain| plain["command"] == ran["command"]);
    conditions.retain(|condition| ran(condition).is_none_or(|ran| is_plain(&ran) || !is_said(&ran)));
    Value::Array(conditions)
}

/// All lists of a check are sets: any of these, all of these.
fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut items: Vec<Value> = items.into_iter().map(sorted).collect();
            items.sort_by_key(Value::to_string);
            items.dedup();
            Value::Array(items)
        }
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(name, field)| (name, sorted(field))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_rule_in_other_words_has_the_same_key() {
        for group in [
            &[
                "Use pnpm, not npm.",
                "use pnpm instead of npm",
                "I told you to use pnpm, not npm!",
                "always use pnpm, never npm",
            ][..],
            &["Never push to main.", "please don't push to main", "Do not push to `main`"],
            &["Before committing, run `make lint`.", "run `make lint` before you commit"],
            &["Keep functions small.", "small functions, keep"],
        ] {
            for pair in group.windows(2) {
                assert_eq!(rule_key(pair[0]), rule_key(pair[1]), "{pair:?}");
                assert!(same_rule(pair[1], pair[0]));
            }
        }
    }

    #[test]
    fn another_rule_has_another_key() {
        for (a, b) in [
            ("Use pnpm, not npm.", "Use npm, not pnpm."),
            ("Use pnpm, not npm.", "Use pnpm."),
            ("Never push to main.", "Never push to staging by hand."),
            ("Mention the ticket.", "Never mention the ticket."),
            ("Before committing, run `make lint`.", "After committing, run `make lint`."),
        ] {
            assert!(!same_rule(a, b), "{a} / {b}: {}", rule_key(a));
        }
    }
}
