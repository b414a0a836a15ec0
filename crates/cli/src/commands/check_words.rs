//! Conditions of checks in words, with everything that they ask for: what they look for, and what narrows it.
//!
//! The words that checks have for themselves fit into a sentence and leave out what narrows a condition. Here the rest is taken from
//! the form in which conditions stand in `memory/checks/`; a field that has no words here is shown by its name.

use serde_json::{Map, Value};
use subcortex_checks::{Check, Condition, in_words};

/// How many globs are named.
const MOST_GLOBS: usize = 4;
/// The longest expression that is shown, in characters: all of a test is shown where somebody asks for all of it.
const MAX_CHARS: usize = 400;
/// So many globs of tests are all of them.
const GLOBS_OF_TESTS: usize = 4;
/// A glob of so many endings is one of code.
const ENDINGS_OF_CODE: usize = 12;

/// Conditions of which one is enough.
pub(super) fn any(conditions: &[Condition]) -> String {
    let values = conditions.iter().filter_map(|condition| serde_json::to_value(condition).ok());
    any_of(&values.collect::<Vec<_>>(), "any of: ", "; ")
}

fn any_of(conditions: &[Value], lead: &str, between: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for condition in conditions {
        let said = one(condition);
        if !words.contains(&said) {
            words.push(said);
        }
    }
    match &*words {
        [only] => only.clone(),
        several => format!("{lead}{}", several.join(between)),
    }
}

/// One condition.
fn one(condition: &Value) -> String {
    let Some((kind, body)) = condition.as_object().and_then(|object| object.iter().next()) else {
        return "something".to_owned();
    };
    let parts = || body.as_array().map(Vec::as_slice).unwrap_or_default();
    match kind.as_str() {
        "all" => parts().iter().map(one).collect::<Vec<_>>().join(", and "),
        "any" => any_of(parts(), "", " or "),
        "none" => format!("not {}", any_of(parts(), "", " and not ")),
        "earlier" => {
            let any = body.get("any").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            format!("{} before that{}", any_of(any, "", " or "), since(body.get("since")))
        }
        kind => {
            let mut fields = body.as_object().cloned().unwrap_or_default();
            let command = fields.get("command").and_then(Value::as_str).map(str::to_owned);
            // A command that has to hold its own name says no more than its name.
            let is_own_name = |value: &Value| value.as_str().map(without_syntax) == command;
            if command.is_some() && fields.get("with").is_some_and(is_own_name) {
                fields.remove("with");
            }
            let (what, told) = head(kind, &fields, condition);
            let rest: Vec<String> = fields
                .iter()
                .filter(|(field, _)| !told.contains(&field.as_str()))
                .filter_map(|(field, value)| narrowed(kind, field, value))
                .collect();
            if rest.is_empty() { what } else { format!("{what} {}", rest.join(", ")) }
        }
    }
}

/// What is looked for, and the fields that this tells.
fn head(kind: &str, fields: &Map<String, Value>, condition: &Value) -> (String, Vec<&'static str>) {
    let is = |field: &str| fields.get(field).is_some_and(|value| *value == Value::Bool(true));
    match kind {
        "wrote" => {
            let change = match (is("deleted"), is("new")) {
                (true, _) => "the deletion of ",
                (false, true) => "a new file, ",
                (false, false) => "a change of ",
            };
            let files = fields.get("paths").map_or("any file".to_owned(), files);
            (format!("{change}{files}"), vec!["paths", "deleted", "new"])
        }
        "committed" => ("a commit".to_owned(), Vec::new()),
        "pushed" => ("a push".to_owned(), Vec::new()),
        "ran" => (by_itself(condition), vec!["command", "role", "outcome"]),
        "said" => {
            let who = match fields.get("by").and_then(Value::as_str) {
                Some("person") => "words of the person",
                Some("agent") => "words of the agent",
                Some("agent_at_end") => "the agent's last words",
                _ => "words",
            };
            (who.to_owned(), vec!["by"])
        }
        "echoed" => ("the agent's report that it did so".to_owned(), vec!["words", "least"]),
        "added" => (by_itself(condition), vec!["unit", "has", "lacks"]),
        "about" => (by_itself(condition), vec!["words"]),
        "read" => (by_itself(condition), vec!["paths"]),
        "used" => (by_itself(condition), vec!["tool"]),
        _ => (by_itself(condition), Vec::new()),
    }
}

