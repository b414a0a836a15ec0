//! Says in words what a condition looks for.

use crate::check::{Check, Condition, Wrote};

/// Most alternatives that are spelled out.
const MOST_NAMED: usize = 3;

/// What a check looks for, in words.
pub fn in_words(check: &Check) -> String {
    let mut said = Vec::new();
    if !check.trigger.is_empty() {
        said.push(format!("on {}", any(&check.trigger)));
    }
    let expected: Vec<String> = check.expect.iter().map(|expect| any(&expect.any)).collect();
    if !expected.is_empty() {
        said.push(format!("{} is expected", expected.join(" and ")));
    }
    if !check.forbid.is_empty() {
        said.push(format!("{} breaks it", any(&check.forbid)));
    }
    said.join(", ")
}

/// Any of these, in words.
pub(crate) fn any(conditions: &[Condition]) -> String {
    let mut names: Vec<String> = conditions.iter().map(one).collect();
    names.dedup();
    let more = names.len().saturating_sub(MOST_NAMED);
    names.truncate(MOST_NAMED);
    let joined = names.join(" or ");
    if more > 0 { format!("{joined} or {more} others") } else { joined }
}

fn one(condition: &Condition) -> String {
    match condition {
        Condition::Ran(ran) if ran.command.is_empty() => "a matching command".to_owned(),
        Condition::Ran(ran) => format!("`{}`", ran.command),
        Condition::Wrote(wrote) => wrote_in_words(wrote),
        Condition::Read { paths } => format!("reading {}", paths.join(", ")),
        Condition::Used { tool } => format!("the tool {tool}"),
        Condition::Committed(_) => "a commit".to_owned(),
        Condition::Pushed { .. } => "a push".to_owned(),
        Condition::Branched(_) => "a new branch".to_owned(),
        Condition::Said(_) => "certain words".to_owned(),
        Condition::About { words } => format!("work on {}", words.join(" ")),
        Condition::Echoed { .. } => "a report of it".to_owned(),
        Condition::Refused { .. } => "a refusal".to_owned(),
    }
}

fn wrote_in_words(wrote: &Wrote) -> String {
    if wrote.paths.len() > MOST_NAMED {
        return "a change of code".to_owned();
    }
    let place = if wrote.paths.is_empty() { "files".to_owned() } else { wrote.paths.join(", ") };
    match (wrote.words.is_empty(), &wrote.added) {
        (false, _) => format!("a change of {place} named {}", wrote.words.join(", ")),
        (true, Some(_)) => format!("matching content in {place}"),
        (true, None) => format!("a change of {place}"),
    }
}
