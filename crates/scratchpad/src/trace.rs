//! The whole story of a cycle, for whoever wants to know why it failed: `var/log/cycles/<worker>/cycle_<id>.log`.

use std::io;
use std::path::{Path, PathBuf};

use subcortex_guard::Redactor;
use subcortex_store::{Disk, durable};

use crate::{CycleId, ScratchpadError};

/// The longest trace: of a longer one the end is kept.
pub const MAX_TRACE_BYTES: usize = 256 * 1024;
/// How many traces of a worker are kept.
pub const KEPT_TRACES: usize = 50;

/// Where the trace of a cycle is, in the worker's folder of traces.
#[must_use]
pub fn trace_path(dir: &Path, id: &CycleId) -> PathBuf {
    dir.join(format!("cycle_{id}.log"))
}

/// Writes the trace of a cycle into the worker's folder of traces `dir`, whose parent's parent must exist, and removes
/// the oldest ones. Secrets are replaced.
pub fn write_trace(
    disk: &dyn Disk,
    dir: &Path,
    id: &CycleId,
    trace: &str,
) -> Result<PathBuf, ScratchpadError> {
    make_two_folders(disk, dir)?;
    let path = trace_path(dir, id);
    let clean = Redactor::new().text(trace).into_owned();
    let mut start = clean.len().saturating_sub(MAX_TRACE_BYTES);
    while !clean.is_char_boundary(start) {
        start += 1;
    }
    durable::replace(disk, &path, &clean.as_bytes()[start..])?;
    prune(disk, dir, id)?;
    Ok(path)
}

fn make_two_folders(disk: &dyn Disk, dir: &Path) -> Result<(), ScratchpadError> {
    let names = (dir.file_name(), dir.parent().and_then(Path::file_name));
    match (disk.stat(dir), dir.parent().and_then(Path::parent), names) {
        (Err(error), Some(root), (Some(last), Some(middle))) if error.kind() == io::ErrorKind::NotFound => {
            Ok(durable::make_dirs(disk, root, &Path::new(middle).join(last))?)
        }
        _ => Ok(()),
    }
}

fn prune(disk: &dyn Disk, dir: &Path, current: &CycleId) -> Result<(), ScratchpadError> {
    let names = disk.list(dir).map_err(|source| ScratchpadError::Look { path: dir.to_owned(), source })?;
    let id_of = |name: &str| name.strip_prefix("cycle_")?.strip_suffix(".log")?.parse::<CycleId>().ok();
    let mut ids: Vec<CycleId> = names.iter().filter_map(|name| id_of(name.to_str()?)).collect();
    ids.sort();
    let spare = ids.len().saturating_sub(KEPT_TRACES);
    for id in ids.iter().filter(|id| *id != current).take(spare) {
        durable::remove(disk, &trace_path(dir, id))?;
    }
    Ok(())
}
