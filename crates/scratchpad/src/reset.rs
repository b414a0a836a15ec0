//! A person empties a worker's scratchpad.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use subcortex_store::Disk;

use crate::{Cycle, ScratchpadError, State, recover_interrupted, snapshots};

/// Empties a scratchpad whose worker does not run. It is a cycle like any other: what was there is its first snapshot, and
/// whoever dies in the middle leaves the old state or the new one. Says where the first snapshot is.
pub fn reset(
    disk: &dyn Disk,
    dir: &Path,
    quarantine: &Path,
    now: Timestamp,
) -> Result<PathBuf, ScratchpadError> {
    recover_interrupted(disk, dir, quarantine, now)?;
    let mut cycle = Cycle::begin(disk, dir, quarantine, now)?;
    *cycle.state_mut() = State::default();
    let ended = cycle.finish(disk, now)?;
    Ok(snapshots::before(dir, &ended.id))
}