/// The words that a condition has for itself.
fn by_itself(condition: &Value) -> String {
    let Ok(condition) = serde_json::from_value::<Condition>(condition.clone()) else {
        return "something".to_owned();
    };
    let words = in_words(&Check { trigger: vec![condition], ..Check::default() });
    words.strip_prefix("on ").map(str::to_owned).unwrap_or(words)
}

/// What narrows a condition.
fn narrowed(kind: &str, field: &str, value: &Value) -> Option<String> {
    let text = || expression(value.as_str().unwrap_or_default());
    let is_set = *value != Value::Bool(false);
    Some(match (kind, field) {
        (_, "bare") => return None, // how it is called, and nothing of what it is
        ("pushed", "branch") => format!("to {}", text()),
        ("pushed", "not_branch") => format!("to another branch than {}", text()),
        (_, "branch") => format!("on {}", text()),
        (_, "not_branch") => format!("on another branch than {}", text()),
        (_, "with") => format!("with {} in it", text()),
        (_, "without") => format!("without {} in it", text()),
        (_, "message") => format!("with a message like {}", text()),
        (_, "not_message") => format!("with a message unlike {}", text()),
        (_, "env") => format!("with {} set", text()),
        (_, "answer") => format!("that answers {}", text()),
        (_, "added") => format!("that adds {}", text()),
        (_, "not_added") => format!("that adds no {}", text()),
        (_, "removed") => format!("that takes out {}", text()),
        (_, "not_removed") => format!("that takes out no {}", text()),
        (_, "around") => format!("where {} stands", text()),
        (_, "not_around") => format!("where no {} stands", text()),
        (_, "named" | "name") => format!("named {}", text()),
        (_, "not_named" | "not_name") => format!("not named {}", text()),
        (_, "from") => format!("from {}", text()),
        (_, "not_from") => format!("from another branch than {}", text()),
        (_, "text") => format!("like {}", text()),
        (_, "input") => format!("given {}", text()),
        (_, "unless") => format!("that has no {}", text()),
        (_, "moved_from") => format!("moved from {}", files(value)),
        (_, "repository") => format!("in the repository {}", files(value)),
        (_, "except") => format!("but not of {}", files(value)),
        (_, "files") => format!("with {}", files(value)),
        (_, "not_files") => format!("without {}", files(value)),
        (_, "paths") => format!("in {}", files(value)),
        (_, "words") => format!("with the words {}", list(value)),
        (_, "least") => format!("{value} times or more"),
        (_, "whole") if is_set => "written as a whole".to_owned(),
        (_, "edited") if is_set => "that was there before".to_owned(),
        (_, "by_shell") if is_set => "by the shell".to_owned(),
        (_, "first_only") if is_set => "not behind a pipe".to_owned(),
        (_, "before_commit") if is_set => "the last before a commit".to_owned(),
        (_, "first_after_edit") if is_set => "the first after a change".to_owned(),
        (_, "fresh") => (if is_set { "brought up to date" } else { "not brought up to date" }).to_owned(),
        (_, _) if value.is_boolean() => return is_set.then(|| field.replace('_', " ")),
        (_, other) => format!("{}: {}", other.replace('_', " "), list(value)),
    })
}

fn since(value: Option<&Value>) -> &'static str {
    match value {
        Some(Value::String(word)) if word == "turn" => " in the turn",
        Some(Value::String(word)) if word == "commit" => " since the last commit",
        Some(Value::Object(_)) => " since the last change of the files",
        _ => " in the session",
    }
}

/// What stands in expressions for the ends of words.
const ENDS: [&str; 11] = [
    "(?i)",
    "(?m)",
    "(?im)",
    "(?mi)",
    "\\b",
    "(?:^|[\\s/])",
    "(?:$|[\\s;|&])",
    "(?:^|\\s)",
    "(?:\\s|$)",
    "^",
    "$",
];

/// What is left of the syntax of an expression that is more than words. `|` stands between words.
const SYNTAX: [char; 11] = ['(', ')', '[', ']', '{', '}', '*', '+', '?', '^', '$'];

/// An expression in plain words, spaces as spaces and without the ends of words; as it stands where that is not all that it says: half of
/// its syntax would say something else.
fn expression(source: &str) -> String {
    let plain = without_syntax(source);
    let is_plain = !plain.contains(SYNTAX) && !plain.contains('\\');
    let plain = if is_plain { plain } else { source.to_owned() };
    let short: String = plain.chars().take(MAX_CHARS).collect();
    let more = if short.len() < plain.len() { "…" } else { "" };
    format!("`{short}{more}`")
}

