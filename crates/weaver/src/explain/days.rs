//! How lines fared on one day.

use std::collections::BTreeMap;

use subcortex_memory::fragments;
use subcortex_memory::{LineHash, Rate, Trajectory};

use crate::{WeaveError, Workshop};

/// The newest days that have evidence, oldest first, each with the time of its last change: a day whose time is the same says
/// the same.
pub fn newest_days(shop: &Workshop, at_most: usize) -> Result<Vec<(String, i128)>, WeaveError> {
    let mut days = fragments::days(&*shop.disk, &shop.folder)?;
    days.sort();
    Ok(days.split_off(days.len().saturating_sub(at_most)))
}

/// How often each line was followed and missed on a day.
pub fn day(shop: &Workshop, day: &str) -> Result<BTreeMap<LineHash, Rate>, WeaveError> {
    let mut found: BTreeMap<LineHash, Rate> = BTreeMap::new();
    for name in fragments::names(&*shop.disk, &shop.folder, day)? {
        // What is no fragment is told by the runs that meet it.
        let Ok(stored) = fragments::read_one(&*shop.disk, &shop.folder, day, &name)? else { continue };
        let Some(line) = stored.fragment.line else { continue };
        let rate = found.entry(line.hash).or_default();
        match stored.fragment.trajectory {
            Trajectory::Strengthening => rate.followed += 1,
            Trajectory::Weakening => rate.missed += 1,
            Trajectory::Neutral | Trajectory::NewSignal => {}
        }
    }
    Ok(found)
}
