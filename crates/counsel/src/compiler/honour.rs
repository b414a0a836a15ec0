//! Whether a check honours what its rule names: a rule that asks for one special thing is not tested by any thing of its kind.

use serde_json::Value;
use subcortex_checks::{Check, Condition, Grounds};

/// The shortest piece of a term by which it is recognised, in characters.
const MIN_PIECE_CHARS: usize = 2;
/// Words before a term that only illustrate.
const ILLUSTRATES: [&str; 7] = ["e.g.", "e.g.,", "i.e.", "like", "example", "example,", "example:"];

/// Says what of the rule the check passes over.
pub(super) fn honours(rule: &str, check: &Check) -> Result<(), String> {
    let texts = texts_of(check);
    let terms = terms(rule);
    if let Some(left) = terms.iter().find(|term| !is_honoured(term, &texts)) {
        return Err(format!("the rule names `{left}`, and the check does without it"));
    }
    takes_side(rule, &terms, check)?;
    let deeds = check.expect.iter().flat_map(|expect| &expect.any).chain(&check.forbid);
    if !terms.is_empty()
        && deeds.clone().any(is_any_of_a_role)
        && !texts.iter().any(|text| names_one(text, &terms))
    {
        return Err("the rule names something special, and the check takes any command of a kind".into());
    }
    match deeds.clone().find(|condition| is_anything(condition)) {
        Some(_) => Err("it would take any command or any change for it".into()),
        None => Ok(()),
    }
}

/// Leaves open what shows nothing: where doing something is an occasion of its own, a command counts as following the rule only if the rule
/// names it, or names none.
pub(super) fn narrow(rule: &str, check: &mut Check) {
    if !check.trigger.is_empty() || !check.maybe.is_empty() {
        return;
    }
    let known: Vec<String> = pieces(rule).collect();
    let is_named = |condition: &Condition| {
        let Condition::Ran(ran) = condition else { return true };
        let mut names = ran.command.split_whitespace().filter_map(|word| word.rsplit('/').next());
        ran.command.is_empty() || names.any(|name| pieces(name).any(|piece| known.contains(&piece)))
    };
    for expect in &mut check.expect {
        let (named, unnamed): (Vec<_>, Vec<_>) =
            std::mem::take(&mut expect.any).into_iter().partition(is_named);
        if named.is_empty() {
            expect.any = unnamed;
        } else {
            expect.any = named;
            check.near.extend(unnamed);
        }
    }
}

/// A rule that is against something does not expect it, and what it asks for it does not forbid.
fn takes_side(rule: &str, terms: &[String], check: &Check) -> Result<(), String> {
    let grounds = Grounds::of(rule);
    let texts = |conditions: &mut dyn Iterator<Item = &Condition>| {
        let mut texts = Vec::new();
        conditions.for_each(|one| collect(&one.to_json(), &mut texts));
        texts
    };
    let expected = texts(&mut check.expect.iter().flat_map(|expect| &expect.any));
    let forbidden = texts(&mut check.forbid.iter());
    for term in terms {
        let (asked, banned) = (is_honoured(term, &expected), is_honoured(term, &forbidden));
        if asked && !banned && !grounds.can_ask_for(term) {
            return Err(format!("it expects `{term}`, which the rule is against"));
        }
        if banned && !asked && grounds.can_ask_for(term) && !grounds.can_forbid(term) && !expected.is_empty()
        {
            return Err(format!("it forbids `{term}`, which the rule asks for"));
        }
    }
    Ok(())
}

fn names_one(text: &str, terms: &[String]) -> bool {
    terms.iter().any(|term| is_honoured(term, std::slice::from_ref(&text.to_owned())))
}

/// A command by its role alone.
fn is_any_of_a_role(condition: &Condition) -> bool {
    matches!(condition, Condition::Ran(ran) if ran.role.is_some() && ran.command.is_empty()
        && ran.with.is_none() && ran.env.is_none() && ran.answer.is_none())
}

