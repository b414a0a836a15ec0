//! The patterns: kinds of loops that many repositories want.

mod catalogue;

pub use catalogue::PATTERNS;

use crate::config::Tier;

/// A kind of loop, with the values that a new one begins with. `<fill in …>` marks what only its person knows.
#[derive(Debug, Clone, Copy)]
pub struct Pattern {
    /// What `pattern:` says.
    pub name: &'static str,
    /// How much it may do.
    pub tier: Tier,
    /// How often it runs.
    pub cadence: &'static str,
    /// What it is after, and what it leaves alone.
    pub goal: &'static str,
    /// Which files it may touch or look at.
    pub scope: &'static str,
    /// When it stops and asks.
    pub escalation: &'static str,
    /// Output tokens that a run may use.
    pub budget_tokens: u64,
    /// What it needs from L2 on.
    pub gate: Option<Gate>,
    /// For its README: what it is for.
    pub about: &'static str,
    /// For its README: what one run does.
    pub run: &'static str,
    /// For its README: how to tell that it is not worth its money.
    pub doubt: &'static str,
}

/// What stands between the work of a loop and the repository.
#[derive(Debug, Clone, Copy)]
pub struct Gate {
    /// Says whether the result works.
    pub verify: &'static str,
    /// Says whether something was touched that must stay.
    pub guard: &'static str,
    /// How a result gets in.
    pub land_via: &'static str,
}

/// Their names, in the order of the list.
pub fn names() -> impl Iterator<Item = &'static str> {
    PATTERNS.iter().map(|pattern| pattern.name)
}

/// The pattern of a name.
pub fn named(name: &str) -> Option<&'static Pattern> {
    PATTERNS.iter().find(|pattern| pattern.name == name)
}

/// The patterns whose loops go before others, the first first; those of one row are equal.
const FIRST: [&[&str]; 5] =
    [&["ci-watch"], &["pr-watch"], &["dep-bump"], &["changelog-gen", "merge-hygiene"], &["daily-scan"]];

/// The place of a pattern in the order of priority: the lowest goes first. What is no pattern is the last.
pub fn rank(name: Option<&str>) -> usize {
    let Some(name) = name else { return usize::MAX };
    if let Some(row) = FIRST.iter().position(|row| row.contains(&name)) {
        return row;
    }
    let others = names().filter(|other| !FIRST.iter().any(|row| row.contains(other)));
    others.into_iter().position(|other| other == name).map_or(usize::MAX, |place| FIRST.len() + place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_has_its_place_in_the_order() {
        let mut order: Vec<&str> = names().collect();
        order.sort_by_key(|name| rank(Some(name)));
        let expect = "ci-watch pr-watch dep-bump changelog-gen merge-hygiene daily-scan issue-sort metric-chase \
                      regression-watch digest backfill monitor freshness custom";
        assert_eq!(order.join(" "), expect);
        assert_eq!(rank(Some("changelog-gen")), rank(Some("merge-hygiene")));
        assert!(rank(Some("unheard-of")) > rank(Some("custom")));
    }
}