fn without_syntax(source: &str) -> String {
    let mut plain = source.to_owned();
    ENDS.iter().for_each(|end| plain = plain.replace(end, ""));
    for (syntax, shown) in
        [("\\s+", " "), ("\\s*", ""), ("\\.", "."), ("\\(", "("), ("\\)", ")"), ("\\-", "-")]
    {
        plain = plain.replace(syntax, shown);
    }
    let inside = plain.strip_prefix("(?:").and_then(|rest| rest.strip_suffix(')'));
    match inside.filter(|inside| !inside.contains(['(', ')'])) {
        Some(inside) => inside.to_owned(),
        None => plain,
    }
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        Value::String(one) => vec![one],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

fn list(value: &Value) -> String {
    match texts(value) {
        none if none.is_empty() => value.to_string(),
        some => some.join(", "),
    }
}

/// Files by their globs.
fn files(value: &Value) -> String {
    let globs = texts(value);
    let is_of_tests = |glob: &&&str| glob.to_lowercase().contains("test") || glob.contains("spec");
    let has_tests = globs.iter().filter(is_of_tests).count() >= GLOBS_OF_TESTS;
    let mut names: Vec<String> = Vec::new();
    if has_tests {
        names.push("tests".to_owned());
    }
    let others = globs.iter().filter(|glob| !has_tests || !is_of_tests(glob));
    names.extend(others.map(|glob| glob_in_words(glob)));
    names.dedup();
    let more = names.len().saturating_sub(MOST_GLOBS);
    names.truncate(MOST_GLOBS);
    let joined = names.join(", ");
    match (names.is_empty(), more) {
        (true, _) => "any file".to_owned(),
        (false, 0) => joined,
        (false, more) => format!("{joined} and {more} more"),
    }
}

fn glob_in_words(glob: &str) -> String {
    if matches!(glob, "**" | "*" | "**/*") {
        "any file".to_owned()
    } else if glob.starts_with("*.{") && glob.matches(',').count() >= ENDINGS_OF_CODE {
        "code".to_owned()
    } else {
        format!("`{glob}`")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(condition: Value, expect: &str) {
        let condition: Condition = serde_json::from_value(condition).unwrap();
        assert_eq!(any(&[condition]), expect);
    }

    #[test]
    fn a_condition_says_what_it_looks_for_and_what_narrows_it() {
        check(json!({"ran": {"command": "npm", "without": "\\bpnpm\\b"}}), "`npm` without `pnpm` in it");
        let bare = json!({"ran": {"command": "npm", "bare": true, "with": "(?:^|[\\s/])npm(?:$|[\\s;|&])", "without": "(?:^|\\s)(?:pnpm)(?:\\s|$)"}});
        check(bare, "`npm` without `pnpm` in it");
        check(json!({"pushed": {"branch": "main|master"}}), "a push to `main|master`");
        let long = format!("(?:^|_)pubkey{}", "|other".repeat(20));
        check(
            json!({"wrote": {"paths": ["**"], "added": long}}),
            &format!("a change of any file that adds `{long}`"),
        );
        check(json!({"said": {"text": "\"?version\"?[:=]"}}), "words of the agent like `\"?version\"?[:=]`");
        check(
            json!({"all": [{"committed": {}}, {"none": [{"ran": {"command": "make lint"}}]}]}),
            "a commit, and not `make lint`",
        );
        check(
            json!({"wrote": {"paths": ["src/**"], "except": ["*.md"], "added": "TODO"}}),
            "a change of `src/**` that adds `TODO`, but not of `*.md`",
        );
        check(
            json!({"earlier": {"any": [{"committed": {}}], "since": "session"}}),
            "a commit before that in the session",
        );
    }

    #[test]
    fn what_is_the_same_in_words_is_said_once() {
        let same: Vec<Condition> =
            (0..2).map(|_| serde_json::from_value(json!({"committed": {}})).unwrap()).collect();
        assert_eq!(any(&same), "a commit");
        let two: Vec<Condition> = ["npm", "yarn"]
            .map(|name| serde_json::from_value(json!({"ran": {"command": name}})).unwrap())
            .to_vec();
        assert_eq!(any(&two), "any of: `npm`; `yarn`");
    }
}