/// A command or a change without anything that it is known by.
fn is_anything(condition: &Condition) -> bool {
    match condition {
        Condition::Ran(ran) => {
            ran.command.trim().is_empty()
                && ran.role.is_none()
                && ran.with.is_none()
                && ran.env.is_none()
                && ran.answer.is_none()
        }
        Condition::Wrote(wrote) => *wrote == subcortex_checks::Wrote::default(),
        Condition::Any(any) => any.0.iter().any(is_anything),
        Condition::All(all) => all.0.iter().all(is_anything),
        Condition::Added(_)
        | Condition::Read(_)
        | Condition::Used(_)
        | Condition::Committed(_)
        | Condition::Pushed(_)
        | Condition::Branched(_)
        | Condition::Said(_)
        | Condition::About(_)
        | Condition::Echoed(_)
        | Condition::Refused(_)
        | Condition::None(_)
        | Condition::Earlier(_) => false,
    }
}

/// The terms in backticks that a rule is about; not those in brackets, and not those that only illustrate.
fn terms(rule: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    for (at, piece) in rule.split('`').enumerate() {
        if at % 2 == 0 {
            for c in piece.chars() {
                match c {
                    '(' | '[' => depth += 1,
                    ')' | ']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            continue;
        }
        let before = rule.split('`').nth(at - 1).unwrap_or("");
        let last = before.split_whitespace().next_back().unwrap_or("").to_lowercase();
        let second = before.split_whitespace().rev().nth(1).unwrap_or("").to_lowercase();
        let illustrates = ILLUSTRATES.contains(&last.as_str()) || (second == "such" && last == "as");
        if depth == 0 && !illustrates && pieces(piece).next().is_some() {
            found.push(piece.to_owned());
        }
    }
    found
}

fn pieces(term: &str) -> impl Iterator<Item = String> {
    let words = term.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().count() >= MIN_PIECE_CHARS).map(str::to_lowercase)
}

fn is_honoured(term: &str, texts: &[String]) -> bool {
    pieces(term).any(|piece| texts.iter().any(|text| text.contains(&piece)))
}

/// All texts of a check by which it looks for something, without the backslashes of expressions.
fn texts_of(check: &Check) -> Vec<String> {
    let mut texts = Vec::new();
    for condition in check.conditions() {
        collect(&condition.to_json(), &mut texts);
    }
    texts
}

fn collect(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.replace('\\', "").to_lowercase()),
        Value::Array(values) => values.iter().for_each(|value| collect(value, into)),
        Value::Object(fields) => {
            // `committed` and `pushed` are what a rule calls `git commit` and `git push`.
            into.extend(fields.keys().map(|key| key.to_lowercase()));
            fields.values().for_each(|value| collect(value, into));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_the_rule_does_not_name_shows_nothing_by_itself() {
        let written = serde_json::json!({
            "testable": true, "family": "model", "unmet": "open", "mixed": "missed", "scope": {}, "why": "",
            "cues": { "stems": [], "code": [], "against": [] },
            "expect": [{ "any": [{ "ran": { "command": "bin/rspec" } }, { "ran": { "command": "bin/lint" } }] }],
        });
        let mut check: Check = serde_json::from_value(written).unwrap();
        let mut alone = check.clone();
        narrow("Use `bin/rspec` and `bin/rake`, not bundle exec.", &mut check);
        assert_eq!(check.expect[0].any.len(), 1);
        assert_eq!(check.near.len(), 1);
        narrow("Run the scripts in the folder.", &mut alone);
        assert_eq!(alone.expect[0].any.len(), 2);
    }

    #[test]
    fn terms_that_illustrate_are_not_demanded() {
        let rule = "Use `uv run` (never `pip`), e.g. `uv run pytest`; types such as `Foo`, not `Bar`.";
        assert_eq!(terms(rule), ["uv run", "Bar"]);
    }
}
