//! The snapshots of cycles: `<cycle>_before.yaml` and `<cycle>_after.yaml`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use subcortex_store::{Disk, durable};

use crate::{CycleId, ScratchpadError};

/// How many pairs of snapshots are kept.
pub const KEPT_PAIRS: usize = 50;
/// How many names are tried for a cycle.
const MAX_NAME_ATTEMPTS: usize = 1_000;

/// Which snapshots of a cycle are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Pair {
    pub(crate) before: bool,
    pub(crate) after: bool,
}

/// What a cycle read: its path in the worker's `dir`.
#[must_use]
pub fn before(dir: &Path, id: &CycleId) -> PathBuf {
    dir.join(format!("{id}_before.yaml"))
}

/// The state at the end of a cycle: its path in the worker's `dir`.
#[must_use]
pub fn after(dir: &Path, id: &CycleId) -> PathBuf {
    dir.join(format!("{id}_after.yaml"))
}

/// All cycles that left a snapshot, the oldest first.
pub(crate) fn all(disk: &dyn Disk, dir: &Path) -> Result<BTreeMap<CycleId, Pair>, ScratchpadError> {
    let names = match disk.list(dir) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(source) => return Err(ScratchpadError::Look { path: dir.to_owned(), source }),
    };
    let mut pairs: BTreeMap<CycleId, Pair> = BTreeMap::new();
    for name in names.iter().filter_map(|name| name.to_str()?.strip_suffix(".yaml")) {
        let Some((id, which)) = name.rsplit_once('_') else { continue };
        let Ok(id) = id.parse() else { continue };
        match which {
            "before" => pairs.entry(id).or_default().before = true,
            "after" => pairs.entry(id).or_default().after = true,
            _ => {}
        }
    }
    Ok(pairs)
}

/// Writes the first snapshot of a cycle, under the first name from `id` on that no cycle has.
pub(crate) fn write_before(
    disk: &dyn Disk,
    dir: &Path,
    mut id: CycleId,
    bytes: &[u8],
) -> Result<CycleId, ScratchpadError> {
    for _ in 0..MAX_NAME_ATTEMPTS {
        let taken = disk.stat(&after(dir, &id)).is_ok();
        match if taken { None } else { Some(durable::create_new(disk, &before(dir, &id), bytes)) } {
            None | Some(Err(durable::WriteError::Exists { .. })) => id = id.next(),
            Some(written) => return written.map(|()| id).map_err(ScratchpadError::from),
        }
    }
    Err(ScratchpadError::NoName { last: id.to_string() })
}

/// Removes the oldest pairs beyond [`KEPT_PAIRS`], but never those of `current`, whatever the clock did.
///
/// The *before* goes first: without its *after* it would look like a cycle that was cut short.
pub(crate) fn prune(disk: &dyn Disk, dir: &Path, current: &CycleId) -> Result<(), ScratchpadError> {
    let pairs = all(disk, dir)?;
    let spare = pairs.len().saturating_sub(KEPT_PAIRS);
    for (id, pair) in pairs.iter().filter(|(id, _)| *id != current).take(spare) {
        if pair.before {
            durable::remove(disk, &before(dir, id))?;
        }
        if pair.after {
            durable::remove(disk, &after(dir, id))?;
        }
    }
    Ok(())
}
