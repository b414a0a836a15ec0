//! Says in words what a check looks for.

use super::{Check, Condition};

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
