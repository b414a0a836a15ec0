//! The page for people who correct checks: what it shows is read as it stands.
#![allow(clippy::unwrap_used, clippy::panic)]

use serde::Deserialize;
use subcortex_checks::Check;

/// The file of a line, or the check in it.
#[derive(Deserialize)]
struct File {
    check: Check,
}

#[test]
fn every_check_on_the_page_is_one() {
    let page = include_str!("../../../docs/CHECKS.md");
    let blocks: Vec<&str> =
        page.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
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
