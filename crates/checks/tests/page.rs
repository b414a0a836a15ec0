//! The page for people who correct checks: what it shows is read as it stands.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;

use serde::Deserialize;
use subcortex_checks::{Check, Condition};

const PAGE: &str = include_str!("../../../docs/CHECKS.md");

/// The file of a line, or the check in it.
#[derive(Deserialize)]
struct File {
    check: Check,
}

#[test]
fn every_check_on_the_page_is_one() {
    let blocks: Vec<&str> =
        PAGE.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(blocks.len() > 3, "{}", blocks.len());
    for block in blocks {
        let check = match block.starts_with("line:") {
            true => subcortex_yaml::from_str::<File>(block).map(|file| file.check),
            false => subcortex_yaml::from_str::<Check>(block),
        };
        let check = check.unwrap_or_else(|problem| panic!("{problem}\n{block}"));
        assert!(check.testable && check.problem().is_none() && !check.why.is_empty(), "{block}");
    }
}

/// The names that would be right, of which an error speaks when one is wrong.
fn expected(wrong: &serde_json::Value) -> BTreeSet<String> {
    let error = serde_json::from_value::<Condition>(wrong.clone()).unwrap_err().to_string();
    let names = error.split_once("expected").map_or("", |(_, names)| names);
    names.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_table_of_conditions_names_each_condition_with_each_of_its_fields() {
    let conditions = expected(&serde_json::json!({ "nonsense": {} }));
    assert!(conditions.len() > 12, "{conditions:?}");
    for condition in conditions {
        let is_row = |line: &&str| {
            line.strip_prefix("| ").is_some_and(|row| {
                row.split(" | ").next().unwrap_or_default().contains(&format!("`{condition}`"))
            })
        };
        let row = PAGE.lines().skip_while(|line| *line != "## Conditions").find(is_row);
        let row = row.unwrap_or_else(|| panic!("docs/CHECKS.md has no row for `{condition}`"));
        for field in expected(&serde_json::json!({ condition.as_str(): { "nonsense": 1 } })) {
            assert!(row.contains(&format!("`{field}`")), "`{field}` of `{condition}` is missing: {row}");
        }
    }
}
