//! Says in words what a check looks for.

use super::{Check, Condition, Expression, Glob};

/// Most alternatives that are spelled out.
const MOST_NAMED: usize = 3;

/// What a check looks for, in words.
pub fn in_words(check: &Check) -> String {
    let mut said = Vec::new();
    if !check.trigger.is_empty() {
        said.push(format!("on {}", any_in_words(&check.trigger)));
    }
    let expected: Vec<String> = check.expect.iter().map(|expect| any_in_words(&expect.any)).collect();
    if !expected.is_empty() {
        said.push(format!("{} is expected", expected.join(" and ")));
    }
    if !check.forbid.is_empty() {
        said.push(format!("{} breaks it", any_in_words(&check.forbid)));
    }
    said.join(", ")
}

/// Endings that stand together only where all code is meant.
const ENDINGS_OF_CODE: [&str; 3] = ["py", "rs", "go"];
/// The longest expression that is shown as it stands, in characters.
const MAX_EXPRESSION_CHARS: usize = 40;

/// Files by their globs, in words.
pub(super) fn files_in_words(globs: &[Glob]) -> String {
    let mut names: Vec<String> = globs.iter().map(|glob| glob_in_words(glob.as_str())).collect();
    names.dedup();
    let more = names.len().saturating_sub(MOST_NAMED);
    names.truncate(MOST_NAMED);
    let joined = names.join(", ");
    if more > 0 { format!("{joined} and {more} others") } else { joined }
}

/// `*.{ts,tsx}` as it is; a long list of endings in short.
fn glob_in_words(glob: &str) -> String {
    let endings: Vec<&str> = glob
        .strip_prefix("*.{")
        .and_then(|rest| rest.strip_suffix('}'))
        .map(|list| list.split(',').collect())
        .unwrap_or_default();
    if matches!(glob, "**" | "*" | "**/*") {
        "any file".to_owned()
    } else if ENDINGS_OF_CODE.iter().all(|ending| endings.contains(ending)) {
        "code".to_owned()
    } else if endings.len() > MOST_NAMED + 1 {
        format!("`*.{{{},…}}`", endings.get(..MOST_NAMED).unwrap_or(&endings).join(","))
    } else {
        format!("`{glob}`")
    }
}

/// What an expression looks for, where a person can read it.
pub(super) fn text_in_words(expression: &Expression) -> Option<String> {
    let source = expression.as_str();
    let mut plain = source.to_owned();
    for mark in ["(?i)", "(?m)", "(?im)", "(?mi)", "\\b", "^", "$"] {
        plain = plain.replace(mark, "");
    }
    let plain = plain.replace("\\s+", " ").replace("\\s*", "").replace('\\', "");
    let is_literal = !source.contains(['|', '[', '{', '*', '+', '?']) || {
        let rest = source.replace("(?i)", "").replace("(?m)", "").replace("\\s+", "").replace("\\s*", "");
        !rest.contains(['|', '[', '{', '*', '+', '?'])
    };
    let is_short = plain.chars().count() <= MAX_EXPRESSION_CHARS && !plain.trim().is_empty();
    (is_literal && is_short && !plain.contains('`')).then(|| format!("`{}`", plain.trim()))
}

/// Any of these, in words.
pub(crate) fn any_in_words(conditions: &[Condition]) -> String {
    joined(conditions, " or ")
}

/// The words of conditions, each once, with this between them.
pub(super) fn joined(conditions: &[Condition], between: &str) -> String {
    let mut names: Vec<String> = conditions.iter().map(|condition| condition.sight().in_words()).collect();
    names.dedup();
    let more = names.len().saturating_sub(MOST_NAMED);
    names.truncate(MOST_NAMED);
    let joined = names.join(between);
    if more > 0 { format!("{joined}{between}{more} others") } else { joined }
}
