//! Cycles that were cut short by the end of the process.

use std::path::Path;

use jiff::Timestamp;
use subcortex_store::{Disk, durable};

use crate::active::{ACTIVE_FILE, Active, MAX_ACTIVE_BYTES};
use crate::cycle::Versions;
use crate::{CycleId, ScratchpadError, snapshots};

/// What the notes say about such a cycle.
pub const INTERRUPTED: &str = "the daemon ended during it";

/// Ends the cycles that a killed process left: those with a first snapshot and no second. Each is ended as a failure, with
/// a note and its second snapshot. Call it before the worker's next cycle begins. Says which cycles there were.
///
/// `active.yaml` is written first, and a note that is there is not written again: so this can itself be cut short
/// anywhere and be done anew.
pub fn recover_interrupted(
    disk: &dyn Disk,
    dir: &Path,
    quarantine: &Path,
    now: Timestamp,
) -> Result<Vec<CycleId>, ScratchpadError> {
    let pairs = snapshots::all(disk, dir)?;
    let cut_short: Vec<CycleId> =
        pairs.into_iter().filter(|(_, pair)| pair.before && !pair.after).map(|(id, _)| id).collect();
    let Some(last) = cut_short.last() else { return Ok(cut_short) };
    let mut state = Active::load(disk, dir, quarantine, &last.to_string())?.state;
    let mut ends = Vec::new();
    for id in &cut_short {
        state.note_failure(id, INTERRUPTED);
        ends.push(match Versions::of(state.clone(), now) {
            Ok(versions) => versions,
            Err(_) => {
                Versions::unchanged(durable::read(disk, &snapshots::before(dir, id), MAX_ACTIVE_BYTES)?)
            }
        });
    }
    if let Some(active) = ends.iter().rev().find_map(|versions| versions.active.as_ref()) {
        durable::replace(disk, &dir.join(ACTIVE_FILE), active)?;
    }
    for (id, versions) in cut_short.iter().zip(&ends) {
        durable::replace(disk, &snapshots::after(dir, id), &versions.after)?;
    }
    Ok(cut_short)
}
